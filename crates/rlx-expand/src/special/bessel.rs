//! Expands exponentially scaled modified Bessel functions (DLMF 10.25, 10.40). Up to 8 they are a Chebyshev series in x; beyond,
//! √x times the function is a Chebyshev series in 1/x. The former is divided by the factor that decreases with x, so that its
//! error is relative.

use super::chebyshev::series;
use crate::build::Expression;
use rlx_ir::Tensor;

/// Where the series in x ends.
const FAR: f64 = 8.0;

fn outer(a: &Tensor, f: fn(f64) -> f64) -> Tensor {
    let far = a.maximum(&a.filled(FAR));
    let inverse = &far.filled(FAR) / &far;
    let scaled = |y: f64| {
        // The limit of √x·e^−x·I(x) is 1/√2π; no node is closer to 0 than 1e-4.
        let x = FAR / y;
        f(x) * x.sqrt()
    };
    series(&inverse, scaled, 0.0, 1.0) / far.sqrt()
}

/// e^−|x|·I₀(x).
pub(crate) fn bessel_i0e(x: &Tensor) -> Tensor {
    let a = x.abs();
    let root = (&a + 1.0).sqrt();
    let inner = series(&a, |x| rlx_ir::math::bessel_i0e(x) * (1.0 + x).sqrt(), 0.0, FAR) / root;
    a.less_equal(&a.scalar_like(FAR)).select(&inner, &outer(&a, rlx_ir::math::bessel_i0e))
}

/// e^−|x|·I₁(x).
pub(crate) fn bessel_i1e(x: &Tensor) -> Tensor {
    let a = x.abs();
    let root = (&a + 1.0).sqrt();
    let level = |x: f64| rlx_ir::math::bessel_i1e(x) / x * (1.0 + x).powf(1.5);
    let inner = series(&a, level, 0.0, FAR) * (&a / ((&a + 1.0) * root));
    let value = a.less_equal(&a.scalar_like(FAR)).select(&inner, &outer(&a, rlx_ir::math::bessel_i1e));
    value.copysign(x)
}
