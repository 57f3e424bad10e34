//! Reads gathers, scatters and other operations by index.

use super::args::{Args, Read, Unread};
use super::shaping::{self, from_start};
use rlx_ir::{
    BinaryOp, Combiner, CompareOp, DType, Dim, GatherDims, Op, ReduceOp, ScatterDims, Shape, SortOrder,
    Tensor,
};

pub(super) fn read(kind: &str, args: &Args<'_>) -> Option<Read> {
    let one = |read: Result<Tensor, Unread>| read.map(|x| vec![x]);
    Some(match kind {
        "slice_by_size" => one(slice_by_size(args)),
        "slice_update" => one(slice_update(args)),
        "gather" => one(gather(args)),
        "gather_along_axis" => one(gather_along_axis(args)),
        "gather_nd" => one(gather_nd(args)),
        "scatter" => one(scatter(args)),
        "scatter_along_axis" => one(scatter_along_axis(args)),
        "scatter_nd" => one(scatter_nd(args)),
        "one_hot" => one(one_hot(args)),
        "topk" => topk(args),
        "argsort" => one(argsort(args)),
        "reverse_sequence" => one(reverse_sequence(args)),
        _ => return None,
    })
}

/// Returns the elements of a vector as scalars.
fn scalars(x: &Tensor, count: usize) -> Vec<Tensor> {
    (0..count).map(|i| x.slice_axis(0, i, i + 1).reshape(&[])).collect()
}

fn slice_by_size(args: &Args<'_>) -> Result<Tensor, Unread> {
    let (x, begin) = (args.x("x")?, args.x("begin")?);
    let dims = args.dims(x)?;
    let given = args.some_ints("size")?;
    if given.len() != dims.len() {
        return Err("`size` must have one number per axis".into());
    }
    let first = args.is_known("begin").then(|| args.some_ints("begin")).transpose()?;
    if args.dims(begin)? != [dims.len()] {
        return Err("`begin` must have one number per axis".into());
    }
    let mut sizes = Vec::new();
    for (axis, &n) in given.iter().enumerate() {
        sizes.push(match (n, &first) {
            (-1, Some(first)) => dims[axis].saturating_sub(usize::try_from(first[axis]).unwrap_or(0)),
            (n, _) => usize::try_from(n).map_err(|_| "a size is not known before the run")?,
        });
    }
    let starts = scalars(begin, dims.len());
    let sizes = sizes.into_iter().map(Dim::Static).collect();
    Ok(x.apply(Op::DynamicSlice { sizes }, &starts.iter().collect::<Vec<_>>()))
}

fn slice_update(args: &Args<'_>) -> Result<Tensor, Unread> {
    let (x, update) = (args.x("x")?, args.x("update")?);
    let dims = args.dims(x)?;
    if !args.is_known("begin") {
        return update_at(args, x, update, &dims);
    }
    let cut = shaping::cut(args, &dims)?;
    let count = |axis: usize| (cut.limits[axis] - cut.starts[axis]).div_ceil(cut.strides[axis]);
    let places: Vec<usize> = (0..dims.len()).map(count).collect();
    // Spreads the update, and a mask of its positions, to a tensor as large as x; missing axes have size 1.
    let spread = |x: &Tensor| {
        let low: Vec<i64> = cut.starts.iter().map(|&n| n as i64).collect();
        let used = |axis: usize| cut.starts[axis] + (places[axis] - 1) * cut.strides[axis] + 1;
        let high = (0..dims.len()).map(|axis| (dims[axis] - used(axis)) as i64).collect();
        let interior = cut.strides.iter().map(|&n| n - 1).collect();
        x.apply(Op::Pad { low, high, interior }, &[&x.scalar_like(0.0)])
    };
    let update = update.reshape(&shaping::sizes(&places));
    let there = args.builder.scalar(1.0, DType::I32).broadcast_in_dim(&update.dims(), &[]);
    let there = spread(&there).compare(CompareOp::Ne, &args.builder.scalar(0.0, DType::I32));
    Ok(cut.turn(&there.select(&spread(&update), &cut.turn(x))))
}

/// Writes an update at a position that the run decides.
fn update_at(args: &Args<'_>, x: &Tensor, update: &Tensor, dims: &[usize]) -> Result<Tensor, Unread> {
    if args.ints("stride")?.is_some_and(|list| list.iter().any(|&n| n != 1)) {
        return Err("updates with steps at a position that the run decides are not supported".into());
    }
    let [begin_mask, _, squeezed] = shaping::masks(args, dims.len())?;
    let mut sizes = args.dims(update)?.into_iter();
    let whole: Option<Vec<usize>> =
        squeezed.iter().map(|&gone| if gone { Some(1) } else { sizes.next() }).collect();
    let update = update.reshape(&shaping::sizes(&whole.ok_or("an update has fewer axes than it needs")?));
    let starts = shaping::starts(args, dims, &begin_mask)?;
    let operands: Vec<&Tensor> = std::iter::once(&update).chain(&starts).collect();
    Ok(x.apply(Op::DynamicUpdateSlice {}, &operands))
}

fn gather(args: &Args<'_>) -> Result<Tensor, Unread> {
    let (x, indices) = (args.x("x")?, args.x("indices")?);
    let axis = args.axis("axis", 0, x.rank())?;
    let size = args.dims(x)?[axis];
    let indices = from_start(indices, size);
    match args.int("batch_dims", 0)? {
        0 => Ok(x.apply(Op::Take { axis }, &[&indices])),
        batch => batched(args, x, &indices, axis, usize::try_from(batch).unwrap_or(0)),
    }
}

/// Reads a gather along an axis with leading batch axes in both operands.
fn batched(
    args: &Args<'_>,
    x: &Tensor,
    indices: &Tensor,
    axis: usize,
    batch: usize,
) -> Result<Tensor, Unread> {
    let (dims, places) = (args.dims(x)?, args.dims(indices)?);
    if axis < batch || batch > places.len() {
        return Err("`axis` is a batch axis".into());
    }
    let slice_sizes =
        (0..dims.len()).map(|i| Dim::Static(if i < batch || i == axis { 1 } else { dims[i] })).collect();
    let dims = GatherDims::slices(axis, batch, dims.len(), places.len());
    let op = Op::Gather { dims, slice_sizes };
    // Axes of the indices between those of windows are moved after the batch axes.
    let gathered = x.apply(op, &[indices]);
    Ok(gathered)
}

fn gather_along_axis(args: &Args<'_>) -> Result<Tensor, Unread> {
    let (x, indices) = (args.x("x")?, args.x("indices")?);
    let axis = args.axis("axis", 0, x.rank())?;
    let indices = from_start(indices, args.dims(x)?[axis]);
    Ok(x.apply(Op::GatherAxis { axis }, &[&indices]))
}

/// Returns index vectors in which negative items count from the end.
fn vectors(args: &Args<'_>, x: &Tensor, indices: &Tensor, batch: usize) -> Result<(Tensor, usize), Unread> {
    let (dims, places) = (args.dims(x)?, args.dims(indices)?);
    let items = *places.last().ok_or("index vectors need an axis")?;
    if batch >= places.len() || items > dims.len().saturating_sub(batch) {
        return Err("index vectors are longer than what they index".into());
    }
    let sizes: Vec<i32> =
        dims[batch..batch + items].iter().map(|&n| i32::try_from(n).unwrap_or(i32::MAX)).collect();
    let sizes = rlx_ir::Literal::new(&[items], &sizes).map_err(|e| e.to_string())?;
    let sizes = args.builder.constant(sizes).convert(indices.dtype());
    let negative = indices.compare(CompareOp::Lt, &indices.scalar_like(0.0));
    let moved = indices.binary(BinaryOp::Add, &sizes);
    let inside = negative.select(&moved, indices);
    args.dims(&inside)?;
    Ok((inside, items))
}

fn gather_nd(args: &Args<'_>) -> Result<Tensor, Unread> {
    let (x, indices) = (args.x("x")?, args.x("indices")?);
    let batch = usize::try_from(args.int("batch_dims", 0)?).unwrap_or(0);
    let (indices, items) = vectors(args, x, indices, batch)?;
    let (dims, places) = (args.dims(x)?, indices.rank() - 1);
    let size = |axis: usize| Dim::Static(if axis < batch + items { 1 } else { dims[axis] });
    let op = Op::Gather {
        dims: GatherDims {
            offset_dims: (places..places + dims.len() - batch - items).collect(),
            collapsed_slice_dims: (batch..batch + items).collect(),
            operand_batching_dims: (0..batch).collect(),
            start_indices_batching_dims: (0..batch).collect(),
            start_index_map: (batch..batch + items).collect(),
            index_vector_dim: places,
        },
        slice_sizes: (0..dims.len()).map(size).collect(),
    };
    Ok(x.apply(op, &[&indices]))
}

/// Returns how the old element and the update are combined.
fn combiner(args: &Args<'_>, default: &str) -> Result<Combiner, Unread> {
    Ok(match args.text("mode", default)? {
        "update" => Combiner::Set,
        "add" => Combiner::Reduce(ReduceOp::Sum),
        "mul" => Combiner::Reduce(ReduceOp::Prod),
        "min" => Combiner::Reduce(ReduceOp::Min),
        "max" => Combiner::Reduce(ReduceOp::Max),
        mode => return Err(format!("unknown mode `{mode}` of scatter").into()),
    })
}

fn scatter(args: &Args<'_>) -> Result<Tensor, Unread> {
    let (x, indices, updates) = (args.x("data")?, args.x("indices")?, args.x("updates")?);
    let axis = args.axis("axis", 0, x.rank())?;
    let indices = from_start(indices, args.dims(x)?[axis]);
    let places = indices.rank();
    let dims = ScatterDims {
        update_window_dims: (0..axis).chain(axis + places..updates.rank()).collect(),
        inserted_window_dims: vec![axis],
        input_batching_dims: Vec::new(),
        scatter_indices_batching_dims: Vec::new(),
        scatter_dims_to_operand_dims: vec![axis],
        index_vector_dim: places,
    };
    Ok(x.apply(Op::Scatter { dims, combiner: combiner(args, "add")? }, &[&indices, updates]))
}

fn scatter_along_axis(args: &Args<'_>) -> Result<Tensor, Unread> {
    let (x, indices, updates) = (args.x("data")?, args.x("indices")?, args.x("updates")?);
    let axis = args.axis("axis", 0, x.rank())?;
    let indices = from_start(indices, args.dims(x)?[axis]);
    let others: Vec<usize> = (0..x.rank()).filter(|&i| i != axis).collect();
    let dims = ScatterDims {
        update_window_dims: Vec::new(),
        inserted_window_dims: vec![axis],
        input_batching_dims: others.clone(),
        scatter_indices_batching_dims: others,
        scatter_dims_to_operand_dims: vec![axis],
        index_vector_dim: indices.rank(),
    };
    Ok(x.apply(Op::Scatter { dims, combiner: combiner(args, "add")? }, &[&indices, updates]))
}

fn scatter_nd(args: &Args<'_>) -> Result<Tensor, Unread> {
    let (x, indices, updates) = (args.x("data")?, args.x("indices")?, args.x("updates")?);
    let (indices, items) = vectors(args, x, indices, 0)?;
    let places = indices.rank() - 1;
    let dims = ScatterDims {
        update_window_dims: (places..updates.rank()).collect(),
        inserted_window_dims: (0..items).collect(),
        input_batching_dims: Vec::new(),
        scatter_indices_batching_dims: Vec::new(),
        scatter_dims_to_operand_dims: (0..items).collect(),
        index_vector_dim: places,
    };
    Ok(x.apply(Op::Scatter { dims, combiner: combiner(args, "add")? }, &[&indices, updates]))
}

fn one_hot(args: &Args<'_>) -> Result<Tensor, Unread> {
    let indices = args.x("indices")?;
    let depth = usize::try_from(args.int("one_hot_vector_size", 0)?).ok().filter(|&n| n > 0);
    let depth = depth.ok_or("`one_hot_vector_size` is not a valid size")?;
    let axis = args.axis("axis", -1, indices.rank() + 1)?;
    let dtype = args.opt("on_value")?.map_or(DType::I32, Tensor::dtype);
    let (on, off) = (args.number("on_value", 1.0)?, args.number("off_value", 0.0)?);
    let hot = indices.apply(Op::OneHot { depth, dtype: DType::Bool }, &[]);
    let rank = args.dims(&hot)?.len();
    let perm: Vec<usize> = (0..axis).chain([rank - 1]).chain(axis..rank - 1).collect();
    let hot = hot.transpose(&perm);
    let number = |value| args.builder.scalar(value, dtype).broadcast_in_dim(&hot.dims(), &[]);
    Ok(hot.select(&number(on), &number(off)))
}

/// Returns the tensor with an axis moved last, and the permutation that moves it back.
fn last(x: &Tensor, axis: usize) -> (Tensor, Vec<usize>) {
    let rank = x.rank();
    let there: Vec<usize> = (0..rank).filter(|&i| i != axis).chain([axis]).collect();
    let back: Vec<usize> = (0..axis).chain([rank - 1]).chain(axis..rank - 1).collect();
    (x.transpose(&there), back)
}

fn topk(args: &Args<'_>) -> Read {
    let x = args.x("x")?;
    let axis = args.axis("axis", -1, x.rank())?;
    let size = args.dims(x)?[axis];
    let k = match args.int("k", 1)? {
        -1 => size,
        k => usize::try_from(k).ok().filter(|&k| k <= size).ok_or("`k` exceeds the axis")?,
    };
    let (x, back) = last(x, axis);
    let (found, negate) = match args.flag("ascending", false)? {
        true => (x.unary(rlx_ir::UnaryOp::Neg), true),
        false => (x, false),
    };
    let results = found.apply_many(Op::TopK { k }, &[]);
    let [values, indices] = &results[..] else { return Err("it does not have two results".into()) };
    let values = if negate { values.unary(rlx_ir::UnaryOp::Neg) } else { values.clone() };
    let both = [values.transpose(&back), indices.transpose(&back)];
    Ok(if args.flag("return_indices", true)? { both.to_vec() } else { both[..1].to_vec() })
}

fn argsort(args: &Args<'_>) -> Result<Tensor, Unread> {
    let x = args.x("x")?;
    let axis = args.axis("axis", -1, x.rank())?;
    let order = if args.flag("ascending", false)? { SortOrder::Ascending } else { SortOrder::Descending };
    let places = args.builder.iota(Shape::from_dims(&x.dims(), DType::I32), axis);
    let sorted = x.apply_many(Op::Sort { axis, order, num_keys: 1, stable: true }, &[&places]);
    sorted.into_iter().nth(1).ok_or_else(|| "it has no indices".into())
}

/// Reads a reversal of the first elements of each sequence, as many as `lengths` says.
fn reverse_sequence(args: &Args<'_>) -> Result<Tensor, Unread> {
    let (x, lengths) = (args.x("x")?, args.x("lengths")?);
    let (axis, batch) = (args.axis("seq_axis", 0, x.rank())?, args.axis("batch_axis", 0, x.rank())?);
    let places = args.builder.iota(Shape::from_dims(&x.dims(), DType::I32), axis);
    let lengths = lengths.convert(DType::I32).broadcast_in_dim(&x.dims(), &[batch]);
    let turned = lengths.binary(BinaryOp::Sub, &places).binary(BinaryOp::Sub, &places.scalar_like(1.0));
    let inside = places.compare(CompareOp::Lt, &lengths);
    Ok(x.apply(Op::GatherAxis { axis }, &[&inside.select(&turned, &places)]))
}
