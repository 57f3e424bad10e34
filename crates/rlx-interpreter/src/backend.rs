//! The claims and options of the interpreter.

use crate::host::InterpretedProgram;
use rlx_codegen::KernelClaims;
use rlx_compile::{BackendError, Claims, Lowered, Rates};
use rlx_driver::Device;
use rlx_exec::{Availability, Backend, Executable, HostEngine, Instance, Queue};
use std::sync::Arc;

/// The interpreter of the kernel language. Options for running kernels are an [`Interpreter`](rlx_codegen::Interpreter) among the
/// [blocks of options](rlx_compile::CompileOptions::backend).
#[derive(Clone, Copy, Debug, Default)]
pub struct InterpreterBackend;

/// Custom ops run with the evaluator.
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

    fn prepare(&self, lowered: Lowered, queue: &Arc<dyn Queue>) -> Result<Box<dyn Executable>, BackendError> {
        let engine = HostEngine::new("the interpreter", |lowered, sizes| {
            Ok(Box::new(InterpretedProgram::new(lowered, sizes)?))
        });
        Ok(Box::new(Instance::new(engine, lowered, self.claims(), queue)?))
    }

    fn rates(&self) -> Rates {
        // A million scalars per second. Speed is not a reason to choose this backend.
        Rates { flops: 1e6, bytes: 1e7, transfer: 1e9, run: 1e-4 }
    }
}
