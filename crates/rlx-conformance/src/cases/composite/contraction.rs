//! Cases of named matrix products, affine quantization and linear solves.

use super::PRIMARY;
use crate::case::{Bound, Row};
use crate::data::Gen;
use rlx_ir::{DType, DTypeSet, Named, Op, QuantScheme};

const EXACT: Gen = Gen::Quarters(-2, 2);
const MIXED: Gen = Gen::Uniform(-1.0, 1.0);

pub(super) fn rows() -> Vec<Row> {
    let mut rows = matmuls();
    rows.extend(quantized());
    for sizes in [&[3, 3][..], &[1, 1], &[5, 5]] {
        let n = sizes[0];
        let solve = || Row::new(Op::DenseSolve {}).within(Bound::Norm(64.0)).x(sizes, Gen::PositiveDefinite);
        rows.push(solve().x(&[n], MIXED));
        rows.push(solve().x(&[n, 2], MIXED));
        let batched = || Row::new(Op::BatchedDenseSolve {}).within(Bound::Norm(64.0));
        rows.push(batched().x(&[2, n, n], Gen::PositiveDefinite).x(&[2, n], MIXED));
        rows.push(batched().x(&[2, n, n], Gen::PositiveDefinite).x(&[2, n, 3], MIXED));
    }
    for (left_side, adjoint) in [(true, false), (true, true), (false, false), (false, true)] {
        let product = |a: &[usize], k: usize, columns: usize| {
            let (batch, m) = (&a[..a.len() - 2], a[a.len() - 2]);
            let c = if left_side { [m, columns] } else { [columns, m] };
            let row = Row::new(Op::Ormqr { left_side, adjoint }).within(Bound::Norm(64.0));
            let row = row.note(format!("left {left_side} adjoint {adjoint}")).x(a, MIXED);
            row.x(&[batch, &[k]].concat(), Gen::Uniform(0.0, 0.5)).x(&[batch, &c].concat(), MIXED)
        };
        rows.push(product(&[4, 4], 4, 3));
        rows.push(product(&[2, 5, 3], 2, 2));
        rows.push(product(&[3, 5], 3, 1));
        rows.push(product(&[3, 2], 0, 2));
        rows.push(product(&[0, 3, 2], 2, 2));
        rows.push(product(&[17, 11], 11, 3));
    }
    rows
}

fn matmuls() -> Vec<Row> {
    let shapes: [(&[usize], &[usize]); 9] = [
        (&[3, 5], &[5, 7]),
        (&[5], &[5, 3]),
        (&[3, 5], &[5]),
        (&[5], &[5]),
        (&[2, 3, 5], &[5, 4]),
        (&[2, 3, 5], &[2, 5, 4]),
        (&[3, 1, 2, 5], &[4, 5, 2]),
        (&[2, 0], &[0, 3]),
        (&[0, 4], &[4, 3]),
    ];
    let row = || Row::new(Op::Matmul {}).any_zero();
    let mut rows: Vec<Row> = shapes.into_iter().map(|(lhs, rhs)| row().x(lhs, EXACT).x(rhs, EXACT)).collect();
    rows.push(row().only(PRIMARY).x(&[65, 129], MIXED).x(&[129, 67], MIXED));
    for (x, k, n, r) in [(&[3, 5][..], 5, 4, 2), (&[2, 3, 5], 5, 4, 1), (&[0, 5], 5, 3, 2)] {
        let lora = Row::new(Op::LoraMatMul { alpha: 0.5 }).only(DTypeSet::FLOAT).any_zero();
        rows.push(lora.x(x, MIXED).x(&[k, n], MIXED).x(&[k, r], MIXED).x(&[r, n], MIXED));
    }
    rows
}

fn quantized() -> Vec<Row> {
    let mut rows = Vec::new();
    let data = Gen::Uniform(-40.0, 40.0);
    let scale = Gen::Values(&[0.25, 0.5, 1.0]);
    for dtype in [DType::I8, DType::I16, DType::I32, DType::U8, DType::U16, DType::F8E4M3, DType::F8E5M2] {
        for (axis, scales) in [(None, &[][..]), (Some(1), &[3])] {
            let row = || {
                Row::new(Op::Quantize { axis, dtype })
                    .note(format!("to {dtype} axis {axis:?}"))
                    .only(DTypeSet::FLOAT)
            };
            rows.push(row().x(&[4, 3], data).x(scales, scale));
            let point = Gen::Ints(0, 9);
            rows.push(row().x(&[4, 3], data).x(scales, scale).is(dtype, scales, point));
            let row = || {
                let row = Row::new(Op::Dequantize { axis }).note(format!("from {dtype} axis {axis:?}"));
                row.only(DTypeSet::FLOAT).is(dtype, &[4, 3], Gen::Ints(-100, 100))
            };
            rows.push(row().x(scales, scale));
            rows.push(row().x(scales, scale).is(dtype, scales, point));
        }
    }
    for (bits, symmetric) in [(8, true), (8, false), (4, true), (2, false), (16, true)] {
        for (axis, scales) in [(None, &[][..]), (Some(1), &[3])] {
            let op = Op::FakeQuantize { bits, axis, symmetric };
            let row = Row::new(op).note(format!("{bits} bits axis {axis:?} symmetric {symmetric}"));
            let row = row.only(DTypeSet::FLOAT).x(&[4, 3], data).x(scales, scale);
            rows.push(if symmetric { row } else { row.x(scales, Gen::Ints(0, 3)) });
        }
    }
    for &scheme in QuantScheme::VARIANTS {
        let (len, bytes) = (scheme.block_len(), scheme.block_bytes());
        let sizes = [(&[3][..], 2, 5), (&[], 1, 3), (&[2, 3], 1, 4), (&[0], 1, 2)];
        // The factors do not depend on how they were packed.
        let sizes = if scheme == QuantScheme::Q8_0 { &sizes[..] } else { &sizes[..1] };
        for (round_x, note) in [(false, scheme.name().to_string()), (true, format!("{scheme} rounded"))] {
            for &(x, blocks, n) in sizes {
                let row = Row::new(Op::DequantMatMul { scheme, round_x }).note(note.clone());
                let row = row.only(DTypeSet::FLOAT).any_zero();
                // The scales have the bits of ordinary numbers, because a NaN weight would hide every other.
                let sizes = [x, &[blocks * len]].concat();
                rows.push(row.x(&sizes, EXACT).is(DType::U8, &[n, blocks * bytes], Gen::Ints(40, 50)));
            }
            let runs: [(&str, &'static [f64]); 4] = [
                ("", &[2.0, 0.0, 3.0]),
                (" rows left over", &[1.0, 2.0, 1.0]),
                (" too many rows", &[4.0, 3.0, 2.0]),
                (" overlapping runs", &[4.0, -2.0, 3.0]),
            ];
            let runs = if scheme == QuantScheme::Q8_0 { &runs[..] } else { &runs[..1] };
            for (which, sizes) in runs {
                let op = Op::DequantGroupedMatMul { scheme, round_x };
                let row = Row::new(op).note(format!("{note}{which}")).only(DTypeSet::FLOAT).any_zero();
                let row = row.x(&[5, len], EXACT).is(DType::U8, &[3, 4, bytes], Gen::Ints(40, 50));
                rows.push(row.is(DType::I32, &[3], Gen::Values(sizes)));
            }
        }
    }
    rows
}
