//! Element types of MLIR that RLX has no arithmetic for, whose values it holds in a wider type.

use rlx_ir::{DType, Scalar};

/// An element type whose values are held in those of another.
#[derive(PartialEq, Eq, Debug)]
pub struct NarrowType {
    /// The name in MLIR.
    pub name: &'static str,
    /// The type that holds its values.
    pub held: DType,
    /// Which values it has.
    pub format: NarrowFormat,
}

/// The values of a narrow type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NarrowFormat {
    /// Integers of so many bits, in two's complement where [`NarrowType::held`] is signed.
    Integer {
        /// Bits of an element.
        bits: u32,
    },
    /// Floats of 8 bits.
    Float(NarrowFloat),
}

/// A format of floats of 8 bits: a sign, an exponent, a mantissa.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NarrowFloat {
    /// Bits of the mantissa.
    pub mantissa: u32,
    /// What is taken from the exponent's bits.
    pub bias: i32,
    /// Whether the largest exponent stands for infinities and NaN, as in IEEE 754. Otherwise it is like any other, the bits of −0 are
    /// the one NaN, and 0 has no sign (`FNUZ`).
    pub infinite: bool,
}

const fn integer(name: &'static str, held: DType, bits: u32) -> NarrowType {
    NarrowType { name, held, format: NarrowFormat::Integer { bits } }
}

/// f16 has all values of each.
const fn float(name: &'static str, mantissa: u32, bias: i32, infinite: bool) -> NarrowType {
    NarrowType {
        name,
        held: DType::F16,
        format: NarrowFormat::Float(NarrowFloat { mantissa, bias, infinite }),
    }
}

/// Every narrow type. The formats of floats are those of ml_dtypes, <https://github.com/jax-ml/ml_dtypes>.
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
    /// The type of this name in MLIR.
    pub fn named(name: &str) -> Option<&'static NarrowType> {
        NARROW.iter().find(|ty| ty.name == name)
    }

    /// Appends the bytes, in the type that holds it, of an element that stands in a byte of its own, as MLIR stores it.
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
    /// The smallest normal number.
    pub fn smallest_normal(self) -> f64 {
        2f64.powi(1 - self.bias)
    }

    /// The largest exponent of a finite number.
    fn last(self) -> i32 {
        (1 << (7 - self.mantissa)) - 1 - i32::from(self.infinite) - self.bias
    }

    /// The largest finite number.
    pub fn largest(self) -> f64 {
        2f64.powi(self.last() + 1) - 2f64.powi(self.last() - self.mantissa as i32)
    }

    /// Below this a number is rounded to [`largest`](Self::largest), from it on it is too large: the mantissa of the largest is odd, so
    /// that half a step above it is not rounded to it.
    pub fn too_large(self) -> f64 {
        self.largest() + 2f64.powi(self.last() - self.mantissa as i32 - 1)
    }

    /// The nearest number of the format, ties to even; an infinity or NaN for what is too large.
    pub fn nearest(self, x: f64) -> f64 {
        if x.abs() >= self.too_large() {
            return if self.infinite { f64::INFINITY.copysign(x) } else { f64::NAN };
        }
        // The bits of an exponent alone are the power of two at or below a number.
        let power = f64::from_bits(x.to_bits() & 0x7FF << 52).max(self.smallest_normal());
        let step = power * 2f64.powi(-(self.mantissa as i32));
        let nearest = (x / step).round_ties_even() * step;
        if self.infinite { nearest } else { nearest + 0.0 }
    }

    /// The number that these bits stand for.
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
