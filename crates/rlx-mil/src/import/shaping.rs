//! Operations that move elements: other sizes, other orders, parts, and joined parts.

use super::args::{Args, Read, Unread, axis};
use rlx_ir::{Dim, Op, Tensor};

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
        _ => return None,
    })
}

fn sizes(dims: &[usize]) -> Vec<Dim> {
    dims.iter().map(|&n| Dim::Static(n)).collect()
}

/// Sizes that a shape asks for: −1 is what is left, 0 the size that was there.
fn asked(dims: &[usize], shape: &[i64]) -> Result<Vec<usize>, Unread> {
    let count: usize = dims.iter().product();
    let mut out = Vec::new();
    for (i, &n) in shape.iter().enumerate() {
        out.push(match n {
            -1 => None,
            0 => Some(*dims.get(i).ok_or("a size of 0 stands for no axis")?),
            n => Some(usize::try_from(n).map_err(|_| format!("{n} is no size"))?),
        });
    }
    let known = out
        .iter()
        .flatten()
        .try_fold(1usize, |product, &n| product.checked_mul(n))
        .ok_or("sizes overflow")?;
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
    Ok(x.transpose(&perm.ok_or("`perm` has what is no axis")?))
}

fn expand_dims(args: &Args<'_>) -> Result<Tensor, Unread> {
    let x = args.x("x")?;
    let given = args.some_ints("axes")?;
    let rank = x.rank() + given.len();
    let axes: Option<Vec<usize>> = given.into_iter().map(|n| axis(n, rank)).collect();
    let mut axes = axes.ok_or("`axes` has what is no axis")?;
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
        return Err("an axis that is not 1 wide is squeezed".into());
    }
    let left: Vec<usize> = (0..dims.len()).filter(|axis| !goes(axis)).map(|axis| dims[axis]).collect();
    Ok(x.reshape(&sizes(&left)))
}

fn concat(args: &Args<'_>) -> Result<Tensor, Unread> {
    let values = args.list("values")?;
    let [first, rest @ ..] = &values[..] else { return Err("nothing is joined".into()) };
    let axis = args.axis("axis", 0, first.rank())?;
    if !args.flag("interleave", false)? {
        return Ok(first.apply(Op::Concatenate { axis }, rest));
    }
    // Elements in turns: joined along a new axis behind.
    let wide: Vec<Tensor> = values.iter().map(|x| x.unsqueeze(axis + 1)).collect();
    let [first, rest @ ..] = &wide[..] else { return Err("nothing is joined".into()) };
    let joined = first.apply(Op::Concatenate { axis: axis + 1 }, &rest.iter().collect::<Vec<_>>());
    let mut dims = args.dims(values[0])?;
    dims[axis] *= values.len();
    Ok(joined.reshape(&sizes(&dims)))
}

fn stack(args: &Args<'_>) -> Result<Tensor, Unread> {
    let values = args.list("values")?;
    let rank = values.first().ok_or("nothing is stacked")?.rank() + 1;
    let axis = args.axis("axis", 0, rank)?;
    let wide: Vec<Tensor> = values.iter().map(|x| x.unsqueeze(axis)).collect();
    let [first, rest @ ..] = &wide[..] else { return Err("nothing is stacked".into()) };
    Ok(first.apply(Op::Concatenate { axis }, &rest.iter().collect::<Vec<_>>()))
}

fn split(args: &Args<'_>) -> Read {
    let x = args.x("x")?;
    let axis = args.axis("axis", 0, x.rank())?;
    let size = args.dims(x)?[axis];
    let parts: Vec<usize> = match args.ints("split_sizes")? {
        Some(list) => list.into_iter().map(|n| usize::try_from(n).unwrap_or(0)).collect(),
        None => {
            let count = usize::try_from(args.int("num_splits", 1)?).ok().filter(|&n| n > 0 && size % n == 0);
            let count = count.ok_or("`num_splits` does not divide the axis")?;
            vec![size / count; count]
        }
    };
    if parts.iter().sum::<usize>() != size {
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
    let repeats = repeats.map_err(|_| "`reps` has what is no number of repeats")?;
    Ok(args.x("x")?.apply(Op::Tile { repeats }, &[]))
}

fn pad(args: &Args<'_>) -> Result<Tensor, Unread> {
    let (x, pads) = (args.x("x")?, args.some_ints("pad")?);
    let mode = args.text("mode", "constant")?;
    if !pads.len().is_multiple_of(2) || pads.len() > 2 * x.rank() || pads.iter().any(|&n| n < 0) {
        return Err("`pad` is not two sizes per axis".into());
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
        _ => Err(format!("pad has no mode `{mode}`").into()),
    }
}

/// The value with its own elements around it: those next to its ends in reverse, or the last ones again.
fn mirrored(args: &Args<'_>, x: &Tensor, low: &[i64], high: &[i64], reflect: bool) -> Result<Tensor, Unread> {
    let mut padded = x.clone();
    for axis in 0..x.rank() {
        let size = args.dims(&padded)?[axis];
        let count = |n: i64| usize::try_from(n).unwrap_or(0);
        let (before, after) = (count(low[axis]), count(high[axis]));
        if reflect && before.max(after) >= size {
            return Err("more is reflected than there is".into());
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
        let back = block(after, (size - 1).saturating_sub(after), size - 1, size - 1);
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

fn slice_by_index(args: &Args<'_>) -> Result<Tensor, Unread> {
    let x = args.x("x")?;
    let (dims, rank) = (args.dims(x)?, x.rank());
    let (begin, end) = (args.some_ints("begin")?, args.some_ints("end")?);
    let stride = args.ints("stride")?.unwrap_or_else(|| vec![1; rank]);
    let mask = |name| Ok::<_, Unread>(args.flags(name)?.unwrap_or_else(|| vec![false; rank]));
    let (begin_mask, end_mask, squeezed) = (mask("begin_mask")?, mask("end_mask")?, mask("squeeze_mask")?);
    let lens = [begin.len(), end.len(), stride.len(), begin_mask.len(), end_mask.len(), squeezed.len()];
    if lens.iter().any(|&len| len != rank) {
        return Err("a slice does not say one number per axis".into());
    }
    let (mut starts, mut limits, mut strides, mut turned) = (vec![], vec![], vec![], vec![]);
    for axis in 0..rank {
        let size = i64::try_from(dims[axis]).map_err(|_| "an axis is too long")?;
        let inside = |n: i64| if n < 0 { n + size } else { n };
        let step = stride[axis];
        if step == 0 {
            return Err("a slice has steps of 0".into());
        }
        let (first, last) = if squeezed[axis] {
            let at = inside(begin[axis]);
            (at, at + 1)
        } else if step > 0 {
            let first = if begin_mask[axis] { 0 } else { inside(begin[axis]) };
            let last = if end_mask[axis] { size } else { inside(end[axis]) };
            (first.clamp(0, size), last.clamp(0, size))
        } else {
            // From `begin` down to before `end`: turned, it goes up.
            let first = if begin_mask[axis] { size - 1 } else { inside(begin[axis]).clamp(-1, size - 1) };
            let last = if end_mask[axis] { -1 } else { inside(end[axis]).clamp(-1, size - 1) };
            turned.push(axis);
            (size - 1 - first, size - 1 - last)
        };
        if first >= last || first < 0 || last > size {
            return Err(format!("nothing is left of axis {axis} in a slice").into());
        }
        starts.push(Dim::Static(first as usize));
        limits.push(Dim::Static(last as usize));
        strides.push(if squeezed[axis] { 1 } else { step.unsigned_abs() as usize });
    }
    let x = if turned.is_empty() { x.clone() } else { x.apply(Op::Reverse { axes: turned }, &[]) };
    let slice = x.apply(Op::Slice { starts, limits, strides }, &[]);
    let left: Vec<usize> =
        args.dims(&slice)?.into_iter().zip(&squeezed).filter(|(_, gone)| !**gone).map(|x| x.0).collect();
    Ok(if squeezed.contains(&true) { slice.reshape(&sizes(&left)) } else { slice })
}

/// Sizes that are given.
fn given(args: &Args<'_>, name: &str) -> Result<Vec<usize>, Unread> {
    let list = args.some_ints(name)?.into_iter().map(usize::try_from).collect::<Result<Vec<_>, _>>();
    list.map_err(|_| format!("`{name}` has what is no size").into())
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
    let at = if n < 0 { n + dims.len() as i64 } else { n };
    let at = usize::try_from(at).ok().filter(|&at| at <= dims.len()).ok_or("`axis` is none")?;
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
        return Err(format!("a range of {count} elements").into());
    }
    let dtype = args.x("end")?.dtype();
    let shape = rlx_ir::Shape::new(&[count as usize], dtype);
    let steps = args.builder.iota(shape, 0);
    let scaled = steps.binary(rlx_ir::BinaryOp::Mul, &steps.scalar_like(step));
    Ok(scaled.binary(rlx_ir::BinaryOp::Add, &steps.scalar_like(start)))
}

/// `[N, C, H, W]`: blocks of places become channels, those of a place next to each other in the order block row, block column, channel; or
/// channels become blocks of places, of each channel in a row.
fn blocks(args: &Args<'_>, setting: &str, to_depth: bool) -> Result<Tensor, Unread> {
    let x = args.x("x")?;
    let size = usize::try_from(args.int(setting, 1)?).ok().filter(|&n| n > 0).ok_or("a block has no size")?;
    let &[n, c, h, w] = &args.dims(x)?[..] else { return Err("an image has four axes".into()) };
    if to_depth {
        let split = x.reshape(&sizes(&[n, c, h / size, size, w / size, size]));
        return Ok(split.transpose(&[0, 3, 5, 1, 2, 4]).reshape(&sizes(&[
            n,
            c * size * size,
            h / size,
            w / size,
        ])));
    }
    let split = x.reshape(&sizes(&[n, c / (size * size), size, size, h, w]));
    Ok(split.transpose(&[0, 1, 4, 2, 5, 3]).reshape(&sizes(&[n, c / (size * size), h * size, w * size])))
}

fn depth_to_space(args: &Args<'_>) -> Result<Tensor, Unread> {
    let x = args.x("x")?;
    let size =
        usize::try_from(args.int("block_size", 1)?).ok().filter(|&n| n > 0).ok_or("a block has no size")?;
    let &[n, c, h, w] = &args.dims(x)?[..] else { return Err("an image has four axes".into()) };
    let split = x.reshape(&sizes(&[n, size, size, c / (size * size), h, w]));
    Ok(split.transpose(&[0, 3, 4, 1, 5, 2]).reshape(&sizes(&[n, c / (size * size), h * size, w * size])))
}

fn pixel_unshuffle(args: &Args<'_>) -> Result<Tensor, Unread> {
    let x = args.x("x")?;
    let size = usize::try_from(args.int("downscale_factor", 1)?).ok().filter(|&n| n > 0);
    let size = size.ok_or("a block has no size")?;
    let &[n, c, h, w] = &args.dims(x)?[..] else { return Err("an image has four axes".into()) };
    let split = x.reshape(&sizes(&[n, c, h / size, size, w / size, size]));
    Ok(split.transpose(&[0, 1, 3, 5, 2, 4]).reshape(&sizes(&[n, c * size * size, h / size, w / size])))
}
