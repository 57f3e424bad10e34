//! Converts floats to narrower types, and keeps values that are not finite out of files of weights. A weight that
//! overflows to infinity, or is already NaN, makes every result of the model NaN, far from where it happened.

use std::fmt;

use half::{bf16, f16};
use rlx_ir::DType;

/// A value that cannot be written, and why.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct NotWritten {
    /// The index of the value in the tensor, counted along its rows.
    pub index: usize,
    /// The value.
    pub number: f64,
    /// The type to write it in.
    pub dtype: DType,
}

impl fmt::Display for NotWritten {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NotWritten { index, number, dtype } = *self;
        if !number.is_finite() {
            return write!(
                f,
                "value {index} is {number}; only finite weights are written: correct the source"
            );
        }
        write!(f, "value {index} is {number:e}, but the largest number of {dtype} is {:e}", largest(dtype))?;
        match dtype {
            DType::BF16 | DType::F32 => write!(f, "; correct the value"),
            _ => write!(f, "; write bf16 or f32, or correct the value"),
        }
    }
}

impl std::error::Error for NotWritten {}

/// Returns the largest finite number of a float type for weights.
fn largest(dtype: DType) -> f64 {
    match dtype {
        DType::F16 => f16::MAX.to_f64(),
        DType::BF16 => bf16::MAX.to_f64(),
        DType::F64 => f64::MAX,
        _ => f32::MAX.into(),
    }
}

/// Converts values to bytes of f32, f16 or bf16, rounding to nearest, ties to even. Returns `None` for other types.
///
/// # Errors
/// Returns [`NotWritten`] for the first value that is not finite, or not finite after rounding.
pub fn narrowed(values: &[f32], dtype: DType) -> Option<Result<Vec<u8>, NotWritten>> {
    let bytes: Vec<u8> = match dtype {
        DType::F32 => values.iter().flat_map(|x| x.to_le_bytes()).collect(),
        DType::F16 => values.iter().flat_map(|&x| f16::from_f32(x).to_le_bytes()).collect(),
        DType::BF16 => values.iter().flat_map(|&x| bf16::from_f32(x).to_le_bytes()).collect(),
        _ => return None,
    };
    Some(match first_not_finite(&bytes, dtype) {
        Some(NotWritten { index, .. }) => {
            Err(NotWritten { index, number: values.get(index).copied().unwrap_or(f32::NAN).into(), dtype })
        }
        None => Ok(bytes),
    })
}

/// Returns the first of these little-endian numbers that is infinite or NaN; `None` for types that are not floats.
pub fn first_not_finite(bytes: &[u8], dtype: DType) -> Option<NotWritten> {
    fn first<const N: usize>(bytes: &[u8], number: impl Fn([u8; N]) -> f64) -> Option<(usize, f64)> {
        let numbers = bytes.as_chunks().0.iter().map(|chunk| number(*chunk));
        numbers.enumerate().find(|(_, number)| !number.is_finite())
    }
    let found = match dtype {
        DType::F64 => first(bytes, f64::from_le_bytes),
        DType::F32 => first(bytes, |b| f32::from_le_bytes(b).into()),
        DType::F16 => first(bytes, |b| f16::from_le_bytes(b).to_f64()),
        DType::BF16 => first(bytes, |b| bf16::from_le_bytes(b).to_f64()),
        DType::F8E5M2 => first(bytes, |[b]| match b & 0x7f {
            0x7c => f64::INFINITY.copysign(if b < 0x80 { 1.0 } else { -1.0 }),
            0x7d.. => f64::NAN,
            _ => 0.0,
        }),
        DType::F8E4M3 => first(bytes, |[b]| if b & 0x7f == 0x7f { f64::NAN } else { 0.0 }),
        _ => None,
    };
    found.map(|(index, number)| NotWritten { index, number, dtype })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The limits are those of IEEE 754 for f16 (65,504; 65,520 is the tie that rounds up) and those of bf16.
    #[test]
    fn the_first_value_that_overflows_is_named() {
        let text =
            |values: &[f32], dtype| narrowed(values, dtype).expect("a float type").map_err(|e| e.to_string());
        assert_eq!(text(&[1.0, 65_519.0], DType::F16), Ok(vec![0, 0x3c, 0xff, 0x7b]));
        let error = text(&[1.0, 65_520.0], DType::F16).expect_err("too large");
        assert_eq!(
            error,
            "value 1 is 6.552e4, but the largest number of f16 is 6.5504e4; write bf16 or f32, or correct the value"
        );
        let error = text(&[-3.4e38], DType::BF16).expect_err("too large");
        assert!(error.starts_with("value 0 is -3.39") && error.contains("bf16 is 3.38"), "{error}");
        for dtype in [DType::F32, DType::F16, DType::BF16] {
            let error = text(&[0.0, f32::NEG_INFINITY, f32::NAN], dtype).expect_err("not finite");
            assert!(error.starts_with("value 1 is -inf; only finite"), "{error}");
        }
        assert_eq!(narrowed(&[1.0], DType::I8), None);
    }

    #[test]
    fn numbers_of_every_float_type_are_told_from_those_that_are_not_finite() {
        let at = |bytes: &[u8], dtype| first_not_finite(bytes, dtype).map(|found| found.index);
        assert_eq!(at(&[0x7b, 0x7c, 0x7d], DType::F8E5M2), Some(1));
        assert_eq!(at(&[0x7b, 0xfb], DType::F8E5M2), None);
        assert_eq!(at(&[0x7e, 0xfe, 0xff], DType::F8E4M3), Some(2));
        assert_eq!(at(&[0, 0x7c, 0, 0], DType::F16), Some(0));
        assert_eq!(at(&[0, 0, 0x80, 0x7f], DType::BF16), Some(1));
        assert_eq!(at(&f64::NAN.to_le_bytes(), DType::F64), Some(0));
        assert_eq!(at(&[0xff; 8], DType::I32), None);
    }
}
