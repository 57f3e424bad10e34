//! The CPU backend of RLX: kernels for x86-64 and aarch64, chosen at run time.

mod attention;
mod backend;
mod cost;
pub mod custom;
mod exec;
pub mod gemm;
mod kernels;

pub use backend::{CpuBackend, CpuOptions};
pub use custom::{CpuKernel, register_cpu_kernel};
pub use exec::CpuExecutable;
#[doc(no_inline)]
pub use rlx_pool as pool;
#[doc(no_inline)]
pub use rlx_simd::{isa, simd, vector};

use rlx_simd::norm;
