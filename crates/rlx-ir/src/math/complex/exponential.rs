//! Exponential, logarithm, roots and powers of complex numbers (DLMF 4.2–4.8).

use super::super::dd::{Dd, LN_2, PI, two_prod, two_sum};
use super::{Complex64, modulus_squared_minus_one, power_near_inverse};

/// Above this the real exponential is computed as several factors.
const EXP_STEP: f64 = 700.0;

/// `factor · e^x (cos y, sin y)` where `e^x` alone may overflow although the product does not; `x` and `y`
/// finite.
pub(super) fn scaled_cis(factor: f64, x: f64, y: f64) -> Complex64 {
    let mut x = x;
    let mut z = Complex64::from_polar(factor, y);
    // Beyond three steps even the smallest subnormal overflows.
    for _ in 0..3 {
        if x > EXP_STEP {
            x -= EXP_STEP;
            z = z.scale(libm::exp(EXP_STEP));
        }
    }
    z.scale(libm::exp(x))
}

impl Complex64 {
    /// `e^z = e^x (cos y + i sin y)` (DLMF 4.2.20).
    pub fn exp(self) -> Complex64 {
        let Complex64 { re: x, im: y } = self;
        if y == 0.0 {
            return Complex64::new(libm::exp(x), y);
        }
        if y.is_finite() {
            return if x.is_finite() {
                scaled_cis(1.0, x, y)
            } else {
                Complex64::from_polar(libm::exp(x), y)
            };
        }
        match x {
            f64::NEG_INFINITY => Complex64::new(0.0, 0f64.copysign(y)),
            f64::INFINITY => Complex64::new(x, f64::NAN),
            _ => Complex64::new(f64::NAN, f64::NAN),
        }
    }

    /// `e^z - 1`, accurate near zero: `expm1(x) cos y - 2 sin²(y/2) + i e^x sin y`.
    pub fn exp_m1(self) -> Complex64 {
        let Complex64 { re: x, im: y } = self;
        if y == 0.0 {
            return Complex64::new(libm::expm1(x), y);
        }
        if !self.is_finite() || x > EXP_STEP {
            return self.exp() - Complex64::ONE;
        }
        let half = libm::sin(y / 2.0);
        Complex64::new(libm::expm1(x) * libm::cos(y) - 2.0 * half * half, libm::exp(x) * libm::sin(y))
    }

    /// The principal logarithm, `ln |z| + i arg z` (DLMF 4.2.2). The cut runs along the negative real axis, where the sign of a
    /// zero imaginary part says from which side the function is continuous.
    pub fn ln(self) -> Complex64 {
        Complex64::new(self.ln_abs(), self.arg())
    }

    /// `ln |z|`, accurate even near the unit circle and at extreme moduli.
    pub(super) fn ln_abs(self) -> f64 {
        let modulus = self.abs();
        if (0.5..=2.0).contains(&modulus) {
            return (modulus_squared_minus_one(Dd::from(self.re), self.im).ln_1p() * Dd::from(0.5)).to_f64();
        }
        if (1e-290..=1e300).contains(&modulus) || !self.is_finite() {
            return libm::log(modulus);
        }
        let factor = power_near_inverse(self.re.abs().max(self.im.abs()));
        libm::log(self.scale(factor).abs()) - libm::log(factor)
    }

    /// `ln(1 + z)`, accurate near zero.
    pub fn ln_1p(self) -> Complex64 {
        let Complex64 { re: x, im: y } = self;
        if x == 0.0 && y == 0.0 {
            return self;
        }
        let shifted = two_sum(1.0, x);
        let sum = Complex64::new(1.0 + x, y);
        let re = if (0.5..=2.0).contains(&sum.abs()) {
            // |1+z|² - 1 = x (2 + x) + y², which keeps its digits where 1 + z loses them.
            let excess = if x.abs() < 0.5 {
                Dd::from(x) * (Dd::from(x) + Dd::from(2.0)) + Dd::from(y) * Dd::from(y)
            } else {
                modulus_squared_minus_one(shifted, y)
            };
            (excess.ln_1p() * Dd::from(0.5)).to_f64()
        } else {
            sum.ln_abs()
        };
        Complex64::new(re, libm::atan2(y, 1.0 + x))
    }

    /// The principal square root, in the right half plane (DLMF 4.2.iv; C99 G.6.4.2).
    pub fn sqrt(self) -> Complex64 {
        let Complex64 { re: x, im: y } = self;
        if x == 0.0 && y == 0.0 {
            return Complex64::new(0.0, y);
        }
        if y.is_infinite() {
            return Complex64::new(f64::INFINITY, y);
        }
        if x == f64::INFINITY {
            return Complex64::new(x, if y.is_nan() { y } else { 0f64.copysign(y) });
        }
        if x == f64::NEG_INFINITY {
            return Complex64::new(if y.is_nan() { y } else { 0.0 }, f64::INFINITY.copysign(y));
        }
        if self.is_nan() {
            return Complex64::new(f64::NAN, f64::NAN);
        }
        // An even power of two, whose root is exact, keeps the modulus in range.
        let exponent = libm::ilogb(x.abs().max(y.abs())) / 2;
        let (a, b) = (libm::ldexp(x.abs(), -2 * exponent), libm::ldexp(y.abs(), -2 * exponent));
        let large = libm::ldexp(((a + libm::hypot(a, b)) / 2.0).sqrt(), exponent);
        let small = y.abs() / large / 2.0;
        let (re, im) = if x >= 0.0 { (large, small) } else { (small, large) };
        Complex64::new(re, im.copysign(y))
    }

    /// `1 / √z`; infinite at zero, zero at infinity.
    pub fn rsqrt(self) -> Complex64 {
        Complex64::ONE / self.sqrt()
    }

    /// The principal cube root, `|z|^{1/3} e^{i arg(z)/3}`, which is not the real root of a negative number.
    pub fn cbrt(self) -> Complex64 {
        if self.re == 0.0 && self.im == 0.0 {
            return self;
        }
        if !self.is_finite() {
            return Complex64::from_polar(libm::cbrt(self.abs()), self.arg() / 3.0);
        }
        let exponent = libm::ilogb(self.re.abs().max(self.im.abs())) / 3;
        let scaled = Complex64::new(libm::ldexp(self.re, -3 * exponent), libm::ldexp(self.im, -3 * exponent));
        Complex64::from_polar(libm::ldexp(libm::cbrt(scaled.abs()), exponent), self.arg() / 3.0)
    }

    /// `1 / (1 + e^{-z})`.
    pub fn logistic(self) -> Complex64 {
        if self.re >= 0.0 {
            return Complex64::ONE / (Complex64::ONE + (-self).exp());
        }
        let e = self.exp();
        e / (Complex64::ONE + e)
    }

    /// `z^w = e^{w ln z}` (DLMF 4.2.26) with `z^0 = 1`; `0^w` is 0 for positive real part of `w`, NaN otherwise.
    ///
    /// Small integer powers are repeated products, as in NumPy. Otherwise `w ln z` is computed in double-double, because its
    /// rounding to f64 alone would change the angle of a large power by many ulps.
    pub fn pow(self, w: Complex64) -> Complex64 {
        if w.re == 0.0 && w.im == 0.0 {
            return Complex64::ONE;
        }
        if self.re == 0.0 && self.im == 0.0 {
            return if w.re > 0.0 { Complex64::ZERO } else { Complex64::new(f64::NAN, f64::NAN) };
        }
        if w.im == 0.0 && w.re == w.re.trunc() && w.re.abs() <= 64.0 {
            return self.powi(w.re as i32);
        }
        let Some((log, angle)) = self.ln_precise() else {
            let (log, angle) = (self.ln_abs(), self.arg());
            return Complex64::new(w.re * log - w.im * angle, w.im * log + w.re * angle).exp();
        };
        let (re, im) = (Dd::from(w.re), Dd::from(w.im));
        let (exponent, turn) = (re * log - im * angle, im * log + re * angle);
        let power = Complex64::new(exponent.hi, turn.hi).exp();
        let corrected = power + power * Complex64::new(exponent.lo, turn.lo);
        if corrected.re.is_finite() && corrected.im.is_finite() { corrected } else { power }
    }

    /// `ln |z|` and the angle of a finite nonzero number.
    fn ln_precise(self) -> Option<(Dd, Dd)> {
        let largest = self.re.abs().max(self.im.abs());
        if !(self.re.is_finite() && self.im.is_finite()) || largest == 0.0 {
            return None;
        }
        let k = libm::ilogb(largest);
        // Two steps, because the reciprocal of the largest power of two is subnormal.
        let near_one = |x: f64| libm::ldexp(libm::ldexp(x, -k / 2), -k - -k / 2);
        let (x, y) = (near_one(self.re), near_one(self.im));
        let log = (two_prod(x, x) + two_prod(y, y)).ln() * Dd::from(0.5) + LN_2 * Dd::from(f64::from(k));
        // One Newton step from the f64 angle, for which any neighboring f64 is accurate enough.
        let half_turns = libm::atan2(y, x) / core::f64::consts::PI;
        let (sin, cos) = Dd::sin_cos_pi(half_turns);
        let (x, y) = (Dd::from(x), Dd::from(y));
        let angle = PI * Dd::from(half_turns) + (y * cos - x * sin) / (x * cos + y * sin);
        Some((log, angle))
    }

    /// `z^n` by repeated squaring.
    fn powi(self, n: i32) -> Complex64 {
        let (mut base, mut rest, mut product) = (self, n.unsigned_abs(), Complex64::ONE);
        while rest > 0 {
            if rest & 1 == 1 {
                product *= base;
            }
            base *= base;
            rest >>= 1;
        }
        if n < 0 { Complex64::ONE / product } else { product }
    }
}
