//! The instructions of the matrix unit (AMX-BF16). It has eight tile registers of 16 rows of 64 bytes, and
//! products of bf16 that are summed in f32.
//!
//! The compiler knows nothing of tile registers and uses none, so that what one of these functions leaves in a register is there for
//! the next. Between [`begin`] and [`end`] a thread owns them.
//!
//! Spec: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 1, chapter 18, and `TDPBF16PS` in volume 2. Products
//! and sums round to nearest; subnormal numbers count as zeros, and results that would be subnormal are zeros.

use std::arch::asm;

use super::split::Splitting;

/// Rows of a tile, and columns of a tile of sums.
pub(super) const SIDE: usize = 16;
/// Steps of K that one tile of an operand holds.
pub(super) const K_STEP: usize = 32;
/// Bytes of a tile.
pub(super) const TILE: usize = 1024;
/// Bytes of a row of a tile.
const ROW: usize = 64;

#[repr(C, align(64))]
struct Config {
    palette: u8,
    start_row: u8,
    reserved: [u8; 14],
    row_bytes: [u16; 16],
    rows: [u8; 16],
}

/// Eight tiles of full size.
static FULL: Config = Config {
    palette: 1,
    start_row: 0,
    reserved: [0; 14],
    row_bytes: [64, 64, 64, 64, 64, 64, 64, 64, 0, 0, 0, 0, 0, 0, 0, 0],
    rows: [16, 16, 16, 16, 16, 16, 16, 16, 0, 0, 0, 0, 0, 0, 0, 0],
};

/// Makes the tiles ready.
///
/// # Safety
/// The machine has AMX-BF16, and the process may use it.
#[inline(always)]
pub(super) unsafe fn begin() {
    // SAFETY: the caller vouches for the instruction; it reads the 64 bytes.
    unsafe { asm!("ldtilecfg [{}]", in(reg) &raw const FULL, options(nostack, preserves_flags, readonly)) }
}

/// Gives the tiles up, so that the system need not save them.
///
/// # Safety
/// As [`begin`].
#[inline(always)]
pub(super) unsafe fn end() {
    // SAFETY: the caller vouches that the machine has the unit and that the tiles are configured; no memory is
    // touched.
    unsafe { asm!("tilerelease", options(nostack, preserves_flags, nomem)) }
}

/// Reads tile `T`, its rows `step` bytes apart.
///
/// # Safety
/// After [`begin`], and the rows are valid for reads.
#[inline(always)]
unsafe fn load<const T: u8>(from: *const u8, step: usize) {
    // SAFETY: the caller vouches that the tiles are configured, and that 16 rows of 64 bytes, `step` apart, can be
    // read.
    unsafe {
        asm!("tileloadd tmm{t}, [{from} + {step}]", t = const T, from = in(reg) from, step = in(reg) step,
            options(nostack, preserves_flags, readonly));
    }
}

/// Writes tile `T`, its rows `step` bytes apart.
///
/// # Safety
/// After [`begin`], and the rows are valid for writes.
#[inline(always)]
unsafe fn store<const T: u8>(to: *mut u8, step: usize) {
    // SAFETY: the caller vouches that the tiles are configured, and that 16 rows of 64 bytes, `step` apart, can be
    // written.
    unsafe {
        asm!("tilestored [{to} + {step}], tmm{t}", t = const T, to = in(reg) to, step = in(reg) step,
            options(nostack, preserves_flags));
    }
}

/// Fills tile `T` with zeros.
///
/// # Safety
/// After [`begin`].
#[inline(always)]
unsafe fn zero<const T: u8>() {
    // SAFETY: the caller vouches that the tiles are configured; no memory is touched.
    unsafe { asm!("tilezero tmm{t}", t = const T, options(nostack, preserves_flags, nomem)) }
}

/// Adds the product of tiles `A` and `B` to tile `C`.
///
/// # Safety
/// After [`begin`].
#[inline(always)]
unsafe fn multiply<const C: u8, const A: u8, const B: u8>() {
    // SAFETY: the caller vouches that the tiles are configured; no memory is touched.
    unsafe {
        asm!("tdpbf16ps tmm{c}, tmm{a}, tmm{b}", c = const C, a = const A, b = const B,
            options(nostack, preserves_flags, nomem));
    }
}

/// A product of up to two tiles of rows and two of columns over some steps of K. Operands are the parts of numbers, the largest first,
/// in tiles one after the other.
#[derive(Clone, Copy)]
pub(super) struct Block {
    /// For each step of K three tiles: the parts of A.
    pub a: *const u8,
    /// Bytes from one tile of rows to the next.
    pub a_step: usize,
    /// For each step of K the parts of B, each as two tiles of columns.
    pub b: *const u8,
    /// Parts of a number of B: three or one.
    pub b_parts: usize,
    /// Steps of K.
    pub steps: usize,
    /// The sums.
    pub c: *mut f32,
    /// Elements from one row there to the next.
    pub c_step: usize,
    /// Whether to go on from what stands there, instead of from 0.
    pub resume: bool,
}

impl Block {
    /// Computes the block, and meanwhile takes `pairs` of rows of other numbers apart for each product of parts: the unit and the vectors
    /// work side by side.
    ///
    /// # Safety
    /// After [`begin`], on a machine with AVX-512; the pointers are valid for what the block describes.
    #[inline(always)]
    pub(super) unsafe fn run(
        &self,
        two_rows: bool,
        two_columns: bool,
        meanwhile: &mut Splitting,
        pairs: usize,
    ) {
        // SAFETY: the caller vouches for the machine, the configured tiles and the block, of which `fixed` touches the
        // rows and columns that it is told of.
        unsafe {
            match (two_rows, two_columns) {
                (true, true) => self.fixed::<true, true>(meanwhile, pairs),
                (true, false) => self.fixed::<true, false>(meanwhile, pairs),
                (false, true) => self.fixed::<false, true>(meanwhile, pairs),
                (false, false) => self.fixed::<false, false>(meanwhile, pairs),
            }
        }
    }

    /// Products of parts that [`run`](Self::run) adds up.
    pub(super) fn products(&self) -> usize {
        self.steps * if self.b_parts > 1 { 6 } else { 3 }
    }

    /// # Safety
    /// As [`run`](Self::run).
    #[target_feature(enable = "avx512f,avx512bw")]
    unsafe fn fixed<const ROWS: bool, const COLUMNS: bool>(&self, meanwhile: &mut Splitting, pairs: usize) {
        let step = self.c_step * size_of::<f32>();
        let c = self.c.cast::<u8>();
        let (right, below) = (c.wrapping_add(ROW), c.wrapping_add(SIDE * step));
        let diagonal = below.wrapping_add(ROW);
        // SAFETY: the caller vouches for the machine, the configured tiles and the block; tiles that the block lacks
        // are not touched.
        unsafe {
            macro_rules! sums {
                ($each:ident $(, $step:expr)?) => {
                    $each::<0>($(c as _, $step)?);
                    if COLUMNS {
                        $each::<1>($(right as _, $step)?);
                    }
                    if ROWS {
                        $each::<2>($(below as _, $step)?);
                    }
                    if ROWS && COLUMNS {
                        $each::<3>($(diagonal as _, $step)?);
                    }
                };
            }
            if self.resume {
                sums!(load, step);
            } else {
                sums!(zero);
            }
            let (mut a, mut b) = (self.a, self.b);
            let b_bytes = 2 * TILE * self.b_parts;
            for _ in 0..self.steps {
                macro_rules! a_part {
                    ($part:expr) => {
                        load::<4>(a.wrapping_add($part * TILE), ROW);
                        if ROWS {
                            load::<5>(a.wrapping_add(self.a_step + $part * TILE), ROW);
                        }
                    };
                }
                macro_rules! b_part {
                    ($part:expr) => {
                        load::<6>(b.wrapping_add(2 * $part * TILE), ROW);
                        if COLUMNS {
                            load::<7>(b.wrapping_add((2 * $part + 1) * TILE), ROW);
                        }
                    };
                }
                macro_rules! add {
                    () => {
                        multiply::<0, 4, 6>();
                        if COLUMNS {
                            multiply::<1, 4, 7>();
                        }
                        if ROWS {
                            multiply::<2, 5, 6>();
                        }
                        if ROWS && COLUMNS {
                            multiply::<3, 5, 7>();
                        }
                        for _ in 0..pairs {
                            meanwhile.pair();
                        }
                    };
                }
                // One operand changes from product to product; the largest comes last.
                a_part!(2);
                b_part!(0);
                add!();
                a_part!(1);
                add!();
                if self.b_parts > 1 {
                    b_part!(1);
                    add!();
                    a_part!(0);
                    add!();
                    b_part!(2);
                    add!();
                    b_part!(0);
                } else {
                    a_part!(0);
                }
                add!();
                a = a.wrapping_add(3 * TILE);
                b = b.wrapping_add(b_bytes);
            }
            sums!(store, step);
        }
    }
}
