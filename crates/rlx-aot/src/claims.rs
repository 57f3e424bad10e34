//! What stays as it is: every primitive that the kernel language has, and control flow.

use rlx_codegen::lower::{lowers, single};
use rlx_compile::{Claims, is_control};
use rlx_ir::{Access, DType, FusionKind, Graph, Op, OpClass, Shape};

/// What kernels and Rust around them say.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KernelClaims;

impl Claims for KernelClaims {
    fn native(&self, op: &Op, operands: &[Shape], results: &[Shape]) -> bool {
        let stays = || is_control(op) || matches!(op, Op::Constant { .. });
        op.kind().class() == OpClass::Primitive && (stays() || lowers(&single(op, operands, results)))
    }

    fn static_sizes(&self, _: &Op, _: &[Shape], _: &[Shape]) -> bool {
        true
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
