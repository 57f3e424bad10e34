//! Double-double arithmetic: an unevaluated sum of two f64, about 31 decimal digits.
//!
//! The special functions keep their canceling intermediate results in this form, so that the plain textbook formulas stay
//! accurate to the last digits of an f64. The sums and products are the classic error-free transformations (Knuth; Dekker, "A
//! floating-point technique for extending the available precision", 1971). This module does not know the functions built on it.
//! Callers handle infinities and NaN themselves; if one is passed, the result is NaN, and nothing panics.

use core::ops::{Add, Div, Mul, Neg, Sub};

/// `hi + lo`, with `|lo|` at most half a unit in the last place of `hi`.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Dd {
    /// The value rounded to f64.
    pub hi: f64,
    /// The rounding error.
    pub lo: f64,
}

/// `ln 2` to 32 digits.
pub const LN_2: Dd = Dd { hi: core::f64::consts::LN_2, lo: 2.3190468138462996e-17 };
/// `π` to 32 digits.
pub const PI: Dd = Dd { hi: core::f64::consts::PI, lo: 1.2246467991473532e-16 };

/// The exact sum of two f64 (Knuth's two-sum).
pub fn two_sum(a: f64, b: f64) -> Dd {
    let hi = a + b;
    let bb = hi - a;
    Dd { hi, lo: (a - (hi - bb)) + (b - bb) }
}

/// The exact sum of two f64 with `|a| >= |b|` (Dekker's fast two-sum).
fn quick_two_sum(a: f64, b: f64) -> Dd {
    let hi = a + b;
    Dd { hi, lo: b - (hi - a) }
}

/// The exact product of two f64, barring underflow.
pub fn two_prod(a: f64, b: f64) -> Dd {
    let hi = a * b;
    Dd { hi, lo: a.mul_add(b, -hi) }
}

impl Dd {
    /// Zero.
    pub const ZERO: Dd = Dd { hi: 0.0, lo: 0.0 };
    /// One.
    pub const ONE: Dd = Dd { hi: 1.0, lo: 0.0 };

    /// The quotient of two f64, for constants that are ratios of small integers.
    pub fn ratio(num: f64, den: f64) -> Dd {
        Dd::from(num) / Dd::from(den)
    }

    /// The value rounded to f64.
    pub fn to_f64(self) -> f64 {
        self.hi
    }

    /// `self * factor`, where `factor` is a power of two for which `lo` neither overflows nor underflows.
    fn scale_exact(self, factor: f64) -> Dd {
        Dd { hi: self.hi * factor, lo: self.lo * factor }
    }

    /// `e^self - 1`, with a small relative error even near zero.
    ///
    /// The argument is halved until it is tiny, the Taylor series is summed, and each halving is undone by
    /// `expm1(2x) = expm1(x) (expm1(x) + 2)`.
    pub fn exp_m1(self) -> Dd {
        if self.hi.abs() > 0.4 {
            return self.exp() - Dd::ONE;
        }
        const HALVINGS: u32 = 8;
        let r = self.scale_exact(1.0 / f64::from(1 << HALVINGS));
        let mut term = r;
        let mut sum = r;
        for k in 2..12 {
            term = term * r / Dd::from(f64::from(k));
            sum = sum + term;
        }
        for _ in 0..HALVINGS {
            sum = sum * (sum + Dd::from(2.0));
        }
        sum
    }

    /// `e^self`; zero below the range of f64 and infinite above it.
    pub fn exp(self) -> Dd {
        if self.hi.is_nan() {
            return self;
        }
        if self.hi > 709.8 {
            return Dd::from(f64::INFINITY);
        }
        if self.hi < -746.0 {
            return Dd::ZERO;
        }
        let k = (self.hi / core::f64::consts::LN_2).round();
        let reduced = self - LN_2 * Dd::from(k);
        let m = reduced.exp_m1() + Dd::ONE;
        // Two steps, because 2^k alone may lie outside the normal range.
        let half = (k / 2.0).floor();
        m.scale_exact(libm::exp2(half)).scale_exact(libm::exp2(k - half))
    }

    /// `ln self` for a positive, finite, normal value, and the logarithm of `libm` for any other.
    pub fn ln(self) -> Dd {
        if !(self.hi > 0.0 && self.hi.is_finite()) {
            return Dd::from(libm::log(self.hi));
        }
        let (m, k) = libm::frexp(self.hi);
        let (scale, k) = if m < core::f64::consts::FRAC_1_SQRT_2 { (2.0, k - 1) } else { (1.0, k) };
        let mantissa = Dd { hi: m * scale, lo: libm::ldexp(self.lo, -k) };
        (mantissa - Dd::ONE).ln_1p() + LN_2 * Dd::from(f64::from(k))
    }

    /// `ln(1 + self)` for `self > -1`, with a small relative error even near zero.
    ///
    /// One Newton step on `expm1(y) = self`, starting from the f64 result, doubles its digits.
    pub fn ln_1p(self) -> Dd {
        let y = libm::log1p(self.hi);
        if !y.is_finite() {
            return Dd::from(y);
        }
        if !(-0.4..=0.4).contains(&y) {
            return (self + Dd::ONE).ln();
        }
        let e = Dd::from(y).exp_m1();
        Dd::from(y) + (self - e) / (e + Dd::ONE)
    }

    /// `(sin πx, cos πx)` of an f64, exact at multiples of one half.
    pub fn sin_cos_pi(x: f64) -> (Dd, Dd) {
        let turns = x % 2.0;
        let quarter = (turns * 2.0).round();
        let theta = PI * Dd::from(turns - quarter / 2.0);
        let (s, c) = (taylor_alternating(theta, 1), taylor_alternating(theta, 0));
        match (quarter as i64).rem_euclid(4) {
            0 => (s, c),
            1 => (c, -s),
            2 => (-s, -c),
            _ => (-c, s),
        }
    }
}

/// `Σ (-1)^k t^(2k+first) / (2k+first)!`: the sine for `first = 1`, the cosine for `first = 0`; `|t| < 0.8`.
fn taylor_alternating(t: Dd, first: u32) -> Dd {
    let squared = t * t;
    let mut term = if first == 1 { t } else { Dd::ONE };
    let mut sum = term;
    let mut n = first;
    while n < 28 {
        term = -(term * squared) / Dd::from(f64::from((n + 1) * (n + 2)));
        sum = sum + term;
        n += 2;
    }
    sum
}

impl From<f64> for Dd {
    fn from(hi: f64) -> Dd {
        Dd { hi, lo: 0.0 }
    }
}

impl Neg for Dd {
    type Output = Dd;
    fn neg(self) -> Dd {
        Dd { hi: -self.hi, lo: -self.lo }
    }
}

impl Add for Dd {
    type Output = Dd;
    fn add(self, o: Dd) -> Dd {
        let s = two_sum(self.hi, o.hi);
        let t = two_sum(self.lo, o.lo);
        let v = quick_two_sum(s.hi, s.lo + t.hi);
        quick_two_sum(v.hi, v.lo + t.lo)
    }
}

impl Sub for Dd {
    type Output = Dd;
    fn sub(self, o: Dd) -> Dd {
        self + -o
    }
}

impl Mul for Dd {
    type Output = Dd;
    fn mul(self, o: Dd) -> Dd {
        let p = two_prod(self.hi, o.hi);
        quick_two_sum(p.hi, p.lo + (self.hi * o.lo + self.lo * o.hi))
    }
}

impl Div for Dd {
    type Output = Dd;
    fn div(self, o: Dd) -> Dd {
        let q1 = self.hi / o.hi;
        let r = self - o * Dd::from(q1);
        let q2 = r.hi / o.hi;
        let r = r - o * Dd::from(q2);
        let q3 = r.hi / o.hi;
        quick_two_sum(q1, q2) + Dd::from(q3)
    }
}
