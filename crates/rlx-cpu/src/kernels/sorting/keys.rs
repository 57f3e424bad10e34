//! Represents elements as unsigned words in the order of the op, so that every comparison is one of integers.

use rlx_ir::DType;

/// Returns the number of words that determine the order of an element of the type.
pub(super) fn words(dtype: DType) -> usize {
    1 + usize::from(dtype.is_complex())
}

/// Returns the bit pattern of an element of `size` bytes, at most 8.
///
/// # Safety
/// `at` points to that many bytes.
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

/// Returns a word with only the sign bit of a type of `size` bytes.
fn sign(size: usize) -> u64 {
    1 << (8 * size - 1)
}

/// Returns a word whose unsigned order is that of the sign-magnitude pattern of a float of `size` bytes.
fn total(size: usize, bits: u64) -> u64 {
    let sign = sign(size);
    if bits & sign == 0 { bits | sign } else { !bits & (sign | (sign - 1)) }
}

/// Returns the pattern of the largest magnitude of a number; infinity, if the type has it.
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
        // Both zeros are equal.
        0 => total(size, 0),
        _ => total(size, bits),
    }
}

/// Returns word `part` of an element in the order of a sort: NaN last, both zeros equal, complex numbers by their parts. Only NaN has the
/// word of all ones, and no float has 0.
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

/// Returns the word of an element in the total order, which distinguishes NaNs.
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
