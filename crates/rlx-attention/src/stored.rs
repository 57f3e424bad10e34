//! Reads keys and values of other element types as f32, a few rows at a time.

use rlx_gemm::{Element, Narrow};
use rlx_ir::QuantScheme;
use rlx_simd::simd::{MAX_LANES, Simd, Vector};
use std::ops::Range;

/// How the numbers of keys or values are stored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Storage {
    /// As f32.
    Single,
    /// As 16-bit floats.
    Narrow(Narrow),
    /// In quantized blocks. Each row begins with a block, and steps count bytes.
    Blocks(QuantScheme),
}

impl Storage {
    /// Size in bytes of the unit that steps count.
    fn element_bytes(self) -> usize {
        match self {
            Storage::Single => size_of::<f32>(),
            Storage::Narrow(_) => size_of::<u16>(),
            Storage::Blocks(_) => 1,
        }
    }

    /// Number of values in a row of `elements` stored elements.
    pub fn values(self, elements: usize) -> usize {
        match self {
            Storage::Blocks(scheme) => elements / scheme.block_bytes() * scheme.block_len(),
            _ => elements,
        }
    }
}

/// Keys or values of a head.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stored {
    /// The first row.
    pub(super) start: *const u8,
    /// Stored elements from one row to the next.
    pub(super) step: usize,
    pub(super) storage: Storage,
    /// Number of values in a row.
    pub(super) width: usize,
}

impl Stored {
    /// Creates rows that begin `offset` stored elements after `base`.
    #[inline(always)]
    pub(super) fn new(base: *const u8, offset: usize, step: usize, storage: Storage, width: usize) -> Stored {
        Stored { start: base.wrapping_add(offset * storage.element_bytes()), step, storage, width }
    }

    /// Returns rows as f32: a pointer to the first one and the distance between them. Unless they are f32 already, they are read into
    /// `stage`, where each has room for whole vectors.
    ///
    /// # Safety
    /// The rows exist, and `stage` has room for them if they are not f32.
    #[inline(always)]
    pub(super) unsafe fn rows<S: Simd>(
        &self,
        token: S,
        rows: Range<usize>,
        stage: *mut f32,
    ) -> (*const f32, usize) {
        let row_bytes = self.step * self.storage.element_bytes();
        let first = self.start.wrapping_add(rows.start * row_bytes);
        let padded = self.width.next_multiple_of(S::F32::LANES);
        for row in 0..rows.len() {
            let (from, to) = (first.wrapping_add(row * row_bytes), stage.wrapping_add(row * padded));
            // SAFETY: the caller vouches for rows and room; operands are aligned to their elements.
            unsafe {
                match self.storage {
                    Storage::Single => return (first.cast(), self.step),
                    Storage::Narrow(form) => widen(token, form, from.cast(), self.width, to),
                    Storage::Blocks(scheme) => decode(scheme, from, self.width, to),
                }
            }
        }
        (stage, padded)
    }
}

/// Widens a row of 16-bit floats; the rest of the last vector becomes 0.
///
/// # Safety
/// `from` is valid for `len` elements, and `to` for `len` elements rounded up to whole vectors.
#[inline(always)]
unsafe fn widen<S: Simd>(token: S, form: Narrow, from: *const u16, len: usize, to: *mut f32) {
    let whole = len - len % S::F32::LANES;
    // SAFETY: the caller vouches for both; the last elements are copied to where a whole vector may be read.
    unsafe {
        <f32 as Element>::widen(token, form, from, whole, to);
        if whole < len {
            let mut rest = [0u16; MAX_LANES];
            rest.as_mut_ptr().copy_from_nonoverlapping(from.add(whole), len - whole);
            <f32 as Element>::widen(token, form, rest.as_ptr(), S::F32::LANES, to.add(whole));
        }
    }
}

/// Decodes the blocks of a row.
///
/// # Safety
/// `from` is valid for the blocks of `len` values, a whole number of blocks, and `to` for the values.
#[inline(always)]
unsafe fn decode(scheme: QuantScheme, from: *const u8, len: usize, to: *mut f32) {
    let (bytes, values) = (scheme.block_bytes(), scheme.block_len());
    for block in 0..len / values {
        // SAFETY: the caller vouches for both.
        unsafe {
            let packed = std::slice::from_raw_parts(from.add(block * bytes), bytes);
            let decoded = std::slice::from_raw_parts_mut(to.add(block * values), values);
            scheme.decode_block(packed, decoded);
        }
    }
}
