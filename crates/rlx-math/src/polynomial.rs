//! Evaluates polynomials. The coefficients that this module's callers use are minimax fits (Remez exchange on the stated interval and
//! weight), rounded to `f32` so that the largest error stays small.
//!
//! `scripts/fit_polynomials.py` fits the coefficients and compares the tables of this folder with its fits.

use super::number::Number;

/// Evaluates the polynomial with these coefficients, lowest power first, with Horner's scheme.
#[inline(always)]
pub(super) fn polynomial<N: Number, const LENGTH: usize>(x: N, coefficients: [f32; LENGTH]) -> N {
    let mut sum = x.lit(coefficients[LENGTH - 1]);
    for index in (0..LENGTH - 1).rev() {
        sum = sum.mul_add(x, x.lit(coefficients[index]));
    }
    sum
}
