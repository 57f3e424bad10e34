//! What depends on parameters alone, computed when the crate is written: weights in another type or order, or parts of them.

use rlx_codegen::lower::single;
use rlx_compile::ParamValues;
use rlx_ir::rewrite::{Rewrite, remove_dead, rewrite};
use rlx_ir::{Graph, Literal, Node, NodeId, Op, Shape, eval};
use std::convert::Infallible;

/// The graph with such values as constants, and without the parameters that nothing else reads; `None` if there are none.
pub(crate) fn folded(graph: &Graph, params: &ParamValues) -> Option<Graph> {
    let simpler = rewrite(graph, |rw, node, inputs| {
        let value = value(rw, node, inputs, params);
        Ok::<_, Infallible>(value.map(|value| {
            let shape = value.shape().clone();
            vec![rw.graph().push(Op::Constant { value }, Vec::new(), vec![shape])]
        }))
    });
    simpler.ok().flatten().map(|simpler| remove_dead(&simpler))
}

/// The value of a node whose operands are all known, where it takes no more bytes than they do: a broadcast is better left to the kernels.
fn value(rw: &Rewrite<'_>, node: &Node, inputs: &[NodeId], params: &ParamValues) -> Option<Literal> {
    if inputs.is_empty() || node.op().is_control() || node.is_tuple() {
        return None;
    }
    let known = |&id: &NodeId| matches!(rw.op(id), Op::Constant { .. } | Op::Param { .. });
    let shapes: Vec<Shape> = inputs.iter().map(|&id| rw.shape(id).clone()).collect();
    let bytes = shapes.iter().filter_map(|shape| shape.num_bytes()).sum::<usize>();
    if !inputs.iter().all(known) || node.shape().num_bytes()? > bytes {
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
