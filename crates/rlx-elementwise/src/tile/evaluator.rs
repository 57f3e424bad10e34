//! Functions that use the evaluator's own rules, one element at a time, where there is no faster form.

use super::{Call, Code, Extra, TileFn};
use crate::compute_type::{Bit, ComputeType};
use crate::compute_type::{ComputeElement, Narrow, is_narrow, with_compute_type};
use rlx_ir::eval::scalar;
use rlx_ir::math::betainc;
use rlx_ir::{BinaryOp, DType, UnaryOp};

/// Most of these functions take tens of nanoseconds.
const PICOSECONDS: u32 = 30_000;

/// # Safety
/// As for [`TileFn`].
unsafe fn unary_tile<A: ComputeElement, R: ComputeElement>(call: &Call) {
    let Extra::Unary(op, dtype) = call.extra else { return };
    for i in 0..call.len {
        // SAFETY: the caller vouches for `len` elements.
        unsafe {
            let x = call.src[0].cast::<A>().add(i).read_unaligned().to_scalar();
            call.dst.cast::<R>().add(i).write_unaligned(R::from_scalar(scalar::unary(op, dtype, x)));
        }
    }
}

/// # Safety
/// As for [`TileFn`].
unsafe fn binary_tile<A: ComputeElement, R: ComputeElement>(call: &Call) {
    let Extra::Binary(op, dtype) = call.extra else { return };
    for i in 0..call.len {
        // SAFETY: the caller vouches for `len` elements.
        unsafe {
            let a = call.src[0].cast::<A>().add(i).read_unaligned().to_scalar();
            let b = call.src[1].cast::<A>().add(i).read_unaligned().to_scalar();
            call.dst.cast::<R>().add(i).write_unaligned(R::from_scalar(scalar::binary(op, dtype, a, b)));
        }
    }
}

/// # Safety
/// As for [`TileFn`].
unsafe fn betainc_tile<T: ComputeElement>(call: &Call) {
    for i in 0..call.len {
        // SAFETY: the caller vouches for `len` elements.
        unsafe {
            let [a, b, x] =
                call.src.map(|source| source.cast::<T>().add(i).read_unaligned().to_scalar().to_f64());
            let value = rlx_ir::eval::Scalar::Float(betainc(a, b, x));
            call.dst.cast::<T>().add(i).write_unaligned(T::from_scalar(value));
        }
    }
}

/// # Safety
/// As for [`TileFn`].
unsafe fn precision_tile<T: ComputeElement>(call: &Call) {
    let Extra::Precision(exponent, mantissa) = call.extra else { return };
    for i in 0..call.len {
        // SAFETY: the caller vouches for `len` elements.
        unsafe {
            let x = call.src[0].cast::<T>().add(i).read_unaligned().to_scalar().to_f64();
            let value = rlx_ir::eval::Scalar::Float(scalar::reduce_precision(x, exponent, mantissa));
            call.dst.cast::<T>().add(i).write_unaligned(T::from_scalar(value));
        }
    }
}

/// The function for floats of this type.
macro_rules! for_floats {
    ($dtype:expr, $tile:ident) => {
        match $dtype {
            DType::F64 => $tile::<f64> as TileFn,
            DType::F32 => $tile::<f32>,
            _ => $tile::<Narrow>,
        }
    };
}

/// `op` on operands of type `dtype`. A narrow float must still be rounded.
pub(crate) fn unary(op: UnaryOp, dtype: DType) -> Code {
    let result = ComputeType::of(op.result(dtype));
    let compute = ComputeType::of(dtype);
    let run: TileFn = if is_narrow(dtype) && result == compute {
        unary_tile::<Narrow, Narrow>
    } else if result == compute {
        with_compute_type!(compute, [F32 F64 I8 I16 I32 I64 U8 U16 U32 U64 C64 C128],
            T => unary_tile::<T, T>, else unary_tile::<Bit, Bit>)
    } else if result == ComputeType::Bool {
        with_compute_type!(compute, [F32 F64 C64], T => unary_tile::<T, Bit>, else unary_tile::<[f64; 2], Bit>)
    } else if compute == ComputeType::C64 {
        unary_tile::<[f32; 2], f32>
    } else {
        unary_tile::<[f64; 2], f64>
    };
    Code::with(run, Extra::Unary(op, dtype), PICOSECONDS)
}

/// `op` on operands of type `dtype`. A narrow float must still be rounded.
pub(crate) fn binary(op: BinaryOp, dtype: DType) -> Code {
    let compute = ComputeType::of(dtype);
    let run: TileFn = if is_narrow(dtype) {
        binary_tile::<Narrow, Narrow>
    } else if ComputeType::of(op.result(dtype)) == compute {
        with_compute_type!(compute, [F32 F64 I8 I16 I32 I64 U8 U16 U32 U64 C64 C128],
            T => binary_tile::<T, T>, else binary_tile::<Bit, Bit>)
    } else if compute == ComputeType::F32 {
        binary_tile::<f32, [f32; 2]>
    } else {
        binary_tile::<f64, [f64; 2]>
    };
    Code::with(run, Extra::Binary(op, dtype), PICOSECONDS)
}

/// The regularized incomplete beta function. A narrow float must still be rounded.
pub(crate) fn betainc_of(dtype: DType) -> Code {
    Code::new(for_floats!(dtype, betainc_tile), 500_000)
}

/// Rounds to these numbers of bits and back. A narrow float must still be rounded.
pub(crate) fn reduce_precision(exponent: u32, mantissa: u32, dtype: DType) -> Code {
    let run = for_floats!(dtype, precision_tile);
    Code::with(run, Extra::Precision(exponent, mantissa), 10_000)
}
