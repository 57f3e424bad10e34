//! Triangles, diagonals and adjoints of matrices, with which the other rules are written. All are linear in the matrix, so they
//! can be transposed.

use crate::backward::Arg;
use crate::error::Error;
use crate::forward::{Dual, Forward};
use rlx_ir::{CompareOp, DType, Dim, Op, ReduceOp, Shape, Tensor, TransposeOp, UnaryOp};

/// The only operand of a factorization, its tangent, and the results.
pub(super) fn factorized(
    cx: &Forward<'_>,
    op: &Op,
    operands: &[Dual],
) -> Result<(Tensor, Tensor, Vec<Tensor>), Error> {
    match operands {
        [Dual { primal: a, tangent: Some(t) }] => {
            Ok((a.clone(), t.clone(), cx.apply(op, std::slice::from_ref(a))))
        }
        _ => Err(Error::no_rule("derivative", "it has one operand")),
    }
}

/// Rows and columns of the matrices of a shape.
pub(super) fn extents(shape: &Shape) -> Result<(Dim, Dim), Error> {
    match shape.dims() {
        [.., m, n] => Ok((m.clone(), n.clone())),
        _ => Err(Error::no_rule("rule", format!("{shape} is not a matrix"))),
    }
}

/// The sizes of matrices, for rules that differ between tall and wide matrices.
pub(super) fn sizes(x: &Tensor) -> Result<(usize, usize), Error> {
    let (m, n) = extents(&x.shape())?;
    m.as_static().zip(n.as_static()).ok_or_else(|| {
        let why = format!("it needs the sizes of the matrices {}; bind their symbols first", x.shape());
        Error::no_rule("derivative", why)
    })
}

/// Which elements of the matrices of `x` have this relation between column + `offset` − row and 0.
fn relation(x: &Tensor, op: CompareOp, offset: i64) -> Tensor {
    let dims = x.dims();
    let lead = dims.len().saturating_sub(2);
    let builder = x.builder();
    let at = |axis| builder.iota(Shape::from_dims(&dims[lead..], DType::I32), axis);
    let holds = (at(1) + builder.int(offset, DType::I32)).compare(op, &at(0));
    if lead == 0 { holds } else { holds.broadcast_in_dim(&dims, &[lead, lead + 1]) }
}

fn kept(x: &Tensor, op: CompareOp, offset: i64) -> Tensor {
    relation(x, op, offset).select(x, &x.scalar_like(0.0))
}

/// The elements on and below the diagonal, or strictly below.
pub(super) fn lower(x: &Tensor, strict: bool) -> Tensor {
    kept(x, if strict { CompareOp::Lt } else { CompareOp::Le }, 0)
}

/// The elements on and above the diagonal, or strictly above.
pub(super) fn upper(x: &Tensor, strict: bool) -> Tensor {
    kept(x, if strict { CompareOp::Gt } else { CompareOp::Ge }, 0)
}

/// The elements on the diagonal, and zeros elsewhere.
pub(super) fn on_diagonal(x: &Tensor) -> Tensor {
    kept(x, CompareOp::Eq, 0)
}

/// One triangle with half of the diagonal: the H for which H + Hᴴ is the Hermitian matrix with that triangle.
pub(super) fn half(x: &Tensor, is_lower: bool) -> Tensor {
    let strict = if is_lower { lower(x, true) } else { upper(x, true) };
    strict + on_diagonal(x) * 0.5
}

/// The Hermitian matrix with the given triangle.
pub(super) fn hermitian(x: &Tensor, is_lower: bool) -> Tensor {
    let half = half(x, is_lower);
    &half + adjoint(&half)
}

/// Identity matrices in the shape of `x`.
pub(super) fn identity_like(x: &Tensor) -> Tensor {
    relation(x, CompareOp::Eq, 0).convert(x.dtype())
}

/// The diagonal as a vector.
pub(super) fn diagonal(x: &Tensor) -> Tensor {
    on_diagonal(x).reduce(ReduceOp::Sum, &[x.rank().saturating_sub(1)], false)
}

/// A vector as a row, by which columns are multiplied.
pub(super) fn row(v: &Tensor) -> Tensor {
    v.unsqueeze(v.rank().saturating_sub(1))
}

/// A vector as a column, by which rows are multiplied.
pub(super) fn column(v: &Tensor) -> Tensor {
    v.unsqueeze(v.rank())
}

/// The complex conjugate, which is the tensor itself if it is real.
pub(super) fn conjugate(x: &Tensor) -> Tensor {
    if x.dtype().is_complex() { x.unary(UnaryOp::Conj) } else { x.clone() }
}

/// The real part, which is the tensor itself if it is real.
pub(super) fn real(x: &Tensor) -> Tensor {
    if x.dtype().is_complex() { x.unary(UnaryOp::Real) } else { x.clone() }
}

/// The imaginary part of complex numbers.
pub(super) fn imag(x: &Tensor) -> Tensor {
    x.unary(UnaryOp::Imag)
}

pub(super) fn adjoint(x: &Tensor) -> Tensor {
    conjugate(&x.transpose_last())
}

/// The columns `from..to`.
pub(super) fn columns(x: &Tensor, from: usize, to: usize) -> Tensor {
    x.slice_axis(x.rank().saturating_sub(1), from, to)
}

/// The rows `from..to`.
pub(super) fn rows(x: &Tensor, from: usize, to: usize) -> Tensor {
    x.slice_axis(x.rank().saturating_sub(2), from, to)
}

/// Concatenates matrices horizontally (`axis` 1) or vertically (`axis` 0).
pub(super) fn beside(a: &Tensor, b: &Tensor, axis: usize) -> Tensor {
    a.apply(Op::Concatenate { axis: a.rank().saturating_sub(2) + axis }, &[b])
}

/// A triangular system.
#[derive(Clone, Copy)]
pub(super) struct Triangular {
    pub(super) left_side: bool,
    pub(super) lower: bool,
    pub(super) unit_diagonal: bool,
    pub(super) transpose: TransposeOp,
}

impl Triangular {
    /// A·X = B with lower or upper triangular A.
    pub(super) fn left(lower: bool) -> Triangular {
        Triangular { left_side: true, lower, unit_diagonal: false, transpose: TransposeOp::None }
    }

    /// X·A = B.
    pub(super) fn right(lower: bool) -> Triangular {
        Triangular { left_side: false, ..Triangular::left(lower) }
    }

    pub(super) fn unit_diagonal(self) -> Triangular {
        Triangular { unit_diagonal: true, ..self }
    }

    pub(super) fn adjoint(self) -> Triangular {
        Triangular { transpose: TransposeOp::Adjoint, ..self }
    }

    pub(super) fn solve(self, a: &Tensor, b: &Tensor) -> Tensor {
        let Triangular { left_side, lower, unit_diagonal, transpose } = self;
        a.apply(Op::TriangularSolve { left_side, lower, unit_diagonal, transpose }, &[b])
    }
}

/// The matrix of a system, of which only the second operand may be linear.
pub(super) fn system(operands: &[Arg]) -> Result<&Tensor, Error> {
    match operands {
        [a, Arg::Linear(_)] => a.known(),
        _ => Err(Error::no_rule("transpose", "it is linear only in its second operand")),
    }
}
