//! The lexicographic order of complex numbers, by that of their parts.

use crate::build::Expression;
use rlx_ir::{CompareOp, Op, Tensor};

/// Whether `a op b`: real parts first, then imaginary ones. A NaN in any part makes them unequal and nothing else, unless parts are
/// compared by the total order.
pub(crate) fn compare(a: &Tensor, b: &Tensor, op: CompareOp, total_order: bool) -> Tensor {
    let part = |op, a: &Tensor, b: &Tensor| a.apply(Op::Compare { op, total_order }, &[b]);
    let (first, second) = ([a.re(), b.re()], [a.im(), b.im()]);
    let same = part(CompareOp::Eq, &first[0], &first[1]);
    let strict = match op {
        CompareOp::Lt | CompareOp::Le => CompareOp::Lt,
        CompareOp::Gt | CompareOp::Ge => CompareOp::Gt,
        CompareOp::Eq => return same.and(&part(CompareOp::Eq, &second[0], &second[1])),
        CompareOp::Ne => return same.and(&part(CompareOp::Eq, &second[0], &second[1])).logical_not(),
    };
    let holds = part(strict, &first[0], &first[1]).or(&same.and(&part(op, &second[0], &second[1])));
    if total_order { holds } else { holds.and(&a.equal(a)).and(&b.equal(b)) }
}

/// `a` unless `b` is beyond it; of a number with a NaN part and another that one, the first of two.
pub(crate) fn extreme(a: &Tensor, b: &Tensor, beyond: CompareOp) -> Tensor {
    let (first_nan, second_nan) = (a.not_equal(a), b.not_equal(b));
    let second = compare(a, b, beyond, false).or(&second_nan).and(&first_nan.logical_not());
    second.select(b, a)
}
