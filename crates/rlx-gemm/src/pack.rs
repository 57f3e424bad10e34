//! Copies blocks of A and panels of B into the order in which the tile reads them.
//!
//! A block of A keeps its rows, in runs of [`K_RUN`] elements with a fixed step between rows. A panel of B contains, for each k, the
//! columns of one tile side by side; columns past the end of B are zeros.

use rlx_simd::simd::{F32Vector, MAX_LANES, Simd, Vector};

use super::element::{Element, Narrow};
use super::shape::Steps;
use super::tile::{A_STEP, K_RUN};

/// Distance in rows between what is copied and what is prefetched.
const ROWS_AHEAD: usize = 16;

/// Copies `rows`×`k` elements into a packed A block whose runs are `rows · A_STEP` apart.
///
/// # Safety
/// `source` is valid for the elements at `steps`, `target` for the block; they do not overlap.
#[inline(always)]
pub(crate) unsafe fn block_of_a<S: Simd, V: Vector<Token = S>>(
    token: S,
    source: *const V::Elem,
    steps: Steps,
    rows: usize,
    k: usize,
    target: *mut V::Elem,
) {
    for (run, start) in (0..k).step_by(K_RUN).enumerate() {
        let len = (k - start).min(K_RUN);
        // SAFETY: every access is inside the block and the matrix that the caller vouches for.
        unsafe {
            let (source, target) = (source.add(start * steps.col), target.add(run * rows * A_STEP));
            turn::<S, V>(token, source, steps, rows, len, target, A_STEP);
        }
    }
}

/// Copies `k` rows of `columns` columns into a panel of B that is `width` wide.
///
/// # Safety
/// `columns <= width`, `width` is a multiple of `V::LANES`, `source` is valid for the elements at `steps`, and
/// `target` for `k · width` elements; they do not overlap.
#[inline(always)]
pub unsafe fn panel_of_b<S: Simd, V: Vector<Token = S>>(
    token: S,
    source: *const V::Elem,
    steps: Steps,
    k: usize,
    columns: usize,
    width: usize,
    target: *mut V::Elem,
) {
    // SAFETY: the caller vouches for both.
    unsafe {
        if columns < width {
            std::ptr::write_bytes(target, 0, k * width);
        }
        turn::<S, V>(token, source, steps, k, columns, target, width);
    }
}

/// Columns of 16-bit numbers that are to be arranged in a panel of B.
#[derive(Clone, Copy)]
pub(crate) struct NarrowColumns {
    /// The first element.
    pub source: *const u16,
    /// The distances between elements.
    pub steps: Steps,
    /// Number of rows.
    pub k: usize,
    /// Number of columns, at most `width`.
    pub columns: usize,
    /// Width of the panel.
    pub width: usize,
    /// Whether the elements are in the cache already.
    pub is_fetched: bool,
}

/// Copies columns of 16-bit numbers into a panel of B.
///
/// # Safety
/// The columns are valid, and so is `target` for `k · width` elements; they do not overlap.
#[inline(always)]
pub(crate) unsafe fn narrow_panel<S: Simd>(token: S, of: NarrowColumns, target: *mut u16) {
    let NarrowColumns { source, steps, k, columns, width, is_fetched } = of;
    let lanes = S::F32::LANES;
    // Two neighbors in a column are transposed together, as one number of 32 bits.
    let rows_of_block = 2 * lanes;
    let (block_rows, block_columns) =
        if steps.row == 1 { (k - k % rows_of_block, columns - columns % lanes) } else { (0, 0) };
    // SAFETY: every access is at an index below `k`, `columns` and `width`, which the caller vouches for; square blocks with a side of one
    // vector's lanes fit the arrays, whose elements may have any bits.
    unsafe {
        if columns < width {
            std::ptr::write_bytes(target, 0, k * width);
        }
        let (mut by_column, mut by_row) = ([0f32; MAX_LANES * MAX_LANES], [0f32; MAX_LANES * MAX_LANES]);
        for column in (0..block_columns).step_by(lanes) {
            for row in (0..block_rows).step_by(rows_of_block) {
                for i in 0..lanes {
                    let from = source.add(row + (column + i) * steps.col);
                    // Columns are read from as many places as there are lanes; those of the next block follow them.
                    if !is_fetched {
                        token.prefetch(from.wrapping_add(lanes * steps.col));
                    }
                    let to = by_column.as_mut_ptr().add(i * lanes).cast::<u16>();
                    std::ptr::copy_nonoverlapping(from, to, rows_of_block);
                }
                S::F32::transpose(token, by_column.as_ptr(), lanes, by_row.as_mut_ptr(), lanes);
                for pair in 0..lanes {
                    let pairs = &by_row[pair * lanes..][..lanes];
                    let to = target.add((row + 2 * pair) * width + column);
                    let first = std::slice::from_raw_parts_mut(to, lanes);
                    first.iter_mut().zip(pairs).for_each(|(to, pair)| *to = halves_of(*pair).0);
                    let second = std::slice::from_raw_parts_mut(to.add(width), lanes);
                    second.iter_mut().zip(pairs).for_each(|(to, pair)| *to = halves_of(*pair).1);
                }
            }
        }
        for row in 0..k {
            let done = if row < block_rows { block_columns } else { 0 };
            for column in done..columns {
                *target.add(row * width + column) = *source.add(row * steps.row + column * steps.col);
            }
        }
    }
}

/// Copies contiguous columns into a panel of B, transposed and widened in registers. Returns false, and writes nothing, if they do not
/// consist of whole square blocks of vectors.
///
/// # Safety
/// The columns are valid, and so is `target` for `k · width` elements, where `width` is a multiple of the lanes of `E`; they do not
/// overlap.
#[inline(always)]
pub(crate) unsafe fn turn_widened<S: Simd, E: Element>(
    token: S,
    form: Narrow,
    of: NarrowColumns,
    target: *mut E,
) -> bool {
    let NarrowColumns { source, steps, k, columns, width, is_fetched } = of;
    let lanes = S::F32::LANES;
    // Two neighbors in a column are transposed together, as one number of 32 bits.
    let rows_of_block = 2 * lanes;
    let whole = columns == width && width.is_multiple_of(lanes) && k.is_multiple_of(rows_of_block);
    let aligned = steps.col.is_multiple_of(2) && source.cast::<f32>().is_aligned();
    if steps.row != 1 || !whole || !aligned {
        return false;
    }
    let mut by_row = [0f32; MAX_LANES * MAX_LANES];
    for column in (0..columns).step_by(lanes) {
        for row in (0..k).step_by(rows_of_block) {
            // SAFETY: the block lies in the columns, which the caller vouches for, and is aligned to pairs; it is as large as the array.
            // The rows that are written lie in the panel.
            unsafe {
                let from = source.add(row + column * steps.col);
                for i in if is_fetched { 0..0 } else { lanes..2 * lanes } {
                    // Columns are read from as many places as there are lanes; those of the next block follow them.
                    token.prefetch(from.wrapping_add(i * steps.col));
                }
                S::F32::transpose(token, from.cast(), steps.col / 2, by_row.as_mut_ptr(), lanes);
                for pair in 0..lanes {
                    let pairs = S::F32::load(token, by_row.as_ptr().add(pair * lanes));
                    let (first, second) = match form {
                        Narrow::F16 => pairs.widen_f16_pairs(),
                        Narrow::Bf16 => pairs.widen_bf16_pairs(),
                    };
                    let to = target.add((row + 2 * pair) * width + column);
                    E::store_wide(first, to);
                    E::store_wide(second, to.add(width));
                }
            }
        }
    }
    true
}

/// Returns the two consecutive 16-bit numbers that make up the bytes of a float.
#[inline(always)]
fn halves_of(pair: f32) -> (u16, u16) {
    let bits = pair.to_bits();
    let (low, high) = (bits as u16, (bits >> 16) as u16);
    if cfg!(target_endian = "little") { (low, high) } else { (high, low) }
}

/// Copies a matrix with any steps into rows that are `target_step` apart.
///
/// # Safety
/// `source` is valid for `rows`×`columns` elements at `steps`, and `target` for the same number at its step; they do not overlap.
#[inline(always)]
pub unsafe fn turn<S: Simd, V: Vector<Token = S>>(
    token: S,
    source: *const V::Elem,
    steps: Steps,
    rows: usize,
    columns: usize,
    target: *mut V::Elem,
    target_step: usize,
) {
    // SAFETY: every access is at an index below `rows` and `columns`, which the caller vouches for.
    unsafe {
        if steps.col == 1 {
            for row in 0..rows {
                token.prefetch(source.wrapping_add((row + ROWS_AHEAD) * steps.row));
                copy_row::<S, V>(token, source.add(row * steps.row), columns, target.add(row * target_step));
            }
            return;
        }
        // Contiguous columns are transposed in square blocks; the rest is copied one element at a time.
        let (block_rows, block_columns) =
            if steps.row == 1 { (rows - rows % V::LANES, columns - columns % V::LANES) } else { (0, 0) };
        for column in (0..block_columns).step_by(V::LANES) {
            for row in (0..block_rows).step_by(V::LANES) {
                let from = source.add(row + column * steps.col);
                V::transpose(token, from, steps.col, target.add(row * target_step + column), target_step);
            }
        }
        for row in 0..rows {
            let done = if row < block_rows { block_columns } else { 0 };
            for column in done..columns {
                *target.add(row * target_step + column) = *source.add(row * steps.row + column * steps.col);
            }
        }
    }
}

/// # Safety
/// `source` and `target` are valid for `count` elements and do not overlap.
#[inline(always)]
unsafe fn copy_row<S: Simd, V: Vector<Token = S>>(
    token: S,
    source: *const V::Elem,
    count: usize,
    target: *mut V::Elem,
) {
    let whole = count - count % V::LANES;
    // SAFETY: the caller vouches for `count` elements.
    unsafe {
        for at in (0..whole).step_by(V::LANES) {
            V::load(token, source.add(at)).store(target.add(at));
        }
        if whole < count {
            let rest = count - whole;
            V::load_partial(token, source.add(whole), rest).store_partial(target.add(whole), rest);
        }
    }
}
