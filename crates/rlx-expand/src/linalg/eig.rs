//! Expands eigenvalues and eigenvectors of any square matrix, using its complex Schur form A = Z·T·Zᴴ. The matrix is reduced to
//! Hessenberg form. QR steps with implicit single shifts follow (Golub & Van Loan, section 7.5), one rotation at a time, of all
//! matrices of the batch at once. Each matrix has its own active block; a matrix without one gets identity rotations.

use super::householder::{reflected, reflector};
use super::jacobi::sorted;
use super::{
    Matrices, columns, columns_at, diagonal, divided, epsilon, identity, largest_part, masked, of_nan,
    of_real, rows, scaled, size_of, squares,
};
use crate::build::Expression;
use crate::looping::{counted, slice_at, with_slice_at};
use rlx_ir::{ArgOp, BinaryOp, DType, Op, OpError, ReduceOp, SortOrder, Tensor};

/// QR steps per row after which the iteration ends in any case; two or three are usual.
const STEPS: usize = 30;

/// The eigenvalues, and the requested left and right eigenvectors as columns.
pub(crate) fn eig(a: &Tensor, left: bool, right: bool) -> Result<Vec<Tensor>, OpError> {
    let matrices = Matrices::of(a)?;
    let (n, real) = (matrices.n, !a.dtype().is_complex());
    let wide = if a.dtype().real() == DType::F64 { DType::C128 } else { DType::C64 };
    let all = matrices.all.convert(wide);
    if a.shape().num_elements() == Some(0) {
        let made = [true, left, right].into_iter().zip([diagonal(&all, n), all.clone(), all]);
        return Ok(made.filter(|(wanted, _)| *wanted).map(|(_, x)| matrices.restore(&x)).collect());
    }
    let finite = largest_part(&all).is_finite().reduce(ReduceOp::And, &[1, 2], true);
    let usable = masked(&finite.broadcast_to(&all.dims()), &all);
    let size = size_of(&usable, &[1, 2]);
    let (t, z, found) = schur(&divided(&usable, &size), n);
    let found = found.unsqueeze(1).unsqueeze(2).and(&finite);
    let values = diagonal(&t, n);
    let mut results = vec![values.clone()];
    let wanted = [(left, true), (right, false)].into_iter().filter(|(wanted, _)| *wanted);
    for (_, is_left) in wanted {
        let x = if is_left { left_vectors(&t, n) } else { right_vectors(&t, n) };
        results.push(normalized(&product(&z, &x, n)));
    }
    let mut results = if real { in_pairs(&results, n) } else { results };
    results[0] = scaled(&results[0], &size.squeeze(2));
    let checked = results.iter().enumerate().map(|(i, x)| {
        let found = if i == 0 { found.squeeze(2) } else { found.clone() };
        matrices.restore(&found.broadcast_to(&x.dims()).select(x, &of_nan(x)))
    });
    Ok(checked.collect())
}

/// T, Z, and whether T is triangular, for each matrix.
fn schur(a: &Tensor, n: usize) -> (Tensor, Tensor, Tensor) {
    let b = a.builder();
    let reduced = counted(
        &b.int(n.saturating_sub(2) as i64, DType::I32),
        &[a.clone(), identity(a, n, n)],
        &|k, carried| {
            let [h, z] = carried else { return Vec::new() };
            let row = rows(&h.builder(), n);
            let from = k + k.int_like(1);
            let made = reflector(&slice_at(h, 2, k), &row, &from);
            let h = from_right(&reflected(h, &made.v, &made.tau.conj()), &made.v, &made.tau);
            vec![h, from_right(z, &made.v, &made.tau)]
        },
    );
    let [h, z] = &reduced[..] else { return (a.clone(), a.clone(), a.clone()) };
    let (row, column) = (rows(&b, n), columns(&b, n));
    let h = masked(&row.less_equal(&(&column + column.int_like(1))), h);
    let limit = b.int((STEPS * n) as i64, DType::I32);
    let control = [b.int(0, DType::I32), limit, b.int(1, DType::Bool)];
    let done = b.while_loop(
        &[&control[..], &[h, z.clone()]].concat(),
        &|_, values| vec![values[0].less(&values[1]).and(&values[2])],
        &|_, values| {
            let h = deflated(&values[3], n);
            let (h, z) = step(&h, &values[4], n, &values[0]);
            let next = deflated(&h, n);
            let any = below_diagonal(&next, n).reduce(ReduceOp::Or, &[0, 1], false);
            vec![&values[0] + values[0].int_like(1), values[1].clone(), any, next, z]
        },
    );
    let [_, _, _, t, z] = &done[..] else { return (a.clone(), a.clone(), a.clone()) };
    let found = below_diagonal(t, n).reduce(ReduceOp::Or, &[1], false).logical_not();
    (masked(&row.less_equal(&column), t), z.clone(), found)
}

/// A − (A·v)·τ·vᴴ.
fn from_right(a: &Tensor, v: &Tensor, tau: &Tensor) -> Tensor {
    let across = v.transpose_last();
    let products = (a * &across).sum(2, true);
    a - products * tau * across.conj()
}

/// |re| + |im|.
fn size_of_each(x: &Tensor) -> Tensor {
    x.re().abs() + x.im().abs()
}

/// Whether the element below each diagonal element is nonzero, `[batch, n]`; false for the last one.
fn below_diagonal(h: &Tensor, n: usize) -> Tensor {
    let b = h.builder();
    let (row, column) = (rows(&b, n), columns(&b, n));
    let at = row.equal(&(&column + column.int_like(1)));
    let size = size_of_each(&masked(&at, h));
    size.not_equal(&size.scalar_like(0.0)).reduce(ReduceOp::Or, &[1], false)
}

/// The matrix with elements below the diagonal set to zero if they are negligible compared with their neighbors on the diagonal.
fn deflated(h: &Tensor, n: usize) -> Tensor {
    let b = h.builder();
    let (row, column) = (rows(&b, n), columns(&b, n));
    let size = size_of_each(h);
    let own = masked(&row.equal(&column), &size);
    let (above, beside) = (own.sum(1, true), own.sum(2, true));
    let small = (above + beside) * epsilon(h.dtype());
    let least = small.scalar_like(if h.dtype().real() == DType::F64 { 1e-280 } else { 1e-35 });
    let negligible = size.less_equal(&small.maximum(&least));
    row.greater(&column).and(&negligible).select(&h.scalar_like(0.0), h)
}

/// The element at row i and column j of each matrix; i and j are numbers `[batch, 1, 1]`.
fn element(h: &Tensor, n: usize, i: &Tensor, j: &Tensor) -> Tensor {
    let b = h.builder();
    let at = rows(&b, n).equal(i).and(&columns(&b, n).equal(j));
    masked(&at, h).reduce(ReduceOp::Sum, &[1, 2], true)
}

/// One QR step on the last block of each matrix that is not yet triangular.
fn step(h: &Tensor, z: &Tensor, n: usize, count: &Tensor) -> (Tensor, Tensor) {
    let b = h.builder();
    let coupled = below_diagonal(h, n);
    let place = coupled.positions(1, DType::I32);
    let one = place.int_like(1);
    // The block ends after the last coupled row, and begins after the last uncoupled row before it.
    let none = place.int_like(-1);
    let end = coupled.select(&place, &none).reduce(ReduceOp::Max, &[1], true);
    let free = coupled.logical_not().and(&place.less(&end));
    let start = free.select(&place, &none).reduce(ReduceOp::Max, &[1], true) + &one;
    let last = (&end + &one).unsqueeze(2);
    let (first, before) = (start.unsqueeze(2), end.unsqueeze(2));
    let corner = element(h, n, &last, &last);
    let coupling = element(h, n, &last, &before);
    let half = scaled(&(element(h, n, &before, &before) - &corner), &corner.re().filled(0.5));
    let inner = element(h, n, &before, &last) * &coupling;
    let root = (&half * &half + &inner).sqrt();
    let backwards = (half.conj() * &root).re();
    let sum = backwards.less(&backwards.scalar_like(0.0)).select(&(&half - &root), &(&half + &root));
    let zero = size_of_each(&sum).equal(&backwards.scalar_like(0.0));
    let usual = &corner - zero.select(&sum, &(inner / &sum));
    // Every tenth step uses a shift that does not depend on the symmetries of the matrix.
    let ten = count.int_like(10);
    let unusual = count.binary(BinaryOp::Rem, &ten).equal(&count.int_like(9));
    let other = &corner + of_real(&(size_of_each(&coupling) * 0.75), &corner);
    let shift = unusual.broadcast_to(&usual.dims()).select(&other, &usual);
    let limit = b.int(n as i64 - 1, DType::I32);
    let state = [h.clone(), z.clone(), first, before, shift];
    let done = counted(&limit, &state, &|k, carried| chased(k, carried, n));
    (done[0].clone(), done[1].clone())
}

/// Rotates rows and columns k and k + 1 of the matrices whose block contains them.
fn chased(k: &Tensor, carried: &[Tensor], n: usize) -> Vec<Tensor> {
    let [h, z, first, before, shift] = carried else { return Vec::new() };
    let b = h.builder();
    let next = k + k.int_like(1);
    let at_start = first.equal(k);
    let inside = first.less_equal(k).and(&before.greater_equal(k));
    let previous = (k - k.int_like(1)).maximum(&k.int_like(0));
    let column_of = |j: &Tensor| slice_at(h, 2, j);
    let (own, left) = (column_of(k), column_of(&previous));
    let x = at_start.select(&(slice_at(&own, 1, k) - shift), &slice_at(&left, 1, k));
    let y = at_start.select(&slice_at(&own, 1, &next), &slice_at(&left, 1, &next));
    // [c, s; −s̄, c̄] rotates (x, y) onto the first axis.
    let size = largest_part(&x).maximum(&largest_part(&y));
    let nothing = size.scalar_like(0.0);
    let active = inside.and(&size.greater(&nothing));
    let size = active.select(&size, &size.filled(1.0));
    let (x, y) = (divided(&x, &size), divided(&y, &size));
    let length = (squares(&x) + squares(&y)).sqrt();
    let length = active.select(&length, &length.filled(1.0));
    let c = active.select(&divided(&x.conj(), &length), &x.scalar_like(1.0));
    let s = active.select(&divided(&y.conj(), &length), &y.scalar_like(0.0));
    let (top, bottom) = (slice_at(h, 1, k), slice_at(h, 1, &next));
    let turned_top = &c * &top + &s * &bottom;
    let turned_bottom = c.conj() * bottom - s.conj() * top;
    let h = with_slice_at(&with_slice_at(h, 1, k, &turned_top), 1, &next, &turned_bottom);
    let from_right = |m: &Tensor| {
        let (p, q) = (slice_at(m, 2, k), slice_at(m, 2, &next));
        let (p, q) = (c.conj() * &p + s.conj() * &q, &c * &q - &s * &p);
        with_slice_at(&with_slice_at(m, 2, k, &p), 2, &next, &q)
    };
    let h = from_right(&h);
    // The elements that the rotation zeroed.
    let gone = columns(&b, n).equal(&previous).and(&rows(&b, n).equal(&next));
    let gone = gone.and(&active).and(&at_start.logical_not());
    let h = gone.select(&h.scalar_like(0.0), &h);
    vec![h, from_right(z), first.clone(), before.clone(), shift.clone()]
}

/// λᵢ − λₖ for one i and all k, `[batch, 1, n]`, moved away from zero.
fn differences(t: &Tensor, values: &Tensor, i: &Tensor) -> Tensor {
    let own = slice_at(values, 2, i);
    let apart = own - values;
    let size = size_of_each(values) * epsilon(t.dtype());
    let least = size.maximum(&size.scalar_like(if t.dtype().real() == DType::F64 { 1e-150 } else { 1e-18 }));
    size_of_each(&apart).less(&least).select(&of_real(&least, &apart), &apart)
}

/// The upper triangular X with T·X = X·diag(λ), computed row by row from the last.
fn right_vectors(t: &Tensor, n: usize) -> Tensor {
    let values = diagonal(t, n).unsqueeze(1);
    let limit = t.builder().int(n as i64, DType::I32);
    let state = [t.clone(), values, identity(t, n, n)];
    let done = counted(&limit, &state, &|step, carried| {
        let [t, values, x] = carried else { return Vec::new() };
        let i = step.int_like(n as i64 - 1) - step;
        let row = masked(&columns(&t.builder(), n).greater(&i), &slice_at(t, 1, &i));
        solved_row(t, values, x, &i, &(row.transpose_last() * x).sum(1, true), n)
    });
    done[2].clone()
}

/// The lower triangular X with Xᴴ·T = diag(λ)·Xᴴ, computed row by row from the first.
fn left_vectors(t: &Tensor, n: usize) -> Tensor {
    let values = diagonal(t, n).conj().unsqueeze(1);
    let limit = t.builder().int(n as i64, DType::I32);
    let state = [t.clone(), values, identity(t, n, n)];
    let done = counted(&limit, &state, &|i, carried| {
        let [t, values, x] = carried else { return Vec::new() };
        let column = masked(&rows(&t.builder(), n).less(i), &slice_at(t, 2, i));
        solved_row(t, values, x, i, &(column.conj() * x).sum(1, true), n)
    });
    done[2].clone()
}

/// Row i of the vectors, from the contribution of the rows before it. Columns that become large are scaled down.
fn solved_row(t: &Tensor, values: &Tensor, x: &Tensor, i: &Tensor, known: &Tensor, n: usize) -> Vec<Tensor> {
    let own = columns(&t.builder(), n).equal(i);
    let row = -(known / differences(t, values, i));
    let some = size_of_each(known).not_equal(&known.re().filled(0.0));
    let row = masked(&some, &row);
    let row = own.select(&slice_at(x, 1, i), &row);
    let x = with_slice_at(x, 1, i, &row);
    let size = largest_part(&row);
    let size = size.maximum(&size.scalar_like(1.0));
    vec![t.clone(), values.clone(), divided(&x, &size)]
}

/// Z·X, computed one column of Z at a time.
fn product(z: &Tensor, x: &Tensor, n: usize) -> Tensor {
    let limit = z.builder().int(n as i64, DType::I32);
    let done = counted(&limit, &[z.clone(), x.clone(), z.filled(0.0)], &|j, carried| {
        let [z, x, sum] = carried else { return Vec::new() };
        vec![z.clone(), x.clone(), sum + slice_at(z, 2, j) * slice_at(x, 1, j)]
    });
    done[2].clone()
}

/// Scales columns to norm 1 and a real largest element.
fn normalized(x: &Tensor) -> Tensor {
    let x = divided(x, &size_of(x, &[1]));
    let x = divided(&x, &squares(&x).sum(1, true).sqrt());
    let top = squares(&x).apply(Op::ArgReduce { op: ArgOp::Max, axis: 1, dtype: DType::I32 }, &[]);
    let at = x.re().positions(1, DType::I32).equal(&top.unsqueeze(1));
    let largest = masked(&at, &x).sum(1, true);
    let phase = divided(&largest.conj(), &squares(&largest).sqrt());
    let turned = x * phase;
    at.select(&of_real(&turned.re(), &turned), &turned)
}

/// The results for a real matrix: adjacent conjugate pairs first, then the real ones.
fn in_pairs(results: &[Tensor], n: usize) -> Vec<Tensor> {
    let values = &results[0];
    let imaginary = values.im();
    let [parts, order] = sorted(&imaginary, SortOrder::Descending);
    let least = n as f64 * epsilon(values.dtype());
    let upper = parts.greater(&parts.scalar_like(least));
    let pairs = upper.convert(DType::I32).sum(1, true);
    let slot = order.positions(1, DType::I32);
    let two = slot.int_like(2);
    let in_pair = slot.less(&(&pairs * &two));
    let second = in_pair.and(&slot.binary(BinaryOp::Rem, &two).equal(&slot.int_like(1)));
    let place = in_pair.select(&slot.binary(BinaryOp::Div, &two), &(&slot - &pairs));
    let from = order.apply(Op::GatherAxis { axis: 1 }, &[&place]);
    let chosen = |x: &Tensor, in_pair: &Tensor, second: &Tensor| {
        let turned = second.select(&x.conj(), x);
        in_pair.select(&turned, &of_real(&x.re(), x))
    };
    let of_values = values.apply(Op::GatherAxis { axis: 1 }, &[&from]);
    let mut made = vec![chosen(&of_values, &in_pair, &second)];
    for x in &results[1..] {
        let across = |mask: &Tensor| mask.unsqueeze(1).broadcast_to(&x.dims());
        let x = chosen(&columns_at(x, &from), &across(&in_pair), &across(&second));
        made.push(divided(&x, &squares(&x).sum(1, true).sqrt()));
    }
    made
}
