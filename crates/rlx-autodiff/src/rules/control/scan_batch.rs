//! Vectorization of `scan`: a single loop whose steps each run the whole batch.

use super::scan::{Role, Scan};
use crate::batching::{Batched, Batching, batch_graph};
use crate::error::Error;
use crate::vmap::move_axis;
use rlx_ir::{Op, SubGraph, Tensor};

pub(super) fn batch(cx: &Batching<'_>, op: &Op, operands: &[Batched]) -> Result<Vec<Batched>, Error> {
    let scan = Scan::of(op)?;
    let ys = scan.body.outputs().len() - scan.carry;
    let first = operands.iter().map(|x| x.batched).collect();
    let (mapped, batched) = scan.spread(first, |batched| {
        let carried = &batched[scan.consts..scan.consts + scan.carry];
        let wants = [carried, &vec![false; ys]].concat();
        let mapped = batch_graph(cx, &scan.body, batched, &wants)?;
        let results = mapped.batched.clone();
        Ok((mapped, results))
    })?;
    let roles = scan.roles();
    let operand = |(i, x): (usize, &Batched)| match (roles[i], batched[i]) {
        (Role::Slice, true) => move_axis(&x.value, 0, 1),
        (_, true) => cx.front(x),
        (_, false) => x.value.clone(),
    };
    let args: Vec<Tensor> = operands.iter().enumerate().map(operand).collect();
    let op = Op::Scan {
        body: SubGraph::new(mapped.graph),
        length: scan.length.clone(),
        num_consts: scan.consts,
        num_carry: scan.carry,
        reverse: scan.reverse,
    };
    let results = cx.builder.apply_many(op, &args.iter().collect::<Vec<_>>());
    let result = |((value, batched), role): ((Tensor, bool), Role)| match (role, batched) {
        (Role::Slice, true) => Batched::each(move_axis(&value, 1, 0)),
        (_, batched) => Batched { value, batched },
    };
    Ok(results.into_iter().zip(mapped.batched).zip(scan.result_roles()).map(result).collect())
}
