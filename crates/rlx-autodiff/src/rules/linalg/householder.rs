//! Rules of packed Householder factorizations, through the matrix Q that they represent. Q = I − V·T·Vᴴ (Schreiber and Van
//! Loan, 1989), where the upper triangular T is (I + D·S)⁻¹·D for D = diag τ and S the part of Vᴴ·V strictly above the diagonal
//! (Puglisi, 1992).

use super::matrix::{
    Triangular, adjoint, beside, column, columns, diagonal, factorized, identity_like, lower, row, rows,
    sizes, upper,
};
use super::qr::factors;
use crate::error::Error;
use crate::forward::{Dual, Forward};
use crate::trace;
use rlx_ir::{Builder, Op, Shape, Tensor};

/// The tangents of the columns of I − V·T·Vᴴ. The primal stays the op.
pub(super) fn product_jvp(cx: &Forward<'_>, op: &Op, operands: &[Dual]) -> Result<Vec<Dual>, Error> {
    let primals: Vec<Tensor> = operands.iter().map(|d| d.primal.clone()).collect();
    let builder = Builder::new(op.mnemonic());
    let shapes: Vec<Shape> = primals.iter().map(Tensor::shape).collect();
    let args = trace::inputs(&builder, "x", shapes);
    let [a, taus] = args.as_slice() else { return cx.decomposed(op, operands) };
    let equal = written_out(a, taus)?;
    let graph = trace::finish(&builder, &[&equal])?;
    let tangents = cx.graph(&graph, operands, &[])?;
    let results = cx.apply(op, &primals).into_iter().zip(tangents);
    Ok(results.map(|(primal, dual)| Dual { primal, tangent: dual.tangent }).collect())
}

/// The first columns of the product of the reflectors, as many as A has.
fn written_out(a: &Tensor, taus: &Tensor) -> Result<Tensor, Error> {
    let (_, n) = sizes(a)?;
    let Some(k) = taus.dims().last().and_then(rlx_ir::Dim::as_static) else {
        return Err(Error::no_rule("derivative", "it needs the number of reflectors; bind its symbol first"));
    };
    let packed = columns(a, 0, k);
    let v = lower(&packed, true) + identity_like(&packed);
    let above = upper(&adjoint(&v).matmul(&v), true);
    let factors = column(taus);
    let system = &factors * above;
    let image = factors * adjoint(&rows(&v, 0, n));
    let inner = Triangular::left(false).unit_diagonal().solve(&system, &image);
    Ok(identity_like(a) - v.matmul(&inner))
}

/// Q and R determine the tangent of R. I − Q = V·U with triangular V and U, where τ is the diagonal of U, determines those of V
/// and τ.
pub(super) fn geqrf_jvp(cx: &Forward<'_>, op: &Op, operands: &[Dual]) -> Result<Vec<Dual>, Error> {
    let (a, t, results) = factorized(cx, op, operands)?;
    let [packed, taus] = results.as_slice() else { return cx.decomposed(op, operands) };
    packed_tangents(&a, &t, packed, taus)
}

/// The order of the columns is fixed, so this is `geqrf` of A·P.
pub(super) fn geqp3_jvp(cx: &Forward<'_>, op: &Op, operands: &[Dual]) -> Result<Vec<Dual>, Error> {
    let [Dual { primal: a, tangent: Some(t) }, leading] = operands else {
        return Err(Error::no_rule("derivative", "only its first operand can have a tangent"));
    };
    let results = cx.apply(op, &[a.clone(), leading.primal.clone()]);
    let [packed, taus, order] = results.as_slice() else { return cx.decomposed(op, operands) };
    let last = a.rank().saturating_sub(1);
    let axes: Vec<usize> = (0..last.saturating_sub(1)).chain([last]).collect();
    let places = order.broadcast_in_dim(&a.dims(), &axes);
    let mut duals = packed_tangents(&a.gather(&places, last), &t.gather(&places, last), packed, taus)?;
    duals.push(Dual::constant(order.clone()));
    Ok(duals)
}

/// The packed factorization of A with its tangents, given the tangent `t` of A.
fn packed_tangents(a: &Tensor, t: &Tensor, packed: &Tensor, taus: &Tensor) -> Result<Vec<Dual>, Error> {
    let (m, n) = sizes(a)?;
    let k = m.min(n);
    let reflectors = columns(packed, 0, k);
    let q = reflectors.apply(Op::HouseholderProduct {}, &[taus]);
    let (of_q, of_r) = factors(a, t, &q, &upper(&rows(packed, 0, k), false), (m, n));

    let v = lower(&reflectors, true) + identity_like(&reflectors);
    let (top, of_top) = (rows(&v, 0, k), rows(&of_q, 0, k));
    let shifted = identity_like(&of_top) - rows(&q, 0, k);
    let unit = Triangular::left(true).unit_diagonal();
    let u = upper(&unit.solve(&top, &shifted), false);
    // τ is 0 only if a column is zero below its diagonal. Next to such a matrix it is 2, and the column of Q has the other sign.
    let zero = taus.equal(&taus.scalar_like(0.0)).convert(taus.dtype());
    let safe = &u - identity_like(&u) * row(&(zero * 2.0));
    let projected = -unit.solve(&top, &of_top);
    let moved = lower(&Triangular::right(false).solve(&safe, &projected), true);
    let of_u = upper(&(projected - moved.matmul(&u)), false);
    let below = top.matmul(&moved);
    let of_v = if m > k {
        let rest = -rows(&of_q, k, m) - rows(&v, k, m).matmul(&of_u);
        beside(&below, &Triangular::right(false).solve(&safe, &rest), 0)
    } else {
        below
    };
    let of_v = lower(&of_v, true);
    let (of_r, of_v) = (filled(&of_r, 0, m, k), filled(&of_v, 1, n, k));
    Ok(vec![Dual::new(packed.clone(), of_r + of_v), Dual::new(taus.clone(), diagonal(&of_u))])
}

/// Matrices extended to the size `to` with zeros below (`axis` 0) or to the right (`axis` 1).
fn filled(x: &Tensor, axis: usize, to: usize, from: usize) -> Tensor {
    if to <= from {
        return x.clone();
    }
    let mut dims = x.dims();
    let at = x.rank().saturating_sub(2) + axis;
    dims[at] = (to - from).into();
    beside(x, &trace::zeros(&x.builder(), &x.shape().with_dims(dims)), axis)
}
