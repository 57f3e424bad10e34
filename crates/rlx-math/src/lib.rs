//! The elementary functions of f32, written once over the operations of a number.
//!
//! A function such as [`exp`] is generic over [`Number`]: a few operations of f32 and of its bits. Instances are scalars ([`Single`]), the
//! vectors of `rlx-simd`, and values of kernels in `rlx-codegen`. Printed programs contain the [`SOURCES`] of this crate. The result of a
//! function depends on its operand and on whether [`Number::mul_add`] rounds once or twice, not on the instance, so a program gives the
//! same bits wherever it runs. The exceptions are [`sin`] and [`cos`] of numbers that lack f64, which reduce their operand in another way.
//!
//! NaN gives NaN; −0, infinities and subnormals are handled as IEEE 754 functions do.
//!
//! Largest errors over all of `f32`, in units of the last place of the exact result (below the normal numbers, in units of the smallest
//! number). `rlx-simd/examples/vector_errors.rs` measures the upper ones; the lower ones are from goldens of mpmath
//! (`scripts/special_goldens.py`) and comparisons with f64.
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
//! | [`erfc`] | 5.5; 6.5 if a multiply-add rounds twice |
//! | [`gelu`] | 5.8; 6.5 if a multiply-add rounds twice |
//! | [`gelu_tanh`] | 3.3 above 0; below, 3.3 + 2.5·t, where e⁻ᵗ is the factor that makes the result small and whose argument is rounded |
//! | [`sin`], [`cos`] | 1.6 |
//! | [`rsqrt`] | 1.5 |
//! | [`erf_inv`] | 2.5 |
//! | [`lgamma`] | 3 above 0; 12 below, in units of the larger of the result and 1 |
//! | [`digamma`] | 3 above 0; 8 below, in units of the largest of the result, log(1 − x) and 1 |
//! | [`bessel_i0e`], [`bessel_i1e`] | 4 |
//!
//! This crate knows nothing of instruction sets, kernels or graphs.

mod bessel;
mod digamma;
mod error_function;
mod exponential;
mod fused;
mod gamma;
mod gaussian;
mod half_turns;
mod inverse_error;
mod logarithm;
mod logistic;
mod number;
mod polynomial;
mod root;
mod scalar;
mod separate;
mod source;
#[cfg(test)]
mod tests;
mod trigonometric;
mod turns;

pub use bessel::{bessel_i0e, bessel_i1e};
pub use digamma::digamma;
pub use error_function::{erf, erfc};
pub use exponential::{exp, expm1, tanh};
pub use fused::Fused;
pub use gamma::lgamma;
pub use gaussian::gelu;
pub use inverse_error::erf_inv;
pub use logarithm::{log, log1p};
pub use logistic::{gelu_tanh, sigmoid, silu};
pub use number::{Int, Mask, Number, square_error};
pub use root::rsqrt;
pub use scalar::{MultiplyAdd, Single};
pub use separate::Separate;
pub use source::{FUSED, SEPARATE, SOURCES, SourceText};
pub use trigonometric::{HALF_PI_HIGH, HALF_PI_LOW, LIMIT, cos, sin};
