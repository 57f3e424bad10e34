//! Products with the orthogonal factor of a packed QR factorization, without forming that factor. Q = I −
//! V·T·Vᴴ (Schreiber and Van Loan, 1989) with T = (I + D·S)⁻¹·D for D = diag τ and S the part of Vᴴ·V strictly
//! above the diagonal (Puglisi, 1992). So it takes three matrix products and a triangular system, which every backend computes
//! efficiently.

use crate::dim::Dim;
use crate::dtype::DType;
use crate::op::kinds::{CompareOp, TransposeOp, UnaryOp};
use crate::op::{Op, OpError};
use crate::shape::Shape;
use crate::tensor::Tensor;

/// Q·C, Qᴴ·C, C·Q or C·Qᴴ.
pub(crate) fn ormqr(
    a: &Tensor,
    taus: &Tensor,
    c: &Tensor,
    left_side: bool,
    adjoint: bool,
) -> Result<Tensor, OpError> {
    let k = check(a, taus, c, left_side)?;
    let packed = a.slice_axis(a.rank() - 1, 0, k);
    let v = kept(&packed, CompareOp::Gt) + unit(&packed);
    let inner = conjugate_transpose(&v).matmul(&v);
    let system = taus.unsqueeze(taus.rank()) * kept(&inner, CompareOp::Lt);
    let transpose = if adjoint { TransposeOp::Adjoint } else { TransposeOp::None };
    let solve = Op::TriangularSolve { left_side, lower: false, unit_diagonal: true, transpose };
    let factors = if adjoint { conjugate(taus) } else { taus.clone() };
    // D is applied first to Vᴴ·C and last to C·V, or the other way around for the adjoint.
    let scaled_first = left_side != adjoint;
    let factors = factors.unsqueeze(taus.rank() - usize::from(!left_side));
    let product = if left_side { conjugate_transpose(&v).matmul(c) } else { c.matmul(&v) };
    let product = if scaled_first { &product * &factors } else { product };
    let solved = system.apply(solve, &[&product]);
    let solved = if scaled_first { solved } else { solved * factors };
    Ok(if left_side { c - v.matmul(&solved) } else { c - solved.matmul(&conjugate_transpose(&v)) })
}

/// The number of reflectors. Fails unless the operands fit together.
fn check(a: &Tensor, taus: &Tensor, c: &Tensor, left_side: bool) -> Result<Dim, OpError> {
    let (of_a, of_taus, of_c) = (a.dims(), taus.dims(), c.dims());
    let ([batch @ .., m, n], [taus_batch @ .., k], [c_batch @ .., rows, columns]) =
        (&of_a[..], &of_taus[..], &of_c[..])
    else {
        return Err(OpError::shape(format!(
            "a and c must be matrices and taus vectors, got {}, {} and {}",
            a.shape(),
            c.shape(),
            taus.shape()
        )));
    };
    let alike = |other: &[Dim], dtype: DType| {
        dtype == a.dtype()
            && other.len() == batch.len()
            && other.iter().zip(batch).all(|(x, y)| x.compatible(y))
    };
    if !alike(taus_batch, taus.dtype()) || !alike(c_batch, c.dtype()) {
        return Err(OpError::shape(format!(
            "a, taus and c must have the same element type and leading axes, got {}, {} and {}",
            a.shape(),
            taus.shape(),
            c.shape()
        )));
    }
    let (side, extent) = if left_side { ("rows", rows) } else { ("columns", columns) };
    if !extent.compatible(m) {
        return Err(OpError::shape(format!(
            "c must have as many {side} as a has rows with left_side = {left_side}, got {} for a of {}",
            c.shape(),
            a.shape()
        )));
    }
    let exceeds = |least: &Dim| k.as_static().zip(least.as_static()).is_some_and(|(k, n)| k > n);
    if exceeds(m) || exceeds(n) {
        return Err(OpError::shape(format!(
            "a must have a row and a column for each of taus, got {} and {}",
            a.shape(),
            taus.shape()
        )));
    }
    Ok(k.clone())
}

/// Where the row has this relation to the column, in matrices of this size.
fn places(like: &Tensor, op: CompareOp) -> Tensor {
    let dims = like.dims();
    let lead = dims.len() - 2;
    let b = like.builder();
    let at = |axis| b.iota(Shape::from_dims(&dims[lead..], DType::I32), axis);
    at(0).compare(op, &at(1)).broadcast_in_dim(&dims, &[lead, lead + 1])
}

/// The elements in these places, and zeros elsewhere.
fn kept(x: &Tensor, op: CompareOp) -> Tensor {
    places(x, op).select(x, &x.scalar_like(0.0))
}

/// Ones on the diagonal of matrices of this size.
fn unit(like: &Tensor) -> Tensor {
    places(like, CompareOp::Eq).convert(like.dtype())
}

fn conjugate(x: &Tensor) -> Tensor {
    if x.dtype().is_complex() { x.unary(UnaryOp::Conj) } else { x.clone() }
}

fn conjugate_transpose(x: &Tensor) -> Tensor {
    conjugate(&x.transpose_last())
}

impl Tensor {
    /// Q·c, c·Q or the same with Qᴴ, for the Q of the packed factorization in this tensor and `taus`, as `geqrf` and `geqp3`
    /// return it.
    #[track_caller]
    pub fn ormqr(&self, taus: &Tensor, c: &Tensor, left_side: bool, adjoint: bool) -> Tensor {
        self.apply(Op::Ormqr { left_side, adjoint }, &[taus, c])
    }
}
