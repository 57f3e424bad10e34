//! Cases of factorizations and solves. Unique results are compared directly; for the others, the products that they
//! form are compared.

use crate::case::{Bound, Row};
use crate::data::Gen;
use rlx_ir::{DType, Op, ReduceOp, SortOrder, Tensor, TransposeOp, UnaryOp};

const POSITIVE: Gen = Gen::PositiveDefinite;
const MIXED: Gen = Gen::Uniform(-2.0, 2.0);
/// How far a stable factorization of these sizes may be off, in units of rounding of the largest element.
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
    rows.extend(pivoted());
    rows.extend(tridiagonal());
    rows.extend(general());
    let large: &[usize] = &[37, 31];
    rows.push(Row::new(Op::Lu {}).within(Bound::Norm(4.0 * UNITS)).x(large, MIXED));
    let qr = Row::new(Op::Qr { full_matrices: false }).note("large").within(Bound::Norm(4.0 * UNITS));
    rows.push(qr.compare(qr_parts).x(large, MIXED));
    let svd = Row::new(Op::Svd { full_matrices: false }).note("large").within(Bound::Norm(4.0 * UNITS));
    rows.push(svd.compare(svd_parts).x(large, MIXED));
    // A pivot of zero, for which elimination must exchange rows. A singular matrix still has a factorization.
    rows.push(Row::new(Op::Lu {}).within(Bound::Norm(UNITS)).x(&[2, 2], Gen::Values(&[0.0, 1.0, 2.0, 3.0])));
    rows.push(
        Row::new(Op::Lu {})
            .within(Bound::Norm(UNITS))
            .x(&[3, 3], Gen::Values(&[1.0, 2.0, 3.0, 2.0, 4.0, 6.0, 0.0])),
    );
    rows
}

/// Packed factorizations, and products of reflectors, which also rotate and scale.
fn reflectors() -> Vec<Row> {
    let mut rows = Vec::new();
    for sizes in [&[1, 1][..], &[4, 4], &[2, 5, 3], &[3, 5], &[0, 3, 3], &[0, 3], &[3, 0]] {
        rows.push(Row::new(Op::Geqrf {}).within(Bound::Norm(UNITS)).x(sizes, MIXED));
    }
    // The reflector of a column that is zero below the diagonal is the identity.
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

/// Packed factorizations with column pivoting. Some cases name leading columns, even more than there are rows.
fn pivoted() -> Vec<Row> {
    let mut rows = Vec::new();
    let mut factorized = |sizes: &[usize], data: Gen, leading: Gen| {
        let columns = [&sizes[..sizes.len() - 2], &sizes[sizes.len() - 1..]].concat();
        let units = if sizes[0] > 8 { 4.0 * UNITS } else { UNITS };
        let row = Row::new(Op::Geqp3 {}).within(Bound::Norm(units)).x(sizes, data);
        rows.push(row.is(DType::I32, &columns, leading));
    };
    for sizes in [&[1, 1][..], &[4, 4], &[2, 5, 3], &[3, 5], &[0, 3, 3], &[0, 3], &[3, 0]] {
        factorized(sizes, MIXED, Gen::Values(&[0.0]));
    }
    factorized(&[2, 3, 5], MIXED, Gen::Values(&[0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 1.0]));
    factorized(&[2, 4], MIXED, Gen::Values(&[1.0]));
    // Columns of equal length, which are not rounded by scaling or sums, so that the first is chosen. The remaining two differ.
    let alike = Gen::Values(&[4.0, 4.0, 0.0, 2.0, 0.0, 2.0, 0.0, 2.0, 4.0]);
    factorized(&[3, 3], alike, Gen::Values(&[0.0]));
    factorized(&[37, 31], MIXED, Gen::Values(&[0.0]));
    rows
}

fn tridiagonal() -> Vec<Row> {
    let row = |b: &[usize], diagonal: Gen| {
        let vector = &b[..b.len() - 1];
        let row = Row::new(Op::TridiagonalSolve {}).within(Bound::Norm(4.0 * UNITS));
        row.x(vector, MIXED).x(vector, diagonal).x(vector, MIXED).x(b, MIXED)
    };
    let mut rows = Vec::new();
    for sizes in [&[1, 1][..], &[2, 1], &[2, 4, 3], &[0, 3, 2], &[3, 0], &[0, 2], &[65, 9]] {
        rows.push(row(sizes, Gen::Uniform(4.0, 6.0)));
    }
    // Rows that are exchanged, and a singular matrix.
    rows.push(row(&[3, 2], Gen::Values(&[0.0])).note("zeros on the diagonal"));
    rows.push(row(&[6, 2], Gen::Values(&[0.0, 0.5, 0.25])).note("exchanges"));
    rows
}

/// Matrices without symmetry. Sums over all eigenvectors are independent of order and phase.
fn general() -> Vec<Row> {
    let mut rows = Vec::new();
    for (left, right) in [(false, false), (false, true), (true, false), (true, true)] {
        let finish = match (left, right) {
            (false, false) => eigenvalues,
            (false, true) => right_vectors,
            (true, false) => left_vectors,
            (true, true) => both_vectors,
        };
        let row = |units: f64| {
            let row = Row::new(Op::Eig { left, right }).note(format!("left {left} right {right}"));
            row.within(Bound::Norm(units)).compare(finish)
        };
        for sizes in SQUARE {
            rows.push(row(4.0 * UNITS).x(sizes, MIXED));
        }
        rows.push(row(16.0 * UNITS).x(&[4, 10, 10], MIXED));
        // Rotations by 90 degrees.
        let turn = Gen::Values(&[0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 2.0]);
        rows.push(row(UNITS).x(&[3, 3], turn));
    }
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

/// Transposes and conjugates the last two axes.
fn adjoint(x: &Tensor) -> Tensor {
    let t = x.transpose_last();
    if x.dtype().is_complex() { t.unary(UnaryOp::Conj) } else { t }
}

fn as_type(x: &Tensor, dtype: DType) -> Tensor {
    x.convert(dtype)
}

/// Multiplies columns by the elements of the last axis of `factors`.
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

/// The real and the imaginary parts of the eigenvalues, each sorted.
fn eigenvalues(_: &[Tensor], results: &[Tensor]) -> Vec<Tensor> {
    let axis = results[0].rank().saturating_sub(1);
    let sort = Op::Sort { axis, order: SortOrder::Ascending, num_keys: 1, stable: true };
    let ordered = |part: UnaryOp| results[0].unary(part).apply(sort.clone(), &[]);
    vec![ordered(UnaryOp::Real), ordered(UnaryOp::Imag)]
}

/// V·diag(λ)·Vᴴ; V·Vᴴ.
fn spectral(values: &Tensor, vectors: &Tensor) -> [Tensor; 2] {
    let turned = adjoint(vectors);
    [scale_columns(vectors, values).matmul(&turned), vectors.matmul(&turned)]
}

fn right_vectors(operands: &[Tensor], results: &[Tensor]) -> Vec<Tensor> {
    let [values, right] = results else { return results.to_vec() };
    let a = as_type(&operands[0], values.dtype());
    let again = a.matmul(right).matmul(&adjoint(right));
    [eigenvalues(operands, results), spectral(values, right).to_vec(), vec![again]].concat()
}

/// The same for left eigenvectors of A, which are right eigenvectors of Aᴴ.
fn left_vectors(operands: &[Tensor], results: &[Tensor]) -> Vec<Tensor> {
    let [values, left] = results else { return results.to_vec() };
    let conjugated = values.unary(UnaryOp::Conj);
    let turned = adjoint(&as_type(&operands[0], values.dtype()));
    let again = turned.matmul(left).matmul(&adjoint(left));
    [eigenvalues(operands, results), spectral(&conjugated, left).to_vec(), vec![again]].concat()
}

/// The same for both, and A reconstructed from them: V·diag(λ / uᴴv)·Uᴴ.
fn both_vectors(operands: &[Tensor], results: &[Tensor]) -> Vec<Tensor> {
    let [values, left, right] = results else { return results.to_vec() };
    let [of_left, of_right] = [left, right].map(|vectors| [values.clone(), vectors.clone()]);
    let rows = left.rank().saturating_sub(2);
    let along = (left.unary(UnaryOp::Conj) * right).reduce(ReduceOp::Sum, &[rows], false);
    let again = scale_columns(right, &(values / along)).matmul(&adjoint(left));
    [left_vectors(operands, &of_left), right_vectors(operands, &of_right), vec![again]].concat()
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

/// Singular values, UᴴU and VᴴV for square factors.
fn full_svd_parts(_: &[Tensor], results: &[Tensor]) -> Vec<Tensor> {
    let [u, s, vh] = results else { return results.to_vec() };
    vec![s.clone(), adjoint(u).matmul(u), vh.matmul(&adjoint(vh))]
}
