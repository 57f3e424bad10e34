//! Error bounds of what orders elements: sorted values move no more than the element that moves most; positions are
//! uncertain.

use super::{Analysis, Twin};
use rlx_ir::{DType, Op, Reducer, Tensor};

/// The largest bound along an axis, for every element of it.
fn largest(x: &Twin, axis: usize) -> Tensor {
    let most = x.error().reduce(Reducer::Max, &[axis], true);
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

/// A result that may be any other.
pub(super) fn uncertain(value: Tensor) -> Twin {
    let infinite = value.builder().scalar(f64::INFINITY, DType::F64).broadcast_to(&value.dims());
    Twin { value, error: Some(infinite) }
}
