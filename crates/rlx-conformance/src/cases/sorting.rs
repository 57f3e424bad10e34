//! Cases of sorts of one and several operands (by keys and by comparators), `top_k` and positions of extremes.

use super::indexing::scalar_body;
use crate::case::Row;
use crate::data::Gen;
use rlx_ir::{ArgOp, BinaryOp, CompareOp, DType, DTypeSet, Op, SortOrder};

const PRIMARY: DTypeSet = DTypeSet::of(&[DType::F32, DType::BF16, DType::I32]);
/// Many equal elements.
const TIES: Gen = Gen::Ints(-2, 2);

pub(super) fn rows() -> Vec<Row> {
    let mut rows = sorts();
    rows.extend(sorts_by_graph());
    for (sizes, k) in [(&[9][..], 3), (&[3, 7], 7), (&[3, 7], 0), (&[2, 0], 0), (&[0, 5], 2), (&[2, 3, 5], 1)]
    {
        for data in [Gen::Distinct, TIES, Gen::Special] {
            rows.push(Row::new(Op::TopK { k }).note(format!("{k}")).x(sizes, data));
        }
    }
    rows.push(Row::new(Op::TopK { k: 45 }).x(&[45], Gen::Special));
    rows.push(Row::new(Op::TopK { k: 17 }).only(PRIMARY).x(&[5, 1031], Gen::Uniform(-60.0, 60.0)));
    for op in [ArgOp::Max, ArgOp::Min] {
        for (sizes, axis, dtype) in [
            (&[9][..], 0, DType::I32),
            (&[3, 7], 1, DType::I64),
            (&[3, 7], 0, DType::U8),
            (&[2, 3, 5], 1, DType::I8),
            (&[0, 5], 1, DType::I32),
        ] {
            for data in [Gen::Distinct, TIES, Gen::Special] {
                let row = Row::new(Op::ArgReduce { op, axis, dtype });
                rows.push(row.note(format!("{op} axis {axis} {dtype}")).x(sizes, data));
            }
        }
        let row = Row::new(Op::ArgReduce { op, axis: 1, dtype: DType::I32 }).note(op.to_string());
        rows.push(row.only(PRIMARY).x(&[5, 1031], Gen::Ints(-60, 60)));
    }
    rows
}

fn sorts() -> Vec<Row> {
    let mut rows = Vec::new();
    for order in [SortOrder::Ascending, SortOrder::Descending] {
        let sort = |axis: usize, num_keys: usize, stable: bool| {
            let row = Row::new(Op::Sort { axis, order, num_keys, stable });
            row.note(format!("{order} axis {axis} keys {num_keys} stable {stable}"))
        };
        for (sizes, axis) in [(&[9][..], 0), (&[3, 7], 0), (&[3, 7], 1), (&[2, 0, 3], 1), (&[2, 5, 3], 1)] {
            rows.push(sort(axis, 1, true).x(sizes, Gen::Distinct));
            rows.push(sort(axis, 1, true).x(sizes, TIES).is(DType::I32, sizes, Gen::Distinct));
            let two = sort(axis, 2, true).x(sizes, Gen::Ints(-1, 1)).is(DType::F32, sizes, Gen::Ints(-1, 1));
            rows.push(two.is(DType::I16, sizes, Gen::Distinct));
        }
        rows.push(sort(0, 1, true).x(&[45], Gen::Special).is(DType::I32, &[45], Gen::Distinct));
        rows.push(sort(0, 1, false).x(&[33], Gen::Distinct));
        rows.push(sort(1, 1, true).only(PRIMARY).x(&[3, 1031], Gen::Ints(-90, 90)).is(
            DType::I32,
            &[3, 1031],
            Gen::Distinct,
        ));
    }
    rows
}

/// Comparators: larger first; and closer to zero first, ordered by the second operand among equals.
fn sorts_by_graph() -> Vec<Row> {
    let larger = |stable: bool| {
        Row::of(move |dtype| Op::SortGraph {
            axis: 0,
            stable,
            comparator: scalar_body(dtype, 2, |x| vec![x[0].compare(CompareOp::Gt, &x[1])]),
        })
        .note(format!("larger first, stable {stable}"))
    };
    let nearer = Row::of(|dtype| Op::SortGraph {
        axis: 1,
        stable: true,
        comparator: scalar_body(dtype, 4, |x| {
            let square = |t: &rlx_ir::Tensor| t.binary(BinaryOp::Mul, t);
            let (a, b) = (square(&x[0]), square(&x[1]));
            let tie = a.equal(&b).and(&x[2].compare(CompareOp::Lt, &x[3]));
            vec![a.compare(CompareOp::Lt, &b).or(&tie)]
        }),
    })
    .note("nearer to zero first");
    vec![
        larger(true).x(&[11], TIES),
        larger(false).x(&[11], Gen::Distinct),
        larger(true).x(&[0], TIES),
        larger(true).only(PRIMARY).x(&[1031], Gen::Ints(-90, 90)),
        nearer.x(&[3, 7], Gen::Ints(-3, 3)).x(&[3, 7], Gen::Ints(-3, 3)),
    ]
}
