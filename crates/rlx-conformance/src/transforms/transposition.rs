//! Checks that reverse mode is the transpose of forward mode: ⟨Jv, u⟩ = ⟨v, Jᵀu⟩. For complex numbers the product is
//! the real part of the sum of products without conjugation, as in JAX.

use super::forward::{by_definition, is_drawn, of_tangents, rounded, tangents};
use super::point::{directions, evaluate, from_scalars, is_inexact, numbers};
use super::subject::{At, Subject, options};
use crate::bound::{Verdict, read};
use crate::case::Case;
use crate::compare::{Agreement, same_bits};
use crate::report::Outcome;
use rlx_ir::{Literal, Op, Shape};

/// How far apart the products may be in f64, relative to the sum of the magnitudes of their terms.
const RELATIVE: f64 = 1e-10;

/// Checks the cotangents of a case.
pub(super) fn check(subject: &Subject<'_>) -> Outcome {
    subject.at_either_point("vjp", compare)
}

fn compare(subject: &Subject<'_>) -> Result<Verdict, String> {
    let Subject { case, own, wrt, .. } = subject;
    let along = directions(case, &subject.shapes(), 1);
    let results: Vec<Shape> =
        own.graph.output_shapes().into_iter().filter(|s| is_inexact(s.dtype())).collect();
    let against = directions(case, &results, 2);
    let (reverse, back) = cotangents(own, wrt, &against)?;
    if by_definition(&case.op) {
        return itself(case, own, &against, &back);
    }
    if subject.is_wide() {
        let (_, forth) = tangents(own, wrt, &along)?;
        let slack = rounding(own, &against)?;
        return within((&forth, &against), (&along, &back), RELATIVE, slack);
    }
    let bounds = of_tangents(&reverse.graph, &reverse.values, back.len())?;
    if let Some(shadow) = subject.shadow.as_ref().filter(|_| !is_drawn(&case.op)) {
        let shapes = shadow.graph.output_shapes().into_iter().filter(|s| is_inexact(s.dtype()));
        let against: Vec<Literal> = against.iter().zip(shapes).map(|(u, s)| as_type(u, &s)).collect();
        let (_, want) = cotangents(shadow, wrt, &against)?;
        return rounded("cotangent", &back, &want, &bounds);
    }
    let (jvp, forth) = tangents(own, wrt, &along)?;
    let of_forth = of_tangents(&jvp.graph, &jvp.values, forth.len())?;
    let sum = |bounds: &[Vec<f64>], along: &[Literal]| -> f64 {
        let terms = bounds.iter().zip(along);
        terms.map(|(b, v)| b.iter().zip(numbers(v)).map(|(b, v)| b * v.abs()).sum::<f64>()).sum()
    };
    let slack = 2.0 * (sum(&bounds, &along) + sum(&of_forth, &against));
    within((&forth, &against), (&along, &back), RELATIVE, slack)
}

/// Returns the same numbers in another type that can represent them.
fn as_type(x: &Literal, shape: &Shape) -> Literal {
    from_scalars(shape, |i| read(x, i))
}

/// For roundings, compares with their own rounding of the cotangent, or with the cotangent in the operand's type.
fn itself(case: &Case, own: &At, against: &[Literal], back: &[Literal]) -> Result<Verdict, String> {
    let want = match case.op {
        Op::Convert { .. } => as_type(&against[0], own.values[0].shape()),
        _ => evaluate(&own.graph, against)?.swap_remove(0),
    };
    same_bits(&back[0], &want, Agreement::AnyZeros).map_err(|m| m.to_string())?;
    Ok(Verdict::whole(back))
}

/// Returns the cotangents of the operands of a graph at a point.
fn cotangents(at: &At, wrt: &[usize], against: &[Literal]) -> Result<(At, Vec<Literal>), String> {
    let graph = rlx_autodiff::vjp_with(&at.graph, wrt, &options()).map_err(|e| e.to_string())?;
    let values: Vec<Literal> = at.values.iter().chain(against).cloned().collect();
    let outputs = evaluate(&graph, &values)?;
    let results = outputs.get(at.graph.outputs().len()..).unwrap_or_default().to_vec();
    let shapes = wrt.iter().map(|&i| at.values[i].shape().clone());
    if !shapes.eq(results.iter().map(|r| r.shape().clone())) {
        return Err("the shapes of the cotangents differ from those of the operands".into());
    }
    Ok((At { graph, values }, results))
}

type Pair<'a> = (&'a [Literal], &'a [Literal]);

/// Returns the effect of one rounding of a graph's results on their product with `against`. Derivatives that are sums
/// of such results and cancel, such as that of a softmax, are not known more accurately.
pub(super) fn rounding(at: &At, against: &[Literal]) -> Result<f64, String> {
    let results = evaluate(&at.graph, &at.values)?;
    let results: Vec<Literal> = results.into_iter().filter(|y| is_inexact(y.dtype())).collect();
    let (_, size) = inner((&results, against));
    Ok(if size.is_finite() { f64::EPSILON * size } else { 0.0 })
}

/// Fails unless the two inner products agree. They are a single number, which counts as unjudged if a derivative is not finite.
pub(super) fn within(left: Pair<'_>, right: Pair<'_>, relative: f64, slack: f64) -> Result<Verdict, String> {
    let (a, size_a) = inner(left);
    let (b, size_b) = inner(right);
    let bound = relative * (size_a + size_b) + slack;
    let finite = size_a.is_finite() && size_b.is_finite();
    if !finite || (a - b).abs() <= bound {
        let mut verdict = Verdict::default();
        verdict.count(finite);
        Ok(verdict)
    } else {
        Err(format!("⟨Jv,u⟩ = {a:e}, ⟨v,Jᵀu⟩ = {b:e}, bound {bound:e}"))
    }
}

/// Returns the real part of Σab, and Σ|ab|.
fn inner((a, b): Pair<'_>) -> (f64, f64) {
    let mut sum = (0.0, 0.0);
    for (a, b) in a.iter().zip(b) {
        for (a, b) in numbers(a).into_iter().zip(numbers(b)) {
            sum.0 += a.re * b.re - a.im * b.im;
            sum.1 += a.abs() * b.abs();
        }
    }
    sum
}
