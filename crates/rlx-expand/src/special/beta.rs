//! Expands the regularized incomplete beta function (DLMF 8.17): a continued fraction, and quadrature for large parameters.
//!
//! The density is x^a·y^b/B(a, b) = √(ab/(2π(a + b)))·e^(−a·ρ(D/a) − b·ρ(−D/b) + S(a + b) − S(a) − S(b)) with y = 1 − x, D = x·b
//! − y·a and ρ(δ) = δ − ln(1 + δ). Its exponent does not cancel.

use super::gamma::{log1p_rest, stirling_remainder};
use super::{epsilon, iterate, leading_and_rest, nan, quadrature};
use crate::build::Expression;
use rlx_ir::Tensor;
use std::f64::consts::TAU;

/// If both parameters are at least this, the density is smooth enough for quadrature.
const LARGE: f64 = 10.0;

/// I_x(a, b).
pub(crate) fn betainc(a: &Tensor, b: &Tensor, x: &Tensor) -> Tensor {
    let (zero, one) = (a.scalar_like(0.0), a.scalar_like(1.0));
    let infinity = a.scalar_like(f64::INFINITY);
    let at_zero = a.equal(&zero).or(&b.equal(&infinity));
    let at_one = b.equal(&zero).or(&a.equal(&infinity));
    let valid = a.greater_equal(&zero).and(&b.greater_equal(&zero));
    let valid =
        valid.and(&x.greater_equal(&zero)).and(&x.less_equal(&one)).and(&at_zero.and(&at_one).logical_not());
    let inside = x.greater(&zero).and(&x.less(&one));
    let ordinary = valid.and(&inside).and(&at_zero.or(&at_one).logical_not());
    let half = one.clone() * 0.5;
    let value =
        ordinary_value(&ordinary.select(a, &one), &ordinary.select(b, &one), &ordinary.select(x, &half));
    // All mass is at one end, or all or none of it is below x.
    let full = at_zero.and(&x.greater(&zero)).or(&x.equal(&one));
    let limit = full.select(&one.spread(a), &zero);
    valid.select(&ordinary.select(&value, &limit), &nan(a))
}

fn ordinary_value(a: &Tensor, b: &Tensor, x: &Tensor) -> Tensor {
    let one = a.scalar_like(1.0);
    let y = &one - x;
    let d = distance(a, b, x, &y);
    let weight = density(a, b, x, &y, &d);
    // Above the mean, the other tail is computed.
    let mean = (a + 1.0) / (a + b + 2.0);
    let swapped = x.greater(&mean);
    let (first, second) = (swapped.select(b, a), swapped.select(a, b));
    let (near, far) = (swapped.select(&y, x), swapped.select(x, &y));
    let large = a.minimum(b).greater_equal(&a.scalar_like(LARGE));
    let only = |value: &Tensor, other: f64| large.select(&value.scalar_like(other), value);
    let lambda = swapped.select(&d, &-&d);
    let operands = [only(&first, 2.0), only(&second, 2.0), only(&near, 0.25), only(&far, 0.75)];
    let head = &weight / fraction(&operands, &only(&lambda, 1.0));
    let head = swapped.select(&(&one - &head), &head);
    let only = |value: &Tensor, other: f64| large.select(value, &value.scalar_like(other));
    let operands = [only(a, 16.0), only(b, 16.0), only(x, 0.5), only(&y, 0.5)];
    let by_area = by_quadrature(&operands, &only(&d, 0.0), &only(&weight, 0.0));
    large.select(&by_area, &head)
}

/// D = x·b − y·a. Near the mean it is small compared with the two products; it is computed with the digits that they lose.
fn distance(a: &Tensor, b: &Tensor, x: &Tensor, y: &Tensor) -> Tensor {
    let [a, b, x] = [a, b, x].map(leading_and_rest);
    let coarse = &leading_and_rest(y)[0];
    // 1 − x may have been rounded.
    let fine = (coarse.scalar_like(1.0) - coarse) - &x[0] - &x[1];
    let (leading, cross) = (&x[0] * &b[0] - coarse * &a[0], &x[0] * &b[1] + &x[1] * &b[0]);
    leading + (cross - (coarse * &a[1] + &fine * &a[0])) + (&x[1] * &b[1] - &fine * &a[1])
}

/// x^a·y^b/B(a, b).
fn density(a: &Tensor, b: &Tensor, x: &Tensor, y: &Tensor, d: &Tensor) -> Tensor {
    let term = |p: &Tensor, q: &Tensor, share: &Tensor, sign: f64| {
        // p·ρ(±D/p). Far from the mean, ln(1 ± D/p) is computed as the logarithm of share·(p + q)/p, which does not cancel.
        let delta = d * sign / p;
        let near = p * log1p_rest(&delta);
        let far = d * sign - p * (share.log() + (q / p).log1p());
        delta.abs().less(&delta.scalar_like(0.5)).select(&near, &far)
    };
    let exponent = term(a, b, x, 1.0) + term(b, a, y, -1.0);
    let remainder = stirling_remainder(&(a + b)) - stirling_remainder(a) - stirling_remainder(b);
    (a * (b / (a + b)) * (1.0 / TAU)).sqrt() * (remainder - exponent).exp()
}

/// The even part of the continued fraction of DLMF 8.17.22, by the modified Lentz method, for x up to the mean (Didonato and
/// Morris, "Significant digit computation of the incomplete beta function ratios", 1992, equation 9). x^a·y^b/B(a, b) divided by
/// it is I_x. λ is a·y − b·x.
fn fraction([a, b, x, y]: &[Tensor; 4], lambda: &Tensor) -> Tensor {
    let start = (lambda + 1.0) * (a / (a + 1.0));
    let enough = 2.0 * epsilon(a.dtype());
    let state = [a, b, x, y, lambda, &start, &start.filled(0.0), &start].map(Tensor::clone);
    let done = iterate(&state, 2000, &|m, state| {
        let [a, b, x, y, lambda, c, d, value] = state else { return (Vec::new(), m.clone()) };
        let twice = m * 2.0;
        let odd = a + &twice - 1.0;
        let am = a + m;
        let numerator = ((&am - 1.0) / &odd * x) * ((&am - 1.0 + b) / &odd * x) * m * (b - m);
        let denominator =
            ((b - m) * x / &odd + 1.0) * m + (lambda + 1.0 + (y + 1.0) * m) * (&am / (a + &twice + 1.0));
        let d = d.filled(1.0) / (&denominator + &numerator * d);
        let c = denominator + numerator / c;
        let change = &c * &d;
        let unfinished = (&change - 1.0).abs().greater(&change.scalar_like(enough));
        let value = value * change;
        let kept = [a, b, x, y, lambda].map(Tensor::clone);
        ([&kept[..], &[c, d, value]].concat(), unfinished)
    });
    done.last().unwrap_or(a).clone()
}

/// Integrates the density from x in the direction away from its mode.
fn by_quadrature([a, b, x, y]: &[Tensor; 4], d: &Tensor, weight: &Tensor) -> Tensor {
    let (a1, b1) = (a - 1.0, b - 1.0);
    // (a − 1)/x − (b − 1)/y.
    let slope = (x - y - d) / (x * y);
    let lower = slope.greater(&slope.scalar_like(0.0));
    let fall = lower.select(&slope, &-&slope);
    let width = x.filled(1.0) / (&fall + a1.sqrt() / x + b1.sqrt() / y);
    let limit = lower.select(x, y);
    let sign = lower.select(&x.scalar_like(-1.0), &x.scalar_like(1.0));
    let operands = [a1, b1, x.clone(), y.clone(), fall, sign];
    let integral = quadrature::tail(&width, &limit, &operands, &|u, operands| {
        let [a1, b1, x, y, fall, sign] = operands else { return u.clone() };
        let moved = sign * u;
        -(fall * u + a1 * log1p_rest(&(&moved / x)) + b1 * log1p_rest(&(-&moved / y)))
    });
    let tail = (weight / (x * y) * integral).minimum(&a.filled(1.0));
    lower.select(&tail, &(tail.scalar_like(1.0) - &tail))
}
