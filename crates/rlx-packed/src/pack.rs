//! Blocks of a file as blocks of panels: those at the same place of all rows of a panel are taken apart at once, in lanes.

use crate::lanes::{Lanes, Work, each};
use crate::layout::{
    BlockFactor, Codes, DIGITS, GROUP, MOST_PARTS, MOST_VALUES, PanelFormat, PartFactor, ROWS,
};
use crate::parts::{Affine, BlockRows};
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
    const MULTIPLIES: bool = false;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let bytes = self.scheme.block_bytes();
        let mut rows = BlockRows::new(lanes);
        let (mut codes, mut parts) = ([[0; ROWS]; MOST_VALUES], [PartNumbers::ZERO; MOST_PARTS]);
        let (scheme, layout) = (self.scheme, self.layout);
        // Places in the table of levels are written as they are.
        let lowest = if let Codes::Levels(..) = layout.codes { 0 } else { layout.lowest };
        let lowest = lanes.ints(lowest);
        let (codes, parts) = (&mut codes[..layout.block], &mut parts[..layout.parts()]);
        for (block, out) in self.out.chunks_exact_mut(layout.places.end).enumerate() {
            rows.fill(self.rows.chunks_exact(self.row_bytes).map(|row| &row[block * bytes..][..bytes]));
            let stored = |value: Affine<L>| lanes.store_ints(lanes.sub_ints(value.code.values, lowest));
            scheme.decode_each(&rows, 1, codes, stored);
            scheme.decode_each(&rows, layout.part, parts, |value| PartNumbers::of(lanes, value));
            write_codes(lanes, layout, codes, out);
            write_parts(
                layout.factor,
                parts.iter().map(|part| &part.factor),
                &mut out[layout.places.factors..],
            );
            write_whole(layout.whole, &parts[0].whole, &mut out[layout.places.wholes..]);
            if let Some(part) = layout.min {
                write_parts(part, parts.iter().map(|part| &part.min), &mut out[layout.places.mins..]);
                write_whole(BlockFactor::F16, &parts[0].min_whole, &mut out[layout.places.whole_mins..]);
            }
        }
    }
}

/// The factors of a part of a block of each row, and those of the block.
#[derive(Clone, Copy)]
struct PartNumbers {
    factor: [i32; ROWS],
    min: [i32; ROWS],
    whole: [f32; ROWS],
    min_whole: [f32; ROWS],
}

impl PartNumbers {
    const ZERO: PartNumbers =
        PartNumbers { factor: [0; ROWS], min: [0; ROWS], whole: [0.0; ROWS], min_whole: [0.0; ROWS] };

    /// Those of its values.
    #[inline(always)]
    fn of<L: Lanes>(lanes: L, value: Affine<L>) -> PartNumbers {
        let Affine { part, min_part, whole, min_whole, .. } = value;
        let mut of = PartNumbers { factor: part.stored(), min: min_part.stored(), ..PartNumbers::ZERO };
        // SAFETY: each array has the 64 bytes of a vector.
        unsafe {
            lanes.store_floats(whole, of.whole.as_mut_ptr());
            lanes.store_floats(min_whole, of.min_whole.as_mut_ptr());
        }
        of
    }
}

/// Writes codes less the lowest one, or places in the table of levels.
#[inline(always)]
fn write_codes<L: Lanes>(lanes: L, layout: &PanelFormat, codes: &[[i32; ROWS]], out: &mut [u8]) {
    match layout.codes {
        Codes::Planes(planes) | Codes::Levels(planes, _) => write_planes(lanes, planes, codes, out),
        Codes::Digits => write_digits(lanes, codes, out),
    }
}

/// Four values of each row, as the bytes of a number.
#[inline(always)]
fn four<L: Lanes>(lanes: L, codes: &[[i32; ROWS]; 4]) -> L::Ints {
    let byte = |i: usize| lanes.shl_ints(lanes.load_ints(&codes[i]), lanes.ints(8 * i as i32));
    lanes.or_ints(lanes.or_ints(byte(0), byte(1)), lanes.or_ints(byte(2), byte(3)))
}

/// Writes a vector of a panel.
#[inline(always)]
fn put_vector<L: Lanes>(lanes: L, out: &mut [u8], vector: usize, numbers: L::Ints) {
    let out = out[vector * 64..][..64].as_chunks_mut::<4>().0;
    out.iter_mut().zip(lanes.store_ints(numbers)).for_each(|(out, number)| *out = number.to_le_bytes());
}

#[inline(always)]
fn write_planes<L: Lanes>(lanes: L, planes: &[u32], codes: &[[i32; ROWS]], out: &mut [u8]) {
    let all = planes.iter().sum::<u32>() as usize * 64;
    for (codes, out) in codes.as_chunks::<GROUP>().0.iter().zip(out.chunks_mut(all)) {
        let mut groups = [lanes.ints(0); GROUP / 4];
        for (group, codes) in groups.iter_mut().zip(codes.as_chunks().0) {
            *group = four(lanes, codes);
        }
        let (mut first, mut lowest) = (0, 0);
        for &bits in planes {
            // No field reaches into the byte above.
            let mask = lanes.ints((0x0101_0101 * ((1u32 << bits) - 1)).cast_signed());
            for vector in 0..bits as usize {
                let mut numbers = lanes.ints(0);
                for (place, &group) in groups.iter().skip(vector).step_by(bits as usize).enumerate() {
                    let field = lanes.and_ints(lanes.shr_ints(group, lanes.ints(lowest)), mask);
                    let shift = lanes.ints(place as i32 * bits.cast_signed());
                    numbers = lanes.or_ints(numbers, lanes.shl_ints(field, shift));
                }
                put_vector(lanes, out, first + vector, numbers);
            }
            first += bits as usize;
            lowest += bits.cast_signed();
        }
    }
}

#[inline(always)]
fn write_digits<L: Lanes>(lanes: L, codes: &[[i32; ROWS]], out: &mut [u8]) {
    let groups = codes.as_chunks::<GROUP>().0;
    let (digits, fields) = out.split_at_mut(groups.len() * 64);
    let mut fields = fields.chunks_mut(64);
    let mut rest = groups.iter().flat_map(|codes| &codes.as_chunks::<4>().0[DIGITS..]);
    for (group, codes) in groups.iter().enumerate() {
        let codes = codes.as_chunks::<4>().0;
        // The smallest fraction of 256 from which the digits come out.
        let fractions = each(|k| {
            each(|row| {
                let number = codes[..DIGITS].iter().fold(0, |number, codes| 3 * number + codes[k][row]);
                (number * 256 + 242) / 243
            })
        });
        put_vector(lanes, digits, group, four(lanes, &fractions));
    }
    while let (Some(out), Some(first)) = (fields.next(), rest.next()) {
        let mut numbers = four(lanes, first);
        for place in 1..4 {
            let Some(codes) = rest.next() else { break };
            numbers = lanes.or_ints(numbers, lanes.shl_ints(four(lanes, codes), lanes.ints(2 * place)));
        }
        put_vector(lanes, out, 0, numbers);
    }
}

#[inline(always)]
fn write_parts<'a>(part: PartFactor, parts: impl Iterator<Item = &'a [i32; ROWS]>, out: &mut [u8]) {
    let out = out.as_chunks_mut::<ROWS>().0;
    match part {
        PartFactor::One => {}
        PartFactor::U8 | PartFactor::I8 => {
            out.iter_mut().zip(parts).for_each(|(out, part)| *out = each(|row| part[row] as u8));
        }
        PartFactor::U4 => {
            for (p, part) in parts.enumerate() {
                let (out, shift) = (&mut out[p / 2], p % 2 * 4);
                let low = if shift == 0 { [0; ROWS] } else { *out };
                *out = each(|row| low[row] | (part[row] << shift) as u8);
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
