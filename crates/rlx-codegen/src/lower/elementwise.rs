//! Elements of elementwise ops.

use super::{LowerError, Reader};
use crate::build::Writer;
use crate::kernel::ScalarId;
use rlx_ir::{Dim, Node};

/// The op on its operands' elements at the same indices.
pub(super) fn element(
    reader: &mut Reader<'_>,
    w: &mut Writer,
    node: &Node,
    at: &[Dim],
) -> Result<ScalarId, LowerError> {
    let args = node.inputs().iter().map(|&id| reader.element(w, id, at));
    let args = args.collect::<Result<Vec<ScalarId>, LowerError>>()?;
    Ok(w.apply(node.op().clone(), &args, node.shape().dtype()))
}
