//! Each function on every instruction set of the machine against f64, over all magnitudes.

use super::*;
use crate::isa::{Cpu, Isa};
use crate::simd::{Kernel, Simd, Vector};

macro_rules! kernels {
    ($($name:ident => $function:path;)*) => {$(
        struct $name<'a>(&'a mut [f32]);
        impl Kernel for $name<'_> {
            type Output = ();
            #[inline(always)]
            fn run<S: Simd>(self, token: S) {
                for chunk in self.0.chunks_mut(S::F32::LANES) {
                    // SAFETY: the chunk has at least as many elements as are read and written.
                    unsafe {
                        let x = S::F32::load_partial(token, chunk.as_ptr(), chunk.len());
                        $function(x).store_partial(chunk.as_mut_ptr(), chunk.len());
                    }
                }
            }
        }
    )*};
}
kernels! { Exp => exp; Expm1 => expm1; Tanh => tanh; Erf => erf; Gelu => gelu; GeluTanh => gelu_tanh; Sigmoid => sigmoid; }

/// Numbers of every sign and exponent, dense where the functions change, and the special ones.
fn inputs() -> Vec<f32> {
    let mut list: Vec<f32> =
        (0..=u16::MAX).map(|high| f32::from_bits(u32::from(high) << 16 | 0x5a5a)).collect();
    list.extend((0..40_000).map(|i| (i as f32 - 20_000.0) * 0.005_5));
    list.extend([
        0.0,
        -0.0,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        88.72,
        88.73,
        -103.9,
        -104.1,
        1e-40,
        -1e-40,
    ]);
    list
}

/// How many values of f32 lie between the two.
fn ulps(got: f32, exact: f64) -> f64 {
    let rounded = exact as f32;
    if got == rounded || (got.is_nan() && rounded.is_nan()) {
        return 0.0;
    }
    let order = |x: f32| if x < 0.0 { -i64::from(x.to_bits() & 0x7fff_ffff) } else { i64::from(x.to_bits()) };
    (order(got) - order(rounded)).abs() as f64
}

fn check(
    name: &str,
    run: impl Fn(Cpu, &mut [f32]),
    exact: impl Fn(f64) -> f64,
    error: impl Fn(f32, f32, f64) -> f64,
) {
    let xs = inputs();
    for isa in Isa::available() {
        let cpu = Cpu::with_isa(isa).expect("available");
        let mut ys = xs.clone();
        run(cpu, &mut ys);
        for (x, y) in xs.iter().zip(&ys) {
            let wanted = exact(f64::from(*x));
            let error = error(*x, *y, wanted);
            assert!(
                error <= 1.0,
                "{name}({x:e}) on {} is {y:e}, not {wanted:e}: {error} of the bound",
                isa.name()
            );
        }
    }
}

#[test]
fn exponentials_are_within_their_ulps() {
    let within = |bound: f64| move |_: f32, y: f32, e: f64| ulps(y, e) / bound;
    check("exp", |c, v| c.dispatch(Exp(v)), libm::exp, within(2.0));
    check("expm1", |c, v| c.dispatch(Expm1(v)), libm::expm1, within(3.0));
    check("tanh", |c, v| c.dispatch(Tanh(v)), libm::tanh, within(4.0));
    check("sigmoid", |c, v| c.dispatch(Sigmoid(v)), |x| 1.0 / (1.0 + libm::exp(-x)), within(4.0));
}

#[test]
fn the_error_function_and_gelu_are_within_their_bounds() {
    let bound = 2f64.powi(-22);
    let absolute = move |_: f32, y: f32, e: f64| {
        if e.is_nan() { f64::from(u8::from(!y.is_nan())) * 2.0 } else { (f64::from(y) - e).abs() / bound }
    };
    check("erf", |c, v| c.dispatch(Erf(v)), libm::erf, absolute);
    let scaled = move |x: f32, y: f32, e: f64| {
        if e.is_nan() || !x.is_finite() || e.is_infinite() {
            return if f64::from(y) == e || (y.is_nan() && e.is_nan()) { 0.0 } else { 2.0 };
        }
        // Results that underflow are rounded to a multiple of the smallest number.
        (f64::from(y) - e).abs() / (bound * f64::from(x.abs()) + f64::from(f32::MIN_POSITIVE))
    };
    let gelu = |x: f64| 0.5 * x * (1.0 + libm::erf(x / std::f64::consts::SQRT_2));
    check("gelu", |c, v| c.dispatch(Gelu(v)), gelu, scaled);
    let inner = |x: f64| (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x * x * x);
    check("gelu_tanh", |c, v| c.dispatch(GeluTanh(v)), |x| 0.5 * x * (1.0 + libm::tanh(inner(x))), scaled);
}
