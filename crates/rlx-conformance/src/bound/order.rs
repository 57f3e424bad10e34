//! Error bounds of what orders elements: sorted values move no more than the element that moves most; the positions of
//! the largest ones are uncertain.

use super::{Analysis, Twin};
use rlx_ir::{ArgOp, DType, Op, ReduceOp, Tensor};

/// The largest bound along an axis, for every element of it.
fn largest(x: &Twin, axis: usize) -> Tensor {
    let most = x.error().reduce(ReduceOp::Max, &[axis], true);
    most.maximum(&most.scalar_like(0.0))
}

/// A sort of one operand.
pub(super) fn sorted(op: &Op, x: &Twin, axis: usize) -> Twin {
    let value = x.wide().apply(op.clone(), &[]);
    let error = largest(x, axis).broadcast_to(&value.dims());
    Twin { value, error: Some(error) }
}

/// The largest elements and where they stand.
pub(super) fn top_k(cx: &Analysis, op: &Op, x: &Twin) -> Vec<Twin> {
    let mut results = cx.builder.apply_many(op.clone(), &[&x.wide()]).into_iter();
    let axis = x.value.rank().saturating_sub(1);
    let values = results.next().map(|value| {
        let error = largest(x, axis).broadcast_to(&value.dims());
        Twin { value, error: Some(error) }
    });
    values.into_iter().chain(results.map(uncertain)).collect()
}

/// The place of the largest or smallest element along an axis: certain where no other element may be as large or as small, each
/// taken at twice its bound, which results are held to.
pub(super) fn arg_reduce(op: &Op, x: &Twin, kind: ArgOp, axis: usize) -> Twin {
    let wide = x.wide();
    let value = wide.apply(op.clone(), &[]);
    let ranked = if kind == ArgOp::Max { wide } else { -wide };
    let margin = x.error() * 2.0;
    let reached = (&ranked - &margin).reduce(ReduceOp::Max, &[axis], true);
    let contends = (&ranked + &margin).greater_equal(&reached).convert(DType::F64);
    let contenders = contends.reduce(ReduceOp::Sum, &[axis], false);
    // A NaN contends with nothing: then there is none.
    let certain = contenders.equal(&contenders.scalar_like(1.0));
    let zero = contenders.scalar_like(0.0);
    let error = certain.select(&zero, &zero.scalar_like(f64::INFINITY));
    Twin { value, error: Some(error) }
}

/// A result that may be any other.
fn uncertain(value: Tensor) -> Twin {
    let infinite = value.builder().scalar(f64::INFINITY, DType::F64).broadcast_to(&value.dims());
    Twin { value, error: Some(infinite) }
}
