//! What holds parts of a graph together.

use super::{Way, custom, movement};
use rlx_ir::OpKind;

/// Returns how an op of the family is handled.
pub(super) const fn way(kind: OpKind) -> Option<Way> {
    use OpKind::*;
    Some(match kind {
        OptimizationBarrier => Way::Kernel(movement::prepare),
        If | Case | While | Scan => Way::Walked,
        Custom => Way::Kernel(custom::prepare),
        Fusion => Way::Fused,
        _ => return None,
    })
}
