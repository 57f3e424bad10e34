//! Named reductions, each defined by how two totals combine and by the total of nothing. The order does not matter except for the rounding
//! of floats.

use crate::compute_type::{Bit, C128};
use std::marker::PhantomData;

/// A type of totals and how to combine them.
pub trait Monoid: 'static {
    /// The type of a total.
    type Total: Copy + Send + Sync + 'static;
    /// The total of nothing.
    const IDENTITY: Self::Total;
    /// Returns the total of two.
    fn combine(a: Self::Total, b: Self::Total) -> Self::Total;
}

/// The sum; integers wrap.
pub struct Sum<T>(PhantomData<T>);
/// The product; integers wrap.
pub struct Prod<T>(PhantomData<T>);
/// The largest; NaN if there is one.
pub struct Max<T>(PhantomData<T>);
/// The smallest; NaN if there is one.
pub struct Min<T>(PhantomData<T>);
/// The bits set in all.
pub struct And<T>(PhantomData<T>);
/// The bits set in any.
pub struct Or<T>(PhantomData<T>);

macro_rules! monoids {
    ($($Monoid:ident<$t:ty>: $identity:expr, |$a:ident, $b:ident| $combined:expr;)*) => {$(
        impl Monoid for $Monoid<$t> {
            type Total = $t;
            const IDENTITY: $t = $identity;

            #[inline(always)]
            fn combine($a: $t, $b: $t) -> $t {
                $combined
            }
        }
    )*};
}

monoids! {
    Sum<f64>: 0.0, |a, b| a + b;
    Prod<f64>: 1.0, |a, b| a * b;
    Sum<C128>: [0.0, 0.0], |a, b| [a[0] + b[0], a[1] + b[1]];
    Prod<C128>: [1.0, 0.0], |a, b| [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]];
    Max<f64>: f64::NEG_INFINITY, |a, b| larger64(a, b);
    Min<f64>: f64::INFINITY, |a, b| -larger64(-a, -b);
    Max<f32>: f32::NEG_INFINITY, |a, b| larger32(a, b);
    Min<f32>: f32::INFINITY, |a, b| -larger32(-a, -b);
    Max<Order64>: Order64::new(f64::NEG_INFINITY), |a, b| a.max(b);
    Min<Order64>: Order64::new(f64::INFINITY), |a, b| a.min(b);
    Max<Order32>: Order32::new(f32::NEG_INFINITY), |a, b| a.max(b);
    Min<Order32>: Order32::new(f32::INFINITY), |a, b| a.min(b);
    And<Bit>: Bit(1), |a, b| Bit(a.0 & b.0);
    Or<Bit>: Bit(0), |a, b| Bit(a.0 | b.0);
}

macro_rules! integers {
    ($($t:ident)*) => {monoids! {$(
        Sum<$t>: 0, |a, b| a.wrapping_add(b);
        Prod<$t>: 1, |a, b| a.wrapping_mul(b);
        Max<$t>: $t::MIN, |a, b| a.max(b);
        Min<$t>: $t::MAX, |a, b| a.min(b);
        And<$t>: !0, |a, b| a & b;
        Or<$t>: 0, |a, b| a | b;
    )*}};
}
integers!(i8 i16 i32 i64 u8 u16 u32 u64);

macro_rules! larger {
    ($($name:ident $t:ident)*) => {$(
        /// The larger; NaN if either is NaN; 0 is larger than −0.
        #[inline(always)]
        fn $name(a: $t, b: $t) -> $t {
            let first = a > b || (a == b && b.is_sign_negative());
            let larger = if first { a } else { b };
            if a.is_nan() { a } else { larger }
        }
    )*};
}
larger!(larger32 f32 larger64 f64);

macro_rules! orders {
    ($($Order:ident $t:ident $int:ident $uint:ident;)*) => {$(
        /// A float as an integer with the same order: −0 is below 0, and NaNs are beyond all numbers.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
        pub struct $Order($int);

        impl $Order {
            /// Converts a float.
            #[inline(always)]
            pub const fn new(x: $t) -> $Order {
                $Order(Self::flip(x.to_bits() as $int))
            }

            /// Returns the float.
            #[inline(always)]
            pub fn value(self) -> $t {
                $t::from_bits(Self::flip(self.0) as $uint)
            }

            /// Reverses the order of negative numbers.
            #[inline(always)]
            const fn flip(bits: $int) -> $int {
                bits ^ ((bits >> ($int::BITS - 1)) & $int::MAX)
            }
        }
    )*};
}
orders! {
    Order32 f32 i32 u32;
    Order64 f64 i64 u64;
}
