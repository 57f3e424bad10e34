//! Cases of sums of products.

use crate::case::Row;
use crate::data::Gen;
use rlx_ir::{DType, DTypeSet, DotDims, Op};

/// Sums of these are exact in every order, for types that can represent them.
const EXACT: Gen = Gen::Quarters(-2, 2);
const MIXED: Gen = Gen::Uniform(0.25, 2.0);
const PRIMARY: DTypeSet =
    DTypeSet::of(&[DType::F64, DType::F32, DType::F16, DType::BF16, DType::I8, DType::I32]);

/// The batch and contracting axes.
#[derive(Clone, Copy)]
struct Axes {
    lhs_batch: &'static [usize],
    rhs_batch: &'static [usize],
    lhs: &'static [usize],
    rhs: &'static [usize],
}

const PLAIN: Axes = Axes { lhs_batch: &[], rhs_batch: &[], lhs: &[1], rhs: &[0] };
const TRANSPOSED: Axes = Axes { lhs_batch: &[], rhs_batch: &[], lhs: &[1], rhs: &[1] };
const BATCHED: Axes = Axes { lhs_batch: &[0], rhs_batch: &[0], lhs: &[2], rhs: &[1] };

fn dot(axes: Axes, dtype: Option<DType>) -> Row {
    let dims = DotDims {
        lhs_batch: axes.lhs_batch.to_vec(),
        rhs_batch: axes.rhs_batch.to_vec(),
        lhs_contract: axes.lhs.to_vec(),
        rhs_contract: axes.rhs.to_vec(),
    };
    let into = dtype.map_or(String::new(), |d| format!(" into {d}"));
    let Axes { lhs_batch, rhs_batch, lhs, rhs } = axes;
    let row = Row::new(Op::DotGeneral { dims, dtype });
    row.note(format!("batch {lhs_batch:?} {rhs_batch:?} over {lhs:?} {rhs:?}{into}")).any_zero()
}

pub(super) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    let none: &[usize] = &[];
    let shapes: [(Axes, &[usize], &[usize]); 13] = [
        (PLAIN, &[3, 5], &[5, 7]),
        (TRANSPOSED, &[3, 5], &[4, 5]),
        (Axes { lhs: &[0], rhs: &[0], ..PLAIN }, &[5], &[5]),
        (Axes { lhs: &[], rhs: &[], ..PLAIN }, &[3], &[4]),
        (Axes { lhs: &[], rhs: &[], ..PLAIN }, none, &[4]),
        (BATCHED, &[2, 3, 5], &[2, 5, 4]),
        (Axes { lhs_batch: &[2, 0], rhs_batch: &[1, 0], lhs: &[1], rhs: &[2] }, &[2, 5, 3], &[2, 3, 5]),
        (Axes { lhs: &[0, 2], rhs: &[1, 0], ..PLAIN }, &[3, 2, 4], &[4, 3, 5]),
        (Axes { lhs_batch: &[0], rhs_batch: &[0], lhs: &[], rhs: &[] }, &[3, 2], &[3]),
        (PLAIN, &[3, 0], &[0, 4]),
        (PLAIN, &[0, 3], &[3, 4]),
        (BATCHED, &[0, 2, 3], &[0, 3, 2]),
        (PLAIN, &[1, 33], &[33, 1]),
    ];
    for (axes, lhs, rhs) in shapes {
        rows.push(dot(axes, None).x(lhs, EXACT).x(rhs, EXACT));
        rows.push(dot(axes, None).x(lhs, MIXED).x(rhs, MIXED));
    }
    rows.push(dot(PLAIN, None).only(DTypeSet::INT).x(&[5, 40], Gen::Bits).x(&[40, 3], Gen::Bits));
    for sizes in [[67, 129, 33], [1, 257, 65], [130, 3, 70]] {
        let [m, k, n] = sizes;
        rows.push(dot(PLAIN, None).only(PRIMARY).x(&[m, k], MIXED).x(&[k, n], MIXED));
        rows.push(dot(TRANSPOSED, None).only(PRIMARY).x(&[m, k], EXACT).x(&[n, k], EXACT));
    }
    rows.push(dot(BATCHED, None).only(PRIMARY).x(&[3, 17, 65], MIXED).x(&[3, 65, 19], MIXED));
    // A NaN or an infinity affects the sums that it belongs to, and no others.
    let wild: Gen = Gen::Values(&[1.0, 2.0, f64::INFINITY, 0.5, 1.0, f64::NAN, 3.0, 1.0, 1.0, 2.0, 4.0]);
    rows.push(dot(PLAIN, None).only(DTypeSet::FLOAT).x(&[7, 3], wild).x(&[3, 4], MIXED));
    let wider = [
        (DType::I8, DType::I32),
        (DType::BF16, DType::F32),
        (DType::F16, DType::F32),
        (DType::F8E4M3, DType::F32),
    ];
    for (from, to) in wider.into_iter().chain([(DType::U8, DType::I32), (DType::F32, DType::F64)]) {
        let row = || dot(PLAIN, Some(to)).only(DTypeSet::of(&[from]));
        rows.push(row().x(&[5, 21], EXACT).x(&[21, 3], EXACT));
        rows.push(row().x(&[5, 67], Gen::Uniform(-9.0, 9.0)).x(&[67, 3], Gen::Ints(-90, 90)));
    }
    rows
}
