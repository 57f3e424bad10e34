//! Element types and their numbers in PJRT.

use rlx_ir::DType;

/// Returns the number of an element type (`PJRT_Buffer_Type`).
pub(crate) const fn number(dtype: DType) -> i32 {
    match dtype {
        DType::Bool => 1,
        DType::I8 => 2,
        DType::I16 => 3,
        DType::I32 => 4,
        DType::I64 => 5,
        DType::U8 => 6,
        DType::U16 => 7,
        DType::U32 => 8,
        DType::U64 => 9,
        DType::F16 => 10,
        DType::F32 => 11,
        DType::F64 => 12,
        DType::BF16 => 13,
        DType::C64 => 14,
        DType::C128 => 15,
        DType::F8E5M2 => 16,
        DType::F8E4M3 => 17,
    }
}

/// Returns the element type with this number, if RLX has it.
pub(crate) fn dtype(number_of: i32) -> Option<DType> {
    DType::ALL.into_iter().find(|&d| number(d) == number_of)
}
