//! Jacobi rotations of many pairs at once, and the tournament that pairs every two columns once per sweep. See Golub & Van Loan,
//! algorithm 8.5.1 (the symmetric Schur decomposition of 2×2 blocks) and section 8.5.7; Brent and Luk, 1985.

use super::{epsilon, joined, of_real};
use crate::build::Expression;
use crate::looping::counted;
use rlx_ir::{DType, Op, ReduceOp, SortOrder, Tensor};

/// Sweeps after which the iteration ends in any case. Convergence is quadratic, so a dozen is more than enough.
const SWEEPS: i64 = 30;

/// Rotations J = [[c, σ], [−σ̄, c]], one per pair.
pub(crate) struct Rotations {
    /// The cosine, which is real.
    pub(crate) cosine: Tensor,
    /// The sine times the phase of the element to be zeroed.
    pub(crate) sine: Tensor,
    /// The real number that is subtracted from the first diagonal element and added to the second.
    pub(crate) shift: Tensor,
}

/// The rotations that make Jᴴ·[[a, g], [ḡ, b]]·J diagonal; a and b are real.
pub(crate) fn rotations(a: &Tensor, b: &Tensor, g: &Tensor) -> Rotations {
    let size = g.abs();
    let (nothing, one) = (size.scalar_like(0.0), size.scalar_like(1.0));
    let none = size.equal(&nothing);
    let tau = (b - a) / (&size * 2.0);
    let root = tau.abs() + (&tau * &tau + 1.0).sqrt();
    let tangent = &one / root;
    let tangent = tau.less(&nothing).select(&-&tangent, &tangent);
    let tangent = none.select(&nothing, &tangent);
    let cosine = (&tangent * &tangent + 1.0).rsqrt();
    let phase = none.select(&g.scalar_like(1.0), &super::divided(g, &size));
    let sine = phase * of_real(&(&tangent * &cosine), g);
    Rotations { cosine: of_real(&cosine, g), sine, shift: tangent * size }
}

/// The two halves of an axis.
pub(crate) fn halves(x: &Tensor, axis: usize, half: usize) -> [Tensor; 2] {
    [x.slice_axis(axis, 0, half), x.slice_axis(axis, half, 2 * half)]
}

/// X·J: columns i and half + i of X, rotated with rotation i.
pub(crate) fn rotated_columns(x: &Tensor, turn: &Rotations, half: usize) -> Tensor {
    let [p, q] = halves(x, 2, half);
    let first = &turn.cosine * &p - turn.sine.conj() * &q;
    let second = &turn.sine * &p + &turn.cosine * &q;
    joined([&first, &second], 2)
}

/// The next round of the tournament along an axis: the first entry stays, and all others move on by one place around the two
/// halves.
pub(crate) fn next_round(x: &Tensor, axis: usize, half: usize) -> Tensor {
    if half < 2 {
        return x.clone();
    }
    let seats = [(0, 1), (half, half + 1), (1, half - 1), (half + 1, 2 * half), (half - 1, half)];
    let parts = seats.map(|(from, to)| x.slice_axis(axis, from, to));
    joined(parts.each_ref(), axis)
}

/// Sweeps over `state`, each of `rounds` rounds, until `unfinished`, a boolean scalar computed from the state after a sweep, is
/// false.
pub(crate) fn sweeps(
    state: &[Tensor],
    rounds: usize,
    round: &dyn Fn(&[Tensor]) -> Vec<Tensor>,
    unfinished: &dyn Fn(&[Tensor]) -> Tensor,
    prepare: &dyn Fn(&[Tensor]) -> Vec<Tensor>,
) -> Vec<Tensor> {
    let Some(b) = state.first().map(Tensor::builder) else { return Vec::new() };
    let control = [b.int(0, DType::I32), b.int(1, DType::Bool)];
    let done = b.while_loop(
        &[&control[..], state].concat(),
        &|_, values| vec![values[0].less(&values[0].int_like(SWEEPS)).and(&values[1])],
        &|b, values| {
            let limit = b.int(rounds as i64, DType::I32);
            let made = counted(&limit, &prepare(&values[2..]), &|_, state| round(state));
            let control = [&values[0] + &values[0].int_like(1), unfinished(&made)];
            [&control[..], &made].concat()
        },
    );
    done.into_iter().skip(2).collect()
}

/// Whether any of these numbers is above `units` times the rounding error.
pub(crate) fn any_above(x: &Tensor, units: f64) -> Tensor {
    let axes: Vec<usize> = (0..x.rank()).collect();
    x.greater(&x.scalar_like(units * epsilon(x.dtype()))).reduce(ReduceOp::Or, &axes, false)
}

/// Sorted keys `[batch, n]`, and the positions where they were.
pub(crate) fn sorted(keys: &Tensor, order: SortOrder) -> [Tensor; 2] {
    let op = Op::Sort { axis: 1, order, num_keys: 1, stable: true };
    let made = keys.apply_many(op, &[&keys.positions(1, DType::I32)]);
    let at = |i: usize| made.get(i).unwrap_or(keys).clone();
    [at(0), at(1)]
}
