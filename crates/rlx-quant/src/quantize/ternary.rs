//! Quantizes to the formats of −1, 0 and 1, as ggml's reference does, bit for bit. The scale is the largest magnitude.

use super::{extreme, inverse, put_half};

/// The digits 0, 1 and 2 of the values; writes the scale at `at`.
fn digits(values: &[f32], bytes: &mut [u8], at: usize) -> Vec<u8> {
    let scale = extreme(values).abs();
    put_half(bytes, at, scale);
    let inverse = inverse(scale);
    values.iter().map(|v| ((v * inverse).round() as i8 + 1).cast_unsigned()).collect()
}

pub(crate) fn tq1_0(values: &[f32], _: Option<&[f32]>, bytes: &mut [u8]) {
    let digits = digits(values, bytes, 52);
    // Ranges of bytes, the value whose digit is the first one of each range, and the distance between the digits of one byte. The fifth
    // digit of the last four bytes is 0.
    for (range, first, apart) in [(0..32, 0, 32), (32..48, 160, 16), (48..52, 240, 4)] {
        for (i, byte) in bytes[range].iter_mut().enumerate() {
            let digit = |n: usize| digits.get(first + n * apart + i).filter(|_| first < 240 || n < 4);
            let number =
                (0..5).fold(0u16, |number, n| number * 3 + u16::from(digit(n).copied().unwrap_or(0)));
            *byte = (number * 256).div_ceil(243) as u8;
        }
    }
}

pub(crate) fn tq2_0(values: &[f32], _: Option<&[f32]>, bytes: &mut [u8]) {
    for (i, digit) in digits(values, bytes, 64).into_iter().enumerate() {
        bytes[i / 128 * 32 + i % 32] |= digit << (2 * (i % 128 / 32));
    }
}
