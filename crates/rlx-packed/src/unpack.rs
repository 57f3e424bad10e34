//! Blocks of a panel as the tile reads them: a byte per code, and factors as f32.

use crate::lanes::Lanes;
use crate::layout::{BlockFactor, Codes, GROUP, PanelFormat, PartFactor, ROWS};
use crate::pack::power;
use half::slice::HalfFloatSliceExt;

/// Where a block of a panel is unpacked to.
#[derive(Clone, Copy)]
pub(crate) struct Unpacked {
    /// 64 bytes per group of four values.
    pub(crate) codes: *mut u8,
    /// [`ROWS`] numbers per part.
    pub(crate) factors: *mut f32,
    /// As many, the smallest values with the other sign; only where the layout has them.
    pub(crate) mins: *mut f32,
}

/// Unpacks the block at `from`.
///
/// # Safety
/// `from` is valid for a block of the layout, and `to` for what a block has.
#[inline(always)]
pub(crate) unsafe fn block<L: Lanes>(lanes: L, layout: &PanelFormat, from: *const u8, to: Unpacked) {
    // SAFETY: the caller vouches for the block and the target, of which these read and write what the layout says.
    unsafe {
        match layout.codes {
            Codes::Planes([8]) => planes::<L, 8, 0>(lanes, layout, from, to.codes),
            Codes::Planes([4]) => planes::<L, 4, 0>(lanes, layout, from, to.codes),
            Codes::Planes([4, 1]) => planes::<L, 4, 1>(lanes, layout, from, to.codes),
            Codes::Planes([4, 2]) => planes::<L, 4, 2>(lanes, layout, from, to.codes),
            Codes::Planes([2, 1]) => planes::<L, 2, 1>(lanes, layout, from, to.codes),
            // The only other width that a row has.
            Codes::Planes(_) => planes::<L, 2, 0>(lanes, layout, from, to.codes),
            Codes::Levels(levels) => {
                planes::<L, 4, 0>(lanes, layout, from, to.codes);
                for vector in 0..layout.block / 4 {
                    let at = to.codes.add(64 * vector);
                    lanes.store_bytes(lanes.lookup(levels, lanes.load_bytes(at)), at);
                }
            }
            Codes::Digits => digits(lanes, layout, from, to.codes),
        }
        let wholes = wholes(layout.whole, from.add(layout.wholes_at()));
        factors(layout.factor, layout.parts(), from.add(layout.factors_at()), &wholes, 1.0, to.factors);
        if let Some(part) = layout.min {
            let wholes = self::wholes(BlockFactor::F16, from.add(layout.whole_mins_at()));
            factors(part, layout.parts(), from.add(layout.mins_at()), &wholes, -1.0, to.mins);
        }
    }
}

/// Bits of a first plane of `A` bits, and above them those of a second one of `B` bits, which is not there if that is 0.
#[inline(always)]
unsafe fn planes<L: Lanes, const A: u32, const B: u32>(
    lanes: L,
    layout: &PanelFormat,
    from: *const u8,
    to: *mut u8,
) {
    for values in 0..layout.block / GROUP {
        // SAFETY: the caller vouches for A + B vectors per 32 values, and for eight of the target.
        unsafe {
            let from = from.add(values * (A + B) as usize * 64);
            let to = to.add(values * 8 * 64);
            for group in 0..8 {
                let mut codes = field::<L, A>(lanes, from, group);
                if B > 0 {
                    codes =
                        lanes.or(codes, lanes.up(field::<L, B>(lanes, from.add(A as usize * 64), group), A));
                }
                lanes.store_bytes(codes, to.add(group as usize * 64));
            }
        }
    }
}

/// The bits of a group of four values in a plane.
#[inline(always)]
unsafe fn field<L: Lanes, const BITS: u32>(lanes: L, plane: *const u8, group: u32) -> L::Bytes {
    // SAFETY: the caller vouches for BITS vectors.
    let bytes = unsafe { lanes.load_bytes(plane.add((group % BITS) as usize * 64)) };
    if BITS == 8 {
        return bytes;
    }
    lanes.and(lanes.down(bytes, group / BITS * BITS), ((1u32 << BITS) - 1) as u8)
}

/// Digits to the base 3.
#[inline(always)]
unsafe fn digits<L: Lanes>(lanes: L, layout: &PanelFormat, from: *const u8, to: *mut u8) {
    let groups = layout.block / 4;
    for vector in 0..groups.div_ceil(5) {
        // SAFETY: the caller vouches for a vector per five groups, and for one of the target per group.
        unsafe {
            let mut rest = lanes.load_bytes(from.add(64 * vector));
            for group in 5 * vector..groups.min(5 * vector + 5) {
                // The integer part of three times the fraction.
                let digit = lanes.add(lanes.at_least(rest, 86), lanes.at_least(rest, 171));
                lanes.store_bytes(digit, to.add(64 * group));
                rest = lanes.add(rest, lanes.add(rest, rest));
            }
        }
    }
}

/// The factors of the blocks.
#[inline(always)]
unsafe fn wholes(whole: BlockFactor, from: *const u8) -> [f32; ROWS] {
    let mut out = [0f32; ROWS];
    // SAFETY: the caller vouches for a factor per row.
    unsafe {
        match whole {
            BlockFactor::F16 => {
                let bits = from.cast::<[u16; ROWS]>().read_unaligned();
                // All at once, so that what the processor can is looked up once.
                bits.map(|bits| half::f16::from_bits(u16::from_le(bits))).convert_to_f32_slice(&mut out);
            }
            BlockFactor::F32 => {
                let bits = from.cast::<[u32; ROWS]>().read_unaligned();
                for (out, bits) in out.iter_mut().zip(bits) {
                    *out = f32::from_bits(u32::from_le(bits));
                }
            }
            BlockFactor::Exponent => {
                let bytes = from.cast::<[u8; ROWS]>().read_unaligned();
                for (out, byte) in out.iter_mut().zip(bytes) {
                    *out = power(byte);
                }
            }
        }
    }
    out
}

/// The factors of parts, times those of the blocks and `sign`.
#[inline(always)]
unsafe fn factors(
    part: PartFactor,
    parts: usize,
    from: *const u8,
    wholes: &[f32; ROWS],
    sign: f32,
    to: *mut f32,
) {
    for p in 0..parts {
        let mut out = [0f32; ROWS];
        // SAFETY: the caller vouches for what the layout has of these factors, and for the target.
        unsafe {
            match part {
                PartFactor::One => {
                    for row in 0..ROWS {
                        out[row] = wholes[row] * sign;
                    }
                }
                PartFactor::U8 => {
                    let bytes = from.add(p * ROWS).cast::<[u8; ROWS]>().read_unaligned();
                    for row in 0..ROWS {
                        out[row] = wholes[row] * f32::from(bytes[row]) * sign;
                    }
                }
                PartFactor::I8 => {
                    let bytes = from.add(p * ROWS).cast::<[i8; ROWS]>().read_unaligned();
                    for row in 0..ROWS {
                        out[row] = wholes[row] * f32::from(bytes[row]) * sign;
                    }
                }
                PartFactor::U4 => {
                    let bytes = from.add(p / 2 * ROWS).cast::<[u8; ROWS]>().read_unaligned();
                    for row in 0..ROWS {
                        out[row] = wholes[row] * f32::from(bytes[row] >> (p % 2 * 4) & 15) * sign;
                    }
                }
            }
            to.add(p * ROWS).cast::<[f32; ROWS]>().write_unaligned(out);
        }
    }
}
