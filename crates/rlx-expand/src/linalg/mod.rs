//! Expands factorizations into loops over columns. Each step computes all rows and all matrices of a batch at once. Owns what
//! they share: matrices `[batch, m, n]` with one batch axis, masks by position, and numbers of the real and the complex field.
//!
//! Steps are elementwise products and sums instead of matrix products, so that no backend computes them in less than the element
//! type.

pub(crate) mod eig;
pub(crate) mod eigh;
pub(crate) mod householder;
mod jacobi;
pub(crate) mod lu;
pub(crate) mod svd;
pub(crate) mod triangular;
pub(crate) mod tridiagonal;

use crate::build::Expression;
use rlx_ir::{BinaryOp, Builder, DType, Dim, Op, OpError, ReduceOp, Shape, Tensor};

/// Matrices with a single batch axis, and the batch axes that they had.
pub(crate) struct Matrices {
    /// `[batch, m, n]`.
    pub(crate) all: Tensor,
    /// The leading dimensions of the operand.
    batch: Vec<Dim>,
    /// Rows.
    pub(crate) m: usize,
    /// Columns.
    pub(crate) n: usize,
}

impl Matrices {
    pub(crate) fn of(x: &Tensor) -> Result<Matrices, OpError> {
        let shape = x.shape();
        let sizes = shape.static_dims();
        let Some([batch @ .., m, n]) = sizes.as_deref() else {
            return Err(OpError::shape(format!(
                "{shape} has sizes that are not known; bind its symbols first"
            )));
        };
        let all = x.reshape(&[batch.iter().product(), *m, *n].map(Dim::Static));
        Ok(Matrices { all, batch: shape.dims()[..batch.len()].to_vec(), m: *m, n: *n })
    }

    /// Converts a result `[batch, …]` back to the operand's own batch axes.
    pub(crate) fn restore(&self, x: &Tensor) -> Tensor {
        x.reshape(&[&self.batch, &x.dims()[1..]].concat())
    }
}

/// The row indices 0, 1, 2, …, `[1, m, 1]`.
pub(crate) fn rows(b: &Builder, m: usize) -> Tensor {
    b.iota(Shape::new(&[1, m, 1], DType::I32), 1)
}

/// The column indices 0, 1, 2, …, `[1, 1, n]`.
pub(crate) fn columns(b: &Builder, n: usize) -> Tensor {
    b.iota(Shape::new(&[1, 1, n], DType::I32), 2)
}

/// The identity, `[like's batch, m, n]`.
pub(crate) fn identity(like: &Tensor, m: usize, n: usize) -> Tensor {
    let b = like.builder();
    let (m_rows, n_columns) = (rows(&b, m), columns(&b, n));
    let ones = m_rows.equal(&n_columns).select(&like.scalar_like(1.0), &like.scalar_like(0.0));
    ones.broadcast_to(&[like.dim(0), Dim::Static(m), Dim::Static(n)])
}

/// `x` where the mask is true, 0 elsewhere.
pub(crate) fn masked(mask: &Tensor, x: &Tensor) -> Tensor {
    mask.select(x, &x.scalar_like(0.0))
}

/// Conjugated and transposed matrices.
pub(crate) fn adjoint(x: &Tensor) -> Tensor {
    x.transpose_last().conj()
}

/// Converts real numbers to the field of `like`.
pub(crate) fn of_real(x: &Tensor, like: &Tensor) -> Tensor {
    if like.dtype().is_complex() { x.binary(BinaryOp::Complex, &x.filled(0.0)) } else { x.clone() }
}

/// NaN, in both parts if the numbers are complex.
pub(crate) fn of_nan(like: &Tensor) -> Tensor {
    let nan = like.builder().scalar(f64::NAN, like.dtype().real());
    if like.dtype().is_complex() { nan.binary(BinaryOp::Complex, &nan) } else { nan }
}

/// The quotient by real numbers.
pub(crate) fn divided(x: &Tensor, divisor: &Tensor) -> Tensor {
    if x.dtype().is_complex() {
        (x.re() / divisor).binary(BinaryOp::Complex, &(x.im() / divisor))
    } else {
        x / divisor
    }
}

/// The product with real numbers.
pub(crate) fn scaled(x: &Tensor, factor: &Tensor) -> Tensor {
    if x.dtype().is_complex() {
        (x.re() * factor).binary(BinaryOp::Complex, &(x.im() * factor))
    } else {
        x * factor
    }
}

/// |x|².
pub(crate) fn squares(x: &Tensor) -> Tensor {
    let re = x.re();
    let square = &re * &re;
    if !x.dtype().is_complex() {
        return square;
    }
    let im = x.im();
    square + &im * &im
}

/// The larger of |re| and |im|.
pub(crate) fn largest_part(x: &Tensor) -> Tensor {
    let re = x.re().abs();
    if x.dtype().is_complex() { re.maximum(&x.im().abs()) } else { re }
}

/// The largest part of any element along axes, which stay with size 1; 1 where that is zero or not finite. Numbers divided by it
/// neither overflow nor underflow when they are squared.
pub(crate) fn size_of(x: &Tensor, axes: &[usize]) -> Tensor {
    let largest = largest_part(x).reduce(ReduceOp::Max, axes, true);
    let zero = largest.scalar_like(0.0);
    let usable = largest.greater(&zero).and(&largest.is_finite());
    usable.select(&largest, &largest.scalar_like(1.0))
}

/// The first n elements of the diagonal, `[batch, n]`.
pub(crate) fn diagonal(x: &Tensor, n: usize) -> Tensor {
    let square = x.slice_axis(1, 0, n).slice_axis(2, 0, n);
    let b = x.builder();
    masked(&rows(&b, n).equal(&columns(&b, n)), &square).sum(1, false)
}

/// The columns at the indices in `order`, i32 `[batch, k]`.
pub(crate) fn columns_at(x: &Tensor, order: &Tensor) -> Tensor {
    let indices = order.unsqueeze(1).broadcast_to(&[x.dim(0), x.dim(1), order.dim(1)]);
    x.apply(Op::GatherAxis { axis: 2 }, &[&indices])
}

/// Adds rows and columns of zeros.
pub(crate) fn padded(x: &Tensor, more_rows: usize, more_columns: usize) -> Tensor {
    if more_rows == 0 && more_columns == 0 {
        return x.clone();
    }
    let high = [0, more_rows, more_columns].map(|n| i64::try_from(n).unwrap_or(i64::MAX)).to_vec();
    x.apply(Op::Pad { low: vec![0; 3], high, interior: vec![0; 3] }, &[&x.scalar_like(0.0)])
}

/// Concatenates tensors along an axis.
pub(crate) fn joined<const N: usize>(parts: [&Tensor; N], axis: usize) -> Tensor {
    parts[0].apply(Op::Concatenate { axis }, &parts[1..])
}

/// The distance from 1 to the next larger number of the real part's type.
pub(crate) fn epsilon(dtype: DType) -> f64 {
    if dtype.real() == DType::F64 { f64::EPSILON } else { f64::from(f32::EPSILON) }
}
