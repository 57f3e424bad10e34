//! Quantizes to formats with one scale per block, and to those of 8 bits. Without importances the result agrees with ggml's reference bit
//! for bit.

use super::search::{self, Whole};
use super::{extreme, inverse, put_half, put_nibbles};

type Weights<'a> = Option<&'a [f32]>;

pub(crate) fn q1_0(values: &[f32], _: Weights<'_>, bytes: &mut [u8]) {
    let sum: f32 = values.iter().fold(0.0, |sum, v| sum + v.abs());
    put_half(bytes, 0, sum / values.len() as f32);
    for (i, &v) in values.iter().enumerate() {
        bytes[2 + i / 8] |= u8::from(v >= 0.0) << (i % 8);
    }
}

pub(crate) fn q2_0(values: &[f32], _: Weights<'_>, bytes: &mut [u8]) {
    let scale = extreme(values).abs();
    put_half(bytes, 0, scale);
    let inverse = inverse(scale);
    for (i, &v) in values.iter().enumerate() {
        let quant = ((v * inverse).round() + 1.0).clamp(0.0, 3.0) as u8;
        bytes[2 + i / 4] |= quant << (2 * (i % 4));
    }
}

/// Levels in which `N` represents zero. The value with the largest magnitude becomes level 0; with an importance, the scale is one with
/// little error instead.
fn centered<const N: i32>(values: &[f32], importance: Weights<'_>, bytes: &mut [u8]) -> Vec<u8> {
    let zero = N as f32;
    let scale = match importance {
        None => extreme(values) / -zero,
        Some(_) => search::scale::<Whole<N>>(values, &search::weights(values, importance)).0,
    };
    put_half(bytes, 0, scale);
    let inverse = inverse(scale);
    values.iter().map(|v| ((v * inverse + (zero + 0.5)) as u8).min(2 * N as u8 - 1)).collect()
}

/// Levels up to `top` above the minimum; with an importance, above a minimum with little error instead.
fn above_min(values: &[f32], importance: Weights<'_>, top: f32, bytes: &mut [u8]) -> Vec<u8> {
    let (scale, min) = match importance {
        None => {
            let min = values.iter().fold(f32::MAX, |a, &b| if b < a { b } else { a });
            let max = values.iter().fold(f32::MIN, |a, &b| if b > a { b } else { a });
            ((max - min) / top, min)
        }
        Some(_) => search::scale_and_min(values, &search::weights(values, importance), top),
    };
    put_half(bytes, 0, scale);
    put_half(bytes, 2, min);
    let inverse = inverse(scale);
    values.iter().map(|v| (((v - min) * inverse + 0.5) as u8).min(top as u8)).collect()
}

/// Writes the fifth bits of 32 levels, then the other bits.
fn put_fives(bytes: &mut [u8], quants: &[u8]) {
    for (i, &quant) in quants.iter().enumerate() {
        bytes[i / 8] |= (quant >> 4) << (i % 8);
    }
    put_nibbles(&mut bytes[4..], 16, quants.iter().copied());
}

pub(crate) fn q4_0(values: &[f32], importance: Weights<'_>, bytes: &mut [u8]) {
    let quants = centered::<8>(values, importance, bytes);
    put_nibbles(&mut bytes[2..], 16, quants);
}

pub(crate) fn q4_1(values: &[f32], importance: Weights<'_>, bytes: &mut [u8]) {
    let quants = above_min(values, importance, 15.0, bytes);
    put_nibbles(&mut bytes[4..], 16, quants);
}

pub(crate) fn q5_0(values: &[f32], importance: Weights<'_>, bytes: &mut [u8]) {
    let quants = centered::<16>(values, importance, bytes);
    put_fives(&mut bytes[2..], &quants);
}

pub(crate) fn q5_1(values: &[f32], importance: Weights<'_>, bytes: &mut [u8]) {
    let quants = above_min(values, importance, 31.0, bytes);
    put_fives(&mut bytes[4..], &quants);
}

/// Writes 8 bits per value, and returns the scale and the sum of the levels.
fn put_bytes(bytes: &mut [u8], values: &[f32]) -> (f32, i32) {
    let scale = extreme(values).abs() / 127.0;
    let inverse = inverse(scale);
    let mut sum = 0;
    for (byte, v) in bytes.iter_mut().zip(values) {
        let quant = (v * inverse).round() as i8;
        sum += i32::from(quant);
        *byte = quant.cast_unsigned();
    }
    (scale, sum)
}

pub(crate) fn q8_0(values: &[f32], _: Weights<'_>, bytes: &mut [u8]) {
    let (scale, _) = put_bytes(&mut bytes[2..], values);
    put_half(bytes, 0, scale);
}

pub(crate) fn q8_1(values: &[f32], _: Weights<'_>, bytes: &mut [u8]) {
    let (scale, sum) = put_bytes(&mut bytes[4..], values);
    put_half(bytes, 0, scale);
    put_half(bytes, 2, sum as f32 * scale);
}

pub(crate) fn q8_k(values: &[f32], _: Weights<'_>, bytes: &mut [u8]) {
    let most = extreme(values);
    if most == 0.0 {
        return;
    }
    let inverse = -127.0 / most;
    let quants: Vec<i8> = values.iter().map(|v| (inverse * v).round_ties_even().min(127.0) as i8).collect();
    bytes[..4].copy_from_slice(&(1.0 / inverse).to_le_bytes());
    let (levels, sums) = bytes[4..].split_at_mut(values.len());
    for (part, (quants, sum)) in quants.chunks(16).zip(sums.chunks_exact_mut(2)).enumerate() {
        for (level, &quant) in levels[16 * part..].iter_mut().zip(quants) {
            *level = quant.cast_unsigned();
        }
        sum.copy_from_slice(&quants.iter().map(|&q| i16::from(q)).sum::<i16>().to_le_bytes());
    }
}
