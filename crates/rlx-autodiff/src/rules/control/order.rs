//! Rules of `optimization_barrier`: values and derivatives stay behind the same barrier.

use crate::backward::{Arg, Backward, Cotangents};
use crate::batching::{Batched, Batching};
use crate::error::Error;
use crate::forward::{Dual, Forward};
use rlx_ir::{Builder, Op, Tensor};

/// Puts the values behind a barrier. Adds no barrier if there are no values.
pub(super) fn barrier(builder: &Builder, xs: &[Tensor]) -> Vec<Tensor> {
    match xs {
        [] => Vec::new(),
        xs => builder.apply_many(Op::OptimizationBarrier {}, &xs.iter().collect::<Vec<_>>()),
    }
}

pub(super) fn jvp(cx: &Forward<'_>, op: &Op, operands: &[Dual]) -> Result<Vec<Dual>, Error> {
    let primals: Vec<Tensor> = operands.iter().map(|d| d.primal.clone()).collect();
    let tangents: Vec<Tensor> = operands.iter().filter_map(|d| d.tangent.clone()).collect();
    let mut tangents = barrier(cx.builder, &tangents).into_iter();
    let duals = cx.apply(op, &primals).into_iter().zip(operands).map(|(primal, operand)| Dual {
        primal,
        tangent: operand.tangent.as_ref().and_then(|_| tangents.next()),
    });
    Ok(duals.collect())
}

pub(super) fn transpose(
    cx: &Backward<'_>,
    _: &Op,
    _: &[Arg],
    cts: &Cotangents<'_>,
) -> Result<Vec<Option<Tensor>>, Error> {
    let given: Vec<Tensor> = cts.each().iter().flatten().cloned().collect();
    let mut given = barrier(cx.builder, &given).into_iter();
    Ok(cts.each().iter().map(|ct| ct.as_ref().and_then(|_| given.next())).collect())
}

pub(super) fn batch(cx: &Batching<'_>, op: &Op, operands: &[Batched]) -> Result<Vec<Batched>, Error> {
    let values: Vec<&Tensor> = operands.iter().map(|x| &x.value).collect();
    let results = cx.builder.apply_many(op.clone(), &values);
    let result = |(value, x): (Tensor, &Batched)| Batched { value, batched: x.batched };
    Ok(results.into_iter().zip(operands).map(result).collect())
}
