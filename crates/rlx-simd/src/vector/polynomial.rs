//! Evaluates polynomials. The coefficients of this module's users are minimax fits (Remez exchange on the
//! stated interval and weight), rounded to `f32` so that the largest error stays small.
//!
//! `scripts/fit_polynomials.py` fits the coefficients, and holds the tables of this folder against its fits.

use crate::simd::F32Vector;

/// The polynomial with these coefficients, of x⁰ first, by Horner's scheme.
#[inline(always)]
pub(super) fn polynomial<V: F32Vector, const N: usize>(x: V, coefficients: [f32; N]) -> V {
    let mut sum = x.lit(coefficients[N - 1]);
    for index in (0..N - 1).rev() {
        sum = sum.mul_add(x, x.lit(coefficients[index]));
    }
    sum
}
