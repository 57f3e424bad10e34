//! Complex f64 numbers: the type, its arithmetic, and functions that need only real functions.
//!
//! Branch cuts and special values follow C99 Annex G and NumPy. Products use the plain four-multiplication form, as in NumPy and
//! XLA. Quotients are scaled, so that they overflow or underflow only if the result does.

mod exponential;
mod inverse;
mod trigonometric;

use super::dd::{Dd, two_prod};
use core::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

/// `re + i im`.
#[derive(Copy, Clone, PartialEq, Debug, Default)]
pub struct Complex64 {
    /// The real part.
    pub re: f64,
    /// The imaginary part.
    pub im: f64,
}

impl Complex64 {
    /// Zero.
    pub const ZERO: Complex64 = Complex64::new(0.0, 0.0);
    /// One.
    pub const ONE: Complex64 = Complex64::new(1.0, 0.0);
    /// The imaginary unit.
    pub const I: Complex64 = Complex64::new(0.0, 1.0);

    /// `re + i im`.
    pub const fn new(re: f64, im: f64) -> Complex64 {
        Complex64 { re, im }
    }

    /// `modulus · e^{i angle}`. A zero angle gives a zero imaginary part, even for an infinite modulus.
    pub fn from_polar(modulus: f64, angle: f64) -> Complex64 {
        let (sin, cos) = libm::sincos(angle);
        Complex64::new(modulus * cos, if sin == 0.0 { sin } else { modulus * sin })
    }

    /// The conjugate.
    pub fn conj(self) -> Complex64 {
        Complex64::new(self.re, -self.im)
    }

    /// The modulus, without undue overflow or underflow. It is ∞ if either part is, even if the other is NaN.
    pub fn abs(self) -> f64 {
        libm::hypot(self.re, self.im)
    }

    /// The angle in `[-π, π]`.
    pub fn arg(self) -> f64 {
        libm::atan2(self.im, self.re)
    }

    /// Both parts times a real number.
    pub fn scale(self, factor: f64) -> Complex64 {
        Complex64::new(self.re * factor, self.im * factor)
    }

    /// Whether neither part is infinite or NaN.
    pub fn is_finite(self) -> bool {
        self.re.is_finite() && self.im.is_finite()
    }

    /// Whether either part is NaN.
    pub fn is_nan(self) -> bool {
        self.re.is_nan() || self.im.is_nan()
    }

    /// `z / |z|`, or zero at zero. The infinite parts of an infinity give NaN, as the quotient does.
    pub fn sign(self) -> Complex64 {
        if self.re == 0.0 && self.im == 0.0 {
            return self;
        }
        // Scaled by a power of two, so that a modulus outside the normal range costs no digits.
        let largest = self.re.abs().max(self.im.abs());
        let z = self.scale(power_near_inverse(largest));
        let modulus = z.abs();
        Complex64::new(z.re / modulus, z.im / modulus)
    }

    /// Exchanges the real and the imaginary part: the reflection that maps circular to hyperbolic functions.
    fn swap(self) -> Complex64 {
        Complex64::new(self.im, self.re)
    }
}

/// A power of two whose product with `x > 0` is near one; one if `x` is infinite or NaN.
fn power_near_inverse(x: f64) -> f64 {
    if !x.is_finite() || x == 0.0 {
        return 1.0;
    }
    libm::ldexp(1.0, (-libm::ilogb(x)).clamp(-1022, 1023))
}

impl From<f64> for Complex64 {
    fn from(re: f64) -> Complex64 {
        Complex64::new(re, 0.0)
    }
}

impl Neg for Complex64 {
    type Output = Complex64;
    fn neg(self) -> Complex64 {
        Complex64::new(-self.re, -self.im)
    }
}

impl Add for Complex64 {
    type Output = Complex64;
    fn add(self, o: Complex64) -> Complex64 {
        Complex64::new(self.re + o.re, self.im + o.im)
    }
}

impl Sub for Complex64 {
    type Output = Complex64;
    fn sub(self, o: Complex64) -> Complex64 {
        Complex64::new(self.re - o.re, self.im - o.im)
    }
}

impl Mul for Complex64 {
    type Output = Complex64;
    fn mul(self, o: Complex64) -> Complex64 {
        Complex64::new(self.re * o.re - self.im * o.im, self.re * o.im + self.im * o.re)
    }
}

impl Div for Complex64 {
    type Output = Complex64;

    /// Computes the quotient as `z w̄ / |w|²` on scaled operands with compensated sums, and recovers infinite and zero results as
    /// in C99 Annex G.5.1.
    fn div(self, w: Complex64) -> Complex64 {
        let down = power_near_inverse(w.re.abs().max(w.im.abs()));
        let up = power_near_inverse(self.re.abs().max(self.im.abs()));
        let (z, v) = (self.scale(up), w.scale(down));
        let norm = v.re * v.re + v.im * v.im;
        let re = sum_of_products(z.re, v.re, z.im, v.im) / norm;
        let im = sum_of_products(z.im, v.re, -z.re, v.im) / norm;
        let quotient = Complex64::new(rescale(re, down, up), rescale(im, down, up));
        if quotient.re.is_nan() && quotient.im.is_nan() { recover_quotient(self, w) } else { quotient }
    }
}

/// `x * down / up` for powers of two, in the order that stays in range if the result does.
fn rescale(x: f64, down: f64, up: f64) -> f64 {
    if (down > 1.0) == (up > 1.0) { x * (down / up) } else { x * down / up }
}

/// `a b + c d`, accurate to about the last digit even if the products cancel (Kahan).
fn sum_of_products(a: f64, b: f64, c: f64, d: f64) -> f64 {
    let plain = a * b + c * d;
    if !plain.is_finite() {
        return plain;
    }
    (two_prod(a, b) + two_prod(c, d)).to_f64()
}

/// The infinite and zero quotients that the formula computes as pairs of NaN (C99 Annex G.5.1).
fn recover_quotient(z: Complex64, w: Complex64) -> Complex64 {
    let unit = |x: f64| f64::from(x.is_infinite()).copysign(x);
    let infinite = |z: Complex64| z.re.is_infinite() || z.im.is_infinite();
    if w.re == 0.0 && w.im == 0.0 && !(z.re.is_nan() && z.im.is_nan()) {
        let inf = f64::INFINITY.copysign(w.re);
        return Complex64::new(inf * z.re, inf * z.im);
    }
    if infinite(z) && w.is_finite() {
        let (a, b) = (unit(z.re), unit(z.im));
        return Complex64::new(a * w.re + b * w.im, b * w.re - a * w.im).scale(f64::INFINITY);
    }
    if infinite(w) && z.is_finite() {
        let (c, d) = (unit(w.re), unit(w.im));
        return Complex64::new(z.re * c + z.im * d, z.im * c - z.re * d).scale(0.0);
    }
    Complex64::new(f64::NAN, f64::NAN)
}

impl AddAssign for Complex64 {
    fn add_assign(&mut self, o: Complex64) {
        *self = *self + o;
    }
}

impl SubAssign for Complex64 {
    fn sub_assign(&mut self, o: Complex64) {
        *self = *self - o;
    }
}

impl MulAssign for Complex64 {
    fn mul_assign(&mut self, o: Complex64) {
        *self = *self * o;
    }
}

/// `|z|² - 1` with a small absolute error even near the unit circle, for parts of moderate size.
fn modulus_squared_minus_one(re: Dd, im: f64) -> Dd {
    re * re - Dd::ONE + two_prod(im, im)
}
