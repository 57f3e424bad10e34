//! Expands sorts by key, `top_k` and indices of extremes into sorts and reductions with sub-graphs.

use crate::build::Expression;
use crate::identity::identity;
use rlx_ir::{ArgOp, Builder, CompareOp, DType, Op, OpError, ReduceOp, Shape, SortOrder, SubGraph, Tensor};

/// A graph over scalars.
pub(crate) fn scalar_graph(
    name: &str,
    inputs: &[DType],
    body: impl FnOnce(&Builder, &[Tensor]) -> Vec<Tensor>,
) -> Result<SubGraph, OpError> {
    let builder = Builder::new(name);
    let named = inputs.iter().enumerate().map(|(i, &d)| builder.input(format!("x{i}"), Shape::scalar(d)));
    let inputs: Vec<Tensor> = named.collect();
    let outputs = body(&builder, &inputs);
    let graph = builder.finish(&outputs.iter().collect::<Vec<_>>());
    graph.map(SubGraph::new).map_err(|violations| OpError::shape(violations.to_string()))
}

/// A key in parts that compare by `<` in the order of the sort: floats by the total order, with a single zero and a single NaN,
/// so that NaN comes last; complex numbers by their real part, then by their imaginary part.
fn parts(key: &Tensor) -> Vec<Tensor> {
    if key.dtype().is_complex() {
        return [key.re(), key.im()].iter().flat_map(parts).collect();
    }
    if !key.dtype().is_float() {
        return vec![key.clone()];
    }
    let zero = key.scalar_like(0.0);
    let key = key.equal(&zero).select(&zero, key);
    vec![key.is_nan().select(&key.scalar_like(f64::NAN), &key)]
}

/// Applies `op` to parts of keys.
fn ordered(op: CompareOp, a: &Tensor, b: &Tensor) -> Tensor {
    a.apply(Op::Compare { op, total_order: a.dtype().is_float() }, &[b])
}

/// Whether the keys `a` come before `b`, lexicographically.
fn before(a: &[Tensor], b: &[Tensor]) -> Option<Tensor> {
    let (a, b): (Vec<_>, Vec<_>) = (a.iter().flat_map(parts).collect(), b.iter().flat_map(parts).collect());
    a.iter().zip(&b).rev().fold(None, |later, (a, b)| {
        let less = ordered(CompareOp::Lt, a, b);
        Some(match later {
            Some(later) => less.or(&ordered(CompareOp::Eq, a, b).and(&later)),
            None => less,
        })
    })
}

/// Sorts `xs` by the first `num_keys` of them.
pub(crate) fn sort(
    xs: &[Tensor],
    axis: usize,
    order: SortOrder,
    num_keys: usize,
    stable: bool,
) -> Result<Vec<Tensor>, OpError> {
    let scalars: Vec<DType> = xs.iter().flat_map(|x| [x.dtype(); 2]).collect();
    let comparator = scalar_graph("comparator", &scalars, |b, pairs| {
        let side = |i: usize| pairs.iter().skip(i).step_by(2).take(num_keys).cloned().collect::<Vec<_>>();
        let (first, second) = match order {
            SortOrder::Ascending => (side(0), side(1)),
            SortOrder::Descending => (side(1), side(0)),
        };
        vec![before(&first, &second).unwrap_or_else(|| b.error("sort", "there is no key"))]
    })?;
    Ok(xs[0].apply_many(Op::SortGraph { axis, stable, comparator }, &xs[1..].iter().collect::<Vec<_>>()))
}

/// The k largest elements along the last axis and their indices.
pub(crate) fn top_k(x: &Tensor, k: usize) -> Result<Vec<Tensor>, OpError> {
    let (axis, dtype) = (x.rank() - 1, x.dtype());
    let comparator = scalar_graph("comparator", &[dtype, dtype, DType::I32, DType::I32], |_, pairs| {
        vec![ordered(CompareOp::Gt, &pairs[0], &pairs[1])]
    })?;
    let sorted =
        x.apply_many(Op::SortGraph { axis, stable: true, comparator }, &[&x.positions(axis, DType::I32)]);
    Ok(sorted.iter().map(|x| x.slice_axis(axis, 0, k)).collect())
}

/// The index of the extreme along an axis, as a reduction of pairs of a value and its index. Of two pairs, the one with NaN
/// stays, otherwise the one with the better value, otherwise the one with the lower index. That is associative and commutative.
pub(crate) fn argreduce(x: &Tensor, op: ArgOp, axis: usize, index: DType) -> Result<Vec<Tensor>, OpError> {
    let dtype = x.dtype();
    let (better, worst) = match op {
        ArgOp::Max => (CompareOp::Gt, ReduceOp::Max),
        ArgOp::Min => (CompareOp::Lt, ReduceOp::Min),
    };
    let body = scalar_graph("extreme", &[dtype, index, dtype, index], |_, pairs| {
        let [a, i, b, j] = pairs else { return Vec::new() };
        let (mut first, mut tie) = (a.compare(better, b), a.equal(b));
        if dtype.is_float() {
            first = first.or(&a.is_nan().and(&b.equal(b)));
            tie = tie.or(&a.is_nan().and(&b.is_nan()));
        }
        let lower = first.or(&tie.and(&i.less(j)));
        vec![first.select(a, b), lower.select(i, j)]
    })?;
    let b = x.builder();
    let indices = x.positions(axis, index);
    let reduce = Op::ReduceGraph { body, axes: vec![axis] };
    let found = x.apply_many(reduce, &[&indices, &identity(&b, worst, dtype), &b.int(0, index)]);
    Ok(found.into_iter().skip(1).collect())
}
