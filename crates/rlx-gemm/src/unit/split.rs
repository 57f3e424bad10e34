//! Splits an f32 into the exact sum of three bf16 for the matrix unit, down to the smallest normal number.
//! Writes the parts in the order in which tiles are read, and puts numbers together again where a product must
//! be summed without tiles.

use std::arch::x86_64::*;

use super::tiles::{K_STEP, SIDE, TILE};

/// Columns of a panel of B.
pub(super) const WIDTH: usize = 2 * SIDE;

/// The upper half of an f32: a bf16.
const UPPER: i32 = 0xffff_0000_u32 as i32;
/// An infinity without its sign, shifted by the sign's place.
const INFINITE: u32 = 0x7f80_0000 << 1;
/// The smallest number that rounds to a bf16 infinity, likewise.
const OVERFLOWS: u32 = 0x7f7f_8000 << 1;

/// Takes `rows` rows of `k` numbers apart into tiles of A: three for each [`K_STEP`] of K. `rows` beyond are not touched; numbers beyond
/// `k` are zeros. Returns the rows, as bits, that are odd: they hold an infinity, NaN, or a number
/// that bf16 does not reach.
///
/// # Safety
/// The machine has AVX-512 F and BW; `rows <= SIDE`; `source` is valid for the rows, `target` for the tiles.
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) unsafe fn rows_of_a(
    source: *const f32,
    step: usize,
    rows: usize,
    k: usize,
    target: *mut u8,
) -> u32 {
    let mut odd = 0;
    for row in 0..rows {
        // SAFETY: the caller vouches for the rows and the tiles.
        unsafe {
            let (source, target) = (source.add(row * step), target.add(row * 64));
            if row_of_a::<false>(source, k, target) {
                row_of_a::<true>(source, k, target);
                odd |= 1 << row;
            }
        }
    }
    odd
}

/// # Safety
/// As [`rows_of_a`], for one row.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
unsafe fn row_of_a<const CAREFUL: bool>(source: *const f32, k: usize, target: *mut u8) -> bool {
    let mut largest = _mm512_setzero_si512();
    // The upper halves of both vectors, in order.
    let upper = upper_halves();
    for (index, start) in (0..k).step_by(K_STEP).enumerate() {
        let left = k - start;
        // SAFETY: masks leave out what lies beyond `k`; the tiles have room for every step.
        unsafe {
            let (from, to) = (source.add(start), target.add(index * 3 * TILE));
            let (low, high) = if left >= K_STEP {
                (_mm512_loadu_ps(from), _mm512_loadu_ps(from.add(16)))
            } else {
                let mask = (1_u32 << left) - 1;
                let high = _mm512_maskz_loadu_ps((mask >> 16) as u16, from.wrapping_add(16));
                (_mm512_maskz_loadu_ps(mask as u16, from), high)
            };
            largest = _mm512_max_epu32(largest, _mm512_max_epu32(magnitude(low), magnitude(high)));
            let (low, high) = (parts::<CAREFUL>(low), parts::<CAREFUL>(high));
            for part in 0..3 {
                let both = _mm512_permutex2var_epi16(low[part], upper, high[part]);
                _mm512_store_si512(to.add(part * TILE).cast(), both);
            }
        }
    }
    is_odd(largest)
}

/// Numbers of B, row after row.
#[derive(Clone, Copy)]
pub(super) enum Numbers {
    F32(*const f32),
    /// They are their only part.
    Bf16(*const u16),
}

/// A block of a panel of B that is being taken apart, two rows at a time: into tiles, two side by side for each part and [`K_STEP`];
/// numbers beyond `k` and `columns` are zeros.
pub(super) struct Splitting {
    numbers: Numbers,
    /// Numbers from one row to the next.
    step: usize,
    k: usize,
    columns: u32,
    target: *mut u8,
    /// Pairs of rows that are done.
    done: usize,
    /// Pairs of rows that [`pair`](Self::pair) can do: all, or none.
    whole: usize,
    /// The largest magnitudes met.
    largest: __m512i,
}

impl Splitting {
    /// `k` rows of `columns` numbers, `step` apart, to be taken apart into the tiles at `target`.
    ///
    /// # Safety
    /// The machine has AVX-512 F and BW; `columns <= WIDTH`; the rows and the tiles are valid until this is finished.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) unsafe fn new(
        numbers: Numbers,
        step: usize,
        k: usize,
        columns: usize,
        target: *mut u8,
    ) -> Self {
        let whole = if k.is_multiple_of(K_STEP) && columns == WIDTH { k / 2 } else { 0 };
        let columns = if columns >= WIDTH { u32::MAX } else { (1 << columns) - 1 };
        Splitting { numbers, step, k, columns, target, done: 0, whole, largest: _mm512_setzero_si512() }
    }

    /// Nothing to be taken apart.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn nothing() -> Self {
        // SAFETY: no row is read.
        unsafe { Splitting::new(Numbers::F32(std::ptr::null()), 0, 0, 0, std::ptr::null_mut()) }
    }

    /// Parts of each number.
    pub(super) fn parts(&self) -> usize {
        if let Numbers::F32(_) = self.numbers { 3 } else { 1 }
    }

    /// Pairs of rows that may be done one by one, while other work goes on.
    pub(super) fn pairs(&self) -> usize {
        self.whole
    }

    /// Does the next pair of rows, if one is left that may be done alone.
    ///
    /// # Safety
    /// As [`new`](Self::new).
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) unsafe fn pair(&mut self) {
        let pair = self.done;
        if pair >= self.whole {
            return;
        }
        self.done += 1;
        // SAFETY: the caller of `new` vouched for the rows of the block and for the room of its parts; a pair below
        // `whole` has two rows that exist.
        unsafe {
            match self.numbers {
                Numbers::F32(start) => {
                    let row = start.add(2 * pair * self.step);
                    let next = row.add(self.step);
                    let tile = self.target.add(pair / SIDE * 6 * TILE + pair % SIDE * 64);
                    let mut largest = self.largest;
                    for side in 0..2 {
                        let (even, odd) =
                            (_mm512_loadu_ps(row.add(side * SIDE)), _mm512_loadu_ps(next.add(side * SIDE)));
                        largest = larger(largest, even, odd);
                        store_pair::<false>(even, odd, tile.add(side * TILE));
                    }
                    self.largest = largest;
                }
                Numbers::Bf16(start) => {
                    let row = start.add(2 * pair * self.step);
                    let (even, odd) =
                        (_mm512_loadu_si512(row.cast()), _mm512_loadu_si512(row.add(self.step).cast()));
                    self.store_bf16(even, odd, pair);
                }
            }
        }
    }

    /// Does what is left. Returns whether the block is odd, as a row of A may be.
    ///
    /// # Safety
    /// As [`new`](Self::new).
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) unsafe fn finish(&mut self) -> bool {
        // SAFETY: the caller of `new` vouched for the rows of the block and for the room of its parts; of a pair that
        // is left, rows from `k` on are not read.
        unsafe {
            while self.done < self.whole {
                self.pair();
            }
            let rest = self.done..self.k.next_multiple_of(K_STEP) / 2;
            let Numbers::F32(start) = self.numbers else {
                for pair in rest {
                    self.pair_of_bf16(pair);
                }
                let infinite = _mm512_set1_epi16((INFINITE >> 16) as u16 as i16);
                return _mm512_cmpge_epu16_mask(self.largest, infinite) != 0;
            };
            for pair in rest {
                self.pair_of_f32::<false>(start, pair);
            }
            let odd = is_odd(self.largest);
            for pair in 0..if odd { self.k.next_multiple_of(K_STEP) / 2 } else { 0 } {
                self.pair_of_f32::<true>(start, pair);
            }
            odd
        }
    }

    /// Takes any two rows apart.
    ///
    /// # Safety
    /// As [`new`](Self::new).
    #[target_feature(enable = "avx512f,avx512bw")]
    unsafe fn pair_of_f32<const CAREFUL: bool>(&mut self, start: *const f32, pair: usize) {
        for side in 0..2 {
            let mask = (self.columns >> (side * SIDE)) as u16;
            let read = |row: usize| {
                let from = start.wrapping_add(row * self.step + side * SIDE);
                // SAFETY: rows below `k` and columns below `columns` are valid; the mask leaves out the rest.
                if row < self.k { unsafe { _mm512_maskz_loadu_ps(mask, from) } } else { _mm512_setzero_ps() }
            };
            let (even, odd) = (read(2 * pair), read(2 * pair + 1));
            self.largest = larger(self.largest, even, odd);
            // SAFETY: the tiles have room for every step and part.
            unsafe {
                let tile = self.target.add((pair / SIDE * 6 + side) * TILE + pair % SIDE * 64);
                store_pair::<CAREFUL>(even, odd, tile);
            }
        }
    }

    /// Arranges any two rows.
    ///
    /// # Safety
    /// As [`new`](Self::new).
    #[target_feature(enable = "avx512f,avx512bw")]
    unsafe fn pair_of_bf16(&mut self, pair: usize) {
        let Numbers::Bf16(start) = self.numbers else { return };
        let read = |row: usize| {
            let from = start.wrapping_add(row * self.step);
            if row < self.k {
                // SAFETY: rows below `k` and columns below `columns` are valid; the mask leaves out the rest.
                unsafe { _mm512_maskz_loadu_epi16(self.columns, from.cast()) }
            } else {
                _mm512_setzero_si512()
            }
        };
        let (even, odd) = (read(2 * pair), read(2 * pair + 1));
        // SAFETY: the caller vouches for the machine and for the room of the pair.
        unsafe { self.store_bf16(even, odd, pair) };
    }

    /// Writes the numbers of two rows in turns.
    ///
    /// # Safety
    /// As [`new`](Self::new).
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    unsafe fn store_bf16(&mut self, even: __m512i, odd: __m512i, pair: usize) {
        // Columns of the even and of the odd row.
        let left = _mm512_set_epi16(
            47, 15, 46, 14, 45, 13, 44, 12, 43, 11, 42, 10, 41, 9, 40, 8, 39, 7, 38, 6, 37, 5, 36, 4, 35, 3,
            34, 2, 33, 1, 32, 0,
        );
        let right = _mm512_add_epi16(left, _mm512_set1_epi16(SIDE as i16));
        for (side, turns) in [left, right].into_iter().enumerate() {
            let both = _mm512_permutex2var_epi16(even, turns, odd);
            self.largest = _mm512_max_epu16(self.largest, _mm512_slli_epi16::<1>(both));
            // SAFETY: the tiles have room for every step.
            unsafe {
                let tile = self.target.add((pair / SIDE * 2 + side) * TILE + pair % SIDE * 64);
                _mm512_store_si512(tile.cast(), both);
            }
        }
    }
}

/// The largest magnitudes, with those of two vectors.
#[inline]
#[target_feature(enable = "avx512f")]
fn larger(largest: __m512i, even: __m512, odd: __m512) -> __m512i {
    _mm512_max_epu32(largest, _mm512_max_epu32(magnitude(even), magnitude(odd)))
}

/// Takes the numbers of two rows in sixteen columns apart, and writes each part where its row of a tile is, for the first part at
/// `tile`.
///
/// # Safety
/// The machine has AVX-512 F and BW; `tile` is valid for the rows of the three tiles.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
unsafe fn store_pair<const CAREFUL: bool>(even: __m512, odd: __m512, tile: *mut u8) {
    let (even, odd) = (parts::<CAREFUL>(even), parts::<CAREFUL>(odd));
    for part in 0..3 {
        let both = _mm512_mask_blend_epi16(0xaaaa_aaaa, _mm512_srli_epi32::<16>(even[part]), odd[part]);
        // SAFETY: the tiles have room for every step and part.
        unsafe { _mm512_store_si512(tile.add(part * 2 * TILE).cast(), both) };
    }
}

/// Indices of the upper halves of the numbers of two vectors.
#[inline]
#[target_feature(enable = "avx512f")]
fn upper_halves() -> __m512i {
    let mut indices = [0_u16; 32];
    for (i, index) in indices.iter_mut().enumerate() {
        *index = 2 * i as u16 + 1;
    }
    // SAFETY: the array is as long as a vector.
    unsafe { _mm512_loadu_si512(indices.as_ptr().cast()) }
}

/// The bits without the sign, shifted by its place.
#[inline]
#[target_feature(enable = "avx512f")]
fn magnitude(x: __m512) -> __m512i {
    _mm512_slli_epi32::<1>(_mm512_castps_si512(x))
}

/// Whether one of the magnitudes is that of an infinity, of NaN, or of a number that bf16 does not reach.
#[inline]
#[target_feature(enable = "avx512f")]
fn is_odd(largest: __m512i) -> bool {
    _mm512_cmpge_epu32_mask(largest, _mm512_set1_epi32(OVERFLOWS as i32)) != 0
}

/// The parts of sixteen numbers, each in the upper halves (whose lower halves mean nothing): every part is the bf16 nearest to what is left. `CAREFUL`: the one towards
/// zero, so that none overflows; an infinity is an infinity and zeros, and NaN has a NaN among its parts.
#[inline]
#[target_feature(enable = "avx512f")]
fn parts<const CAREFUL: bool>(x: __m512) -> [__m512i; 3] {
    let upper = _mm512_set1_epi32(UPPER);
    let nearest = |x: __m512| {
        let bits = _mm512_castps_si512(x);
        let half = _mm512_set1_epi32(if CAREFUL { 0 } else { 0x8000 });
        _mm512_and_si512(_mm512_add_epi32(bits, half), upper)
    };
    let first = nearest(x);
    let mut rest = _mm512_sub_ps(x, _mm512_castsi512_ps(first));
    if CAREFUL {
        let infinite = _mm512_cmpeq_epi32_mask(magnitude(x), _mm512_set1_epi32(INFINITE as i32));
        rest = _mm512_mask_mov_ps(rest, infinite, _mm512_setzero_ps());
    }
    let second = nearest(rest);
    let third = _mm512_sub_ps(rest, _mm512_castsi512_ps(second));
    [first, second, _mm512_castps_si512(third)]
}

/// Number `k` of row `row` of tiles of A.
///
/// # Safety
/// `tiles` is valid for the tiles up to that number.
pub(super) unsafe fn number_of_a(tiles: *const u8, row: usize, k: usize) -> f32 {
    let at = k / K_STEP * 3 * TILE + row * 64 + k % K_STEP * 2;
    // SAFETY: the caller vouches for the tiles up to this number, whose parts lie `TILE` bytes apart.
    let part = |part: usize| unsafe { bf16(tiles.add(at + part * TILE)) };
    part(0) + part(1) + part(2)
}

/// Puts row `k` of tiles of B together.
///
/// # Safety
/// `tiles` is valid for the tiles up to that row.
pub(super) unsafe fn row_of_b(tiles: *const u8, parts: usize, k: usize) -> [f32; WIDTH] {
    let mut row = [0.0; WIDTH];
    for (column, x) in row.iter_mut().enumerate() {
        let at = k % K_STEP / 2 * 64 + column % SIDE * 4 + k % 2 * 2;
        for part in 0..parts {
            let tile = (k / K_STEP * parts + part) * 2 + column / SIDE;
            // SAFETY: the caller vouches for the tiles up to this row.
            *x += unsafe { bf16(tiles.add(tile * TILE + at)) };
        }
    }
    row
}

/// # Safety
/// `place` is valid for reads of two bytes.
unsafe fn bf16(place: *const u8) -> f32 {
    // SAFETY: the caller vouches for two bytes.
    f32::from_bits(u32::from(unsafe { place.cast::<u16>().read() }) << 16)
}
