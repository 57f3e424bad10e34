//! The traits of float vectors for all instruction sets.
//!
//! Operations that an instruction set lacks are defined here in terms of others; an implementation overrides them if it has an instruction.

use std::ops::{Add, Div, Mul, Neg, Sub};

use super::sealed::Sealed;
use super::{Scalar, Simd};

/// The maximum number of lanes of any vector.
pub const MAX_LANES: usize = 16;

/// A truth value for each lane.
pub trait Mask: Sealed + Copy {
    /// Returns the lanes set in both.
    fn and(self, other: Self) -> Self;
    /// Returns the lanes set in either.
    fn or(self, other: Self) -> Self;
    /// Returns the lanes that are not set.
    fn not(self) -> Self;
    /// Returns whether any lane is set.
    fn any(self) -> bool;
}

/// A vector of floats.
pub trait Vector:
    Sealed
    + Copy
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// The type of a lane.
    type Elem: Scalar;
    /// The instruction set.
    type Token: Simd;
    /// The result of a comparison.
    type Mask: Mask;
    /// Number of lanes; a power of two, at most [`MAX_LANES`].
    const LANES: usize;

    /// Returns the token of the instruction set, which the vector proves.
    fn token(self) -> Self::Token;

    /// Returns `value` in every lane.
    fn splat(token: Self::Token, value: Self::Elem) -> Self;

    /// Returns `value` in every lane of a vector like `self`.
    #[inline(always)]
    fn lit(self, value: Self::Elem) -> Self {
        Self::splat(self.token(), value)
    }

    /// Reads `LANES` elements.
    ///
    /// # Safety
    /// `source` is valid for reads of `LANES` elements; it needs no more alignment than an element.
    unsafe fn load(token: Self::Token, source: *const Self::Elem) -> Self;

    /// Writes `LANES` elements.
    ///
    /// # Safety
    /// `target` is valid for writes of `LANES` elements; it needs no more alignment than an element.
    unsafe fn store(self, target: *mut Self::Elem);

    /// Reads the first `count` lanes; the others are 0.
    ///
    /// # Safety
    /// `count <= LANES`, and `source` is valid for reads of `count` elements.
    #[inline(always)]
    unsafe fn load_partial(token: Self::Token, source: *const Self::Elem, count: usize) -> Self {
        let mut lanes = [Self::Elem::ZERO; MAX_LANES];
        // SAFETY: the caller vouches for `source`; `lanes` holds at least `LANES >= count` elements.
        unsafe {
            std::ptr::copy_nonoverlapping(source, lanes.as_mut_ptr(), count);
            Self::load(token, lanes.as_ptr())
        }
    }

    /// Writes the first `count` lanes.
    ///
    /// # Safety
    /// `count <= LANES`, and `target` is valid for writes of `count` elements.
    #[inline(always)]
    unsafe fn store_partial(self, target: *mut Self::Elem, count: usize) {
        let lanes = self.to_array();
        // SAFETY: the caller vouches for `target`; `lanes` holds at least `LANES >= count` elements.
        unsafe { std::ptr::copy_nonoverlapping(lanes.as_ptr(), target, count) }
    }

    /// Transposes a square block: `target[c·target_step + r] = source[r·source_step + c]` for `r`, `c` below
    /// `LANES`.
    ///
    /// # Safety
    /// Both blocks are valid for `LANES` rows of `LANES` elements at their steps, and do not overlap.
    #[inline(always)]
    unsafe fn transpose(
        _token: Self::Token,
        source: *const Self::Elem,
        source_step: usize,
        target: *mut Self::Elem,
        target_step: usize,
    ) {
        for row in 0..Self::LANES {
            for column in 0..Self::LANES {
                // SAFETY: the caller vouches for both blocks.
                unsafe {
                    *target.add(column * target_step + row) = *source.add(row * source_step + column);
                }
            }
        }
    }

    /// Returns the lanes; only the first `LANES` are meaningful.
    #[inline(always)]
    fn to_array(self) -> [Self::Elem; MAX_LANES] {
        let mut lanes = [Self::Elem::ZERO; MAX_LANES];
        // SAFETY: `MAX_LANES >= LANES`.
        unsafe { self.store(lanes.as_mut_ptr()) };
        lanes
    }

    /// Applies `function` to each lane separately.
    #[inline(always)]
    fn map_lanes(self, function: impl Fn(Self::Elem) -> Self::Elem) -> Self {
        let mut lanes = self.to_array();
        for lane in &mut lanes[..Self::LANES] {
            *lane = function(*lane);
        }
        // SAFETY: `MAX_LANES >= LANES`.
        unsafe { Self::load(self.token(), lanes.as_ptr()) }
    }

    /// Computes `self · factor + addend`, rounded once, or twice on [`Isa::Baseline`](crate::isa::Isa::Baseline).
    fn mul_add(self, factor: Self, addend: Self) -> Self;

    /// Computes `addend − self · factor`, rounded as [`mul_add`](Vector::mul_add) is.
    fn neg_mul_add(self, factor: Self, addend: Self) -> Self;

    /// The square root, correctly rounded.
    fn sqrt(self) -> Self;

    /// `self > other ? self : other` in each lane, so `other` if either is NaN.
    fn max(self, other: Self) -> Self;

    /// `self < other ? self : other` in each lane, so `other` if either is NaN.
    fn min(self, other: Self) -> Self;

    /// The bits set in both.
    fn and(self, other: Self) -> Self;
    /// The bits set in either.
    fn or(self, other: Self) -> Self;
    /// The bits set in exactly one.
    fn xor(self, other: Self) -> Self;

    /// `self < other`; false if either is NaN.
    fn lt(self, other: Self) -> Self::Mask;
    /// `self <= other`; false if either is NaN.
    fn le(self, other: Self) -> Self::Mask;
    /// `self == other`; false if either is NaN.
    fn eq(self, other: Self) -> Self::Mask;
    /// `mask ? self : other` in each lane.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;

    /// Returns which lanes are NaN.
    #[inline(always)]
    fn is_nan(self) -> Self::Mask {
        self.eq(self).not()
    }

    /// The absolute value.
    #[inline(always)]
    fn abs(self) -> Self {
        self.xor(self.sign_bit())
    }

    /// The sign bit alone.
    #[inline(always)]
    fn sign_bit(self) -> Self {
        self.and(self.lit(Self::Elem::SIGN))
    }

    /// The magnitude of `self` with the sign of `sign`.
    #[inline(always)]
    fn copysign(self, sign: Self) -> Self {
        self.abs().or(sign.sign_bit())
    }

    /// IEEE 754-2019 `maximum`: NaN if either is NaN, and −0 < +0.
    #[inline(always)]
    fn maximum(self, other: Self) -> Self {
        let larger = Self::select(self.is_nan(), self, self.max(other));
        Self::select(self.eq(other), self.and(other), larger)
    }

    /// IEEE 754-2019 `minimum`: NaN if either is NaN, and −0 < +0.
    #[inline(always)]
    fn minimum(self, other: Self) -> Self {
        let smaller = Self::select(self.is_nan(), self, self.min(other));
        Self::select(self.eq(other), self.or(other), smaller)
    }

    /// The nearest integer, ties to even. Keeps the sign of zero.
    #[inline(always)]
    fn round_even(self) -> Self {
        let magic = self.lit(Self::Elem::INTEGRAL);
        let magnitude = self.abs();
        let rounded = ((magnitude + magic) - magic).or(self.sign_bit());
        Self::select(magnitude.lt(magic), rounded, self)
    }

    /// The largest integer that is not greater. Keeps the sign of zero.
    #[inline(always)]
    fn floor(self) -> Self {
        let near = self.round_even();
        Self::select(self.lt(near), near - self.lit(Self::Elem::ONE), near)
    }

    /// The smallest integer that is not less. Keeps the sign of zero.
    #[inline(always)]
    fn ceil(self) -> Self {
        let near = self.round_even();
        Self::select(near.lt(self), near + self.lit(Self::Elem::ONE), near).copysign(self)
    }

    /// The integer part. Keeps the sign of zero.
    #[inline(always)]
    fn trunc(self) -> Self {
        self.abs().floor().copysign(self)
    }

    /// The sum of the lanes, added by halves, which is a fixed order.
    #[inline(always)]
    fn sum_lanes(self) -> Self::Elem
    where
        Self::Elem: Add<Output = Self::Elem>,
    {
        let mut lanes = self.to_array();
        let mut width = Self::LANES;
        while width > 1 {
            width /= 2;
            for lane in 0..width {
                lanes[lane] = lanes[lane] + lanes[lane + width];
            }
        }
        lanes[0]
    }

    /// The largest lane; NaN if any lane is NaN.
    #[inline(always)]
    fn max_lanes(self) -> Self::Elem {
        let lanes = self.to_array();
        lanes[1..Self::LANES].iter().fold(lanes[0], |largest, &lane| largest.larger(lane))
    }
}

/// A vector of `f32`, with the bit-level operations that elementary functions need.
pub trait F32Vector: Vector<Elem = f32> {
    /// The vector of `i32` with the same number of lanes.
    type Bits: I32Vector<Float = Self>;

    /// The bits of each lane.
    fn to_bits(self) -> Self::Bits;

    /// The nearest integer, ties to even. Unspecified for NaN and if the result does not fit.
    fn to_int(self) -> Self::Bits;

    /// The lanes as `f64`: first the lower half, then the upper half.
    fn widen(self) -> (<Self::Token as Simd>::F64, <Self::Token as Simd>::F64);

    /// The lanes of two vectors of `f64`, rounded to `f32`.
    fn narrow(low: <Self::Token as Simd>::F64, high: <Self::Token as Simd>::F64) -> Self;

    /// Reads `LANES` bfloat16 values.
    ///
    /// # Safety
    /// `source` is valid for reads of `LANES` elements.
    unsafe fn load_bf16(token: Self::Token, source: *const u16) -> Self;

    /// Reads `LANES` half-precision values.
    ///
    /// # Safety
    /// `source` is valid for reads of `LANES` elements.
    #[inline(always)]
    unsafe fn load_f16(token: Self::Token, source: *const u16) -> Self {
        let mut lanes = [0f32; MAX_LANES];
        for (index, lane) in lanes.iter_mut().enumerate().take(Self::LANES) {
            // SAFETY: the caller vouches for `LANES` elements.
            *lane = half::f16::from_bits(unsafe { *source.add(index) }).to_f32();
        }
        // SAFETY: `MAX_LANES >= LANES`.
        unsafe { Self::load(token, lanes.as_ptr()) }
    }

    /// Splits each lane into two consecutive bfloat16 values and widens them exactly: the first of each lane, and the second of each lane.
    #[inline(always)]
    fn widen_bf16_pairs(self) -> (Self, Self) {
        let bits = self.to_bits();
        let (low, high) = (bits.shift_left(16).from_bits(), bits.and(bits.lit(!0xffff)).from_bits());
        if cfg!(target_endian = "little") { (low, high) } else { (high, low) }
    }

    /// Like [`widen_bf16_pairs`](F32Vector::widen_bf16_pairs), for half-precision values.
    #[inline(always)]
    fn widen_f16_pairs(self) -> (Self, Self) {
        let half_of = |shift: u32| {
            self.map_lanes(|pair| half::f16::from_bits((pair.to_bits() >> shift) as u16).to_f32())
        };
        if cfg!(target_endian = "little") { (half_of(0), half_of(16)) } else { (half_of(16), half_of(0)) }
    }

    /// `self · 2ⁿ`, rounded once, for `self` of magnitude about 1 and integral `n` between −250 and 250.
    #[inline(always)]
    fn scale_by_power(self, n: Self) -> Self {
        let n = n.to_int();
        let half = n.shift_right_signed(1);
        let power = |n: Self::Bits| n.add(n.lit(127)).shift_left(23).from_bits();
        // Each half-power is a normal number; only the second product can round.
        self * power(half) * power(n.sub(half))
    }

    /// The product as an unevaluated sum of two numbers; exact unless it overflows or underflows.
    fn two_product(self, other: Self) -> (Self, Self);
}

/// A vector of `i32`.
pub trait I32Vector: Sealed + Copy {
    /// The vector of `f32` with the same number of lanes.
    type Float: F32Vector<Bits = Self>;

    /// Returns `value` in every lane of a vector like `self`.
    fn lit(self, value: i32) -> Self;
    /// The sum, wrapping.
    fn add(self, other: Self) -> Self;
    /// The difference, wrapping.
    fn sub(self, other: Self) -> Self;
    /// The lower 32 bits of the product.
    fn mul(self, other: Self) -> Self;
    /// The bits set in both.
    fn and(self, other: Self) -> Self;
    /// The bits set in either.
    fn or(self, other: Self) -> Self;
    /// The bits set in exactly one.
    fn xor(self, other: Self) -> Self;
    /// Shifts left by `bits` (0 to 31).
    fn shift_left(self, bits: i32) -> Self;
    /// Shifts right by `bits` (0 to 31) and fills with zeros.
    fn shift_right(self, bits: i32) -> Self;
    /// Shifts right by `bits` (0 to 31) and fills with the sign.
    fn shift_right_signed(self, bits: i32) -> Self;
    /// Converts each lane to a float.
    fn to_float(self) -> Self::Float;
    /// Reinterprets the bits as floats.
    #[allow(clippy::wrong_self_convention)]
    fn from_bits(self) -> Self::Float;
}
