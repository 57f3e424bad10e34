//! Expands the error function, its complement and its inverse (DLMF chapter 7).

use super::chebyshev::series;
use super::{by_type, leading_and_rest, nan};
use crate::build::{Expression, horner};
use rlx_ir::Tensor;
use std::f64::consts::FRAC_2_SQRT_PI;

/// e^(−x²), with x² in two parts, because a rounded square alone would cause an error of x² units of rounding.
fn bell(x: &Tensor) -> Tensor {
    // The square of the leading bits is exact; the rest of x² is small.
    let [coarse, fine] = leading_and_rest(x);
    let rest = fine * (x + &coarse);
    let leading = (-(&coarse * &coarse)).exp();
    &leading + &leading * (-rest).expm1()
}

/// e^(x²)·erfc(x) for x ≥ ½, as a series in 1/(1 + 2x), which goes from ½ to 0, times that number.
fn scaled_complement(x: &Tensor) -> Tensor {
    let t = x.filled(1.0) / (x * 2.0 + 1.0);
    let f = |t: f64| {
        let x = (1.0 / t - 1.0) / 2.0;
        scaled_erfc(x) / t
    };
    series(&t, f, 0.0, 0.5) * t
}

/// e^(x²)·erfc(x): directly if erfc does not underflow, otherwise by its asymptotic series (DLMF 7.12.1).
fn scaled_erfc(x: f64) -> f64 {
    if x < 9.0 {
        let coarse = f64::from(x as f32);
        let rest = (x - coarse) * (x + coarse);
        return rlx_ir::math::erfc(x) * (coarse * coarse).exp() * rest.exp();
    }
    let (mut term, mut sum) = (1.0, 1.0);
    for k in 0..24 {
        let next = -term * (2.0 * f64::from(k) + 1.0) / (2.0 * x * x);
        if f64::abs(next) > f64::abs(term) {
            break;
        }
        term = next;
        sum += term;
    }
    sum * FRAC_2_SQRT_PI / (2.0 * x)
}

/// erf x / x for |x| ≤ 1: 2/√π·Σ (−x²)^k/(k!·(2k + 1)) (DLMF 7.6.1).
fn small(x: &Tensor) -> Tensor {
    let mut list = Vec::new();
    let mut term = FRAC_2_SQRT_PI;
    for k in 0..by_type(x.dtype(), 11, 20) {
        list.push(term / (2.0 * f64::from(k) + 1.0));
        term /= -(f64::from(k) + 1.0);
    }
    list.reverse();
    horner(&(x * x), &list)
}

/// erfc of numbers from ½ on; 0 where it underflows.
fn tail(a: &Tensor) -> Tensor {
    let bounded = a.minimum(&a.filled(30.0)).maximum(&a.filled(0.5));
    bell(&bounded) * scaled_complement(&bounded)
}

/// erf x.
pub(crate) fn erf(x: &Tensor) -> Tensor {
    let a = x.abs();
    let far = (a.scalar_like(1.0) - tail(&a)).copysign(x);
    let near = x * small(&a.minimum(&a.filled(1.0)));
    let value = a.less_equal(&a.scalar_like(1.0)).select(&near, &far);
    x.is_nan().select(x, &value)
}

/// erfc x.
pub(crate) fn erfc(x: &Tensor) -> Tensor {
    let a = x.abs();
    let one = x.scalar_like(1.0);
    let near = &one - x * small(&a.minimum(&a.filled(1.0)));
    let upper = tail(&a);
    let far = x.less(&x.scalar_like(0.0)).select(&(&one - &upper + 1.0), &upper);
    let value = a.less_equal(&a.scalar_like(0.5)).select(&near, &far);
    x.is_nan().select(x, &value)
}

/// The y with erf y = x: x times a series in w = −ln(1 − x²), or in √w, which removes the logarithm of the inverse from the
/// tails; infinite at ±1.
pub(crate) fn erf_inv(x: &Tensor) -> Tensor {
    let one = x.scalar_like(1.0);
    let w = -(-(x * x)).log1p();
    let tail = -((&one - x.abs()) * (&one + x.abs())).log();
    let w = x.abs().less(&x.scalar_like(0.5)).select(&w, &tail);
    let of_w = |w: f64| {
        let square = -(-w).exp_m1();
        let x = square.sqrt();
        if x == 0.0 { 1.0 / FRAC_2_SQRT_PI } else { inverse_at(w, x) / x }
    };
    let near = series(&w.minimum(&w.filled(6.0)), of_w, 0.0, 6.0);
    let root = w.maximum(&w.filled(6.0)).minimum(&w.filled(40.0)).sqrt();
    let far = series(&root, |r| of_w(r * r), 6f64.sqrt(), 40f64.sqrt());
    let value = x * w.less_equal(&w.scalar_like(6.0)).select(&near, &far);
    let edge = x.abs().equal(&one);
    let value = edge.select(&x.filled(f64::INFINITY).copysign(x), &value);
    x.abs().greater(&one).select(&nan(x), &value)
}

/// The y with erf y = x for w = −ln(1 − x²), by Newton's method on the complement 1 − x, which is computed from w where x rounds
/// to 1.
fn inverse_at(w: f64, x: f64) -> f64 {
    if x < 0.5 {
        return rlx_ir::math::erf_inv(x);
    }
    let complement = (-w).exp() / (1.0 + x);
    let mut y = (w - 0.5 * (1.0 + w).ln()).max(0.1).sqrt();
    for _ in 0..60 {
        let residual = rlx_ir::math::erfc(y) - complement;
        let newton = residual / (FRAC_2_SQRT_PI * (-y * y).exp());
        let step = newton / (1.0 - y * newton);
        y += step;
        if step.abs() < 1e-17 * y {
            break;
        }
    }
    y
}
