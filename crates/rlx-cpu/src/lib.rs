//! The CPU backend of RLX: kernels for x86-64 and aarch64, chosen at run time.

pub mod isa;
pub mod pool;
pub mod simd;
