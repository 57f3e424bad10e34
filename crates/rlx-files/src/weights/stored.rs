//! The element types that safetensors files can store, and which of them the IR has.
//!
//! A file may contain types that RLX cannot compute with. It can still be opened; only using such a tensor is an
//! error. This module knows nothing about files.

use std::fmt;

use rlx_ir::DType;

/// An element type, as a file states it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct StoredType {
    tag: &'static str,
    bits: u32,
    dtype: Option<DType>,
}

const fn same(tag: &'static str, dtype: DType) -> StoredType {
    StoredType { tag, bits: 8 * dtype.size() as u32, dtype: Some(dtype) }
}

const fn foreign(tag: &'static str, bits: u32) -> StoredType {
    StoredType { tag, bits, dtype: None }
}

/// All types of the format, by decreasing width. This is the order in which files are written, so that each tensor is
/// at a multiple of its element size.
const TYPES: [StoredType; 22] = [
    same("F64", DType::F64),
    same("I64", DType::I64),
    same("U64", DType::U64),
    same("C64", DType::C64),
    same("F32", DType::F32),
    same("I32", DType::I32),
    same("U32", DType::U32),
    same("F16", DType::F16),
    same("BF16", DType::BF16),
    same("I16", DType::I16),
    same("U16", DType::U16),
    same("F8_E4M3", DType::F8E4M3),
    same("F8_E5M2", DType::F8E5M2),
    same("I8", DType::I8),
    same("U8", DType::U8),
    same("BOOL", DType::Bool),
    foreign("F8_E8M0", 8),
    foreign("F8_E4M3FNUZ", 8),
    foreign("F8_E5M2FNUZ", 8),
    foreign("F6_E2M3", 6),
    foreign("F6_E3M2", 6),
    foreign("F4", 4),
];

impl StoredType {
    /// Returns the type that the format calls `tag`, for example `"BF16"`.
    pub fn from_tag(tag: &str) -> Option<Self> {
        TYPES.iter().copied().find(|t| t.tag == tag)
    }

    /// Returns how the format stores `dtype`; `None` for `c128`, which the format does not have.
    pub fn of(dtype: DType) -> Option<Self> {
        TYPES.iter().copied().find(|t| t.dtype == Some(dtype))
    }

    /// Returns the format's name of the type.
    pub fn tag(self) -> &'static str {
        self.tag
    }

    /// Returns the number of bits per element: 4 and 6 for the narrowest types, which are packed.
    pub fn bits(self) -> u32 {
        self.bits
    }

    /// Returns the same type in the IR, if the IR has it.
    pub fn dtype(self) -> Option<DType> {
        self.dtype
    }
}

impl fmt::Display for StoredType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.tag)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_agrees_with_the_reference_reader() {
        for t in TYPES {
            let theirs: safetensors::Dtype = serde_json::from_value(t.tag.into()).unwrap();
            assert_eq!(theirs.bitsize(), t.bits as usize, "{t}");
            assert_eq!(StoredType::from_tag(t.tag), Some(t));
        }
        assert!(TYPES.windows(2).all(|w| w[0].bits >= w[1].bits));
    }

    #[test]
    fn every_type_of_the_ir_but_c128_can_be_stored() {
        for d in DType::ALL {
            assert_eq!(StoredType::of(d).is_none(), d == DType::C128, "{d}");
        }
    }
}
