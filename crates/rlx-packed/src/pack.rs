//! Blocks of a file as blocks of panels.

use crate::layout::{BlockFactor, Codes, GROUP, MOST_PARTS, MOST_VALUES, PanelFormat, PartFactor, ROWS};
use crate::parts::Affine;
use rlx_quant::QuantScheme;

/// A block of one row, taken apart.
struct Taken {
    /// Codes less the lowest one, or places in the table of levels.
    codes: [u8; MOST_VALUES],
    /// The first value of each part.
    parts: [Affine; MOST_PARTS],
}

impl Taken {
    const ZERO: Taken = Taken { codes: [0; MOST_VALUES], parts: [Affine::ONE; MOST_PARTS] };

    #[inline(always)]
    fn take(&mut self, scheme: QuantScheme, layout: &PanelFormat, bytes: &[u8]) {
        let lowest = layout.lowest;
        scheme.decode_each(bytes, 1, &mut self.codes[..layout.block], |value: Affine| {
            (value.code - lowest) as u8
        });
        scheme.decode_each(bytes, layout.part, &mut self.parts[..layout.parts()], |value: Affine| value);
        if let Codes::Levels(levels) = layout.codes {
            // The place of each level.
            let mut places = [0u8; 256];
            levels
                .iter()
                .enumerate()
                .rev()
                .for_each(|(place, &level)| places[usize::from(level)] = place as u8);
            self.codes.iter_mut().take(layout.block).for_each(|code| *code = places[usize::from(*code)]);
        }
    }
}

/// Packs the blocks at the same place of up to [`ROWS`] rows; rows that are not there are zeros.
pub(crate) fn pack_block<'a>(
    scheme: QuantScheme,
    layout: &PanelFormat,
    rows: impl Iterator<Item = &'a [u8]>,
    out: &mut [u8],
) {
    out.fill(0);
    let mut taken = Taken::ZERO;
    for (row, bytes) in rows.take(ROWS).enumerate() {
        taken.take(scheme, layout, bytes);
        write_codes(layout, &taken.codes[..layout.block], row, out);
        let parts = &taken.parts[..layout.parts()];
        write_parts(
            layout.factor,
            parts.iter().map(|value| value.part),
            row,
            &mut out[layout.factors_at()..],
        );
        write_whole(layout.whole, parts[0].whole, row, &mut out[layout.wholes_at()..]);
        if let Some(part) = layout.min {
            write_parts(part, parts.iter().map(|value| value.min_part), row, &mut out[layout.mins_at()..]);
            write_whole(BlockFactor::F16, parts[0].min_whole, row, &mut out[layout.whole_mins_at()..]);
        }
    }
}

fn write_codes(layout: &PanelFormat, codes: &[u8], row: usize, out: &mut [u8]) {
    match layout.codes {
        Codes::Planes(planes) => write_planes(planes, codes, row, out),
        Codes::Levels(_) => write_planes(&[4], codes, row, out),
        Codes::Digits => {
            for (vector, codes) in codes.chunks(5 * 4).enumerate() {
                for k in 0..4 {
                    let digits = codes.iter().skip(k).step_by(4).chain(std::iter::repeat(&0)).take(5);
                    let number = digits.fold(0u32, |n, &digit| 3 * n + u32::from(digit));
                    // The smallest fraction of 256 from which the digits come out.
                    out[vector * 64 + row * 4 + k] = (number * 256).div_ceil(243) as u8;
                }
            }
        }
    }
}

fn write_planes(planes: &[u32], codes: &[u8], row: usize, out: &mut [u8]) {
    let all = planes.iter().sum::<u32>() as usize * 64;
    for (codes, out) in codes.chunks(GROUP).zip(out.chunks_mut(all)) {
        let (mut at, mut lowest) = (0, 0);
        for &bits in planes {
            // Four values at a time, as one number: no field reaches into the byte above.
            let mask = 0x0101_0101 * ((1u32 << bits) - 1);
            for (group, codes) in codes.as_chunks::<4>().0.iter().enumerate() {
                let field = u32::from_le_bytes(*codes) >> lowest & mask;
                let (vector, shift) = (group % bits as usize, group as u32 / bits * bits);
                let place = &mut out[at + vector * 64 + row * 4..][..4];
                let kept = place.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes));
                place.copy_from_slice(&(kept | field << shift).to_le_bytes());
            }
            at += bits as usize * 64;
            lowest += bits;
        }
    }
}

fn write_parts(part: PartFactor, factors: impl Iterator<Item = i32>, row: usize, out: &mut [u8]) {
    for (p, factor) in factors.enumerate() {
        match part {
            PartFactor::One => {}
            PartFactor::U8 | PartFactor::I8 => out[p * ROWS + row] = factor as u8,
            PartFactor::U4 => out[p / 2 * ROWS + row] |= (factor as u8) << (p % 2 * 4),
        }
    }
}

fn write_whole(whole: BlockFactor, factor: f32, row: usize, out: &mut [u8]) {
    match whole {
        BlockFactor::F16 => out[2 * row..][..2].copy_from_slice(&half::f16::from_f32(factor).to_le_bytes()),
        BlockFactor::F32 => out[4 * row..][..4].copy_from_slice(&factor.to_le_bytes()),
        // A power of two; a subnormal one is that of 0 or 1.
        BlockFactor::Exponent => out[row] = exponent(factor),
    }
}

/// e of 2^(e − 128).
fn exponent(factor: f32) -> u8 {
    match factor.to_bits() {
        0x0020_0000 => 0,
        0x0040_0000 => 1,
        bits => (bits >> 23) as u8 + 1,
    }
}

/// 2^(e − 128).
pub(crate) fn power(exponent: u8) -> f32 {
    match exponent {
        0 => f32::from_bits(0x0020_0000),
        1 => f32::from_bits(0x0040_0000),
        e => f32::from_bits((u32::from(e) - 1) << 23),
    }
}
