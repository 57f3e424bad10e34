//! The graph as it is written: the text of [`export()`](crate::export()) is this graph, node for node.
//!
//! Importing that text gives this graph again, with functions restored (HLO-1).

use super::ExportError;
use rlx_ir::rewrite::{remove_dead, rewrite};
use rlx_ir::{
    Activation, DType, Graph, Literal, Node, NodeId, NodeIds, Op, OpClass, OpError, Shape, SubGraph,
};
use std::collections::HashMap;

/// Returns the graph as [`export()`](crate::export()) writes it. [`import()`](crate::import()) reads it back, and
/// restores functions from their lowered form ([`restored`](crate::restored)):
///
/// - Composites are replaced by their decompositions, also in sub-graphs, except for those with a derivative that
///   differs from that of the decomposition. Nodes that no output needs are left out.
/// - Inputs and parameters come first, in their order. Each result that is used is projected once, directly after its node.
/// - Nodes that return their operand unchanged are left out: conversions to the same element type, and reshapes and
///   broadcasts to the same dimensions.
/// - The size of a static dimension is a constant. A total order is stated only for floats, and the element type of a
///   product only if it differs from that of the operands.
///
/// # Errors
///
/// Fails if composites do not decompose, and lists every reason.
pub fn exported_form(graph: &Graph) -> Result<Graph, ExportError> {
    let mut problems = Vec::new();
    let graph = form(graph, &mut problems);
    if problems.is_empty() { Ok(graph) } else { Err(ExportError(problems)) }
}

/// Does the same, but adds errors to a list.
pub(super) fn form(graph: &Graph, problems: &mut Vec<String>) -> Graph {
    let rewritten = rewrite::<std::convert::Infallible>(graph, |rw, node, inputs| {
        let result = replaced(rw.graph(), node, inputs, problems);
        Ok(result.unwrap_or_else(|error| {
            let at = node.at_label();
            problems.push(format!("`{}`{at}: {error}", node.op().mnemonic()));
            None
        }))
    });
    let rewritten = match rewritten {
        Ok(graph) => graph,
        Err(never) => match never {},
    };
    ordered(&remove_dead(rewritten.as_ref().unwrap_or(graph)))
}

/// Returns what replaces a node on its new operands, or `None` if the node stays.
fn replaced(
    new: &mut Graph,
    node: &Node,
    inputs: &[NodeId],
    problems: &mut Vec<String>,
) -> Result<Option<Vec<NodeId>>, OpError> {
    let shape_of = |graph: &Graph, i: usize| inputs.get(i).map(|&id| graph.shape(id).clone());
    match node.op() {
        Op::Input { .. } | Op::Param { .. } => return Ok(None),
        // The projection of a single result.
        Op::Output { .. } => {
            let single = inputs.first().filter(|&&id| !new.node(id).is_tuple());
            return Ok(single.map(|&id| vec![id]));
        }
        Op::DimSize { axis } => {
            let size = shape_of(new, 0).and_then(|s| s.dims().get(*axis)?.as_static());
            return Ok(size.map(|n| vec![new.constant(Literal::scalar(n as i64))]));
        }
        // A size is an i32 in StableHLO. Converting that back to i64 gives the size as RLX represents it.
        Op::Convert { dtype: DType::I64 } if size_as_i32(new, inputs).is_some() => {
            return Ok(size_as_i32(new, inputs).map(|size| vec![size]));
        }
        // Conversions that change nothing.
        Op::Convert { dtype } | Op::BitcastConvert { dtype } => {
            return Ok(unchanged(new, inputs, |x| x.dtype() == *dtype));
        }
        Op::Reshape { dims } => return Ok(unchanged(new, inputs, |x| x.dims() == dims)),
        Op::BroadcastInDim { dims, axes } => {
            return Ok(unchanged(new, inputs, |x| {
                x.dims() == dims && axes.iter().copied().eq(0..dims.len())
            }));
        }
        Op::DotGeneral { dtype: Some(dtype), .. } | Op::Convolution { dtype: Some(dtype), .. }
            if shape_of(new, 0).is_some_and(|s| s.dtype() == *dtype) =>
        {
            let mut op = node.op().clone();
            if let Op::DotGeneral { dtype, .. } | Op::Convolution { dtype, .. } = &mut op {
                *dtype = None;
            }
            return Ok(Some(vec![new.push(op, inputs.to_vec(), node.results().to_vec())]));
        }
        Op::Compare { op, total_order: true } if !shape_of(new, 0).is_some_and(|s| s.dtype().is_float()) => {
            let op = Op::Compare { op: *op, total_order: false };
            return Ok(Some(vec![new.push(op, inputs.to_vec(), node.results().to_vec())]));
        }
        _ => {}
    }
    if has_own_derivative(node.op()) {
        let mut op = node.op().clone();
        op.for_each_graph_mut(&mut |body| *body = SubGraph::new(form(body, problems)));
        let id = new.push(op, inputs.to_vec(), node.results().to_vec());
        return Ok(Some(new.project(id)));
    }
    if node.op().kind().class() == OpClass::Composite {
        let shapes: Vec<Shape> = inputs.iter().map(|&id| new.shape(id).clone()).collect();
        let body = form(&node.op().decompose(&shapes)?, problems);
        return Ok(Some(new.inline(&body, inputs)));
    }
    let mut has_bodies = false;
    node.op().for_each_graph(&mut |_| has_bodies = true);
    if !has_bodies {
        return Ok(None);
    }
    let mut op = node.op().clone();
    op.for_each_graph_mut(&mut |body| *body = SubGraph::new(form(body, problems)));
    let id = new.push(op, inputs.to_vec(), node.results().to_vec());
    Ok(Some(new.project(id)))
}

/// Returns whether the derivative of a composite differs from that of its decomposition, so that the composite itself must be read back.
pub(super) fn has_own_derivative(op: &Op) -> bool {
    use Activation::{Relu, Relu6, Round};
    matches!(op, Op::StopGradient {} | Op::CustomFn { .. } | Op::Activation { kind: Relu | Relu6 | Round })
}

/// Returns the dimension size that the operand converts to i32.
fn size_as_i32(graph: &Graph, inputs: &[NodeId]) -> Option<NodeId> {
    let &[x] = inputs else { return None };
    let &[size] = graph.node(x).inputs() else { return None };
    let narrowed = matches!(graph.node(x).op(), Op::Convert { dtype: DType::I32 });
    (narrowed && matches!(graph.node(size).op(), Op::DimSize { .. })).then_some(size)
}

/// Returns the operand if the node does not change it.
fn unchanged(graph: &Graph, inputs: &[NodeId], is_same: impl FnOnce(&Shape) -> bool) -> Option<Vec<NodeId>> {
    let &[x] = inputs else { return None };
    is_same(graph.shape(x)).then(|| vec![x])
}

/// Returns the graph with its leaves first. Each used result is projected once after its node, in the order of the results.
fn ordered(graph: &Graph) -> Graph {
    let mut new = Graph::new(graph.name());
    let mut map: Vec<NodeId> = vec![NodeId::new(0); graph.nodes().len()];
    let leaf = |node: &&Node| matches!(node.op(), Op::Input { .. } | Op::Param { .. });
    for node in graph.nodes().iter().filter(leaf) {
        map[node.id().index()] = new.push_copy(node, NodeIds::default());
    }
    let mut used: HashMap<NodeId, Vec<(usize, &Node)>> = HashMap::new();
    for node in graph.nodes() {
        if let (Op::Output { index }, [source]) = (node.op(), node.inputs()) {
            used.entry(*source).or_default().push((*index, node));
        }
    }
    for node in graph.nodes().iter().filter(|n| !leaf(n) && !matches!(n.op(), Op::Output { .. })) {
        let inputs = node.inputs().iter().map(|i| map[i.index()]).collect();
        let id = new.push_copy(node, inputs);
        map[node.id().index()] = id;
        let mut results = used.remove(&node.id()).unwrap_or_default();
        results.sort_by_key(|(index, _)| *index);
        let mut last = None;
        for (index, projection) in results {
            let place = match last {
                Some((of, place)) if of == index => place,
                _ => push_projection(&mut new, node, id, index),
            };
            map[projection.id().index()] = place;
            last = Some((index, place));
        }
    }
    new.set_label("");
    new.set_outputs(graph.outputs().iter().map(|o| map[o.index()]).collect());
    new
}

/// Projects a result, with the label of its node.
fn push_projection(new: &mut Graph, node: &Node, id: NodeId, index: usize) -> NodeId {
    let shape = node.results().get(index).cloned().unwrap_or(Shape::scalar(DType::F32));
    new.set_label(node.label_arc().clone());
    new.push(Op::Output { index }, vec![id], vec![shape])
}

#[cfg(test)]
mod tests {
    use super::*;
    use rlx_ir::{Builder, Dim};

    #[test]
    fn composites_are_decomposed_and_leaves_come_first() {
        let b = Builder::new("g");
        let x = b.input("x", Shape::new(&[2, 3], DType::F32));
        let y = x.softmax(1);
        let unused = y.exp();
        let w = b.param("w", Shape::new(&[2, 3], DType::F32));
        let graph = b.finish(&[&(&y * &w), &unused]).expect("a valid graph");
        let mut only_first = graph.clone();
        only_first.set_outputs(graph.outputs()[..1].to_vec());
        let form = exported_form(&only_first).expect("softmax decomposes");
        assert!(form.nodes().iter().all(|n| n.op().kind().class() != OpClass::Composite));
        assert!(matches!(form.nodes()[1].op(), Op::Param { .. }));
        assert_eq!(form.outputs().len(), 1);
        assert_eq!(exported_form(&form), Ok(form.clone()), "the form is its own form");
    }

    #[test]
    fn results_are_projected_once_and_static_sizes_are_constants() {
        let mut graph = Graph::new("g");
        let x = graph.input("x", Shape::from_dims(&[Dim::from("n"), 4.into()], DType::F32));
        let top = graph.try_add(Op::TopK { k: 2 }, vec![x]).expect("k fits");
        let mut project =
            |index| graph.try_add(Op::Output { index }, vec![top]).expect("top_k has two results");
        let (second, again, first) = (project(1), project(1), project(0));
        let size = graph.try_add(Op::DimSize { axis: 1 }, vec![x]).expect("x has two axes");
        graph.set_outputs(vec![second, again, first, size]);
        let form = exported_form(&graph).expect("primitives stay");
        let kinds: Vec<&str> = form.nodes().iter().map(|n| n.op().mnemonic()).collect();
        assert_eq!(kinds, ["input", "top_k", "output", "output", "constant"]);
        assert_eq!(form.outputs()[0], form.outputs()[1]);
    }
}
