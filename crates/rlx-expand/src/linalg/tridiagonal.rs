//! Expands tridiagonal systems into elimination with partial pivoting, one row of all matrices at a time.

use super::{Matrices, masked, of_nan, padded, rows};
use crate::build::Expression;
use crate::looping::{counted, slice_at, with_slice_at};
use rlx_ir::{DType, Dim, OpError, ReduceOp, Tensor};

/// The X of A·X = B; NaN if a pivot is zero.
pub(crate) fn tridiagonal_solve(diagonals: [&Tensor; 3], right: &Tensor) -> Result<Vec<Tensor>, OpError> {
    let results = Matrices::of(right)?;
    let n = results.m;
    if right.shape().num_elements() == Some(0) {
        return Ok(vec![right.clone()]);
    }
    let b = right.builder();
    let [lower, diagonal, upper] =
        diagonals.map(|x| x.reshape(&[results.all.dim(0), Dim::Static(n), Dim::Static(1)]));
    let within = rows(&b, n).less(&b.int(n as i64 - 1, DType::I32));
    let above = masked(&within, &upper);
    let second = above.filled(0.0);
    let state = [lower, diagonal, above, second, results.all.clone()];
    let limit = b.int(n as i64 - 1, DType::I32);
    let done = counted(&limit, &state, &|k, carried| eliminated(k, carried));
    let [_, diagonal, above, second, y] = &done[..] else { return Ok(done) };
    let zeros = diagonal.equal(&diagonal.scalar_like(0.0)).reduce(ReduceOp::Or, &[1, 2], true);
    let state = [diagonal.clone(), above.clone(), second.clone(), padded(y, 2, 0)];
    let limit = b.int(n as i64, DType::I32);
    let done = counted(&limit, &state, &|step, carried| {
        let [diagonal, above, second, x] = carried else { return Vec::new() };
        let k = step.int_like(n as i64 - 1) - step;
        let next = &k + k.int_like(1);
        let known = slice_at(above, 1, &k) * slice_at(x, 1, &next)
            + slice_at(second, 1, &k) * slice_at(x, 1, &(&next + next.int_like(1)));
        let value = (slice_at(x, 1, &k) - known) / slice_at(diagonal, 1, &k);
        vec![diagonal.clone(), above.clone(), second.clone(), with_slice_at(x, 1, &k, &value)]
    });
    let Some(x) = done.last() else { return Ok(done) };
    let x = x.slice_axis(1, 0, n);
    let x = zeros.broadcast_to(&x.dims()).select(&of_nan(&x), &x);
    Ok(vec![results.restore(&x)])
}

/// One step: puts the row with the larger element in column k first, and subtracts a multiple of it from the other.
fn eliminated(k: &Tensor, carried: &[Tensor]) -> Vec<Tensor> {
    let [lower, diagonal, above, second, y] = carried else { return Vec::new() };
    let next = k + k.int_like(1);
    let at = |x: &Tensor| slice_at(x, 1, k);
    let below = |x: &Tensor| slice_at(x, 1, &next);
    let size = |x: &Tensor| {
        let re = x.re().abs();
        if x.dtype().is_complex() { re + x.im().abs() } else { re }
    };
    let pair = [[at(diagonal), at(above), at(second)], [below(lower), below(diagonal), below(above)]];
    let exchanged = size(&pair[0][0]).less(&size(&pair[1][0]));
    let pick = |first: &Tensor, second: &Tensor| {
        let exchanged = exchanged.broadcast_to(&first.dims());
        [exchanged.select(second, first), exchanged.select(first, second)]
    };
    let [[pivot, of_pivot], [p, q], [p_far, q_far]] = [0, 1, 2].map(|i| pick(&pair[0][i], &pair[1][i]));
    let multiple = of_pivot / &pivot;
    let [top, bottom] = pick(&at(y), &below(y));
    let set = |x: &Tensor, top: &Tensor, bottom: &Tensor| {
        with_slice_at(&with_slice_at(x, 1, k, top), 1, &next, bottom)
    };
    vec![
        lower.clone(),
        set(diagonal, &pivot, &(q - &multiple * &p)),
        set(above, &p, &(q_far - &multiple * &p_far)),
        with_slice_at(second, 1, k, &p_far),
        set(y, &top, &(bottom - multiple * &top)),
    ]
}
