//! Element types: their names, sizes and classes. Does not know shapes or ops.

use std::fmt;

/// The type of one tensor element.
///
/// `F8E4M3` is the finite-only variant of the OCP 8-bit floating point specification (no infinities, one NaN pattern,
/// maximum 448); `F8E5M2` follows IEEE 754 conventions (maximum 57344).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum DType {
    /// IEEE 754 binary64.
    F64,
    /// IEEE 754 binary32.
    F32,
    /// IEEE 754 binary16.
    F16,
    /// bfloat16: binary32 with a 7-bit mantissa.
    BF16,
    /// 8-bit float, 4 exponent bits, 3 mantissa bits, finite only.
    F8E4M3,
    /// 8-bit float, 5 exponent bits, 2 mantissa bits.
    F8E5M2,
    /// Signed 8-bit integer.
    I8,
    /// Signed 16-bit integer.
    I16,
    /// Signed 32-bit integer.
    I32,
    /// Signed 64-bit integer.
    I64,
    /// Unsigned 8-bit integer.
    U8,
    /// Unsigned 16-bit integer.
    U16,
    /// Unsigned 32-bit integer.
    U32,
    /// Unsigned 64-bit integer.
    U64,
    /// Boolean, stored as one byte that is 0 or 1.
    Bool,
    /// Complex number of two `F32` (real, imaginary).
    C64,
    /// Complex number of two `F64` (real, imaginary).
    C128,
}

/// The arithmetic family of a [`DType`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Class {
    /// Real floating point.
    Float,
    /// Signed integer.
    Signed,
    /// Unsigned integer.
    Unsigned,
    /// Boolean.
    Bool,
    /// Complex floating point.
    Complex,
}

/// A set of element types. Op definitions use it to state which types they accept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DTypeSet(u32);

impl DTypeSet {
    /// Real floating point types.
    pub const FLOAT: DTypeSet =
        DTypeSet::of(&[DType::F64, DType::F32, DType::F16, DType::BF16, DType::F8E4M3, DType::F8E5M2]);
    /// Complex types.
    pub const COMPLEX: DTypeSet = DTypeSet::of(&[DType::C64, DType::C128]);
    /// Signed integers.
    pub const SIGNED: DTypeSet = DTypeSet::of(&[DType::I8, DType::I16, DType::I32, DType::I64]);
    /// Unsigned integers.
    pub const UNSIGNED: DTypeSet = DTypeSet::of(&[DType::U8, DType::U16, DType::U32, DType::U64]);
    /// Booleans.
    pub const BOOL: DTypeSet = DTypeSet::of(&[DType::Bool]);
    /// Signed and unsigned integers.
    pub const INT: DTypeSet = DTypeSet::SIGNED.or(DTypeSet::UNSIGNED);
    /// Integers and booleans.
    pub const INT_BOOL: DTypeSet = DTypeSet::INT.or(DTypeSet::BOOL);
    /// Floats and integers.
    pub const REAL: DTypeSet = DTypeSet::FLOAT.or(DTypeSet::INT);
    /// Floats and complex numbers.
    pub const INEXACT: DTypeSet = DTypeSet::FLOAT.or(DTypeSet::COMPLEX);
    /// Floats, complex numbers and integers.
    pub const NUMBER: DTypeSet = DTypeSet::REAL.or(DTypeSet::COMPLEX);
    /// Every type.
    pub const ALL: DTypeSet = DTypeSet::NUMBER.or(DTypeSet::BOOL);

    /// The set of the listed types.
    pub const fn of(types: &[DType]) -> Self {
        let mut bits = 0;
        let mut i = 0;
        while i < types.len() {
            bits |= 1 << types[i] as u32;
            i += 1;
        }
        DTypeSet(bits)
    }

    /// The union of two sets.
    pub const fn or(self, other: Self) -> Self {
        DTypeSet(self.0 | other.0)
    }

    /// Whether `dtype` is in the set.
    pub const fn contains(self, dtype: DType) -> bool {
        self.0 & (1 << dtype as u32) != 0
    }

    /// The types of the set, in the order of [`DType::ALL`].
    pub fn iter(self) -> impl Iterator<Item = DType> {
        DType::ALL.iter().copied().filter(move |d| self.contains(*d))
    }
}

impl DType {
    /// Every element type.
    pub const ALL: [DType; 17] = [
        DType::F64,
        DType::F32,
        DType::F16,
        DType::BF16,
        DType::F8E4M3,
        DType::F8E5M2,
        DType::I8,
        DType::I16,
        DType::I32,
        DType::I64,
        DType::U8,
        DType::U16,
        DType::U32,
        DType::U64,
        DType::Bool,
        DType::C64,
        DType::C128,
    ];

    /// Size of one element in bytes.
    pub const fn size(self) -> usize {
        match self {
            DType::I8 | DType::U8 | DType::Bool | DType::F8E4M3 | DType::F8E5M2 => 1,
            DType::F16 | DType::BF16 | DType::I16 | DType::U16 => 2,
            DType::F32 | DType::I32 | DType::U32 => 4,
            DType::F64 | DType::I64 | DType::U64 | DType::C64 => 8,
            DType::C128 => 16,
        }
    }

    /// The name in the text form, in the CLI and in messages.
    pub const fn name(self) -> &'static str {
        match self {
            DType::F64 => "f64",
            DType::F32 => "f32",
            DType::F16 => "f16",
            DType::BF16 => "bf16",
            DType::F8E4M3 => "f8e4m3",
            DType::F8E5M2 => "f8e5m2",
            DType::I8 => "i8",
            DType::I16 => "i16",
            DType::I32 => "i32",
            DType::I64 => "i64",
            DType::U8 => "u8",
            DType::U16 => "u16",
            DType::U32 => "u32",
            DType::U64 => "u64",
            DType::Bool => "bool",
            DType::C64 => "c64",
            DType::C128 => "c128",
        }
    }

    /// The type with this [`name`](DType::name), if there is one.
    pub fn from_name(name: &str) -> Option<DType> {
        DType::ALL.iter().copied().find(|d| d.name() == name)
    }

    /// The arithmetic family.
    pub const fn class(self) -> Class {
        match self {
            DType::F64 | DType::F32 | DType::F16 | DType::BF16 | DType::F8E4M3 | DType::F8E5M2 => {
                Class::Float
            }
            DType::I8 | DType::I16 | DType::I32 | DType::I64 => Class::Signed,
            DType::U8 | DType::U16 | DType::U32 | DType::U64 => Class::Unsigned,
            DType::Bool => Class::Bool,
            DType::C64 | DType::C128 => Class::Complex,
        }
    }

    /// Real floating point.
    pub const fn is_float(self) -> bool {
        matches!(self.class(), Class::Float)
    }

    /// Complex.
    pub const fn is_complex(self) -> bool {
        matches!(self.class(), Class::Complex)
    }

    /// Signed or unsigned integer (not boolean).
    pub const fn is_int(self) -> bool {
        matches!(self.class(), Class::Signed | Class::Unsigned)
    }

    /// Width in bits of an integer or boolean, or of the storage of a float.
    pub const fn bits(self) -> u32 {
        match self {
            DType::Bool => 1,
            _ => 8 * self.size() as u32,
        }
    }

    /// The type of the real part: `F32` for `C64`, `F64` for `C128`, otherwise the type itself.
    pub const fn real(self) -> DType {
        match self {
            DType::C64 => DType::F32,
            DType::C128 => DType::F64,
            other => other,
        }
    }

    /// The complex type whose parts are of this type, if there is one.
    pub const fn complex(self) -> Option<DType> {
        match self {
            DType::F32 => Some(DType::C64),
            DType::F64 => Some(DType::C128),
            _ => None,
        }
    }

    /// The minimum and maximum of an integer type (0 and 1 for `Bool`), `None` for other types.
    pub const fn int_range(self) -> Option<(i128, i128)> {
        match self.class() {
            Class::Signed => Some((-(1i128 << (self.bits() - 1)), (1i128 << (self.bits() - 1)) - 1)),
            Class::Unsigned | Class::Bool => Some((0, (1i128 << self.bits()) - 1)),
            _ => None,
        }
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
