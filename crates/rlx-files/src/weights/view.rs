//! Access to one tensor of a file: its type, shape and bytes, and its values as `f32`.

use std::borrow::Cow;

use half::slice::HalfFloatSliceExt;
use half::{bf16, f16};
use rlx_ir::DType;
use rlx_ir::eval::Scalar;

use super::{StoredType, WeightsError};
use crate::display::quoted;

/// A tensor in its file. The bytes are little-endian and row-major, and may not be aligned.
#[derive(Clone, Copy, Debug)]
pub struct TensorView<'a> {
    pub(super) name: &'a str,
    pub(super) stored: StoredType,
    pub(super) shape: &'a [usize],
    pub(super) bytes: &'a [u8],
}

impl<'a> TensorView<'a> {
    /// Returns its name in the file.
    pub fn name(&self) -> &'a str {
        self.name
    }

    /// Returns its element type, as the file states it.
    pub fn stored_type(&self) -> StoredType {
        self.stored
    }

    /// Returns its element type in the IR.
    ///
    /// # Errors
    /// Returns [`WeightsError::NoSuchType`] for the packed and scaled formats that the IR does not have.
    pub fn dtype(&self) -> Result<DType, WeightsError> {
        self.stored
            .dtype()
            .ok_or_else(|| WeightsError::NoSuchType { tensor: quoted(self.name), stored: self.stored })
    }

    /// Returns its shape.
    pub fn shape(&self) -> &'a [usize] {
        self.shape
    }

    /// Returns its bytes: little-endian, row-major, with any alignment.
    ///
    /// The bytes of a `bool` tensor are those of the file; readers should treat every value except 0 as true.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns its values as `f32`, borrowed from the file if it stores `f32` at an aligned address.
    ///
    /// `f16`, `bf16` and the 8-bit floats are converted exactly; `f64` is rounded to nearest.
    ///
    /// # Errors
    /// Returns [`WeightsError::NotFloat`] for integers, booleans, complex numbers and types that the IR does not
    /// have: silently rounding those would hide that the file is the wrong one.
    pub fn to_f32(&self) -> Result<Cow<'a, [f32]>, WeightsError> {
        let bytes = self.bytes;
        let values = match self.stored.dtype() {
            Some(DType::F32) => return Ok(f32_values(bytes)),
            Some(DType::F16) => {
                let halves: Vec<f16> = chunks(bytes, f16::from_le_bytes).collect();
                let mut out = vec![0.0; halves.len()];
                halves.convert_to_f32_slice(&mut out);
                out
            }
            Some(DType::BF16) => chunks(bytes, |b| bf16::from_le_bytes(b).to_f32()).collect(),
            Some(DType::F64) => chunks(bytes, |b| f64::from_le_bytes(b) as f32).collect(),
            Some(dtype @ (DType::F8E4M3 | DType::F8E5M2)) => f8_values(bytes, dtype),
            _ => {
                return Err(WeightsError::NotFloat { tensor: quoted(self.name), stored: self.stored });
            }
        };
        Ok(Cow::Owned(values))
    }
}

fn chunks<'a, const N: usize, T: 'a>(
    bytes: &'a [u8],
    read: impl Fn([u8; N]) -> T + 'a,
) -> impl Iterator<Item = T> + 'a {
    bytes.as_chunks::<N>().0.iter().map(move |chunk| read(*chunk))
}

fn f32_values(bytes: &[u8]) -> Cow<'_, [f32]> {
    if cfg!(target_endian = "little")
        && let Ok(values) = bytemuck::try_cast_slice(bytes)
    {
        return Cow::Borrowed(values);
    }
    Cow::Owned(chunks(bytes, f32::from_le_bytes).collect())
}

/// Converts 8-bit floats like the IR does: f32 represents all of their values exactly.
fn f8_values(bytes: &[u8], dtype: DType) -> Vec<f32> {
    let table: Vec<f32> = (0..=u8::MAX).map(|bits| Scalar::read(dtype, &[bits]).to_f64() as f32).collect();
    bytes.iter().map(|&bits| table[usize::from(bits)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(tag: &str, shape: &'static [usize], bytes: &'static [u8]) -> TensorView<'static> {
        TensorView { name: "t", stored: StoredType::from_tag(tag).unwrap(), shape, bytes }
    }

    #[test]
    fn floats_of_every_width_convert() {
        // 1.5 and -2 in each type.
        let rows: [(&str, &'static [u8]); 5] = [
            ("F16", &[0x00, 0x3e, 0x00, 0xc0]),
            ("BF16", &[0xc0, 0x3f, 0x00, 0xc0]),
            ("F64", &[0, 0, 0, 0, 0, 0, 0xf8, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0xc0]),
            ("F8_E4M3", &[0x3c, 0xc0]),
            ("F8_E5M2", &[0x3e, 0xc0]),
        ];
        for (tag, bytes) in rows {
            assert_eq!(view(tag, &[2], bytes).to_f32().unwrap().as_ref(), [1.5, -2.0], "{tag}");
        }
    }

    #[test]
    fn f32_is_borrowed_when_aligned_and_copied_when_not() {
        static BYTES: [u32; 3] = [0x3fc0_0000_u32.to_le(), 0xc000_0000_u32.to_le(), 0];
        let bytes: &'static [u8] = bytemuck::cast_slice(&BYTES);
        let aligned = view("F32", &[2], &bytes[..8]).to_f32().unwrap();
        assert_eq!(aligned.as_ref(), [1.5, -2.0]);
        assert_eq!(matches!(aligned, Cow::Borrowed(_)), cfg!(target_endian = "little"));
        let odd = view("F32", &[2], &bytes[1..9]).to_f32().unwrap();
        assert!(matches!(odd, Cow::Owned(_)));
        assert_eq!(odd[0].to_bits(), u32::from_le_bytes([bytes[1], bytes[2], bytes[3], bytes[4]]));
    }

    #[test]
    fn eight_bit_floats_have_their_corners() {
        let e4m3 = |bits: u8| f8_values(&[bits], DType::F8E4M3)[0];
        let e5m2 = |bits: u8| f8_values(&[bits], DType::F8E5M2)[0];
        assert_eq!(e4m3(0x7e), 448.0);
        assert_eq!(e4m3(0x01), 2f32.powi(-9));
        assert!(e4m3(0x7f).is_nan() && e4m3(0xff).is_nan());
        assert_eq!(e4m3(0x80).to_bits(), (-0f32).to_bits());
        assert_eq!(e5m2(0x7b), 57344.0);
        assert_eq!(e5m2(0x7c), f32::INFINITY);
        assert_eq!(e5m2(0x01), 2f32.powi(-16));
    }

    #[test]
    fn integers_and_foreign_types_are_not_passed_off_as_floats() {
        for (tag, bytes) in [("I32", &[0u8; 4][..]), ("BOOL", &[1]), ("C64", &[0; 8]), ("F8_E8M0", &[0])] {
            let error = view(tag, &[1], bytes).to_f32().unwrap_err();
            assert!(matches!(error, WeightsError::NotFloat { .. }), "{tag}: {error}");
        }
        assert!(view("F4", &[2], &[0]).dtype().is_err());
    }
}
