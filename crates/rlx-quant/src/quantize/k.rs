//! Quantizes to the K formats: finds scales (and minimums) with little error for each part, then scales of scales, then the best levels.

use super::search::{self, Levels, UpTo, Whole};
use super::{inverse, put_half, put_nibbles};

/// Signed scales of parts: the block's scale, and for each part its scale in units of the block's, from −`LIMIT` to `LIMIT` − 1.
pub(super) fn scales_of<L: Levels, const LIMIT: i32>(
    values: &[f32],
    importance: Option<&[f32]>,
    part: usize,
) -> (f32, Vec<i32>) {
    let weights = search::weights(values, importance);
    let parts = values.chunks(part).zip(weights.chunks(part));
    let scales: Vec<f32> = parts.map(|(v, w)| search::scale::<L>(v, w).0).collect();
    let whole = search::scale::<Whole<LIMIT>>(&scales, &sums(&weights, part)).0;
    let inverse = inverse(half::f16::from_f32(whole).to_f32());
    (whole, scales.iter().map(|s| Whole::<LIMIT>::nearest(s * inverse) as i32).collect())
}

/// The weight of each part.
fn sums(weights: &[f32], part: usize) -> Vec<f32> {
    weights.chunks(part).map(|w| w.iter().sum()).collect()
}

/// The best levels for the scales as they are stored.
pub(super) fn levels<L: Levels>(values: &[f32], whole: f32, scales: &[i32], part: usize) -> Vec<f32> {
    let of_part = |(values, &scale): (&[f32], &i32)| {
        let inverse = inverse(whole * scale as f32);
        values.iter().map(|v| L::nearest(v * inverse)).collect::<Vec<f32>>()
    };
    values.chunks(part).zip(scales).flat_map(of_part).collect()
}

/// Writes two bits per value in the order of the K formats.
fn put_pairs(bytes: &mut [u8], quants: &[u8]) {
    for (i, &quant) in quants.iter().enumerate() {
        bytes[i / 128 * 32 + i % 32] |= (quant & 3) << (2 * (i % 128 / 32));
    }
}

/// Writes one bit per value; the bits of every 32nd value share a byte.
fn put_high_bits(bytes: &mut [u8], quants: &[u8], bit: u32) {
    for (i, &quant) in quants.iter().enumerate() {
        bytes[i % 32] |= (quant >> bit & 1) << (i / 32);
    }
}

pub(crate) fn q3_k(values: &[f32], importance: Option<&[f32]>, bytes: &mut [u8]) {
    let (whole, scales) = scales_of::<Whole<4>, 32>(values, importance, 16);
    let whole = put_half(bytes, 108, whole);
    for (i, scale) in scales.iter().map(|s| (s + 32) as u8).enumerate() {
        bytes[96 + i % 8] |= (scale & 15) << (4 * (i / 8));
        bytes[104 + i % 4] |= (scale >> 4) << (2 * (i / 4));
    }
    let quants: Vec<u8> =
        levels::<Whole<4>>(values, whole, &scales, 16).iter().map(|l| (l + 4.0) as u8).collect();
    put_high_bits(bytes, &quants, 2);
    put_pairs(&mut bytes[32..], &quants);
}

pub(crate) fn q6_k(values: &[f32], importance: Option<&[f32]>, bytes: &mut [u8]) {
    let (whole, scales) = scales_of::<Whole<32>, 128>(values, importance, 16);
    let whole = put_half(bytes, 208, whole);
    for (byte, &scale) in bytes[192..208].iter_mut().zip(&scales) {
        *byte = (scale as i8).cast_unsigned();
    }
    let quants: Vec<u8> =
        levels::<Whole<32>>(values, whole, &scales, 16).iter().map(|l| (l + 32.0) as u8).collect();
    put_nibbles(bytes, 64, quants.iter().copied());
    let high: Vec<u8> = quants.iter().map(|q| q >> 4).collect();
    put_pairs(&mut bytes[128..], &high);
}

/// Scales and minimums of parts, in units of the block's, and the levels for them.
struct Affine {
    scales: Vec<u8>,
    mins: Vec<u8>,
    quants: Vec<u8>,
}

impl Affine {
    /// Computes them for levels up to `TOP` and numbers of parts up to `LIMIT`; writes the block's scales at `at`.
    fn of<const TOP: i32, const LIMIT: i32>(
        values: &[f32],
        importance: Option<&[f32]>,
        part: usize,
        bytes: &mut [u8],
        at: usize,
    ) -> Affine {
        let weights = search::weights(values, importance);
        let parts = values.chunks(part).zip(weights.chunks(part));
        let (scales, mins): (Vec<f32>, Vec<f32>) = parts
            .map(|(v, w)| search::scale_and_min(v, w, TOP as f32))
            .map(|(scale, min)| (scale, -min))
            .unzip();
        let sums = sums(&weights, part);
        let [(whole, scales), (whole_min, mins)] = [(scales, at), (mins, at + 2)].map(|(numbers, at)| {
            let whole = put_half(bytes, at, search::scale::<UpTo<LIMIT>>(&numbers, &sums).0);
            let inverse = inverse(whole);
            let rounded = numbers.iter().map(|n| UpTo::<LIMIT>::nearest(n * inverse) as u8);
            (whole, rounded.collect::<Vec<u8>>())
        });
        let of_part = |(values, (&scale, &min)): (&[f32], (&u8, &u8))| {
            let (inverse, min) = (inverse(whole * f32::from(scale)), whole_min * f32::from(min));
            values.iter().map(|v| UpTo::<TOP>::nearest((v + min) * inverse) as u8).collect::<Vec<u8>>()
        };
        let quants = values.chunks(part).zip(scales.iter().zip(&mins)).flat_map(of_part).collect();
        Affine { scales, mins, quants }
    }

    /// Writes 8 scales and minimums of 6 bits.
    fn put_sixes(&self, bytes: &mut [u8]) {
        for (i, (&scale, &min)) in self.scales.iter().zip(&self.mins).enumerate() {
            if i < 4 {
                bytes[i] |= scale;
                bytes[i + 4] |= min;
            } else {
                bytes[i + 4] = scale & 15 | min << 4;
                bytes[i - 4] |= scale >> 4 << 6;
                bytes[i] |= min >> 4 << 6;
            }
        }
    }
}

pub(crate) fn q2_k(values: &[f32], importance: Option<&[f32]>, bytes: &mut [u8]) {
    let block = Affine::of::<3, 15>(values, importance, 16, bytes, 80);
    for (byte, (&scale, &min)) in bytes.iter_mut().zip(block.scales.iter().zip(&block.mins)) {
        *byte = scale | min << 4;
    }
    put_pairs(&mut bytes[16..], &block.quants);
}

pub(crate) fn q4_k(values: &[f32], importance: Option<&[f32]>, bytes: &mut [u8]) {
    let block = Affine::of::<15, 63>(values, importance, 32, bytes, 0);
    block.put_sixes(&mut bytes[4..]);
    put_nibbles(&mut bytes[16..], 32, block.quants);
}

pub(crate) fn q5_k(values: &[f32], importance: Option<&[f32]>, bytes: &mut [u8]) {
    let block = Affine::of::<31, 63>(values, importance, 32, bytes, 0);
    block.put_sixes(&mut bytes[4..]);
    put_high_bits(&mut bytes[16..], &block.quants, 4);
    put_nibbles(&mut bytes[48..], 32, block.quants);
}
