//! Rounds and stores single numbers: f64 to and from every float format, i128 to and from every integer width. Only this module
//! and the table of float formats know bit layouts.

use crate::dtype::{Class, DType};
use crate::float_format::FloatFormat;
pub(crate) use crate::float_format::exp2i;
use crate::math::complex::Complex64;

/// floor(log2 |x|) of a finite nonzero x.
pub(crate) fn exponent(x: f64) -> i32 {
    let biased = ((x.to_bits() >> 52) & 0x7ff) as i32;
    if biased == 0 { -1011 - (x.to_bits() << 12).leading_zeros() as i32 - 12 } else { biased - 1023 }
}

/// Bit patterns of the formats that Rust has no type for.
impl FloatFormat {
    /// Encodes `x`, rounded to nearest even.
    fn encode(self, x: f64) -> u32 {
        let sign = u32::from(x.is_sign_negative()) << (self.exponent_bits + self.mantissa_bits);
        let exponent_ones = ((1u32 << self.exponent_bits) - 1) << self.mantissa_bits;
        let all_ones = exponent_ones | ((1 << self.mantissa_bits) - 1);
        let quiet_nan = exponent_ones | 1 << (self.mantissa_bits - 1);
        if x.is_nan() {
            // The leading bits of the payload are kept, so that a NaN that was only stored and loaded keeps its bits.
            let payload = (x.to_bits() >> (52 - self.mantissa_bits)) as u32 & ((1 << self.mantissa_bits) - 1);
            let nan = if payload == 0 { quiet_nan } else { exponent_ones | payload };
            return sign | if self.has_infinity { nan } else { all_ones };
        }
        let nan = if self.has_infinity { quiet_nan } else { all_ones };
        let magnitude = x.abs();
        if magnitude == 0.0 {
            return sign;
        }
        let overflow = if self.has_infinity { exponent_ones } else { nan };
        if magnitude.is_infinite() {
            return sign | overflow;
        }
        let e = exponent(magnitude).max(1 - self.bias());
        let quantum = e - self.mantissa_bits as i32;
        // Exact: the quotient scales a number of 53 bits by a power of two.
        let q = (magnitude / exp2i(quantum)).round_ties_even();
        if q * exp2i(quantum) > self.max() {
            return sign | overflow;
        }
        let q = q as u32;
        if q < 1 << self.mantissa_bits {
            return sign | q;
        }
        sign | ((((e + self.bias()) as u32) << self.mantissa_bits) + (q - (1 << self.mantissa_bits)))
    }

    fn decode(self, bits: u32) -> f64 {
        let mantissa = bits & ((1 << self.mantissa_bits) - 1);
        let biased = (bits >> self.mantissa_bits) & ((1 << self.exponent_bits) - 1);
        let negative = bits >> (self.exponent_bits + self.mantissa_bits) & 1 == 1;
        let top = biased == (1 << self.exponent_bits) - 1;
        let all_ones = mantissa == (1 << self.mantissa_bits) - 1;
        let magnitude = if top && (self.has_infinity || all_ones) {
            f64::from_bits(f64::INFINITY.to_bits() | u64::from(mantissa) << (52 - self.mantissa_bits))
        } else if biased == 0 {
            f64::from(mantissa) * exp2i(1 - self.bias() - self.mantissa_bits as i32)
        } else {
            f64::from(mantissa | 1 << self.mantissa_bits)
                * exp2i(biased as i32 - self.bias() - self.mantissa_bits as i32)
        };
        if negative { -magnitude } else { magnitude }
    }
}

/// `x` rounded to nearest even in the float format `dtype`. Overflow gives infinity, or NaN in `F8E4M3`.
pub fn round_float(x: f64, dtype: DType) -> f64 {
    match dtype {
        _ if x.is_nan() => x,
        DType::F64 | DType::C128 => x,
        DType::F32 | DType::C64 => f64::from(x as f32),
        _ => FloatFormat::of(dtype).map_or(x, |format| format.decode(format.encode(x))),
    }
}

/// `x` in f64. Keeps every bit of a NaN, which the processor's conversion would change.
fn widen(x: f32) -> f64 {
    if !x.is_nan() {
        return f64::from(x);
    }
    let bits = u64::from(x.to_bits());
    f64::from_bits(bits >> 31 << 63 | f64::INFINITY.to_bits() | (bits & 0x7f_ffff) << 29)
}

/// `x` rounded to f32. Keeps the leading bits of a NaN.
fn narrow(x: f64) -> f32 {
    if !x.is_nan() {
        return x as f32;
    }
    let bits = x.to_bits();
    let payload = (bits >> 29) as u32 & 0x7f_ffff;
    let payload = if payload == 0 { 0x40_0000 } else { payload };
    f32::from_bits(((bits >> 32) as u32 & 0x8000_0000) | 0x7f80_0000 | payload)
}

/// `x` reduced modulo 2^bits into the range of the integer type `dtype`; a boolean is 1 if `x` is not zero.
pub fn wrap_int(x: i128, dtype: DType) -> i128 {
    let unused = 128 - dtype.bits();
    match dtype.class() {
        Class::Signed => x << unused >> unused,
        Class::Unsigned => ((x as u128) << unused >> unused) as i128,
        _ => i128::from(x != 0),
    }
}

/// One number.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Scalar {
    /// A real float.
    Float(f64),
    /// An integer, or a boolean as 0 or 1.
    Int(i128),
    /// A complex number.
    Complex(Complex64),
}

impl Scalar {
    /// Converts the scalar to `dtype` by the rules of the `convert` op.
    pub fn convert(self, dtype: DType) -> Scalar {
        match dtype.class() {
            Class::Float => Scalar::Float(round_float(self.to_f64(), dtype)),
            Class::Complex => {
                let z = match self {
                    Scalar::Complex(z) => z,
                    other => Complex64 { re: other.to_f64(), im: 0.0 },
                };
                Scalar::Complex(Complex64 { re: round_float(z.re, dtype), im: round_float(z.im, dtype) })
            }
            Class::Bool => Scalar::Int(i128::from(match self {
                Scalar::Complex(z) => z.re != 0.0 || z.im != 0.0,
                Scalar::Float(x) => x != 0.0,
                Scalar::Int(x) => x != 0,
            })),
            Class::Signed | Class::Unsigned => Scalar::Int(match self {
                Scalar::Int(x) => wrap_int(x, dtype),
                other => {
                    let (low, high) = dtype.int_range().unwrap_or((0, 0));
                    (other.to_f64() as i128).clamp(low, high)
                }
            }),
        }
    }

    /// The real value, rounded to f64.
    pub fn to_f64(self) -> f64 {
        match self {
            Scalar::Float(x) => x,
            Scalar::Int(x) => x as f64,
            Scalar::Complex(z) => z.re,
        }
    }

    /// Reads an element of type `dtype` from its little-endian bytes (at least `dtype.size()` of them).
    pub fn read(dtype: DType, bytes: &[u8]) -> Scalar {
        fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
            std::array::from_fn(|i| bytes[i])
        }
        match dtype {
            DType::F64 => Scalar::Float(f64::from_le_bytes(array(bytes))),
            DType::F32 => Scalar::Float(widen(f32::from_le_bytes(array(bytes)))),
            DType::F16 => Scalar::Float(FloatFormat::F16.decode(u32::from(u16::from_le_bytes(array(bytes))))),
            DType::BF16 => {
                Scalar::Float(FloatFormat::BF16.decode(u32::from(u16::from_le_bytes(array(bytes)))))
            }
            DType::F8E4M3 => Scalar::Float(FloatFormat::F8E4M3.decode(u32::from(bytes[0]))),
            DType::F8E5M2 => Scalar::Float(FloatFormat::F8E5M2.decode(u32::from(bytes[0]))),
            DType::I8 => Scalar::Int(i128::from(bytes[0] as i8)),
            DType::I16 => Scalar::Int(i128::from(i16::from_le_bytes(array(bytes)))),
            DType::I32 => Scalar::Int(i128::from(i32::from_le_bytes(array(bytes)))),
            DType::I64 => Scalar::Int(i128::from(i64::from_le_bytes(array(bytes)))),
            DType::U8 => Scalar::Int(i128::from(bytes[0])),
            DType::U16 => Scalar::Int(i128::from(u16::from_le_bytes(array(bytes)))),
            DType::U32 => Scalar::Int(i128::from(u32::from_le_bytes(array(bytes)))),
            DType::U64 => Scalar::Int(i128::from(u64::from_le_bytes(array(bytes)))),
            DType::Bool => Scalar::Int(i128::from(bytes[0] != 0)),
            DType::C64 => Scalar::Complex(Complex64 {
                re: widen(f32::from_le_bytes(array(bytes))),
                im: widen(f32::from_le_bytes(array(&bytes[4..]))),
            }),
            DType::C128 => Scalar::Complex(Complex64 {
                re: f64::from_le_bytes(array(bytes)),
                im: f64::from_le_bytes(array(&bytes[8..])),
            }),
        }
    }

    /// Appends the little-endian bytes of the scalar converted to `dtype`.
    pub fn write(self, dtype: DType, out: &mut Vec<u8>) {
        match (self.convert(dtype), dtype) {
            (Scalar::Float(x), DType::F64) => out.extend(x.to_le_bytes()),
            (Scalar::Float(x), DType::F32) => out.extend(narrow(x).to_le_bytes()),
            (Scalar::Float(x), DType::F16) => out.extend((FloatFormat::F16.encode(x) as u16).to_le_bytes()),
            (Scalar::Float(x), DType::BF16) => out.extend((FloatFormat::BF16.encode(x) as u16).to_le_bytes()),
            (Scalar::Float(x), DType::F8E4M3) => out.push(FloatFormat::F8E4M3.encode(x) as u8),
            (Scalar::Float(x), _) => out.push(FloatFormat::F8E5M2.encode(x) as u8),
            (Scalar::Int(x), _) => out.extend(&x.to_le_bytes()[..dtype.size()]),
            (Scalar::Complex(z), DType::C64) => {
                out.extend(narrow(z.re).to_le_bytes());
                out.extend(narrow(z.im).to_le_bytes());
            }
            (Scalar::Complex(z), _) => {
                out.extend(z.re.to_le_bytes());
                out.extend(z.im.to_le_bytes());
            }
        }
    }
}

/// `x` rounded to a format of these widths and back, as the `reduce_precision` op defines it: to nearest even, with overflow to
/// infinity, and results below the smallest normal number to zero.
pub fn reduce_precision(x: f64, exponent_bits: u32, mantissa_bits: u32) -> f64 {
    if !x.is_finite() || x == 0.0 {
        return x;
    }
    let bias = if exponent_bits >= 11 { 1023 } else { (1i32 << (exponent_bits - 1)) - 1 };
    let quantum = exponent(x) - mantissa_bits.min(52) as i32;
    let rounded = if quantum < -1074 {
        x
    } else if mantissa_bits == 0 && (x / exp2i(quantum)).abs() == 1.5 && quantum % 2 != 0 {
        // Without mantissa bits, the last bit kept is the lowest of the exponent, which is biased by an odd number.
        exp2i(quantum).copysign(x)
    } else {
        (x / exp2i(quantum)).round_ties_even() * exp2i(quantum)
    };
    if rounded.is_infinite() || exponent(rounded) > bias {
        return f64::INFINITY.copysign(x);
    }
    if exponent(rounded) < 1 - bias { 0f64.copysign(x) } else { rounded }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_formats_agree_with_the_half_crate_on_every_pattern_and_halfway() {
        for bits in 0..=u16::MAX {
            let (h, b) = (half::f16::from_bits(bits), half::bf16::from_bits(bits));
            let decoded = FloatFormat::F16.decode(u32::from(bits));
            assert!(decoded.to_bits() == h.to_f64().to_bits() || (decoded.is_nan() && h.is_nan()));
            if !h.is_nan() {
                assert_eq!(FloatFormat::F16.encode(h.to_f64()), u32::from(bits));
                let next = half::f16::from_bits(bits.wrapping_add(1));
                if next.is_finite() && h.is_finite() {
                    let middle = (h.to_f64() + next.to_f64()) / 2.0;
                    assert_eq!(
                        FloatFormat::F16.encode(middle),
                        u32::from(half::f16::from_f64(middle).to_bits())
                    );
                }
            }
            if !b.is_nan() {
                assert_eq!(FloatFormat::BF16.encode(b.to_f64()), u32::from(bits));
                assert_eq!(FloatFormat::BF16.decode(u32::from(bits)), b.to_f64());
            }
        }
    }

    #[test]
    fn eight_bit_floats_round_trip_and_overflow_as_specified() {
        for bits in 0..=255u32 {
            for format in [FloatFormat::F8E4M3, FloatFormat::F8E5M2] {
                let x = format.decode(bits);
                if !x.is_nan() {
                    assert_eq!(format.encode(x), bits);
                }
            }
        }
        assert_eq!(FloatFormat::F8E4M3.max(), 448.0);
        assert_eq!(FloatFormat::F8E5M2.max(), 57344.0);
        assert!(round_float(1e9, DType::F8E4M3).is_nan());
        assert_eq!(round_float(464.0, DType::F8E4M3), 448.0);
        assert_eq!(round_float(1e9, DType::F8E5M2), f64::INFINITY);
        assert_eq!(round_float(-0.0, DType::F8E5M2).to_bits(), (-0.0f64).to_bits());
    }

    #[test]
    fn every_bit_pattern_survives_storage() {
        let again = |dtype: DType, bytes: &[u8]| {
            let mut out = Vec::new();
            let read = Scalar::read(dtype, bytes);
            Scalar::Float(round_float(read.to_f64(), dtype)).write(dtype, &mut out);
            assert_eq!(out, bytes, "{dtype}");
        };
        for bits in 0..=u16::MAX {
            again(DType::F16, &bits.to_le_bytes());
            again(DType::BF16, &bits.to_le_bytes());
        }
        for bits in 0..=u8::MAX {
            again(DType::F8E4M3, &[bits]);
            again(DType::F8E5M2, &[bits]);
        }
        // Quiet and signaling NaNs of both signs.
        for bits in [0x7fc0_0000u32, 0x7f80_0001, 0xffff_ffff, 0xffa0_0000, 0x7fbf_1234] {
            again(DType::F32, &bits.to_le_bytes());
        }
    }

    #[test]
    fn reduce_precision_without_mantissa_keeps_even_exponents_on_ties() {
        // XLA: the last bit kept is the lowest of the biased exponent.
        assert_eq!(reduce_precision(3.0, 8, 0), 2.0);
        assert_eq!(reduce_precision(1.5, 8, 0), 2.0);
        assert_eq!(reduce_precision(-0.75, 8, 0), -0.5);
        assert_eq!(reduce_precision(0.75, 2, 0), 0.0);
        assert_eq!(reduce_precision(3.25, 8, 0), 4.0);
    }

    #[test]
    fn integers_wrap_and_floats_saturate() {
        assert_eq!(wrap_int(300, DType::U8), 44);
        assert_eq!(wrap_int(200, DType::I8), -56);
        assert_eq!(wrap_int(-1, DType::U64), i128::from(u64::MAX));
        assert_eq!(Scalar::Float(1e30).convert(DType::I32), Scalar::Int(i128::from(i32::MAX)));
        assert_eq!(Scalar::Float(f64::NAN).convert(DType::I8), Scalar::Int(0));
        assert_eq!(Scalar::Float(-3.9).convert(DType::I8), Scalar::Int(-3));
    }

    #[test]
    fn exponents_are_exact() {
        for e in -1074..=1023 {
            assert_eq!(exponent(exp2i(e)), e);
        }
        assert_eq!(exponent(f64::MIN_POSITIVE * 0.75), -1023);
    }
}
