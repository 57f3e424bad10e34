//! What a backend can run. Owns the questions that passes ask of a backend; knows no backend.

use rlx_ir::{DType, FusionKind, Op, OpClass, Shape};

/// A backend's answers about ops, dtypes and fused nodes.
pub trait Claims: Send + Sync {
    /// Whether the backend has a kernel for `op` on these operands. A claimed composite is kept whole.
    fn native(&self, op: &Op, operands: &[Shape], results: &[Shape]) -> bool;

    /// Whether the backend runs fused nodes of this kind.
    fn fuses(&self, _kind: FusionKind) -> bool {
        false
    }

    /// Whether `op` may stand inside an elementwise program on this element type.
    fn elementwise(&self, _op: &Op, _dtype: DType) -> bool {
        false
    }
}

/// Claims every primitive and no composite: what a backend has that only follows the meaning of the primitives.
#[derive(Clone, Copy, Debug, Default)]
pub struct ClaimsNone;

impl Claims for ClaimsNone {
    fn native(&self, op: &Op, _: &[Shape], _: &[Shape]) -> bool {
        op.kind().class() != OpClass::Composite
    }
}

/// Claims everything, fused nodes included: for tests of passes without a device.
#[derive(Clone, Copy, Debug, Default)]
pub struct ClaimsAll;

impl Claims for ClaimsAll {
    fn native(&self, _: &Op, _: &[Shape], _: &[Shape]) -> bool {
        true
    }

    fn fuses(&self, _: FusionKind) -> bool {
        true
    }

    fn elementwise(&self, op: &Op, _: DType) -> bool {
        crate::is_elementwise(op)
    }
}
