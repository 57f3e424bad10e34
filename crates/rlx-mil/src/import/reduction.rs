//! Reads reductions, norms, running sums and pooling.

use super::args::{Args, Read, Unread, product};
use rlx_ir::{ArgOp, BinaryOp, DType, Op, ReduceOp, Tensor, UnaryOp, WindowSpec};

pub(super) fn read(kind: &str, args: &Args<'_>) -> Option<Read> {
    let one = |read: Result<Tensor, Unread>| read.map(|x| vec![x]);
    Some(match kind {
        "reduce_sum" => one(reduce(args, ReduceOp::Sum)),
        "reduce_prod" => one(reduce(args, ReduceOp::Prod)),
        "reduce_max" => one(reduce(args, ReduceOp::Max)),
        "reduce_min" => one(reduce(args, ReduceOp::Min)),
        "reduce_mean" => one(reduce(args, ReduceOp::Mean)),
        "reduce_log_sum_exp" => one(log_sum_exp(args)),
        "reduce_log_sum" => one(of(args, Tensor::clone, |sum| sum.unary(UnaryOp::Log))),
        "reduce_l1_norm" => one(of(args, |x| x.unary(UnaryOp::Abs), |sum| sum)),
        "reduce_l2_norm" => one(of(args, squared, |sum| sum.unary(UnaryOp::Sqrt))),
        "reduce_sum_square" => one(of(args, squared, |sum| sum)),
        "reduce_argmax" => one(arg(args, ArgOp::Max)),
        "reduce_argmin" => one(arg(args, ArgOp::Min)),
        "cumsum" => one(cumsum(args)),
        "softmax" => one(softmax(args)),
        "layer_norm" => one(layer_norm(args)),
        "batch_norm" => one(batch_norm(args)),
        "instance_norm" => one(instance_norm(args)),
        "l2_norm" => one(l2_norm(args)),
        "max_pool" => one(pool(args, ReduceOp::Max)),
        "avg_pool" => one(pool(args, ReduceOp::Mean)),
        "l2_pool" => one(pool(args, ReduceOp::Sum)),
        "local_response_norm" => one(local_response_norm(args)),
        _ => return None,
    })
}

fn squared(x: &Tensor) -> Tensor {
    x.binary(BinaryOp::Mul, x)
}

/// Returns the axes of a reduction, which are all axes by default.
fn axes(args: &Args<'_>, x: &Tensor) -> Result<Vec<usize>, Unread> {
    Ok(args.axes("axes", x.rank())?.unwrap_or_else(|| (0..x.rank()).collect()))
}

fn reduce(args: &Args<'_>, kind: ReduceOp) -> Result<Tensor, Unread> {
    let x = args.x("x")?;
    Ok(x.reduce(kind, &axes(args, x)?, args.flag("keep_dims", false)?))
}

/// Reads a function of the sum of a function of each element. Narrow floats are computed in f32, which has a wide enough range for their
/// sums and squares.
fn of(
    args: &Args<'_>,
    f: impl FnOnce(&Tensor) -> Tensor,
    finish: impl FnOnce(Tensor) -> Tensor,
) -> Result<Tensor, Unread> {
    let x = args.x("x")?;
    let sum = f(&x.widened()).reduce(ReduceOp::Sum, &axes(args, x)?, args.flag("keep_dims", false)?);
    Ok(finish(sum).convert(x.dtype()))
}

fn log_sum_exp(args: &Args<'_>) -> Result<Tensor, Unread> {
    let x = args.x("x")?;
    let (axes, keep_dims) = (axes(args, x)?, args.flag("keep_dims", false)?);
    Ok(x.apply(Op::LogSumExp { axes, keep_dims }, &[]))
}

fn arg(args: &Args<'_>, op: ArgOp) -> Result<Tensor, Unread> {
    let x = args.x("x")?;
    let axis = args.axis("axis", -1, x.rank())?;
    let index = x.apply(Op::ArgReduce { op, axis, dtype: DType::I32 }, &[]);
    Ok(if args.flag("keep_dims", false)? { index.unsqueeze(axis) } else { index })
}

fn cumsum(args: &Args<'_>) -> Result<Tensor, Unread> {
    let x = args.x("x")?;
    let axis = args.axis("axis", 0, x.rank())?;
    let (exclusive, reverse) = (args.flag("exclusive", false)?, args.flag("reverse", false)?);
    Ok(x.apply(Op::Cumulative { op: ReduceOp::Sum, axis, exclusive, reverse }, &[]))
}

fn softmax(args: &Args<'_>) -> Result<Tensor, Unread> {
    let x = args.x("x")?;
    Ok(x.softmax(args.axis("axis", -1, x.rank())?))
}

/// Returns the mean and the biased variance along axes, which are kept, in the type that norms are computed in.
fn moments(x: &Tensor, axes: &[usize]) -> (Tensor, Tensor) {
    let x = &x.widened();
    let mean = x.mean(axes, true);
    let (x, mean_of_all) = x.broadcast_with(&mean);
    let off = x.binary(BinaryOp::Sub, &mean_of_all);
    (mean, squared(&off).mean(axes, true))
}

/// Returns (x − mean) / sqrt(variance + epsilon) · gamma + beta, with broadcasting; narrow floats are computed in f32.
fn normalized(
    x: &Tensor,
    mean: &Tensor,
    variance: &Tensor,
    epsilon: f64,
    gamma: Option<Tensor>,
    beta: Option<Tensor>,
) -> Tensor {
    let joint = |x: &Tensor, op, y: &Tensor| {
        let (x, y) = x.broadcast_with(&y.widened());
        x.binary(op, &y)
    };
    let (dtype, x, variance) = (x.dtype(), &x.widened(), variance.widened());
    let factor = variance.binary(BinaryOp::Add, &variance.scalar_like(epsilon)).unary(UnaryOp::Rsqrt);
    let mut y = joint(&joint(x, BinaryOp::Sub, mean), BinaryOp::Mul, &factor);
    if let Some(gamma) = gamma {
        y = joint(&y, BinaryOp::Mul, &gamma);
    }
    if let Some(beta) = beta {
        y = joint(&y, BinaryOp::Add, &beta);
    }
    y.convert(dtype)
}

fn layer_norm(args: &Args<'_>) -> Result<Tensor, Unread> {
    let x = args.x("x")?;
    let (axes, eps) = (axes(args, x)?, args.number("epsilon", 1e-5)?);
    let (gamma, beta) = (args.opt("gamma")?, args.opt("beta")?);
    let axis = axes.first().copied().unwrap_or(0);
    if axes.iter().copied().eq(axis..x.rank()) && (beta.is_none() || gamma.is_some()) {
        let rest: Vec<&Tensor> = gamma.into_iter().chain(beta).collect();
        return Ok(x.apply(Op::LayerNorm { axis, eps }, &rest));
    }
    let (mean, variance) = moments(x, &axes);
    let spread = |y: &Tensor| y.broadcast_in_dim(&x.dims(), &axes);
    Ok(normalized(x, &mean, &variance, eps, gamma.map(spread), beta.map(spread)))
}

fn batch_norm(args: &Args<'_>) -> Result<Tensor, Unread> {
    let x = args.x("x")?;
    let spread = |y: &Tensor| y.convert(x.dtype()).broadcast_in_dim(&x.dims(), &[1]);
    let (mean, variance) = (spread(args.x("mean")?), spread(args.x("variance")?));
    let (gamma, beta) = (args.opt("gamma")?.map(spread), args.opt("beta")?.map(spread));
    Ok(normalized(x, &mean, &variance, args.number("epsilon", 1e-5)?, gamma, beta))
}

fn instance_norm(args: &Args<'_>) -> Result<Tensor, Unread> {
    let x = args.x("x")?;
    let axes: Vec<usize> = (2..x.rank()).collect();
    let (mean, variance) = moments(x, &axes);
    let spread = |y: &Tensor| y.convert(x.dtype()).broadcast_in_dim(&x.dims(), &[1]);
    let (gamma, beta) = (args.opt("gamma")?.map(spread), args.opt("beta")?.map(spread));
    Ok(normalized(x, &mean, &variance, args.number("epsilon", 1e-5)?, gamma, beta))
}

/// Divides x by the root of the sum of its squares over the last three axes.
fn l2_norm(args: &Args<'_>) -> Result<Tensor, Unread> {
    let x = args.x("x")?;
    let axes: Vec<usize> = (x.rank().saturating_sub(3)..x.rank()).collect();
    let sum = squared(&x.widened()).reduce(ReduceOp::Sum, &axes, true);
    let root =
        sum.binary(BinaryOp::Add, &sum.scalar_like(args.number("epsilon", 1e-6)?)).unary(UnaryOp::Sqrt);
    let root = root.broadcast_to(&x.dims());
    Ok(x.binary(BinaryOp::Div, &root.convert(x.dtype())))
}

/// Reads x / (k + alpha / size · sum of the squares of `size` channels around it)^beta.
fn local_response_norm(args: &Args<'_>) -> Result<Tensor, Unread> {
    let x = args.x("x")?;
    let size = usize::try_from(args.int("size", 1)?).ok().filter(|&n| n > 0).ok_or("`size` is below 1")?;
    if x.rank() < 2 {
        return Err("the operand has no channels".into());
    }
    // One number for the channels, another for the other axes.
    let sizes: Vec<usize> = (0..x.rank()).map(|axis| if axis == 1 { size } else { 1 }).collect();
    let pad = |n: usize| (0..x.rank()).map(|axis| if axis == 1 { n as i64 } else { 0 }).collect();
    let spec = WindowSpec { low: pad(size / 2), high: pad((size - 1) / 2), ..WindowSpec::plain(&sizes) };
    let sum = squared(&x.widened()).apply(Op::ReduceWindow { kind: ReduceOp::Sum, spec }, &[]);
    let scaled = sum.binary(BinaryOp::Mul, &sum.scalar_like(args.number("alpha", 1e-4)? / size as f64));
    let base = scaled.binary(BinaryOp::Add, &sum.scalar_like(args.number("k", 1.0)?));
    let size = base.binary(BinaryOp::Pow, &base.scalar_like(args.number("beta", 0.75)?));
    Ok(x.binary(BinaryOp::Div, &size.convert(x.dtype())))
}

/// Returns the padding before and after each spatial axis.
pub(super) fn padding(
    args: &Args<'_>,
    dims: &[usize],
    window: &[usize],
    strides: &[usize],
) -> Result<Vec<(usize, usize)>, Unread> {
    let spatial = window.len();
    Ok(match args.text("pad_type", "valid")? {
        "valid" => vec![(0, 0); spatial],
        "custom" => {
            let pads = args.ints("pad")?.unwrap_or_else(|| vec![0; 2 * spatial]);
            // Far below the range of i64, so that sums of a few sizes do not overflow.
            let size = |n: i64| {
                let size = usize::try_from(n).ok().filter(|&n| n < 1 << 60);
                size.ok_or_else(|| Unread("`pad` has an invalid size".into()))
            };
            if pads.len() != 2 * spatial {
                return Err("`pad` must have two sizes per axis".into());
            }
            pads.chunks_exact(2)
                .map(|pair| Ok((size(pair[0])?, size(pair[1])?)))
                .collect::<Result<_, Unread>>()?
        }
        kind @ ("same" | "same_lower") => {
            let needed = |axis: usize| {
                let last = dims[axis].saturating_sub(1) / strides[axis] * strides[axis];
                let whole = last.saturating_add(window[axis]).saturating_sub(dims[axis]);
                let (small, large) = (whole / 2, whole.div_ceil(2));
                if kind == "same" { (small, large) } else { (large, small) }
            };
            (0..spatial).map(needed).collect()
        }
        kind => return Err(format!("unknown padding `{kind}`").into()),
    })
}

/// Returns settings that are sizes, one per spatial axis.
pub(super) fn per_axis(args: &Args<'_>, name: &str, spatial: usize) -> Result<Vec<usize>, Unread> {
    let list = args.ints(name)?.unwrap_or_else(|| vec![1; spatial]);
    let sizes: Result<Vec<usize>, _> = list.into_iter().map(usize::try_from).collect();
    sizes
        .ok()
        .filter(|list| list.len() == spatial && !list.contains(&0))
        .ok_or_else(|| format!("`{name}` must have one size per axis").into())
}

fn pool(args: &Args<'_>, op: ReduceOp) -> Result<Tensor, Unread> {
    let x = args.x("x")?;
    let spatial =
        x.rank().checked_sub(2).filter(|&n| n > 0).ok_or("the operand has no spatial axis to pool along")?;
    let window = per_axis(args, "kernel_sizes", spatial)?;
    let strides = per_axis(args, "strides", spatial)?;
    let dims = args.dims(x)?;
    let mut pads = padding(args, &dims[2..], &window, &strides)?;
    if args.flag("ceil_mode", false)? {
        for axis in 0..spatial {
            let (low, high) = pads[axis];
            let whole = low.checked_add(high).and_then(|pad| pad.checked_add(dims[axis + 2]));
            let room = whole.and_then(|whole| whole.checked_sub(window[axis]));
            let room = room.ok_or("a window is larger than the operand")?;
            let more = (strides[axis] - room % strides[axis]) % strides[axis];
            pads[axis].1 = high.checked_add(more).ok_or("padding overflows")?;
        }
    }
    let whole = |list: &[usize]| [&[1, 1], list].concat();
    let amount = |of: fn(&(usize, usize)) -> usize| -> Vec<i64> {
        [0, 0].into_iter().chain(pads.iter().map(|pad| of(pad) as i64)).collect()
    };
    let windows = |x: &Tensor, kind| {
        let spec = WindowSpec {
            strides: whole(&strides),
            low: amount(|pad| pad.0),
            high: amount(|pad| pad.1),
            ..WindowSpec::plain(&whole(&window))
        };
        x.apply(Op::ReduceWindow { kind, spec }, &[])
    };
    Ok(match op {
        ReduceOp::Max => windows(x, ReduceOp::Max),
        ReduceOp::Sum => {
            windows(&squared(&x.widened()), ReduceOp::Sum).unary(UnaryOp::Sqrt).convert(x.dtype())
        }
        _ => {
            let wide = x.widened();
            let sums = windows(&wide, ReduceOp::Sum);
            let means = if args.flag("exclude_padding_from_average", false)? {
                let ones = wide.scalar_like(1.0).broadcast_in_dim(&x.dims(), &[]);
                sums.binary(BinaryOp::Div, &windows(&ones, ReduceOp::Sum))
            } else {
                let count = product(&window)?;
                sums.binary(BinaryOp::Div, &sums.scalar_like(count as f64))
            };
            means.convert(x.dtype())
        }
    })
}
