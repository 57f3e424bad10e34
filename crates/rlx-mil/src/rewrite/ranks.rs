//! Rewrites ops on more axes than programs support, by merging adjacent axes and working along one axis at a time.

use crate::emit::MAX_RANK;
use rlx_ir::{Builder, Dim, DotDims, DotSide, GatherDims, Graph, Literal, Op, OpError, Shape, Tensor};

/// Rewrites an op with values of too many axes to work on values with fewer axes, with reshapes in between. Returns `None` if all values
/// have few enough axes.
pub(super) fn merged(op: &Op, operands: &[Shape], results: &[Shape]) -> Option<Result<Graph, OpError>> {
    let is_high = |shape: &Shape| shape.rank() > MAX_RANK;
    if !operands.iter().chain(results).any(is_high) || matches!(op, Op::Reshape { .. }) {
        return None;
    }
    if !operands.iter().chain(results).all(Shape::is_static) {
        return None;
    }
    let builder = Builder::new(op.mnemonic());
    let named = operands.iter().enumerate().map(|(i, shape)| builder.input(format!("x{i}"), shape.clone()));
    let xs: Vec<Tensor> = named.collect();
    let written = match written(&builder, op, &xs, results)? {
        Ok(written) => written,
        Err(reason) => {
            let name = op.mnemonic();
            return Some(Err(OpError::shape(format!(
                "`{name}` has more than {MAX_RANK} axes, the maximum of programs: {reason}"
            ))));
        }
    };
    let outputs: Vec<Tensor> = written.iter().zip(results).map(|(x, to)| x.reshape(to.dims())).collect();
    let graph = builder.finish(&outputs.iter().collect::<Vec<_>>());
    Some(graph.map_err(|violations| OpError::shape(violations.to_string())))
}

/// Returns the results with arbitrary sizes, or why the op cannot be rewritten. Returns `None` for ops of other kinds.
fn written(b: &Builder, op: &Op, xs: &[Tensor], results: &[Shape]) -> Option<Result<Vec<Tensor>, String>> {
    Some(Ok(match (op, xs) {
        (Op::Constant { value }, _) => {
            let literal = Literal::from_bytes(&Shape::new(&[value.len()], value.dtype()), value.bytes());
            vec![b.constant(literal.ok()?)]
        }
        (Op::Iota { shape, axis }, _) => {
            let sizes = around(&shape.static_dims()?, *axis);
            vec![b.iota(Shape::new(&sizes, shape.dtype()), 1)]
        }
        (
            Op::Unary { .. }
            | Op::Binary { .. }
            | Op::Compare { .. }
            | Op::Select {}
            | Op::Clamp {}
            | Op::Convert { .. }
            | Op::ReducePrecision { .. }
            | Op::OptimizationBarrier {},
            [first, ..],
        ) => {
            let flat: Vec<Tensor> = xs.iter().map(flat).collect();
            let first_flat = flat.first().filter(|_| first.id().is_some())?;
            first_flat.apply_many(op.clone(), &flat[1..].iter().collect::<Vec<_>>())
        }
        (Op::Transpose { perm }, [x]) => vec![transposed(x, perm)],
        (Op::BroadcastInDim { axes, .. }, [x]) => vec![broadcast(x, axes, &results[0].static_dims()?)],
        (Op::Slice { starts, limits, strides }, [x]) => {
            vec![sliced(x, starts, limits, strides)]
        }
        (Op::Pad { low, high, interior }, [x, value]) => {
            let mut padded = x.clone();
            for axis in (0..x.rank()).filter(|&i| (low[i], high[i], interior[i]) != (0, 0, 0)) {
                let pad = Op::Pad {
                    low: vec![0, low[axis], 0],
                    high: vec![0, high[axis], 0],
                    interior: vec![0, interior[axis], 0],
                };
                padded = along(&padded, axis, |x| x.apply(pad, &[value]));
            }
            vec![padded]
        }
        (Op::Concatenate { axis }, xs) => {
            let parts: Vec<Tensor> = xs.iter().map(|x| grouped(x, &around(&sizes(x), *axis))).collect();
            vec![parts[0].apply(Op::Concatenate { axis: 1 }, &parts[1..].iter().collect::<Vec<_>>())]
        }
        (Op::Reverse { axes }, [x]) => {
            let reversed =
                |x: Tensor, &axis: &usize| along(&x, axis, |x| x.apply(Op::Reverse { axes: vec![1] }, &[]));
            vec![axes.iter().fold(x.clone(), reversed)]
        }
        (Op::Reduce { kind, axes }, [x]) => {
            // From the last run of axes to the first, so that earlier positions do not change.
            let mut axes = axes.clone();
            axes.sort_unstable();
            let mut dims = sizes(x);
            let mut reduced = x.clone();
            while let Some(last) = axes.pop() {
                let mut first = last;
                while axes.last().is_some_and(|&axis| axis + 1 == first) {
                    first -= 1;
                    axes.pop();
                }
                let parts =
                    [product(&dims[..first]), product(&dims[first..=last]), product(&dims[last + 1..])];
                reduced = grouped(&reduced, &parts).reduce(*kind, &[1], false);
                dims.drain(first..=last);
            }
            vec![reduced]
        }
        _ => return along_axes(op, xs, results),
    }))
}

/// Like [`written`], for ops along axes and for those that look up elements.
fn along_axes(op: &Op, xs: &[Tensor], results: &[Shape]) -> Option<Result<Vec<Tensor>, String>> {
    Some(Ok(match (op, xs) {
        (Op::Cumulative { op, axis, exclusive, reverse }, [x]) => {
            let op = Op::Cumulative { op: *op, axis: 1, exclusive: *exclusive, reverse: *reverse };
            vec![along(x, *axis, |x| x.apply(op, &[]))]
        }
        (Op::Sort { axis, order, num_keys, stable }, xs) => {
            let op = Op::Sort { axis: 1, order: *order, num_keys: *num_keys, stable: *stable };
            together(op, xs, *axis)
        }
        (Op::SortGraph { axis, stable, comparator }, xs) => {
            let op = Op::SortGraph { axis: 1, stable: *stable, comparator: comparator.clone() };
            together(op, xs, *axis)
        }
        (Op::TopK { .. }, [x]) => {
            let (last, rows) = sizes(x).split_last().map(|(last, rows)| (*last, product(rows)))?;
            grouped(x, &[rows, last]).apply_many(op.clone(), &[])
        }
        (Op::ArgReduce { op, axis, dtype }, [x]) => {
            let op = Op::ArgReduce { op: *op, axis: 1, dtype: *dtype };
            vec![grouped(x, &around(&sizes(x), *axis)).apply(op, &[])]
        }
        (Op::DotGeneral { dims: axes, dtype }, [x, y]) => {
            let matrices = |x: &Tensor, axes: DotSide<'_>| {
                let (dims, free) = (sizes(x), axes.free(x.rank()));
                let count = |axes: &[usize]| axes.iter().map(|&axis| dims[axis]).product();
                let order = [axes.batch, &free, axes.contract].concat();
                grouped(&transposed(x, &order), &[count(axes.batch), count(&free), count(axes.contract)])
            };
            let dims = DotDims::contracting(&[2], &[2]).batched(1);
            let product = Op::DotGeneral { dims, dtype: *dtype };
            let [lhs, rhs] = axes.sides();
            let rhs = matrices(y, rhs);
            vec![matrices(x, lhs).apply(product, &[&rhs])]
        }
        (Op::DynamicSlice { sizes }, [x, starts @ ..]) => {
            let widths: Vec<usize> = sizes.iter().map(Dim::as_static).collect::<Option<_>>()?;
            vec![windows(x, starts, &widths)]
        }
        (Op::DynamicUpdateSlice {}, [x, update, starts @ ..]) => vec![updated(x, update, starts)],
        (Op::Gather { .. }, [x, indices]) => return gathered(op, x, indices, results),
        (
            Op::Scatter { .. }
            | Op::Convolution { .. }
            | Op::ReduceWindow { .. }
            | Op::SelectAndScatter { .. }
            | Op::While { .. }
            | Op::If { .. }
            | Op::Case { .. },
            _,
        ) => return Some(Err("it cannot be reduced to fewer axes by merging adjacent ones".into())),
        _ => return None,
    }))
}

fn product(dims: &[usize]) -> usize {
    dims.iter().product()
}

/// Returns static sizes.
fn sizes(x: &Tensor) -> Vec<usize> {
    x.shape().static_dims().unwrap_or_default()
}

fn known(dims: &[usize]) -> Vec<Dim> {
    dims.iter().map(|&n| Dim::Static(n)).collect()
}

fn grouped(x: &Tensor, dims: &[usize]) -> Tensor {
    x.reshape(&known(dims))
}

/// Flattens a tensor to one axis; scalars do not change.
fn flat(x: &Tensor) -> Tensor {
    if x.rank() == 0 { x.clone() } else { grouped(x, &[product(&sizes(x))]) }
}

/// Returns the number of elements before an axis, the size of the axis, and the number after it.
fn around(dims: &[usize], axis: usize) -> [usize; 3] {
    [product(&dims[..axis]), dims[axis], product(&dims[axis + 1..])]
}

/// Applies a function that works along the second of three axes to any axis.
fn along(x: &Tensor, axis: usize, f: impl FnOnce(&Tensor) -> Tensor) -> Tensor {
    let mut dims = sizes(x);
    let done = f(&grouped(x, &around(&dims, axis)));
    dims[axis] = sizes(&done).get(1).copied().unwrap_or(1);
    grouped(&done, &dims)
}

/// Applies an op to values of the same size, along an axis.
fn together(op: Op, xs: &[Tensor], axis: usize) -> Vec<Tensor> {
    let parts: Vec<Tensor> = xs.iter().map(|x| grouped(x, &around(&sizes(x), axis))).collect();
    parts[0].apply_many(op, &parts[1..].iter().collect::<Vec<_>>())
}

/// Transposes a tensor using few axes: axes that stay adjacent are merged, and if there are still too many, runs are moved to their
/// positions in several steps.
fn transposed(x: &Tensor, perm: &[usize]) -> Tensor {
    let dims = sizes(x);
    // Runs of axes that stay adjacent, in the order of the result.
    let mut runs: Vec<Vec<usize>> = Vec::new();
    for &axis in perm.iter().filter(|&&axis| dims[axis] != 1) {
        let skipped = |run: &Vec<usize>| {
            run.last().is_some_and(|&last| last < axis && dims[last + 1..axis].iter().all(|&n| n == 1))
        };
        match runs.last_mut().filter(|run| skipped(run)) {
            Some(run) => run.push(axis),
            None => runs.push(vec![axis]),
        }
    }
    let size = |run: &Vec<usize>| run.iter().map(|&axis| dims[axis]).product::<usize>();
    let mut order: Vec<usize> = (0..runs.len()).collect();
    order.sort_unstable_by_key(|&i| runs[i][0]);
    if runs.len() <= MAX_RANK {
        let before: Vec<usize> = order.iter().map(|&i| size(&runs[i])).collect();
        let from = |i: usize| order.iter().position(|&j| j == i).unwrap_or(0);
        let perm: Vec<usize> = (0..runs.len()).map(from).collect();
        return grouped(x, &before).transpose(&perm);
    }
    // `order` says which run is where; runs at the front are already in place.
    let mut moved = x.clone();
    for place in 0..runs.len() {
        let from = order.iter().position(|&i| i == place).unwrap_or(place);
        if from == place {
            continue;
        }
        let count = |part: &[usize]| part.iter().map(|&i| size(&runs[i])).product::<usize>();
        let parts = [
            count(&order[..place]),
            count(&order[place..from]),
            size(&runs[place]),
            count(&order[from + 1..]),
        ];
        moved = grouped(&moved, &parts).transpose(&[0, 2, 1, 3]);
        let run = order.remove(from);
        order.insert(place, run);
    }
    moved
}

/// Broadcasts a value along new axes, from the last run of them to the first.
fn broadcast(x: &Tensor, axes: &[usize], dims: &[usize]) -> Tensor {
    let own = sizes(x);
    let mut order: Vec<usize> = (0..axes.len()).collect();
    order.sort_unstable_by_key(|&i| axes[i]);
    let is_sorted = order.is_sorted();
    let mut value = if is_sorted { x.clone() } else { transposed(x, &order) };
    let is_kept = |axis: usize| axes.iter().position(|&to| to == axis).is_some_and(|i| own[i] == dims[axis]);
    let mut axis = dims.len();
    while axis > 0 {
        let end = axis;
        while axis > 0 && !is_kept(axis - 1) {
            axis -= 1;
        }
        let count = product(&dims[axis..end]);
        if count > 1 {
            let before: usize = (0..axis).filter(|&i| is_kept(i)).map(|i| dims[i]).product();
            let behind = product(&dims[end..]);
            value = grouped(&value, &[before, behind])
                .broadcast_in_dim(&known(&[before, count, behind]), &[0, 2]);
        }
        axis = axis.saturating_sub(1);
    }
    value
}

fn sliced(x: &Tensor, starts: &[Dim], limits: &[Dim], strides: &[usize]) -> Tensor {
    let mut value = x.clone();
    for axis in 0..x.rank() {
        let (start, limit) = (starts[axis].clone(), limits[axis].clone());
        let all = x.dim(axis);
        if (start.as_static(), &limit, strides[axis]) == (Some(0), &all, 1) {
            continue;
        }
        value = along(&value, axis, |x| {
            let slice = Op::Slice {
                starts: vec![Dim::Static(0), start, Dim::Static(0)],
                limits: vec![x.dim(0), limit, x.dim(2)],
                strides: vec![1, strides[axis], 1],
            };
            x.apply(slice, &[])
        });
    }
    value
}

/// Takes slices of these widths, one axis after another.
fn windows(x: &Tensor, starts: &[Tensor], widths: &[usize]) -> Tensor {
    let mut value = x.clone();
    for axis in (0..x.rank()).filter(|&axis| sizes(x)[axis] != widths[axis]) {
        value = along(&value, axis, |x| window(x, &starts[axis], widths[axis]));
    }
    value
}

/// Takes a slice of the second of three axes.
fn window(x: &Tensor, start: &Tensor, width: usize) -> Tensor {
    let zero = x.builder().int(0, start.dtype());
    x.apply(Op::DynamicSlice { sizes: vec![x.dim(0), Dim::Static(width), x.dim(2)] }, &[&zero, start, &zero])
}

/// Replaces a slice of a value: directly along one axis; along several, within the slice of the first.
fn updated(x: &Tensor, update: &Tensor, starts: &[Tensor]) -> Tensor {
    let (all, widths) = (sizes(x), sizes(update));
    let Some(axis) = (0..all.len()).find(|&axis| all[axis] != widths[axis]) else { return update.clone() };
    let mut of_axis = all.clone();
    of_axis[axis] = widths[axis];
    let inner = if of_axis == widths {
        update.clone()
    } else {
        let part = along(x, axis, |x| window(x, &starts[axis], widths[axis]));
        updated(&part, update, starts)
    };
    let zero = x.builder().int(0, starts[axis].dtype());
    along(x, axis, |x| {
        let inner = grouped(&inner, &around(&of_axis, axis));
        x.apply(Op::DynamicUpdateSlice {}, &[&inner, &zero, &starts[axis], &zero])
    })
}

/// Gathers whole slices along one axis, at single indices.
fn gathered(op: &Op, x: &Tensor, indices: &Tensor, results: &[Shape]) -> Option<Result<Vec<Tensor>, String>> {
    let Op::Gather { dims: gather, slice_sizes } = op else {
        return None;
    };
    let dims = sizes(x);
    let wanted = |axis: usize, at: usize| if axis == at { 1 } else { dims[axis] };
    let one = match gather.start_index_map[..] {
        [axis] => (0..dims.len())
            .all(|i| slice_sizes[i].as_static() == Some(wanted(i, axis)))
            .then_some(axis)
            .filter(|axis| {
                gather.collapsed_slice_dims[..] == [*axis] && gather.operand_batching_dims.is_empty()
            }),
        _ => None,
    };
    let Some(axis) = one else {
        return Some(Err("it gathers windows, not slices at indices of one axis".into()));
    };
    let mut places = sizes(indices);
    if gather.index_vector_dim < places.len() {
        places.remove(gather.index_vector_dim);
    }
    let [before, count, behind] = around(&dims, axis);
    let fetch = Op::Gather { dims: GatherDims::slices(1, 0, 3, 1), slice_sizes: known(&[before, 1, behind]) };
    let fetched = grouped(x, &[before, count, behind]).apply(fetch, &[&flat(indices)]);
    let fetched = grouped(&fetched, &[&dims[..axis], &places, &dims[axis + 1..]].concat());
    // The axes of the result in order: those of windows are at `offset_dims`, and those of the indices between them.
    let behind = axis + places.len()..fetched.rank();
    let (mut window, mut place) = ((0..axis).chain(behind), axis..axis + places.len());
    let next = |i: usize| if gather.offset_dims.contains(&i) { window.next() } else { place.next() };
    let perm: Vec<usize> = (0..results[0].rank()).map(next).collect::<Option<_>>()?;
    Some(Ok(vec![transposed(&fetched, &perm)]))
}
