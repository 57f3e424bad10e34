//! Blocks of a file as blocks of panels: those at the same place of all rows of a panel are taken apart at once, in lanes.

use crate::lanes::{Lanes, Work};
use crate::layout::{BlockFactor, Codes, GROUP, MOST_PARTS, MOST_VALUES, PanelFormat, PartFactor, ROWS};
use crate::parts::{Affine, BlockRows, RowInts};
use half::slice::HalfFloatSliceExt;
use rlx_quant::QuantScheme;

/// Packs a panel.
pub(crate) struct PackPanel<'a> {
    pub(crate) scheme: QuantScheme,
    pub(crate) layout: &'a PanelFormat,
    /// The blocks of up to [`ROWS`] rows, row by row. Rows that are not there are as if their bytes were zeros.
    pub(crate) rows: &'a [u8],
    /// Bytes of a row.
    pub(crate) row_bytes: usize,
    /// The panel.
    pub(crate) out: &'a mut [u8],
}

impl Work for PackPanel<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, _: L) {
        let bytes = self.scheme.block_bytes();
        let mut rows = BlockRows::EMPTY;
        let (mut codes, mut parts) = ([[0; ROWS]; MOST_VALUES], [Affine::ONE; MOST_PARTS]);
        let codes = &mut codes[..self.layout.block];
        let parts = &mut parts[..self.layout.parts()];
        for (block, out) in self.out.chunks_exact_mut(self.layout.bytes()).enumerate() {
            for (row, blocks) in self.rows.chunks_exact(self.row_bytes).enumerate().take(ROWS) {
                rows.set(row, &blocks[block * bytes..][..bytes]);
            }
            if let Codes::Levels(_) = self.layout.codes {
                self.scheme.decode_each(&rows, 1, codes, |value| value.code.places);
            } else {
                let lowest = self.layout.lowest;
                self.scheme.decode_each(&rows, 1, codes, |value| value.code.values.map(|code| code - lowest));
            }
            self.scheme.decode_each(&rows, self.layout.part, parts, |value| value);
            write_block(self.layout, codes, parts, out);
        }
    }
}

/// Writes a block of a panel: codes less the lowest one, or places in the table of levels, and the first value of each part.
#[inline(always)]
fn write_block(layout: &PanelFormat, codes: &[[i32; ROWS]], parts: &[Affine], out: &mut [u8]) {
    match layout.codes {
        Codes::Planes(planes) => write_planes(planes, codes, out),
        Codes::Levels(_) => write_planes(&[4], codes, out),
        Codes::Digits => write_digits(codes, out),
    }
    write_parts(layout.factor, parts, |value| &value.part, &mut out[layout.factors_at()..]);
    write_whole(layout.whole, &parts[0].whole, &mut out[layout.wholes_at()..]);
    if let Some(part) = layout.min {
        write_parts(part, parts, |value| &value.min_part, &mut out[layout.mins_at()..]);
        write_whole(BlockFactor::F16, &parts[0].min_whole, &mut out[layout.whole_mins_at()..]);
    }
}

/// Four values of each row, as the bytes of a number.
#[inline(always)]
fn four(codes: &[[i32; ROWS]]) -> [u32; ROWS] {
    let mut out = [0; ROWS];
    for (i, codes) in codes.iter().enumerate().take(4) {
        for (out, code) in out.iter_mut().zip(codes) {
            *out |= code.cast_unsigned() << (8 * i);
        }
    }
    out
}

/// Writes a vector of a panel.
#[inline(always)]
fn put_vector(out: &mut [u8], vector: usize, numbers: &[u32; ROWS]) {
    let out = out[vector * 64..][..64].as_chunks_mut::<4>().0;
    out.iter_mut().zip(numbers).for_each(|(out, number)| *out = number.to_le_bytes());
}

#[inline(always)]
fn write_planes(planes: &[u32], codes: &[[i32; ROWS]], out: &mut [u8]) {
    let all = planes.iter().sum::<u32>() as usize * 64;
    for (codes, out) in codes.as_chunks::<GROUP>().0.iter().zip(out.chunks_mut(all)) {
        let mut groups = [[0; ROWS]; GROUP / 4];
        groups.iter_mut().zip(codes.as_chunks::<4>().0).for_each(|(group, codes)| *group = four(codes));
        let (mut first, mut lowest) = (0, 0);
        for &bits in planes {
            // No field reaches into the byte above.
            let mask = 0x0101_0101 * ((1u32 << bits) - 1);
            for vector in 0..bits as usize {
                let mut numbers = [0; ROWS];
                for (place, group) in groups.iter().skip(vector).step_by(bits as usize).enumerate() {
                    let shift = place as u32 * bits;
                    for (number, group) in numbers.iter_mut().zip(group) {
                        *number |= (group >> lowest & mask) << shift;
                    }
                }
                put_vector(out, first + vector, &numbers);
            }
            first += bits as usize;
            lowest += bits;
        }
    }
}

#[inline(always)]
fn write_digits(codes: &[[i32; ROWS]], out: &mut [u8]) {
    for (vector, codes) in codes.chunks(5 * 4).enumerate() {
        let mut fractions = [[0; ROWS]; 4];
        for (k, fractions) in fractions.iter_mut().enumerate() {
            let mut number = [0; ROWS];
            for digit in 0..5 {
                let digits = codes.get(4 * digit + k).unwrap_or(&[0; ROWS]);
                number.iter_mut().zip(digits).for_each(|(n, digit)| *n = 3 * *n + digit);
            }
            // The smallest fraction of 256 from which the digits come out.
            *fractions = number.map(|n| (n * 256 + 242) / 243);
        }
        put_vector(out, vector, &four(&fractions));
    }
}

#[inline(always)]
fn write_parts(part: PartFactor, parts: &[Affine], of: impl Fn(&Affine) -> &RowInts, out: &mut [u8]) {
    let out = out.as_chunks_mut::<ROWS>().0;
    match part {
        PartFactor::One => {}
        PartFactor::U8 | PartFactor::I8 => {
            out.iter_mut().zip(parts).for_each(|(out, value)| *out = of(value).values.map(|x| x as u8));
        }
        PartFactor::U4 => {
            for (out, [low, high]) in out.iter_mut().zip(parts.as_chunks().0) {
                let (low, high) = (of(low).values, of(high).values);
                *out = std::array::from_fn(|row| (low[row] | high[row] << 4) as u8);
            }
        }
    }
}

#[inline(always)]
fn write_whole(whole: BlockFactor, factors: &[f32; ROWS], out: &mut [u8]) {
    match whole {
        BlockFactor::F16 => {
            let mut halves = [half::f16::ZERO; ROWS];
            // All at once, so that what the processor can is looked up once.
            halves.convert_from_f32_slice(factors);
            out.as_chunks_mut().0.iter_mut().zip(halves).for_each(|(out, half)| *out = half.to_le_bytes());
        }
        BlockFactor::F32 => {
            out.as_chunks_mut().0.iter_mut().zip(factors).for_each(|(out, x)| *out = x.to_le_bytes());
        }
        // A power of two; a subnormal one is that of 0 or 1.
        BlockFactor::Exponent => out.iter_mut().zip(factors).for_each(|(out, x)| *out = exponent(*x)),
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
