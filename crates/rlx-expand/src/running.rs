//! Expands running reductions by doubling (Hillis and Steele, "Data parallel algorithms", 1986). After step k, each element has
//! combined the 2^k elements up to it, so ⌈log₂ n⌉ passes of a pad and an elementwise function suffice. The sums have depth log₂
//! n, and so a smaller error than those of a loop. A window reduction would express the same in a single op, but costs n² unless
//! the backend recognizes this shape of window.

use crate::identity::identity;
use rlx_ir::{DType, Op, OpError, ReduceOp, Tensor, UnaryOp};

/// Running reductions along an axis; types narrower than f32 are accumulated in f32.
pub(crate) fn cumulative(
    x: &Tensor,
    op: ReduceOp,
    axis: usize,
    exclusive: bool,
    reverse: bool,
) -> Result<Vec<Tensor>, OpError> {
    let dtype = x.dtype();
    let wide = match (dtype, op) {
        (_, ReduceOp::Max | ReduceOp::Min) => x.clone(),
        (DType::F16 | DType::BF16 | DType::F8E4M3 | DType::F8E5M2, _) => x.convert(DType::F32),
        _ => x.clone(),
    };
    let Some(n) = x.dim(axis).as_static() else {
        return Err(OpError::shape(format!(
            "axis {axis} of {} has no size yet; bind its symbol first",
            x.shape()
        )));
    };
    let identity = identity(&wide.builder(), op, wide.dtype());
    // Elements moved by a distance along the axis, with the identity in the free places.
    let moved = |x: &Tensor, distance: usize| {
        let (mut low, mut high) = (vec![0; x.rank()], vec![0; x.rank()]);
        let distance = i64::try_from(distance).unwrap_or(i64::MAX);
        (low[axis], high[axis]) = if reverse { (-distance, distance) } else { (distance, -distance) };
        x.apply(Op::Pad { low, high, interior: vec![0; x.rank()] }, &[&identity])
    };
    let mut sums = if exclusive && n > 0 { moved(&wide, 1) } else { wide };
    if op == ReduceOp::Sum {
        // The identity of sums turns −0 into 0.
        sums = &sums + &identity;
    }
    let mut distance = 1;
    while distance < n {
        sums = combined(op, &moved(&sums, distance), &sums);
        distance *= 2;
    }
    Ok(vec![sums.convert(dtype)])
}

fn combined(op: ReduceOp, a: &Tensor, b: &Tensor) -> Tensor {
    match op.binary() {
        Some(op) => a.binary(op, b),
        None => log_add_exp(a, b),
    }
}

/// log(e^a + e^b): the larger one, plus a term in the distance of the other.
fn log_add_exp(a: &Tensor, b: &Tensor) -> Tensor {
    let (large, small) = (a.maximum(b), a.minimum(b));
    let sum = &large + (&small - &large).exp().log1p();
    large.unary(UnaryOp::IsFinite).select(&sum, &large)
}
