//! Rules of `while`: values and tangents are computed in the same loop. Reverse mode converts the loop to a scan of bounded
//! length, or remembers carried values at some steps and runs the loop again between them.

use super::branch::{only_of, select_rows, used_inputs};
use super::looping_memory::{Steps, remembered};
use super::parts::{duals, has_tangent, primals, tangents};
use super::scan::marked;
use crate::batching::{Batched, Batching, batch_graph};
use crate::error::Error;
use crate::forward::{Dual, Forward, JvpGraph, Mode, jvp_graph};
use crate::options::{Options, WhileMemory};
use crate::trace;
use rlx_ir::{Builder, Graph, Op, ReduceOp, ScanOperands, Shape, SubGraph, Tensor};

/// The parts of a while loop.
#[derive(Clone)]
pub(super) struct While {
    pub(super) cond: SubGraph,
    pub(super) body: SubGraph,
}

impl While {
    pub(super) fn of(op: &Op) -> Result<While, Error> {
        match op {
            Op::While { cond, body } => Ok(While { cond: cond.clone(), body: body.clone() }),
            _ => Err(Error::no_rule("rule of a loop", "it is not a while loop")),
        }
    }

    /// Which carried values each step passes on unchanged, so that the loop only reads them.
    pub(super) fn fixed(&self) -> Vec<bool> {
        let inputs = self.body.inputs().map(rlx_ir::Node::id);
        inputs.zip(self.body.outputs()).map(|(input, output)| input == *output).collect()
    }

    pub(super) fn shapes(&self) -> Vec<Shape> {
        self.body.input_shapes()
    }

    /// The body on values and tangents, and which carried values have a tangent in any step.
    pub(super) fn dual(
        &self,
        mut has: Vec<bool>,
        mode: Mode,
        options: &Options,
    ) -> Result<(JvpGraph, Vec<bool>), Error> {
        loop {
            let dual = jvp_graph(&self.body, &has, &has, mode, options)?;
            if dual.tangents == has {
                return Ok((dual, has));
            }
            has.clone_from(&dual.tangents);
        }
    }
}

/// Inlines a graph into a body that a closure builds. An error is kept until the graph is finished.
pub(super) fn inlined(builder: &Builder, graph: &Graph, args: &[Tensor]) -> Vec<Tensor> {
    builder.inline(graph, args).unwrap_or_else(|e| {
        let void = builder.error(graph.name(), e.to_string());
        vec![void; graph.outputs().len()]
    })
}

pub(super) fn jvp(cx: &Forward<'_>, op: &Op, operands: &[Dual]) -> Result<Vec<Dual>, Error> {
    let looping = While::of(op)?;
    match (cx.mode, cx.options.while_memory) {
        (Mode::Forward, _) => joint(cx, &looping, operands),
        (Mode::Linearize, WhileMemory::Bounded(steps)) => bounded(cx, &looping, steps, operands),
        (Mode::Linearize, WhileMemory::Checkpoints(slots)) => {
            remembered(cx, &looping, Steps::of(slots), operands)
        }
    }
}

fn joint(cx: &Forward<'_>, looping: &While, operands: &[Dual]) -> Result<Vec<Dual>, Error> {
    let (dual, has) = looping.dual(has_tangent(operands), cx.mode, cx.options)?;
    let count = has.len();
    let init = [primals(operands), tangents(operands, &has)].concat();
    let cond = |b: &Builder, xs: &[Tensor]| inlined(b, &looping.cond, &xs[..count]);
    let body = |b: &Builder, xs: &[Tensor]| inlined(b, &dual.graph, xs);
    let mut results = cx.builder.while_loop(&init, &cond, &body);
    let of_results = results.split_off(count.min(results.len()));
    Ok(duals(&results, &has, of_results))
}

/// The loop as a scan that does nothing once the condition is false. If it is still true after the last step, the bound was too
/// small, and floating point results and their derivatives are NaN.
fn bounded(cx: &Forward<'_>, looping: &While, steps: usize, operands: &[Dual]) -> Result<Vec<Dual>, Error> {
    let fixed = looping.fixed();
    let varying: Vec<bool> = fixed.iter().map(|f| !f).collect();
    let graph = trace::graph("while", looping.shapes(), |builder, init| {
        let (consts, carry) = (marked(init, &fixed), marked(init, &varying));
        let step = |b: &Builder, xs: &[Tensor]| {
            let all = in_order(&fixed, &xs[..consts.len()], &xs[consts.len()..]);
            let holds = inlined(b, &looping.cond, &all).swap_remove(0);
            let advance = |b: &Builder, xs: &[Tensor]| marked(&inlined(b, &looping.body, xs), &varying);
            let stay = |_: &Builder, xs: &[Tensor]| marked(xs, &varying);
            b.cond(&holds, &all, &advance, &stay)
        };
        let over = ScanOperands { consts: &consts, carry: &carry, xs: &[] };
        let last = if carry.is_empty() { Vec::new() } else { builder.scan(over, steps, false, &step) };
        let mut results = in_order(&fixed, &consts, &last);
        results.extend(builder.inline(&looping.cond, &results)?);
        Ok(results)
    })?;
    let mut results = cx.graph(&graph, operands, &[])?;
    let Some(unfinished) = results.pop().map(|d| d.primal) else { return Ok(results) };
    let checked = |(dual, fixed): (Dual, &bool)| {
        if *fixed || !trace::is_inexact(&dual.primal) {
            return dual;
        }
        let nan = trace::full_like(&dual.primal, f64::NAN);
        let one = trace::full_like(&dual.primal, 1.0);
        let unfinished = unfinished.broadcast_to(&dual.primal.dims());
        let factor = unfinished.select(&nan, &one);
        Dual { primal: unfinished.select(&nan, &dual.primal), tangent: dual.tangent.map(|t| t * factor) }
    };
    Ok(results.into_iter().zip(&fixed).map(checked).collect())
}

/// Merges the values of the marked positions with those of the others, in the order of the positions.
pub(super) fn in_order(marks: &[bool], of_marked: &[Tensor], others: &[Tensor]) -> Vec<Tensor> {
    let (mut of_marked, mut others) = (of_marked.iter(), others.iter());
    let place = |&m: &bool| if m { of_marked.next() } else { others.next() };
    marks.iter().filter_map(place).cloned().collect()
}

/// If the condition differs within the batch, the loop runs while any is true; where the condition is false, values do not
/// change.
pub(super) fn batch(cx: &Batching<'_>, op: &Op, operands: &[Batched]) -> Result<Vec<Batched>, Error> {
    let looping = While::of(op)?;
    let fixed = looping.fixed();
    let mut batched: Vec<bool> = operands.iter().map(|x| x.batched).collect();
    let (cond, each_decides, body) = loop {
        let cond = batch_graph(cx, &looping.cond, &batched, &[false])?;
        let each_decides = cond.batched.contains(&true);
        let before = batched.clone();
        batched.iter_mut().zip(&fixed).for_each(|(b, fixed)| *b |= each_decides && !fixed);
        let body = batch_graph(cx, &looping.body, &batched, &batched)?;
        batched.clone_from(&body.batched);
        if batched == before {
            break (cond.graph, each_decides, body.graph);
        }
    };
    let place = |(x, &batched): (&Batched, &bool)| if batched { cx.front(x) } else { x.value.clone() };
    let init: Vec<Tensor> = operands.iter().zip(&batched).map(place).collect();
    let results = if each_decides {
        while_any(cx, &looping, &cond, &batched, &init)?
    } else {
        let op = Op::While { cond: SubGraph::new(cond), body: SubGraph::new(body) };
        cx.builder.apply_many(op, &init.iter().collect::<Vec<_>>())
    };
    let result = |(value, batched): (Tensor, bool)| Batched { value, batched };
    Ok(results.into_iter().zip(batched).map(result).collect())
}

/// Runs the loop while `cond`, which has one boolean per row, is true for any row. It carries these booleans before the other
/// values. Rows for which it is false run too, but keep their values, and no derivative passes through those steps.
fn while_any(
    cx: &Batching<'_>,
    looping: &While,
    cond: &Graph,
    batched: &[bool],
    init: &[Tensor],
) -> Result<Vec<Tensor>, Error> {
    let fixed = looping.fixed();
    let used = used_inputs(&looping.body);
    let guarded: Vec<bool> = init.iter().zip(&used).map(|(x, used)| *used && trace::is_inexact(x)).collect();
    let each: Vec<bool> =
        batched.iter().zip(&guarded).map(|(batched, guarded)| *batched || *guarded).collect();
    let body = batch_graph(cx, &looping.body, &each, &each)?.graph;
    let first = inlined(cx.builder, cond, init);
    let init = [&first[..], init].concat();
    let any = |_: &Builder, xs: &[Tensor]| vec![xs[0].reduce(ReduceOp::Or, &[0], false)];
    let step = |b: &Builder, xs: &[Tensor]| {
        let (holds, xs) = (&xs[0], &xs[1..]);
        let inner =
            Batching { builder: b, size: cx.size.clone(), axis_name: cx.axis_name, options: cx.options };
        let arg = |((value, &batched), &guarded): ((&Tensor, &bool), &bool)| match guarded {
            true => only_of(&inner, holds, &Batched { value: value.clone(), batched }).value,
            false => value.clone(),
        };
        let args: Vec<Tensor> = xs.iter().zip(batched).zip(&guarded).map(arg).collect();
        let next = inlined(b, &body, &args);
        let stay = |((new, old), fixed): ((&Tensor, &Tensor), &bool)| match fixed {
            true => old.clone(),
            false => select_rows(holds, new, old),
        };
        let next: Vec<Tensor> = next.iter().zip(xs).zip(&fixed).map(stay).collect();
        [inlined(b, cond, &next), next].concat()
    };
    Ok(cx.builder.while_loop(&init, &any, &step).split_off(1))
}
