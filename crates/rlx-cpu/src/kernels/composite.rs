//! The composites that the CPU runs whole, because that is faster than their decompositions.

use super::{Way, attention, elementwise, norm, sample, softmax};
use rlx_ir::OpKind;

/// Returns how an op of the family is handled.
pub(super) const fn way(kind: OpKind) -> Option<Way> {
    use OpKind::*;
    Some(match kind {
        Activation => Way::Kernel(elementwise::prepare),
        LayerNorm | RmsNorm => Way::Claiming(norm::prepare, norm::claims),
        Softmax | LogSoftmax => Way::Claiming(softmax::prepare, softmax::claims),
        Sample => Way::Claiming(sample::prepare, sample::claims),
        Attention | AttentionBackward => Way::Claiming(attention::prepare, attention::claims),
        _ => return None,
    })
}
