//! Runs a sample of transformed graphs on a device, and compares them with the evaluator.

use super::differences::{UNITS, largest};
use super::point::{directions, evaluate, is_inexact, named, numbers};
use super::subject::{Subject, options};
use crate::bound::{BoundError, Freedom, Known, Reference, Verdict};
use crate::case::{Case, borrowed};
use crate::compare::Agreement;
use crate::data::Limits;
use crate::report::Outcome;
use crate::stream::{FNV_START, fnv1a};
use crate::subnormal::unflushed;
use crate::target::{Target, refused_type};
use rlx_ir::{Graph, Literal, NodeId, Shape};

/// One case in this many is sampled.
const SAMPLED: u64 = 5;

/// Returns whether the case is in the sample.
pub(super) fn sampled(case: &Case) -> bool {
    fnv1a(FNV_START, case.name.as_bytes()).is_multiple_of(SAMPLED)
}

/// Runs the jvp and the vjp of a case on a device.
pub(super) fn check(subject: &Subject<'_>, target: &dyn Target) -> Outcome {
    if let Some(why) = refused_type(target, &subject.own.graph) {
        return Outcome::NotApplicable(why);
    }
    subject.at_either_point("compiled", |subject| compare(subject, target))
}

fn compare(subject: &Subject<'_>, target: &dyn Target) -> Result<Verdict, String> {
    let Subject { case, own, wrt, .. } = subject;
    let results: Vec<Shape> =
        own.graph.output_shapes().into_iter().filter(|s| is_inexact(s.dtype())).collect();
    let forward = rlx_autodiff::jvp_with(&own.graph, &wrt[..], &options()).map_err(|e| e.to_string())?;
    let reverse = rlx_autodiff::vjp_with(&own.graph, &wrt[..], &options()).map_err(|e| e.to_string())?;
    let with = |more: Vec<Literal>| own.values.iter().cloned().chain(more).collect::<Vec<_>>();
    let mut verdict = on(target, &forward, &with(directions(case, &subject.shapes(), 1)))
        .map_err(|m| format!("jvp: {m}"))?;
    verdict += on(target, &reverse, &with(directions(case, &results, 2))).map_err(|m| format!("vjp: {m}"))?;
    Ok(verdict)
}

/// Fails unless the device's outputs are within the bound.
fn on(target: &dyn Target, graph: &Graph, values: &[Literal]) -> Result<Verdict, String> {
    let inputs = named(graph, values)?;
    let mut got = target.run(graph, &borrowed(&inputs)).map_err(|e| e.to_string())?;
    if target.flushes_subnormals() {
        let wanted = evaluate(graph, values)?;
        got = got.iter().zip(&wanted).map(|(got, want)| unflushed(got, want)).collect();
    }
    let known = |_: NodeId| Known::Nothing;
    let values_of = borrowed(&inputs);
    match Reference::with_allowances(graph, &values_of, Freedom::Contract, &known, target.allowances()) {
        Ok(reference) => reference.check(&got, Agreement::AnyZeros).map_err(|m| m.to_string()),
        Err(BoundError::NoRule { .. }) => near(&got, &evaluate(graph, values)?),
        Err(e) => Err(e.to_string()),
    }
}

/// Fails unless the elements are within some units of rounding of the largest element. Used for graphs without a derived bound.
fn near(got: &[Literal], want: &[Literal]) -> Result<Verdict, String> {
    let mut verdict = Verdict::default();
    let largest = largest(want);
    for (n, (got, want)) in got.iter().zip(want).enumerate() {
        let pairs = || numbers(got).into_iter().zip(numbers(want));
        let bound = UNITS * Limits::of(want.dtype()).epsilon() * largest;
        let bound = if is_inexact(want.dtype()) { bound } else { 0.0 };
        for (i, (g, w)) in pairs().enumerate() {
            let finite = w.re.is_finite() && w.im.is_finite();
            let same = |g: f64, w: f64| g == w || (g.is_nan() && w.is_nan());
            let agrees = match finite {
                true => matches!((g - w).abs().partial_cmp(&bound), Some(c) if c.is_le()),
                false => same(g.re, w.re) && same(g.im, w.im),
            };
            verdict.count(true);
            if !agrees {
                return Err(format!("output {n}, element {i}: got {g:?}, the evaluator {w:?} ± {bound:e}"));
            }
        }
    }
    Ok(verdict)
}
