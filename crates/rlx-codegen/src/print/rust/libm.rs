//! The functions of the crate `libm` that printed kernels need, implemented with the standard library.

macro_rules! by_method {
    ($($name:ident = $method:ident),*) => {
        $(#[doc = concat!("`f64::", stringify!($method), "`.")] pub fn $name(x: f64) -> f64 { x.$method() })*
    };
}
by_method! {
    acos = acos, asin = asin, atan = atan, cbrt = cbrt, ceil = ceil, cos = cos, cosh = cosh, exp = exp, exp2 = exp2,
    expm1 = exp_m1, floor = floor, log = ln, log1p = ln_1p, rint = round_ties_even, round = round, sin = sin, sinh = sinh,
    sqrt = sqrt, tan = tan, tanh = tanh
}

macro_rules! by_method_of_two {
    ($($name:ident = $method:ident),*) => {
        $(#[doc = concat!("`f64::", stringify!($method), "`.")] pub fn $name(x: f64, y: f64) -> f64 { x.$method(y) })*
    };
}
by_method_of_two!(atan2 = atan2, hypot = hypot, pow = powf);

/// Inverse hyperbolic sine.
pub fn asinh(x: f64) -> f64 {
    let a = x.abs();
    let result = if a > 1e9 {
        a.ln() + core::f64::consts::LN_2
    } else {
        (a + a * a / (1.0 + (a * a + 1.0).sqrt())).ln_1p()
    };
    result.copysign(x)
}

/// Inverse hyperbolic cosine.
pub fn acosh(x: f64) -> f64 {
    let above = x - 1.0;
    if x > 1e9 {
        x.ln() + core::f64::consts::LN_2
    } else {
        (above + (2.0 * above + above * above).sqrt()).ln_1p()
    }
}

/// Inverse hyperbolic tangent.
pub fn atanh(x: f64) -> f64 {
    let a = x.abs();
    (0.5 * (2.0 * a / (1.0 - a)).ln_1p()).copysign(x)
}

/// a · b + c, rounded once.
pub fn fma(a: f64, b: f64, c: f64) -> f64 {
    a.mul_add(b, c)
}

/// a · b + c, rounded once.
#[inline(always)]
pub fn fmaf(a: f32, b: f32, c: f32) -> f32 {
    a.mul_add(b, c)
}

macro_rules! by_method_of_f32 {
    ($($name:ident = $method:ident),*) => {
        $(#[doc = concat!("`f32::", stringify!($method), "`.")] #[inline(always)] pub fn $name(x: f32) -> f32 { x.$method() })*
    };
}
by_method_of_f32!(ceilf = ceil, floorf = floor, rintf = round_ties_even, sqrtf = sqrt);

/// Sine and cosine.
pub fn sincos(x: f64) -> (f64, f64) {
    x.sin_cos()
}

/// The exponent of a number that is not 0.
pub fn ilogb(x: f64) -> i32 {
    frexp(x).1 - 1
}

/// Splits a number into a factor from 0.5 to below 1 and a power of two.
pub fn frexp(x: f64) -> (f64, i32) {
    if x == 0.0 || !x.is_finite() {
        return (x, 0);
    }
    let normal = x.abs() >= f64::MIN_POSITIVE;
    let (scaled, by) = if normal { (x, 0) } else { (x * 18014398509481984.0, -54) };
    let bits = scaled.to_bits();
    let exponent = (bits >> 52 & 0x7ff) as i32 - 1022;
    (f64::from_bits(bits & !(0x7ff << 52) | 1022 << 52), exponent + by)
}

/// x · 2^n.
pub fn ldexp(x: f64, n: i32) -> f64 {
    let power = |n: i32| f64::from_bits(((n + 1023) as u64) << 52);
    match n {
        1024.. => ldexp(x * power(1023), (n - 1023).min(2000)),
        ..=-1023 if n < -1022 - 53 => ldexp(x * power(-1022 + 53), n.max(-3000) + 1022 - 53),
        ..=-1023 => x * power(n + 53) * power(-53),
        _ => x * power(n),
    }
}

pub use super::math::{erf, erfc};
