//! Rules of `linear_call`: linear functions that provide their transpose.

use super::parts::{primals, tangents};
use crate::backward::{Arg, Backward, Cotangents, transpose_all};
use crate::batching::{Batched, Batching, batch_graph};
use crate::error::Error;
use crate::forward::{Dual, Forward, JvpGraph, Mode, jvp_graph};
use crate::options::Options;
use crate::trace;
use rlx_ir::{Graph, Op, Shape, SubGraph, Tensor};

/// The function, its transpose, and the number of operands before the linear ones.
fn parts(op: &Op) -> Result<(&SubGraph, &SubGraph, usize), Error> {
    match op {
        Op::LinearCall { forward, transpose, known } => Ok((forward, transpose, *known)),
        _ => Err(Error::no_rule("rule of a linear function", "it is not one")),
    }
}

/// The transpose of a graph that is linear in its inputs from `known` on, whatever ops it consists of: from (known inputs…,
/// cotangents of the outputs…) to the cotangents of the linear inputs.
pub(super) fn transposed(graph: &Graph, known: usize, options: &Options) -> Result<Graph, Error> {
    let shapes = graph.input_shapes();
    let linear: Vec<bool> = (0..shapes.len()).map(|i| i >= known).collect();
    let all = vec![true; graph.outputs().len()];
    // The graph is its own derivative, at zero. All of its ops are then known or linear.
    let JvpGraph { graph: dual, .. } = jvp_graph(graph, &linear, &all, Mode::Linearize, options)?;
    let derivative = trace::graph(graph.name(), shapes, |builder, xs| {
        let zeros = xs[known..].iter().map(trace::zeros_like);
        let args: Vec<Tensor> =
            xs[..known].iter().cloned().chain(zeros).chain(xs[known..].iter().cloned()).collect();
        Ok(builder.inline(&dual, &args)?.split_off(all.len()))
    })?;
    transpose_all(&derivative, &linear, options)
}

pub(super) fn jvp(cx: &Forward<'_>, op: &Op, operands: &[Dual]) -> Result<Vec<Dual>, Error> {
    let (forward, _, known) = parts(op)?;
    let (fixed, moved) = operands.split_at(known);
    let given = primals(operands);
    let results = cx.apply(op, &given);
    let any = |duals: &[Dual]| duals.iter().any(|d| d.tangent.is_some());
    let of_moved = any(moved).then(|| {
        let args = [&given[..known], &tangents(moved, &vec![true; moved.len()])].concat();
        cx.apply(op, &args)
    });
    let of_fixed = if any(fixed) {
        let constants = given[known..].iter().cloned().map(Dual::constant);
        let duals: Vec<Dual> = fixed.iter().cloned().chain(constants).collect();
        cx.graph(forward, &duals, &[])?.into_iter().map(|d| d.tangent).collect()
    } else {
        vec![None; results.len()]
    };
    let dual = |(i, (primal, of_fixed)): (usize, (Tensor, Option<Tensor>))| {
        let of_moved = of_moved.as_ref().and_then(|t| t.get(i).cloned());
        let tangent = match (of_fixed, of_moved) {
            (Some(a), Some(b)) => Some(a + b),
            (a, b) => a.or(b),
        };
        Dual { primal, tangent }
    };
    Ok(results.into_iter().zip(of_fixed).enumerate().map(dual).collect())
}

pub(super) fn transpose(
    cx: &Backward<'_>,
    op: &Op,
    operands: &[Arg],
    cts: &Cotangents<'_>,
) -> Result<Vec<Option<Tensor>>, Error> {
    let (forward, transpose, known) = parts(op)?;
    let fixed: Vec<Tensor> =
        operands[..known].iter().map(|a| a.known().cloned()).collect::<Result<_, _>>()?;
    let back = Op::LinearCall { forward: transpose.clone(), transpose: forward.clone(), known };
    let args = [fixed, cts.all(cx.builder)].concat();
    let results = cx.builder.apply_many(back, &args.iter().collect::<Vec<_>>());
    let of_linear = operands[known..].iter().zip(results).map(|(a, ct)| a.is_linear().then_some(ct));
    Ok(std::iter::repeat_n(None, known).chain(of_linear).collect())
}

/// All linear operands and all results are batched, so that the two functions remain each other's transpose.
pub(super) fn batch(cx: &Batching<'_>, op: &Op, operands: &[Batched]) -> Result<Vec<Batched>, Error> {
    let (forward, transpose, known) = parts(op)?;
    let batched: Vec<bool> = operands.iter().enumerate().map(|(i, x)| i >= known || x.batched).collect();
    let results = vec![true; forward.outputs().len()];
    let back: Vec<bool> = batched[..known].iter().chain(&results).copied().collect();
    let forward = batch_graph(cx, forward, &batched, &results)?.graph;
    let transpose = batch_graph(cx, transpose, &back, &vec![true; operands.len() - known])?.graph;
    let value = |(i, x): (usize, &Batched)| if i >= known { cx.front(x) } else { x.value.clone() };
    let args: Vec<Tensor> = operands.iter().enumerate().map(value).collect();
    let (forward, transpose) = (SubGraph::new(forward), SubGraph::new(transpose));
    Ok(cx.apply(Op::LinearCall { forward, transpose, known }, &args))
}

/// A graph that returns NaN of these shapes, for inputs of those shapes. It replaces a function whose rule could not be derived,
/// which must not be mistaken for zero.
pub(super) fn unknown(name: &str, inputs: Vec<Shape>, outputs: &[Shape]) -> Result<Graph, Error> {
    trace::graph(name, inputs, |builder, _| {
        let nan = |s: &Shape| builder.scalar(f64::NAN, s.dtype()).broadcast_to(s.dims());
        Ok(outputs.iter().map(nan).collect())
    })
}
