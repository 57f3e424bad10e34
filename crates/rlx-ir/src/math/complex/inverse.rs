//! Inverse circular and hyperbolic functions of complex numbers (DLMF 4.23, 4.37; special values of C99 G.6).
//!
//! `asin` and `acos` follow Hull, Fairgrieve and Tang, "Implementing the complex arcsine and arccosine functions using exception
//! handling", ACM TOMS 23 (1997); the other functions derive from them and from `atanh`.

use super::super::dd::{Dd, two_prod};
use super::Complex64;
use core::f64::consts::{FRAC_PI_2, FRAC_PI_4, LN_2, PI};

/// Beyond this modulus the functions equal their leading asymptotic term.
const LARGE: f64 = 1e9;

/// Below this ratio of `y` to `|x - 1|` the real formulas are exact to the last digit.
const NEAR_AXIS: f64 = 1e-9;

/// The parts of both inverse functions, for `z = x + iy` in the first quadrant.
struct Parts {
    /// `Re asin z`.
    asin: f64,
    /// `Re acos z`.
    acos: f64,
    /// `Im asin z = -Im acos z`, which is not negative.
    im: f64,
}

/// [`Parts`] for finite `x >= 0`, `y >= 0`.
fn first_quadrant(x: f64, y: f64) -> Parts {
    if x.max(y) > LARGE {
        let im = Complex64::new(x, y).ln_abs() + LN_2;
        return Parts { asin: libm::atan2(x, y), acos: libm::atan2(y, x), im };
    }
    if x == 1.0 && y < 1e-20 {
        let root = y.sqrt();
        return Parts { asin: FRAC_PI_2 - root, acos: root, im: root };
    }
    if y < NEAR_AXIS * (x - 1.0).abs() {
        return near_axis(x, y);
    }
    let (r, s) = (libm::hypot(x + 1.0, y), libm::hypot(x - 1.0, y));
    let a = (r + s) / 2.0;
    let (asin, acos) = real_parts(x, y, r, s, a);
    let im = if a > 1.5 {
        libm::log(a + (a * a - 1.0).sqrt())
    } else {
        let right = if x < 1.0 { y * y / (s + (1.0 - x)) } else { s + (x - 1.0) };
        let excess = (y * y / (r + (x + 1.0)) + right) / 2.0;
        libm::log1p(excess + (excess * (a + 1.0)).sqrt())
    };
    Parts { asin, acos, im }
}

/// The limit of the formulas for `y` far smaller than the distance to the branch point at 1.
fn near_axis(x: f64, y: f64) -> Parts {
    let root = ((x - 1.0).abs() * (x + 1.0)).sqrt();
    if x < 1.0 {
        return Parts { asin: libm::asin(x), acos: libm::acos(x), im: y / root };
    }
    Parts { asin: FRAC_PI_2 - y / root, acos: y / root, im: libm::log1p((x - 1.0) + root) }
}

/// `(Re asin z, Re acos z)`: the arcsine of `x / a` away from 1, else through the arctangent.
fn real_parts(x: f64, y: f64, r: f64, s: f64, a: f64) -> (f64, f64) {
    let b = x / a;
    if b <= 0.6417 {
        return (libm::asin(b), libm::acos(b));
    }
    let ax = a + x;
    let root = if x <= 1.0 {
        (ax / 2.0 * (y * y / (r + (x + 1.0)) + (s + (1.0 - x)))).sqrt()
    } else {
        y * (ax / 2.0 / (r + (x + 1.0)) + ax / 2.0 / (s + (x - 1.0))).sqrt()
    };
    (libm::atan2(x, root), libm::atan2(root, x))
}

impl Complex64 {
    /// The principal arcsine; cuts on the real axis outside `[-1, 1]` (DLMF 4.23.ii).
    pub fn asin(self) -> Complex64 {
        self.swap().asinh().swap()
    }

    /// The principal inverse hyperbolic sine; cuts on the imaginary axis outside `[-i, i]` (DLMF 4.37.ii).
    pub fn asinh(self) -> Complex64 {
        let Complex64 { re: x, im: y } = self;
        if self.is_finite() {
            let parts = first_quadrant(y.abs(), x.abs());
            return Complex64::new(parts.im.copysign(x), parts.asin.copysign(y));
        }
        let (re, im) = match (x.is_nan(), y.is_nan()) {
            (false, false) if x.is_infinite() => (x, if y.is_infinite() { FRAC_PI_4 } else { 0.0 }),
            (false, false) => (y.copysign(x), FRAC_PI_2),
            (true, false) if y == 0.0 => (x, 0.0),
            (true, false) if y.is_infinite() => (y, f64::NAN),
            (false, true) if x.is_infinite() => (x, f64::NAN),
            _ => (f64::NAN, f64::NAN),
        };
        Complex64::new(re.copysign(x), im.copysign(y))
    }

    /// The principal arccosine; cuts on the real axis outside `[-1, 1]` (DLMF 4.23.ii).
    pub fn acos(self) -> Complex64 {
        let Complex64 { re: x, im: y } = self;
        if self.is_finite() {
            let parts = first_quadrant(x.abs(), y.abs());
            let re = if x.is_sign_negative() { PI - parts.acos } else { parts.acos };
            return Complex64::new(re, -parts.im.copysign(y));
        }
        match (x.is_nan(), y.is_nan()) {
            (false, false) => {
                // Infinite: the angle of the direction, where all infinities count as the same length.
                let unit = |v: f64| f64::from(v.is_infinite()).copysign(v);
                let re = libm::atan2(unit(y).abs(), unit(x));
                Complex64::new(re, -f64::INFINITY.copysign(y))
            }
            (true, false) if y.is_infinite() => Complex64::new(f64::NAN, -y),
            (false, true) if x.is_infinite() => Complex64::new(f64::NAN, -f64::INFINITY),
            (false, true) if x == 0.0 => Complex64::new(FRAC_PI_2, f64::NAN),
            _ => Complex64::new(f64::NAN, f64::NAN),
        }
    }

    /// The principal inverse hyperbolic cosine, `± i acos z` with non-negative real part (DLMF 4.37.ii).
    pub fn acosh(self) -> Complex64 {
        let w = self.acos();
        if w.re.is_nan() && w.im.is_nan() {
            return w;
        }
        if w.re.is_nan() {
            return Complex64::new(w.im.abs(), w.re);
        }
        Complex64::new(w.im.abs(), w.re.copysign(self.im))
    }

    /// The principal inverse hyperbolic tangent; cuts on the real axis outside `[-1, 1]` (DLMF 4.37.iv).
    ///
    /// `¼ ln(1 + 4x / ((1-x)² + y²)) + ½ i atan2(2y, (1-x)(1+x) - y²)` for `x >= 0`, odd in `x`.
    pub fn atanh(self) -> Complex64 {
        let (x, y) = (self.re.abs(), self.im);
        let quarter_turn = FRAC_PI_2.copysign(y);
        if !self.is_finite() {
            let re = match (x.is_nan(), y.is_nan()) {
                (false, true) if x == 0.0 || x.is_infinite() => 0.0,
                (_, false) if y.is_infinite() => 0.0,
                (false, false) => 0.0,
                _ => f64::NAN,
            };
            let known = y.is_infinite() || (x.is_infinite() && !y.is_nan());
            return Complex64::new(re.copysign(self.re), if known { quarter_turn } else { f64::NAN });
        }
        if x == 1.0 && y == 0.0 {
            return Complex64::new(f64::INFINITY.copysign(self.re), y);
        }
        if y == 0.0 && x < 1.0 {
            return Complex64::new(libm::atanh(self.re), y);
        }
        if x.max(y.abs()) > LARGE {
            // 1/z to leading order, over a quarter turn.
            return Complex64::new(
                (Complex64::ONE / Complex64::new(x, y)).re.copysign(self.re),
                quarter_turn,
            );
        }
        let distance = libm::hypot(1.0 - x, y);
        let re = if distance < 1e-150 {
            // The square would underflow, and 4x is 4 to the last digit here.
            (LN_2 - libm::log(distance)) / 2.0
        } else {
            libm::log1p(4.0 * x / distance / distance) / 4.0
        };
        let excess = (Dd::from(1.0) - two_prod(x, x) - two_prod(y, y)).to_f64();
        Complex64::new(re.copysign(self.re), libm::atan2(2.0 * y, excess) / 2.0)
    }

    /// The principal arctangent; cuts on the imaginary axis outside `[-i, i]` (DLMF 4.23.ii).
    pub fn atan(self) -> Complex64 {
        self.swap().atanh().swap()
    }
}
