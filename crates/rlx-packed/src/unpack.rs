//! Unpacks blocks of a panel to one byte per code, and factors to f32.

use crate::lanes::{Cpu, Lanes, Work, dispatch};
use crate::layout::{BlockFactor, Codes, DIGITS, ForFormat, GROUP, PanelFormat, PartFactor, ROWS, sum};
use rlx_quant::{Format, QuantScheme};

/// Number of groups of four values in a [`GROUP`].
pub(crate) const FOURS: usize = GROUP / 4;

/// Returns the codes of the 32 values starting at value `32 · group` of a block, minus the lowest code: vectors of four values of each row.
///
/// # Safety
/// `from` is valid for a block of the layout, and the block has this group.
#[inline(always)]
pub(crate) unsafe fn codes<L: Lanes>(
    lanes: L,
    layout: &PanelFormat,
    from: *const u8,
    group: usize,
) -> [L::Bytes; FOURS] {
    // Written out, so that each index is a constant at compile time.
    // SAFETY: the caller vouches for the block.
    unsafe {
        [
            four(lanes, layout, from, group, 0),
            four(lanes, layout, from, group, 1),
            four(lanes, layout, from, group, 2),
            four(lanes, layout, from, group, 3),
            four(lanes, layout, from, group, 4),
            four(lanes, layout, from, group, 5),
            four(lanes, layout, from, group, 6),
            four(lanes, layout, from, group, 7),
        ]
    }
}

/// Returns the codes of four of 32 values.
#[inline(always)]
unsafe fn four<L: Lanes>(
    lanes: L,
    layout: &PanelFormat,
    from: *const u8,
    group: usize,
    four: usize,
) -> L::Bytes {
    // SAFETY: the caller vouches for the block.
    unsafe {
        match layout.codes {
            Codes::Planes(widths) => planes(lanes, widths, from, group, four),
            Codes::Levels(widths, levels) => lanes.lookup(levels, planes(lanes, widths, from, group, four)),
            Codes::Digits => digits(lanes, layout, from, group, four),
        }
    }
}

/// Returns the fields of four values in planes of these widths, the first plane lowest.
#[inline(always)]
unsafe fn planes<L: Lanes>(lanes: L, widths: &[u32], from: *const u8, group: usize, four: usize) -> L::Bytes {
    let vectors = sum(widths) as usize;
    let from = from.wrapping_add(group * vectors * 64);
    let [first, rest @ ..] = widths else { return lanes.zeros() };
    // SAFETY: the caller vouches for that many vectors.
    unsafe {
        let low = field(lanes, *first, from, four);
        match rest {
            [second] => {
                let high = field(lanes, *second, from.add(*first as usize * 64), four);
                lanes.or(low, lanes.up(high, *first))
            }
            _ => low,
        }
    }
}

/// Returns the bits of four values in a plane.
#[inline(always)]
unsafe fn field<L: Lanes>(lanes: L, width: u32, plane: *const u8, four: usize) -> L::Bytes {
    let (vector, place) = (four % width as usize, (four / width as usize) as u32);
    // SAFETY: the caller vouches for one vector per bit.
    let bytes = unsafe { lanes.load_bytes(plane.add(vector * 64)) };
    match (width, place) {
        (8, _) => bytes,
        (_, 0) => lanes.and(bytes, ((1u32 << width) - 1) as u8),
        _ => lanes.and(lanes.down(bytes, place * width), ((1u32 << width) - 1) as u8),
    }
}

/// Returns base-3 digits: of the first [`DIGITS`] groups of four from one vector, of the others from fields.
#[inline(always)]
unsafe fn digits<L: Lanes>(
    lanes: L,
    layout: &PanelFormat,
    from: *const u8,
    group: usize,
    four: usize,
) -> L::Bytes {
    // SAFETY: the caller vouches for one vector per 32 values, and for one per four groups of the others.
    unsafe {
        if four >= DIGITS {
            let field = (FOURS - DIGITS) * group + (four - DIGITS);
            let bytes = lanes.load_bytes(from.add((layout.block / GROUP + field / 4) * 64));
            return lanes.and(lanes.down(bytes, (field % 4 * 2) as u32), 3);
        }
        let mut rest = lanes.load_bytes(from.add(group * 64));
        for _ in 0..four {
            rest = lanes.add(rest, lanes.add(rest, rest));
        }
        // The integer part of three times the fraction.
        lanes.add(lanes.at_least(rest, 86), lanes.at_least(rest, 171))
    }
}

/// Returns the factors of the block at `from`.
///
/// # Safety
/// `from` is valid for a block of the layout.
#[inline(always)]
pub(crate) unsafe fn whole<L: Lanes>(lanes: L, layout: &PanelFormat, from: *const u8) -> L::Floats {
    let from = from.wrapping_add(layout.places.wholes);
    // SAFETY: the caller vouches for the factors.
    let whole = unsafe {
        match layout.whole {
            BlockFactor::F16 => lanes.load_halves(from),
            BlockFactor::F32 => lanes.load_floats(from.cast()),
            BlockFactor::Exponent => power(lanes, lanes.load_widened(from)),
            BlockFactor::Nothing => lanes.floats(1.0),
        }
    };
    if layout.unit == 1.0 { whole } else { lanes.mul(whole, lanes.floats(layout.unit)) }
}

/// 2^(e − 128), computed as the product of two numbers that are not subnormal.
#[inline(always)]
fn power<L: Lanes>(lanes: L, exponent: L::Ints) -> L::Floats {
    let half = lanes.shr_ints(exponent, lanes.ints(1));
    lanes.mul(power_of_half(lanes, half), power_of_half(lanes, lanes.sub_ints(exponent, half)))
}

/// 2^(e − 64).
#[inline(always)]
fn power_of_half<L: Lanes>(lanes: L, exponent: L::Ints) -> L::Floats {
    lanes.floats_of_bits(lanes.shl_ints(lanes.add_ints(exponent, lanes.ints(63)), lanes.ints(23)))
}

/// Returns the factors of part `p` of a block times those of the block.
///
/// # Safety
/// `from` is valid for the factors of all parts of the block.
#[inline(always)]
pub(crate) unsafe fn part<L: Lanes>(
    lanes: L,
    part: PartFactor,
    from: *const u8,
    p: usize,
    whole: L::Floats,
) -> L::Floats {
    // SAFETY: the caller vouches for the factors.
    unsafe {
        let factor = match part {
            PartFactor::One => return whole,
            PartFactor::U8 => lanes.load_widened(from.add(p * ROWS)),
            PartFactor::I8 => {
                let top = lanes.ints(0x80);
                lanes.sub_ints(lanes.xor_ints(lanes.load_widened(from.add(p * ROWS)), top), top)
            }
            PartFactor::U4 => half_of_byte(lanes, from, p),
            PartFactor::Odd => {
                let half = half_of_byte(lanes, from, p);
                lanes.add_ints(lanes.add_ints(half, half), lanes.ints(1))
            }
            PartFactor::Float8 => {
                let bits = lanes.shl_ints(lanes.load_widened(from.add(p * ROWS)), lanes.ints(7));
                return lanes.mul(whole, lanes.mul(lanes.halves(bits), lanes.floats(128.0)));
            }
        };
        lanes.mul(whole, lanes.to_floats(factor))
    }
}

/// Returns the four bits of a part.
#[inline(always)]
unsafe fn half_of_byte<L: Lanes>(lanes: L, from: *const u8, p: usize) -> L::Ints {
    // SAFETY: the caller vouches for the bytes.
    let pair = unsafe { lanes.load_widened(from.add(p / 2 * ROWS)) };
    lanes.and_ints(lanes.shr_ints(pair, lanes.ints((p % 2 * 4) as i32)), lanes.ints(15))
}

/// Where blocks of a panel are unpacked to.
#[derive(Clone, Copy)]
pub(crate) struct Unpacked {
    /// 64 bytes per group of four values.
    pub(crate) codes: *mut u8,
    /// [`ROWS`] numbers per part.
    pub(crate) factors: *mut f32,
    /// The same number of negated minimums; only if the layout has them.
    pub(crate) mins: *mut f32,
}

/// Unpacks `blocks` blocks at `from`.
///
/// # Safety
/// `from` is valid for that many blocks of the format, and `to` for their contents.
pub(crate) unsafe fn unpack(cpu: Cpu, scheme: QuantScheme, from: *const u8, blocks: usize, to: Unpacked) {
    dispatch(cpu, Unpack { scheme, from, blocks, to });
}

/// Blocks that are to be unpacked.
struct Unpack {
    scheme: QuantScheme,
    from: *const u8,
    blocks: usize,
    to: Unpacked,
}

impl Work for Unpack {
    type Output = ();
    const MULTIPLIES: bool = false;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        PanelFormat::compiled_for(self.scheme, UnpackIn { lanes, of: self });
    }
}

/// [`Unpack`] with an instruction set.
struct UnpackIn<L> {
    lanes: L,
    of: Unpack,
}

impl<L: Lanes> ForFormat for UnpackIn<L> {
    type Output = ();

    #[inline(always)]
    fn run<F: Format>(self) {
        let layout = const { PanelFormat::of(F::SCHEME) };
        let Unpack { mut from, blocks, to: Unpacked { mut codes, mut factors, mut mins }, .. } = self.of;
        let lanes = self.lanes;
        for _ in 0..blocks {
            // SAFETY: the code that created this vouches for the blocks and the target, which these functions read and write as the layout
            // says.
            unsafe {
                for group in 0..layout.block / GROUP {
                    for (four, bytes) in self::codes(lanes, layout, from, group).into_iter().enumerate() {
                        lanes.store_bytes(bytes, codes.add((group * FOURS + four) * 64));
                    }
                }
                let whole = whole(lanes, layout, from);
                for p in 0..layout.parts() {
                    let factor = part(lanes, layout.factor, from.add(layout.places.factors), p, whole);
                    lanes.store_floats(factor, factors.add(p * ROWS));
                }
                if let Some(min) = layout.min {
                    let whole = min_whole(lanes, layout, from);
                    for p in 0..layout.parts() {
                        let min = part(lanes, min, from.add(layout.places.mins), p, whole);
                        lanes.store_floats(min, mins.add(p * ROWS));
                    }
                }
            }
            from = from.wrapping_add(layout.places.end);
            codes = codes.wrapping_add(layout.block * ROWS);
            factors = factors.wrapping_add(layout.parts() * ROWS);
            mins = mins.wrapping_add(layout.parts() * ROWS);
        }
    }
}

/// Returns the factors of the minimums of a block, negated.
///
/// # Safety
/// `from` is valid for a block of the layout, and the layout has minimums.
#[inline(always)]
pub(crate) unsafe fn min_whole<L: Lanes>(lanes: L, layout: &PanelFormat, from: *const u8) -> L::Floats {
    // SAFETY: the caller vouches for the block.
    let whole = unsafe { lanes.load_halves(from.add(layout.places.whole_mins)) };
    lanes.mul(whole, lanes.floats(-1.0))
}
