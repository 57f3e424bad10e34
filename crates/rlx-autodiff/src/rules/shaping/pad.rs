//! Rules of `pad`: cotangents of added elements are dropped, and removed elements get zeros.

use super::leading;
use crate::backward::{Arg, Backward, Cotangents};
use crate::batching::{Batched, Batching};
use crate::error::Error;
use crate::rules::elementwise::except_where;
use rlx_ir::{DType, Dim, Op, ReduceOp, Shape, Tensor};

pub(super) fn transpose(
    cx: &Backward<'_>,
    op: &Op,
    operands: &[Arg],
    cts: &Cotangents<'_>,
) -> Result<Vec<Option<Tensor>>, Error> {
    let (Op::Pad { low, high, interior }, [x, value]) = (op, operands) else { return Ok(Vec::new()) };
    let ct = cts.first(cx.builder);
    let of_x = x.is_linear().then(|| unpadded(&ct, low, high, interior));
    let of_value = value.is_linear().then(|| {
        let all: Vec<usize> = (0..ct.rank()).collect();
        except_where(&elements(&x.shape(), op, &ct), &ct).reduce(ReduceOp::Sum, &all, false)
    });
    Ok(vec![of_x, of_value])
}

/// The elements of the padded tensor that are not padding, with zeros for those that padding removed.
fn unpadded(ct: &Tensor, low: &[i64], high: &[i64], interior: &[usize]) -> Tensor {
    let negated = |amounts: &[i64]| amounts.iter().map(|n| -n).collect::<Vec<i64>>();
    let mut whole = ct.clone();
    if low.iter().chain(high).any(|&n| n != 0) {
        let op = Op::Pad { low: negated(low), high: negated(high), interior: vec![0; low.len()] };
        whole = ct.apply(op, &[&ct.scalar_like(0.0)]);
    }
    if interior.iter().all(|&n| n == 0) {
        return whole;
    }
    let strides = interior.iter().map(|n| n + 1).collect();
    whole.apply(Op::Slice { starts: vec![Dim::Static(0); low.len()], limits: whole.dims(), strides }, &[])
}

/// Which elements of the padded tensor are not padding.
fn elements(own: &Shape, op: &Op, near: &Tensor) -> Tensor {
    let b = near.builder();
    let is_element = b.int(1, DType::Bool).broadcast_to(own.dims());
    is_element.apply(op.clone(), &[&b.int(0, DType::Bool)])
}

/// If the padding values differ within the batch, pads with zeros and then selects the padding value of each entry.
pub(super) fn batch(cx: &Batching<'_>, op: &Op, operands: &[Batched]) -> Result<Vec<Batched>, Error> {
    let (Op::Pad { low, high, interior }, [x, value]) = (op, operands) else { return Ok(Vec::new()) };
    let front = cx.front(x);
    let over_batch =
        Op::Pad { low: leading(&0, low), high: leading(&0, high), interior: leading(&0, interior) };
    if !value.batched {
        return Ok(cx.apply(over_batch, &[front, value.value.clone()]));
    }
    let padded = front.apply(over_batch.clone(), &[&front.scalar_like(0.0)]);
    let mask = elements(&front.shape(), &over_batch, &front);
    let values = value.value.broadcast_in_dim(&padded.dims(), &[0]);
    Ok(vec![Batched::each(mask.select(&padded, &values))])
}
