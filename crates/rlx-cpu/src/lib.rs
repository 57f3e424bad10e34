//! The CPU backend of RLX: kernels for x86-64 and aarch64, chosen at run time.

mod backend;
mod cost;
mod exec;
pub mod gemm;
pub mod isa;
mod kernels;
pub mod pool;
pub mod simd;

pub use backend::CpuBackend;
pub use exec::CpuExecutable;
