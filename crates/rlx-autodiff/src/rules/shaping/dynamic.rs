//! Rules of slices at offsets that are values. If the offsets are batched, slices are read with a gather and written with a
//! scatter.

use super::leading;
use crate::backward::{Arg, Backward, Cotangents};
use crate::batching::{Batched, Batching};
use crate::error::Error;
use crate::trace::zeros;
use rlx_ir::{BinaryOp, Combiner, DType, Dim, GatherDims, Op, ScatterDims, Tensor};

pub(super) fn slice_transpose(
    cx: &Backward<'_>,
    _: &Op,
    operands: &[Arg],
    cts: &Cotangents<'_>,
) -> Result<Vec<Option<Tensor>>, Error> {
    let [x, starts @ ..] = operands else { return Ok(Vec::new()) };
    let ct = cts.first(cx.builder);
    let empty = zeros(cx.builder, &x.shape());
    let given = empty.apply(Op::DynamicUpdateSlice {}, &with_offsets(&[&ct], starts)?);
    Ok(per_operand(vec![Some(given)], operands))
}

pub(super) fn update_transpose(
    cx: &Backward<'_>,
    _: &Op,
    operands: &[Arg],
    cts: &Cotangents<'_>,
) -> Result<Vec<Option<Tensor>>, Error> {
    let [x, update, starts @ ..] = operands else { return Ok(Vec::new()) };
    let ct = cts.first(cx.builder);
    let mut given = vec![None, None];
    if x.is_linear() {
        let hole = zeros(cx.builder, &update.shape());
        given[0] = Some(ct.apply(Op::DynamicUpdateSlice {}, &with_offsets(&[&hole], starts)?));
    }
    if update.is_linear() {
        let sizes = update.shape().dims().to_vec();
        given[1] = Some(ct.apply(Op::DynamicSlice { sizes }, &with_offsets(&[], starts)?));
    }
    Ok(per_operand(given, operands))
}

/// The operands, followed by the offsets, which are known.
fn with_offsets<'a>(first: &[&'a Tensor], starts: &'a [Arg]) -> Result<Vec<&'a Tensor>, Error> {
    first.iter().map(|x| Ok(*x)).chain(starts.iter().map(Arg::known)).collect()
}

/// The cotangents, and `None` for the offsets.
fn per_operand(mut given: Vec<Option<Tensor>>, operands: &[Arg]) -> Vec<Option<Tensor>> {
    given.resize(operands.len(), None);
    given
}

pub(super) fn slice_batch(cx: &Batching<'_>, op: &Op, operands: &[Batched]) -> Result<Vec<Batched>, Error> {
    let (Op::DynamicSlice { sizes }, [x, starts @ ..]) = (op, operands) else { return Ok(Vec::new()) };
    if starts.iter().all(|s| !s.batched) {
        let op = Op::DynamicSlice { sizes: leading(&cx.size, sizes) };
        return Ok(cx.apply(op, &leading(&x.value, &one_offset_more(cx, starts))));
    }
    let rank = starts.len();
    let own_axes: Vec<usize> = (1..=rank).collect();
    let dims = GatherDims { offset_dims: own_axes.clone(), index_vector_dim: 1, ..GatherDims::default() };
    let gather = if x.batched {
        let dims = GatherDims {
            operand_batching_dims: vec![0],
            start_indices_batching_dims: vec![0],
            start_index_map: own_axes,
            ..dims
        };
        Op::Gather { dims, slice_sizes: leading(&Dim::Static(1), sizes) }
    } else {
        let dims = GatherDims { start_index_map: (0..rank).collect(), ..dims };
        Op::Gather { dims, slice_sizes: sizes.clone() }
    };
    Ok(cx.apply(gather, &[x.value.clone(), index_vectors(cx, starts, None)]))
}

pub(super) fn update_batch(cx: &Batching<'_>, op: &Op, operands: &[Batched]) -> Result<Vec<Batched>, Error> {
    let [x, update, starts @ ..] = operands else { return Ok(Vec::new()) };
    let (into, slices) = (cx.front(x), cx.front(update));
    if starts.iter().all(|s| !s.batched) {
        let operands = [&[into, slices][..], &one_offset_more(cx, starts)].concat();
        return Ok(cx.apply(op.clone(), &operands));
    }
    let own_axes: Vec<usize> = (1..=starts.len()).collect();
    let dims = ScatterDims {
        update_window_dims: own_axes.clone(),
        inserted_window_dims: Vec::new(),
        input_batching_dims: vec![0],
        scatter_indices_batching_dims: vec![0],
        scatter_dims_to_operand_dims: own_axes,
        index_vector_dim: 1,
    };
    let vectors = index_vectors(cx, starts, Some((&into, &slices)));
    Ok(cx.apply(Op::Scatter { dims, combiner: Combiner::Set }, &[into, vectors, slices]))
}

/// The offsets, with an additional offset of 0 for the batch axis.
fn one_offset_more(cx: &Batching<'_>, starts: &[Batched]) -> Vec<Tensor> {
    let dtype = starts.first().map_or(DType::I32, |s| s.value.dtype());
    let zero = cx.builder.int(0, dtype);
    std::iter::once(zero).chain(starts.iter().map(|s| s.value.clone())).collect()
}

/// The offsets as index vectors, i64 `[batch, rank]`. With (x, update), they are clamped so that each update is inside x, which
/// gathers do themselves and scatters do not.
fn index_vectors(cx: &Batching<'_>, starts: &[Batched], inside: Option<(&Tensor, &Tensor)>) -> Tensor {
    let column = |(i, start): (usize, &Batched)| {
        let mut at = signed(&cx.front(start));
        if let Some((x, update)) = inside {
            let last = size(x, i + 1) - size(update, i + 1);
            let zero = cx.builder.int(0, DType::I64);
            at = at.minimum(&last).maximum(&zero);
        }
        at.unsqueeze(1)
    };
    let columns: Vec<Tensor> = starts.iter().enumerate().map(column).collect();
    cx.builder.apply(Op::Concatenate { axis: 1 }, &columns.iter().collect::<Vec<_>>())
}

/// Offsets as i64; those beyond its range become its maximum.
fn signed(start: &Tensor) -> Tensor {
    if start.dtype() != DType::U64 {
        return start.convert(DType::I64);
    }
    let largest = start.builder().int(i64::MAX, DType::U64);
    start.binary(BinaryOp::Min, &largest).convert(DType::I64)
}

/// The size of an axis as an i64 scalar.
fn size(x: &Tensor, axis: usize) -> Tensor {
    match x.dim(axis).as_static().and_then(|n| i64::try_from(n).ok()) {
        Some(n) => x.builder().int(n, DType::I64),
        None => x.apply(Op::DimSize { axis }, &[]),
    }
}
