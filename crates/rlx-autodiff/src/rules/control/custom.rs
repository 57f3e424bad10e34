//! Rules of functions whose derivatives the program provides: graphs with rules, and custom ops.

use super::call;
use super::linear_call::{transposed, unknown};
use super::parts::{duals, primals, tangents};
use crate::batching::{Batched, Batching, batch_graph};
use crate::error::Error;
use crate::forward::{Dual, Forward, Mode};
use crate::options::Options;
use crate::trace;
use rlx_ir::{Graph, Op, OpError, ReduceOp, Shape, SubGraph, Tensor, find_custom};
use std::cell::RefCell;

/// The derivative rules that an op provides.
struct Given {
    /// (args…, results…, tangents of args…) to the tangents of results.
    jvp: Option<Graph>,
    /// (args…, results…, cotangents of results…) to the cotangents of args.
    vjp: Option<Graph>,
}

impl Given {
    fn of(op: &Op, operands: &[Shape]) -> Result<Given, Error> {
        let graph = |g: &Option<SubGraph>| g.as_ref().map(|g| (**g).clone());
        match op {
            Op::CustomFn { jvp, vjp, .. } => Ok(Given { jvp: graph(jvp), vjp: graph(vjp) }),
            Op::Custom { name, config, .. } => {
                let rules = find_custom(name);
                let ask = |rule: &dyn Fn(&dyn rlx_ir::CustomOp) -> Option<Result<Graph, OpError>>| {
                    rules.as_deref().and_then(rule).transpose()
                };
                let jvp = ask(&|r| r.jvp(config, operands))?;
                let vjp = ask(&|r| r.vjp(config, operands))?;
                if jvp.is_none() && vjp.is_none() {
                    let why = format!(
                        "the custom op `{name}` provides none; implement `CustomOp::jvp` or `CustomOp::vjp`"
                    );
                    return Err(Error::no_rule("derivative", why));
                }
                Ok(Given { jvp, vjp })
            }
            _ => Err(Error::no_rule("derivative of its own", "it provides none")),
        }
    }
}

/// How many rules of the program's ops may be in progress inside each other.
const MAX_NESTED_RULES: usize = 8;

thread_local! {
    /// The program's ops with rules that this thread is transposing, by name and configuration.
    static TRANSPOSING: RefCell<Vec<(String, String)>> = const { RefCell::new(Vec::new()) };
}

/// Ends a transposition when dropped, however it ends.
struct Transposing;

impl Drop for Transposing {
    fn drop(&mut self) {
        TRANSPOSING.with_borrow_mut(Vec::pop);
    }
}

/// Derives the rule of the other direction from the one that an op provides. This fails for a rule that uses its own op on
/// tangents or cotangents, because its derivation would need that same rule again.
fn other_rule(op: &Op, rule: &Graph, known: usize, options: &Options) -> Result<Graph, Error> {
    let Op::Custom { name, config, .. } = op else { return transposed(rule, known, options) };
    let of = (name.clone(), config.clone());
    let is_nested = |ops: &mut Vec<(String, String)>| {
        let is_nested = ops.len() >= MAX_NESTED_RULES || ops.contains(&of);
        ops.push(of);
        is_nested
    };
    let (is_nested, _end) = (TRANSPOSING.with_borrow_mut(is_nested), Transposing);
    if is_nested {
        let why = format!(
            "the rule of the custom op `{name}` uses that op on tangents or cotangents; implement both `CustomOp::jvp` and `CustomOp::vjp`"
        );
        return Err(Error::no_rule("transpose", why));
    }
    transposed(rule, known, options)
}

pub(super) fn jvp(cx: &Forward<'_>, op: &Op, operands: &[Dual]) -> Result<Vec<Dual>, Error> {
    if let Op::CustomFn { forward, jvp: None, vjp: None } = op {
        return call::jvp(cx, &Op::Call { body: forward.clone() }, operands);
    }
    let args = primals(operands);
    let shapes: Vec<Shape> = args.iter().map(Tensor::shape).collect();
    let Given { jvp, vjp } = Given::of(op, &shapes)?;
    let results = cx.apply(op, &args);
    let inexact = |xs: &[Tensor]| xs.iter().map(trace::is_inexact).collect::<Vec<bool>>();
    let known = args.len() + results.len();
    let values = [args.clone(), results.clone(), tangents(operands, &inexact(&args))].concat();
    let rule = match cx.mode {
        Mode::Forward => {
            let body = match (jvp, vjp) {
                (Some(jvp), _) => jvp,
                (None, Some(vjp)) => other_rule(op, &vjp, known, cx.options)?,
                (None, None) => return Err(Error::no_rule("derivative", "it provides none")),
            };
            Op::Call { body: SubGraph::new(body) }
        }
        Mode::Linearize => {
            let other = |rule: &Graph| {
                other_rule(op, rule, known, cx.options).or_else(|_| {
                    let known_shapes = values[..known].iter().map(Tensor::shape);
                    let inputs = known_shapes.chain(rule.output_shapes()).collect();
                    unknown(rule.name(), inputs, &rule.input_shapes()[known..])
                })
            };
            let (forward, transpose) = match (jvp, vjp) {
                (Some(jvp), Some(vjp)) => (jvp, vjp),
                (Some(jvp), None) => {
                    let vjp = other_rule(op, &jvp, known, cx.options)?;
                    (jvp, vjp)
                }
                (None, Some(vjp)) => (other(&vjp)?, vjp),
                (None, None) => return Err(Error::no_rule("derivative", "it provides none")),
            };
            Op::LinearCall { forward: SubGraph::new(forward), transpose: SubGraph::new(transpose), known }
        }
    };
    let of_results = cx.apply(&rule, &values);
    Ok(duals(&results, &inexact(&results), of_results))
}

pub(super) fn batch(cx: &Batching<'_>, op: &Op, operands: &[Batched]) -> Result<Vec<Batched>, Error> {
    match op {
        Op::CustomFn { forward, jvp, vjp } => {
            let args: Vec<bool> = operands.iter().map(|x| x.batched).collect();
            let results = forward.output_shapes();
            let batched = batch_graph(cx, forward, &args, &vec![true; results.len()])?.graph;
            let shapes: Vec<Shape> = forward.input_shapes();
            let of_args = inexact_of(&args, &shapes);
            let of_results = inexact_of(&vec![true; results.len()], &results);
            let rule = |rule: &SubGraph, from: &[bool], to: usize| {
                let inputs = [&args[..], &vec![true; results.len()], from].concat();
                batch_graph(cx, rule, &inputs, &vec![true; to]).map(|b| b.graph)
            };
            let jvp = jvp.as_ref().map(|g| rule(g, &of_args, of_results.len())).transpose()?;
            let vjp =
                vjp.as_ref().map(|g| summed(&rule(g, &of_results, of_args.len())?, &of_args)).transpose()?;
            let op = Op::CustomFn {
                forward: SubGraph::new(batched),
                jvp: jvp.map(SubGraph::new),
                vjp: vjp.map(SubGraph::new),
            };
            let values: Vec<Tensor> = operands.iter().map(|x| x.value.clone()).collect();
            Ok(cx.apply(op, &values))
        }
        Op::Custom { name, config, .. } => {
            let shapes: Vec<Shape> = operands.iter().map(Batched::own_shape).collect();
            let batched: Vec<bool> = operands.iter().map(|x| x.batched).collect();
            let rules = find_custom(name);
            let Some(graph) = rules.and_then(|r| r.batch(config, &shapes, &batched, &cx.size)) else {
                let why = format!("the custom op `{name}` provides none; implement `CustomOp::batch`");
                return Err(Error::no_rule("batching rule", why));
            };
            let values: Vec<Tensor> = operands.iter().map(|x| x.value.clone()).collect();
            let results = cx.builder.inline(&graph?, &values)?;
            Ok(results.into_iter().map(Batched::each).collect())
        }
        _ => Err(Error::no_rule("batching rule", "it provides none")),
    }
}

/// Marks for those of the shapes that have derivatives.
fn inexact_of(marks: &[bool], shapes: &[Shape]) -> Vec<bool> {
    let inexact = marks.iter().zip(shapes).filter(|(_, s)| trace::has_derivative(s.dtype()));
    inexact.map(|(mark, _)| *mark).collect()
}

/// The graph with the results summed over the batch axis for arguments that are the same for the whole batch.
fn summed(graph: &Graph, batched: &[bool]) -> Result<Graph, Error> {
    if batched.iter().all(|b| *b) {
        return Ok(graph.clone());
    }
    trace::graph(graph.name(), graph.input_shapes(), |builder, xs| {
        let results = builder.inline(graph, xs)?.into_iter().zip(batched);
        Ok(results.map(|(ct, &each)| if each { ct } else { ct.reduce(ReduceOp::Sum, &[0], false) }).collect())
    })
}
