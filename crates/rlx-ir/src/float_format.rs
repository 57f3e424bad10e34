//! The binary floating-point formats, one row per format, from which conversions, kernels and limits are derived.

use crate::dtype::DType;

/// A binary floating point format: a sign bit, a biased exponent, and a mantissa without its leading one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FloatFormat {
    /// Bits of the exponent.
    pub exponent_bits: u32,
    /// Bits of the mantissa that are stored.
    pub mantissa_bits: u32,
    /// Whether the maximum exponent encodes infinity and NaN, as in IEEE 754. Otherwise it encodes finite numbers, and only the
    /// pattern of all ones is NaN.
    pub has_infinity: bool,
}

impl FloatFormat {
    /// IEEE 754 binary64.
    pub const F64: FloatFormat = FloatFormat::ieee(11, 52);
    /// IEEE 754 binary32.
    pub const F32: FloatFormat = FloatFormat::ieee(8, 23);
    /// IEEE 754 binary16.
    pub const F16: FloatFormat = FloatFormat::ieee(5, 10);
    /// bfloat16, the upper half of binary32.
    pub const BF16: FloatFormat = FloatFormat::ieee(8, 7);
    /// OCP E4M3, without infinities.
    pub const F8E4M3: FloatFormat = FloatFormat { exponent_bits: 4, mantissa_bits: 3, has_infinity: false };
    /// OCP E5M2, the upper half of binary16.
    pub const F8E5M2: FloatFormat = FloatFormat::ieee(5, 2);

    const fn ieee(exponent_bits: u32, mantissa_bits: u32) -> FloatFormat {
        FloatFormat { exponent_bits, mantissa_bits, has_infinity: true }
    }

    /// The format of a float type, or of the parts of a complex type; `None` for other types.
    pub const fn of(dtype: DType) -> Option<FloatFormat> {
        match dtype {
            DType::F64 | DType::C128 => Some(FloatFormat::F64),
            DType::F32 | DType::C64 => Some(FloatFormat::F32),
            DType::F16 => Some(FloatFormat::F16),
            DType::BF16 => Some(FloatFormat::BF16),
            DType::F8E4M3 => Some(FloatFormat::F8E4M3),
            DType::F8E5M2 => Some(FloatFormat::F8E5M2),
            _ => None,
        }
    }

    /// Whether this format represents every number of `other`, including infinities.
    pub const fn holds(self, other: FloatFormat) -> bool {
        self.exponent_bits >= other.exponent_bits
            && self.mantissa_bits >= other.mantissa_bits
            && (self.has_infinity || !other.has_infinity)
    }

    /// The number added to an exponent before it is stored.
    pub const fn bias(self) -> i32 {
        (1 << (self.exponent_bits - 1)) - 1
    }

    /// The exponent of the largest finite number.
    pub const fn max_exponent(self) -> i32 {
        if self.has_infinity { self.bias() } else { self.bias() + 1 }
    }

    /// The exponent of the smallest normal number.
    pub const fn min_exponent(self) -> i32 {
        1 - self.bias()
    }

    /// The largest finite number.
    pub fn max(self) -> f64 {
        let ones = (1u64 << (self.mantissa_bits + 1)) - if self.has_infinity { 1 } else { 2 };
        ones as f64 * exp2i(self.max_exponent() - self.mantissa_bits as i32)
    }

    /// The smallest positive normal number.
    pub fn min_normal(self) -> f64 {
        exp2i(self.min_exponent())
    }

    /// The smallest positive number.
    pub fn min_subnormal(self) -> f64 {
        exp2i(self.min_exponent() - self.mantissa_bits as i32)
    }

    /// The distance from 1 to the next larger number.
    pub fn epsilon(self) -> f64 {
        exp2i(-(self.mantissa_bits as i32))
    }

    /// −∞, or the minimum of a format without infinities: the identity of a maximum.
    pub fn lowest(self) -> f64 {
        if self.has_infinity { f64::NEG_INFINITY } else { -self.max() }
    }
}

/// 2^e for any e that f64 can represent, subnormals included.
pub(crate) fn exp2i(e: i32) -> f64 {
    if e >= -1022 {
        f64::from_bits(((e.min(1024) + 1023) as u64) << 52)
    } else if e >= -1074 {
        f64::from_bits(1u64 << (e + 1074))
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_those_of_the_standards() {
        let limits = |f: FloatFormat| [f.max(), f.min_normal(), f.min_subnormal(), f.epsilon()];
        let f32s = [f32::MAX, f32::MIN_POSITIVE, f32::from_bits(1), f32::EPSILON].map(f64::from);
        assert_eq!(limits(FloatFormat::F32), f32s);
        let f64s = [f64::MAX, f64::MIN_POSITIVE, f64::from_bits(1), f64::EPSILON];
        assert_eq!(limits(FloatFormat::F64), f64s);
        use half::{bf16, f16};
        let f16s = [f16::MAX, f16::MIN_POSITIVE, f16::MIN_POSITIVE_SUBNORMAL, f16::EPSILON].map(f64::from);
        assert_eq!(limits(FloatFormat::F16), f16s);
        let bf16s =
            [bf16::MAX, bf16::MIN_POSITIVE, bf16::MIN_POSITIVE_SUBNORMAL, bf16::EPSILON].map(f64::from);
        assert_eq!(limits(FloatFormat::BF16), bf16s);
        // OCP 8-bit floating point specification, table 2.
        assert_eq!(limits(FloatFormat::F8E4M3), [448.0, 1.0 / 64.0, 1.0 / 512.0, 0.125]);
        assert_eq!(limits(FloatFormat::F8E5M2), [57344.0, 1.0 / 16384.0, 1.0 / 65536.0, 0.25]);
        assert_eq!(FloatFormat::F8E4M3.lowest(), -448.0);
        assert_eq!(FloatFormat::F8E5M2.lowest(), f64::NEG_INFINITY);
    }
}
