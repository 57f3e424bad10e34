//! Expands extremes of complex numbers into lexicographic comparisons of their parts.

use crate::build::Expression;
use rlx_ir::{CompareOp, Tensor};

/// `a`, unless `b` is more extreme: if `a op b` is true for their real parts, or for their imaginary parts if the real parts are
/// equal. A number with a NaN part is more extreme than all others; of two such numbers, `a` is taken.
pub(crate) fn extreme(a: &Tensor, b: &Tensor, op: CompareOp) -> Tensor {
    let (a_nan, b_nan) = (a.not_equal(a), b.not_equal(b));
    let (x, y) = ([a.re(), b.re()], [a.im(), b.im()]);
    let beyond = x[0].compare(op, &x[1]).or(&x[0].equal(&x[1]).and(&y[0].compare(op, &y[1])));
    beyond.or(&b_nan).and(&a_nan.logical_not()).select(b, a)
}
