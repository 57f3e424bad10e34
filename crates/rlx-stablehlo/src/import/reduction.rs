//! Imports reductions along axes.

use super::bodies;
use super::context::{ImportContext, Outcome, Problem, Rule, Val, many, one};
use super::types::Declared;
use rlx_ir::{ArgOp, DType, Dim, Graph, NodeId, Op, ReduceOp, Shape, SubGraph};

/// Returns the rule that imports the operation `name`, if it belongs to this family.
pub(super) fn find(name: &str) -> Option<Rule> {
    (name == "stablehlo.reduce").then_some(reduce as Rule)
}

/// Returns the tensors and their initial values, in the element types that the region takes.
pub(super) fn tensors_and_inits(cx: &mut ImportContext<'_, '_>) -> Outcome<(Vec<NodeId>, Vec<NodeId>)> {
    let mut xs = cx.tensors()?;
    let count = xs.len() / 2;
    if xs.len() != 2 * count || count == 0 {
        let got = xs.len();
        return Err(Problem::error(format!("takes n tensors and n initial values, got {got} operands")));
    }
    let mut inits = xs.split_off(count);
    let block = cx.region(0)?;
    for (i, &id) in block.arguments.iter().take(count).enumerate() {
        let dtype = Declared::of(&cx.frame.function.value(id).ty)?.dtype;
        xs[i] = cx.convert(xs[i], dtype)?;
        inits[i] = cx.convert(inits[i], dtype)?;
        if cx.rank(inits[i]) != 0 {
            return Err(Problem::error(format!("initial value {i} is not a scalar")));
        }
    }
    Ok((xs, inits))
}

/// Returns the region as a graph on two elements of each tensor.
pub(super) fn body(cx: &mut ImportContext<'_, '_>, xs: &[NodeId]) -> Outcome<Graph> {
    let elements: Vec<Shape> = xs.iter().map(|&x| Shape::scalar(cx.dtype(x))).collect();
    cx.scalar_body(0, [elements.clone(), elements].concat())
}

fn reduce(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let (xs, inits) = tensors_and_inits(cx)?;
    let axes = cx.fields().axes("dimensions")?;
    let body = body(cx, &xs)?;
    if let ([x], [init]) = (xs.as_slice(), inits.as_slice())
        && let Some(kind) = bodies::reduction(&body, cx.dtype(*x))
    {
        let reduced = cx.add(Op::Reduce { kind, axes }, &[*x])?;
        return one(with_init(cx, reduced, *init, kind)?);
    }
    if let Some((op, axis)) = arg_reduction(cx, &body, &xs, &inits, &axes) {
        let dtype = cx.dtype(xs[1]);
        let kind = if op == ArgOp::Max { ReduceOp::Max } else { ReduceOp::Min };
        let value = cx.add(Op::Reduce { kind, axes }, &[xs[0]])?;
        let index = cx.add(Op::ArgReduce { op, axis, dtype }, &[xs[0]])?;
        return many(vec![value, index]);
    }
    let args = [xs, inits].concat();
    many(rounded_once(cx, &args, body, |body| Op::ReduceGraph { body: SubGraph::new(body), axes })?)
}

/// Adds an op that combines elements with a graph, and converts its results to the types of the operands. Narrow floats
/// are combined in f32 if the graph rounds, and the results are rounded once.
pub(super) fn rounded_once(
    cx: &mut ImportContext<'_, '_>,
    args: &[NodeId],
    body: Graph,
    op: impl FnOnce(Graph) -> Op,
) -> Outcome<Vec<NodeId>> {
    let Some(wide) = bodies::in_f32(&body) else { return cx.add_all(op(body), args) };
    let mut widened = Vec::with_capacity(args.len());
    for &arg in args {
        widened.push(if bodies::is_narrow(cx.dtype(arg)) { cx.convert(arg, DType::F32)? } else { arg });
    }
    let results = cx.add_all(op(wide), &widened)?;
    results.into_iter().zip(args).map(|(result, &arg)| cx.convert(result, cx.dtype(arg))).collect()
}

/// Continues a reduction that started from the identity as if it had started from `init`.
pub(super) fn with_init(
    cx: &mut ImportContext<'_, '_>,
    reduced: NodeId,
    init: NodeId,
    kind: ReduceOp,
) -> Outcome<NodeId> {
    if bodies::is_identity(&cx.im.scope.graph, init, kind) {
        return Ok(reduced);
    }
    let dims = cx.shape(reduced).dims().to_vec();
    let init = cx.spread(init, &dims)?;
    match kind.binary() {
        Some(op) => cx.binary(op, init, reduced),
        None => Ok(reduced),
    }
}

/// Returns the extreme and the axis that a reduction of values and their indices searches for.
fn arg_reduction(
    cx: &ImportContext<'_, '_>,
    body: &Graph,
    xs: &[NodeId],
    inits: &[NodeId],
    axes: &[usize],
) -> Option<(ArgOp, usize)> {
    let (&[x, indices], &[init, first], &[axis]) = (xs, inits, axes) else { return None };
    let op = bodies::arg_reduction(body)?;
    let graph = &cx.im.scope.graph;
    let kind = if op == ArgOp::Max { ReduceOp::Max } else { ReduceOp::Min };
    let starts = bodies::is_identity(graph, init, kind) && bodies::is_identity(graph, first, ReduceOp::Sum);
    let counts = counts_along(graph, indices, axis);
    let not_empty = !matches!(graph.shape(x).dims().get(axis)?, Dim::Static(0));
    (starts && counts && not_empty).then_some((op, axis))
}

/// Returns whether a value is 0, 1, 2, … along an axis.
fn counts_along(graph: &Graph, id: NodeId, axis: usize) -> bool {
    let node = graph.node(id);
    match node.op() {
        Op::Iota { axis: along, .. } => *along == axis,
        Op::BroadcastInDim { axes, .. } => {
            let from = axes.iter().position(|&a| a == axis);
            from.is_some_and(|from| counts_along(graph, node.inputs()[0], from))
        }
        _ => false,
    }
}
