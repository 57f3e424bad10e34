//! Rules of sorts, extremes and `top_k`: tangents move with the elements.

use super::{Batch, Jvp, Rules, Transpose};
use crate::batching::{Batched, Batching};
use crate::error::Error;
use crate::forward::{Dual, Forward};
use crate::trace;
use rlx_ir::{Builder, DType, Op, OpKind, Shape, SubGraph, Tensor};

const SORT: Rules = Rules { jvp: Jvp::Rule(sort_jvp), transpose: Transpose::None, batch: Batch::Rule(batch) };
const SORT_GRAPH: Rules =
    Rules { jvp: Jvp::Rule(sort_jvp), transpose: Transpose::None, batch: Batch::Rule(batch) };
const TOP_K: Rules =
    Rules { jvp: Jvp::Rule(top_k_jvp), transpose: Transpose::None, batch: Batch::Rule(batch) };
const ARG_REDUCE: Rules = Rules { jvp: Jvp::Zero, transpose: Transpose::None, batch: Batch::Rule(batch) };

/// The rules of this family's ops.
pub(super) const fn rules(kind: OpKind) -> Option<Rules> {
    Some(match kind {
        OpKind::Sort => SORT,
        OpKind::SortGraph => SORT_GRAPH,
        OpKind::TopK => TOP_K,
        OpKind::ArgReduce => ARG_REDUCE,
        _ => return None,
    })
}

/// Sorts the positions along with the elements. They say where the tangents come from.
fn sort_jvp(cx: &Forward<'_>, op: &Op, operands: &[Dual]) -> Result<Vec<Dual>, Error> {
    let (Op::Sort { axis, .. } | Op::SortGraph { axis, .. }) = op else {
        return Err(Error::no_rule("derivative", "not a sort"));
    };
    let axis = *axis;
    let dtype = trace::position_type(&operands[0].primal.dim(axis));
    let with_positions = match op {
        Op::SortGraph { stable, comparator, .. } => {
            Op::SortGraph { axis, stable: *stable, comparator: with_pair(comparator, dtype)? }
        }
        _ => op.clone(),
    };
    let mut primals: Vec<Tensor> = operands.iter().map(|d| d.primal.clone()).collect();
    primals.push(cx.builder.iota(primals[0].shape().with_dtype(dtype), axis));
    let mut results = cx.apply(&with_positions, &primals);
    let Some(positions) = results.pop() else { return Ok(Vec::new()) };
    let moved = |t: &Tensor| t.gather(&positions, axis);
    let duals = results.into_iter().zip(operands);
    Ok(duals.map(|(primal, x)| Dual { primal, tangent: x.tangent.as_ref().map(moved) }).collect())
}

/// A comparator that takes one more pair of elements and ignores it.
fn with_pair(comparator: &SubGraph, dtype: DType) -> Result<SubGraph, Error> {
    let mut shapes = comparator.input_shapes();
    let n = shapes.len();
    shapes.extend([Shape::scalar(dtype), Shape::scalar(dtype)]);
    let graph = trace::graph(comparator.name(), shapes, |builder: &Builder, args| {
        Ok(builder.inline(comparator, &args[..n])?)
    })?;
    Ok(SubGraph::new(graph))
}

fn top_k_jvp(cx: &Forward<'_>, op: &Op, operands: &[Dual]) -> Result<Vec<Dual>, Error> {
    let [Dual { primal: x, tangent: Some(t) }] = operands else {
        return Err(Error::no_rule("derivative", "top_k takes one operand"));
    };
    let results = cx.apply(op, std::slice::from_ref(x));
    let [values, indices] = &results[..] else { return Ok(Vec::new()) };
    let tangent = t.gather(indices, x.rank() - 1);
    Ok(vec![Dual::new(values.clone(), tangent), Dual::constant(indices.clone())])
}

fn batch(cx: &Batching<'_>, op: &Op, operands: &[Batched]) -> Result<Vec<Batched>, Error> {
    let mut op = op.clone();
    if let Op::Sort { axis, .. } | Op::SortGraph { axis, .. } | Op::ArgReduce { axis, .. } = &mut op {
        *axis += 1;
    }
    let operands: Vec<Tensor> = operands.iter().map(|x| cx.front(x)).collect();
    Ok(cx.apply(op, &operands))
}
