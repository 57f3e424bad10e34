//! Checks forward mode: tangents against differences of values in f64, and tangents in narrower types against those in
//! f64.

use super::differences::{LEAST_STEP, SMALL_STEP, STEP, Slope, bends, errors, slopes};
use super::point::{directions, evaluate, is_inexact, numbers, widened};
use super::subject::{At, Subject, not_applicable, options, skipped};
use crate::bound::Verdict;
use crate::report::Outcome;
use rlx_ir::math::Complex64;
use rlx_ir::{Activation, DType, Graph, Literal, Op};

/// Checks the tangents of a case.
pub(super) fn check(subject: &Subject<'_>) -> Outcome {
    if let Some(why) = defined(&subject.case.op) {
        return not_applicable(why);
    }
    let definition = by_definition(&subject.case.op);
    match subject.shadow {
        _ if definition || subject.is_wide() => (),
        Some(_) if is_drawn(&subject.case.op) => return skipped(DRAWN),
        Some(_) => (),
        None => return skipped("an operand has a fixed narrow type, so differences mean nothing; see vjp"),
    }
    subject.at_either_point("jvp", |subject| {
        let Subject { own, wrt, .. } = subject;
        let along = directions(subject.case, &subject.shapes(), 1);
        match &subject.shadow {
            _ if definition => itself(own, wrt, &along),
            Some(shadow) if !subject.is_wide() => against_shadow(subject, shadow, &along),
            _ => against_differences(own, wrt, &along),
        }
    })
}

/// Returns whether an op rounds. Such functions are staircases; by definition, their derivative is that of the value that they round.
pub(super) fn by_definition(op: &Op) -> bool {
    matches!(op, Op::Convert { .. } | Op::ReducePrecision { .. })
}

/// Returns why the derivative of an op is not that of its values. Tests of rlx-autodiff compare it with its definition.
pub(super) fn defined(op: &Op) -> Option<&'static str> {
    match op {
        Op::StopGradient {} => Some("its derivative is defined to be zero"),
        Op::Activation { kind: Activation::Round }
        | Op::FakeQuantize { .. }
        | Op::DequantMatMul { round_x: true, .. }
        | Op::DequantGroupedMatMul { round_x: true, .. } => {
            Some("its derivative is defined as if it did not round")
        }
        _ => None,
    }
}

/// Returns whether an op draws numbers, which are different in another type.
pub(super) fn is_drawn(op: &Op) -> bool {
    matches!(op, Op::RngUniform { .. } | Op::RngNormal { .. })
}

/// Why random numbers are not compared with f64.
pub(super) const DRAWN: &str = "the numbers drawn in f64 are not those drawn in this type";

/// Returns the tangents of a graph at a point.
pub(super) fn tangents(at: &At, wrt: &[usize], along: &[Literal]) -> Result<(At, Vec<Literal>), String> {
    let graph = rlx_autodiff::jvp_with(&at.graph, wrt, &options()).map_err(|e| e.to_string())?;
    let values: Vec<Literal> = at.values.iter().chain(along).cloned().collect();
    let outputs = evaluate(&graph, &values)?;
    let results = outputs.get(at.graph.outputs().len()..).unwrap_or_default().to_vec();
    let shapes = at.graph.output_shapes().into_iter().filter(|s| is_inexact(s.dtype()));
    if !shapes.eq(results.iter().map(|r| r.shape().clone())) {
        return Err("the shapes of the tangents differ from those of the results".into());
    }
    Ok((At { graph, values }, results))
}

/// Compares tangents with the op applied to the tangent itself.
fn itself(at: &At, wrt: &[usize], along: &[Literal]) -> Result<Verdict, String> {
    let (_, got) = tangents(at, wrt, along)?;
    let mut values = at.values.clone();
    wrt.iter().zip(along).for_each(|(&i, v)| values[i] = v.clone());
    let want = evaluate(&at.graph, &values)?;
    for (got, want) in got.iter().zip(want.iter().filter(|y| is_inexact(y.dtype()))) {
        crate::compare::same_bits(got, want, crate::compare::Agreement::AnyZeros)
            .map_err(|m| m.to_string())?;
    }
    Ok(Verdict::whole(&got))
}

/// Compares tangents in f64 or c128 with differences. Where they differ at one step, a smaller one is tried.
pub(super) fn against_differences(at: &At, wrt: &[usize], along: &[Literal]) -> Result<Verdict, String> {
    let (jvp, got) = tangents(at, wrt, along)?;
    let own = of_tangents(&jvp.graph, &jvp.values, got.len())?;
    let got: Vec<Vec<Complex64>> = got.iter().map(numbers).collect();
    let elements = || (0..got.len()).flat_map(|o| (0..got[o].len()).map(move |i| (o, i)));
    let bounded = |want: &[Vec<Slope>], o: usize, i: usize| {
        let slope = want[o][i];
        Slope { error: slope.error + own[o][i], uncertainty: slope.uncertainty + own[o][i], ..slope }
    };
    let want = slopes(&at.graph, &at.values, wrt, along, STEP)?;
    let differs = |&(o, i): &(usize, usize)| !bounded(&want, o, i).admits(got[o][i]);
    if elements().any(|e| differs(&e)) {
        let near = slopes(&at.graph, &at.values, wrt, along, SMALL_STEP)?;
        // Where two steps contradict each other they do not measure a derivative: the differences of z^(1+iε) at 0
        // change slowly with the step.
        let nearest = slopes(&at.graph, &at.values, wrt, along, LEAST_STEP)?;
        let agree = |o: usize, i: usize| {
            let (a, b) = (near[o][i], nearest[o][i]);
            (a.value - b.value).abs() <= a.error + b.error
        };
        let wrong = |&(o, i): &(usize, usize)| agree(o, i) && !bounded(&near, o, i).admits(got[o][i]);
        let wrong: Vec<_> = elements().filter(|e| differs(e) && wrong(e)).collect();
        if let [(o, i), ..] = bends(&at.graph, &at.values, wrt, along, &wrong)?[..] {
            let (Slope { value, error, .. }, g) = (bounded(&near, o, i), got[o][i]);
            return Err(format!(
                "tangent {o}, element {i}: got {g:?}, differences give {value:?} ± {error:e}"
            ));
        }
    }
    let mut verdict = Verdict::default();
    let defined = |&(o, i): &(usize, usize)| want[o][i].defined;
    elements().filter(defined).for_each(|(o, i)| verdict.count(bounded(&want, o, i).judges()));
    Ok(verdict)
}

/// Returns the error bounds of the last `count` outputs.
pub(super) fn of_tangents(graph: &Graph, values: &[Literal], count: usize) -> Result<Vec<Vec<f64>>, String> {
    let mut all = errors(graph, values)?;
    Ok(all.split_off(all.len().saturating_sub(count)))
}

/// Compares tangents in a narrow type with those in f64 or c128.
fn against_shadow(subject: &Subject<'_>, shadow: &At, along: &[Literal]) -> Result<Verdict, String> {
    let (jvp, got) = tangents(&subject.own, &subject.wrt, along)?;
    let along: Vec<Literal> = along.iter().map(widened).collect();
    let (_, want) = tangents(shadow, &subject.wrt, &along)?;
    let bounds = of_tangents(&jvp.graph, &jvp.values, got.len())?;
    rounded("tangent", &got, &want, &bounds)
}

/// Fails unless each element of `got` is within twice its bound of `want`. The factor 2 covers terms of second order.
pub(super) fn rounded(
    what: &str,
    got: &[Literal],
    want: &[Literal],
    bounds: &[Vec<f64>],
) -> Result<Verdict, String> {
    let mut verdict = Verdict::default();
    for (o, ((got, want), bounds)) in got.iter().zip(want).zip(bounds).enumerate() {
        let dtype: DType = got.dtype();
        for (i, ((g, w), bound)) in numbers(got).iter().zip(numbers(want)).zip(bounds).enumerate() {
            let limit = crate::data::Limits::of(dtype).max;
            let finite = w.re.is_finite() && w.im.is_finite();
            // If the derivative is not finite in f64 either, there is nothing to judge. A case with only such elements is skipped.
            if !finite {
                continue;
            }
            let decides = w.abs() + 2.0 * bound < limit;
            verdict.count(decides);
            if !decides {
                continue;
            }
            if !matches!((*g - w).abs().partial_cmp(&(2.0 * bound)), Some(c) if c.is_le()) {
                let bound = 2.0 * bound;
                return Err(format!(
                    "{what} {o}, element {i}: got {g:?} in {dtype}, in f64 {w:?} ± {bound:e}"
                ));
            }
        }
    }
    Ok(verdict)
}
