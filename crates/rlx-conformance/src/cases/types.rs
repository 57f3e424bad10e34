//! Cases of conversions between element types.

use crate::case::Row;
use crate::data::Gen;
use rlx_ir::{DType, DTypeSet, Op};

/// The types in which large sizes are tried.
const LARGE_TYPES: DTypeSet = DTypeSet::of(&[
    DType::F64,
    DType::F32,
    DType::BF16,
    DType::I32,
    DType::U8,
    DType::Bool,
    DType::C64,
    DType::C128,
]);

pub(super) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for dtype in DType::ALL {
        let convert = || Row::new(Op::Convert { dtype }).note(format!("to {dtype}"));
        rows.push(convert().x(&[45], Gen::Special));
        rows.push(convert().x(&[3, 21], Gen::Uniform(-300.0, 300.0)));
        rows.push(convert().x(&[0, 4], Gen::Uniform(-1.0, 1.0)));
        rows.push(convert().only(LARGE_TYPES).x(&[9, 131], Gen::Uniform(-300.0, 300.0)));
        if dtype.size() <= 4 {
            rows.push(convert().only(rlx_ir::DTypeSet::of(&[DType::F32])).x(&[257, 129], Gen::Bits));
        }
        for sizes in
            [&[24][..], &[3, 2], &[3, 4], &[3, 8], &[3, 16], &[0, 4], &[2], &[0, 2], &[0, 8], &[0, 16]]
        {
            let row = Row::new(Op::BitcastConvert { dtype }).note(format!("to {dtype}"));
            rows.push(row.x(sizes, Gen::Bits));
        }
        // Numbers of elements that take the same number of bytes in every pair of types.
        for sizes in [&[1040][..], &[131, 2], &[131, 4], &[131, 8], &[131, 16]] {
            let row = Row::new(Op::BitcastConvert { dtype }).note(format!("to {dtype}"));
            rows.push(row.only(LARGE_TYPES).x(sizes, Gen::Bits));
        }
    }
    for (exponent_bits, mantissa_bits) in [(8, 23), (5, 10), (8, 7), (4, 3), (5, 2), (11, 52), (2, 0), (1, 4)]
    {
        let row = || {
            Row::new(Op::ReducePrecision { exponent_bits, mantissa_bits })
                .note(format!("{exponent_bits} and {mantissa_bits} bits"))
        };
        rows.push(row().x(&[45], Gen::Special));
        rows.push(row().x(&[64], Gen::Bits));
        rows.push(row().x(&[0], Gen::Bits));
        rows.push(row().only(LARGE_TYPES).x(&[1031], Gen::Bits));
    }
    rows
}
