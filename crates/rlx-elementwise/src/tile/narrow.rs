//! Floats narrower than f32: reading, rounding and writing them, without branches so that the code vectorizes.

use super::{BLOCK, Body, Call, Code, Each1, Extra, Map1, end_block, fast, narrow};
use crate::compute_type::{ComputeElement, round_to_odd};
use crate::simd::Simd;
use rlx_ir::eval::{Scalar, scalar};
use rlx_ir::{DType, FloatFormat};
use std::marker::PhantomData;

/// A binary floating point format with at most 8 exponent bits, as a type.
pub(crate) trait Format: 'static {
    /// The unsigned integer that holds its bits.
    type Bits: ComputeElement + Into<u32> + TryFrom<u32>;
    /// Its row in the table of formats.
    const ROW: FloatFormat;
    const EXPONENT: u32 = Self::ROW.exponent_bits;
    const MANTISSA: u32 = Self::ROW.mantissa_bits;
    /// Whether it has no infinities; then the largest pattern is the only NaN.
    const FINITE: bool = !Self::ROW.has_infinity;

    fn bits(code: u32) -> Self::Bits;
}

macro_rules! formats {
    ($($Name:ident $bits:ident;)*) => {$(
        #[doc = concat!("`FloatFormat::", stringify!($Name), "` as a type.")]
        pub(crate) struct $Name;
        impl Format for $Name {
            type Bits = $bits;
            const ROW: FloatFormat = FloatFormat::$Name;

            #[inline(always)]
            fn bits(code: u32) -> $bits {
                code as $bits
            }
        }
    )*};
}

formats! {
    F16 u16;
    BF16 u16;
    F8E4M3 u8;
    F8E5M2 u8;
}

/// Constants that follow from a format.
struct FormatBits<F>(PhantomData<F>);

impl<F: Format> FormatBits<F> {
    const BIAS: u32 = F::ROW.bias() as u32;
    /// By how many bits the mantissa is shorter than that of f32.
    const SHIFT: u32 = 23 - F::MANTISSA;
    const EXPONENT_ONES: u32 = ((1 << F::EXPONENT) - 1) << F::MANTISSA;
    const ALL_ONES: u32 = (1 << (F::EXPONENT + F::MANTISSA)) - 1;
    const NAN: u32 = if F::FINITE { Self::ALL_ONES } else { Self::EXPONENT_ONES | 1 << (F::MANTISSA - 1) };
    /// The pattern that overflow gives.
    const OVER: u32 = if F::FINITE { Self::ALL_ONES } else { Self::EXPONENT_ONES };
    /// The bits of the smallest normal number as an f32.
    const NORMAL: u32 = (128 - Self::BIAS) << 23;
    /// The f32 whose last bit has the value of the format's smallest number. Adding it rounds to a multiple of that number.
    const MAGIC: u32 = (128 - Self::BIAS + Self::SHIFT) << 23;
    /// 2^(127 − bias), which scales a pattern that is read as f32 to its value.
    const SCALE: u32 = (254 - Self::BIAS) << 23;
}

/// Returns the pattern of `x` rounded to nearest, ties to even.
#[inline(always)]
pub(crate) fn encode<F: Format>(x: f32) -> u32 {
    let bits = x.to_bits();
    let sign = bits >> 31 << (F::EXPONENT + F::MANTISSA);
    let magnitude = bits & 0x7fff_ffff;
    let odd = magnitude >> FormatBits::<F>::SHIFT & 1;
    let rebased = magnitude.wrapping_sub((127 - FormatBits::<F>::BIAS) << 23);
    let normal =
        rebased.wrapping_add((1 << (FormatBits::<F>::SHIFT - 1)) - 1 + odd) >> FormatBits::<F>::SHIFT;
    let magic = f32::from_bits(FormatBits::<F>::MAGIC);
    let tiny = (f32::from_bits(magnitude) + magic).to_bits().wrapping_sub(FormatBits::<F>::MAGIC);
    let code = if magnitude < FormatBits::<F>::NORMAL { tiny } else { normal };
    let code = code.min(FormatBits::<F>::OVER);
    sign | if magnitude > 0x7f80_0000 { FormatBits::<F>::NAN } else { code }
}

/// Returns the value of a pattern, which f32 holds exactly.
#[inline(always)]
pub(crate) fn decode<F: Format>(code: u32) -> f32 {
    let sign = code >> (F::EXPONENT + F::MANTISSA) << 31;
    let magnitude = code & FormatBits::<F>::ALL_ONES;
    let value = f32::from_bits(magnitude << FormatBits::<F>::SHIFT) * f32::from_bits(FormatBits::<F>::SCALE);
    // Infinity and NaN keep their mantissa; a finite format has only one NaN.
    let special = 0x7f80_0000 | (magnitude & !FormatBits::<F>::EXPONENT_ONES) << FormatBits::<F>::SHIFT;
    let is_special =
        magnitude >= if F::FINITE { FormatBits::<F>::ALL_ONES } else { FormatBits::<F>::EXPONENT_ONES };
    f32::from_bits(sign | if is_special { special } else { value.to_bits() })
}

/// Reads patterns as f32.
pub(crate) struct Widen<F>(PhantomData<F>);

impl<F: Format> Map1<F::Bits> for Widen<F> {
    type Result = f32;
    #[inline(always)]
    fn apply(code: F::Bits) -> f32 {
        decode::<F>(code.into())
    }
}

/// Writes f32 as patterns, rounded to nearest even.
struct Shorten<F>(PhantomData<F>);

impl<F: Format> Map1<f32> for Shorten<F> {
    type Result = F::Bits;
    #[inline(always)]
    fn apply(x: f32) -> F::Bits {
        F::bits(encode::<F>(x))
    }
}

/// Rounds f32 to the format.
struct Round<F>(PhantomData<F>);

impl<F: Format> Map1<f32> for Round<F> {
    type Result = f32;
    #[inline(always)]
    fn apply(x: f32) -> f32 {
        decode::<F>(encode::<F>(x))
    }
}

/// Rounds approximate values y of a function of x as the exact values would be rounded; the operands are (y, x). If the approximation is
/// too close to a tie to decide, the evaluator's function does.
struct RoundChecked<F>(PhantomData<F>);

/// The maximum error of a value, in units of its last place. No vector function has a larger error.
const SLACK: u32 = 8;

impl<F: Format> RoundChecked<F> {
    /// Returns the rounded value, and whether the error could change it.
    #[inline(always)]
    fn round(y: f32) -> (f32, bool) {
        let bits = y.to_bits();
        let magnitude = bits & 0x7fff_ffff;
        let (low, high) = (
            encode::<F>(f32::from_bits(bits.wrapping_sub(SLACK))),
            encode::<F>(f32::from_bits(bits.wrapping_add(SLACK))),
        );
        // Near zero the error is no longer relative.
        (decode::<F>(low), low != high || magnitude < f32::MIN_POSITIVE.to_bits() + SLACK)
    }

    fn exact(x: f32, extra: Extra) -> f32 {
        let Extra::Unary(op, dtype) = extra else { return x };
        let value = scalar::unary(op, dtype, Scalar::Float(f64::from(x))).to_f64();
        decode::<F>(encode::<F>(round_to_odd(value)))
    }
}

impl<F: Format> Body for RoundChecked<F> {
    #[inline(always)]
    unsafe fn run<S: Simd>(_: S, call: &Call) {
        let (dst, y, x) = (call.dst.cast::<f32>(), call.src[0].cast::<f32>(), call.src[1].cast::<f32>());
        let mut i = 0;
        // SAFETY: indices stay below `len`, for which the caller vouches.
        unsafe {
            while i < call.len {
                let count = BLOCK.min(call.len - i);
                let mut block = [0f32; BLOCK];
                std::ptr::copy_nonoverlapping(y.add(i), block.as_mut_ptr(), count);
                let (mut rounded, mut unclear) = ([0f32; BLOCK], [false; BLOCK]);
                for k in 0..BLOCK {
                    (rounded[k], unclear[k]) = Self::round(block[k]);
                }
                if unclear[..count].contains(&true) {
                    for k in (0..count).filter(|&k| unclear[k]) {
                        rounded[k] = Self::exact(x.add(i + k).read_unaligned(), call.extra);
                    }
                }
                std::ptr::copy_nonoverlapping(rounded.as_ptr(), dst.add(i), count);
                i += count;
                end_block();
            }
        }
    }
}

/// Evaluates an expression with `$F` as the format of a narrow type; `None` for other types.
macro_rules! by_format {
    (@some $F:ident, $Format:ident, $value:expr) => {{
        type $F = $crate::tile::narrow::$Format;
        Some($value)
    }};
    ($dtype:expr, $F:ident => $value:expr) => {
        match $dtype {
            rlx_ir::DType::F16 => narrow::by_format!(@some $F, F16, $value),
            rlx_ir::DType::BF16 => narrow::by_format!(@some $F, BF16, $value),
            rlx_ir::DType::F8E4M3 => narrow::by_format!(@some $F, F8E4M3, $value),
            rlx_ir::DType::F8E5M2 => narrow::by_format!(@some $F, F8E5M2, $value),
            _ => None,
        }
    };
}
pub(crate) use by_format;

/// Rounds f32 registers to `dtype`; `None` for formats that are not narrow.
pub fn round(dtype: DType) -> Option<Code> {
    by_format!(dtype, F => Code::new(fast::<Each1<f32, Round<F>>>, 100))
}

/// Rounds the function that `extra` names, given an approximation and its operand.
pub(crate) fn round_checked(dtype: DType, extra: Extra) -> Option<Code> {
    by_format!(dtype, F => Code::with(fast::<RoundChecked<F>>, extra, 300))
}

/// The type of the bits of a narrow float; `None` for other types.
pub fn bits(dtype: DType) -> Option<DType> {
    match dtype {
        DType::F16 | DType::BF16 => Some(DType::U16),
        DType::F8E4M3 | DType::F8E5M2 => Some(DType::U8),
        _ => None,
    }
}

/// Converts bits to f32 registers and preserves which NaN they are.
pub fn widen(dtype: DType) -> Option<Code> {
    by_format!(dtype, F => Code::new(fast::<Each1<<F as Format>::Bits, Widen<F>>>, 60))
}

/// Writes f32 registers as elements of `dtype`.
pub fn shorten(dtype: DType) -> Option<Code> {
    by_format!(dtype, F => Code::new(fast::<Each1<f32, Shorten<F>>>, 80))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Testing around every f32 pattern would take too long. Rounding can go wrong at the patterns of the format, at the midpoints between
    /// them, and just next to those.
    fn check<F: Format>(dtype: DType) {
        let round = |x: f64| {
            let mut bytes = Vec::new();
            Scalar::Float(x).write(dtype, &mut bytes);
            bytes.iter().rev().fold(0u32, |word, &byte| word << 8 | u32::from(byte))
        };
        for code in 0..=FormatBits::<F>::ALL_ONES {
            let value = decode::<F>(code);
            let expected = Scalar::read(dtype, &code.to_le_bytes()).to_f64();
            assert_eq!(f64::from(value).is_nan(), expected.is_nan());
            if value.is_nan() {
                assert_eq!(encode::<F>(value), FormatBits::<F>::NAN);
                continue;
            }
            assert_eq!(f64::from(value), expected);
            assert_eq!(encode::<F>(value), code);
            assert_eq!(encode::<F>(-value), code | (FormatBits::<F>::ALL_ONES + 1));
            let next = decode::<F>(code + 1);
            let step = if next.is_finite() { next - value } else { value - decode::<F>(code.max(1) - 1) };
            let middle = value + step / 2.0;
            for x in [middle, middle.next_up(), middle.next_down(), value.next_up(), value.next_down()] {
                if x >= 0.0 && x.is_finite() {
                    assert_eq!(encode::<F>(x), round(f64::from(x)), "{dtype} {x:e}");
                }
            }
            let x = f64::from(middle);
            for x in [x.next_up(), x.next_down(), x * (1.0 + 1e-12), x * (1.0 - 1e-12)] {
                if x > 0.0 && x.is_finite() {
                    assert_eq!(encode::<F>(round_to_odd(x)), round(x), "{dtype} {x:e}");
                }
            }
        }
        for x in [f32::MAX, f32::INFINITY, 1e30, f32::from_bits(1)] {
            assert_eq!(encode::<F>(x), round(f64::from(x)), "{dtype} {x:e}");
        }
    }

    #[test]
    fn formats_round_as_the_evaluator_rounds() {
        check::<F16>(DType::F16);
        check::<BF16>(DType::BF16);
        check::<F8E4M3>(DType::F8E4M3);
        check::<F8E5M2>(DType::F8E5M2);
    }
}
