//! Expands functions of complex numbers into functions of their parts (DLMF 4.21, 4.23, 4.35, 4.37). Branch
//! cuts are those of Kahan, "Branch cuts for complex elementary functions" (1987).

use crate::build::Expression;
use rlx_ir::{BinaryOp, DType, Tensor, UnaryOp};
use std::f64::consts::FRAC_PI_2;

fn complex(re: &Tensor, im: &Tensor) -> Tensor {
    re.binary(BinaryOp::Complex, im)
}

/// Exchanges the real and the imaginary part: the reflection that maps circular to hyperbolic functions.
fn swapped(z: &Tensor) -> Tensor {
    complex(&z.im(), &z.re())
}

/// `zero` where x is zero, even if the other factor of the product is not finite, and the product elsewhere.
fn kept_zero(x: &Tensor, zero: &Tensor, product: &Tensor) -> Tensor {
    x.equal(&x.scalar_like(0.0)).select(zero, product)
}

/// sinh x·cos y + i·cosh x·sin y.
pub(crate) fn sinh(z: &Tensor) -> Tensor {
    let (x, y) = (z.re(), z.im());
    let re = x.unary(UnaryOp::Sinh) * y.cos();
    let im = x.unary(UnaryOp::Cosh) * y.sin();
    complex(&re, &kept_zero(&y, &y, &im))
}

/// cosh x·cos y + i·sinh x·sin y.
pub(crate) fn cosh(z: &Tensor) -> Tensor {
    let (x, y) = (z.re(), z.im());
    let re = x.unary(UnaryOp::Cosh) * y.cos();
    let im = x.unary(UnaryOp::Sinh) * y.sin();
    let signed = x.sign_bit().select(&-&y, &y);
    complex(&re, &kept_zero(&y, &signed, &im))
}

/// sinh z/cosh z in terms of tan y and sinh x, which never cancels.
pub(crate) fn tanh(z: &Tensor) -> Tensor {
    let (x, y) = (z.re(), z.im());
    let far = x.abs().greater(&x.scalar_like(if x.dtype() == DType::F64 { 22.0 } else { 10.0 }));
    let near = far.select(&x.scalar_like(1.0), &x);
    let (t, s) = (y.unary(UnaryOp::Tan), near.unary(UnaryOp::Sinh));
    let beta = &t * &t + 1.0;
    let denominator = &beta * &s * &s + 1.0;
    let inner = complex(&(&beta * (&s * &s + 1.0).sqrt() * &s / &denominator), &(&t / &denominator));
    let decay = (-x.abs()).exp();
    let outer = complex(&x.filled(1.0).copysign(&x), &(y.sin() * y.cos() * 4.0 * &decay * &decay));
    far.select(&outer, &inner)
}

/// tan z.
pub(crate) fn tan(z: &Tensor) -> Tensor {
    swapped(&tanh(&swapped(z)))
}

/// √(1 − z) and √(1 + z).
fn roots(z: &Tensor) -> [Tensor; 2] {
    let (x, y) = (z.re(), z.im());
    let one = x.scalar_like(1.0);
    [complex(&(&one - &x), &-&y).sqrt(), complex(&(&one + &x), &y).sqrt()]
}

/// The arcsine.
pub(crate) fn asin(z: &Tensor) -> Tensor {
    let [a, b] = roots(z);
    let re = z.re().binary(BinaryOp::Atan2, &(a.re() * b.re() - a.im() * b.im()));
    let im = (a.re() * b.im() - a.im() * b.re()).unary(UnaryOp::Asinh);
    complex(&re, &im)
}

/// The inverse hyperbolic sine.
pub(crate) fn asinh(z: &Tensor) -> Tensor {
    swapped(&asin(&swapped(z)))
}

/// The arccosine.
pub(crate) fn acos(z: &Tensor) -> Tensor {
    let [a, b] = roots(z);
    let re = a.re().binary(BinaryOp::Atan2, &b.re()) * 2.0;
    let im = (b.re() * a.im() - b.im() * a.re()).unary(UnaryOp::Asinh);
    complex(&re, &im)
}

/// The inverse hyperbolic cosine, ± i·acos z with a non-negative real part.
pub(crate) fn acosh(z: &Tensor) -> Tensor {
    let w = acos(z);
    complex(&w.im().abs(), &w.re().copysign(&z.im()))
}

/// ln(1 + 4x/((1 − x)² + y²))/4 + i·atan2(2y, (1 − x)(1 + x) − y²)/2 for x ≥ 0, odd in x.
pub(crate) fn atanh(z: &Tensor) -> Tensor {
    let (x, y) = (z.re().abs(), z.im());
    let below = x.scalar_like(1.0) - &x;
    let square = &y * &y;
    let re = (&x * 4.0 / (&below * &below + &square)).log1p() * 0.25;
    let excess = &below * (&x + 1.0) - &square;
    let im = (&y * 2.0).binary(BinaryOp::Atan2, &excess) * 0.5;
    // Where squares overflow, the angle is a quarter turn.
    let far = x.maximum(&y.abs()).greater(&x.scalar_like(if x.dtype() == DType::F64 { 1e150 } else { 1e18 }));
    let re = far.select(&x.scalar_like(0.0), &re).copysign(&z.re());
    complex(&re, &far.select(&x.filled(FRAC_PI_2).copysign(&y), &im))
}

/// The arctangent.
pub(crate) fn atan(z: &Tensor) -> Tensor {
    swapped(&atanh(&swapped(z)))
}

/// The principal cube root, |z|^⅓·e^(i·arg(z)/3).
pub(crate) fn cbrt(z: &Tensor) -> Tensor {
    let modulus = z.abs().unary(UnaryOp::Cbrt);
    let angle = z.im().binary(BinaryOp::Atan2, &z.re()) * (1.0 / 3.0);
    let nothing = modulus.equal(&modulus.scalar_like(0.0));
    nothing.select(z, &complex(&(&modulus * angle.cos()), &(&modulus * angle.sin())))
}

/// e^z − 1: the real part is (e^x − 1)·cos y − 2·sin²(y/2), the imaginary part e^x·sin y.
pub(crate) fn expm1(z: &Tensor) -> Tensor {
    let (x, y) = (z.re(), z.im());
    let half = (&y * 0.5).sin();
    let re = x.expm1() * y.cos() - &half * &half * 2.0;
    complex(&re, &kept_zero(&y, &y, &(x.exp() * y.sin())))
}

/// ln(1 + z); near 0 with |1 + z|² − 1 = x·(2 + x) + y².
pub(crate) fn log1p(z: &Tensor) -> Tensor {
    let (x, y) = (z.re(), z.im());
    let sum = &x + 1.0;
    let near = (&x * (&x + 2.0) + &y * &y).log1p() * 0.5;
    let far = complex(&sum, &y).abs().log();
    let close = x.abs().maximum(&y.abs()).less(&x.scalar_like(0.5));
    complex(&close.select(&near, &far), &y.binary(BinaryOp::Atan2, &sum))
}

/// 1/(1 + e^−z), in the form with the smaller exponential.
pub(crate) fn logistic(z: &Tensor) -> Tensor {
    let x = z.re();
    let negative = x.less(&x.scalar_like(0.0));
    let e = negative.select(z, &-z).exp();
    negative.select(&e, &e.scalar_like(1.0)) / (&e + 1.0)
}
