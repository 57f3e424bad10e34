//! The operations that the functions are written in.

use core::ops::{Add, Div, Mul, Neg, Sub};

/// A truth value, or one for each lane.
pub trait Mask: Copy {
    /// Returns where either is true.
    fn or(self, other: Self) -> Self;
    /// Returns where it is false.
    fn not(self) -> Self;
}

/// An integer of 32 bits, or one for each lane. Results wrap.
pub trait Int: Copy {
    /// Returns a constant.
    fn lit(self, value: i32) -> Self;
    /// The sum.
    fn add(self, other: Self) -> Self;
    /// The difference.
    fn sub(self, other: Self) -> Self;
    /// The lower 32 bits of the product.
    fn mul(self, other: Self) -> Self;
    /// The bits set in both.
    fn and(self, other: Self) -> Self;
    /// The bits set in either.
    fn or(self, other: Self) -> Self;
    /// The bits set in exactly one.
    fn xor(self, other: Self) -> Self;
    /// Shifts left by 0 to 31 bits.
    fn shift_left(self, bits: i32) -> Self;
    /// Shifts right by 0 to 31 bits and fills with zeros.
    fn shift_right(self, bits: i32) -> Self;
    /// Shifts right by 0 to 31 bits and fills with the sign.
    fn shift_right_signed(self, bits: i32) -> Self;
}

/// A single-precision float, or one for each lane. Operators round once, to nearest even.
pub trait Number:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// The result of a comparison.
    type Mask: Mask;
    /// The bits of a number, or an integer as large as it.
    type Int: Int;

    /// Returns a constant.
    fn lit(self, value: f32) -> Self;
    /// Computes `self · factor + addend`. Either this rounds once in all functions of a type, or the product is rounded too.
    fn mul_add(self, factor: Self, addend: Self) -> Self;
    /// The square root, correctly rounded.
    fn sqrt(self) -> Self;
    /// The absolute value.
    fn abs(self) -> Self;
    /// The magnitude of `self` with the sign of `sign`.
    fn copysign(self, sign: Self) -> Self;

    /// `self < other`; false if either is NaN.
    fn lt(self, other: Self) -> Self::Mask;
    /// `self == other`; false if either is NaN.
    fn eq(self, other: Self) -> Self::Mask;
    /// `mask ? yes : no`.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;
    /// `mask ? yes : no` of integers.
    fn select_int(mask: Self::Mask, yes: Self::Int, no: Self::Int) -> Self::Int;

    /// The bits.
    fn to_bits(self) -> Self::Int;
    /// The number with these bits.
    fn from_bits(bits: Self::Int) -> Self;
    /// Converts an integer-valued number below 2²² to an integer. Any integer for NaN.
    fn to_int(self) -> Self::Int;
    /// The number nearest to an integer.
    fn from_int(int: Self::Int) -> Self;

    /// Computes `addend − self · factor`, rounded as [`mul_add`](Number::mul_add) is.
    #[inline(always)]
    fn neg_mul_add(self, factor: Self, addend: Self) -> Self {
        (-self).mul_add(factor, addend)
    }

    /// `self < other ? self : other`, so `other` if either is NaN.
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self::select(self.lt(other), self, other)
    }

    /// `self > other ? self : other`, so `other` if either is NaN.
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self::select(other.lt(self), self, other)
    }

    /// Returns whether it is NaN.
    #[inline(always)]
    fn is_nan(self) -> Self::Mask {
        self.eq(self).not()
    }

    /// The number whose bits differ from those of `self` where `bits` are set.
    #[inline(always)]
    fn flip_bits(self, bits: Self::Int) -> Self {
        Self::from_bits(self.to_bits().xor(bits))
    }

    /// The integer nearest to `self · factor`, where the product is below 2²² and rounded as in [`mul_add`](Number::mul_add).
    #[inline(always)]
    fn nearest_multiple(self, factor: f32) -> Self {
        // Adding 1.5·2²³ leaves no bits for a fraction, so two additions round to an integer.
        let magic = self.lit(12_582_912.0);
        self.mul_add(self.lit(factor), magic) - magic
    }

    /// The nearest integer, ties to even.
    #[inline(always)]
    fn round_even(self) -> Self {
        // From 2²³ on, every number is an integer.
        let magic = self.lit(8_388_608.0);
        let magnitude = self.abs();
        let rounded = (magnitude + magic) - magic;
        Self::select(magnitude.lt(magic), rounded, magnitude).copysign(self)
    }

    /// `self · 2ⁿ`, rounded once, for `self` of magnitude about 1 and integral `n` between −250 and 250.
    #[inline(always)]
    fn scale_by_power(self, n: Self) -> Self {
        let n = n.to_int();
        let half = n.shift_right_signed(1);
        let power = |n: Self::Int| Self::from_bits(n.add(n.lit(127)).shift_left(23));
        // Each half-power is a normal number; only the second product can round.
        self * power(half) * power(n.sub(half))
    }

    /// The square, and its rounding error, which is exact unless something overflows or underflows.
    #[inline(always)]
    fn square_parts(self) -> (Self, Self) {
        let square = self * self;
        (square, square_error(self, square))
    }

    /// The r and n with `self = r + n·π/2` and |r| at most about π/4, for `self` up to where [`replace_far`](Number::replace_far) begins.
    #[inline(always)]
    fn quarter_turns(self) -> (Self, Self::Int) {
        super::turns::quarter_turns(self)
    }

    /// Returns `result`, but where `self` is too far from 0 for [`quarter_turns`](Number::quarter_turns), sin(self + quarters·π/2) for
    /// 0 or 1 quarter turns.
    #[inline(always)]
    fn replace_far(self, result: Self, _quarters: i32) -> Self {
        result
    }
}

/// Returns the rounding error of a square without a fused multiply-add: the number becomes the sum of two numbers of 12 bits each, whose
/// products are exact (T. J. Dekker, "A floating-point technique for extending the available precision", 1971).
#[inline(always)]
pub fn square_error<N: Number>(x: N, square: N) -> N {
    let bits = x.to_bits();
    let high = N::from_bits(bits.and(bits.lit(!0xfff)));
    let low = x - high;
    ((high * high - square) + (high + high) * low) + low * low
}
