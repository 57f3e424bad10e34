//! Determines which machine type holds elements of a type in registers. Formats narrower than f32 are held as f32 and rounded after each
//! op. This module knows nothing of programs.

use rlx_ir::DType;
use rlx_ir::eval::Scalar;
use rlx_ir::math::Complex64;

/// The machine type of a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)] // The names say it.
pub enum ComputeType {
    F32,
    F64,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    Bool,
    C64,
    C128,
}

impl ComputeType {
    /// Returns the machine type that holds elements of `dtype`.
    pub fn of(dtype: DType) -> ComputeType {
        match dtype {
            DType::F64 => ComputeType::F64,
            DType::F32 | DType::F16 | DType::BF16 | DType::F8E4M3 | DType::F8E5M2 => ComputeType::F32,
            DType::I8 => ComputeType::I8,
            DType::I16 => ComputeType::I16,
            DType::I32 => ComputeType::I32,
            DType::I64 => ComputeType::I64,
            DType::U8 => ComputeType::U8,
            DType::U16 => ComputeType::U16,
            DType::U32 => ComputeType::U32,
            DType::U64 => ComputeType::U64,
            DType::Bool => ComputeType::Bool,
            DType::C64 => ComputeType::C64,
            DType::C128 => ComputeType::C128,
        }
    }

    /// Returns the unsigned type of the same width, for integers.
    pub fn unsigned(self) -> ComputeType {
        match self {
            ComputeType::I8 => ComputeType::U8,
            ComputeType::I16 => ComputeType::U16,
            ComputeType::I32 => ComputeType::U32,
            ComputeType::I64 => ComputeType::U64,
            other => other,
        }
    }

    /// Returns the size of an element in bytes.
    pub fn size(self) -> usize {
        match self {
            ComputeType::I8 | ComputeType::U8 | ComputeType::Bool => 1,
            ComputeType::I16 | ComputeType::U16 => 2,
            ComputeType::F32 | ComputeType::I32 | ComputeType::U32 => 4,
            ComputeType::F64 | ComputeType::I64 | ComputeType::U64 | ComputeType::C64 => 8,
            ComputeType::C128 => 16,
        }
    }
}

/// Returns whether elements of this type are held as f32 and rounded after each op.
pub fn is_narrow(dtype: DType) -> bool {
    ComputeType::of(dtype) == ComputeType::F32 && dtype != DType::F32
}

/// A machine type that a register can hold.
pub trait ComputeElement: Copy + Default + Send + Sync + 'static {
    /// Returns the value in the evaluator's form.
    fn to_scalar(self) -> Scalar;
    /// Converts a value that the evaluator computed to this type.
    fn from_scalar(scalar: Scalar) -> Self;
}

/// A boolean: 0 or 1.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(transparent)]
pub struct Bit(pub u8);

/// An f32 that represents a narrower float. It is not rounded to the narrow format yet, but has been rounded to odd, so that rounding it
/// gives the same result as rounding the exact value once.
#[derive(Clone, Copy, Default, PartialEq, PartialOrd, Debug)]
#[repr(transparent)]
pub struct Narrow(pub f32);

/// A complex number of two f32: the real part and the imaginary part.
pub type C64 = [f32; 2];
/// A complex number of two f64: the real part and the imaginary part.
pub type C128 = [f64; 2];

/// Returns `x` as f32, rounded to odd: an inexact value becomes the one of its two neighbors whose last bit is odd. A second rounding, to
/// nearest in a format that is at least two bits narrower, is then as good as a single rounding.
#[inline(always)]
pub fn round_to_odd(x: f64) -> f32 {
    let near = x as f32;
    let back = f64::from(near);
    let away = u32::from(back.abs() > x.abs());
    // NaN is not equal to anything and must not be changed.
    let inexact = back != x && !x.is_nan();
    let bits = near.to_bits();
    f32::from_bits(if inexact { (bits - away) | 1 } else { bits })
}

impl ComputeElement for Narrow {
    #[inline]
    fn to_scalar(self) -> Scalar {
        // In these formats the evaluator has one NaN of each sign.
        let x = if self.0.is_nan() { f32::NAN.copysign(self.0) } else { self.0 };
        Scalar::Float(f64::from(x))
    }

    #[inline]
    fn from_scalar(scalar: Scalar) -> Self {
        Narrow(round_to_odd(scalar.to_f64()))
    }
}

macro_rules! float_element {
    ($($t:ty),*) => {$(
        impl ComputeElement for $t {
            fn to_scalar(self) -> Scalar {
                Scalar::Float(f64::from(self))
            }

            fn from_scalar(scalar: Scalar) -> Self {
                scalar.to_f64() as $t
            }
        }
    )*};
}
float_element!(f32, f64);

macro_rules! int_element {
    ($($t:ty),*) => {$(
        impl ComputeElement for $t {
            fn to_scalar(self) -> Scalar {
                Scalar::Int(i128::from(self))
            }

            fn from_scalar(scalar: Scalar) -> Self {
                match scalar {
                    Scalar::Int(x) => x as $t,
                    other => other.to_f64() as $t,
                }
            }
        }
    )*};
}
int_element!(i8, i16, i32, i64, u8, u16, u32, u64);

impl ComputeElement for Bit {
    fn to_scalar(self) -> Scalar {
        Scalar::Int(i128::from(self.0))
    }

    fn from_scalar(scalar: Scalar) -> Self {
        Bit(u8::from(scalar.to_f64() != 0.0))
    }
}

macro_rules! complex_element {
    ($($t:ty),*) => {$(
        impl ComputeElement for [$t; 2] {
            fn to_scalar(self) -> Scalar {
                Scalar::Complex(Complex64::new(f64::from(self[0]), f64::from(self[1])))
            }

            fn from_scalar(scalar: Scalar) -> Self {
                match scalar {
                    Scalar::Complex(z) => [z.re as $t, z.im as $t],
                    other => [other.to_f64() as $t, 0.0],
                }
            }
        }
    )*};
}
complex_element!(f32, f64);

/// Runs an expression with `$T` as the machine type of a compute type of the listed kinds, or else the last arm.
#[macro_export]
#[doc(hidden)]
macro_rules! with_compute_type {
    (@type F32) => { f32 };
    (@type F64) => { f64 };
    (@type I8) => { i8 };
    (@type I16) => { i16 };
    (@type I32) => { i32 };
    (@type I64) => { i64 };
    (@type U8) => { u8 };
    (@type U16) => { u16 };
    (@type U32) => { u32 };
    (@type U64) => { u64 };
    (@type Bool) => { $crate::compute_type::Bit };
    (@type C64) => { $crate::compute_type::C64 };
    (@type C128) => { $crate::compute_type::C128 };
    ($compute:expr, [$($kind:ident)*], $T:ident => $body:expr, else $other:expr) => {
        match $compute {
            $($crate::compute_type::ComputeType::$kind => {
                type $T = $crate::with_compute_type!(@type $kind);
                $body
            })*
            #[allow(unreachable_patterns)]
            _ => $other,
        }
    };
}
pub use crate::with_compute_type;

/// Returns a number in the form that a register of type `dtype` holds.
pub fn register_form(x: Scalar, dtype: DType) -> [u8; 16] {
    fn bytes<T: ComputeElement + bytemuck::NoUninit>(x: Scalar) -> [u8; 16] {
        let mut bytes = [0; 16];
        bytes[..size_of::<T>()].copy_from_slice(bytemuck::bytes_of(&T::from_scalar(x)));
        bytes
    }
    let x = x.convert(dtype);
    if is_narrow(dtype) {
        return bytes::<f32>(x);
    }
    with_compute_type!(ComputeType::of(dtype), [F32 F64 I8 I16 I32 I64 U8 U16 U32 U64 C64 C128],
    T => bytes::<T>(x), else {
        let mut bytes = [0; 16];
        bytes[0] = Bit::from_scalar(x).0;
        bytes
    })
}

#[cfg(test)]
mod tests {
    use super::round_to_odd;

    #[test]
    fn rounding_to_odd_keeps_exact_values_and_makes_others_odd() {
        for x in [0.0, -0.0, 1.0, -2.5, f64::from(f32::MAX), f64::INFINITY, f64::from(f32::from_bits(1))] {
            assert_eq!(f64::from(round_to_odd(x)).to_bits(), x.to_bits());
        }
        assert!(round_to_odd(f64::NAN).is_nan());
        for x in [0.1, -0.1, 1.0 + 1e-12, 1.0 - 1e-12, 1e300, -1e300, 1e-300, 1e-42, 16777217.0] {
            let odd = round_to_odd(x);
            assert_eq!(odd.to_bits() & 1, 1, "{x}");
            assert!(
                (f64::from(odd) - x).abs() <= f64::from(odd.next_up() - odd.next_down()) || x.abs() > 1e39
            );
            assert_eq!(odd.is_sign_negative(), x < 0.0);
        }
    }
}
