//! Kernels that a program registers for its custom ops, which run beside CoreML.

use rlx_exec::custom::{HostKernel, register_host_kernel};
use rlx_ir::AlreadyRegistered;
use std::sync::Arc;

/// Runs a custom op, which ML Programs do not have, in host memory.
pub trait CoremlKernel: HostKernel {
    /// Returns the op's name, under which [`register_custom`](rlx_ir::register_custom) has its rules.
    fn name(&self) -> &str;
}

/// Registers a kernel of a custom op for segments on the host, for all programs that are compiled afterwards. It is also used on the device
/// `cpu`. Without a kernel, the host calls [`CustomOp::eval`](rlx_ir::CustomOp::eval).
///
/// # Errors
/// Returns [`AlreadyRegistered`] if the op has a kernel, which cannot be replaced.
pub fn register_coreml_kernel(kernel: Arc<dyn CoremlKernel>) -> Result<(), AlreadyRegistered> {
    register_host_kernel(kernel.name().to_string(), kernel)
}
