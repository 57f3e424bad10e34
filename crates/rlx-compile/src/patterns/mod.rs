//! Pattern recognition: replaces primitives that are, node for node, the decomposition of a composite that the
//! backend claims. The replacement is equivalent by definition, because the pattern is the op's own
//! decomposition.
//!
//! Programs from other systems consist of primitives. This pass lets them run with the kernels of composites.

mod candidates;

use crate::dispatch::{Decision, DispatchEntry};
use crate::legalize::legalize;
use crate::options::CompileOptions;
use crate::simplify::simplify;
use candidates::{Above, Candidate};
use rlx_fusion::{Claim, Claims, needs_static_sizes};
use rlx_ir::op::Key;
use rlx_ir::pattern::{self, commutes};
use rlx_ir::rewrite::rewrite;
use rlx_ir::{Graph, Node, NodeId, Op, OpClass, OpError, Shape};
use std::collections::HashMap;
use std::sync::Arc;

/// The replacements of nodes.
type Replacements = HashMap<NodeId, (Op, Vec<NodeId>)>;

/// Replaces patterns in a simplified graph, and returns a report entry for each. Returns `None` if there are none.
pub fn recognize_patterns(
    graph: &Graph,
    claims: &dyn Claims,
    options: &CompileOptions,
) -> Option<(Graph, Vec<DispatchEntry>)> {
    let mut search = Search { claims, options, patterns: HashMap::new() };
    let mut entries = Vec::new();
    let mut found = None;
    // Attention contains a softmax, which is recognized before it.
    for propose in [candidates::of_rows, candidates::of_attention] {
        let current = found.as_ref().unwrap_or(graph);
        let replacements = search.replacements(current, propose);
        if replacements.is_empty() {
            continue;
        }
        let mut ids: Vec<&NodeId> = replacements.keys().collect();
        ids.sort_unstable();
        entries.extend(ids.into_iter().map(|id| entry(current, claims, *id, &replacements[id])));
        found = Some(replaced(current, &replacements)?);
    }
    found.map(|graph| (graph, entries))
}

fn entry(
    graph: &Graph,
    claims: &dyn Claims,
    id: NodeId,
    (op, operands): &(Op, Vec<NodeId>),
) -> DispatchEntry {
    let operands: Vec<Shape> = operands.iter().map(|&o| graph.shape(o).clone()).collect();
    DispatchEntry {
        kind: op.kind(),
        op: op.mnemonic(),
        label: graph.node(id).label_arc().clone(),
        decision: Decision::Rewritten,
        depth: 0,
        static_sizes: needs_static_sizes(claims, op, &operands, graph.node(id).results()),
        operands,
        why: None,
    }
}

fn replaced(graph: &Graph, replacements: &Replacements) -> Option<Graph> {
    let result: Result<_, OpError> = rewrite(graph, |rw, node, _| {
        let Some((op, operands)) = replacements.get(&node.id()) else { return Ok(None) };
        let operands: Vec<NodeId> = operands.iter().map(|&o| rw.mapped(o)).collect();
        Ok(Some(vec![rw.add(op.clone(), &operands)?]))
    });
    // A composite whose decomposition was found accepts these operands.
    let mut replaced = result.ok().flatten()?;
    replaced.remove_dead();
    Some(replaced)
}

/// Whether a node is cheap enough to be computed again for its other readers.
fn is_free(node: &Node) -> bool {
    matches!(node.op(), Op::BroadcastInDim { .. } | Op::Reshape { .. })
}

struct Search<'a> {
    claims: &'a dyn Claims,
    options: &'a CompileOptions,
    /// Decompositions of earlier candidates, by the candidates' keys.
    patterns: HashMap<Vec<u8>, Option<Arc<Graph>>>,
}

impl Search<'_> {
    fn replacements(
        &mut self,
        graph: &Graph,
        propose: fn(&Graph, &Above, NodeId) -> Vec<Candidate>,
    ) -> Replacements {
        let (users, above) = (graph.users(), Above::new(graph));
        let mut all = Replacements::new();
        for node in graph.nodes() {
            let root = node.id();
            for candidate in propose(graph, &above, root) {
                if !self.wants(&candidate, node.results()) {
                    continue;
                }
                let Some(pattern) = self.pattern(&candidate) else { continue };
                let Some(found) = pattern::find(graph, &pattern, root, commutes) else { continue };
                // If other nodes read an inner value, it must be computed anyway, and the composite would be extra work.
                let inside = |id: &NodeId| {
                    *id == root
                        || is_free(graph.node(*id))
                        || rlx_fusion::used_only_by(&users, *id, &found.members)
                };
                if found.members.iter().all(inside) {
                    // The end of one pattern may be inside a longer one.
                    found.members.iter().for_each(|member| drop(all.remove(member)));
                    all.insert(root, (candidate.op, found.operands));
                    break;
                }
            }
        }
        all
    }

    fn wants(&self, candidate: &Candidate, results: &[Shape]) -> bool {
        !self.options.decomposes(candidate.op.kind())
            && self.claims.runs(&candidate.op, &candidate.operands, results)
    }

    /// Returns the decomposition of a candidate, legalized and simplified in the same way as the graph.
    fn pattern(&mut self, candidate: &Candidate) -> Option<Arc<Graph>> {
        let mut key = Key::default();
        key.op(&candidate.op);
        candidate.operands.iter().for_each(|shape| key.shape(shape));
        if let Some(known) = self.patterns.get(key.bytes()) {
            return known.clone();
        }
        let body = candidate.op.decompose(&candidate.operands).ok();
        let primitives = Primitives { claims: self.claims, options: self.options };
        let body = body.and_then(|body| legalize(&body, "", &primitives, &CompileOptions::new()).ok());
        let body = body.map(|(body, _)| Arc::new(simplify(body)));
        self.patterns.insert(key.bytes().to_vec(), body.clone());
        body
    }
}

/// Claims the ops of a graph that is searched for patterns: primitives, and softmaxes that were found before.
struct Primitives<'a> {
    claims: &'a dyn Claims,
    options: &'a CompileOptions,
}

impl Claims for Primitives<'_> {
    fn claim(&self, op: &Op, operands: &[Shape], results: &[Shape]) -> Claim {
        let found_before = candidates::is_found_before(op) && !self.options.decomposes(op.kind());
        match op.kind().class() {
            OpClass::Composite if found_before => self.claims.claim(op, operands, results),
            OpClass::Composite => Claim::No(None),
            _ => Claim::Native,
        }
    }
}
