//! Values of narrow element types, which the graph stores in wider types: which operations may use them, and their
//! conversion.

use super::context::{ImportContext, Outcome, Problem};
use crate::narrow::{NarrowFloat, NarrowFormat, NarrowType};
use crate::syntax::{ElementType, Function, Operation, Type};
use rlx_ir::{BinaryOp, DType, NodeId, Op, Tensor, UnaryOp};

/// Returns the narrow element type of a tensor of this type.
pub(super) fn narrow(ty: &Type) -> Option<&'static NarrowType> {
    match ty {
        Type::Tensor { element: ElementType::Narrow(narrow), .. }
        | Type::Element(ElementType::Narrow(narrow)) => Some(narrow),
        _ => None,
    }
}

/// Returns whether an operation only moves, selects or compares elements, which is the same in the wider type.
fn keeps_elements(name: &str) -> bool {
    let dialect = name.strip_prefix("stablehlo.").unwrap_or(name);
    matches!(
        dialect,
        "func.call"
            | "call"
            | "case"
            | "clamp"
            | "compare"
            | "composite"
            | "concatenate"
            | "constant"
            | "convert"
            | "custom_call"
            | "broadcast_in_dim"
            | "dynamic_broadcast_in_dim"
            | "dynamic_gather"
            | "dynamic_pad"
            | "dynamic_reshape"
            | "dynamic_slice"
            | "dynamic_update_slice"
            | "gather"
            | "get_dimension_size"
            | "get_tuple_element"
            | "if"
            | "maximum"
            | "minimum"
            | "optimization_barrier"
            | "pad"
            | "real_dynamic_slice"
            | "reshape"
            | "reverse"
            | "select"
            | "slice"
            | "transpose"
            | "tuple"
            | "while"
    )
}

/// Fails if an operation would compute with elements of a narrow type, or pass them to a value of another type without a conversion.
pub(super) fn check(function: &Function, op: &Operation) -> Outcome<()> {
    let types = |ids: &[crate::syntax::ValueId]| -> Vec<&'static NarrowType> {
        ids.iter().filter_map(|&id| narrow(&function.value(id).ty)).collect()
    };
    let (operands, results) = (types(&op.operands), types(&op.results));
    let Some(first) = operands.first().or(results.first()) else { return Ok(()) };
    let name = first.name;
    if !keeps_elements(&op.name) {
        return Err(Problem::unsupported(format!(
            "RLX has no arithmetic in `{name}`; convert the operands to {} first, and the result back",
            first.held.name()
        )));
    }
    let free = op.name.ends_with(".convert") || op.name.ends_with(".constant");
    let new = results.iter().find(|ty| !free && !operands.contains(ty));
    new.map_or(Ok(()), |ty| {
        Err(Problem::error(format!("returns values of type `{}`, which no operand has", ty.name)))
    })
}

/// Converts a value to a narrow type as XLA does. Floats convert to floats by rounding to nearest, ties to even; values
/// that are too large become NaN or an infinity. Floats convert to integers by rounding toward zero; values that are
/// too large become the nearest limit, and NaN becomes 0. Integers convert to integers by keeping the lowest bits.
pub(super) fn convert(cx: &mut ImportContext<'_, '_>, x: NodeId, to: &NarrowType) -> Outcome<NodeId> {
    let from = cx.dtype(x);
    let held = match to.format {
        NarrowFormat::Float(format) => {
            let wide = if from == DType::F64 || from == DType::C128 { DType::F64 } else { DType::F32 };
            let x = cx.convert(x, wide)?;
            let rounded = cx.expand(&[x], |_, x| vec![round(&x[0], format)])?;
            rounded[0]
        }
        NarrowFormat::Integer { bits } if from.is_float() || from.is_complex() => {
            let x = cx.convert(x, to.held)?;
            let unsigned = to.held == DType::U8;
            let high = if unsigned { (1i64 << bits) - 1 } else { (1 << (bits - 1)) - 1 };
            let low = if unsigned { 0 } else { -high - 1 };
            let dims = cx.shape(x).dims().to_vec();
            let mut limit = |value| {
                let limit = cx.integer(value, to.held)?;
                cx.spread(limit, &dims)
            };
            let (low, high) = (limit(low)?, limit(high)?);
            cx.add(Op::Clamp {}, &[low, x, high])?
        }
        NarrowFormat::Integer { bits } => {
            let x = cx.convert(x, to.held)?;
            let back = if to.held == DType::U8 {
                BinaryOp::ShiftRightLogical
            } else {
                BinaryOp::ShiftRightArithmetic
            };
            let lowest = cx.expand(&[x], |b, x| {
                let unused = b.int(i64::from(8 - bits), to.held);
                vec![x[0].binary(BinaryOp::ShiftLeft, &unused).binary(back, &unused)]
            })?;
            lowest[0]
        }
    };
    cx.convert(held, to.held)
}

/// Rounds to the nearest number of a format, ties to even. Its derivative is 1, as for a conversion.
fn round(x: &Tensor, format: NarrowFloat) -> Tensor {
    let constant = |value: f64| x.scalar_like(value);
    let magnitude = x.unary(UnaryOp::Abs);
    // The exponent bits alone are the power of two at or below a number.
    let (bits, exponents) = match x.dtype() {
        DType::F64 => (DType::U64, 0x7FF << 52),
        _ => (DType::U32, 0xFF << 23),
    };
    let pattern = magnitude.apply(Op::BitcastConvert { dtype: bits }, &[]);
    let exponent = pattern.binary(BinaryOp::And, &x.builder().int(exponents, bits));
    let power = exponent.apply(Op::BitcastConvert { dtype: x.dtype() }, &[]);
    let step =
        power.maximum(&constant(format.smallest_normal())) * constant(2f64.powi(-(format.mantissa as i32)));
    let nearest = (x / &step).unary(UnaryOp::RoundEven) * &step;
    let too_large = magnitude.greater_equal(&constant(format.too_large()));
    let rounded = if format.infinite {
        too_large.select(&(x * constant(f64::INFINITY)), &nearest)
    } else {
        // Adding 0 turns −0 into 0.
        too_large.select(&constant(f64::NAN), &(nearest + constant(0.0)))
    };
    // This subtracts 0, with derivative −1, so that the derivative of the result is that of x.
    let finite = x.unary(UnaryOp::IsFinite).select(x, &constant(0.0));
    rounded.stop_gradient() - (finite.stop_gradient() - &finite)
}
