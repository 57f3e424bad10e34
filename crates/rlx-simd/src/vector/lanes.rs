//! Vectors as numbers of `rlx-math`.

use std::f32::consts::FRAC_2_PI;
use std::ops::{Add, Div, Mul, Neg, Sub};

use rlx_math::{HALF_PI_HIGH, HALF_PI_LOW, Int, LIMIT, Number};

use crate::simd::{F32Vector, I32Vector, Mask, Vector};

/// A vector, each lane of which is a number.
#[derive(Clone, Copy)]
pub(super) struct Lanes<V>(pub(super) V);

/// A vector of integers.
#[derive(Clone, Copy)]
pub(super) struct IntLanes<B>(B);

/// A truth value for each lane.
#[derive(Clone, Copy)]
pub(super) struct MaskLanes<M>(M);

macro_rules! operator {
    ($($trait:ident $method:ident),*) => {$(
        impl<V: F32Vector> $trait for Lanes<V> {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Lanes($trait::$method(self.0, other.0))
            }
        }
    )*};
}
operator!(Add add, Sub sub, Mul mul, Div div);

impl<V: F32Vector> Neg for Lanes<V> {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Lanes(-self.0)
    }
}

impl<V: F32Vector> Number for Lanes<V> {
    type Mask = MaskLanes<V::Mask>;
    type Int = IntLanes<V::Bits>;

    #[inline(always)]
    fn lit(self, value: f32) -> Self {
        Lanes(self.0.lit(value))
    }

    #[inline(always)]
    fn mul_add(self, factor: Self, addend: Self) -> Self {
        Lanes(self.0.mul_add(factor.0, addend.0))
    }

    #[inline(always)]
    fn neg_mul_add(self, factor: Self, addend: Self) -> Self {
        Lanes(self.0.neg_mul_add(factor.0, addend.0))
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Lanes(self.0.sqrt())
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Lanes(self.0.min(other.0))
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Lanes(self.0.max(other.0))
    }

    #[inline(always)]
    fn abs(self) -> Self {
        Lanes(self.0.abs())
    }

    #[inline(always)]
    fn copysign(self, sign: Self) -> Self {
        Lanes(self.0.copysign(sign.0))
    }

    #[inline(always)]
    fn lt(self, other: Self) -> Self::Mask {
        MaskLanes(self.0.lt(other.0))
    }

    #[inline(always)]
    fn eq(self, other: Self) -> Self::Mask {
        MaskLanes(self.0.eq(other.0))
    }

    #[inline(always)]
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self {
        Lanes(V::select(mask.0, yes.0, no.0))
    }

    #[inline(always)]
    fn select_int(mask: Self::Mask, yes: Self::Int, no: Self::Int) -> Self::Int {
        IntLanes(V::select(mask.0, yes.0.from_bits(), no.0.from_bits()).to_bits())
    }

    #[inline(always)]
    fn to_bits(self) -> Self::Int {
        IntLanes(self.0.to_bits())
    }

    #[inline(always)]
    fn from_bits(bits: Self::Int) -> Self {
        Lanes(bits.0.from_bits())
    }

    #[inline(always)]
    fn to_int(self) -> Self::Int {
        IntLanes(self.0.to_int())
    }

    #[inline(always)]
    fn from_int(int: Self::Int) -> Self {
        Lanes(int.0.to_float())
    }

    #[inline(always)]
    fn flip_bits(self, bits: Self::Int) -> Self {
        Lanes(self.0.xor(bits.0.from_bits()))
    }

    #[inline(always)]
    fn round_even(self) -> Self {
        Lanes(self.0.round_even())
    }

    #[inline(always)]
    fn scale_by_power(self, n: Self) -> Self {
        Lanes(self.0.scale_by_power(n.0))
    }

    #[inline(always)]
    fn square_parts(self) -> (Self, Self) {
        let (square, error) = self.0.two_product(self.0);
        (Lanes(square), Lanes(error))
    }

    #[inline(always)]
    fn quarter_turns(self) -> (Self, Self::Int) {
        let n = self.nearest_multiple(FRAC_2_PI);
        let ((x_low, x_high), (n_low, n_high)) = (self.0.widen(), n.0.widen());
        (Lanes(V::narrow(remainder(x_low, n_low), remainder(x_high, n_high))), n.to_int())
    }

    #[inline(always)]
    fn replace_far(self, result: Self, quarters: i32) -> Self {
        let x = self.0;
        let within = x.abs().le(x.lit(LIMIT));
        if !within.not().any() {
            return result;
        }
        let far = x.map_lanes(|x| {
            let x = f64::from(x);
            if quarters == 0 { libm::sin(x) as f32 } else { libm::cos(x) as f32 }
        });
        Lanes(V::select(within, result.0, far))
    }
}

/// x − n·π/2.
#[inline(always)]
fn remainder<W: Vector<Elem = f64>>(x: W, n: W) -> W {
    n.neg_mul_add(n.lit(HALF_PI_LOW), n.neg_mul_add(n.lit(HALF_PI_HIGH), x))
}

impl<M: Mask> rlx_math::Mask for MaskLanes<M> {
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        MaskLanes(self.0.or(other.0))
    }

    #[inline(always)]
    fn not(self) -> Self {
        MaskLanes(self.0.not())
    }
}

impl<B: I32Vector> Int for IntLanes<B> {
    #[inline(always)]
    fn lit(self, value: i32) -> Self {
        IntLanes(self.0.lit(value))
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        IntLanes(self.0.add(other.0))
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        IntLanes(self.0.sub(other.0))
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        IntLanes(self.0.mul(other.0))
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        IntLanes(self.0.and(other.0))
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        IntLanes(self.0.or(other.0))
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        IntLanes(self.0.xor(other.0))
    }

    #[inline(always)]
    fn shift_left(self, bits: i32) -> Self {
        IntLanes(self.0.shift_left(bits))
    }

    #[inline(always)]
    fn shift_right(self, bits: i32) -> Self {
        IntLanes(self.0.shift_right(bits))
    }

    #[inline(always)]
    fn shift_right_signed(self, bits: i32) -> Self {
        IntLanes(self.0.shift_right_signed(bits))
    }
}
