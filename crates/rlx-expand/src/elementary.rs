//! Expands elementary functions of f32 and f64 into other elementary functions, and functions of bits. None relies on the
//! rounding of an intermediate result, so compilers that combine constants ((x + 1) − 1) or exponentials give the same results.

use crate::build::{Expression, horner, signed, unsigned};
use rlx_ir::{BinaryOp, DType, Tensor};
use std::f64::consts::LN_2;

fn by_type(x: &Tensor, single: f64, double: f64) -> f64 {
    if x.dtype() == DType::F64 { double } else { single }
}

fn atan2(y: &Tensor, x: &Tensor) -> Tensor {
    y.binary(BinaryOp::Atan2, x)
}

/// √(1 − x²), computed from its factors, which are exact near 1.
fn leg(x: &Tensor) -> Tensor {
    let one = x.scalar_like(1.0);
    ((&one - x) * (&one + x)).sqrt()
}

/// The angle whose sine is x.
pub(crate) fn asin(x: &Tensor) -> Tensor {
    atan2(x, &leg(x))
}

/// The angle whose cosine is x.
pub(crate) fn acos(x: &Tensor) -> Tensor {
    atan2(&leg(x), x)
}

/// The angle whose tangent is x.
pub(crate) fn atan(x: &Tensor) -> Tensor {
    atan2(x, &x.filled(1.0))
}

/// e^a/2 where e^a overflows but half of it may not: e^(a − 1)·(e/2), where the difference is exact.
fn half_exp(a: &Tensor) -> Tensor {
    (a - 1.0).exp() * (std::f64::consts::E / 2.0)
}

fn overflows(x: &Tensor) -> Tensor {
    x.equal(&x.scalar_like(f64::INFINITY))
}

/// Hyperbolic sine: with e = e^a − 1 it is (e + e/(e + 1))/2.
pub(crate) fn sinh(x: &Tensor) -> Tensor {
    let a = x.abs();
    let e = a.expm1();
    let value = (&e + &e / (&e + 1.0)) * 0.5;
    overflows(&e).select(&half_exp(&a), &value).copysign(x)
}

/// Hyperbolic cosine.
pub(crate) fn cosh(x: &Tensor) -> Tensor {
    let a = x.abs();
    let e = a.exp();
    let value = &e * 0.5 + e.filled(0.5) / &e;
    overflows(&e).select(&half_exp(&a), &value)
}

/// Inverse hyperbolic sine: ln(1 + a + a²/(1 + √(1 + a²))).
pub(crate) fn asinh(x: &Tensor) -> Tensor {
    let a = x.abs();
    let large = a.greater(&a.scalar_like(by_type(x, 1e9, 1e18)));
    let small = large.select(&a.scalar_like(1.0), &a);
    let square = &small * &small;
    let near = (&small + &square / ((&square + 1.0).sqrt() + 1.0)).log1p();
    large.select(&(a.log() + LN_2), &near).copysign(x)
}

/// Inverse hyperbolic cosine: ln(1 + t + √(t·(2 + t))) with t = x − 1.
pub(crate) fn acosh(x: &Tensor) -> Tensor {
    let large = x.greater(&x.scalar_like(by_type(x, 1e9, 1e18)));
    let t = large.select(&x.scalar_like(1.0), x) - 1.0;
    let near = (&t + (&t * (&t + 2.0)).sqrt()).log1p();
    let value = large.select(&(x.log() + LN_2), &near);
    x.less(&x.scalar_like(1.0)).select(&x.scalar_like(f64::NAN), &value)
}

/// Inverse hyperbolic tangent: ln(1 + 2a/(1 − a))/2.
pub(crate) fn atanh(x: &Tensor) -> Tensor {
    let a = x.abs();
    let ratio = &a * 2.0 / (a.scalar_like(1.0) - &a);
    (ratio.log1p() * 0.5).copysign(x)
}

/// Tangent.
pub(crate) fn tan(x: &Tensor) -> Tensor {
    x.sin() / x.cos()
}

/// 1/(1 + e^−x), in the form with the smaller exponential.
pub(crate) fn logistic(x: &Tensor) -> Tensor {
    let e = (-x.abs()).exp();
    let one = e.scalar_like(1.0);
    let negative = x.less(&x.scalar_like(0.0));
    negative.select(&e, &one) / (&e + 1.0)
}

/// e^x − 1, by its power series near 0 (DLMF 4.2.19).
pub(crate) fn expm1(x: &Tensor) -> Tensor {
    let half = x.scalar_like(0.5);
    let near = x.maximum(&-half.spread(x)).minimum(&half.spread(x));
    let mut list = vec![1.0];
    for k in 2..=(by_type(x, 10.0, 17.0) as i32) {
        list.push(list[list.len() - 1] / f64::from(k));
    }
    list.reverse();
    let series = &near * horner(&near, &list);
    x.abs().less(&half).select(&series, &(x.exp() - 1.0))
}

/// ln(1 + x); near 0 by the series 2(r + r³/3 + r⁵/5 + …) in r = x/(2 + x) (DLMF 4.6.4).
pub(crate) fn log1p(x: &Tensor) -> Tensor {
    let half = x.scalar_like(0.5);
    let near = x.maximum(&-half.spread(x)).minimum(&half.spread(x));
    let r = &near / (&near + 2.0);
    let list: Vec<f64> =
        (0..by_type(x, 9.0, 19.0) as i32).rev().map(|k| 2.0 / f64::from(2 * k + 1)).collect();
    let series = &r * horner(&(&r * &r), &list);
    // The series would lose digits of subnormal numbers.
    let tiny = x.abs().less(&x.scalar_like(1e-20));
    let value = x.abs().less(&half).select(&series, &(x + 1.0).log());
    tiny.select(x, &value)
}

/// The real cube root. The initial guess divides the bits by three, in a range where cubes neither overflow nor underflow.
/// Halley's iteration then triples the digits per step (a method of Kahan, which FreeBSD's msun uses).
pub(crate) fn cbrt(x: &Tensor) -> Tensor {
    let a = x.abs();
    let (step, low) = (by_type(x, 30.0, 300.0), by_type(x, 1e-25, 1e-250));
    let (small, large) = (a.less(&a.scalar_like(low)), a.greater(&a.scalar_like(1.0 / low)));
    let scale = |power: f64| {
        let factors = [2f64.powf(power), 2f64.powf(-power)].map(|f| a.scalar_like(f));
        small.select(&factors[0], &large.select(&factors[1], &a.scalar_like(1.0)))
    };
    let value = &a * scale(3.0 * step);
    // Two thirds of the exponent's bias compensate for the bias that the division removed.
    let width = x.dtype().bits();
    let bits = value.bitcast(unsigned(width));
    let bias = if width == 64 { 715_094_163_i64 << 32 } else { 709_958_130 };
    let mut root = (&bits / bits.int_like(3) + bits.int_like(bias)).bitcast(x.dtype());
    for _ in 0..by_type(x, 3.0, 4.0) as i32 {
        let cube = &root * &root * &root;
        // Only the correction rounds in the last step.
        root = &root + &root * ((&value - &cube) / (&cube * 2.0 + &value));
    }
    let regular = a.is_finite().and(&a.greater(&a.scalar_like(0.0)));
    regular.select(&(root / scale(step)).copysign(x), x)
}

/// The nearest integer, ties away from zero.
pub(crate) fn round_away(x: &Tensor) -> Tensor {
    let a = x.abs();
    let whole = a.floor();
    let up = (&a - &whole).greater_equal(&a.scalar_like(0.5));
    up.select(&(&whole + 1.0), &whole).copysign(x)
}

/// The nearest integer, ties to even. The distances to the two neighboring integers decide, or on a tie the parity.
pub(crate) fn round_even(x: &Tensor) -> Tensor {
    let a = x.abs();
    let whole = a.floor();
    let (rest, half) = (&a - &whole, a.scalar_like(0.5));
    let halved = &whole * 0.5;
    let odd = halved.not_equal(&halved.floor());
    let up = rest.greater(&half).or(&rest.equal(&half).and(&odd));
    up.select(&(&whole + 1.0), &whole).copysign(x)
}

/// The next number of x's type from x toward y. Magnitudes are ordered like their bits.
pub(crate) fn next_after(x: &Tensor, y: &Tensor) -> Tensor {
    let (dtype, width) = (x.dtype(), x.dtype().bits());
    let zero = x.scalar_like(0.0);
    let at_zero = x.equal(&zero);
    let rising = y.greater(x);
    let bits = x.bitcast(signed(width));
    let (up, down) = (&bits + &bits.int_like(1), &bits - &bits.int_like(1));
    let away = rising.equal(&x.greater(&zero));
    // From zero, the smallest number with y's sign.
    let smallest = x.builder().int(1, unsigned(width)).bitcast(dtype).spread(x).copysign(y);
    let next = away.select(&up, &down).bitcast(dtype);
    let value = x.equal(y).select(y, &at_zero.select(&smallest, &next));
    x.is_nan().or(&y.is_nan()).select(&x.scalar_like(f64::NAN), &value)
}

/// The number of set bits, computed by adding neighboring fields of 1, 2, 4, … bits (Warren, "Hacker's Delight", 2012, section
/// 5–1).
pub(crate) fn popcnt(x: &Tensor) -> Tensor {
    let (dtype, width) = (x.dtype(), x.dtype().bits());
    let mut fields = x.convert(unsigned(width));
    let mut size = 1;
    while size < width {
        // A mask for the lower field of each pair: all bits, divided by 2^size + 1.
        let mask = (u64::MAX >> (64 - width)) / ((1u64 << size) + 1);
        let mask = fields.int_like(i64::from_le_bytes(mask.to_le_bytes()));
        fields = fields.and(&mask.spread(&fields)) + fields.shr(i64::from(size)).and(&mask.spread(&fields));
        size *= 2;
    }
    fields.convert(dtype)
}

/// The number of leading zeros, which is the number of set bits in the complement of all bits from the first set one down.
pub(crate) fn clz(x: &Tensor) -> Tensor {
    let (dtype, width) = (x.dtype(), x.dtype().bits());
    let mut bits = x.convert(unsigned(width));
    let mut distance = 1;
    while distance < width {
        bits = bits.or(&bits.shr(i64::from(distance)));
        distance *= 2;
    }
    popcnt(&bits.logical_not()).convert(dtype)
}
