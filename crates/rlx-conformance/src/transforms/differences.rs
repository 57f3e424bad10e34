//! Slopes of a graph along a line, from differences of its values, each with an error bound.
//!
//! Central differences at three steps h, h/2, h/4 are extrapolated twice (Romberg; Stoer and Bulirsch, "Introduction to
//! Numerical Analysis", 2002, §3.4). The error of the result is at most the difference between the extrapolations
//! before the last (even if the second derivative jumps at the point), plus the rounding of the values divided by the
//! steps. If the slope jumps at the point itself by k (a tie, a kink), second differences show k, and every slope
//! within k/2 of the central one is a subgradient. If anything else is not smooth, the extrapolations disagree and the
//! bound is large.

use super::point::{direction, evaluate, is_inexact, numbers, step, wide};
use crate::bound::{Freedom, Reference};
use crate::case::borrowed;
use crate::data::Limits;
use crate::stream::Stream;
use rlx_ir::math::Complex64;
use rlx_ir::{Graph, Literal};
use std::cmp::Ordering;

/// The largest step; the others are a half and a quarter of it. In f64, truncation (h⁴ and less) and rounding (ε/h) are
/// about the same for functions with derivatives of similar magnitude.
pub(super) const STEP: f64 = 1.0 / 1024.0;
/// The step that is used where the larger one crosses something that is not smooth. It has more rounding error and crosses less.
pub(super) const SMALL_STEP: f64 = STEP / 128.0;
/// A step that only shows whether slopes settle, because its rounding error is large.
pub(super) const LEAST_STEP: f64 = SMALL_STEP / 16384.0;
/// The sum of the weights of rounded values in the extrapolated difference, times h: 64/45 · 4 + 20/45 · 2 + 1/45.
const WEIGHT: f64 = 6.7;
/// The maximum error of a value if no bound is derived for its graph, in units of rounding of the largest result.
pub(super) const UNITS: f64 = 512.0;
/// The same for types in which that many units would exceed the result. They round where wider types do not, but no more often.
const UNITS_OF_NARROW: f64 = 4.0;
/// The number of directions in which slopes are tried where they differ from a tangent. Along a single direction, the
/// median of three equal numbers may look linear.
const BENDING: usize = 24;

/// The slope of one element.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slope {
    pub(super) value: Complex64,
    /// The bound of the difference between `value` and a derivative (any subgradient at a kink). Infinite if there is none.
    pub(super) error: f64,
    /// How far `value` may be from the mean of the slopes on both sides.
    pub(super) uncertainty: f64,
    /// Whether the function has a value at the point, so that there may be a derivative.
    pub(super) defined: bool,
}

impl Slope {
    /// Returns whether the tangent is within the bound. Without a bound anything is; with one, a NaN is not.
    pub(super) fn admits(&self, tangent: Complex64) -> bool {
        self.error.is_infinite() || (tangent - self.value).abs() <= self.error
    }

    /// Returns whether the bound is small enough to detect a wrong derivative, which at a kink is one that is not a subgradient.
    pub(super) fn judges(&self) -> bool {
        self.error.is_finite() && self.uncertainty <= 1e-5 * self.value.abs().max(1.0)
    }
}

/// Returns the elements of each float or complex output of `graph` at `values` moved by `t` times `along`, which has a
/// direction for each input of `wrt`.
fn values_at(
    graph: &Graph,
    values: &[Literal],
    wrt: &[usize],
    along: &[Literal],
    t: f64,
) -> Result<Vec<Vec<Complex64>>, String> {
    let mut moved = values.to_vec();
    for (&i, v) in wrt.iter().zip(along) {
        moved[i] = step(&values[i], v, t);
    }
    Ok(evaluate(graph, &moved)?.iter().filter(|y| is_inexact(y.dtype())).map(numbers).collect())
}

/// Returns the slopes of each float or complex output of `graph` at `values` along `along`, which has a direction for each input of `wrt`.
pub(super) fn slopes(
    graph: &Graph,
    values: &[Literal],
    wrt: &[usize],
    along: &[Literal],
    step_size: f64,
) -> Result<Vec<Vec<Slope>>, String> {
    let at = |t: f64| values_at(graph, values, wrt, along, t);
    let center = at(0.0)?;
    let steps = [1.0, 0.5, 0.25].map(|part| part * step_size);
    let sides: Vec<_> = steps.iter().map(|&h| Ok((at(h)?, at(-h)?))).collect::<Result<Vec<_>, String>>()?;
    let noise = errors(graph, values)?;
    let slope = |o: usize, i: usize| {
        let f = center[o][i];
        let (plus, minus): (Vec<Complex64>, Vec<Complex64>) =
            sides.iter().map(|(p, m)| (p[o][i], m[o][i])).unzip();
        romberg(f, [plus[0], plus[1], plus[2]], [minus[0], minus[1], minus[2]], noise[o][i], step_size)
    };
    Ok((0..center.len()).map(|o| (0..center[o].len()).map(|i| slope(o, i)).collect()).collect())
}

/// Returns those of these elements (output, index) whose slopes look linear in the direction. The others have no
/// derivative, such as the median of three equal numbers, whose slope along every line is the median of the three
/// slopes.
pub(super) fn bends(
    graph: &Graph,
    values: &[Literal],
    wrt: &[usize],
    along: &[Literal],
    elements: &[(usize, usize)],
) -> Result<Vec<(usize, usize)>, String> {
    let of = |along: &[Literal]| slopes(graph, values, wrt, along, SMALL_STEP);
    let own = of(along)?;
    let mut straight = elements.to_vec();
    let mut stream = Stream::new(7);
    for _ in 0..BENDING {
        if straight.is_empty() {
            break;
        }
        let other: Vec<Literal> = along.iter().map(|v| direction(v.shape(), &mut stream)).collect();
        let sum: Vec<Literal> = along.iter().zip(&other).map(|(v, w)| step(v, w, 1.0)).collect();
        let (other, sum) = (of(&other)?, of(&sum)?);
        straight.retain(|&(o, i)| {
            let [a, b, c] = [own[o][i], other[o][i], sum[o][i]];
            let bound = a.uncertainty + b.uncertainty + c.uncertainty;
            !matches!((a.value + b.value - c.value).abs().partial_cmp(&bound), Some(Ordering::Greater))
        });
    }
    Ok(straight)
}

/// Returns whether the function jumps at the point itself: the values on both sides do not approach the value between them.
pub(super) fn jumps(
    graph: &Graph,
    values: &[Literal],
    wrt: &[usize],
    along: &[Literal],
) -> Result<bool, String> {
    let at = |t: f64| values_at(graph, values, wrt, along, t);
    let center = at(0.0)?;
    let apart = |h: f64| -> Result<Vec<Vec<f64>>, String> {
        let (plus, minus) = (at(h)?, at(-h)?);
        let of = |o: usize, i: usize| (plus[o][i] + minus[o][i] - center[o][i] - center[o][i]).abs();
        Ok((0..center.len()).map(|o| (0..center[o].len()).map(|i| of(o, i)).collect()).collect())
    };
    let (far, near) = (apart(STEP)?, apart(SMALL_STEP)?);
    let noise = errors(graph, values)?;
    let stays = |((far, near), noise): ((&f64, &f64), &f64)| *near > 0.5 * far && *near > 8.0 * noise;
    let outputs = far.iter().zip(&near).zip(&noise);
    Ok(outputs.into_iter().any(|((far, near), noise)| far.iter().zip(near).zip(noise).any(stays)))
}

/// Returns the largest finite magnitude of all elements.
pub(super) fn largest(tensors: &[Literal]) -> f64 {
    let sizes = tensors.iter().filter(|y| is_inexact(y.dtype())).flat_map(numbers).map(|z| z.abs());
    sizes.filter(|x| x.is_finite()).fold(0.0, f64::max)
}

/// Computes the slope from the value in the middle, those on both sides, and the error of each.
fn romberg(f: Complex64, plus: [Complex64; 3], minus: [Complex64; 3], noise: f64, h: f64) -> Slope {
    let real = |x: f64| Complex64 { re: x, im: 0.0 };
    let central = |i: usize| (plus[i] - minus[i]) * real(f64::from(1 << i) / (2.0 * h));
    let jump = |i: usize| (plus[i] + minus[i] - f - f) * real(f64::from(1 << i) / h);
    let first = [0, 1].map(|i| (central(i + 1) * real(4.0) - central(i)) * real(1.0 / 3.0));
    let value = (first[1] * real(16.0) - first[0]) * real(1.0 / 15.0);
    let kink = (jump(2) * real(4.0) - jump(0)) * real(1.0 / 3.0);
    let apart = 1.5 * (first[1] - first[0]).abs();
    let uncertainty = apart + WEIGHT / h * noise;
    let error = uncertainty + kink.abs() / 2.0;
    // Differences that do not settle do not belong to a slope.
    let one_kink = jump(2).abs() <= 2.0 * jump(0).abs() + 8.0 / h * noise;
    let settled = one_kink && apart <= 0.01 * (value.abs() + kink.abs()).max(1.0);
    let exists = settled && value.re.is_finite() && value.im.is_finite() && error.is_finite();
    let known = |bound: f64| if exists { bound } else { f64::INFINITY };
    let defined = f.re.is_finite() && f.im.is_finite();
    Slope { value, error: known(error), uncertainty: known(uncertainty), defined }
}

/// Returns how far each float or complex output of the evaluator may be from the exact one. This is the derived bound
/// of its graph. If there is none, or in f64 none that is useful, it is some units of rounding of the largest element
/// of all outputs plus what underflows (the product of two orthogonal vectors is as uncertain as they are).
pub(super) fn errors(graph: &Graph, values: &[Literal]) -> Result<Vec<Vec<f64>>, String> {
    let inputs = super::point::named(graph, values)?;
    let derived = Reference::new(graph, &borrowed(&inputs), Freedom::Unrounded, &|_| false);
    let underived = derived.is_err();
    let (outputs, bounds) = match &derived {
        Ok(reference) => (reference.evaluated().into_iter().cloned().collect(), reference.errors()),
        Err(_) => {
            let outputs = evaluate(graph, values)?;
            let none = outputs.iter().map(|y| vec![f64::NAN; y.len()]).collect();
            (outputs, none)
        }
    };
    let largest = largest(&outputs);
    let of = |(y, bound): (&Literal, Vec<f64>)| {
        let sizes: Vec<f64> = numbers(y).iter().map(|z| z.abs()).collect();
        let (unit, underflow) = (Limits::of(y.dtype()).epsilon(), Limits::of(y.dtype()).min_subnormal);
        let is_wide = y.dtype() == wide(y.dtype());
        let units = if y.dtype().real().size() < 4 { UNITS_OF_NARROW } else { UNITS };
        let usual = units * unit * largest + underflow;
        // In f64, a bound that is useless (such as for a comparison of a maximum with the values that it is the maximum
        // of) is treated like a missing one.
        let vain =
            |e: f64| is_wide && !matches!(e.partial_cmp(&(1e-5 * largest.max(1.0))), Some(c) if c.is_le());
        let error = |(size, e): (&f64, f64)| match () {
            () if underived => usual,
            // Values that are not finite in f64 must be reproduced. In a narrow type they may be an overflow.
            () if !size.is_finite() => {
                if is_wide {
                    0.0
                } else {
                    f64::INFINITY
                }
            }
            () if vain(e) => usual,
            () => {
                if e.is_nan() {
                    f64::INFINITY
                } else {
                    e + unit * size
                }
            }
        };
        sizes.iter().zip(bound).map(error).collect()
    };
    Ok(outputs.iter().zip(bounds).filter(|(y, _)| is_inexact(y.dtype())).map(of).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rlx_ir::{Builder, DType, Shape};

    fn of(f: impl Fn(&rlx_ir::Tensor) -> rlx_ir::Tensor, x: f64) -> Slope {
        let b = Builder::new("f");
        let input = b.input("x", Shape::scalar(DType::F64));
        let graph = b.finish(&[&f(&input)]).expect("valid");
        let one = Literal::scalar(1.0f64);
        slopes(&graph, &[Literal::scalar(x)], &[0], &[one], STEP).expect("runs")[0][0]
    }

    #[test]
    fn the_bound_holds_and_is_small_where_a_function_is_smooth() {
        for (slope, want) in [(of(|x| x.exp(), 0.5), 0.5f64.exp()), (of(|x| x.sin(), 3.0), 3.0f64.cos())] {
            assert!((slope.value.re - want).abs() <= slope.error && slope.judges(), "{slope:?}");
            assert!(slope.error < 1e-9, "{slope:?}");
        }
    }

    #[test]
    fn a_kink_widens_the_bound_to_its_subgradients_and_a_jump_to_anything() {
        let kink = of(|x| x.abs(), 0.0);
        assert!(kink.value.re.abs() < 1e-9 && (kink.error - 1.0).abs() < 1e-6 && kink.judges(), "{kink:?}");
        assert!(!of(|x| x.sign(), 0.0).judges());
        assert!(!of(|x| x.abs(), 0.0002).judges());
        assert!(!of(|x| x.log(), -1.0).judges());
    }
}
