//! Adds cases of the conformance table to random graphs, so that every op occurs with meaningful operands.

use super::state::{Facts, State};
use crate::bound::{Freedom, Known, Reference, keeps_exact};
use crate::case::{Bound, Case, Inputs, borrowed};
use crate::cases;
use rlx_ir::{Class, Graph, NodeId, OpKind, Shape};
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// Cases with larger operands are only run from the table.
const MOST_ELEMENTS: usize = 2048;

/// Returns the cases by op.
fn table() -> &'static Vec<Vec<Case>> {
    static TABLE: OnceLock<Vec<Vec<Case>>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut kinds: BTreeMap<OpKind, Vec<Case>> = BTreeMap::new();
        for case in cases::all() {
            kinds.entry(case.kind()).or_default().push(case);
        }
        kinds.into_values().collect()
    })
}

/// Adds one case. Each op is equally likely.
pub(super) fn add(s: &mut State) -> Option<()> {
    let kind = s.stream.pick(table());
    let case = s.stream.pick(kind);
    let (graph, inputs) = (case.graph(), case.inputs());
    let size: usize = inputs.iter().map(|(_, x)| x.len()).sum();
    if size > MOST_ELEMENTS {
        return None;
    }
    let known = |id: NodeId| known_of(case, &graph, id);
    let reference = Reference::with_known(&graph, &borrowed(&inputs), Freedom::Contract, &known).ok()?;
    let certain = is_certain(case, &graph);
    let facts: Vec<Option<Facts>> = reference
        .evaluated()
        .into_iter()
        .map(|result| {
            let rounded = matches!(result.dtype().class(), Class::Float | Class::Complex);
            // An integer that different rounding would change may have any value.
            let facts = Facts::of_elements(result).filter(|_| certain || rounded)?;
            Some(Facts { certain, raw: false, grid: facts.grid.filter(|_| certain), ..facts })
        })
        .collect();
    let leaves: Vec<NodeId> = Inputs::into_iter(inputs).map(|(_, literal)| s.add_data(literal)).collect();
    s.inline(&graph, &leaves, &known, &facts);
    Some(())
}

/// Returns what the case says about a node of its graph. The bound applies to the results; nodes before them count as exact.
fn known_of(case: &Case, graph: &Graph, id: NodeId) -> Known {
    match case.bound {
        Bound::Derived => Known::Nothing,
        Bound::Exact => Known::Exact,
        Bound::Norm(units) if is_result(graph, id) => Known::Norm(units),
        Bound::Norm(_) => Known::Exact,
    }
}

/// Returns whether an output of the graph is this node or a projection of it.
fn is_result(graph: &Graph, id: NodeId) -> bool {
    graph.outputs().contains(&id)
        || graph.outputs().iter().any(|&o| {
            let node = graph.node(o);
            matches!(node.op(), rlx_ir::Op::Output { .. }) && node.inputs().contains(&id)
        })
}

/// Returns whether every correct implementation gives the same bits.
fn is_certain(case: &Case, graph: &Graph) -> bool {
    let shapes: Vec<Shape> = graph.inputs().map(|n| n.shape().clone()).collect();
    let results = case.op.infer(&shapes).unwrap_or_default();
    match case.bound {
        Bound::Exact => true,
        Bound::Derived => keeps_exact(&case.op, &shapes, &results, Freedom::Contract, &[]),
        Bound::Norm(_) => false,
    }
}
