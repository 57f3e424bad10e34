//! Values to which the functions of the op table can be applied, as numbers of `rlx-math`: tensors and scalars of kernels.

use crate::applied::Applied;
use rlx_ir::{BinaryOp, CompareOp, DType, UnaryOp};
use rlx_math::{Fused, Int, Mask, Number, Single};
use std::cell::RefCell;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// Returns a function of an f32 value in operators: arithmetic, comparisons, selections, square roots, rounding to integers, and
/// conversions to i32 and operators on it. `None` if `rlx-math` lacks the function.
pub fn in_operators<V: Applied>(op: UnaryOp, x: V) -> Option<V> {
    let values = RefCell::new(vec![x]);
    let at = function(op, Float(ListedValue { values: &values, at: 0 }))?.0.at;
    Some(values.into_inner().swap_remove(at))
}

/// Returns whether `rlx-math` has a function.
pub fn has_operators(op: UnaryOp) -> bool {
    function(op, Single::<Fused>::new(1.0)).is_some()
}

/// Returns a function of a number, if `rlx-math` has it.
pub fn function<N: Number>(op: UnaryOp, x: N) -> Option<N> {
    Some(match op {
        UnaryOp::Exp => rlx_math::exp(x),
        UnaryOp::Expm1 => rlx_math::expm1(x),
        UnaryOp::Log => rlx_math::log(x),
        UnaryOp::Log1p => rlx_math::log1p(x),
        UnaryOp::Tanh => rlx_math::tanh(x),
        UnaryOp::Logistic => rlx_math::sigmoid(x),
        UnaryOp::Erf => rlx_math::erf(x),
        UnaryOp::Erfc => rlx_math::erfc(x),
        UnaryOp::Sin => rlx_math::sin(x),
        UnaryOp::Cos => rlx_math::cos(x),
        UnaryOp::Rsqrt => rlx_math::rsqrt(x),
        UnaryOp::ErfInv => rlx_math::erf_inv(x),
        UnaryOp::Lgamma => rlx_math::lgamma(x),
        UnaryOp::Digamma => rlx_math::digamma(x),
        UnaryOp::BesselI0e => rlx_math::bessel_i0e(x),
        UnaryOp::BesselI1e => rlx_math::bessel_i1e(x),
        _ => return None,
    })
}

/// One of the values of an expression. It is a place in a list, because numbers can be copied.
struct ListedValue<'v, V> {
    values: &'v RefCell<Vec<V>>,
    at: usize,
}

/// A value of type f32.
struct Float<'v, V>(ListedValue<'v, V>);

/// A value of type i32.
struct Integer<'v, V>(ListedValue<'v, V>);

/// A boolean.
struct Truth<'v, V>(ListedValue<'v, V>);

macro_rules! copied {
    ($($name:ident)*) => {$(
        impl<V> Clone for $name<'_, V> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<V> Copy for $name<'_, V> {}
    )*};
}
copied!(ListedValue Float Integer Truth);

impl<V: Applied> ListedValue<'_, V> {
    fn next(self, value: impl FnOnce(&[V]) -> V) -> Self {
        let value = value(&self.values.borrow());
        let mut values = self.values.borrow_mut();
        values.push(value);
        ListedValue { at: values.len() - 1, ..self }
    }

    fn unary(self, op: UnaryOp) -> Self {
        self.next(|values| values[self.at].unary(op))
    }

    fn binary(self, op: BinaryOp, other: Self) -> Self {
        self.next(|values| values[self.at].binary(op, &values[other.at]))
    }

    fn compare(self, op: CompareOp, other: Self) -> Self {
        self.next(|values| values[self.at].compare(op, &values[other.at]))
    }

    fn select(self, yes: Self, no: Self) -> Self {
        self.next(|values| values[self.at].select(&values[yes.at], &values[no.at]))
    }

    fn convert(self, dtype: DType) -> Self {
        self.next(|values| values[self.at].convert(dtype))
    }

    fn bitcast(self, dtype: DType) -> Self {
        self.next(|values| values[self.at].bitcast(dtype))
    }

    fn int(self, value: i32) -> Self {
        self.next(|values| values[self.at].int(value))
    }

    fn float(self, value: f32) -> Self {
        self.next(|values| values[self.at].float(value))
    }

    fn is_fused(self) -> bool {
        self.values.borrow()[self.at].is_fused()
    }
}

macro_rules! operators {
    ($($trait:ident $method:ident)*) => {$(
        impl<V: Applied> $trait for Float<'_, V> {
            type Output = Self;

            fn $method(self, other: Self) -> Self {
                Float(self.0.binary(BinaryOp::$trait, other.0))
            }
        }
    )*};
}
operators!(Add add Sub sub Mul mul Div div);

impl<V: Applied> Neg for Float<'_, V> {
    type Output = Self;

    fn neg(self) -> Self {
        Float(self.0.unary(UnaryOp::Neg))
    }
}

impl<'v, V: Applied> Number for Float<'v, V> {
    type Mask = Truth<'v, V>;
    type Int = Integer<'v, V>;

    fn lit(self, value: f32) -> Self {
        Float(self.0.float(value))
    }

    fn mul_add(self, factor: Self, addend: Self) -> Self {
        let (x, factor, addend) = (self.0, factor.0.at, addend.0.at);
        Float(x.next(|values| values[x.at].mul_add(&values[factor], &values[addend])))
    }

    fn sqrt(self) -> Self {
        Float(self.0.unary(UnaryOp::Sqrt))
    }

    fn abs(self) -> Self {
        Float(self.0.unary(UnaryOp::Abs))
    }

    fn copysign(self, sign: Self) -> Self {
        let (magnitude, sign) = (self.to_bits(), sign.to_bits());
        let sign = sign.and(sign.lit(i32::MIN));
        Self::from_bits(magnitude.and(magnitude.lit(i32::MAX)).or(sign))
    }

    fn lt(self, other: Self) -> Truth<'v, V> {
        Truth(self.0.compare(CompareOp::Lt, other.0))
    }

    fn eq(self, other: Self) -> Truth<'v, V> {
        Truth(self.0.compare(CompareOp::Eq, other.0))
    }

    fn select(Truth(mask): Truth<'v, V>, yes: Self, no: Self) -> Self {
        Float(mask.select(yes.0, no.0))
    }

    fn select_int(Truth(mask): Truth<'v, V>, yes: Integer<'v, V>, no: Integer<'v, V>) -> Integer<'v, V> {
        Integer(mask.select(yes.0, no.0))
    }

    fn to_bits(self) -> Integer<'v, V> {
        Integer(self.0.bitcast(DType::I32))
    }

    fn from_bits(Integer(bits): Integer<'v, V>) -> Self {
        Float(bits.bitcast(DType::F32))
    }

    fn to_int(self) -> Integer<'v, V> {
        Integer(self.0.convert(DType::I32))
    }

    fn from_int(Integer(int): Integer<'v, V>) -> Self {
        Float(int.convert(DType::F32))
    }

    /// Without a fused multiply-add this gives the same result as adding a large number, which compilers may cancel.
    fn nearest_multiple(self, factor: f32) -> Self {
        let factor = self.lit(factor);
        if self.0.is_fused() {
            let magic = self.lit(12_582_912.0);
            return self.mul_add(factor, magic) - magic;
        }
        (self * factor).round_even()
    }

    fn round_even(self) -> Self {
        Float(self.0.unary(UnaryOp::RoundEven))
    }

    fn square_parts(self) -> (Self, Self) {
        if self.0.is_fused() {
            let square = self * self;
            return (square, self.mul_add(self, -square));
        }
        // The minimum changes nothing, but keeps compilers that fuse products with sums from using the square without its rounding.
        let square = self.lit(f32::MAX).min(self * self);
        (square, rlx_math::square_error(self, square))
    }
}

impl<V: Applied> Mask for Truth<'_, V> {
    fn or(self, other: Self) -> Self {
        Truth(self.0.binary(BinaryOp::Or, other.0))
    }

    fn not(self) -> Self {
        Truth(self.0.unary(UnaryOp::Not))
    }
}

impl<V: Applied> Integer<'_, V> {
    fn binary(self, op: BinaryOp, other: Self) -> Self {
        Integer(self.0.binary(op, other.0))
    }
}

impl<V: Applied> Int for Integer<'_, V> {
    fn lit(self, value: i32) -> Self {
        Integer(self.0.int(value))
    }

    fn add(self, other: Self) -> Self {
        self.binary(BinaryOp::Add, other)
    }

    fn sub(self, other: Self) -> Self {
        self.binary(BinaryOp::Sub, other)
    }

    fn mul(self, other: Self) -> Self {
        self.binary(BinaryOp::Mul, other)
    }

    fn and(self, other: Self) -> Self {
        self.binary(BinaryOp::And, other)
    }

    fn or(self, other: Self) -> Self {
        self.binary(BinaryOp::Or, other)
    }

    fn xor(self, other: Self) -> Self {
        self.binary(BinaryOp::Xor, other)
    }

    fn shift_left(self, bits: i32) -> Self {
        self.binary(BinaryOp::ShiftLeft, self.lit(bits))
    }

    fn shift_right(self, bits: i32) -> Self {
        self.binary(BinaryOp::ShiftRightLogical, self.lit(bits))
    }

    fn shift_right_signed(self, bits: i32) -> Self {
        self.binary(BinaryOp::ShiftRightArithmetic, self.lit(bits))
    }
}
