//! Kernels that a program registers for its own ops, for segments on the host.

use rlx_cpu::{CpuKernel, register_cpu_kernel};
use rlx_ir::AlreadyRegistered;
use std::sync::Arc;

/// How the host of the device `ane` runs a custom op that ML Programs do not have.
pub trait CoremlKernel: CpuKernel {
    /// The op's name, under which [`register_custom`](rlx_ir::register_custom) has its rules.
    fn name(&self) -> &str;
}

/// Gives a custom op a kernel for segments on the host, for all programs that are compiled from now on; it is the kernel of the CPU as
/// well. Without one the host calls [`CustomOp::eval`](rlx_ir::CustomOp::eval).
///
/// # Errors
/// [`AlreadyRegistered`] where the op has a kernel: a name keeps it.
pub fn register_coreml_kernel(kernel: Arc<dyn CoremlKernel>) -> Result<(), AlreadyRegistered> {
    register_cpu_kernel(kernel.name().to_string(), kernel)
}
