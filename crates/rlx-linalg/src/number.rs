//! The number types that blocked algorithms compute in.

use faer::c64;
use faer::traits::{ComplexField, RealField};
use rlx_simd::simd::{Simd, Vector};
use std::cmp::Ordering;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// Limits number types to those of this crate, because its unsafe code relies on them.
mod sealed {
    pub trait Sealed {}
}
use sealed::Sealed;

/// A real or complex machine number.
pub trait Number:
    Sealed
    + ComplexField
    + Copy
    + Send
    + Sync
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + 'static
{
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;
    /// Squares of numbers between this and its inverse keep their digits.
    const SMALL: f64;

    /// Returns the real and the imaginary part.
    fn parts(self) -> (f64, f64);
    /// Returns the number with these parts; a real number ignores the imaginary part.
    fn from_parts(re: f64, im: f64) -> Self;

    /// Returns the complex conjugate.
    fn conj(self) -> Self {
        let (re, im) = self.parts();
        Self::from_parts(re, -im)
    }

    /// Returns NaN in all parts.
    fn nan() -> Self {
        Self::from_parts(f64::NAN, f64::NAN)
    }

    /// Returns the product with a real number.
    fn scaled(self, factor: f64) -> Self {
        let (re, im) = self.parts();
        Self::from_parts(re * factor, im * factor)
    }

    /// Returns `|re| + |im|`.
    fn abs1(self) -> f64 {
        let (re, im) = self.parts();
        re.abs() + im.abs()
    }

    /// Returns `re² + im²`.
    fn norm_squared(self) -> f64 {
        let (re, im) = self.parts();
        re * re + im * im
    }

    /// Returns whether both parts are finite.
    fn is_finite(self) -> bool {
        let (re, im) = self.parts();
        re.is_finite() && im.is_finite()
    }
}

macro_rules! real_number {
    ($t:ty, $small:expr) => {
        impl Sealed for $t {}

        impl Number for $t {
            const ZERO: $t = 0.0;
            const ONE: $t = 1.0;
            const SMALL: f64 = $small;

            fn parts(self) -> (f64, f64) {
                (f64::from(self), 0.0)
            }
            fn from_parts(re: f64, _: f64) -> $t {
                re as $t
            }
            fn conj(self) -> $t {
                self
            }
        }
    };
}
real_number!(f32, 1e-12);
real_number!(f64, 1e-120);

/// A real number with its vectors.
pub(super) trait Real: Number + RealField + PartialOrd + Default {
    type Vector<S: Simd>: Vector<Elem = Self, Token = S>;
    const INFINITY: Self;
    /// The distance from one to the next larger number.
    const EPSILON: Self;
    /// A tenth of the cube root of [`EPSILON`](Self::EPSILON).
    const CUBE_ROOT: Self;
    /// Squares of numbers above this keep their digits.
    const TINY: Self;
    /// Products of numbers above this with numbers above [`EPSILON`](Self::EPSILON) keep their digits.
    const LEAST: Self;

    fn real(x: f64) -> Self;
    fn to_f64(self) -> f64;
    fn abs(self) -> Self;
    fn sqrt(self) -> Self;
    /// Computes `self * factor + term`, rounded once.
    fn fused(self, factor: Self, term: Self) -> Self;
    fn order(&self, other: &Self) -> Ordering;

    /// Returns the larger of two numbers, neither of which is NaN.
    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        if self > other { self } else { other }
    }

    /// Computes `√(x² + y²)`, even if the squares of `x` and `y` underflow, unless they overflow.
    #[inline(always)]
    fn hypotenuse(self, other: Self) -> Self {
        let square = self * self + other * other;
        if square > Self::TINY * Self::TINY { square.sqrt() } else { self.scaled_hypotenuse(other) }
    }

    /// Computes `√(x² + y²)` without squares that underflow.
    #[cold]
    fn scaled_hypotenuse(self, other: Self) -> Self {
        let (x, y) = (self.abs(), other.abs());
        let (small, large) = if x < y { (x, y) } else { (y, x) };
        if large == Self::ZERO {
            return Self::ZERO;
        }
        let ratio = small / large;
        large * (Self::ONE + ratio * ratio).sqrt()
    }
}

macro_rules! real {
    ($t:ident, $vector:ident, $cube_root:expr, $tiny:expr) => {
        impl Real for $t {
            type Vector<S: Simd> = S::$vector;
            const INFINITY: $t = $t::INFINITY;
            const EPSILON: $t = $t::EPSILON;
            const CUBE_ROOT: $t = $cube_root;
            const TINY: $t = $tiny;
            const LEAST: $t = $t::MIN_POSITIVE / $t::EPSILON;

            #[inline(always)]
            fn real(x: f64) -> $t {
                x as $t
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                f64::from(self)
            }
            #[inline(always)]
            fn abs(self) -> $t {
                $t::abs(self)
            }
            #[inline(always)]
            fn sqrt(self) -> $t {
                $t::sqrt(self)
            }
            #[inline(always)]
            fn fused(self, factor: $t, term: $t) -> $t {
                $t::mul_add(self, factor, term)
            }
            fn order(&self, other: &$t) -> Ordering {
                self.total_cmp(other)
            }
        }
    };
}
real!(f32, F32, 4.9e-4, 1e-15);
real!(f64, F64, 6e-7, 1e-140);

impl Sealed for c64 {}

impl Number for c64 {
    const ZERO: c64 = c64::new(0.0, 0.0);
    const ONE: c64 = c64::new(1.0, 0.0);
    const SMALL: f64 = 1e-120;

    fn parts(self) -> (f64, f64) {
        (self.re, self.im)
    }
    fn from_parts(re: f64, im: f64) -> c64 {
        c64::new(re, im)
    }
}
