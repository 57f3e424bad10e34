//! The CPU backend of RLX: kernels for x86-64 and aarch64, chosen at run time.

mod backend;
mod cost;
pub mod custom;
mod exec;
mod kernels;

pub use backend::{CpuBackend, CpuOptions};
pub use custom::{CpuKernel, register_cpu_kernel};
pub use exec::CpuExecutable;
#[doc(no_inline)]
pub use rlx_gemm as gemm;
#[doc(no_inline)]
pub use rlx_pool as pool;
#[doc(no_inline)]
pub use rlx_simd::{isa, simd, vector};

use rlx_attention as attention;
use rlx_simd::norm;
