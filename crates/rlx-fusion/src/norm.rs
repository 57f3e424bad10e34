//! Fuses a residual sum into the normalization that reads it.

use crate::claims::Claims;
use crate::group::{Group, Groups, used_only_by};
use rlx_ir::{BinaryOp, FusionKind, Graph, Op};

/// Groups each `layer_norm` and `rms_norm` with the sum that it alone reads. Returns `None` if there is none.
pub fn fuse_norms(graph: &Graph, claims: &dyn Claims) -> Option<Graph> {
    if !claims.fuses(FusionKind::Norm) {
        return None;
    }
    let users = graph.users();
    let mut groups = Groups::new(graph, claims, FusionKind::Norm);
    for node in graph.nodes() {
        if !matches!(node.op(), Op::LayerNorm { .. } | Op::RmsNorm { .. }) {
            continue;
        }
        let sum = node.inputs()[0];
        let is_sum = matches!(graph.node(sum).op(), Op::Binary { op: BinaryOp::Add });
        if is_sum
            && used_only_by(&users, sum, &[node.id()])
            && let Some(group) = Group::new(graph, &users, vec![sum, node.id()])
        {
            groups.add(group);
        }
    }
    groups.extract()
}
