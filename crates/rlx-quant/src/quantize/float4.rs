//! Quantizes to formats whose 4 bits select one of 16 numbers. Floats agree with ggml's reference bit for bit; for levels, scales are
//! searched for.

use super::k::{levels, scales_of};
use super::search::{self, Levels};
use super::{extreme, put_half, put_nibbles};
use crate::decode::float4::{doubled, half_of_e8m0, half_of_ue4m3, level};

/// The level that four bits select.
fn level_of(quant: i32) -> f32 {
    level(&quant) as f32
}

/// The four bits of the nearest E2M1 number, or the first of several, where `half` is half of the scale.
fn nearest_float(value: f32, half: f32) -> u8 {
    let off = |quant: i32| (doubled(&quant) as f32 * half - value).abs();
    let better = |best: i32, quant: i32| if off(quant) < off(best) { quant } else { best };
    (1..16).fold(0, better) as u8
}

pub(crate) fn mxfp4(values: &[f32], _: Option<&[f32]>, bytes: &mut [u8]) {
    let most = extreme(values).abs();
    // The largest E2M1 number is 6, between 2² and 2³. The exponent is rounded to single precision, as in ggml.
    let exponent = (f64::from(most).log2() as f32).floor() - 2.0 + 127.0;
    bytes[0] = if most > 0.0 { exponent as u8 } else { 0 };
    let half = half_of_e8m0(&i32::from(bytes[0]));
    put_nibbles(&mut bytes[1..], 16, values.iter().map(|&v| nearest_float(v, half)));
}

/// The UE4M3 number of a positive value, rounded half up. From 256 on, where ggml has only one exponent left, it is the largest number.
fn ue4m3(x: f32) -> u8 {
    // Below the normal numbers: multiples of 2^−9.
    if x < 1.0 / 64.0 {
        return (x * 512.0 + 0.5).min(7.0) as u8;
    }
    // Four bits of exponent starting at −7 and three bits of fraction are the upper bits of an f32.
    let rounded = ((x.min(448.0).to_bits() + (1 << 19)) >> 20) - ((127 - 7) << 3);
    if rounded < 0x78 { rounded as u8 } else { 0x7e }
}

pub(crate) fn nvfp4(values: &[f32], _: Option<&[f32]>, bytes: &mut [u8]) {
    let (scales, quants) = bytes.split_at_mut(4);
    for (part, (values, scale)) in values.chunks(16).zip(scales).enumerate() {
        *scale = ue4m3(extreme(values).abs() / 6.0);
        let half = half_of_ue4m3(&i32::from(*scale));
        put_nibbles(&mut quants[8 * part..], 8, values.iter().map(|&v| nearest_float(v, half)));
    }
}

/// The levels of the IQ4 formats.
struct Sixteen;

/// The four bits that select the nearest level.
fn nearest_level(x: f32) -> u8 {
    let above = (1..16).find(|&quant| level_of(quant) > x).unwrap_or(15);
    let (low, high) = (level_of(above - 1), level_of(above));
    if x - low < high - x { above as u8 - 1 } else { above as u8 }
}

impl Levels for Sixteen {
    const EXTREME: f32 = -127.0;

    fn nearest(x: f32) -> f32 {
        level_of(nearest_level(x).into())
    }
}

pub(crate) fn iq4_nl(values: &[f32], importance: Option<&[f32]>, bytes: &mut [u8]) {
    let weights = search::weights(values, importance);
    let scale = put_half(bytes, 0, search::scale::<Sixteen>(values, &weights).0);
    let inverse = super::inverse(scale);
    put_nibbles(&mut bytes[2..], 16, values.iter().map(|v| nearest_level(v * inverse)));
}

pub(crate) fn iq4_xs(values: &[f32], importance: Option<&[f32]>, bytes: &mut [u8]) {
    let (whole, scales) = scales_of::<Sixteen, 32>(values, importance, 32);
    let whole = put_half(bytes, 0, whole);
    for (i, scale) in scales.iter().map(|s| (s + 32) as u8).enumerate() {
        bytes[2 + i / 4] |= (scale >> 4) << (2 * (i % 4));
        bytes[4 + i / 2] |= (scale & 15) << (4 * (i % 2));
    }
    let quants = levels::<Sixteen>(values, whole, &scales, 32).into_iter().map(nearest_level);
    put_nibbles(&mut bytes[8..], 16, quants);
}
