//! The tile: the product of some rows of activations with some unpacked panels.
//!
//! An element of the result is a chain of multiply-adds over the parts of each chunk of its row, in order, where each part contributes an
//! exact sum of integers. The sums of chunks are added ([`Totals`]). So it depends neither on the other rows nor on how the product is
//! divided, and the rounding errors of a long row do not grow with its length.

use crate::activations::Scale;
use crate::lanes::Lanes;
use crate::layout::{GROUP, ROWS};

/// Number of values of a row that one chain sums; a whole number of blocks in every format.
pub(crate) const CHUNK: usize = 512;

/// Number of values of a row whose chunk sums are added plainly before they are passed to [`Totals`].
pub(crate) const SPAN: usize = 64 * CHUNK;

/// The sum of spans and the rounding errors of that sum.
pub(crate) type Totals = rlx_simd::sums::Total<f32, 1>;

/// The inputs and outputs of a tile. All distances are in elements.
#[derive(Clone, Copy)]
pub(crate) struct TileOperands {
    /// Codes of the first panel, and the distance to those of the next.
    pub(crate) codes: *const u8,
    pub(crate) codes_step: usize,
    /// Factors, and negated minimums.
    pub(crate) factors: *const f32,
    pub(crate) mins: *const f32,
    /// The distance to the factors of the next panel.
    pub(crate) factors_step: usize,
    /// Number of values that are multiplied, a multiple of 32.
    pub(crate) depth: usize,
    /// The lowest code.
    pub(crate) lowest: i32,
    /// Bytes of the first row of activations, and the distance to the next.
    pub(crate) bytes: *const i8,
    pub(crate) bytes_step: usize,
    /// The factors and sums of activations.
    pub(crate) scales: *const Scale,
    pub(crate) scales_step: usize,
    /// Sums to which the products are added: [`ROWS`] per panel, one panel after the other.
    pub(crate) sums: *mut f32,
    /// The distance to the sums of the next row of activations.
    pub(crate) sums_step: usize,
}

/// Adds the products of `R` rows and `P` panels to the sums: with parts of 16 or of 32 values, with or without minimums, and with or
/// without codes above 127.
///
/// # Safety
/// Everything that the operands point to is valid.
#[inline(always)]
pub(crate) unsafe fn tile<
    L: Lanes,
    const R: usize,
    const P: usize,
    const HALVES: bool,
    const MINS: bool,
    const WIDE: bool,
>(
    lanes: L,
    o: &TileOperands,
) {
    let parts = if HALVES { 2 } else { 1 };
    // SAFETY: the caller vouches for the operands.
    unsafe {
        let mut sums = [[lanes.floats(0.0); P]; R];
        for group in 0..o.depth / GROUP {
            for part in 0..parts {
                let mut dots = [[lanes.ints(0); P]; R];
                for (r, dots) in dots.iter_mut().enumerate() {
                    let sums = (*o.scales.add(r * o.scales_step + group)).sums;
                    let sum = if HALVES { sums[part] } else { sums[0] + sums[1] };
                    *dots = [lanes.ints(o.lowest * sum); P];
                }
                for four in 0..8 / parts {
                    let at = group * 8 + part * 4 + four;
                    let mut codes = [lanes.load_bytes(o.codes.add(at * 64)); P];
                    for (p, codes) in codes.iter_mut().enumerate().skip(1) {
                        *codes = lanes.load_bytes(o.codes.add(p * o.codes_step + at * 64));
                    }
                    for (r, dots) in dots.iter_mut().enumerate() {
                        let x = o.bytes.add(r * o.bytes_step + at * 4).cast::<i32>().read_unaligned();
                        for (dot, codes) in dots.iter_mut().zip(codes) {
                            *dot = lanes.dot::<WIDE>(*dot, codes, x);
                        }
                    }
                }
                let at = (group * parts + part) * ROWS;
                for p in 0..P {
                    let factor = lanes.load_floats(o.factors.add(p * o.factors_step + at));
                    for r in 0..R {
                        let scale = *o.scales.add(r * o.scales_step + group);
                        let x = lanes.mul(lanes.to_floats(dots[r][p]), lanes.floats(scale.factor));
                        sums[r][p] = lanes.mul_add(x, factor, sums[r][p]);
                    }
                    if MINS {
                        let min = lanes.load_floats(o.mins.add(p * o.factors_step + at));
                        for (r, sums) in sums.iter_mut().enumerate() {
                            let scale = *o.scales.add(r * o.scales_step + group);
                            let offset = if HALVES { scale.offsets[part] } else { scale.offset };
                            sums[p] = lanes.mul_add(lanes.floats(offset), min, sums[p]);
                        }
                    }
                }
            }
        }
        for (r, sums) in sums.iter().enumerate() {
            for (p, &sum) in sums.iter().enumerate() {
                let place = o.sums.add(r * o.sums_step + p * ROWS);
                lanes.store_floats(lanes.add_floats(lanes.load_floats(place), sum), place);
            }
        }
    }
}
