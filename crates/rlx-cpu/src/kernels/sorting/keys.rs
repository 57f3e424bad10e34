//! Elements as unsigned words in the order that an op gives them, so that every comparison is one of integers.

use crate::kernels::numbers::load;
use rlx_ir::DType;
use rlx_ir::eval::Scalar;

/// Words that order an element of the type.
pub(super) fn words(dtype: DType) -> usize {
    1 + usize::from(dtype.is_complex())
}

/// Bits whose unsigned order is IEEE 754's total order; no pattern of a number is 0 or the largest.
fn total(x: f64) -> u64 {
    let bits = x.to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

fn of_float(x: f64) -> u64 {
    match x {
        x if x.is_nan() => u64::MAX,
        // Both zeros are one.
        x => total(x + 0.0),
    }
}

fn of_int(x: i128) -> u64 {
    (x as i64 as u64) ^ 1 << 63
}

/// Word `part` of an element in the order of a sort: NaN last, both zeros equal, complex numbers by parts.
///
/// # Safety
/// `at` points to an element of type `dtype`.
#[inline]
pub(super) unsafe fn sorting(dtype: DType, at: *const u8, part: usize) -> u64 {
    if dtype == DType::U64 {
        // SAFETY: the caller's promise.
        return unsafe { at.cast::<u64>().read_unaligned() };
    }
    // SAFETY: the caller's promise.
    match unsafe { load(dtype, at) } {
        Scalar::Float(x) => of_float(x),
        Scalar::Int(x) => of_int(x),
        Scalar::Complex(z) => of_float(if part == 0 { z.re } else { z.im }),
    }
}

/// The word of an element in the total order.
///
/// # Safety
/// As for [`sorting`].
#[inline]
pub(super) unsafe fn totally(dtype: DType, at: *const u8) -> u64 {
    if !dtype.is_float() {
        // SAFETY: the caller's promise.
        return unsafe { sorting(dtype, at, 0) };
    }
    // SAFETY: the caller's promise.
    total(unsafe { load(dtype, at) }.to_f64())
}
