//! Reads and writes single elements of any type as the evaluator's numbers. It does so without allocating, for kernels that keep running
//! totals in wider numbers and round once.

use crate::compute_type::round_to_odd;
use rlx_ir::DType;
use rlx_ir::eval::Scalar;

/// Returns the element at `at`.
///
/// # Safety
/// `at` points to an element of type `dtype`, at any alignment.
#[inline]
pub unsafe fn load(dtype: DType, at: *const u8) -> Scalar {
    // SAFETY: the caller's promise.
    unsafe {
        match dtype {
            DType::F32 => Scalar::Float(f64::from(at.cast::<f32>().read_unaligned())),
            DType::F64 => Scalar::Float(at.cast::<f64>().read_unaligned()),
            _ => Scalar::read(dtype, std::slice::from_raw_parts(at, dtype.size())),
        }
    }
}

/// Writes a number to `at` as an element of type `dtype`. Floats are rounded to nearest, ties to even; integers wrap.
///
/// # Safety
/// `at` is valid for writes of an element of type `dtype`, at any alignment.
#[inline]
pub unsafe fn store(dtype: DType, x: Scalar, at: *mut u8) {
    // SAFETY: the caller's promise.
    unsafe {
        match (dtype, x) {
            (DType::F64, x) => at.cast::<f64>().write_unaligned(x.to_f64()),
            (DType::F32, x) => at.cast::<f32>().write_unaligned(x.to_f64() as f32),
            (DType::F16, x) => {
                at.cast::<u16>().write_unaligned(half::f16::from_f32(round_to_odd(x.to_f64())).to_bits())
            }
            (DType::BF16, x) => {
                at.cast::<u16>().write_unaligned(half::bf16::from_f32(round_to_odd(x.to_f64())).to_bits())
            }
            (DType::F8E4M3 | DType::F8E5M2, x) => at.write(eight_bits(dtype, x.to_f64())),
            (DType::C64, Scalar::Complex(z)) => {
                at.cast::<[f32; 2]>().write_unaligned([z.re as f32, z.im as f32])
            }
            (DType::C64, x) => at.cast::<[f32; 2]>().write_unaligned([x.to_f64() as f32, 0.0]),
            (DType::C128, Scalar::Complex(z)) => at.cast::<[f64; 2]>().write_unaligned([z.re, z.im]),
            (DType::C128, x) => at.cast::<[f64; 2]>().write_unaligned([x.to_f64(), 0.0]),
            (_, x) => {
                let Scalar::Int(x) = x.convert(dtype) else { return };
                std::ptr::copy_nonoverlapping(x.to_le_bytes().as_ptr(), at, dtype.size());
            }
        }
    }
}

/// Returns the bit pattern of `x` rounded to an 8-bit float. The patterns of positive numbers are in the order of the numbers.
fn eight_bits(dtype: DType, x: f64) -> u8 {
    let (largest, nan) = if dtype == DType::F8E4M3 { (0x7e, 0x7f) } else { (0x7b, 0x7e) };
    let sign = u8::from(x.is_sign_negative()) << 7;
    if x.is_nan() {
        return sign | nan;
    }
    let value = |code: u8| Scalar::read(dtype, &[code]).to_f64();
    // Finds the last pattern at or below |x|.
    let (mut low, mut high) = (0, largest + 1);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if value(middle) <= x.abs() { low = middle } else { high = middle }
    }
    // The number that would follow the largest one decides about overflow; the pattern of overflow comes next.
    let step = if low == largest { value(low) - value(low - 1) } else { value(low + 1) - value(low) };
    let tie = value(low) + step / 2.0;
    let up = x.abs() > tie || (x.abs() == tie && low & 1 == 1);
    sign | (low + u8::from(up))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_the_evaluator_writes_them() {
        let mut floats = vec![
            0.0,
            -0.0,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
            464.0,
            464.1,
            61440.0,
            61439.9,
            1e300,
            1e-300,
        ];
        for code in 0..=255u8 {
            for dtype in [DType::F8E4M3, DType::F8E5M2] {
                let x = Scalar::read(dtype, &[code]).to_f64();
                floats.extend([
                    x,
                    x * 1.03125,
                    x * 1.0625,
                    x * 1.125,
                    x * 1.25,
                    x * 1.5,
                    x * (1.0625 + 1e-9),
                    x * (1.0625 - 1e-9),
                ]);
            }
        }
        for dtype in DType::ALL {
            for x in
                floats.iter().map(|&x| Scalar::Float(x)).chain((-70_000..70_000).step_by(77).map(Scalar::Int))
            {
                let (mut expected, mut got) = (Vec::new(), [0u8; 16]);
                x.write(dtype, &mut expected);
                // SAFETY: there is room for every type.
                unsafe { store(dtype, x, got.as_mut_ptr()) };
                let got = &got[..dtype.size()];
                let is_nan = |bytes: &[u8]| Scalar::read(dtype, bytes).to_f64().is_nan();
                assert!(
                    got == expected || (is_nan(got) && is_nan(&expected)),
                    "{x:?} as {dtype}: {got:?}, {expected:?}"
                );
            }
        }
    }
}
