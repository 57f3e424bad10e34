//! Reads elementwise functions, activations, comparisons, selects, and conversions between element types.

use super::args::{Args, Read, Unread};
use rlx_ir::{Activation, BinaryOp, CompareOp, DType, FloatFormat, Op, Tensor, UnaryOp};

/// Returns the function for operations that are a single one of the graph's.
fn unary(kind: &str) -> Option<UnaryOp> {
    Some(match kind {
        "abs" => UnaryOp::Abs,
        "acos" => UnaryOp::Acos,
        "asin" => UnaryOp::Asin,
        "atan" => UnaryOp::Atan,
        "atanh" => UnaryOp::Atanh,
        "ceil" => UnaryOp::Ceil,
        "cos" => UnaryOp::Cos,
        "cosh" => UnaryOp::Cosh,
        "erf" => UnaryOp::Erf,
        "exp" => UnaryOp::Exp,
        "floor" => UnaryOp::Floor,
        "logical_not" => UnaryOp::Not,
        "round" => UnaryOp::RoundEven,
        "sigmoid" => UnaryOp::Logistic,
        "sign" => UnaryOp::Sign,
        "sin" => UnaryOp::Sin,
        "sinh" => UnaryOp::Sinh,
        "sqrt" => UnaryOp::Sqrt,
        "tan" => UnaryOp::Tan,
        "tanh" => UnaryOp::Tanh,
        _ => return None,
    })
}

fn binary(kind: &str) -> Option<BinaryOp> {
    Some(match kind {
        "add" => BinaryOp::Add,
        "sub" => BinaryOp::Sub,
        "mul" => BinaryOp::Mul,
        "pow" => BinaryOp::Pow,
        "maximum" => BinaryOp::Max,
        "minimum" => BinaryOp::Min,
        "logical_and" => BinaryOp::And,
        "logical_or" => BinaryOp::Or,
        "logical_xor" => BinaryOp::Xor,
        _ => return None,
    })
}

fn comparison(kind: &str) -> Option<CompareOp> {
    Some(match kind {
        "equal" => CompareOp::Eq,
        "not_equal" => CompareOp::Ne,
        "less" => CompareOp::Lt,
        "less_equal" => CompareOp::Le,
        "greater" => CompareOp::Gt,
        "greater_equal" => CompareOp::Ge,
        _ => return None,
    })
}

/// Returns the type for `dtype` of a conversion.
pub(super) fn dtype(name: &str) -> Result<DType, Unread> {
    Ok(match name {
        "fp16" => DType::F16,
        "fp32" => DType::F32,
        "fp64" => DType::F64,
        "int8" => DType::I8,
        "int16" => DType::I16,
        "int32" => DType::I32,
        "int64" => DType::I64,
        "uint8" => DType::U8,
        "uint16" => DType::U16,
        "uint32" => DType::U32,
        "bool" => DType::Bool,
        _ => return Err(format!("unknown type `{name}`").into()),
    })
}

pub(super) fn read(kind: &str, args: &Args<'_>) -> Option<Read> {
    if let Some(op) = unary(kind) {
        return Some(args.x("x").map(|x| vec![x.unary(op)]));
    }
    if let Some(op) = binary(kind) {
        return Some(two(args).map(|(x, y)| vec![x.binary(op, &y)]));
    }
    if let Some(op) = comparison(kind) {
        return Some(two(args).map(|(x, y)| vec![x.compare(op, &y)]));
    }
    functions(kind, args).or_else(|| activation(kind, args)).map(|read| read.map(|x| vec![x]))
}

/// Returns both operands, broadcast.
fn two(args: &Args<'_>) -> Result<(Tensor, Tensor), Unread> {
    Ok(args.x("x")?.broadcast_with(args.x("y")?))
}

/// Reads functions that take several steps in the graph.
fn functions(kind: &str, args: &Args<'_>) -> Option<Result<Tensor, Unread>> {
    let x = || args.x("x");
    Some(match kind {
        "identity" => x().cloned(),
        "square" => x().map(|x| x.binary(BinaryOp::Mul, x)),
        "exp2" => x().map(|x| x.scalar_like(2.0).binary(BinaryOp::Pow, x)),
        "log" => shifted(args, 1e-45, |x| x.unary(UnaryOp::Log)),
        "rsqrt" => shifted(args, 1e-12, |x| x.unary(UnaryOp::Rsqrt)),
        "inverse" => shifted(args, 1e-4, |x| x.scalar_like(1.0).binary(BinaryOp::Div, &x)),
        "real_div" => two(args).map(|(x, y)| x.binary(BinaryOp::Div, &y)),
        "floor_div" => two(args).map(|(x, y)| floored(&x, &y).0),
        "mod" => two(args).map(|(x, y)| floored(&x, &y).1),
        "cast" => cast(args),
        "select" => select(args),
        "quantize" => quantize(args),
        "dequantize" => dequantize(args),
        "clip" => between(args, "alpha", "beta"),
        "threshold" => args.x("alpha").and_then(|alpha| Ok(maximum(x()?, alpha))),
        _ => return None,
    })
}

fn maximum(x: &Tensor, y: &Tensor) -> Tensor {
    let (x, y) = x.broadcast_with(y);
    x.binary(BinaryOp::Max, &y)
}

/// Reads a function of x and a small number that f16 may not be able to represent: with f16, it is computed in f32.
fn shifted(args: &Args<'_>, default: f64, of: impl FnOnce(Tensor) -> Tensor) -> Result<Tensor, Unread> {
    let (x, epsilon) = (args.x("x")?, args.number("epsilon", default)?);
    if epsilon == 0.0 {
        return Ok(of(x.clone()));
    }
    let wide = x.widened();
    Ok(of(wide.binary(BinaryOp::Add, &wide.scalar_like(epsilon))).convert(x.dtype()))
}

/// Returns the quotient, rounded down, and the remainder with the sign of y.
fn floored(x: &Tensor, y: &Tensor) -> (Tensor, Tensor) {
    let rest = x.binary(BinaryOp::Rem, y);
    let zero = x.scalar_like(0.0);
    let differ = rest.compare(CompareOp::Lt, &zero).binary(BinaryOp::Xor, &y.compare(CompareOp::Lt, &zero));
    let low = rest.compare(CompareOp::Ne, &zero).binary(BinaryOp::And, &differ);
    let quotient = x.binary(BinaryOp::Div, y);
    let quotient = if x.dtype().is_float() {
        quotient.unary(UnaryOp::Floor)
    } else {
        low.select(&quotient.binary(BinaryOp::Sub, &x.scalar_like(1.0)), &quotient)
    };
    (quotient, low.select(&rest.binary(BinaryOp::Add, y), &rest))
}

fn cast(args: &Args<'_>) -> Result<Tensor, Unread> {
    let to = dtype(args.text("dtype", "")?)?;
    Ok(args.x("x")?.convert(to))
}

/// Returns a scale or zero point in f32, with one per index of an axis of x or one for all.
fn along(args: &Args<'_>, x: &Tensor, name: &str) -> Result<Option<Tensor>, Unread> {
    let Some(number) = args.opt(name)? else { return Ok(None) };
    let number = number.convert(DType::F32);
    Ok(Some(match number.rank() {
        0 => number.broadcast_in_dim(&x.dims(), &[]),
        1 => number.broadcast_in_dim(&x.dims(), &[args.axis("axis", 0, x.rank())?]),
        _ => return Err(format!("`{name}` must be one number, or one per index of an axis").into()),
    }))
}

/// Reads round(x / scale) + zero point, saturated to the type.
fn quantize(args: &Args<'_>) -> Result<Tensor, Unread> {
    let x = args.x("input")?;
    let scale = along(args, x, "scale")?.ok_or("the argument `scale` is missing")?;
    let to = dtype(args.text("output_dtype", "int8")?)?;
    let (low, high) = match to {
        DType::I8 => (-128.0, 127.0),
        DType::U8 => (0.0, 255.0),
        _ => return Err("the result must be int8 or uint8".into()),
    };
    let steps = x.convert(DType::F32).binary(BinaryOp::Div, &scale).unary(UnaryOp::RoundEven);
    let moved = match along(args, x, "zero_point")? {
        Some(zero) => steps.binary(BinaryOp::Add, &zero),
        None => steps,
    };
    Ok(clamped(&moved, low, high).convert(to))
}

/// Reads (x − zero point) · scale, in the type of the scale.
fn dequantize(args: &Args<'_>) -> Result<Tensor, Unread> {
    let x = args.x("input")?;
    let scale = along(args, x, "scale")?.ok_or("the argument `scale` is missing")?;
    let steps = x.convert(DType::F32);
    let moved = match along(args, x, "zero_point")? {
        Some(zero) => steps.binary(BinaryOp::Sub, &zero),
        None => steps,
    };
    Ok(moved.binary(BinaryOp::Mul, &scale).convert(args.x("scale")?.dtype()))
}

fn select(args: &Args<'_>) -> Result<Tensor, Unread> {
    let (a, b) = args.x("a")?.broadcast_with(args.x("b")?);
    let (cond, a) = args.x("cond")?.broadcast_with(&a);
    let (_, b) = cond.broadcast_with(&b);
    Ok(cond.select(&a, &b))
}

fn between(args: &Args<'_>, low: &str, high: &str) -> Result<Tensor, Unread> {
    let x = args.x("x")?;
    let (low, high) = (args.number(low, f64::NEG_INFINITY)?, args.number(high, f64::INFINITY)?);
    Ok(x.binary(BinaryOp::Max, &x.scalar_like(low)).binary(BinaryOp::Min, &x.scalar_like(high)))
}

fn activation(kind: &str, args: &Args<'_>) -> Option<Result<Tensor, Unread>> {
    let named = |kind| args.x("x").map(|x| x.activation(kind));
    Some(match kind {
        "relu" => named(Activation::Relu),
        "relu6" => named(Activation::Relu6),
        "silu" => named(Activation::Silu),
        "softplus" => named(Activation::Softplus),
        "gelu" => gelu(args),
        "elu" => args.number("alpha", 1.0).and_then(|alpha| Ok(args.x("x")?.apply(Op::Elu { alpha }, &[]))),
        "leaky_relu" => {
            args.number("alpha", 0.01).and_then(|slope| Ok(args.x("x")?.apply(Op::LeakyRelu { slope }, &[])))
        }
        "sigmoid_hard" => line(args, 0.2, 0.5).map(|x| clamped(&x, 0.0, 1.0)),
        "linear_activation" => line(args, 1.0, 0.0),
        "clamped_relu" => clamped_relu(args),
        "thresholded_relu" => thresholded(args),
        "scaled_tanh" => scaled_tanh(args),
        "softsign" => args.x("x").map(|x| {
            let size = x.unary(UnaryOp::Abs);
            x.binary(BinaryOp::Div, &size.binary(BinaryOp::Add, &x.scalar_like(1.0)))
        }),
        "prelu" => per_channel(args, "alpha").and_then(|alpha| {
            let x = args.x("x")?;
            let positive = x.compare(CompareOp::Ge, &x.scalar_like(0.0));
            Ok(positive.select(x, &x.binary(BinaryOp::Mul, &alpha)))
        }),
        "softplus_parametric" => per_channel(args, "alpha").and_then(|alpha| {
            let (x, beta) = (args.x("x")?, per_channel(args, "beta")?);
            Ok(alpha.binary(BinaryOp::Mul, &x.binary(BinaryOp::Mul, &beta).activation(Activation::Softplus)))
        }),
        _ => return None,
    })
}

fn gelu(args: &Args<'_>) -> Result<Tensor, Unread> {
    let x = args.x("x")?;
    Ok(match args.text("mode", "EXACT")? {
        "EXACT" => x.activation(Activation::Gelu),
        "TANH_APPROXIMATION" => x.activation(Activation::GeluTanh),
        "SIGMOID_APPROXIMATION" => {
            let gate = x.binary(BinaryOp::Mul, &x.scalar_like(1.702)).unary(UnaryOp::Logistic);
            x.binary(BinaryOp::Mul, &gate)
        }
        mode => return Err(format!("unknown mode `{mode}` of gelu").into()),
    })
}

/// alpha · x + beta.
fn line(args: &Args<'_>, alpha: f64, beta: f64) -> Result<Tensor, Unread> {
    let (x, alpha, beta) = (args.x("x")?, args.number("alpha", alpha)?, args.number("beta", beta)?);
    let most = FloatFormat::of(x.dtype()).map_or(f64::INFINITY, FloatFormat::max);
    let dtype = x.dtype();
    // Some f32 factors, such as those of masks, do not fit in f16.
    let x = if alpha.abs().max(beta.abs()) > most { x.widened() } else { x.clone() };
    let x = x.binary(BinaryOp::Mul, &x.scalar_like(alpha));
    Ok(x.binary(BinaryOp::Add, &x.scalar_like(beta)).convert(dtype))
}

fn clamped(x: &Tensor, low: f64, high: f64) -> Tensor {
    x.binary(BinaryOp::Max, &x.scalar_like(low)).binary(BinaryOp::Min, &x.scalar_like(high))
}

/// min(x, beta) where x is not negative, else min(alpha · x, beta).
fn clamped_relu(args: &Args<'_>) -> Result<Tensor, Unread> {
    let (x, alpha, beta) = (args.x("x")?, args.number("alpha", 1.0)?, args.number("beta", 1.0)?);
    let positive = x.compare(CompareOp::Ge, &x.scalar_like(0.0));
    let bent = positive.select(x, &x.binary(BinaryOp::Mul, &x.scalar_like(alpha)));
    Ok(bent.binary(BinaryOp::Min, &x.scalar_like(beta)))
}

/// x where it is not below alpha, else 0.
fn thresholded(args: &Args<'_>) -> Result<Tensor, Unread> {
    let (x, alpha) = (args.x("x")?, args.number("alpha", 1.0)?);
    Ok(x.compare(CompareOp::Ge, &x.scalar_like(alpha)).select(x, &x.scalar_like(0.0)))
}

/// alpha · tanh(beta · x).
fn scaled_tanh(args: &Args<'_>) -> Result<Tensor, Unread> {
    let (x, alpha, beta) = (args.x("x")?, args.number("alpha", 1.0)?, args.number("beta", 1.0)?);
    let inner = x.binary(BinaryOp::Mul, &x.scalar_like(beta)).unary(UnaryOp::Tanh);
    Ok(inner.binary(BinaryOp::Mul, &x.scalar_like(alpha)))
}

/// Returns one number per channel (axis 1 of x), broadcast to x.
fn per_channel(args: &Args<'_>, name: &str) -> Result<Tensor, Unread> {
    let (x, numbers) = (args.x("x")?, args.x(name)?);
    match numbers.rank() {
        1 if x.rank() > 1 => Ok(numbers.broadcast_in_dim(&x.dims(), &[1])),
        _ => Err(format!("`{name}` is not one number per channel").into()),
    }
}
