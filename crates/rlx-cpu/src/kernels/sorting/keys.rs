//! Elements as unsigned words in the op's order, so that every comparison is one of integers.

use rlx_ir::DType;

/// Words that order an element of the type.
pub(super) fn words(dtype: DType) -> usize {
    1 + usize::from(dtype.is_complex())
}

/// The pattern of an element of `size` bytes, at most 8.
///
/// # Safety
/// `at` points to as many bytes.
#[inline]
unsafe fn pattern(size: usize, at: *const u8) -> u64 {
    // SAFETY: the caller's promise.
    unsafe {
        match size {
            1 => u64::from(at.read()),
            2 => u64::from(at.cast::<u16>().read_unaligned()),
            4 => u64::from(at.cast::<u32>().read_unaligned()),
            _ => at.cast::<u64>().read_unaligned(),
        }
    }
}

/// A word with only the sign bit of a type of `size` bytes.
fn sign(size: usize) -> u64 {
    1 << (8 * size - 1)
}

/// A word whose unsigned order is that of the sign-magnitude pattern of a float of `size` bytes.
fn total(size: usize, bits: u64) -> u64 {
    let sign = sign(size);
    if bits & sign == 0 { bits | sign } else { !bits & (sign | (sign - 1)) }
}

/// The pattern of the largest magnitude that is a number, infinity if there is one.
fn largest(dtype: DType) -> u64 {
    match dtype {
        DType::F16 => 0x7c00,
        DType::BF16 => 0x7f80,
        DType::F8E4M3 => 0x7e,
        DType::F8E5M2 => 0x7c,
        DType::F32 => 0x7f80_0000,
        _ => 0x7ff0_0000_0000_0000,
    }
}

fn of_float(dtype: DType, bits: u64) -> u64 {
    let size = dtype.size();
    match bits & (sign(size) - 1) {
        magnitude if magnitude > largest(dtype) => u64::MAX,
        // Both zeros are one.
        0 => total(size, 0),
        _ => total(size, bits),
    }
}

/// Word `part` of an element in the order of a sort: NaN last, both zeros equal, complex numbers by parts. No float but
/// NaN has the word of all ones, and none has 0.
///
/// # Safety
/// `at` points to an element of type `dtype`.
#[inline]
pub(super) unsafe fn sorting(dtype: DType, at: *const u8, part: usize) -> u64 {
    let real = dtype.real();
    let size = real.size();
    // SAFETY: the caller's promise; a complex number is two parts.
    let bits = unsafe { pattern(size, at.add(part * size)) };
    match real {
        _ if real.is_float() => of_float(real, bits),
        DType::I8 | DType::I16 | DType::I32 | DType::I64 => bits ^ sign(size),
        _ => bits,
    }
}

/// The word of an element in the total order, which tells NaNs apart.
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
    total(dtype.size(), unsafe { pattern(dtype.size(), at) })
}
