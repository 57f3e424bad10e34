//! Plain f64 numerics for the reference evaluator: special functions, complex numbers, linear algebra,
//! Fourier transforms and counter-based random bits.
//!
//! This module defines those ops on numbers. It aims to be obviously correct and accurate to about 1e-14, not fast, and follows
//! `jax.lax` (and SciPy, NumPy) at the edges of each domain. It must not know graphs, shapes beyond plain extents, or dtypes: the
//! evaluator converts to f64 and back. Except where documented, nothing here panics or loops without a bound, whatever the
//! values, NaN and ∞ included; slices must have the documented lengths. Elementary functions come from `libm` instead of the
//! system, so that results are the same on every platform.

pub mod bessel;
pub mod complex;
mod dd;
pub mod erf;
pub mod fft;
pub mod gamma;
pub mod incomplete_beta;
pub mod incomplete_gamma;
pub mod linalg;
mod quadrature;
pub mod random;
pub mod scalar;
mod source;
pub mod zeta;

pub use bessel::{bessel_i0e, bessel_i1e};
pub use complex::Complex64;
pub use erf::{erf, erf_inv, erfc};
pub use gamma::{digamma, lgamma, polygamma};
pub use incomplete_beta::betainc;
pub use incomplete_gamma::{igamma, igammac};
pub use scalar::{logistic, nextafter, round_half_away, round_half_even, rsqrt, sign};
pub use source::{SOURCES, Source};
pub use zeta::zeta;

#[cfg(test)]
mod tests;
