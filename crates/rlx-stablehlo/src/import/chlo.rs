//! Imports the CHLO dialect: special functions, functions that broadcast, and `top_k`.

use super::constants::dense_constant;
use super::context::{ImportContext, Outcome, Problem, Rule, Val, many, one};
use super::elementwise::{binary_op, direction};
use super::shape::repeat;
use super::top_k::largest;
use super::types::Declared;
use crate::syntax::{Attribute, Dense};
use rlx_ir::shape::broadcast_dims;
use rlx_ir::{BinaryOp, CompareOp, DType, Dim, NodeId, Op, UnaryOp};

/// Returns the function of one tensor that an operation of CHLO computes.
fn unary_op(name: &str) -> Option<UnaryOp> {
    Some(match name {
        "acos" => UnaryOp::Acos,
        "acosh" => UnaryOp::Acosh,
        "asin" => UnaryOp::Asin,
        "asinh" => UnaryOp::Asinh,
        "atan" => UnaryOp::Atan,
        "atanh" => UnaryOp::Atanh,
        "bessel_i0e" => UnaryOp::BesselI0e,
        "bessel_i1e" => UnaryOp::BesselI1e,
        "conj" => UnaryOp::Conj,
        "cosh" => UnaryOp::Cosh,
        "digamma" => UnaryOp::Digamma,
        "erf" => UnaryOp::Erf,
        "erf_inv" => UnaryOp::ErfInv,
        "erfc" => UnaryOp::Erfc,
        "lgamma" => UnaryOp::Lgamma,
        "sinh" => UnaryOp::Sinh,
        "tan" => UnaryOp::Tan,
        _ => return None,
    })
}

/// Returns the function of two tensors that an operation of CHLO computes, if StableHLO does not have it too.
fn special_op(name: &str) -> Option<BinaryOp> {
    Some(match name {
        "next_after" => BinaryOp::NextAfter,
        "polygamma" => BinaryOp::Polygamma,
        "zeta" => BinaryOp::Zeta,
        "igamma" => BinaryOp::Igamma,
        "igammac" => BinaryOp::Igammac,
        _ => return None,
    })
}

/// Returns the rule that imports the operation `name`, if it belongs to this family.
pub(super) fn find(name: &str) -> Option<Rule> {
    find_named(name.strip_prefix("chlo.")?)
}

/// Returns the rule for an operation by its name without the dialect. Custom calls use such names too.
pub(super) fn find_named(name: &str) -> Option<Rule> {
    if unary_op(name).is_some() {
        return Some(unary);
    }
    if special_op(name).is_some() {
        return Some(binary);
    }
    if let Some(inner) = name.strip_prefix("broadcast_") {
        return match inner {
            "compare" => Some(broadcast_compare),
            "select" => Some(broadcast_select),
            _ => (binary_op(inner).or(special_op(inner)).is_some()).then_some(broadcast_binary as Rule),
        };
    }
    Some(match name {
        "is_inf" | "is_pos_inf" | "is_neg_inf" => is_infinite,
        "square" => square,
        "constant_like" => constant_like,
        "top_k" => top_k,
        _ => return None,
    })
}

/// Returns the name without its dialect, or that of a custom call's target.
fn name<'m>(cx: &ImportContext<'_, 'm>) -> &'m str {
    match cx.fields().word("call_target_name") {
        Ok(Some(target)) => target.split_once('.').map_or(target, |(_, name)| name),
        _ => cx.name(),
    }
}

fn unary(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let [x] = cx.operands()?;
    let op = unary_op(name(cx)).ok_or_else(|| Problem::error("is not a function of one tensor"))?;
    one(cx.unary(op, x)?)
}

fn binary(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let [a, b] = cx.operands()?;
    let op = special_op(name(cx)).ok_or_else(|| Problem::error("is not a function of two tensors"))?;
    one(cx.binary(op, a, b)?)
}

/// Broadcasts both tensors to one shape. `broadcast_dimensions` says which axes of the result those of the tensor of
/// lower rank are; by default they are the last ones.
fn broadcast(cx: &mut ImportContext<'_, '_>, a: NodeId, b: NodeId) -> Outcome<[NodeId; 2]> {
    let (rank_a, rank_b) = (cx.rank(a), cx.rank(b));
    let rank = rank_a.max(rank_b);
    let given = cx.fields().ints("broadcast_dimensions")?;
    let mut both = [a, b];
    for x in &mut both {
        let own = cx.shape(*x).dims().to_vec();
        if own.len() == rank {
            continue;
        }
        let axes = match &given {
            Some(list) => super::attributes::naturals("broadcast_dimensions", list.clone())?,
            None => (rank - own.len()..rank).collect(),
        };
        if axes.len() != own.len() || axes.iter().any(|&axis| axis >= rank) {
            return Err(Problem::error(format!(
                "broadcast_dimensions {axes:?} do not map {} axes to {rank}",
                own.len()
            )));
        }
        let mut dims = vec![Dim::Static(1); rank];
        axes.iter().zip(own).for_each(|(&axis, dim)| dims[axis] = dim);
        *x = repeat(cx, *x, &dims, axes)?;
    }
    let shapes = both.map(|x| cx.shape(x));
    let dims = broadcast_dims(shapes[0].dims(), shapes[1].dims());
    let dims = dims
        .ok_or_else(|| Problem::error(format!("shapes {} and {} do not broadcast", shapes[0], shapes[1])))?;
    for x in &mut both {
        *x = repeat(cx, *x, &dims, (0..rank).collect())?;
    }
    Ok(both)
}

fn broadcast_binary(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let [a, b] = cx.operands()?;
    let inner = name(cx).trim_start_matches("broadcast_");
    let op = binary_op(inner).or(special_op(inner));
    let op = op.ok_or_else(|| Problem::error("is not a function of two tensors"))?;
    let [a, b] = broadcast(cx, a, b)?;
    one(cx.binary(op, a, b)?)
}

fn broadcast_compare(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let [a, b] = cx.operands()?;
    let fields = cx.fields();
    let op = direction(fields.need_word("comparison_direction")?)?;
    let total_order = fields.word("compare_type")? == Some("TOTALORDER") && cx.dtype(a).is_float();
    let [a, b] = broadcast(cx, a, b)?;
    one(cx.add(Op::Compare { op, total_order }, &[a, b])?)
}

fn broadcast_select(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let args = cx.operands::<3>()?;
    many(cx.expand(&args, |_, x| vec![x[0].select(&x[1], &x[2])])?)
}

fn is_infinite(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let [x] = cx.operands()?;
    let (x, bound) = match name(cx) {
        "is_inf" => (cx.unary(UnaryOp::Abs, x)?, f64::INFINITY),
        "is_pos_inf" => (x, f64::INFINITY),
        _ => (x, f64::NEG_INFINITY),
    };
    let shape = cx.shape(x);
    let bound = cx.number(bound, shape.dtype())?;
    let bound = cx.spread(bound, shape.dims())?;
    one(cx.add(Op::Compare { op: CompareOp::Eq, total_order: false }, &[x, bound])?)
}

fn square(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let [x] = cx.operands()?;
    one(cx.binary(BinaryOp::Mul, x, x)?)
}

fn constant_like(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let [x] = cx.operands()?;
    let shape = cx.shape(x);
    let scalar = match cx.op.attributes.get("value") {
        Some(Attribute::Float(value, ty)) => cx.number(*value, Declared::of(ty)?.dtype)?,
        Some(Attribute::Int(value, ty)) => {
            let value = i64::try_from(*value)
                .map_err(|_| Problem::error("attribute `value` does not fit 64 bits"))?;
            cx.integer(value, Declared::of(ty)?.dtype)?
        }
        Some(Attribute::Bool(value)) => cx.integer(i64::from(*value), DType::Bool)?,
        Some(Attribute::Dense(dense)) if dense.splat || dense.dims.iter().all(|&n| n == 1) => {
            dense_constant(cx, &Dense { dims: Vec::new(), ..dense.clone() })?
        }
        _ => return Err(Problem::error("attribute `value` is not a number")),
    };
    let scalar = cx.convert(scalar, shape.dtype())?;
    one(cx.spread(scalar, shape.dims())?)
}

fn top_k(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let [x] = cx.operands()?;
    let k = cx.fields().need_size("k")?;
    many(largest(cx, x, k)?)
}
