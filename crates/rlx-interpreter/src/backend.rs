//! The claims and options of the interpreter.

use crate::executable::InterpreterExecutable;
use rlx_codegen::KernelClaims;
use rlx_compile::{Availability, Backend, BackendError, Claims, Executable, Lowered, Queue, Rates};
use rlx_driver::Device;
use std::sync::Arc;

/// The interpreter of the kernel language. An [`Interpreter`](rlx_codegen::Interpreter) among the
/// [blocks of options](rlx_compile::CompileOptions::backend) says how kernels are run.
#[derive(Clone, Copy, Debug, Default)]
pub struct InterpreterBackend;

/// Custom ops run by their meaning.
pub(crate) const CLAIMS: KernelClaims = KernelClaims { symbols: true, custom_ops: true };

impl Backend for InterpreterBackend {
    fn device(&self) -> Device {
        Device::Interpreter
    }

    fn availability(&self) -> Availability {
        Availability::Present("kernels, element by element, for tests".into())
    }

    fn claims(&self) -> &dyn Claims {
        &CLAIMS
    }

    fn prepare(&self, lowered: Lowered, _: &Arc<dyn Queue>) -> Result<Box<dyn Executable>, BackendError> {
        Ok(Box::new(InterpreterExecutable::new(lowered)))
    }

    fn rates(&self) -> Rates {
        // A million scalars in a second; nobody runs anything here because it is fast.
        Rates { flops: 1e6, bytes: 1e7, transfer: 1e9, run: 1e-4 }
    }
}
