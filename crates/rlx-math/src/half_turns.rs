//! The sine of a part of a half turn.

use super::number::Number;
use super::polynomial::polynomial;

/// sin(πd)/d as a polynomial in d², for |d| ≤ ½, fitted with relative errors.
const SINE: [f32; 5] = [core::f32::consts::PI, -5.167_721, 2.550_269_8, -0.599_437_36, 0.079_835_765];

/// sin(πd) for |d| ≤ ½.
#[inline(always)]
pub(super) fn sine_of_half_turns<N: Number>(d: N) -> N {
    d * polynomial(d * d, SINE)
}

/// cos(πd) for |d| ≤ ½.
#[inline(always)]
pub(super) fn cosine_of_half_turns<N: Number>(d: N) -> N {
    sine_of_half_turns(d.lit(0.5) - d.abs())
}
