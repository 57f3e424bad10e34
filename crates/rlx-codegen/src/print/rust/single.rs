//! Functions of f32 in f32 for printed kernels, without branches, so that loops over them run in vector registers.
//!
//! They are those of `rlx-math` with the multiply-add `Sum`, which the enclosing module chooses, and those of the machine.

macro_rules! functions {
    ($($name:ident = $module:ident::$function:ident),*) => {$(
        #[doc = concat!("`rlx_math::", stringify!($function), "`.")]
        #[inline(always)]
        pub fn $name(x: f32) -> f32 {
            elementary::$module::$function(Single::<Sum>::new(x)).get()
        }
    )*};
}
functions! {
    exp = exponential::exp, expm1 = exponential::expm1, tanh = exponential::tanh, logistic = logistic::sigmoid,
    log = logarithm::log, log1p = logarithm::log1p, erf = error_function::erf, erfc = error_function::erfc,
    sin = trigonometric::sin, cos = trigonometric::cos, rsqrt = root::rsqrt,
    erf_inv = inverse_error::erf_inv, lgamma = gamma::lgamma, digamma = digamma::digamma, bessel_i0e = bessel::bessel_i0e,
    bessel_i1e = bessel::bessel_i1e
}

/// The square root, correctly rounded.
#[inline(always)]
pub fn sqrt(x: f32) -> f32 {
    libm::sqrtf(x)
}

/// The largest integer that is not above the number.
#[inline(always)]
pub fn floor(x: f32) -> f32 {
    libm::floorf(x)
}

/// The smallest integer that is not below the number.
#[inline(always)]
pub fn ceil(x: f32) -> f32 {
    libm::ceilf(x)
}

/// The nearest integer, ties to even.
#[inline(always)]
pub fn round_even(x: f32) -> f32 {
    libm::rintf(x)
}
