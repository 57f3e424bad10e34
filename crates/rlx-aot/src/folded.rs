//! Computes values that depend only on parameters when the crate is written: weights in another type or order, or parts
//! of them.

use rlx_codegen::lower::single;
use rlx_compile::ParamValues;
use rlx_ir::rewrite::{Rewrite, remove_dead, rewrite};
use rlx_ir::{Graph, Literal, Node, NodeId, Op, OpClass, Shape, eval};
use std::convert::Infallible;

/// Returns the graph with such values as constants and without parameters that nothing else reads, or `None` if there are no such values.
pub(crate) fn folded(graph: &Graph, params: &ParamValues) -> Option<Graph> {
    let mut simpler: Option<Graph> = None;
    // The nodes of a group can be evaluated only after the group has been replaced by its members.
    while let Some(next) = step(simpler.as_ref().unwrap_or(graph), params) {
        simpler = Some(next);
    }
    simpler.map(|simpler| remove_dead(&simpler))
}

/// Evaluates further nodes and replaces groups that depend only on known values by their members. Returns `None` if nothing changed.
fn step(graph: &Graph, params: &ParamValues) -> Option<Graph> {
    let simpler = rewrite(graph, |rw, node, inputs| {
        // The only composites left at this point are groups.
        if node.op().kind().class() == OpClass::Composite && are_known(rw, inputs) {
            let shapes: Vec<Shape> = inputs.iter().map(|&id| rw.shape(id).clone()).collect();
            let members = node.op().decompose(&shapes).ok();
            return Ok::<_, Infallible>(members.map(|body| rw.graph().inline(&body, inputs)));
        }
        Ok(value(rw, node, inputs, params).map(|value| {
            let shape = value.shape().clone();
            vec![rw.graph().push(Op::Constant { value }, Vec::new(), vec![shape])]
        }))
    });
    simpler.ok().flatten()
}

/// Returns whether all values are constants or parameters.
fn are_known(rw: &Rewrite<'_>, values: &[NodeId]) -> bool {
    values.iter().all(|&id| matches!(rw.op(id), Op::Constant { .. } | Op::Param { .. }))
}

/// Returns the value of a node whose operands are all known, unless it takes more bytes than they do: a broadcast is
/// better left to the kernels.
fn value(rw: &Rewrite<'_>, node: &Node, inputs: &[NodeId], params: &ParamValues) -> Option<Literal> {
    if inputs.is_empty() || node.op().is_control() || node.is_tuple() {
        return None;
    }
    let shapes: Vec<Shape> = inputs.iter().map(|&id| rw.shape(id).clone()).collect();
    let bytes = shapes.iter().filter_map(|shape| shape.num_bytes()).sum::<usize>();
    if !are_known(rw, inputs) || node.shape().num_bytes()? > bytes {
        return None;
    }
    let operand = |(&id, shape): (&NodeId, &Shape)| match rw.op(id) {
        Op::Constant { value } => Some(value.clone()),
        Op::Param { name } => Literal::from_bytes(shape, params.get(name)?.bytes()).ok(),
        _ => None,
    };
    let operands = inputs.iter().zip(&shapes).map(operand).collect::<Option<Vec<Literal>>>()?;
    let alone = single(node.op(), &shapes, node.results());
    let named: Vec<(&str, &Literal)> = alone.inputs().filter_map(Node::name).zip(&operands).collect();
    eval(&alone, &named).ok()?.pop()
}
