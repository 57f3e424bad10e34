//! Cases of packed blocks.

use crate::case::Row;
use crate::data::Gen;
use rlx_ir::{DType, DTypeSet, Named, Op, QuantScheme};

pub(super) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for &scheme in QuantScheme::VARIANTS {
        let block = scheme.block_bytes();
        for sizes in [vec![block], vec![3, 2 * block], vec![2, 0], vec![0, block], vec![33 * block]] {
            let row = Row::new(Op::DequantizeBlocks { scheme }).note(scheme.name());
            rows.push(row.only(DTypeSet::of(&[DType::U8])).is(DType::U8, &sizes, Gen::Bits));
        }
    }
    rows
}
