//! Expands right-looking LU with partial pivoting (Golub & Van Loan, algorithm 3.4.1).

use super::{Matrices, columns, masked, rows};
use crate::build::Expression;
use crate::looping::{counted, slice_at, with_slice_at, zero};
use rlx_ir::{ArgOp, DType, Dim, Op, OpError, Shape, Tensor};

/// |re| + |im|, which LAPACK uses instead of the modulus; −1 above row k. A NaN loses, except in row k, where the search starts.
fn candidates(column: &Tensor, row: &Tensor, k: &Tensor) -> Tensor {
    let magnitude = column.re().abs();
    let magnitude = if column.dtype().is_complex() { magnitude + column.im().abs() } else { magnitude };
    let (infinite, none) = (magnitude.scalar_like(f64::INFINITY), magnitude.scalar_like(-1.0));
    let of_nan = row.equal(k).select(&infinite, &none);
    let known = magnitude.is_nan().select(&of_nan, &magnitude);
    row.less(k).select(&none, &known)
}

/// L and U in one matrix, the row exchanged at each step, and the row of A in each row of P·A.
pub(crate) fn lu(a: &Tensor) -> Result<Vec<Tensor>, OpError> {
    let matrices = Matrices::of(a)?;
    let (m, n, all) = (matrices.m, matrices.n, &matrices.all);
    let (steps, b) = (m.min(n), a.builder());
    let batch = all.dim(0);
    let pivots = zero(&b, DType::I32).broadcast_to(&[batch.clone(), Dim::Static(steps)]);
    let order = b.iota(Shape::from_dims(&[batch, Dim::Static(m)], DType::I32), 1);
    if steps == 0 {
        return Ok([all.clone(), pivots, order].iter().map(|x| matrices.restore(x)).collect());
    }
    let limit = b.int(steps as i64, DType::I32);
    let done = counted(&limit, &[all.clone(), pivots, order], &|k, carried| {
        let [a, pivots, order] = carried else { return Vec::new() };
        let b = a.builder();
        let (row, column) = (rows(&b, m), columns(&b, n));
        let found = candidates(&slice_at(a, 2, k), &row, k);
        let pivot = found.apply(Op::ArgReduce { op: ArgOp::Max, axis: 1, dtype: DType::I32 }, &[]);
        // Exchanges rows k and pivot.
        let number = order.positions(1, DType::I32);
        let from = number.equal(k).select(&pivot, &number.equal(&pivot).select(k, &number));
        let order = order.apply(Op::GatherAxis { axis: 1 }, &[&from]);
        let a = a.apply(Op::GatherAxis { axis: 1 }, &[&from.unsqueeze(2).spread(a)]);
        let top = slice_at(&a, 1, k);
        let head = slice_at(&top, 2, k);
        let nonzero = head.not_equal(&head.scalar_like(0.0));
        let below = row.greater(k).and(&nonzero);
        let multiples = masked(&below, &(slice_at(&a, 2, k) / head));
        let reduced = column.greater(k).and(&below).select(&(&a - &multiples * top), &a);
        let next = column.equal(k).and(&below).select(&multiples, &reduced);
        vec![next, with_slice_at(pivots, 1, k, &pivot), order]
    });
    Ok(done.iter().map(|x| matrices.restore(x)).collect())
}
