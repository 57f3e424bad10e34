//! Functions of integers, with wrapping.

use super::{Code, Each1, Each2, Map1, Map2, fast, plain};
use crate::compute_type::{ComputeElement, ComputeType, with_compute_type};
use rlx_ir::{BinaryOp, UnaryOp};

/// An integer type with the arithmetic that the ops need.
#[allow(missing_docs)] // The names say it; all wrap.
pub trait Integer: ComputeElement + Ord {
    fn negate(self) -> Self;
    fn absolute(self) -> Self;
    fn sign(self) -> Self;
    fn complement(self) -> Self;
    fn ones(self) -> Self;
    fn zeros_above(self) -> Self;
    fn sum(self, other: Self) -> Self;
    fn difference(self, other: Self) -> Self;
    fn product(self, other: Self) -> Self;
    fn quotient(self, other: Self) -> Self;
    fn remainder(self, other: Self) -> Self;
    fn both(self, other: Self) -> Self;
    fn either(self, other: Self) -> Self;
    fn one(self, other: Self) -> Self;
    fn left(self, by: Self) -> Self;
    fn right(self, by: Self) -> Self;
    fn right_signed(self, by: Self) -> Self;
}

macro_rules! integer {
    ($($t:ident $signed:ident $unsigned:ident $abs:expr;)*) => {$(
        impl Integer for $t {
            #[inline(always)]
            fn negate(self) -> Self {
                self.wrapping_neg()
            }

            #[inline(always)]
            fn absolute(self) -> Self {
                let absolute: fn($t) -> $t = $abs;
                absolute(self)
            }

            #[inline(always)]
            fn sign(self) -> Self {
                // An unsigned number is never below 0.
                #[allow(unused_comparisons)]
                { (self > 0) as $t - (self < 0) as $t }
            }

            #[inline(always)]
            fn complement(self) -> Self {
                !self
            }

            #[inline(always)]
            fn ones(self) -> Self {
                self.count_ones() as $t
            }

            #[inline(always)]
            fn zeros_above(self) -> Self {
                self.leading_zeros() as $t
            }

            #[inline(always)]
            fn sum(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            #[inline(always)]
            fn difference(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }

            #[inline(always)]
            fn product(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }

            #[inline(always)]
            fn quotient(self, other: Self) -> Self {
                if other == 0 { !0 } else { self.wrapping_div(other) }
            }

            #[inline(always)]
            fn remainder(self, other: Self) -> Self {
                if other == 0 { self } else { self.wrapping_rem(other) }
            }

            #[inline(always)]
            fn both(self, other: Self) -> Self {
                self & other
            }

            #[inline(always)]
            fn either(self, other: Self) -> Self {
                self | other
            }

            #[inline(always)]
            fn one(self, other: Self) -> Self {
                self ^ other
            }

            #[inline(always)]
            fn left(self, by: Self) -> Self {
                // As unsigned numbers, negative distances are too large.
                let by = by as $unsigned;
                if by < $t::BITS as $unsigned { self << by } else { 0 }
            }

            #[inline(always)]
            fn right(self, by: Self) -> Self {
                let by = by as $unsigned;
                if by < $t::BITS as $unsigned { ((self as $unsigned) >> by) as $t } else { 0 }
            }

            #[inline(always)]
            fn right_signed(self, by: Self) -> Self {
                let by = (by as $unsigned).min(($t::BITS - 1) as $unsigned);
                ((self as $signed) >> by) as $t
            }
        }
    )*};
}

integer! {
    i8 i8 u8 i8::wrapping_abs;
    i16 i16 u16 i16::wrapping_abs;
    i32 i32 u32 i32::wrapping_abs;
    i64 i64 u64 i64::wrapping_abs;
    u8 i8 u8 |x| x;
    u16 i16 u16 |x| x;
    u32 i32 u32 |x| x;
    u64 i64 u64 |x| x;
}

macro_rules! int_maps {
    ($($Name:ident: $method:ident($($b:ident)?);)*) => {$(
        struct $Name;
        int_maps!(@impl $Name $method $($b)?);
    )*};
    (@impl $Name:ident $method:ident) => {
        impl<T: Integer> Map1<T> for $Name {
            type Result = T;
            #[inline(always)]
            fn apply(a: T) -> T {
                a.$method()
            }
        }
    };
    (@impl $Name:ident $method:ident $b:ident) => {
        impl<T: Integer> Map2<T> for $Name {
            type Result = T;
            #[inline(always)]
            fn apply(a: T, $b: T) -> T {
                a.$method($b)
            }
        }
    };
}

int_maps! {
    Negate: negate();
    Absolute: absolute();
    Sign: sign();
    Complement: complement();
    Ones: ones();
    ZerosAbove: zeros_above();
    Sum: sum(b);
    Difference: difference(b);
    Product: product(b);
    Quotient: quotient(b);
    Remainder: remainder(b);
    Larger: max(b);
    Smaller: min(b);
    Both: both(b);
    Either: either(b);
    One: one(b);
    Left: left(b);
    Right: right(b);
    RightSigned: right_signed(b);
}

/// The code of `$M` for the exact type.
macro_rules! exact {
    ($compute:expr, $run:ident, $Each:ident, $M:ident, $picoseconds:expr) => {
        with_compute_type!($compute, [I8 I16 I32 I64 U8 U16 U32 U64],
            T => Some(Code::new($run::<$Each<T, $M>>, $picoseconds)), else None)
    };
}

/// The code of `$M` by width, which signed and unsigned numbers share.
macro_rules! width {
    ($compute:expr, $Each:ident, $M:ident) => {
        with_compute_type!($compute.unsigned(), [U8 U16 U32 U64], T => Some(Code::new(fast::<$Each<T, $M>>, 30)), else None)
    };
}

/// Functions of one integer; `None` for those that only the evaluator has.
pub(crate) fn unary(op: UnaryOp, compute: ComputeType) -> Option<Code> {
    match op {
        UnaryOp::Neg => width!(compute, Each1, Negate),
        UnaryOp::Abs => exact!(compute, fast, Each1, Absolute, 30),
        UnaryOp::Sign => exact!(compute, plain, Each1, Sign, 100),
        UnaryOp::Not => width!(compute, Each1, Complement),
        UnaryOp::Popcnt => exact!(compute, plain, Each1, Ones, 1_000),
        UnaryOp::Clz => exact!(compute, plain, Each1, ZerosAbove, 1_000),
        _ => None,
    }
}

/// Functions of two integers; `None` for those that only the evaluator has.
pub(crate) fn binary(op: BinaryOp, compute: ComputeType) -> Option<Code> {
    match op {
        BinaryOp::Add => width!(compute, Each2, Sum),
        BinaryOp::Sub => width!(compute, Each2, Difference),
        BinaryOp::Mul => width!(compute, Each2, Product),
        BinaryOp::Div => exact!(compute, plain, Each2, Quotient, 3_000),
        BinaryOp::Rem => exact!(compute, plain, Each2, Remainder, 3_000),
        BinaryOp::Max => exact!(compute, fast, Each2, Larger, 30),
        BinaryOp::Min => exact!(compute, fast, Each2, Smaller, 30),
        BinaryOp::And => width!(compute, Each2, Both),
        BinaryOp::Or => width!(compute, Each2, Either),
        BinaryOp::Xor => width!(compute, Each2, One),
        BinaryOp::ShiftLeft => width!(compute, Each2, Left),
        BinaryOp::ShiftRightLogical => width!(compute, Each2, Right),
        BinaryOp::ShiftRightArithmetic => width!(compute, Each2, RightSigned),
        _ => None,
    }
}
