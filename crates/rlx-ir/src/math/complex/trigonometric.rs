//! Circular and hyperbolic functions of complex numbers (DLMF 4.21, 4.35; special values of C99 G.6).
//!
//! The hyperbolic functions do the work: `sin z = -i sinh iz`, `cos z = cosh iz`, `tan z = -i tanh iz`.

use super::Complex64;
use super::exponential::scaled_cis;

/// Beyond this `cosh x` and `|sinh x|` agree with `e^{|x|}/2` to the last digit.
const LARGE: f64 = 22.0;

impl Complex64 {
    /// `sinh x cos y + i cosh x sin y` (DLMF 4.35.15).
    pub fn sinh(self) -> Complex64 {
        let Complex64 { re: x, im: y } = self;
        if y == 0.0 {
            return Complex64::new(libm::sinh(x), y);
        }
        if !y.is_finite() {
            let re = if x == 0.0 || x.is_infinite() { x } else { f64::NAN };
            return Complex64::new(re, f64::NAN);
        }
        if x.is_finite() && x.abs() > LARGE {
            let half = scaled_cis(0.5, x.abs(), y);
            return Complex64::new(half.re * x.signum(), half.im);
        }
        Complex64::new(libm::sinh(x) * libm::cos(y), libm::cosh(x) * libm::sin(y))
    }

    /// `cosh x cos y + i sinh x sin y` (DLMF 4.35.16).
    pub fn cosh(self) -> Complex64 {
        let Complex64 { re: x, im: y } = self;
        if y == 0.0 {
            // The zero of sinh(x) sin(y) has the sign of the product, and is kept if the other part is NaN or ∞.
            return Complex64::new(libm::cosh(x), if x.is_nan() { y } else { 1f64.copysign(x) * y });
        }
        if !y.is_finite() {
            return match x {
                0.0 => Complex64::new(f64::NAN, x),
                f64::INFINITY | f64::NEG_INFINITY => Complex64::new(f64::INFINITY, f64::NAN),
                _ => Complex64::new(f64::NAN, f64::NAN),
            };
        }
        if x.is_finite() && x.abs() > LARGE {
            let half = scaled_cis(0.5, x.abs(), y);
            return Complex64::new(half.re, half.im * x.signum());
        }
        Complex64::new(libm::cosh(x) * libm::cos(y), libm::sinh(x) * libm::sin(y))
    }

    /// `sinh z / cosh z`, in Kahan's form in `tan y` and `sinh x` ("Branch cuts for complex elementary functions", 1987), which
    /// never cancels.
    pub fn tanh(self) -> Complex64 {
        let Complex64 { re: x, im: y } = self;
        if x.is_infinite() {
            let zero = if y.is_finite() { libm::sin(y) * libm::cos(y) } else { y };
            return Complex64::new(1f64.copysign(x), 0f64.copysign(zero));
        }
        if x.is_nan() {
            return Complex64::new(x, if y == 0.0 { y } else { f64::NAN });
        }
        if !y.is_finite() {
            return Complex64::new(if x == 0.0 { x } else { f64::NAN }, f64::NAN);
        }
        if x.abs() > LARGE {
            let decay = libm::exp(-x.abs());
            return Complex64::new(1f64.copysign(x), 4.0 * libm::sin(y) * libm::cos(y) * decay * decay);
        }
        let (t, s) = (libm::tan(y), libm::sinh(x));
        let beta = 1.0 + t * t;
        let denominator = 1.0 + beta * s * s;
        Complex64::new(beta * (1.0 + s * s).sqrt() * s / denominator, t / denominator)
    }

    /// `sin x cosh y + i cos x sinh y` (DLMF 4.21.37).
    pub fn sin(self) -> Complex64 {
        self.swap().sinh().swap()
    }

    /// `cos x cosh y - i sin x sinh y` (DLMF 4.21.38).
    pub fn cos(self) -> Complex64 {
        Complex64::new(-self.im, self.re).cosh()
    }

    /// `sin z / cos z`.
    pub fn tan(self) -> Complex64 {
        self.swap().tanh().swap()
    }
}
