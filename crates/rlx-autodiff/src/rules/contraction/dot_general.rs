//! Rules of `dot_general`, whose transpose is a `dot_general`. A mapped axis is a batch axis if both operands have it, otherwise
//! a free axis of the operand that has it.

use super::met;
use crate::backward::{Arg, Backward, Cotangents};
use crate::batching::{Batched, Batching};
use crate::error::Error;
use crate::vmap::move_axis;
use rlx_ir::{DType, DotDims, DotSide, Op, Tensor};

/// The axes of one operand.
struct Side {
    rank: usize,
    batch: Vec<usize>,
    contract: Vec<usize>,
}

impl Side {
    fn free(&self) -> Vec<usize> {
        DotSide { batch: &self.batch, contract: &self.contract }.free(self.rank)
    }

    /// The axes after adding a leading axis, which is a batch axis or free.
    fn under_batch(&self, batched: bool, both: bool) -> Side {
        let later = |axes: &[usize]| axes.iter().map(|a| a + usize::from(batched)).collect::<Vec<_>>();
        let front: &[usize] = if both { &[0] } else { &[] };
        Side {
            rank: self.rank + usize::from(batched),
            batch: [front, &later(&self.batch)].concat(),
            contract: later(&self.contract),
        }
    }
}

/// The axes of both operands, and the type of the sums.
fn parts(op: &Op, ranks: [usize; 2]) -> Result<([Side; 2], Option<DType>), Error> {
    let Op::DotGeneral { dims, dtype } = op else {
        return Err(Error::no_rule("rule", "this is not a dot_general"));
    };
    let side = |rank: usize, axes: DotSide<'_>| Side {
        rank,
        batch: axes.batch.to_vec(),
        contract: axes.contract.to_vec(),
    };
    let ([lhs, rhs], [l, r]) = (dims.sides(), ranks);
    Ok(([side(l, lhs), side(r, rhs)], *dtype))
}

fn product(lhs: (&Tensor, &[usize], &[usize]), rhs: (&Tensor, &[usize], &[usize])) -> Tensor {
    let dims = DotDims {
        lhs_batch: lhs.1.to_vec(),
        rhs_batch: rhs.1.to_vec(),
        lhs_contract: lhs.2.to_vec(),
        rhs_contract: rhs.2.to_vec(),
    };
    lhs.0.apply(Op::DotGeneral { dims, dtype: None }, &[rhs.0])
}

pub(super) fn transpose(
    cx: &Backward<'_>,
    op: &Op,
    operands: &[Arg],
    cts: &Cotangents<'_>,
) -> Result<Vec<Option<Tensor>>, Error> {
    let [lhs, rhs] = operands else { return Err(Error::no_rule("transpose", "it has two operands")) };
    let (sides, _) = parts(op, [lhs.shape().rank(), rhs.shape().rank()])?;
    let ct = cts.first(cx.builder);
    let batches = sides[0].batch.len();
    // Axes of the result: batch, free of lhs, free of rhs.
    let of_lhs: Vec<usize> = (batches..batches + sides[0].free().len()).collect();
    let of_rhs: Vec<usize> = (batches + of_lhs.len()..ct.rank()).collect();
    let linear = usize::from(!lhs.is_linear());
    let (known, ct_contract) = if linear == 0 { (rhs.known()?, of_rhs) } else { (lhs.known()?, of_lhs) };
    let dtype = operands[linear].shape().dtype();
    let given = met(&ct, known, dtype, |ct, known| {
        cotangent(ct, &ct_contract, known, &sides[1 - linear], &sides[linear])
    });
    Ok(if linear == 0 { vec![Some(given), None] } else { vec![None, Some(given)] })
}

/// The cotangent of the operand with the axes `own`. `ct_contract` are the axes of the cotangent that come from the other
/// operand.
fn cotangent(ct: &Tensor, ct_contract: &[usize], known: &Tensor, other: &Side, own: &Side) -> Tensor {
    let ct_batch: Vec<usize> = (0..own.batch.len()).collect();
    // The remaining axes of the known operand are its contracting axes, in its order.
    let mut pairs: Vec<(usize, usize)> =
        other.contract.iter().copied().zip(own.contract.iter().copied()).collect();
    pairs.sort_unstable();
    let contracted: Vec<usize> = pairs.into_iter().map(|(_, own)| own).collect();
    let free = own.free();
    let other_free = other.free();
    let in_ct = (ct, ct_batch.as_slice(), ct_contract);
    let in_known = (known, other.batch.as_slice(), other_free.as_slice());
    let known_first = [&own.batch[..], &contracted, &free].concat();
    if known_first.is_sorted() {
        return product(in_known, in_ct);
    }
    let ct_first = [&own.batch[..], &free, &contracted].concat();
    let perm: Vec<usize> =
        (0..own.rank).filter_map(|axis| ct_first.iter().position(|&a| a == axis)).collect();
    product(in_ct, in_known).transpose(&perm)
}

pub(super) fn batch(cx: &Batching<'_>, op: &Op, operands: &[Batched]) -> Result<Vec<Batched>, Error> {
    let [lhs, rhs] = operands else { return Err(Error::no_rule("batching rule", "it has two operands")) };
    let ([l, r], dtype) = parts(op, [lhs.own_shape().rank(), rhs.own_shape().rank()])?;
    let both = lhs.batched && rhs.batched;
    let at = match (both, lhs.batched) {
        (true, _) => 0,
        (false, true) => l.batch.len(),
        (false, false) => l.batch.len() + l.free().len(),
    };
    let (l, r) = (l.under_batch(lhs.batched, both), r.under_batch(rhs.batched, both));
    let dims = DotDims {
        lhs_batch: l.batch,
        rhs_batch: r.batch,
        lhs_contract: l.contract,
        rhs_contract: r.contract,
    };
    let result = cx.builder.apply(Op::DotGeneral { dims, dtype }, &[&lhs.value, &rhs.value]);
    Ok(vec![Batched::each(move_axis(&result, at, 0))])
}
