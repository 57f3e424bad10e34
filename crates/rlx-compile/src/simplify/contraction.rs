//! Brings contractions into their simplest form.

use rlx_ir::rewrite::Rewrite;
use rlx_ir::{Node, NodeId, Op};

/// An accumulation type that is the operands' own, as none: there is one way to say it.
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

/// A `dot_general` of transposed operands, as one of the operands themselves: its dimension numbers say where the axes
/// are. The free axes keep their order in the result, so a transposition that exchanges them stays.
pub(super) fn absorb_transposes(rw: &mut Rewrite<'_>, node: &Node, inputs: &[NodeId]) -> Option<NodeId> {
    let (Op::DotGeneral { .. }, &[lhs, rhs]) = (node.op(), inputs) else { return None };
    if ![lhs, rhs].iter().any(|&id| matches!(rw.op(id), Op::Transpose { .. })) {
        return None;
    }
    let mut op = node.op().clone();
    let Op::DotGeneral { lhs_batch, rhs_batch, lhs_contract, rhs_contract, .. } = &mut op else {
        return None;
    };
    let absorbed = [absorb(rw, lhs, lhs_batch, lhs_contract), absorb(rw, rhs, rhs_batch, rhs_contract)];
    if absorbed == [None, None] {
        return None;
    }
    rw.add(op, &[absorbed[0].unwrap_or(lhs), absorbed[1].unwrap_or(rhs)]).ok()
}

/// The operand of the transposition `id`, with the axes named for it.
fn absorb(rw: &Rewrite<'_>, id: NodeId, batch: &mut [usize], contract: &mut [usize]) -> Option<NodeId> {
    let Op::Transpose { perm } = rw.op(id) else { return None };
    let free = (0..perm.len()).filter(|axis| !batch.contains(axis) && !contract.contains(axis));
    if !free.map(|axis| perm[axis]).is_sorted() {
        return None;
    }
    batch.iter_mut().chain(contract).for_each(|axis| *axis = perm[*axis]);
    rw.node(id).inputs().first().copied()
}
