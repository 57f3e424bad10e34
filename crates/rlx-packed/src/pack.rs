//! Packs blocks of a file as blocks of panels. Blocks at the same position in all rows of a panel are split at the same time, in lanes.

use crate::fours;
use crate::lanes::{Lanes, Work, each};
use crate::layout::{
    BlockFactor, Codes, DIGITS, ForFormat, GROUP, MOST_PARTS, MOST_VALUES, PanelFormat, PartFactor, ROWS, sum,
};
use crate::parts::{Affine, BlockRows};
use half::slice::HalfFloatSliceExt;
use rlx_driver::LINE;
use rlx_quant::{Format, QuantScheme};

/// Packs a panel.
pub(crate) struct PackPanel<'a> {
    pub(crate) scheme: QuantScheme,
    /// The blocks of up to [`ROWS`] rows, row by row. Missing rows count as zero bytes.
    pub(crate) rows: &'a [u8],
    /// Size of a row in bytes.
    pub(crate) row_bytes: usize,
    /// The panel.
    pub(crate) out: &'a mut [u8],
}

impl Work for PackPanel<'_> {
    type Output = ();
    const MULTIPLIES: bool = false;
    const WIDEST: bool = false;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        PanelFormat::compiled_for(self.scheme, PackIn { lanes, of: self });
    }
}

/// [`PackPanel`] with an instruction set.
struct PackIn<'a, L> {
    lanes: L,
    of: PackPanel<'a>,
}

impl<L: Lanes> ForFormat for PackIn<'_, L> {
    type Output = ();

    #[inline(always)]
    fn run<F: Format>(self) {
        let layout = const { PanelFormat::of(F::SCHEME) };
        let (lanes, bytes) = (self.lanes, F::SCHEME.block_bytes());
        let mut rows = BlockRows::new(lanes);
        let (mut fours, mut parts) = ([lanes.ints(0); MOST_VALUES / 4], [PartNumbers::ZERO; MOST_PARTS]);
        let (fours, parts) = (&mut fours[..layout.block / 4], &mut parts[..layout.parts()]);
        for (block, out) in self.of.out.chunks_exact_mut(layout.places.end).enumerate() {
            // The rows of the panel follow one another, and the next panel follows them. Its bytes are prefetched in order, although blocks
            // are read from as many places as there are rows.
            let next = self.of.rows.as_ptr_range().end.wrapping_add(block * ROWS * bytes);
            (0..ROWS * bytes).step_by(LINE).for_each(|line| lanes.prefetch(next.wrapping_add(line)));
            rows.fill(self.of.rows, self.of.row_bytes, block * bytes, bytes);
            find_codes::<L, F>(layout, &rows, fours);
            match layout.codes {
                Codes::Planes(planes) | Codes::Levels(planes, _) => write_planes(lanes, planes, fours, out),
                Codes::Digits => write_digits(lanes, fours, out),
            }
            for (p, part) in parts.iter_mut().enumerate() {
                *part = PartNumbers::of(lanes, F::decode(&rows, &(p * layout.part)));
            }
            let factors = parts.iter().map(|part| &part.factor);
            if layout.factor == PartFactor::Float8 {
                let out = out[layout.places.factors..].as_chunks_mut().0.iter_mut().zip(parts.iter());
                out.for_each(|(out, part)| *out = part.whole.map(float8));
            }
            write_parts(layout.factor, factors, &mut out[layout.places.factors..]);
            write_whole(layout.whole, &parts[0].whole, &mut out[layout.places.wholes..]);
            if let Some(part) = layout.min {
                write_parts(part, parts.iter().map(|part| &part.min), &mut out[layout.places.mins..]);
                write_whole(BlockFactor::F16, &parts[0].min_whole, &mut out[layout.places.whole_mins..]);
            }
        }
    }
}

/// Computes the codes of a block minus the lowest one, or indices into the table of levels, four in each integer.
#[inline(always)]
fn find_codes<L: Lanes, F: Format>(layout: &'static PanelFormat, rows: &BlockRows<L>, out: &mut [L::Ints]) {
    let lanes = rows.lanes;
    if const { !F::SCHEME.is_grid() && !matches!(PanelFormat::of(F::SCHEME).codes, Codes::Digits) } {
        // Indices into the table of levels are stored unchanged.
        let lowest = if let Codes::Levels(..) = layout.codes { 0 } else { layout.lowest };
        let lowest = lanes.ints(i32::from_le_bytes([lowest as u8; 4]));
        for (i, out) in out.iter_mut().enumerate() {
            *out = lanes.sub_each(fours::codes::<L, F>(rows, 4 * i), lowest);
        }
    } else {
        for (i, out) in out.iter_mut().enumerate() {
            let mut codes = [lanes.ints(0); 4];
            for (k, code) in codes.iter_mut().enumerate() {
                *code = stored(lanes, layout, F::decode(rows, &(4 * i + k)).code.values);
            }
            *out = four(lanes, codes);
        }
    }
}

/// Returns a code minus the lowest one, or its index in the table of levels, which ascends.
#[inline(always)]
fn stored<L: Lanes>(lanes: L, layout: &'static PanelFormat, code: L::Ints) -> L::Ints {
    let code = lanes.sub_ints(code, lanes.ints(layout.lowest));
    let Codes::Levels(_, levels) = layout.codes else { return code };
    let mut place = lanes.ints(0);
    for pair in levels.windows(2).filter(|pair| pair[0] < pair[1]) {
        // Counts the levels that are not above the code.
        let below = lanes.shr_ints(
            lanes.sub_ints(lanes.ints(pair[1].into()), lanes.add_ints(code, lanes.ints(1))),
            lanes.ints(31),
        );
        place = lanes.add_ints(place, below);
    }
    place
}

/// The factors of a part of a block in each row, and those of the block.
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

    /// Extracts them from a value of the part.
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

/// Combines four values of each row as the bytes of an integer.
#[inline(always)]
fn four<L: Lanes>(lanes: L, codes: [L::Ints; 4]) -> L::Ints {
    let low = lanes.or_ints(codes[0], lanes.shl_ints(codes[1], lanes.ints(8)));
    let high = lanes.or_ints(codes[2], lanes.shl_ints(codes[3], lanes.ints(8)));
    lanes.or_ints(low, lanes.shl_ints(high, lanes.ints(16)))
}

/// Writes a vector of a panel.
#[inline(always)]
fn put_vector<L: Lanes>(lanes: L, out: &mut [u8], vector: usize, numbers: L::Ints) {
    let out = out[vector * 64..][..64].as_chunks_mut::<4>().0;
    out.iter_mut().zip(lanes.store_ints(numbers)).for_each(|(out, number)| *out = number.to_le_bytes());
}

#[inline(always)]
fn write_planes<L: Lanes>(lanes: L, planes: &[u32], fours: &[L::Ints], out: &mut [u8]) {
    let all = sum(planes) as usize * 64;
    for (fours, out) in fours.as_chunks::<{ GROUP / 4 }>().0.iter().zip(out.chunks_mut(all)) {
        let (mut first, mut lowest) = (0, 0);
        for &bits in planes {
            // No field extends into the next byte.
            let mask = lanes.ints((0x0101_0101 * ((1u32 << bits) - 1)).cast_signed());
            for vector in 0..bits as usize {
                let mut numbers = lanes.ints(0);
                for (place, &four) in fours.iter().skip(vector).step_by(bits as usize).enumerate() {
                    let field = lanes.and_ints(lanes.shr_ints(four, lanes.ints(lowest)), mask);
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
fn write_digits<L: Lanes>(lanes: L, fours: &[L::Ints], out: &mut [u8]) {
    let groups = fours.as_chunks::<{ GROUP / 4 }>().0;
    let (digits, fields) = out.split_at_mut(groups.len() * 64);
    for (group, fours) in groups.iter().enumerate() {
        let mut fractions = [lanes.ints(0); 4];
        for (k, fractions) in fractions.iter_mut().enumerate() {
            let mut number = lanes.ints(0);
            for &four in &fours[..DIGITS] {
                let digit = lanes.and_ints(lanes.shr_ints(four, lanes.ints(8 * k as i32)), lanes.ints(255));
                number = lanes.add_ints(lanes.mul_ints(number, lanes.ints(3)), digit);
            }
            // The smallest fraction of 256 from which the digits can be recovered.
            let number = lanes.store_ints(number);
            *fractions = lanes.load_ints(&each(|row| (number[row] * 256 + 242) / 243));
        }
        put_vector(lanes, digits, group, four(lanes, fractions));
    }
    let mut rest = groups.iter().flat_map(|fours| &fours[DIGITS..]);
    for field in 0..fields.len() / 64 {
        let mut numbers = lanes.ints(0);
        for (place, &four) in rest.by_ref().take(4).enumerate() {
            numbers = lanes.or_ints(numbers, lanes.shl_ints(four, lanes.ints(2 * place as i32)));
        }
        put_vector(lanes, fields, field, numbers);
    }
}

#[inline(always)]
fn write_parts<'a>(kind: PartFactor, parts: impl Iterator<Item = &'a [i32; ROWS]>, out: &mut [u8]) {
    let out = out.as_chunks_mut::<ROWS>().0;
    match kind {
        // Float factors are the factors of blocks in the view of decoders.
        PartFactor::One | PartFactor::Float8 => {}
        PartFactor::U8 | PartFactor::I8 => {
            out.iter_mut().zip(parts).for_each(|(out, part)| *out = each(|row| part[row] as u8));
        }
        PartFactor::U4 | PartFactor::Odd => {
            let halved = i32::from(kind == PartFactor::Odd);
            for (p, part) in parts.enumerate() {
                let (out, shift) = (&mut out[p / 2], p % 2 * 4);
                let low = if shift == 0 { [0; ROWS] } else { *out };
                *out = each(|row| low[row] | (part[row] >> halved << shift) as u8);
            }
        }
    }
}

#[inline(always)]
fn write_whole(whole: BlockFactor, factors: &[f32; ROWS], out: &mut [u8]) {
    match whole {
        BlockFactor::F16 => {
            let mut halves = [half::f16::ZERO; ROWS];
            // Converted together, so that the processor's features are checked only once.
            halves.convert_from_f32_slice(factors);
            out.as_chunks_mut().0.iter_mut().zip(halves).for_each(|(out, half)| *out = half.to_le_bytes());
        }
        BlockFactor::Nothing => {}
        BlockFactor::F32 => {
            out.as_chunks_mut().0.iter_mut().zip(factors).for_each(|(out, x)| *out = x.to_le_bytes());
        }
        // A power of two; a subnormal one belongs to the exponent 0 or 1.
        BlockFactor::Exponent => out.iter_mut().zip(factors).for_each(|(out, x)| *out = exponent(*x)),
    }
}

/// Returns e of 2^(e − 128).
fn exponent(factor: f32) -> u8 {
    match factor.to_bits() {
        0x0020_0000 => 0,
        0x0040_0000 => 1,
        bits => (bits >> 23) as u8 + 1,
    }
}

/// Returns the bits of a UE4M3 from half its value; read as an f16, these bits are too small by a factor of 2^8.
fn float8(half: f32) -> u8 {
    (half::f16::from_f32(half / 128.0).to_bits() >> 7) as u8
}
