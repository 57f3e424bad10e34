//! Rewrites graphs in other element types: everything in a wider type, the nodes of a plan in a narrow one, or
//! only contractions.

use super::narrow::{Computed, Plan};
use super::{accumulator, convert, converted, is_typed};
use rlx_ir::rewrite::{Rewrite, rewrite};
use rlx_ir::{DType, Graph, Node, NodeId, Op, OpClass, OpError};
use std::collections::HashMap;

/// Makes every node that computes in f16 or bf16 compute in f32 instead.
pub(super) fn widened(graph: &Graph) -> Result<Option<Graph>, OpError> {
    let is_narrow = |id: NodeId| matches!(graph.shape(id).dtype(), DType::F16 | DType::BF16);
    let widens = |node: &Node| {
        let is_leaf = node.op().kind().class() == OpClass::Leaf;
        !is_leaf && !is_typed(node.op()) && node.inputs().iter().any(|&id| is_narrow(id))
    };
    let mut cast = |rw: &mut Rewrite<'_>, _: NodeId, new: NodeId, dtype: DType| converted(rw, new, dtype);
    retyped(graph, &widens, &is_narrow, DType::F32, &mut cast)
}

/// Makes the nodes that a plan selects compute in its narrow type.
pub(super) fn narrowed(plan: &Plan<'_>) -> Result<Option<Graph>, OpError> {
    let mut casts = Casts { plan, known: HashMap::new() };
    let narrows = |node: &Node| plan.computed(node.id()) == Computed::Narrow;
    let is_wide = |id: NodeId| plan.is_float(id);
    let mut cast = |rw: &mut Rewrite<'_>, old, new, dtype| casts.to(rw, old, new, dtype);
    retyped(plan.graph, &narrows, &is_wide, plan.to, &mut cast)
}

/// Returns an old node, given as a node of the new graph, converted to a type.
type Cast<'a> = dyn FnMut(&mut Rewrite<'_>, NodeId, NodeId, DType) -> NodeId + 'a;

/// Returns the graph in which the nodes that `changes` selects read operands of changing types in the type `to`. Inputs, parameters and
/// outputs keep their types.
fn retyped(
    graph: &Graph,
    changes: &dyn Fn(&Node) -> bool,
    is_changed: &dyn Fn(NodeId) -> bool,
    to: DType,
    cast: &mut Cast<'_>,
) -> Result<Option<Graph>, OpError> {
    let changed = rewrite(graph, |rw, node, inputs| {
        if matches!(node.op(), Op::Output { .. }) {
            return Ok::<_, OpError>(None);
        }
        let operands = inputs.iter().copied().zip(node.inputs().iter().copied());
        if changes(node) {
            let operands: Vec<NodeId> = operands
                .clone()
                .map(|(new, old)| if is_changed(old) { cast(rw, old, new, to) } else { new })
                .collect();
            if let Ok(id) = rw.add(node.op().clone(), &operands) {
                return Ok(Some(rw.graph().project(id)));
            }
        }
        // The operands are converted back to the types that the node was written for.
        let restored: Vec<NodeId> =
            operands.map(|(new, old)| cast(rw, old, new, graph.shape(old).dtype())).collect();
        if restored == inputs {
            return Ok(None);
        }
        let id = rw.copy(node, &restored);
        Ok(Some(rw.graph().project(id)))
    })?;
    let Some(mut changed) = changed else { return Ok(None) };
    let mut outputs = changed.outputs().to_vec();
    for (new, old) in outputs.iter_mut().zip(graph.outputs()) {
        let dtype = graph.shape(*old).dtype();
        if changed.shape(*new).dtype() != dtype {
            *new = convert(&mut changed, *new, dtype);
        }
    }
    changed.set_outputs(outputs);
    Ok(Some(changed))
}

/// Values in other types, each made once.
struct Casts<'p, 'g> {
    plan: &'p Plan<'g>,
    known: HashMap<(NodeId, DType), NodeId>,
}

impl Casts<'_, '_> {
    fn to(&mut self, rw: &mut Rewrite<'_>, old: NodeId, new: NodeId, dtype: DType) -> NodeId {
        if rw.shape(new).dtype() == dtype {
            return new;
        }
        if let Some(&known) = self.known.get(&(old, dtype)) {
            return known;
        }
        let graph = self.plan.graph;
        let node = graph.node(old);
        // Leaves are converted before they are moved.
        let moved = match (self.plan.computed(old), node.inputs()) {
            (Computed::Free, &[x]) if self.plan.is_float(x) => {
                let mapped = rw.mapped(x);
                let inner = self.to(rw, x, mapped, dtype);
                rw.add(node.op().clone(), &[inner]).ok()
            }
            _ => None,
        };
        let made = moved.unwrap_or_else(|| converted(rw, new, dtype));
        self.known.insert((old, dtype), made);
        made
    }
}

/// Makes f32 contractions read their operands in the narrow type of a plan, if it can represent them, and accumulate in f32.
pub(super) fn contractions(plan: &Plan<'_>) -> Result<Option<Graph>, OpError> {
    rewrite(plan.graph, |rw, node, inputs| {
        if node.shape().dtype() != DType::F32 {
            return Ok(None);
        }
        let mut op = node.op().clone();
        let Some(accumulator @ None) = accumulator(&mut op) else { return Ok(None) };
        if !plan.takes_narrow(node) {
            return Ok(None);
        }
        *accumulator = Some(DType::F32);
        // Sizes of groups are integers, and keep their type.
        let operands: Vec<NodeId> = inputs
            .iter()
            .map(|&i| match rw.shape(i).dtype() {
                DType::F32 => converted(rw, i, plan.to),
                _ => i,
            })
            .collect();
        Ok(Some(vec![rw.add(op, &operands)?]))
    })
}
