//! Checks second derivatives in f64: forward mode over a gradient, compared with differences of the gradient, and their
//! symmetry.

use super::differences::jumps;
use super::forward::{against_differences, by_definition, defined, tangents};
use super::point::{direction, directions, is_inexact};
use super::subject::{At, Subject, not_applicable, options, skipped};
use super::transposition::{rounding, within};
use crate::bound::Verdict;
use crate::report::Outcome;
use crate::stream::Stream;
use rlx_ir::{Builder, Graph, Op, ReduceOp, Tensor, UnaryOp};
use std::cell::Cell;

/// The tolerance for symmetry, relative to the sum of the magnitudes of the terms, because the two products round differently.
const RELATIVE: f64 = 1e-8;
/// Larger operands would only take longer.
const MOST_ELEMENTS: usize = 2048;

/// Checks the second derivatives of a case.
pub(super) fn check(subject: &Subject<'_>) -> Outcome {
    if !subject.is_wide() {
        return not_applicable("differences need f64 or c128");
    }
    if let Some(why) = defined(&subject.case.op) {
        return not_applicable(why);
    }
    if by_definition(&subject.case.op) {
        return not_applicable("the op rounds, and its derivative is a definition");
    }
    if subject.own.values.iter().map(|v| v.len()).sum::<usize>() > MOST_ELEMENTS {
        return skipped("a large size; smaller sizes are differentiated twice");
    }
    let jumped = Cell::new(false);
    let outcome = subject.at_either_point("second order", |subject| {
        compare(subject).map(|verdict| {
            jumped.set(jumped.get() || verdict.is_none());
            verdict.unwrap_or(Verdict { judged: 0, unjudged: 1 })
        })
    });
    match outcome {
        Outcome::Failed(_) if jumped.get() => {
            not_applicable("the function jumps at the point of this row, so it has no second derivative")
        }
        outcome => outcome,
    }
}

/// Returns how much was judged, or `None` if the function jumps.
fn compare(subject: &Subject<'_>) -> Result<Option<Verdict>, String> {
    let Subject { case, own, wrt, .. } = subject;
    let loss = weighted_sum(&own.graph)?;
    let gradient = rlx_autodiff::grad_with(&loss, &wrt[..], &options()).map_err(|e| e.to_string())?;
    let at = At { graph: gradient, values: own.values.clone() };
    let [v, u] = [1, 3].map(|label| directions(case, &subject.shapes(), label));
    let mut verdict = match against_differences(&at, wrt, &v) {
        Err(_) if jumps(&own.graph, &own.values, wrt, &v)? => return Ok(None),
        judged => judged?,
    };
    let (_, hv) = tangents(&at, wrt, &v)?;
    let (_, hu) = tangents(&at, wrt, &u)?;
    let slack = rounding(&at, &u)? + rounding(&at, &v)?;
    verdict += within((&hv, &u), (&hu, &v), RELATIVE, slack)?;
    Ok(Some(verdict))
}

/// Returns the sum of the real parts of all results times fixed weights.
pub(super) fn weighted_sum(graph: &Graph) -> Result<Graph, String> {
    let b = Builder::new(graph.name());
    let inputs: Vec<Tensor> =
        graph.inputs().enumerate().map(|(i, node)| b.input(format!("x{i}"), node.shape().clone())).collect();
    let results = b.apply_many(Op::Call { body: graph.clone().into() }, &inputs.iter().collect::<Vec<_>>());
    let mut stream = Stream::new(5);
    let mut loss: Option<Tensor> = None;
    for result in results.iter().filter(|r| is_inexact(r.dtype())) {
        let weights = b.constant(direction(&result.shape(), &mut stream));
        let terms = result * weights;
        let terms = if terms.dtype().is_complex() { terms.unary(UnaryOp::Real) } else { terms };
        let all: Vec<usize> = (0..terms.rank()).collect();
        let sum = terms.reduce(ReduceOp::Sum, &all, false);
        loss = Some(loss.map_or(sum.clone(), |l| l + sum));
    }
    let loss = loss.ok_or("no result has floats")?;
    b.finish(&[&loss]).map_err(|e| e.to_string())
}
