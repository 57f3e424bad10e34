//! Which nodes may be members of a group, and how they read their operands (FUSE-2).

use crate::claims::Claims;
use rlx_ir::{Access, Dim, Graph, Node, NodeId, Op, OpClass};

/// Programs with more nodes than this are split, because their values would not stay in registers and cache.
pub(crate) const MAX_MEMBERS: usize = 48;

/// Whether the op computes each element of its result from the elements at the same index.
pub fn is_elementwise(op: &Op) -> bool {
    op.kind().access() == Access::Elementwise
}

/// Whether the backend runs the node inside an elementwise program.
pub(crate) fn is_claimed(graph: &Graph, node: &Node, claims: &dyn Claims) -> bool {
    // A member of a program has a single value.
    is_elementwise(node.op())
        && !node.is_tuple()
        && claims.elementwise(node.op(), node.shape().dtype())
        && node.inputs().iter().all(|&i| claims.elementwise(node.op(), graph.shape(i).dtype()))
}

/// Whether recomputing the node in each program that reads it costs less than storing it.
pub fn is_free(node: &Node) -> bool {
    match node.op() {
        Op::BroadcastInDim { .. } => true,
        Op::Constant { value } => value.len() == 1,
        _ => false,
    }
}

/// Adds to `members` the free nodes that they read: broadcasts, and the scalar constants that those repeat.
pub(crate) fn add_free(graph: &Graph, members: &mut Vec<NodeId>) {
    let mut next = 0;
    while next < members.len() {
        for &input in graph.node(members[next]).inputs() {
            if is_free(graph.node(input)) && !members.contains(&input) {
                members.push(input);
            }
        }
        next += 1;
    }
}

/// Whether the node takes elements of an operand from elsewhere, and taking them again where they are read costs less than
/// storing them.
pub(crate) fn moves(graph: &Graph, node: &Node) -> bool {
    let kind = node.op().kind();
    let is_movement = matches!(kind.access(), Access::Movement | Access::Indexed)
        && kind.class() == OpClass::Primitive
        && kind.is_linear()
        && !node.is_tuple();
    is_movement
        && match node.op() {
            // Nothing may be moved across a barrier.
            Op::OptimizationBarrier {} => false,
            // It is written in place of its operand, of which few elements move.
            Op::DynamicUpdateSlice {} => false,
            Op::Reshape { .. } => splits_axes(graph, node),
            _ => true,
        }
}

/// Whether the node only splits axes: each axis of its operand corresponds to consecutive axes of its result.
pub(crate) fn splits_axes(graph: &Graph, node: &Node) -> bool {
    matches!(node.op(), Op::Reshape { .. })
        && splits(graph.shape(node.inputs()[0]).dims(), node.shape().dims())
}

/// Whether each axis of `from` corresponds to consecutive axes of `to`, so that its index is a sum of products. Otherwise each
/// element that is read needs a quotient or a remainder.
fn splits(from: &[Dim], to: &[Dim]) -> bool {
    let one = Dim::Static(1);
    let mut rest = to.iter().filter(|dim| **dim != one);
    from.iter().filter(|dim| **dim != one).all(|dim| {
        let mut run = one.clone();
        while run != *dim {
            let Some(next) = rest.next() else { return false };
            run = Dim::product([run, next.clone()]);
        }
        true
    }) && rest.next().is_none()
}

/// Whether the op reads each element of this operand at most once, so that the operand may be computed where it is read.
pub(crate) fn reads_once(op: &Op, operand: usize) -> bool {
    match op {
        Op::BroadcastInDim { .. } | Op::Gather { .. } => false,
        Op::Pad { .. } | Op::DynamicSlice { .. } => operand == 0,
        op => matches!(op.kind().access(), Access::Elementwise | Access::Movement),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_are_split_into_runs() {
        let n = Dim::from("n");
        let dims = |list: &[usize]| -> Vec<Dim> { list.iter().map(|&size| size.into()).collect() };
        assert!(splits(&dims(&[6, 4]), &dims(&[2, 3, 1, 4])));
        assert!(splits(&dims(&[1, 5]), &dims(&[5])));
        assert!(splits(&[n.clone(), 6.into()], &[n.clone(), 2.into(), 3.into()]));
        assert!(splits(&[Dim::product([n.clone(), 6.into()])], &[6.into(), n.clone()]));
        assert!(!splits(&dims(&[2, 3]), &dims(&[6])));
        assert!(!splits(&dims(&[4, 3]), &dims(&[2, 6])));
        assert!(!splits(&dims(&[6]), &dims(&[4, 3])));
        assert!(!splits(&dims(&[0, 3]), &dims(&[0])));
    }
}
