//! Reads operations that move elements: reshapes, transposes, slices, and concatenations.

use super::args::{Args, Read, Unread, axis, product};
use rlx_ir::{BinaryOp, CompareOp, DType, Dim, Op, Shape, Tensor};

pub(super) fn read(kind: &str, args: &Args<'_>) -> Option<Read> {
    let one = |read: Result<Tensor, Unread>| read.map(|x| vec![x]);
    Some(match kind {
        "reshape" => one(reshape(args)),
        "transpose" => one(transpose(args)),
        "expand_dims" => one(expand_dims(args)),
        "squeeze" => one(squeeze(args)),
        "concat" => one(concat(args)),
        "stack" => one(stack(args)),
        "split" => split(args),
        "tile" => one(tile(args)),
        "pad" => one(pad(args)),
        "reverse" => one(reverse(args)),
        "slice_by_index" => one(slice_by_index(args)),
        "fill" => one(fill(args)),
        "fill_like" => one(fill_like(args)),
        "flatten2d" => one(flatten2d(args)),
        "shape" => one(shape(args)),
        "range_1d" => one(range_1d(args)),
        "space_to_depth" => one(blocks(args, "block_size", true)),
        "depth_to_space" => one(depth_to_space(args)),
        "pixel_shuffle" => one(blocks(args, "upscale_factor", false)),
        "pixel_unshuffle" => one(pixel_unshuffle(args)),
        "space_to_batch" => one(space_to_batch(args)),
        "batch_to_space" => one(batch_to_space(args)),
        "crop" => one(crop(args)),
        "band_part" => one(band_part(args)),
        "sliding_windows" => one(sliding_windows(args)),
        "reshape_like" => one(reshape_like(args)),
        _ => return None,
    })
}

pub(super) fn sizes(dims: &[usize]) -> Vec<Dim> {
    dims.iter().map(|&n| Dim::Static(n)).collect()
}

/// Returns the sizes that a reshape requests: −1 is inferred, and 0 keeps the size.
fn asked(dims: &[usize], shape: &[i64]) -> Result<Vec<usize>, Unread> {
    let count = product(dims)?;
    let mut out = Vec::new();
    for (i, &n) in shape.iter().enumerate() {
        out.push(match n {
            -1 => None,
            0 => Some(*dims.get(i).ok_or("a size of 0 has no axis to keep")?),
            n => Some(usize::try_from(n).map_err(|_| format!("{n} is not a valid size"))?),
        });
    }
    let known = product(&out.iter().copied().flatten().collect::<Vec<_>>())?;
    let rest = count.checked_div(known).unwrap_or(0);
    Ok(out.into_iter().map(|n| n.unwrap_or(rest)).collect())
}

fn reshape(args: &Args<'_>) -> Result<Tensor, Unread> {
    let x = args.x("x")?;
    let dims = asked(&args.dims(x)?, &args.some_ints("shape")?)?;
    Ok(x.reshape(&sizes(&dims)))
}

fn transpose(args: &Args<'_>) -> Result<Tensor, Unread> {
    let x = args.x("x")?;
    let perm: Option<Vec<usize>> = args.some_ints("perm")?.into_iter().map(|n| axis(n, x.rank())).collect();
    Ok(x.transpose(&perm.ok_or("`perm` has an invalid axis")?))
}

fn expand_dims(args: &Args<'_>) -> Result<Tensor, Unread> {
    let x = args.x("x")?;
    let given = args.some_ints("axes")?;
    let rank = x.rank() + given.len();
    let axes: Option<Vec<usize>> = given.into_iter().map(|n| axis(n, rank)).collect();
    let mut axes = axes.ok_or("`axes` has an invalid axis")?;
    axes.sort_unstable();
    let mut dims = args.dims(x)?;
    axes.iter().for_each(|&axis| dims.insert(axis.min(dims.len()), 1));
    Ok(x.reshape(&sizes(&dims)))
}

fn squeeze(args: &Args<'_>) -> Result<Tensor, Unread> {
    let x = args.x("x")?;
    let dims = args.dims(x)?;
    let axes = args.axes("axes", x.rank())?;
    let goes = |axis: &usize| axes.as_ref().map_or(dims[*axis] == 1, |axes| axes.contains(axis));
    if (0..dims.len()).any(|axis| goes(&axis) && dims[axis] != 1) {
        return Err("only axes of size 1 can be squeezed".into());
    }
    let left: Vec<usize> = (0..dims.len()).filter(|axis| !goes(axis)).map(|axis| dims[axis]).collect();
    Ok(x.reshape(&sizes(&left)))
}

fn concat(args: &Args<'_>) -> Result<Tensor, Unread> {
    let values = args.list("values")?;
    let [first, rest @ ..] = &values[..] else { return Err("there are no values to concatenate".into()) };
    if first.rank() == 0 {
        return stack(args);
    }
    let axis = args.axis("axis", 0, first.rank())?;
    if !args.flag("interleave", false)? {
        return Ok(first.apply(Op::Concatenate { axis }, rest));
    }
    // Interleaved: joined along a new axis after the given one.
    let wide: Vec<Tensor> = values.iter().map(|x| x.unsqueeze(axis + 1)).collect();
    let [first, rest @ ..] = &wide[..] else { return Err("there are no values to concatenate".into()) };
    let joined = first.apply(Op::Concatenate { axis: axis + 1 }, &rest.iter().collect::<Vec<_>>());
    let mut dims = args.dims(values[0])?;
    dims[axis] = product(&[dims[axis], values.len()])?;
    Ok(joined.reshape(&sizes(&dims)))
}

fn stack(args: &Args<'_>) -> Result<Tensor, Unread> {
    let values = args.list("values")?;
    let rank = values.first().ok_or("there are no values to stack")?.rank() + 1;
    let axis = args.axis("axis", 0, rank)?;
    let wide: Vec<Tensor> = values.iter().map(|x| x.unsqueeze(axis)).collect();
    let [first, rest @ ..] = &wide[..] else { return Err("there are no values to stack".into()) };
    Ok(first.apply(Op::Concatenate { axis }, &rest.iter().collect::<Vec<_>>()))
}

fn split(args: &Args<'_>) -> Read {
    let x = args.x("x")?;
    let axis = args.axis("axis", 0, x.rank())?;
    let size = args.dims(x)?[axis];
    let parts: Vec<usize> = match args.ints("split_sizes")? {
        Some(list) => list.into_iter().map(|n| usize::try_from(n).unwrap_or(0)).collect(),
        None => {
            let count = usize::try_from(args.int("num_splits", 1)?)
                .ok()
                .filter(|&n| (1..=1 << 16).contains(&n) && size % n == 0);
            let count = count.ok_or("`num_splits` does not divide the axis")?;
            vec![size / count; count]
        }
    };
    args.makes(parts.len().saturating_mul(64))?;
    if parts.iter().try_fold(0usize, |sum, &n| sum.checked_add(n)) != Some(size) {
        return Err("`split_sizes` do not add up to the axis".into());
    }
    let mut at = 0;
    let part = |&n: &usize| {
        let part = x.slice_axis(axis, at, at + n);
        at += n;
        part
    };
    Ok(parts.iter().map(part).collect())
}

fn tile(args: &Args<'_>) -> Result<Tensor, Unread> {
    let repeats = args.some_ints("reps")?.into_iter().map(usize::try_from).collect::<Result<Vec<_>, _>>();
    let repeats = repeats.map_err(|_| "`reps` has an invalid number of repeats")?;
    Ok(args.x("x")?.apply(Op::Tile { repeats }, &[]))
}

fn pad(args: &Args<'_>) -> Result<Tensor, Unread> {
    let (x, pads) = (args.x("x")?, args.some_ints("pad")?);
    let mode = args.text("mode", "constant")?;
    if !pads.len().is_multiple_of(2) || pads.len() > 2 * x.rank() || pads.iter().any(|&n| n < 0) {
        return Err("`pad` must have two sizes per axis".into());
    }
    let (rank, axes) = (x.rank(), pads.len() / 2);
    let (mut low, mut high) = (vec![0i64; rank], vec![0i64; rank]);
    for (i, pair) in pads.chunks_exact(2).enumerate() {
        (low[rank - axes + i], high[rank - axes + i]) = (pair[0], pair[1]);
    }
    match mode {
        "constant" => {
            let value = x.scalar_like(args.number("constant_val", 0.0)?);
            Ok(x.apply(Op::Pad { low, high, interior: vec![0; rank] }, &[&value]))
        }
        "reflect" | "replicate" => mirrored(args, x, &low, &high, mode == "reflect"),
        _ => Err(format!("unknown mode `{mode}` of pad").into()),
    }
}

/// Pads a value with its own elements: those next to its ends in reverse, or the last ones repeated.
fn mirrored(args: &Args<'_>, x: &Tensor, low: &[i64], high: &[i64], reflect: bool) -> Result<Tensor, Unread> {
    let mut padded = x.clone();
    for axis in 0..x.rank() {
        let size = args.dims(&padded)?[axis];
        let count = |n: i64| usize::try_from(n).unwrap_or(0);
        let (before, after) = (count(low[axis]), count(high[axis]));
        if size == 0 && before.max(after) > 0 || reflect && before.max(after) >= size.max(1) {
            return Err("the padding exceeds what can be reflected".into());
        }
        let turned = |part: Tensor| part.apply(Op::Reverse { axes: vec![axis] }, &[]);
        let block = |n: usize, start: usize, limit: usize, edge: usize| match (n, reflect) {
            (0, _) => None,
            (_, true) => Some(turned(padded.slice_axis(axis, start, limit))),
            (n, false) => {
                let mut repeats = vec![1; padded.rank()];
                repeats[axis] = n;
                Some(padded.slice_axis(axis, edge, edge + 1).apply(Op::Tile { repeats }, &[]))
            }
        };
        let front = block(before, 1, before + 1, 0);
        let last = size.saturating_sub(1);
        let back = block(after, last.saturating_sub(after), last, last);
        let parts: Vec<Tensor> = front.into_iter().chain([padded.clone()]).chain(back).collect();
        if let [first, rest @ ..] = &parts[..] {
            padded = first.apply(Op::Concatenate { axis }, &rest.iter().collect::<Vec<_>>());
        }
    }
    Ok(padded)
}

fn reverse(args: &Args<'_>) -> Result<Tensor, Unread> {
    let x = args.x("x")?;
    let axes = args.axes("axes", x.rank())?.unwrap_or_else(|| (0..x.rank()).collect());
    Ok(x.apply(Op::Reverse { axes }, &[]))
}

/// Elements in steps along each axis of a tensor, which may be reversed first.
pub(super) struct Cut {
    /// Axes that are reversed.
    pub(super) turned: Vec<usize>,
    pub(super) starts: Vec<usize>,
    pub(super) limits: Vec<usize>,
    pub(super) strides: Vec<usize>,
    /// Axes that are removed.
    pub(super) squeezed: Vec<bool>,
}

impl Cut {
    /// Reverses the tensor.
    pub(super) fn turn(&self, x: &Tensor) -> Tensor {
        if self.turned.is_empty() {
            x.clone()
        } else {
            x.apply(Op::Reverse { axes: self.turned.clone() }, &[])
        }
    }
}

/// Returns three masks with a boolean for each axis.
pub(super) fn masks(args: &Args<'_>, rank: usize) -> Result<[Vec<bool>; 3], Unread> {
    let mask = |name: &str| {
        let mask = args.flags(name)?.unwrap_or_else(|| vec![false; rank]);
        (mask.len() == rank).then_some(mask).ok_or_else(|| Unread(format!("`{name}` needs one per axis")))
    };
    Ok([mask("begin_mask")?, mask("end_mask")?, mask("squeeze_mask")?])
}

/// Returns the slice of a tensor with these sizes. All its numbers must be known.
pub(super) fn cut(args: &Args<'_>, dims: &[usize]) -> Result<Cut, Unread> {
    let rank = dims.len();
    let (begin, end) = (args.some_ints("begin")?, args.some_ints("end")?);
    let stride = args.ints("stride")?.unwrap_or_else(|| vec![1; rank]);
    let [begin_mask, end_mask, squeezed] = masks(args, rank)?;
    if [begin.len(), end.len(), stride.len()].iter().any(|&len| len != rank) {
        return Err("a slice must have one number per axis".into());
    }
    let mut cut = Cut { turned: vec![], starts: vec![], limits: vec![], strides: vec![], squeezed };
    for axis in 0..rank {
        let size = i64::try_from(dims[axis]).map_err(|_| "an axis is too long")?;
        let inside = |n: i64| if n < 0 { n.saturating_add(size) } else { n };
        let step = stride[axis];
        if step == 0 {
            return Err("a slice cannot have steps of 0".into());
        }
        let (first, last) = if cut.squeezed[axis] {
            let at = inside(begin[axis]).clamp(-1, size);
            (at, at + 1)
        } else if step > 0 {
            let first = if begin_mask[axis] { 0 } else { inside(begin[axis]) };
            let last = if end_mask[axis] { size } else { inside(end[axis]) };
            (first.clamp(0, size), last.clamp(0, size))
        } else {
            // From `begin` down to before `end`; after reversing, it goes up.
            let first = if begin_mask[axis] { size - 1 } else { inside(begin[axis]).clamp(-1, size - 1) };
            let last = if end_mask[axis] { -1 } else { inside(end[axis]).clamp(-1, size - 1) };
            cut.turned.push(axis);
            (size - 1 - first, size - 1 - last)
        };
        if first >= last || first < 0 || last > size {
            return Err(format!("a slice is empty along axis {axis}").into());
        }
        cut.starts.push(first as usize);
        cut.limits.push(last as usize);
        cut.strides.push(if cut.squeezed[axis] { 1 } else { step.unsigned_abs() as usize });
    }
    Ok(cut)
}

/// Removes axes from a tensor.
fn squeezed(args: &Args<'_>, x: &Tensor, gone: &[bool]) -> Result<Tensor, Unread> {
    if !gone.contains(&true) {
        return Ok(x.clone());
    }
    let left = args.dims(x)?.into_iter().zip(gone).filter(|(_, gone)| !**gone).map(|(size, _)| size);
    Ok(x.reshape(&sizes(&left.collect::<Vec<_>>())))
}

fn slice_by_index(args: &Args<'_>) -> Result<Tensor, Unread> {
    let x = args.x("x")?;
    let dims = args.dims(x)?;
    if !args.is_known("begin") {
        return slice_at(args, x, &dims);
    }
    let cut = cut(args, &dims)?;
    let op =
        Op::Slice { starts: sizes(&cut.starts), limits: sizes(&cut.limits), strides: cut.strides.clone() };
    squeezed(args, &cut.turn(x).apply(op, &[]), &cut.squeezed)
}

/// Reads a slice with a begin that the run decides. Along each axis, it takes one element, or all.
fn slice_at(args: &Args<'_>, x: &Tensor, dims: &[usize]) -> Result<Tensor, Unread> {
    let [begin_mask, end_mask, gone] = masks(args, dims.len())?;
    let size = |axis: usize| match (gone[axis], begin_mask[axis] && end_mask[axis]) {
        (true, _) => Ok(1),
        (_, true) => Ok(dims[axis]),
        _ => Err(Unread(format!("the size of axis {axis} of a slice is not known before the run"))),
    };
    let taken: Vec<usize> = (0..dims.len()).map(size).collect::<Result<_, _>>()?;
    let starts = starts(args, dims, &begin_mask)?;
    let op = Op::DynamicSlice { sizes: sizes(&taken) };
    squeezed(args, &x.apply(op, &starts.iter().collect::<Vec<_>>()), &gone)
}

/// Returns where a slice begins along each axis, if the run decides it.
pub(super) fn starts(args: &Args<'_>, dims: &[usize], begin_mask: &[bool]) -> Result<Vec<Tensor>, Unread> {
    let begin = args.x("begin")?;
    if args.dims(begin)? != [dims.len()] {
        return Err("`begin` must have one number per axis".into());
    }
    let start = |axis: usize| match begin_mask[axis] {
        true => begin.scalar_like(0.0),
        false => from_start(&begin.slice_axis(0, axis, axis + 1).reshape(&[]), dims[axis]),
    };
    Ok((0..dims.len()).map(start).collect())
}

/// Converts negative indices, which count from the end.
pub(super) fn from_start(indices: &Tensor, size: usize) -> Tensor {
    let negative = indices.compare(CompareOp::Lt, &indices.scalar_like(0.0));
    let moved = indices.binary(BinaryOp::Add, &indices.scalar_like(size as f64));
    negative.select(&moved, indices)
}

/// Returns sizes.
fn given(args: &Args<'_>, name: &str) -> Result<Vec<usize>, Unread> {
    let list = args.some_ints(name)?.into_iter().map(usize::try_from).collect::<Result<Vec<_>, _>>();
    list.map_err(|_| format!("`{name}` has an invalid size").into())
}

fn fill(args: &Args<'_>) -> Result<Tensor, Unread> {
    let dims = sizes(&given(args, "shape")?);
    let value = match args.opt("value")? {
        Some(value) => value.reshape(&[]),
        None => args.builder.scalar(0.0, rlx_ir::DType::F32),
    };
    Ok(value.broadcast_in_dim(&dims, &[]))
}

fn fill_like(args: &Args<'_>) -> Result<Tensor, Unread> {
    let like = args.x("ref_tensor")?;
    let value = match args.opt("value")? {
        Some(value) => value.reshape(&[]),
        None => args.builder.scalar(0.0, rlx_ir::DType::F32),
    };
    Ok(value.broadcast_in_dim(&like.dims(), &[]))
}

fn flatten2d(args: &Args<'_>) -> Result<Tensor, Unread> {
    let x = args.x("x")?;
    let dims = args.dims(x)?;
    let n = args.int("axis", 1)?;
    let at = if n < 0 { n.saturating_add(dims.len() as i64) } else { n };
    let at = usize::try_from(at).ok().filter(|&at| at <= dims.len()).ok_or("`axis` is out of range")?;
    Ok(x.reshape(&sizes(&[dims[..at].iter().product(), dims[at..].iter().product()])))
}

fn shape(args: &Args<'_>) -> Result<Tensor, Unread> {
    let dims = args.dims(args.x("x")?)?;
    let dims: Vec<i32> = dims.iter().map(|&n| i32::try_from(n).unwrap_or(i32::MAX)).collect();
    let literal = rlx_ir::Literal::new(&[dims.len()], &dims).map_err(|e| e.to_string())?;
    Ok(args.builder.constant(literal))
}

fn range_1d(args: &Args<'_>) -> Result<Tensor, Unread> {
    let (start, end, step) =
        (args.number("start", 0.0)?, args.number("end", 0.0)?, args.number("step", 1.0)?);
    let count = ((end - start) / step).ceil();
    if !(1.0..=1e9).contains(&count) {
        return Err(format!("a range has {count} elements").into());
    }
    let dtype = args.x("end")?.dtype();
    let shape = rlx_ir::Shape::new(&[count as usize], dtype);
    let steps = args.builder.iota(shape, 0);
    let scaled = steps.binary(rlx_ir::BinaryOp::Mul, &steps.scalar_like(step));
    Ok(scaled.binary(rlx_ir::BinaryOp::Add, &steps.scalar_like(start)))
}

/// Reads block operations on `[N, C, H, W]`: with `to_depth`, blocks of elements become channels, where the channels of one element are
/// adjacent, in the order block row, block column, channel; otherwise channels become blocks.
fn blocks(args: &Args<'_>, setting: &str, to_depth: bool) -> Result<Tensor, Unread> {
    let x = args.x("x")?;
    let size =
        usize::try_from(args.int(setting, 1)?).ok().filter(|&n| n > 0).ok_or("a block needs a size")?;
    let &[n, c, h, w] = &args.dims(x)?[..] else { return Err("an image must have four axes".into()) };
    let area = product(&[size, size])?;
    if to_depth {
        let split = x.reshape(&sizes(&[n, c, h / size, size, w / size, size]));
        return Ok(split.transpose(&[0, 3, 5, 1, 2, 4]).reshape(&sizes(&[
            n,
            product(&[c, area])?,
            h / size,
            w / size,
        ])));
    }
    let split = x.reshape(&sizes(&[n, c / area, size, size, h, w]));
    let (high, wide) = (product(&[h, size])?, product(&[w, size])?);
    Ok(split.transpose(&[0, 1, 4, 2, 5, 3]).reshape(&sizes(&[n, c / area, high, wide])))
}

fn depth_to_space(args: &Args<'_>) -> Result<Tensor, Unread> {
    let x = args.x("x")?;
    let size =
        usize::try_from(args.int("block_size", 1)?).ok().filter(|&n| n > 0).ok_or("a block needs a size")?;
    let &[n, c, h, w] = &args.dims(x)?[..] else { return Err("an image must have four axes".into()) };
    let (area, high, wide) = (product(&[size, size])?, product(&[h, size])?, product(&[w, size])?);
    let split = x.reshape(&sizes(&[n, size, size, c / area, h, w]));
    Ok(split.transpose(&[0, 3, 4, 1, 5, 2]).reshape(&sizes(&[n, c / area, high, wide])))
}

fn pixel_unshuffle(args: &Args<'_>) -> Result<Tensor, Unread> {
    let x = args.x("x")?;
    let size = usize::try_from(args.int("downscale_factor", 1)?).ok().filter(|&n| n > 0);
    let size = size.ok_or("a block needs a size")?;
    let &[n, c, h, w] = &args.dims(x)?[..] else { return Err("an image must have four axes".into()) };
    let split = x.reshape(&sizes(&[n, c, h / size, size, w / size, size]));
    Ok(split.transpose(&[0, 1, 3, 5, 2, 4]).reshape(&sizes(&[
        n,
        product(&[c, size, size])?,
        h / size,
        w / size,
    ])))
}

/// Crops the two spatial axes at their ends.
fn crop(args: &Args<'_>) -> Result<Tensor, Unread> {
    let x = args.x("x")?;
    let axes = x.rank().checked_sub(2).ok_or("an image needs two axes")?;
    let x = trimmed(args, x, axes, &given(args, "crop_height")?)?;
    trimmed(args, &x, axes + 1, &given(args, "crop_width")?)
}

fn trimmed(args: &Args<'_>, x: &Tensor, axis: usize, ends: &[usize]) -> Result<Tensor, Unread> {
    let &[low, high] = ends else { return Err("cropping needs two sizes per axis".into()) };
    if [low, high] == [0, 0] {
        return Ok(x.clone());
    }
    let limit = args.dims(x)?[axis].checked_sub(high).filter(|&limit| limit > low);
    Ok(x.slice_axis(axis, low, limit.ok_or("cropping exceeds the axis")?))
}

/// Sets elements outside of a band around the diagonal to zero.
fn band_part(args: &Args<'_>) -> Result<Tensor, Unread> {
    let x = args.x("x")?;
    let rank = x.rank();
    if rank < 2 {
        return Err("the operand must be a matrix".into());
    }
    let place = |axis| args.builder.iota(Shape::from_dims(&x.dims(), DType::I32), axis);
    let below = place(rank - 2).binary(BinaryOp::Sub, &place(rank - 1));
    let mut result = x.clone();
    for (limit, compare) in [(args.int("lower", -1)?, CompareOp::Le), (args.int("upper", -1)?, CompareOp::Ge)]
    {
        if limit >= 0 {
            let limit = if compare == CompareOp::Le { limit as f64 } else { -(limit as f64) };
            let inside = below.compare(compare, &below.scalar_like(limit));
            result = inside.select(&result, &result.scalar_like(0.0));
        }
    }
    Ok(result)
}

/// Reads windows along an axis; their elements are along a new axis after it.
fn sliding_windows(args: &Args<'_>) -> Result<Tensor, Unread> {
    let x = args.x("x")?;
    let axis = args.axis("axis", 0, x.rank())?;
    let positive = |name: &str| {
        let size = usize::try_from(args.int(name, 1)?).ok().filter(|&n| n > 0);
        size.ok_or_else(|| Unread(format!("`{name}` is not a valid size")))
    };
    let (size, stride, length) = (positive("size")?, positive("stride")?, args.dims(x)?[axis]);
    let room = length.checked_sub(size).ok_or("a window is longer than its axis")?;
    args.makes(product(&[room / stride + 1, size])?)?;
    let places = (0..=room / stride).flat_map(|window| (0..size).map(move |i| window * stride + i));
    let places: Result<Vec<i32>, _> = places.map(i32::try_from).collect();
    let places =
        rlx_ir::Literal::new(&[room / stride + 1, size], &places.map_err(|_| "an axis is too long")?);
    let places = args.builder.constant(places.map_err(|e| e.to_string())?);
    Ok(x.apply(Op::Take { axis }, &[&places]))
}

/// Reshapes to the concatenated parts of other tensors' sizes.
fn reshape_like(args: &Args<'_>) -> Result<Tensor, Unread> {
    let mut dims = Vec::new();
    let (begins, ends) = (args.numbers("begins")?, args.numbers("ends")?);
    let (masks, references) = (args.numbers("end_masks")?, args.list("ref_tensors")?);
    for (i, reference) in references.into_iter().enumerate() {
        let own = args.dims(reference)?;
        let place = |n: Option<&i64>| {
            let n = *n.ok_or("there must be one number per tensor")?;
            let n = if n < 0 { n.saturating_add(own.len() as i64) } else { n };
            usize::try_from(n).map_err(|_| "a range of axes is invalid")
        };
        let last = if masks.get(i) == Some(&1) { own.len() } else { place(ends.get(i))? };
        dims.extend_from_slice(own.get(place(begins.get(i))?..last).ok_or("a range of axes is invalid")?);
    }
    Ok(args.x("x")?.reshape(&sizes(&dims)))
}

/// Returns two sizes for each of the two spatial axes.
fn ends(args: &Args<'_>, name: &str) -> Result<[usize; 4], Unread> {
    let list: Option<[usize; 4]> = given(args, name)?.try_into().ok();
    list.ok_or_else(|| Unread(format!("`{name}` must have two sizes for each of two axes")))
}

fn block_shape(args: &Args<'_>) -> Result<[usize; 2], Unread> {
    let list: Option<[usize; 2]> = given(args, "block_shape")?.try_into().ok();
    list.filter(|list| !list.contains(&0)).ok_or_else(|| "`block_shape` must have two sizes".into())
}

/// Reads `[N, C, H, W]` with the elements of blocks moved to separate images; images of one element are adjacent.
fn space_to_batch(args: &Args<'_>) -> Result<Tensor, Unread> {
    let (x, [a, b]) = (args.x("x")?, block_shape(args)?);
    let [top, bottom, left, right] = ends(args, "paddings")?.map(|n| n as i64);
    let op = Op::Pad { low: vec![0, 0, top, left], high: vec![0, 0, bottom, right], interior: vec![0; 4] };
    let is_padded = [top, bottom, left, right].iter().any(|&n| n > 0);
    let x = if is_padded { x.apply(op, &[&x.scalar_like(0.0)]) } else { x.clone() };
    let &[n, c, h, w] = &args.dims(&x)?[..] else { return Err("an image must have four axes".into()) };
    let split = x.reshape(&sizes(&[n, c, h / a, a, w / b, b])).transpose(&[3, 5, 0, 1, 2, 4]);
    Ok(split.reshape(&sizes(&[product(&[a, b, n])?, c, h / a, w / b])))
}

/// Reads the inverse, followed by cropping.
fn batch_to_space(args: &Args<'_>) -> Result<Tensor, Unread> {
    let (x, [a, b]) = (args.x("x")?, block_shape(args)?);
    let [top, bottom, left, right] = ends(args, "crops")?;
    let &[n, c, h, w] = &args.dims(x)?[..] else { return Err("an image must have four axes".into()) };
    let split = x.reshape(&sizes(&[a, b, n / a / b, c, h, w])).transpose(&[2, 3, 4, 0, 5, 1]);
    let whole = split.reshape(&sizes(&[n / a / b, c, product(&[h, a])?, product(&[w, b])?]));
    trimmed(args, &trimmed(args, &whole, 2, &[top, bottom])?, 3, &[left, right])
}
