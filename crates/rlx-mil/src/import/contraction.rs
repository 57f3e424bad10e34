//! Reads matrix products, convolutions and attention.

use super::args::{Args, Read, Unread, product};
use super::reduction::{padding, per_axis};
use rlx_ir::{AttentionOptions, BinaryOp, ConvolutionSpec, DType, Dim, DotDims, Op, Tensor};

pub(super) fn read(kind: &str, args: &Args<'_>) -> Option<Read> {
    let one = |read: Result<Tensor, Unread>| read.map(|x| vec![x]);
    Some(match kind {
        "matmul" => one(matmul(args)),
        "linear" => one(linear(args)),
        "einsum" => one(einsum(args)),
        "conv" => one(conv(args)),
        "conv_transpose" => one(conv_transpose(args)),
        "scaled_dot_product_attention" => one(attention(args)),
        _ => return None,
    })
}

fn matmul(args: &Args<'_>) -> Result<Tensor, Unread> {
    let turned = |x: &Tensor, flag| {
        Ok::<_, Unread>(if args.flag(flag, false)? { x.transpose_last() } else { x.clone() })
    };
    let (x, y) = (args.x("x")?, args.x("y")?);
    Ok(turned(x, "transpose_x")?.matmul(&turned(y, "transpose_y")?))
}

fn linear(args: &Args<'_>) -> Result<Tensor, Unread> {
    let (x, weight) = (args.x("x")?, args.x("weight")?);
    if x.rank() == 0 || weight.rank() != 2 {
        return Err("a linear layer needs rows and a matrix".into());
    }
    let op = Op::DotGeneral { dims: DotDims::contracting(&[x.rank() - 1], &[1]), dtype: None };
    let y = x.apply(op, &[weight]);
    Ok(match args.opt("bias")? {
        Some(bias) => {
            let (y, bias) = y.broadcast_with(bias);
            y.binary(BinaryOp::Add, &bias)
        }
        None => y,
    })
}

/// Reads products by letters: letters that are not in the result are summed over, and letters of both operands are matched.
fn einsum(args: &Args<'_>) -> Result<Tensor, Unread> {
    let equation: String = args.text("equation", "")?.chars().filter(|c| !c.is_whitespace()).collect();
    let values = args.list("values")?;
    let [x, y] = values[..] else { return Err("an einsum must have two operands".into()) };
    let bad = || Unread(format!("the equation `{equation}` is not supported"));
    let (operands, out) = equation.split_once("->").ok_or_else(bad)?;
    let (a, b) = operands.split_once(',').ok_or_else(bad)?;
    let letters = |text: &str| text.chars().collect::<Vec<char>>();
    let (a, b, out) = (letters(a), letters(b), letters(out));
    let distinct = |list: &[char]| {
        list.iter().enumerate().all(|(i, c)| c.is_ascii_alphabetic() && !list[..i].contains(c))
    };
    if ![&a, &b, &out].into_iter().all(|list| distinct(list)) || a.len() != x.rank() || b.len() != y.rank() {
        return Err(bad());
    }
    let axis = |list: &[char], c: char| list.iter().position(|&other| other == c);
    // Letters that only one operand has and that are not in the result are summed over first.
    let summed = |x: &Tensor, own: &[char], other: &[char]| {
        let gone: Vec<usize> =
            (0..own.len()).filter(|&i| !other.contains(&own[i]) && !out.contains(&own[i])).collect();
        let left: Vec<char> = own.iter().copied().filter(|c| other.contains(c) || out.contains(c)).collect();
        let x = if gone.is_empty() { x.clone() } else { x.reduce(rlx_ir::ReduceOp::Sum, &gone, false) };
        (x, left)
    };
    let ((x, a), (y, b)) = (summed(x, &a, &b), summed(y, &b, &a));
    let shared: Vec<char> = a.iter().copied().filter(|c| b.contains(c)).collect();
    let (batch, contract): (Vec<char>, Vec<char>) = shared.into_iter().partition(|c| out.contains(c));
    let places =
        |list: &[char], of: &[char]| of.iter().filter_map(|&c| axis(list, c)).collect::<Vec<usize>>();
    let dims = DotDims {
        lhs_batch: places(&a, &batch),
        rhs_batch: places(&b, &batch),
        lhs_contract: places(&a, &contract),
        rhs_contract: places(&b, &contract),
    };
    let y = x.apply(Op::DotGeneral { dims, dtype: None }, &[&y]);
    let free = |list: &[char]| {
        list.iter().copied().filter(|c| !batch.contains(c) && !contract.contains(c)).collect::<Vec<_>>()
    };
    let made = [batch.clone(), free(&a), free(&b)].concat();
    let perm: Option<Vec<usize>> = out.iter().map(|&c| axis(&made, c)).collect();
    Ok(y.transpose(&perm.ok_or_else(bad)?))
}

/// The spatial axes of a convolution, the sizes of its window, and its settings.
struct Moves {
    spatial: usize,
    strides: Vec<usize>,
    dilations: Vec<usize>,
    groups: usize,
}

fn moves(args: &Args<'_>, x: &Tensor, weight: &Tensor) -> Result<Moves, Unread> {
    let spatial = x.rank().checked_sub(2).filter(|n| (1..=3).contains(n) && weight.rank() == n + 2);
    let spatial = spatial.ok_or("a convolution must have one to three spatial axes")?;
    let groups =
        usize::try_from(args.int("groups", 1)?).ok().filter(|&n| n > 0).ok_or("`groups` is below 1")?;
    Ok(Moves {
        spatial,
        strides: per_axis(args, "strides", spatial)?,
        dilations: per_axis(args, "dilations", spatial)?,
        groups,
    })
}

/// Returns the extent of a kernel along each axis.
fn windows(kernel: &[usize], dilations: &[usize]) -> Result<Vec<usize>, Unread> {
    let window =
        |(&size, &dilation): (&usize, &usize)| size.checked_sub(1)?.checked_mul(dilation)?.checked_add(1);
    let windows: Option<Vec<usize>> = kernel.iter().zip(dilations).map(window).collect();
    windows.ok_or_else(|| "a kernel has no size, or is too large".into())
}

fn with_bias(args: &Args<'_>, y: Tensor) -> Result<Tensor, Unread> {
    Ok(match args.opt("bias")? {
        Some(bias) => {
            let bias = bias.convert(y.dtype()).broadcast_in_dim(&y.dims(), &[1]);
            y.binary(BinaryOp::Add, &bias)
        }
        None => y,
    })
}

fn conv(args: &Args<'_>) -> Result<Tensor, Unread> {
    let (x, weight) = (args.x("x")?, args.x("weight")?);
    let Moves { spatial, strides, dilations, groups } = moves(args, x, weight)?;
    let (dims, kernel) = (args.dims(x)?, args.dims(weight)?);
    let window = windows(&kernel[2..], &dilations)?;
    let pads = padding(args, &dims[2..], &window, &strides)?;
    let spec = ConvolutionSpec {
        strides,
        rhs_dilation: dilations,
        low: pads.iter().map(|pad| pad.0 as i64).collect(),
        high: pads.iter().map(|pad| pad.1 as i64).collect(),
        feature_groups: groups,
        ..ConvolutionSpec::plain(spatial)
    };
    let y = x.apply(Op::Convolution { spec, dtype: None }, &[weight]);
    with_bias(args, y)
}

/// Reads a convolution's transpose as a linear map, with weights `[C_in, C_out / groups, …]`.
fn conv_transpose(args: &Args<'_>) -> Result<Tensor, Unread> {
    let (x, weight) = (args.x("x")?, args.x("weight")?);
    let Moves { spatial, strides, dilations, groups } = moves(args, x, weight)?;
    let (dims, kernel) = (args.dims(x)?, args.dims(weight)?);
    // [g · in, out, …] becomes [g · out, in, …].
    let (inputs, outputs) = (kernel[0] / groups, kernel[1]);
    let size = |n: usize| Dim::Static(n);
    let rest: Vec<Dim> = kernel[2..].iter().map(|&n| size(n)).collect();
    let split = weight.reshape(&[&[size(groups), size(inputs), size(outputs)], &rest[..]].concat());
    let perm: Vec<usize> = [0, 2, 1].into_iter().chain(3..3 + spatial).collect();
    let kernel_of = split
        .transpose(&perm)
        .reshape(&[&[size(product(&[groups, outputs])?), size(inputs)], &rest[..]].concat());
    let window = windows(&kernel[2..], &dilations)?;
    // The sizes of tensors, and i64 for all of them: the computations below do not overflow.
    let full = |i: usize| {
        let moved = dims[i + 2].checked_sub(1)?.checked_mul(strides[i])?;
        moved.checked_add(window[i].max(strides[i])).filter(|&n| n < 1 << 60)?;
        moved.checked_add(window[i])
    };
    let full: Option<Vec<usize>> = (0..spatial).map(full).collect();
    let full = full.ok_or("an image has no size, or is too large")?;
    let kind = args.text("pad_type", "valid")?;
    let mut cut: Vec<(i64, i64)> = match kind {
        "custom" | "valid" => {
            let pads = padding(args, &dims[2..], &window, &strides)?;
            pads.into_iter().map(|(low, high)| (low as i64, high as i64)).collect()
        }
        "same" => {
            let whole = |i: usize| full[i].saturating_sub(dims[i + 2] * strides[i]) as i64;
            (0..spatial).map(|i| (whole(i) / 2, whole(i) - whole(i) / 2)).collect()
        }
        kind => return Err(format!("unknown padding `{kind}` of a transposed convolution").into()),
    };
    if let Some(shape) = args.ints("output_shape")? {
        let wanted = shape.get(shape.len().saturating_sub(spatial)..).unwrap_or_default();
        for (i, &size) in wanted.iter().enumerate() {
            if !(0..1 << 60).contains(&size) {
                return Err("`output_shape` has an invalid size".into());
            }
            let now = full[i] as i64 - cut[i].0 - cut[i].1;
            cut[i].1 -= size - now;
        }
    }
    let pad = |i: usize, cut: i64| window[i] as i64 - 1 - cut;
    let (low, high) = cut.iter().enumerate().map(|(i, cut)| (pad(i, cut.0), pad(i, cut.1))).unzip();
    let spec = ConvolutionSpec {
        lhs_dilation: strides,
        rhs_dilation: dilations,
        low,
        high,
        reversal: vec![true; spatial],
        feature_groups: groups,
        ..ConvolutionSpec::plain(spatial)
    };
    let y = x.apply(Op::Convolution { spec, dtype: None }, &[&kernel_of]);
    with_bias(args, y)
}

/// Reads softmax(q·kᵀ / √d + mask) · v over the last two axes; leading axes broadcast.
fn attention(args: &Args<'_>) -> Result<Tensor, Unread> {
    let (q, k, v) = (args.x("query")?, args.x("key")?, args.x("value")?);
    let mask = args.opt("attn_mask")?;
    if q.rank() == 4 && k.rank() == 4 && v.rank() == 4 && q.dim(1) == k.dim(1) && mask.is_none() {
        return Ok(q.apply(AttentionOptions::default().op(), &[k, v]));
    }
    let size = args.dims(q)?.last().copied().ok_or("attention needs an axis")?;
    let scores = q.matmul(&k.transpose_last());
    let mut scores = scores.binary(BinaryOp::Mul, &scores.scalar_like(1.0 / (size as f64).sqrt()));
    if let Some(mask) = mask {
        let (all, mask) = scores.broadcast_with(mask);
        scores = match mask.dtype() {
            DType::Bool => mask.select(&all, &all.scalar_like(f64::NEG_INFINITY)),
            _ => all.binary(BinaryOp::Add, &mask.convert(all.dtype())),
        };
    }
    let axis = args.dims(&scores)?.len().checked_sub(1).ok_or("attention needs an axis")?;
    Ok(scores.softmax(axis).matmul(v))
}
