//! Whether a graph holds another one that ends at a node: same ops, same attributes, same links.

use rlx_ir::{BinaryOp, Graph, NodeId, Op};

/// Where a pattern was found.
pub(super) struct Found {
    /// For each input of the pattern the node that stands for it.
    pub(super) operands: Vec<NodeId>,
    /// The nodes that stand for the others, constants left out.
    pub(super) members: Vec<NodeId>,
}

/// The place of `pattern`, a graph with one output, that ends at `root`.
pub(super) fn find(graph: &Graph, pattern: &Graph, root: NodeId) -> Option<Found> {
    let &[output] = pattern.outputs() else { return None };
    let mut matcher = Matcher { graph, pattern, bound: vec![None; pattern.nodes().len()] };
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
    /// For each node of the pattern the node that stands for it.
    bound: Vec<Option<NodeId>>,
}

impl Matcher<'_> {
    fn unify(&mut self, wanted: NodeId, id: NodeId) -> bool {
        if let Some(bound) = self.bound[wanted.index()] {
            return bound == id;
        }
        let (pattern, graph) = (self.pattern, self.graph);
        let (want, have) = (pattern.node(wanted), graph.node(id));
        let fits = want.results() == have.results()
            && match (want.op(), have.op()) {
                (Op::Input { .. }, _) => true,
                (Op::Constant { value: a }, Op::Constant { value: b }) => a.bytes() == b.bytes(),
                (a, b) => a == b && self.operands(want.inputs(), have.inputs(), commutes(a)),
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

/// Whether operands may be exchanged without a change of any bit but NaN payloads.
fn commutes(op: &Op) -> bool {
    let Op::Binary { op } = op else { return false };
    use BinaryOp::{Add, And, Max, Min, Mul, Or, Xor};
    matches!(op, Add | Mul | Max | Min | And | Or | Xor)
}
