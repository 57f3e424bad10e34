//! Expands Householder QR in LAPACK's conventions, and the product of its reflectors. See Golub & Van Loan,
//! "Matrix Computations", 4th ed., algorithms 5.1.1 and 5.2.1, and section 5.1.6 (backward accumulation).

use super::{
    Matrices, columns, columns_at, divided, identity, masked, of_real, padded, rows, scaled, size_of, squares,
};
use crate::build::Expression;
use crate::looping::{counted, slice_at, with_slice_at, zero};
use rlx_ir::{ArgOp, DType, Dim, Op, OpError, Tensor};

/// A − τ·v·(vᴴ·A).
pub(crate) fn reflected(a: &Tensor, v: &Tensor, tau: &Tensor) -> Tensor {
    let products = (v.conj() * a).sum(1, true);
    a - (tau * v) * products
}

/// A reflector of a column: v with a leading one, τ, and the remaining element β.
pub(crate) struct Reflector {
    pub(crate) v: Tensor,
    pub(crate) tau: Tensor,
    beta: Tensor,
}

/// The reflector H = I − τ·v·vᴴ with Hᴴ·x = β·e for the part x of a column from row k on. If that part is already a real multiple
/// of e, H is the identity.
pub(crate) fn reflector(column: &Tensor, row: &Tensor, k: &Tensor) -> Reflector {
    let (at, below) = (row.equal(k), row.greater(k));
    let size = size_of(&masked(&row.greater_equal(k), column), &[1]);
    let x = divided(column, &size);
    let alpha = masked(&at, &x).sum(1, true);
    let rest = squares(&masked(&below, &x)).sum(1, true);
    let norm = (squares(&alpha) + &rest).sqrt();
    let nothing = rest.scalar_like(0.0);
    let mut trivial = rest.equal(&nothing);
    if x.dtype().is_complex() {
        trivial = trivial.and(&alpha.im().equal(&nothing));
    }
    // The sign of β is opposite to that of Re α, so that nothing cancels.
    let beta = alpha.re().sign_bit().select(&norm, &-&norm);
    let difference = &alpha - of_real(&beta, &x);
    let one = x.scalar_like(1.0);
    let tail = masked(&below, &trivial.select(&x.scalar_like(0.0), &(&x / &difference)));
    let tau = trivial.select(&x.scalar_like(0.0), &divided(&-&difference, &beta));
    let left = trivial.select(&alpha, &of_real(&beta, &x));
    Reflector { v: at.select(&one, &tail), tau, beta: scaled(&left, &size) }
}

/// The packed factorization, and the factors τ.
pub(crate) fn geqrf(a: &Tensor) -> Result<Vec<Tensor>, OpError> {
    let matrices = Matrices::of(a)?;
    let (m, n, all) = (matrices.m, matrices.n, &matrices.all);
    let steps = m.min(n);
    let b = a.builder();
    let taus = zero(&b, a.dtype()).broadcast_to(&[all.dim(0), Dim::Static(steps)]);
    if steps == 0 {
        return Ok(vec![a.clone(), matrices.restore(&taus)]);
    }
    let limit = b.int(steps as i64, DType::I32);
    let done = counted(&limit, &[all.clone(), taus], &|k, carried| {
        let [a, taus] = carried else { return Vec::new() };
        let b = a.builder();
        let (row, column) = (rows(&b, m), columns(&b, n));
        let Reflector { v, tau, beta } = reflector(&slice_at(a, 2, k), &row, k);
        let next = column.greater(k).select(&reflected(a, &v, &tau.conj()), a);
        let packed = row.equal(k).select(&beta, &row.greater(k).select(&v, a));
        let next = column.equal(k).select(&packed, &next);
        vec![next, with_slice_at(taus, 1, k, &tau.squeeze(2))]
    });
    Ok(done.iter().map(|x| matrices.restore(x)).collect())
}

/// The criterion for the next column, `[batch, 1, n]`: the first of the leading columns, otherwise the longest one from row k on.
/// A NaN loses, but not to the columns that are done.
fn candidates(a: &Tensor, leading: &Tensor, row: &Tensor, column: &Tensor, k: &Tensor) -> Tensor {
    let rest = masked(&row.greater_equal(k).and(&column.greater_equal(k)), a);
    let lengths = squares(&divided(&rest, &size_of(&rest, &[1, 2]))).sum(1, true);
    let worth = |value: f64| lengths.scalar_like(value);
    let known = lengths.is_nan().select(&worth(-0.5), &lengths);
    let leads = leading.not_equal(&leading.int_like(0)).unsqueeze(1);
    let chosen = leads.select(&worth(f64::INFINITY), &known);
    column.less(k).select(&worth(-1.0), &chosen)
}

/// The packed factorization with columns exchanged, the factors τ, and the order of the columns.
pub(crate) fn geqp3(a: &Tensor, leading: &Tensor) -> Result<Vec<Tensor>, OpError> {
    let matrices = Matrices::of(a)?;
    let (m, n, all) = (matrices.m, matrices.n, &matrices.all);
    let (steps, b, batch) = (m.min(n), a.builder(), all.dim(0));
    let leading = leading.reshape(&[batch.clone(), Dim::Static(n)]);
    let order = leading.positions(1, DType::I32);
    let taus = zero(&b, a.dtype()).broadcast_to(&[batch, Dim::Static(n)]);
    if n == 0 {
        return Ok([all.clone(), taus, order].iter().map(|x| matrices.restore(x)).collect());
    }
    let limit = b.int(n as i64, DType::I32);
    let done = counted(&limit, &[all.clone(), taus, order, leading], &|k, carried| {
        let [a, taus, order, leading] = carried else { return Vec::new() };
        let b = a.builder();
        let (row, column) = (rows(&b, m), columns(&b, n));
        let found = candidates(a, leading, &row, &column, k).squeeze(1);
        let pivot = found.apply(Op::ArgReduce { op: ArgOp::Max, axis: 1, dtype: DType::I32 }, &[]);
        let [a, order, leading] = exchanged(k, &pivot, [a, order, leading]);
        if m == 0 {
            return vec![a, taus.clone(), order, leading];
        }
        let Reflector { v, tau, beta } = reflector(&slice_at(&a, 2, k), &row, k);
        let next = column.greater(k).select(&reflected(&a, &v, &tau.conj()), &a);
        let packed = row.equal(k).select(&beta, &row.greater(k).select(&v, &a));
        let next = column.equal(k).select(&packed, &next);
        vec![next, with_slice_at(taus, 1, k, &tau.squeeze(2)), order, leading]
    });
    let [packed, taus, order, _] = &done[..] else { return Ok(done) };
    let taus = taus.slice_axis(1, 0, steps);
    Ok([packed, &taus, order].into_iter().map(|x| matrices.restore(x)).collect())
}

/// Exchanges entries k and `pivot` of the last axis.
fn exchanged(k: &Tensor, pivot: &Tensor, [a, order, leading]: [&Tensor; 3]) -> [Tensor; 3] {
    let number = order.positions(1, DType::I32);
    let pivot = pivot.unsqueeze(1);
    let from = number.equal(k).select(&pivot, &number.equal(&pivot).select(k, &number));
    let along = |x: &Tensor| x.apply(Op::GatherAxis { axis: 1 }, &[&from]);
    [columns_at(a, &from), along(order), along(leading)]
}

/// The first columns of the product of the reflectors, which are applied from the last to the first.
pub(crate) fn householder_product(a: &Tensor, taus: &Tensor) -> Result<Vec<Tensor>, OpError> {
    let matrices = Matrices::of(a)?;
    let (m, n, all) = (matrices.m, matrices.n, &matrices.all);
    let Some(&count) = taus.shape().static_dims().as_deref().and_then(<[usize]>::last) else {
        return Err(OpError::shape(format!("the number of reflectors of {} is not known", taus.shape())));
    };
    let q = identity(all, m, n);
    if count == 0 {
        return Ok(vec![matrices.restore(&q)]);
    }
    let b = a.builder();
    let taus = taus.reshape(&[all.dim(0), Dim::Static(count)]);
    let done = counted(&b.int(count as i64, DType::I32), &[all.clone(), taus, q], &|i, carried| {
        let [a, taus, q] = carried else { return Vec::new() };
        let row = rows(&a.builder(), m);
        let k = i.int_like(count as i64 - 1) - i;
        let tail = masked(&row.greater(&k), &slice_at(a, 2, &k));
        let v = row.equal(&k).select(&a.scalar_like(1.0), &tail);
        let tau = slice_at(taus, 1, &k).unsqueeze(2);
        vec![a.clone(), taus.clone(), reflected(q, &v, &tau)]
    });
    Ok(done.iter().skip(2).map(|q| matrices.restore(q)).collect())
}

/// Q with this many columns, and the packed factorization of matrices `[batch, m, n]`.
pub(crate) fn factors(all: &Tensor, n: usize, columns: usize) -> (Tensor, Tensor) {
    let mut made = all.apply_many(Op::Geqrf {}, &[]).into_iter();
    let (Some(packed), Some(taus)) = (made.next(), made.next()) else {
        return (all.clone(), all.clone());
    };
    let kept = packed.slice_axis(2, 0, n.min(columns));
    let vectors = padded(&kept, 0, columns - n.min(columns));
    (vectors.apply(Op::HouseholderProduct {}, &[&taus]), packed)
}

/// The upper triangle of the first rows.
pub(crate) fn upper(packed: &Tensor, m: usize, n: usize) -> Tensor {
    let b = packed.builder();
    masked(&rows(&b, m).less_equal(&columns(&b, n)), &packed.slice_axis(1, 0, m))
}

/// Q and R.
pub(crate) fn qr(a: &Tensor, full_matrices: bool) -> Result<Vec<Tensor>, OpError> {
    let matrices = Matrices::of(a)?;
    let (m, n) = (matrices.m, matrices.n);
    let inner = if full_matrices { m } else { m.min(n) };
    let (q, packed) = factors(&matrices.all, n, inner);
    Ok([q, upper(&packed, inner, n)].iter().map(|x| matrices.restore(x)).collect())
}
