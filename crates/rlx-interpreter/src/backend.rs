//! What the interpreter claims, and its options.

use crate::executable::InterpreterExecutable;
use rlx_codegen::lower::{lowers, single};
use rlx_compile::{
    Availability, Backend, BackendError, Claims, Executable, Lowered, Queue, Rates, is_control,
};
use rlx_driver::Device;
use rlx_ir::{Access, DType, FusionKind, Graph, Op, OpClass, Shape};
use std::sync::Arc;

/// The interpreter of the kernel language. An [`Interpreter`](rlx_codegen::Interpreter) among the
/// [blocks of options](rlx_compile::CompileOptions::backend) says how kernels are run.
#[derive(Clone, Copy, Debug, Default)]
pub struct InterpreterBackend;

impl Claims for InterpreterBackend {
    fn native(&self, op: &Op, operands: &[Shape], results: &[Shape]) -> bool {
        // Composites are decomposed, so that each of their primitives is a group of its own.
        let of_program = is_control(op) || matches!(op, Op::Constant { .. } | Op::Custom { .. });
        let runs = || lowers(&single(op, operands, results)) || self.static_sizes(op, operands, results);
        op.kind().class() == OpClass::Primitive && (of_program || runs())
    }

    fn static_sizes(&self, op: &Op, operands: &[Shape], results: &[Shape]) -> bool {
        // Some expansions are written for known sizes alone.
        let is_static = operands.iter().all(Shape::is_static);
        !is_static
            && matches!(rlx_expand::expand_graph(op, operands), Some(Err(_)))
            && !lowers(&single(op, operands, results))
    }

    fn fuses(&self, _: FusionKind) -> bool {
        true
    }

    fn accepts(&self, _: FusionKind, body: &Graph) -> bool {
        lowers(body)
    }

    fn elementwise(&self, op: &Op, _: DType) -> bool {
        op.kind().access() == Access::Elementwise
    }
}

impl Backend for InterpreterBackend {
    fn device(&self) -> Device {
        Device::Interpreter
    }

    fn availability(&self) -> Availability {
        Availability::Present("kernels, element by element, for tests".into())
    }

    fn claims(&self) -> &dyn Claims {
        self
    }

    fn prepare(&self, lowered: Lowered, _: &Arc<dyn Queue>) -> Result<Box<dyn Executable>, BackendError> {
        Ok(Box::new(InterpreterExecutable::new(lowered)))
    }

    fn rates(&self) -> Rates {
        // A million scalars in a second; nobody runs anything here because it is fast.
        Rates { flops: 1e6, bytes: 1e7, transfer: 1e9, run: 1e-4 }
    }
}
