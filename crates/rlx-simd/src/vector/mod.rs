//! The elementary functions of `rlx-math` for `f32` vectors, and of `f64` one element at a time.
//!
//! The functions of vectors are generic over the vector type and `#[inline(always)]`, so that they end up in the kernel that uses them.
//! Their results are those of `rlx-math` on scalars, bit for bit, with a multiply-add that rounds twice on
//! [`Isa::Baseline`](crate::isa::Isa::Baseline) and once elsewhere. [`rlx_math`] states their errors. [`Function`] applies them to slices.

mod lanes;
mod slices;
#[cfg(test)]
mod tests;

pub use slices::{Function, LengthMismatch};

use crate::simd::{F32Vector, Scalar, Vector};
use lanes::Lanes;

macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        pub fn $name<V: F32Vector>(x: V) -> V {
            rlx_math::$name(Lanes(x)).0
        }
    )*};
}

functions! {
    /// eˣ.
    exp;
    /// eˣ − 1, accurate near 0.
    expm1;
    /// The natural logarithm: −∞ for ±0, NaN for negative numbers.
    log;
    /// log(1 + x), accurate near 0: −∞ for −1, NaN below.
    log1p;
    /// The hyperbolic tangent.
    tanh;
    /// 1/(1 + e⁻ˣ).
    sigmoid;
    /// x/(1 + e⁻ˣ); NaN for −∞, as x·sigmoid(x) is.
    silu;
    /// The error function.
    erf;
    /// 1 − erf(x), accurate where the result is small.
    erfc;
    /// x·Φ(x), where Φ is the distribution function of the normal distribution: x·(1 + erf(x/√2))/2. NaN for −∞.
    gelu;
    /// x·(1 + tanh(√(2/π)·(x + 0.044715·x³)))/2; NaN for −∞.
    gelu_tanh;
    /// The sine; NaN for ±∞.
    sin;
    /// The cosine; NaN for ±∞.
    cos;
}

/// The square root, correctly rounded; NaN below 0, −0 for −0.
#[inline(always)]
pub fn sqrt<V: Vector>(x: V) -> V {
    x.sqrt()
}

/// The inverse of the square root, rounded twice. ±∞ for ±0, NaN below 0.
#[inline(always)]
pub fn rsqrt<V: Vector>(x: V) -> V {
    x.lit(V::Elem::ONE) / x.sqrt()
}
