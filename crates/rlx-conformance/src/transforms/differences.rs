//! Slopes of a graph along a line from differences of its values, each with a bound of its error.
//!
//! Central differences at three steps h, h/2, h/4 are extrapolated twice (Romberg; Stoer and Bulirsch, "Introduction to
//! Numerical Analysis", 2002, §3.4). The error of the result is at most the difference between the extrapolations before the last
//! (also where the second derivative jumps at the point), and the rounding of the values divided by the steps. Where the slope jumps at the point itself by k (a tie, a kink) second
//! differences show k, and every slope within k/2 of the central one is a subgradient. Where anything else is not smooth the
//! extrapolations disagree, and the bound is large.

use super::point::{direction, evaluate, is_inexact, numbers, step, wide};
use crate::bound::{Freedom, Reference};
use crate::case::borrowed;
use crate::data::Limits;
use crate::stream::Stream;
use rlx_ir::math::Complex64;
use rlx_ir::{DType, Graph, Literal};

/// The largest step; the others are a half and a quarter of it. With f64, truncation (h⁴ and less) and rounding (ε/h)
/// are about the same for functions whose derivatives are of one magnitude.
pub(super) const STEP: f64 = 1.0 / 1024.0;
/// The step where the larger one jumps over what is not smooth: more rounding, less of that.
pub(super) const SMALL_STEP: f64 = STEP / 128.0;
/// Sum of the weights of rounded values in the extrapolated difference, times h: 64/45 · 4 + 20/45 · 2 + 1/45.
const WEIGHT: f64 = 6.7;
/// Units of rounding of the largest result that a value may be off where no bound is derived for its graph.
pub(super) const UNITS: f64 = 512.0;

/// A slope of one element.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slope {
    pub(super) value: Complex64,
    /// Bound of the difference between `value` and a derivative (any subgradient at a kink); infinite where there is none.
    pub(super) error: f64,
}

impl Slope {
    /// Whether the tangent is within the bound; anything is where there is none. A NaN is not.
    pub(super) fn admits(&self, tangent: Complex64) -> bool {
        self.error.is_infinite() || (tangent - self.value).abs() <= self.error
    }

    /// Whether the bound is small enough to find a wrong derivative.
    pub(super) fn judges(&self) -> bool {
        self.error <= 1e-5 * self.value.abs().max(1.0)
    }
}

/// The slopes of each float or complex output of `graph` at `values` along `along`, which has a direction for each input of `wrt`.
pub(super) fn slopes(
    graph: &Graph,
    values: &[Literal],
    wrt: &[usize],
    along: &[Literal],
    step_size: f64,
) -> Result<Vec<Vec<Slope>>, String> {
    let at = |t: f64| -> Result<Vec<Vec<Complex64>>, String> {
        let mut moved = values.to_vec();
        for (&i, v) in wrt.iter().zip(along) {
            moved[i] = step(&values[i], v, t);
        }
        Ok(evaluate(graph, &moved)?.iter().filter(|y| is_inexact(y.dtype())).map(numbers).collect())
    };
    let centre = at(0.0)?;
    let steps = [1.0, 0.5, 0.25].map(|part| part * step_size);
    let sides: Vec<_> = steps.iter().map(|&h| Ok((at(h)?, at(-h)?))).collect::<Result<Vec<_>, String>>()?;
    let noise = errors(graph, values)?;
    let slope = |o: usize, i: usize| {
        let f = centre[o][i];
        let (plus, minus): (Vec<Complex64>, Vec<Complex64>) =
            sides.iter().map(|(p, m)| (p[o][i], m[o][i])).unzip();
        romberg(f, [plus[0], plus[1], plus[2]], [minus[0], minus[1], minus[2]], noise[o][i], step_size)
    };
    Ok((0..centre.len()).map(|o| (0..centre[o].len()).map(|i| slope(o, i)).collect()).collect())
}

/// Where slopes are not linear in the direction: there is no derivative there, as of the median of three equal numbers, whose slope
/// along every line is the median of the three slopes.
pub(super) fn bends(
    graph: &Graph,
    values: &[Literal],
    wrt: &[usize],
    along: &[Literal],
) -> Result<Vec<Vec<bool>>, String> {
    let of = |along: &[Literal]| slopes(graph, values, wrt, along, SMALL_STEP);
    let own = of(along)?;
    let mut bends: Vec<Vec<bool>> = own.iter().map(|slopes| vec![false; slopes.len()]).collect();
    let mut stream = Stream::new(7);
    for _ in 0..3 {
        let other: Vec<Literal> = along.iter().map(|v| direction(v.shape(), &mut stream)).collect();
        let sum: Vec<Literal> = along.iter().zip(&other).map(|(v, w)| step(v, w, 1.0)).collect();
        let (other, sum) = (of(&other)?, of(&sum)?);
        for (o, bends) in bends.iter_mut().enumerate() {
            for (i, bend) in bends.iter_mut().enumerate() {
                let [a, b, c] = [own[o][i], other[o][i], sum[o][i]];
                *bend |= (a.value + b.value - c.value).abs() > a.error + b.error + c.error;
            }
        }
    }
    Ok(bends)
}

/// The slope from the value in the middle, those on both sides, and what each may be off.
fn romberg(f: Complex64, plus: [Complex64; 3], minus: [Complex64; 3], noise: f64, h: f64) -> Slope {
    let real = |x: f64| Complex64 { re: x, im: 0.0 };
    let central = |i: usize| (plus[i] - minus[i]) * real(f64::from(1 << i) / (2.0 * h));
    let jump = |i: usize| (plus[i] + minus[i] - f - f) * real(f64::from(1 << i) / h);
    let first = [0, 1].map(|i| (central(i + 1) * real(4.0) - central(i)) * real(1.0 / 3.0));
    let value = (first[1] * real(16.0) - first[0]) * real(1.0 / 15.0);
    let kink = (jump(2) * real(4.0) - jump(0)) * real(1.0 / 3.0);
    let apart = 1.5 * (first[1] - first[0]).abs();
    let error = apart + kink.abs() / 2.0 + WEIGHT / h * noise;
    // Differences that do not settle down belong to no slope.
    let one_kink = jump(2).abs() <= 2.0 * jump(0).abs() + 8.0 / h * noise;
    let settled = one_kink && apart <= 0.01 * (value.abs() + kink.abs()).max(1.0);
    let exists = settled && value.re.is_finite() && value.im.is_finite() && error.is_finite();
    Slope { value, error: if exists { error } else { f64::INFINITY } }
}

/// How far each float or complex output of the evaluator may be from the exact one: the derived bound of its graph, or, where
/// there is none, some units of rounding of the largest element.
pub(super) fn errors(graph: &Graph, values: &[Literal]) -> Result<Vec<Vec<f64>>, String> {
    let inputs = super::point::named(graph, values)?;
    let unit = |dtype: DType| Limits::of(dtype).epsilon();
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
    let of = |(y, bound): (&Literal, Vec<f64>)| {
        let sizes: Vec<f64> = numbers(y).iter().map(|z| z.abs()).collect();
        let largest = sizes.iter().copied().filter(|x| x.is_finite()).fold(0.0, f64::max);
        let unit = unit(y.dtype());
        let is_wide = y.dtype() == wide(y.dtype());
        let error = |(size, e): (&f64, f64)| match () {
            () if underived => UNITS * unit * largest,
            // What is not finite in f64 is to be found; in a narrow type it may be an overflow.
            () if !size.is_finite() => {
                if is_wide {
                    0.0
                } else {
                    f64::INFINITY
                }
            }
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
    use rlx_ir::{Builder, Shape};

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
        assert!(kink.value.re.abs() < 1e-9 && (kink.error - 1.0).abs() < 1e-6, "{kink:?}");
        assert!(!of(|x| x.sign(), 0.0).judges());
        assert!(!of(|x| x.abs(), 0.0002).judges());
        assert!(!of(|x| x.log(), -1.0).judges());
    }
}
