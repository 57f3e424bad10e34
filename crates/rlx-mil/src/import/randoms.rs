//! Reads random numbers. CoreML decides which numbers a seed gives; here the seed is the key of RLX's generator, and a missing seed is the
//! key 0.

use super::args::{Args, Read, Unread};
use rlx_ir::{BinaryOp, CompareOp, DType, Dim, Literal, Op, Shape, Tensor};

pub(super) fn read(kind: &str, args: &Args<'_>) -> Option<Read> {
    let result = match kind {
        "random_uniform" => uniform(args),
        "random_normal" => normal(args),
        "random_bernoulli" => bernoulli(args),
        "random_categorical" => categorical(args),
        _ => return None,
    };
    Some(result.map(|x| vec![x]))
}

fn key(args: &Args<'_>) -> Result<Tensor, Unread> {
    let seed = args.int("seed", -1)?.max(0) as u64;
    let key = Literal::new(&[2], &[(seed >> 32) as u32, seed as u32]).map_err(|e| e.to_string())?;
    Ok(args.builder.constant(key))
}

/// Returns the requested shape, with the type of the argument `number`, or f32 if it is missing.
fn asked(args: &Args<'_>, number: &str) -> Result<Shape, Unread> {
    let dims: Result<Vec<usize>, _> = args.some_ints("shape")?.into_iter().map(usize::try_from).collect();
    let dtype = args.opt(number)?.map_or(DType::F32, Tensor::dtype);
    Ok(Shape::new(&dims.map_err(|_| "`shape` has an invalid size")?, dtype))
}

fn uniform(args: &Args<'_>) -> Result<Tensor, Unread> {
    let shape = asked(args, "low")?;
    let (low, high) = (args.number("low", 0.0)?, args.number("high", 1.0)?);
    let number = |n| args.builder.scalar(n, shape.dtype());
    let op = Op::RngUniform { shape: shape.clone() };
    let key = key(args)?;
    Ok(if (low, high) == (0.0, 1.0) {
        key.apply(op, &[])
    } else {
        key.apply(op, &[&number(low), &number(high)])
    })
}

fn normal(args: &Args<'_>) -> Result<Tensor, Unread> {
    let x = key(args)?.apply(Op::RngNormal { shape: asked(args, "mean")? }, &[]);
    let (mean, deviation) = (args.number("mean", 0.0)?, args.number("stddev", 1.0)?);
    let scaled = if deviation == 1.0 { x } else { x.binary(BinaryOp::Mul, &x.scalar_like(deviation)) };
    Ok(if mean == 0.0 { scaled } else { scaled.binary(BinaryOp::Add, &scaled.scalar_like(mean)) })
}

fn bernoulli(args: &Args<'_>) -> Result<Tensor, Unread> {
    let shape = asked(args, "prob")?;
    let x = key(args)?.apply(Op::RngUniform { shape: shape.with_dtype(DType::F32) }, &[]);
    Ok(x.compare(CompareOp::Lt, &x.scalar_like(args.number("prob", 0.5)?)).convert(shape.dtype()))
}

fn categorical(args: &Args<'_>) -> Result<Tensor, Unread> {
    let x = args.x("x")?;
    let count = usize::try_from(args.int("size", 1)?).ok().filter(|&n| n > 0).ok_or("`size` is below 1")?;
    let logits = match args.text("mode", "logits")? {
        "logits" => x.clone(),
        "probs" => x.unary(rlx_ir::UnaryOp::Log),
        mode => return Err(format!("unknown mode `{mode}` of random choices").into()),
    };
    // Each choice is a separate draw: the logits are repeated along an axis before the last one.
    let rank = x.rank();
    let mut dims = x.dims();
    dims.insert(rank.checked_sub(1).ok_or("logits need an axis")?, Dim::Static(count));
    let axes: Vec<usize> = (0..rank - 1).chain([rank]).collect();
    let repeated = logits.broadcast_in_dim(&dims, &axes);
    Ok(key(args)?.apply(Op::Categorical { axis: rank }, &[&repeated]).convert(x.dtype()))
}
