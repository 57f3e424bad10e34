//! Elementary functions of vectors of f32, for kernels of any instruction set. Each states its error against the exact
//! value; NaN gives NaN. Everything is `#[inline(always)]`, so that it lands in the kernel that uses it.

mod activation;
mod error_function;
mod exponential;
#[cfg(test)]
mod tests;

pub use activation::{gelu, gelu_tanh, sigmoid, silu};
pub use error_function::erf;
pub use exponential::{exp, expm1, tanh};
