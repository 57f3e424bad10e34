//! The element types of vectors, with the constants that generic code needs.

use std::fmt::Debug;

/// A floating-point element.
pub trait Scalar: Copy + Default + Debug + PartialEq + PartialOrd + Send + Sync + 'static {
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;
    /// −0, which has only the sign bit set.
    const SIGN: Self;
    /// +∞.
    const INFINITY: Self;
    /// −∞.
    const NEG_INFINITY: Self;
    /// The smallest power of two above which every value is an integer.
    const INTEGRAL: Self;

    /// Returns the value as `f64`, exactly.
    fn to_f64(self) -> f64;
    /// Returns the nearest value of this type.
    fn from_f64(value: f64) -> Self;
    /// Returns the larger of two; NaN if either is NaN.
    fn larger(self, other: Self) -> Self;
}

macro_rules! scalar {
    ($float:ident, $integral:expr) => {
        impl Scalar for $float {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const SIGN: Self = -0.0;
            const INFINITY: Self = $float::INFINITY;
            const NEG_INFINITY: Self = $float::NEG_INFINITY;
            const INTEGRAL: Self = $integral;

            #[inline(always)]
            fn to_f64(self) -> f64 {
                self as f64
            }

            #[inline(always)]
            fn from_f64(value: f64) -> Self {
                value as $float
            }

            #[inline(always)]
            fn larger(self, other: Self) -> Self {
                if self > other || self.is_nan() { self } else { other }
            }
        }
    };
}

scalar!(f32, (1u64 << 23) as f32);
scalar!(f64, (1u64 << 52) as f64);
