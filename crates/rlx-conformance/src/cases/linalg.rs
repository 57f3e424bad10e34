//! Factorisations and solves. Results that are unique are compared as they are; of the others what they make up.

use crate::case::{Bound, Row};
use crate::data::Gen;
use rlx_ir::{DType, Op, Tensor, TransposeOp, UnaryOp};

const POSITIVE: Gen = Gen::PositiveDefinite;
const MIXED: Gen = Gen::Uniform(-2.0, 2.0);
/// Units of rounding of the largest element that a stable factorisation of these sizes may be off.
const UNITS: f64 = 64.0;

/// Sizes of batches of square matrices.
const SQUARE: [&[usize]; 5] = [&[1, 1], &[3, 3], &[2, 5, 5], &[0, 3, 3], &[0, 0]];

pub(super) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for lower in [true, false] {
        for sizes in SQUARE {
            let row =
                Row::new(Op::Cholesky { lower }).note(format!("lower {lower}")).within(Bound::Norm(UNITS));
            rows.push(row.x(sizes, POSITIVE));
            let row = Row::new(Op::Eigh { lower }).note(format!("lower {lower}")).within(Bound::Norm(UNITS));
            rows.push(row.compare(eigh_parts).x(sizes, POSITIVE));
        }
        let row = Row::new(Op::Cholesky { lower })
            .note(format!("lower {lower}, not definite"))
            .within(Bound::Norm(UNITS));
        rows.push(row.x(&[2, 2], Gen::Values(&[1.0, 2.0, 2.0, 1.0])));
        let row = Row::new(Op::Eigh { lower }).note(format!("{lower}")).within(Bound::Norm(4.0 * UNITS));
        rows.push(row.compare(eigh_parts).x(&[33, 33], POSITIVE));
        rows.push(
            Row::new(Op::Cholesky { lower })
                .note(format!("{lower}"))
                .within(Bound::Norm(4.0 * UNITS))
                .x(&[33, 33], POSITIVE),
        );
    }
    rows.extend(triangular());
    for sizes in [&[1, 1][..], &[4, 4], &[2, 5, 3], &[3, 5], &[0, 3, 3], &[0, 3], &[3, 0]] {
        rows.push(Row::new(Op::Lu {}).within(Bound::Norm(UNITS)).x(sizes, MIXED));
        for full_matrices in [false, true] {
            let note = format!("full {full_matrices}");
            let qr = Row::new(Op::Qr { full_matrices }).note(note.clone()).within(Bound::Norm(UNITS));
            rows.push(qr.compare(qr_parts).x(sizes, MIXED));
            let svd = Row::new(Op::Svd { full_matrices }).note(note).within(Bound::Norm(UNITS));
            rows.push(svd.compare(if full_matrices { full_svd_parts } else { svd_parts }).x(sizes, MIXED));
        }
    }
    rows.extend(reflectors());
    let large: &[usize] = &[37, 31];
    rows.push(Row::new(Op::Lu {}).within(Bound::Norm(4.0 * UNITS)).x(large, MIXED));
    let qr = Row::new(Op::Qr { full_matrices: false }).note("large").within(Bound::Norm(4.0 * UNITS));
    rows.push(qr.compare(qr_parts).x(large, MIXED));
    let svd = Row::new(Op::Svd { full_matrices: false }).note("large").within(Bound::Norm(4.0 * UNITS));
    rows.push(svd.compare(svd_parts).x(large, MIXED));
    // A pivot of zero: elimination must exchange rows; a singular matrix still factors.
    rows.push(Row::new(Op::Lu {}).within(Bound::Norm(UNITS)).x(&[2, 2], Gen::Values(&[0.0, 1.0, 2.0, 3.0])));
    rows.push(
        Row::new(Op::Lu {})
            .within(Bound::Norm(UNITS))
            .x(&[3, 3], Gen::Values(&[1.0, 2.0, 3.0, 2.0, 4.0, 6.0, 0.0])),
    );
    rows
}

/// Packed factorisations, and products of reflectors that turn and shrink.
fn reflectors() -> Vec<Row> {
    let mut rows = Vec::new();
    for sizes in [&[1, 1][..], &[4, 4], &[2, 5, 3], &[3, 5], &[0, 3, 3], &[0, 3], &[3, 0]] {
        rows.push(Row::new(Op::Geqrf {}).within(Bound::Norm(UNITS)).x(sizes, MIXED));
    }
    // A column that is zero below the diagonal has the identity for its reflector.
    let triangle = Gen::Values(&[-1.0, 2.0, 3.0, 0.0, 4.0, 6.0, 0.0, 0.0, 5.0]);
    rows.push(Row::new(Op::Geqrf {}).within(Bound::Norm(UNITS)).x(&[3, 3], triangle));
    rows.push(Row::new(Op::Geqrf {}).within(Bound::Norm(4.0 * UNITS)).x(&[37, 31], MIXED));
    let unit = Gen::Uniform(-1.0, 1.0);
    let mut product = |a: &[usize], taus: &[usize], factors: Gen| {
        let row = Row::new(Op::HouseholderProduct {}).within(Bound::Norm(UNITS));
        rows.push(row.x(a, unit).x(taus, factors));
    };
    product(&[1, 1], &[1], Gen::Uniform(0.0, 2.0));
    product(&[4, 4], &[4], Gen::Uniform(0.0, 0.5));
    product(&[2, 5, 3], &[2, 2], Gen::Uniform(0.0, 0.5));
    product(&[3, 2], &[0], Gen::Uniform(0.0, 0.5));
    product(&[0, 3, 3], &[0, 3], Gen::Uniform(0.0, 0.5));
    product(&[3, 0], &[0], Gen::Uniform(0.0, 0.5));
    product(&[37, 31], &[31], Gen::Uniform(0.0, 0.05));
    rows
}

fn triangular() -> Vec<Row> {
    let mut rows = Vec::new();
    for transpose in [TransposeOp::None, TransposeOp::Transpose, TransposeOp::Adjoint] {
        for (left_side, lower) in [(true, true), (true, false), (false, true), (false, false)] {
            for unit_diagonal in [false, true] {
                let row = |right: &[usize], a: &[usize]| {
                    let op = Op::TriangularSolve { left_side, lower, unit_diagonal, transpose };
                    let note = format!("left {left_side} lower {lower} unit {unit_diagonal} {transpose}");
                    Row::new(op).note(note).within(Bound::Norm(UNITS)).x(a, POSITIVE).x(right, MIXED)
                };
                rows.push(if left_side { row(&[3, 2], &[3, 3]) } else { row(&[2, 3], &[3, 3]) });
                if transpose == TransposeOp::None {
                    rows.push(row(&[2, 4, 4], &[2, 4, 4]));
                    rows.push(row(&[0, 3, 3], &[0, 3, 3]));
                    rows.push(row(&[33, 33], &[33, 33]));
                }
            }
        }
    }
    rows
}

/// Transposed and conjugated last two axes.
fn adjoint(x: &Tensor) -> Tensor {
    let t = x.transpose_last();
    if x.dtype().is_complex() { t.unary(UnaryOp::Conj) } else { t }
}

fn as_type(x: &Tensor, dtype: DType) -> Tensor {
    x.convert(dtype)
}

/// Columns multiplied by the elements of the last axis of `factors`.
fn scale_columns(x: &Tensor, factors: &Tensor) -> Tensor {
    let wide = as_type(factors, x.dtype());
    let rank = wide.rank();
    x * wide.unsqueeze(rank.saturating_sub(1))
}

/// Eigenvalues; V·diag(λ)·Vᴴ; VᴴV.
fn eigh_parts(_: &[Tensor], results: &[Tensor]) -> Vec<Tensor> {
    let [values, vectors] = results else { return results.to_vec() };
    let again = scale_columns(vectors, values).matmul(&adjoint(vectors));
    vec![values.clone(), again, adjoint(vectors).matmul(vectors)]
}

/// |R|; Q·R; QᴴQ.
fn qr_parts(_: &[Tensor], results: &[Tensor]) -> Vec<Tensor> {
    let [q, r] = results else { return results.to_vec() };
    vec![r.abs(), q.matmul(r), adjoint(q).matmul(q)]
}

/// Singular values; U·diag(s)·Vᴴ; UᴴU.
fn svd_parts(_: &[Tensor], results: &[Tensor]) -> Vec<Tensor> {
    let [u, s, vh] = results else { return results.to_vec() };
    vec![s.clone(), scale_columns(u, s).matmul(vh), adjoint(u).matmul(u), vh.matmul(&adjoint(vh))]
}

/// Singular values, UᴴU and VᴴV of square factors.
fn full_svd_parts(_: &[Tensor], results: &[Tensor]) -> Vec<Tensor> {
    let [u, s, vh] = results else { return results.to_vec() };
    vec![s.clone(), adjoint(u).matmul(u), vh.matmul(&adjoint(vh))]
}
