//! Scalars: f32 with a choice of multiply-add.

use core::marker::PhantomData;
use core::ops::{Add, Div, Mul, Neg, Sub};

use super::number::{Int, Mask, Number, square_error};
use super::trigonometric::{HALF_PI_HIGH, HALF_PI_LOW, LIMIT};

/// How scalars compute a · b + c.
pub trait MultiplyAdd: Copy {
    /// Whether the result is rounded once. Otherwise the product is rounded too.
    const FUSED: bool;
    /// Computes a · b + c in f32.
    fn single(a: f32, b: f32, c: f32) -> f32;
    /// Computes a · b + c in f64.
    fn double(a: f64, b: f64, c: f64) -> f64;
}

/// An f32 whose functions use this multiply-add.
#[derive(Clone, Copy, Debug)]
pub struct Single<M> {
    value: f32,
    multiply_add: PhantomData<M>,
}

impl<M: MultiplyAdd> Single<M> {
    /// Creates the number.
    #[inline(always)]
    pub fn new(value: f32) -> Single<M> {
        Single { value, multiply_add: PhantomData }
    }

    /// Returns the number.
    #[inline(always)]
    pub fn get(self) -> f32 {
        self.value
    }
}

macro_rules! operator {
    ($($trait:ident $method:ident),*) => {$(
        impl<M: MultiplyAdd> $trait for Single<M> {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Single::new($trait::$method(self.value, other.value))
            }
        }
    )*};
}
operator!(Add add, Sub sub, Mul mul, Div div);

impl<M: MultiplyAdd> Neg for Single<M> {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Single::new(-self.value)
    }
}

/// Adding 1.5·2²³ to an integer below 2²² puts it in the lower bits.
const MAGIC: f32 = 12_582_912.0;

impl<M: MultiplyAdd> Number for Single<M> {
    type Mask = bool;
    type Int = i32;

    #[inline(always)]
    fn lit(self, value: f32) -> Self {
        Single::new(value)
    }

    #[inline(always)]
    fn mul_add(self, factor: Self, addend: Self) -> Self {
        Single::new(M::single(self.value, factor.value, addend.value))
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Single::new(libm::sqrtf(self.value))
    }

    #[inline(always)]
    fn abs(self) -> Self {
        Single::new(self.value.abs())
    }

    #[inline(always)]
    fn copysign(self, sign: Self) -> Self {
        Single::new(self.value.copysign(sign.value))
    }

    #[inline(always)]
    fn lt(self, other: Self) -> bool {
        self.value < other.value
    }

    #[inline(always)]
    fn eq(self, other: Self) -> bool {
        self.value == other.value
    }

    #[inline(always)]
    fn select(mask: bool, yes: Self, no: Self) -> Self {
        if mask { yes } else { no }
    }

    #[inline(always)]
    fn select_int(mask: bool, yes: i32, no: i32) -> i32 {
        if mask { yes } else { no }
    }

    #[inline(always)]
    fn to_bits(self) -> i32 {
        self.value.to_bits() as i32
    }

    #[inline(always)]
    fn from_bits(bits: i32) -> Self {
        Single::new(f32::from_bits(bits as u32))
    }

    #[inline(always)]
    fn to_int(self) -> i32 {
        // In vector registers this is cheaper than a conversion, which saturates.
        (self.value + MAGIC).to_bits().wrapping_sub(MAGIC.to_bits()) as i32
    }

    #[inline(always)]
    fn from_int(int: i32) -> Self {
        Single::new(int as f32)
    }

    #[inline(always)]
    fn square_parts(self) -> (Self, Self) {
        let square = self * self;
        (square, if M::FUSED { self.mul_add(self, -square) } else { square_error(self, square) })
    }

    #[inline(always)]
    fn quarter_turns(self) -> (Self, i32) {
        let n = self.nearest_multiple(core::f32::consts::FRAC_2_PI);
        let turns = -f64::from(n.value);
        let wide = M::double(turns, HALF_PI_HIGH, f64::from(self.value));
        (Single::new(M::double(turns, HALF_PI_LOW, wide) as f32), n.to_int())
    }

    #[inline(always)]
    fn replace_far(self, result: Self, quarters: i32) -> Self {
        if self.value.abs() <= LIMIT {
            return result;
        }
        let wide = f64::from(self.value);
        Single::new(if quarters == 0 { libm::sin(wide) } else { libm::cos(wide) } as f32)
    }
}

impl Mask for bool {
    #[inline(always)]
    fn or(self, other: bool) -> bool {
        self | other
    }

    #[inline(always)]
    fn not(self) -> bool {
        !self
    }
}

impl Int for i32 {
    #[inline(always)]
    fn lit(self, value: i32) -> i32 {
        value
    }

    #[inline(always)]
    fn add(self, other: i32) -> i32 {
        self.wrapping_add(other)
    }

    #[inline(always)]
    fn sub(self, other: i32) -> i32 {
        self.wrapping_sub(other)
    }

    #[inline(always)]
    fn mul(self, other: i32) -> i32 {
        self.wrapping_mul(other)
    }

    #[inline(always)]
    fn and(self, other: i32) -> i32 {
        self & other
    }

    #[inline(always)]
    fn or(self, other: i32) -> i32 {
        self | other
    }

    #[inline(always)]
    fn xor(self, other: i32) -> i32 {
        self ^ other
    }

    #[inline(always)]
    fn shift_left(self, bits: i32) -> i32 {
        self << bits
    }

    #[inline(always)]
    fn shift_right(self, bits: i32) -> i32 {
        (self as u32 >> bits) as i32
    }

    #[inline(always)]
    fn shift_right_signed(self, bits: i32) -> i32 {
        self >> bits
    }
}
