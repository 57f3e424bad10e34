//! Lowers elements of elementwise ops.

use super::{LowerError, Reader, random};
use crate::build::Writer;
use crate::kernel::ScalarId;
use rlx_ir::{Dim, Node, Op};

/// Applies the op to the elements of its operands at the same indices.
pub(super) fn elements(
    reader: &mut Reader<'_>,
    w: &mut Writer,
    node: &Node,
    at: &[Dim],
) -> Result<Vec<ScalarId>, LowerError> {
    let args = node.inputs().iter().map(|&id| reader.element(w, id, at));
    let args = args.collect::<Result<Vec<ScalarId>, LowerError>>()?;
    match (node.op(), &args[..]) {
        (Op::Threefry2x32 {}, &[k0, k1, x0, x1]) => Ok(random::threefry2x32(w, [k0, k1], [x0, x1]).to_vec()),
        (op, args) => Ok(vec![w.apply(op.clone(), args, node.shape().dtype())]),
    }
}
