//! Elementary functions of `f32` vectors, and of `f64` one element at a time.
//!
//! The functions of vectors are generic over the vector type and `#[inline(always)]`, so that they end up in the kernel that uses them. NaN
//! gives NaN; −0, infinities and subnormals are handled as IEEE 754 functions do. [`Function`] applies them to slices.
//!
//! Largest errors over all of `f32`, in units of the last place of the exact result (below the normal numbers, in units of the smallest
//! number). `examples/vector_errors.rs` measures them.
//!
//! | function | error |
//! |---|---|
//! | [`exp`] | 1.1 |
//! | [`expm1`] | 1.5 |
//! | [`log`] | 0.9 |
//! | [`log1p`] | 1.5 |
//! | [`tanh`] | 2.5 |
//! | [`sigmoid`] | 2.3 |
//! | [`silu`] | 3.3 |
//! | [`erf`] | 1.3 |
//! | [`erfc`] | 5.5; 6.5 on the baseline, which rounds a multiply-add twice |
//! | [`gelu`] | 5.8; 6.5 on the baseline |
//! | [`gelu_tanh`] | 3.3 above 0; below, 3.3 + 2.5·t, where e⁻ᵗ is the factor that makes the result small and whose argument is rounded |
//! | [`sin`], [`cos`] | 1.6 |
//! | [`sqrt`] | 0.5 |
//! | [`rsqrt`] | 1.5 |

mod error_function;
mod exponential;
mod gaussian;
mod logarithm;
mod logistic;
mod polynomial;
mod slices;
#[cfg(test)]
mod tests;
mod trigonometric;

pub use error_function::{erf, erfc};
pub use exponential::{exp, expm1, tanh};
pub use gaussian::gelu;
pub use logarithm::{log, log1p};
pub use logistic::{gelu_tanh, sigmoid, silu};
pub use slices::{Function, LengthMismatch};
pub use trigonometric::{cos, sin};

use crate::simd::{Scalar, Vector};

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
