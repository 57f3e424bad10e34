//! Rewrites contractions in their simplest form.

use rlx_ir::rewrite::Rewrite;
use rlx_ir::{Node, NodeId, Op};

/// Removes an accumulation type that is the operands' own type, so that there is one form for it.
pub(super) fn own_accumulator(rw: &mut Rewrite<'_>, node: &Node, inputs: &[NodeId]) -> Option<NodeId> {
    let (Op::DotGeneral { dtype, .. } | Op::Convolution { dtype, .. } | Op::RaggedDot { dtype }) = node.op()
    else {
        return None;
    };
    let wide = (*dtype)?;
    if inputs.iter().take(2).any(|&i| rw.node(i).shape().dtype() != wide) {
        return None;
    }
    let mut op = node.op().clone();
    if let Op::DotGeneral { dtype, .. } | Op::Convolution { dtype, .. } | Op::RaggedDot { dtype } = &mut op {
        *dtype = None;
    }
    rw.add(op, inputs).ok()
}

/// Replaces a `dot_general` of transposed operands with one of the original operands, by changing its dimension numbers. The free
/// axes must keep their order in the result, so a transposition that exchanges them stays.
pub(super) fn absorb_transposes(rw: &mut Rewrite<'_>, node: &Node, inputs: &[NodeId]) -> Option<NodeId> {
    let (Op::DotGeneral { dims, dtype }, &[lhs, rhs]) = (node.op(), inputs) else { return None };
    if ![lhs, rhs].iter().any(|&id| matches!(rw.op(id), Op::Transpose { .. })) {
        return None;
    }
    let mut dims = dims.clone();
    let absorbed = [
        absorb(rw, lhs, &mut dims.lhs_batch, &mut dims.lhs_contract),
        absorb(rw, rhs, &mut dims.rhs_batch, &mut dims.rhs_contract),
    ];
    if absorbed == [None, None] {
        return None;
    }
    let op = Op::DotGeneral { dims, dtype: *dtype };
    rw.add(op, &[absorbed[0].unwrap_or(lhs), absorbed[1].unwrap_or(rhs)]).ok()
}

/// Returns the operand of the transposition `id`, with the axes renumbered for it.
fn absorb(rw: &Rewrite<'_>, id: NodeId, batch: &mut [usize], contract: &mut [usize]) -> Option<NodeId> {
    let Op::Transpose { perm } = rw.op(id) else { return None };
    let free = (0..perm.len()).filter(|axis| !batch.contains(axis) && !contract.contains(axis));
    if !free.map(|axis| perm[axis]).is_sorted() {
        return None;
    }
    batch.iter_mut().chain(contract).for_each(|axis| *axis = perm[*axis]);
    rw.node(id).inputs().first().copied()
}
