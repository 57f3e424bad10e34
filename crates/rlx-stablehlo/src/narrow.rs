//! MLIR element types that RLX has no arithmetic for. Their values are stored in a wider type.

use rlx_ir::{DType, Scalar};

/// An element type whose values are stored in another type.
#[derive(PartialEq, Eq, Debug)]
pub struct NarrowType {
    /// The name in MLIR.
    pub name: &'static str,
    /// The type that stores its values.
    pub held: DType,
    /// The format of its values.
    pub format: NarrowFormat,
}

/// The format of a narrow type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NarrowFormat {
    /// Integers of this many bits, in two's complement if [`NarrowType::held`] is signed.
    Integer {
        /// The number of bits of an element.
        bits: u32,
    },
    /// Floats of 8 bits.
    Float(NarrowFloat),
}

/// A format of 8-bit floats: a sign, an exponent and a mantissa.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NarrowFloat {
    /// The number of bits of the mantissa.
    pub mantissa: u32,
    /// The exponent bias, which is subtracted from the bits of the exponent.
    pub bias: i32,
    /// Whether the largest exponent represents infinities and NaN, as in IEEE 754. Otherwise it represents finite
    /// numbers, the bits of −0 are the only NaN, and 0 has no sign (`FNUZ`).
    pub infinite: bool,
}

const fn integer(name: &'static str, held: DType, bits: u32) -> NarrowType {
    NarrowType { name, held, format: NarrowFormat::Integer { bits } }
}

/// f16 can represent all values of each of these formats.
const fn float(name: &'static str, mantissa: u32, bias: i32, infinite: bool) -> NarrowType {
    NarrowType {
        name,
        held: DType::F16,
        format: NarrowFormat::Float(NarrowFloat { mantissa, bias, infinite }),
    }
}

/// All narrow types. The formats of floats are those of ml_dtypes, <https://github.com/jax-ml/ml_dtypes>.
static NARROW: [NarrowType; 9] = [
    integer("i2", DType::I8, 2),
    integer("i4", DType::I8, 4),
    integer("ui2", DType::U8, 2),
    integer("ui4", DType::U8, 4),
    float("f8E3M4", 4, 3, true),
    float("f8E4M3", 3, 7, true),
    float("f8E4M3FNUZ", 3, 8, false),
    float("f8E4M3B11FNUZ", 3, 11, false),
    float("f8E5M2FNUZ", 2, 16, false),
];

impl NarrowType {
    /// Returns the type with this name in MLIR.
    pub fn named(name: &str) -> Option<&'static NarrowType> {
        NARROW.iter().find(|ty| ty.name == name)
    }

    /// Appends the bytes of an element, in the type that stores it. `stored` is the byte in which MLIR stores the element.
    pub(crate) fn write(&self, stored: u8, bytes: &mut Vec<u8>) {
        match self.format {
            NarrowFormat::Integer { bits } => {
                let (unused, signed) = (8 - bits, self.held == DType::I8);
                let high = stored << unused;
                bytes.push(if signed { ((high as i8) >> unused) as u8 } else { high >> unused });
            }
            NarrowFormat::Float(format) => Scalar::Float(format.value(stored)).write(self.held, bytes),
        }
    }
}

impl NarrowFloat {
    /// Returns the smallest normal number.
    pub fn smallest_normal(self) -> f64 {
        2f64.powi(1 - self.bias)
    }

    /// Returns the largest exponent of a finite number.
    fn last(self) -> i32 {
        (1 << (7 - self.mantissa)) - 1 - i32::from(self.infinite) - self.bias
    }

    /// Returns the largest finite number.
    pub fn largest(self) -> f64 {
        2f64.powi(self.last() + 1) - 2f64.powi(self.last() - self.mantissa as i32)
    }

    /// Returns the smallest magnitude that overflows. Numbers below it round to [`largest`](Self::largest). The
    /// mantissa of the largest number is odd, so half a step above it does not round to it.
    pub fn too_large(self) -> f64 {
        self.largest() + 2f64.powi(self.last() - self.mantissa as i32 - 1)
    }

    /// Returns the nearest number of the format, ties to even, or an infinity or NaN if the number is too large.
    pub fn nearest(self, x: f64) -> f64 {
        if x.abs() >= self.too_large() {
            return if self.infinite { f64::INFINITY.copysign(x) } else { f64::NAN };
        }
        // The exponent bits alone are the power of two at or below a number.
        let power = f64::from_bits(x.to_bits() & 0x7FF << 52).max(self.smallest_normal());
        let step = power * 2f64.powi(-(self.mantissa as i32));
        let nearest = (x / step).round_ties_even() * step;
        if self.infinite { nearest } else { nearest + 0.0 }
    }

    /// Returns the number that these bits represent.
    pub fn value(self, bits: u8) -> f64 {
        let mantissa = f64::from(bits & ((1 << self.mantissa) - 1)) * 2f64.powi(-(self.mantissa as i32));
        let exponent = i32::from((bits & 0x7F) >> self.mantissa);
        let magnitude = match (self.infinite, exponent) {
            (false, _) if bits == 0x80 => f64::NAN,
            (true, last) if last == (0x7F >> self.mantissa) => {
                if mantissa == 0.0 {
                    f64::INFINITY
                } else {
                    f64::NAN
                }
            }
            (_, 0) => mantissa * self.smallest_normal(),
            _ => (1.0 + mantissa) * 2f64.powi(exponent - self.bias),
        };
        if bits & 0x80 == 0 { magnitude } else { -magnitude }
    }
}
