//! Imports control flow: calls, branches, loops, tuples, tokens, and functions over elements (`map`).

use super::attributes::Fields;
use super::context::{ImportContext, Outcome, Problem, Rule, Val, many, one};
use super::region::{Captured, Inputs};
use super::restored::called;
use super::scope::{flatten, rebuild};
use crate::composite::{self, Composite};
use crate::syntax::{Block, Operation, ValueId};
use rlx_ir::{DType, Graph, NodeId, Op, Shape, SubGraph, WindowSpec};

/// Returns the rule that imports the operation `name`, if it belongs to this family.
pub(super) fn find(name: &str) -> Option<Rule> {
    Some(match name {
        "func.call" => call,
        "stablehlo.composite" => composite,
        "stablehlo.while" => while_loop,
        "stablehlo.if" => conditional,
        "stablehlo.case" => case,
        "stablehlo.map" => map,
        "stablehlo.optimization_barrier" => barrier,
        "stablehlo.tuple" => |cx| Ok(vec![Val::Tuple(cx.args.clone())]),
        "stablehlo.get_tuple_element" => element,
        "stablehlo.after_all" | "stablehlo.create_token" => |_| Ok(vec![Val::Token]),
        _ => return None,
    })
}

/// Imports the op that the call represents, or inlines the function if it represents none.
fn call(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let fields = cx.fields();
    if let Some(name) = fields.word(composite::CALL_NAME)? {
        let attributes = fields.word(composite::CALL_ATTRIBUTES)?;
        if let Some(op) = restored(name, attributes, fields.int(composite::CALL_VERSION)?)? {
            return restore(cx, op);
        }
    }
    let callee = fields.need_word("callee")?;
    match called(cx, callee)? {
        Some(results) => Ok(results),
        None => cx.im.call(callee, &cx.args),
    }
}

/// Imports the op that the composite represents, or inlines its function if it is not one of RLX's.
fn composite(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let fields = cx.fields();
    let given = fields.fields("composite_attributes")?;
    let attributes = given.map_or(Ok(None), |given| given.word(composite::ATTRIBUTES))?;
    if let Some(op) = restored(fields.need_word("name")?, attributes, fields.int("version")?)? {
        return restore(cx, op);
    }
    cx.im.call(fields.need_word("decomposition")?, &cx.args)
}

fn restore(cx: &mut ImportContext<'_, '_>, op: Op) -> Outcome<Vec<Val>> {
    let args = cx.tensors()?;
    many(cx.add_all(op, &args)?)
}

/// Returns the op that RLX wrote under this name, if it is one and its version is known.
fn restored(name: &str, attributes: Option<&str>, version: Option<i64>) -> Outcome<Option<Op>> {
    let composite = Composite { name: name.into(), attributes: attributes.unwrap_or_default().into() };
    if version != Some(i64::from(composite::VERSION)) {
        return Ok(None);
    }
    let op = composite.op().transpose();
    op.map_err(|e| Problem::error(format!("the attributes of `{name}` do not describe an op: {e}")))
}

fn element(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let index = cx.fields().need_size("index")?;
    match cx.args.as_slice() {
        [Val::Tuple(items)] if index < items.len() => Ok(vec![items[index].clone()]),
        [Val::Tuple(items)] => {
            Err(Problem::error(format!("index {index} is out of range: the tuple has {} items", items.len())))
        }
        _ => Err(Problem::error("takes one tuple")),
    }
}

fn barrier(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let args = flatten(&cx.args);
    if args.is_empty() {
        return Ok(cx.args.clone());
    }
    let results = cx.add_all(Op::OptimizationBarrier {}, &args)?;
    Ok(rebuild(&cx.args, &mut results.into_iter()))
}

/// Returns, for each argument of a loop's body, whether the body returns it unchanged.
fn kept(body: &Block) -> Vec<bool> {
    let returned: &[ValueId] = body.operations.last().map_or(&[], |op: &Operation| &op.operands);
    body.arguments.iter().enumerate().map(|(i, id)| returned.get(i) == Some(id)).collect()
}

fn while_loop(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let (cond, body) = (cx.region(0)?, cx.region(1)?);
    let captured = cx.captured(&[cond, body]);
    let args = cx.args.clone();
    let mut init = flatten(&args);
    let carried = init.len();
    init.extend(captured.nodes());
    if carried == 0 {
        // A loop without carried values computes nothing.
        return Ok(args);
    }
    let same = kept(body);
    let cond = cx.body(cond, Inputs::Like(&args, same.clone()), &captured, false)?;
    let body = cx.body(body, Inputs::Like(&args, same), &captured, true)?;
    if body.results != carried {
        let given = body.results;
        return Err(Problem::error(format!("the body gives {given} value(s), the loop carries {carried}")));
    }
    let op = Op::While { cond: SubGraph::new(cond.graph), body: SubGraph::new(body.graph) };
    let results = cx.add_all(op, &init)?;
    Ok(rebuild(&args, &mut results.into_iter().take(carried)))
}

/// Returns the branches as graphs, and their operands.
fn branches(cx: &mut ImportContext<'_, '_>, count: usize) -> Outcome<(Vec<SubGraph>, Vec<NodeId>)> {
    let blocks: Vec<&Block> = (0..count).map(|i| cx.region(i)).collect::<Outcome<_>>()?;
    let same = same_operands(&blocks);
    let captured = if same.is_some() { Captured::default() } else { cx.captured(&blocks) };
    let value = |id: &ValueId| cx.frame.values.get(id).cloned().unwrap_or(Val::Void);
    let args: Option<Vec<Val>> = same.map(|operands| operands.iter().map(value).collect());
    let mut graphs = Vec::new();
    let mut failed = None;
    for block in blocks {
        let graph = match &args {
            Some(args) => {
                let callee = Fields(&block.operations[0].attributes).need_word("callee")?;
                cx.function(callee, args)
            }
            None => cx.body(block, Inputs::Like(&[], Vec::new()), &captured, false).map(|b| b.graph),
        };
        match graph {
            Ok(graph) => graphs.push(SubGraph::new(graph)),
            // The other branches are still read, so that all errors are reported at once.
            Err(problem) => failed = Some(problem),
        }
    }
    let args = args.map_or_else(|| captured.nodes(), |args| flatten(&args));
    failed.map_or(Ok((graphs, args)), Err)
}

/// Returns the operands of the branches, if each branch is one call of the same values in the same order.
fn same_operands<'m>(blocks: &[&'m Block]) -> Option<&'m [ValueId]> {
    let operands = |block: &&'m Block| match block.operations.as_slice() {
        [call, end] if &*call.name == "func.call" && call.results == end.operands => {
            call.attributes.get(composite::CALL_NAME).is_none().then_some(&*call.operands)
        }
        _ => None,
    };
    let first = operands(blocks.first()?)?;
    blocks.iter().all(|block| operands(block) == Some(first)).then_some(first)
}

fn conditional(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let [pred] = cx.operands()?;
    let (mut graphs, args) = branches(cx, 2)?;
    if cx.op.results.is_empty() {
        return Ok(Vec::new());
    }
    let (Some(else_branch), Some(then_branch)) = (graphs.pop(), graphs.pop()) else {
        return Err(Problem::error("takes two regions"));
    };
    let pred = cx.reshape(pred, &[])?;
    let args: Vec<NodeId> = std::iter::once(pred).chain(args).collect();
    many(cx.add_all(Op::If { then_branch, else_branch }, &args)?)
}

fn case(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let [index] = cx.operands()?;
    let (branches, args) = branches(cx, cx.op.regions.len())?;
    if cx.op.results.is_empty() {
        return Ok(Vec::new());
    }
    let args: Vec<NodeId> = std::iter::once(index).chain(args).collect();
    many(cx.add_all(Op::Case { branches }, &args)?)
}

/// Imports a function over elements. If its nodes are elementwise they are applied to whole tensors; otherwise it
/// becomes a reduction of windows of one element, in which the function sets the first accumulator.
fn map(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let xs = cx.tensors()?;
    let shapes: Vec<Shape> = xs.iter().map(|&x| cx.shape(x)).collect();
    let Some(first) = shapes.first() else { return Err(Problem::error("takes at least one tensor")) };
    if let Some(other) = shapes.iter().find(|s| !s.compatible(&first.with_dtype(s.dtype()))) {
        return Err(Problem::error(format!("the tensors must be of one size, got {first} and {other}")));
    }
    let scalars = shapes.iter().map(|s| Shape::scalar(s.dtype())).collect();
    let body = cx.scalar_body(0, scalars)?;
    if let Some(id) = lifted(cx, &body, &xs)? {
        return one(id);
    }
    by_windows(cx, &body, &xs)
}

/// Applies the nodes of a graph over scalars to whole tensors. Returns `None` if one of them is not elementwise.
fn lifted(cx: &mut ImportContext<'_, '_>, body: &Graph, xs: &[NodeId]) -> Outcome<Option<NodeId>> {
    let elementwise = |op: &Op| {
        matches!(
            op,
            Op::Input { .. }
                | Op::Constant { .. }
                | Op::Unary { .. }
                | Op::Binary { .. }
                | Op::Compare { .. }
                | Op::Select {}
                | Op::Clamp {}
                | Op::Betainc {}
                | Op::Convert { .. }
                | Op::ReducePrecision { .. }
        )
    };
    let scalar = |shape: &Shape| shape.is_scalar();
    if !body.nodes().iter().all(|n| elementwise(n.op()) && n.results().iter().all(scalar)) {
        return Ok(None);
    }
    let dims = cx.shape(xs[0]).dims().to_vec();
    let (mut map, mut next) = (Vec::with_capacity(body.nodes().len()), xs.iter());
    for node in body.nodes() {
        let inputs: Vec<NodeId> = node.inputs().iter().map(|i: &NodeId| map[i.index()]).collect();
        map.push(match node.op() {
            Op::Input { .. } => *next.next().ok_or_else(|| Problem::error("takes more tensors"))?,
            Op::Constant { value } => {
                let scalar = cx.literal(value.clone())?;
                cx.spread(scalar, &dims)?
            }
            op => cx.add(op.clone(), &inputs)?,
        });
    }
    Ok(body.outputs().first().map(|o| map[o.index()]))
}

fn by_windows(cx: &mut ImportContext<'_, '_>, body: &Graph, xs: &[NodeId]) -> Outcome<Vec<Val>> {
    let shape = cx.shape(xs[0]);
    let Some(dtype) = body.output_shapes().first().map(Shape::dtype) else {
        return Err(Problem::error("its region gives no value"));
    };
    let mut dtypes = vec![dtype];
    dtypes.extend(xs.iter().map(|&x| cx.dtype(x)));
    let mut graph = Graph::new("map");
    let accumulators: Vec<NodeId> =
        dtypes.iter().enumerate().map(|(i, &d)| graph.input(format!("a{i}"), Shape::scalar(d))).collect();
    let elements: Vec<NodeId> =
        dtypes.iter().enumerate().map(|(i, &d)| graph.input(format!("x{i}"), Shape::scalar(d))).collect();
    let mut outputs = graph.inline(body, &elements[1..]);
    outputs.extend(&accumulators[1..]);
    graph.set_outputs(outputs);
    let zeros: Vec<NodeId> = dtypes.iter().map(|&d| zero(cx, d)).collect::<Outcome<_>>()?;
    let mut args = vec![cx.spread(zeros[0], shape.dims())?];
    args.extend(xs);
    args.extend(zeros);
    let spec = WindowSpec::plain(&vec![1; shape.rank()]);
    let op = Op::ReduceWindowGraph { body: SubGraph::new(graph), spec };
    let results = cx.add_all(op, &args)?;
    one(results[0])
}

fn zero(cx: &mut ImportContext<'_, '_>, dtype: DType) -> Outcome<NodeId> {
    cx.integer(0, dtype)
}
