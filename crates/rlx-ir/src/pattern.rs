//! Finds out whether a graph contains another one that ends at a given node: same ops, attributes and edges.

use crate::graph::Graph;
use crate::literal::Literal;
use crate::node::NodeId;
use crate::op::Op;
use crate::op::kinds::BinaryOp;

/// A match of a pattern.
pub struct Found {
    /// For each input of the pattern, the node that it matched.
    pub operands: Vec<NodeId>,
    /// The nodes that the other nodes of the pattern matched, except constants.
    pub members: Vec<NodeId>,
}

/// Matches `pattern`, a graph with one output, such that it ends at `root`. The operands of an op that `commutes` may be in
/// either order. A scalar constant that is repeated matches the constant of its copies.
pub fn find(graph: &Graph, pattern: &Graph, root: NodeId, commutes: fn(&Op) -> bool) -> Option<Found> {
    let &[output] = pattern.outputs() else { return None };
    let mut matcher = Matcher { graph, pattern, commutes, bound: vec![None; pattern.nodes().len()] };
    if !matcher.unify(output, root) {
        return None;
    }
    let mut found = Found { operands: Vec::new(), members: Vec::new() };
    for (node, bound) in pattern.nodes().iter().zip(matcher.bound) {
        match (node.op(), bound) {
            (Op::Input { .. }, bound) => found.operands.push(bound?),
            (Op::Constant { .. }, _) | (_, None) => {}
            (_, Some(id)) => found.members.push(id),
        }
    }
    Some(found)
}

struct Matcher<'g> {
    graph: &'g Graph,
    pattern: &'g Graph,
    commutes: fn(&Op) -> bool,
    /// For each node of the pattern, the node that it matched.
    bound: Vec<Option<NodeId>>,
}

impl Matcher<'_> {
    fn unify(&mut self, wanted: NodeId, id: NodeId) -> bool {
        if let Some(bound) = self.bound[wanted.index()] {
            return same(self.graph, bound, id);
        }
        let (pattern, graph) = (self.pattern, self.graph);
        let (want, have) = (pattern.node(wanted), graph.node(id));
        let fits = want.results() == have.results()
            && match (want.op(), have.op()) {
                (Op::Input { .. }, _) => true,
                (Op::Constant { value: a }, Op::Constant { value: b }) => a.bytes() == b.bytes(),
                (Op::BroadcastInDim { .. }, Op::Constant { value }) => copies(pattern, wanted, value),
                (a, b) => {
                    let commutes = (self.commutes)(a);
                    a == b && self.operands(want.inputs(), have.inputs(), commutes)
                }
            };
        if fits {
            self.bound[wanted.index()] = Some(id);
        }
        fits
    }

    fn operands(&mut self, wanted: &[NodeId], ids: &[NodeId], commutes: bool) -> bool {
        if wanted.len() != ids.len() {
            return false;
        }
        let before = self.bound.clone();
        if wanted.iter().zip(ids).all(|(&w, &i)| self.unify(w, i)) {
            return true;
        }
        self.bound = before;
        commutes && wanted.iter().zip(ids.iter().rev()).all(|(&w, &i)| self.unify(w, i))
    }
}

/// Whether two nodes have the same value: they are the same node, or the same constant, repetition or conversion of the same
/// value.
fn same(graph: &Graph, a: NodeId, b: NodeId) -> bool {
    let (x, y) = (graph.node(a), graph.node(b));
    let cheap = |op: &Op| {
        matches!(
            op,
            Op::Constant { .. } | Op::BroadcastInDim { .. } | Op::Reshape { .. } | Op::Convert { .. }
        )
    };
    a == b
        || cheap(x.op())
            && x.op() == y.op()
            && x.results() == y.results()
            && x.inputs().iter().zip(y.inputs()).all(|(&a, &b)| same(graph, a, b))
}

/// Whether `value` contains only copies of the scalar constant that a node repeats.
fn copies(graph: &Graph, repeated: NodeId, value: &Literal) -> bool {
    let scalar = graph.node(repeated).inputs().first().map(|&id| graph.node(id).op());
    let Some(Op::Constant { value: scalar }) = scalar else { return false };
    scalar.len() == 1 && value.bytes().chunks_exact(scalar.bytes().len()).all(|copy| copy == scalar.bytes())
}

/// Whether the operands may be exchanged without changing any bit of the result, except NaN payloads.
pub fn commutes(op: &Op) -> bool {
    let Op::Binary { op } = op else { return false };
    use BinaryOp::{Add, And, Max, Min, Mul, Or, Xor};
    matches!(op, Add | Mul | Max | Min | And | Or | Xor)
}
