//! Cases of reductions over axes.

use super::ONE_PART;
use crate::case::Row;
use crate::data::Gen;
use rlx_ir::{DType, DTypeSet, Op, ReduceOp};

const PRIMARY: DTypeSet =
    DTypeSet::of(&[DType::F64, DType::F32, DType::F16, DType::BF16, DType::I32, DType::Bool]);
const NARROW: DTypeSet = DTypeSet::of(&[DType::F32, DType::F16, DType::BF16]);

/// Returns values that keep sums and products of a few dozen elements in range.
fn ordinary(kind: ReduceOp) -> Gen {
    match kind {
        ReduceOp::Sum => Gen::Uniform(0.25, 4.0),
        ReduceOp::Prod => Gen::Uniform(0.7, 1.4),
        ReduceOp::Max | ReduceOp::Min => Gen::Uniform(-60.0, 60.0),
        ReduceOp::And | ReduceOp::Or => Gen::Bits,
        ReduceOp::Mean | ReduceOp::LogSumExp => Gen::Uniform(-3.0, 3.0),
    }
}

pub(super) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    let shapes: [(&[usize], &[usize]); 12] = [
        (&[7], &[0]),
        (&[3, 5], &[0]),
        (&[3, 5], &[1]),
        (&[3, 5], &[0, 1]),
        (&[2, 3, 4, 5], &[1, 3]),
        (&[2, 3, 4], &[2, 0]),
        (&[], &[]),
        (&[3, 2], &[]),
        (&[0], &[0]),
        (&[3, 0], &[1]),
        (&[3, 0], &[0]),
        (&[1, 1], &[0, 1]),
    ];
    for &kind in ReduceOp::BINARY {
        let row = |axes: &[usize]| {
            let row = Row::new(Op::Reduce { kind, axes: axes.to_vec() }).note(format!("{kind} {axes:?}"));
            if kind == ReduceOp::Sum { row.any_zero() } else { row }
        };
        for (sizes, axes) in shapes {
            rows.push(row(axes).x(sizes, ordinary(kind)));
        }
        rows.push(row(&[0]).x(&[9, 5], Gen::Quarters(-2, 2)));
        // Sums and products of extremes depend on where they overflow first.
        if !matches!(kind, ReduceOp::Sum | ReduceOp::Prod) {
            rows.push(row(&[1]).x(&[5, 9], Gen::Special));
        }
        rows.push(
            row(&[1])
                .x(&[4, 3], Gen::Values(&[0.0, f64::NAN, 1.0, -0.0, 0.0, 2.0, f64::INFINITY, 1.0]))
                .judged(DTypeSet::COMPLEX, 0.5, ONE_PART),
        );
        for (sizes, axes) in [(&[33, 1031][..], &[1][..]), (&[1031, 33], &[0]), (&[65, 17, 31], &[0, 2])] {
            // A product of a thousand factors leaves the range of the narrow types. A long sum of f64 is within JAX's
            // tolerance in every order only if nothing rounds.
            match kind {
                ReduceOp::Prod => rows.push(row(axes).only(PRIMARY).x(sizes, Gen::Values(&[1.0, -1.0, 1.0]))),
                ReduceOp::Sum => {
                    rows.push(row(axes).only(NARROW).x(sizes, ordinary(kind)));
                    rows.push(row(axes).only(PRIMARY).x(sizes, Gen::Quarters(-2, 2)));
                }
                _ => rows.push(row(axes).only(PRIMARY).x(sizes, ordinary(kind))),
            }
        }
    }
    rows
}
