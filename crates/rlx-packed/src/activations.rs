//! Quantizes activations to bytes, with a scale for each 32 values.
//!
//! For values x the factor is d = max|x| / 127, and the bytes are x · (127 / max|x|), rounded to nearest, ties to even. All of them are 0
//! if max|x| is 0. If a value is infinite or NaN, the factor and everything that is multiplied by it are NaN.

use crate::layout::GROUP;

/// What is stored for 32 values in addition to their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub(crate) struct Scale {
    /// The factor.
    pub(crate) factor: f32,
    /// The sums of the first 16 bytes and of the last 16.
    pub(crate) sums: [i32; 2],
    /// These sums times the factor.
    pub(crate) offsets: [f32; 2],
    /// The sum of all bytes times the factor.
    pub(crate) offset: f32,
}

/// 1.5 · 2²³. Adding it rounds to the nearest integer, ties to even.
const TO_WHOLE: f32 = 12_582_912.0;

/// Quantizes a row.
#[inline(always)]
pub(crate) fn quantize(row: &[f32], bytes: &mut [i8], scales: &mut [Scale]) {
    let groups = row.as_chunks::<GROUP>().0.iter().zip(bytes.as_chunks_mut::<GROUP>().0).zip(scales);
    for ((values, bytes), scale) in groups {
        let mut largest = 0u32;
        for x in values {
            // As integers, magnitudes are ordered, with NaN above all others.
            largest = largest.max(x.to_bits() & 0x7fff_ffff);
        }
        let largest = f32::from_bits(largest);
        let inverse = if largest > 0.0 && largest < f32::INFINITY { 127.0 / largest } else { 0.0 };
        let mut quants = [0i32; GROUP];
        for (quant, x) in quants.iter_mut().zip(values) {
            // The low bits of a number of this size are the rounded integer. For NaN any bits will do, because the factor makes the product
            // NaN.
            *quant = (x * inverse + TO_WHOLE).to_bits().wrapping_sub(TO_WHOLE.to_bits()).cast_signed();
        }
        for (byte, quant) in bytes.iter_mut().zip(quants) {
            *byte = quant as i8;
        }
        let mut sums = [0i32; 2];
        for (sum, quants) in sums.iter_mut().zip(quants.as_chunks::<16>().0) {
            *sum = quants.iter().fold(0i32, |sum, &quant| sum.wrapping_add(i32::from(quant as i8)));
        }
        let factor = if largest < f32::INFINITY { largest / 127.0 } else { f32::NAN };
        let offset = factor * (sums[0] + sums[1]) as f32;
        *scale = Scale { factor, sums, offsets: sums.map(|sum| factor * sum as f32), offset };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back_within_half_a_step() {
        let row: Vec<f32> =
            (0..64).map(|i| ((i * 37 % 64) as f32 - 31.0) * if i < 32 { 1.0 } else { 1e-3 }).collect();
        let (mut bytes, mut scales) = (vec![0i8; 64], vec![Scale::default(); 2]);
        quantize(&row, &mut bytes, &mut scales);
        for (i, x) in row.iter().enumerate() {
            let scale = scales[i / 32];
            assert!((x - scale.factor * f32::from(bytes[i])).abs() <= 0.5001 * scale.factor);
        }
        assert_eq!(bytes[16..32].iter().map(|&b| i32::from(b)).sum::<i32>(), scales[0].sums[1]);
    }

    #[test]
    fn what_is_no_number_stays_none() {
        for odd in [f32::NAN, f32::INFINITY] {
            let mut row = [1f32; 32];
            row[7] = odd;
            let (mut bytes, mut scales) = ([0i8; 32], [Scale::default()]);
            quantize(&row, &mut bytes, &mut scales);
            assert!(scales[0].factor.is_nan());
        }
        let (mut bytes, mut scales) = ([1i8; 32], [Scale::default()]);
        quantize(&[0.0; 32], &mut bytes, &mut scales);
        assert_eq!((bytes, scales[0]), ([0; 32], Scale::default()));
    }
}
