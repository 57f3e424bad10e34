//! The inverse of the square root.

use super::number::Number;

/// 1/√x, rounded twice. ±∞ for ±0, NaN below 0.
#[inline(always)]
pub fn rsqrt<N: Number>(x: N) -> N {
    x.lit(1.0) / x.sqrt()
}
