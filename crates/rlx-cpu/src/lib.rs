//! The CPU backend of RLX: kernels for x86-64 and aarch64, chosen at run time.

mod attention;
mod backend;
mod cost;
pub mod custom;
mod exec;
pub mod gemm;
pub mod isa;
mod kernels;
mod norm;
pub mod pool;
pub mod simd;
pub mod vector;

pub use backend::{CpuBackend, CpuOptions};
pub use custom::{CpuKernel, register_cpu_kernel};
pub use exec::CpuExecutable;
