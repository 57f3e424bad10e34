//! The claims of a target that runs programs only with kernels.

use crate::lower::{lowers, single};
use rlx_fusion::{Claim, Claims};
use rlx_ir::{Access, DType, FusionKind, Graph, Op, OpClass, Shape};

/// Claims primitives and groups that are lowered, constants, and control flow, which the program executes. Composites
/// are decomposed, so that fusion sees their primitives.
#[derive(Clone, Copy, Debug)]
pub struct KernelClaims {
    /// Whether kernels may have symbolic sizes. If so, ops whose expansion needs static sizes are claimed too, and are
    /// expanded once their sizes are known.
    pub symbols: bool,
    /// Whether the target runs custom ops.
    pub custom_ops: bool,
}

/// Returns whether an op only runs as kernels once its sizes are known.
fn waits_for_sizes(op: &Op, operands: &[Shape], results: &[Shape]) -> bool {
    !operands.iter().all(Shape::is_static)
        && matches!(rlx_expand::expand_graph(op, operands), Some(Err(_)))
        && !lowers(&single(op, operands, results))
}

impl Claims for KernelClaims {
    fn claim(&self, op: &Op, operands: &[Shape], results: &[Shape]) -> Claim {
        let runs = match op {
            Op::Constant { .. } => true,
            Op::Custom { .. } => self.custom_ops,
            op if op.is_control() => true,
            _ => {
                lowers(&single(op, operands, results))
                    || self.symbols && waits_for_sizes(op, operands, results)
            }
        };
        Claim::native(runs && op.kind().class() == OpClass::Primitive)
    }

    fn static_sizes(&self, op: &Op, operands: &[Shape], results: &[Shape]) -> bool {
        !self.symbols || waits_for_sizes(op, operands, results)
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
