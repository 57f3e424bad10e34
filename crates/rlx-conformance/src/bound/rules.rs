//! The error bounds of the primitives, by family. A primitive that no rule knows has no bound on rounded operands.

use super::{Analysis, BoundError, Freedom, Twin, elementwise, sum_unit, unit};
use crate::data::Limits;
use rlx_ir::{BinaryOp, Class, DType, Node, Op, Reducer, Shape, Tensor, UnaryOp};

/// Whether the op on exact operands gives the same bits in every correct implementation.
pub(super) fn keeps_exact(op: &Op, operands: &[DType], results: &[Shape], freedom: Freedom) -> bool {
    use BinaryOp as B;
    use UnaryOp as U;
    if results.iter().all(|r| !matches!(r.dtype().class(), Class::Float | Class::Complex)) {
        return true;
    }
    let of_complex = operands.iter().any(|d| d.is_complex());
    match op {
        Op::Unary { op } => match op {
            U::Neg | U::Floor | U::Ceil | U::RoundEven | U::RoundAway | U::Real | U::Imag | U::Conj => true,
            // The modulus and the direction of a complex number are rounded.
            U::Abs | U::Sign => !of_complex,
            U::Sqrt => freedom == Freedom::None && !of_complex,
            _ => false,
        },
        Op::Binary { op } => match op {
            B::Max | B::Min | B::NextAfter | B::Rem | B::Complex => true,
            B::Add | B::Sub => freedom == Freedom::None,
            B::Mul | B::Div => freedom == Freedom::None && !of_complex,
            _ => false,
        },
        Op::Reduce { kind, .. } => matches!(kind, Reducer::Max | Reducer::Min),
        Op::Clamp {} | Op::Select {} => true,
        Op::Convert { .. } | Op::BitcastConvert { .. } | Op::ReducePrecision { .. } => true,
        Op::Constant { .. } | Op::Iota { .. } => true,
        _ => moves(op).is_some(),
    }
}

/// For an op that only moves elements: which operands hold them. The others must be exact.
fn moves(op: &Op) -> Option<fn(usize) -> bool> {
    match op {
        Op::Reshape { .. }
        | Op::Transpose { .. }
        | Op::BroadcastInDim { .. }
        | Op::Slice { .. }
        | Op::Reverse { .. }
        | Op::DynamicSlice { .. } => Some(|i| i == 0),
        Op::Pad { .. } | Op::DynamicUpdateSlice {} => Some(|i| i < 2),
        Op::Concatenate { .. } | Op::OptimizationBarrier {} => Some(|_| true),
        _ => None,
    }
}

/// The twins of a primitive that rounds, or whose operands are rounded.
pub(super) fn rounded(
    cx: &Analysis,
    node: &Node,
    operands: &[Twin],
    dtypes: &[DType],
) -> Result<Vec<Twin>, BoundError> {
    let no_rule = || BoundError::NoRule { op: node.op().mnemonic().into() };
    let out = node.shape().dtype();
    let one = |twin: Twin| Ok(vec![twin]);
    if let Some(holds) = moves(node.op()) {
        return moved(cx, node.op(), operands, holds).ok_or_else(no_rule);
    }
    match node.op() {
        Op::Unary { .. } | Op::Binary { .. } | Op::Clamp {} | Op::Betainc {} | Op::ReducePrecision { .. } => {
            elementwise::function(node.op(), operands, out).ok_or_else(no_rule).and_then(one)
        }
        Op::Compare { .. } => elementwise::compare(node.op(), operands).ok_or_else(no_rule).and_then(one),
        Op::Select {} => elementwise::select(operands).ok_or_else(no_rule).and_then(one),
        Op::Convert { dtype } => {
            elementwise::convert(&operands[0], dtypes[0], *dtype).ok_or_else(no_rule).and_then(one)
        }
        Op::Reduce { kind, axes } => reduce(&operands[0], *kind, axes, out).ok_or_else(no_rule).and_then(one),
        Op::DotGeneral { lhs_contract, .. } => {
            let terms = sizes(&operands[0].value, lhs_contract);
            one(bilinear(&plain_dot(node.op()), &operands[0], &operands[1], terms, out))
        }
        _ => Err(no_rule()),
    }
}

/// The same dot product without a stated accumulation type: its operands are wide already.
fn plain_dot(op: &Op) -> Op {
    match op.clone() {
        Op::DotGeneral { lhs_batch, rhs_batch, lhs_contract, rhs_contract, .. } => {
            Op::DotGeneral { lhs_batch, rhs_batch, lhs_contract, rhs_contract, dtype: None }
        }
        other => other,
    }
}

fn sizes(x: &Tensor, axes: &[usize]) -> f64 {
    axes.iter().map(|&a| x.dim(a).as_static().unwrap_or(0) as f64).product()
}

/// The op on the values, and on the bounds as on any values.
fn moved(cx: &Analysis, op: &Op, operands: &[Twin], holds: fn(usize) -> bool) -> Option<Vec<Twin>> {
    if operands.iter().enumerate().any(|(i, t)| !holds(i) && t.error.is_some()) {
        return None;
    }
    let of = |data: &dyn Fn(&Twin) -> Tensor| -> Vec<Tensor> {
        let operands: Vec<Tensor> =
            operands.iter().enumerate().map(|(i, t)| if holds(i) { data(t) } else { t.value.clone() }).collect();
        cx.builder.apply_many(op.clone(), &operands.iter().collect::<Vec<_>>())
    };
    let boolean = operands.iter().any(|t| t.value.dtype() == DType::Bool);
    let values = if boolean { of(&|t| t.value.clone()) } else { of(&Twin::wide) };
    let errors = of(&Twin::error);
    Some(values.into_iter().zip(errors).map(|(value, e)| Twin { value, error: Some(e) }).collect())
}

/// |x|·u of the element type, and what underflow adds.
pub(super) fn rounding(magnitude: &Tensor, dtype: DType, units: f64) -> Tensor {
    if units == 0.0 {
        return magnitude.scalar_like(0.0).broadcast_to(&magnitude.dims());
    }
    magnitude * (units * unit(dtype)) + units * Limits::of(dtype).min_subnormal
}

fn reduce(x: &Twin, kind: Reducer, axes: &[usize], out: DType) -> Option<Twin> {
    let terms = sizes(&x.value, axes);
    let (value, error) = (x.wide(), x.error());
    let fold = |kind: Reducer, t: &Tensor| t.reduce(kind, axes, false);
    let total = fold(kind, &value);
    let bound = match kind {
        Reducer::Sum => {
            fold(Reducer::Sum, &error) + fold(Reducer::Sum, &x.magnitude()) * (2.0 * terms * sum_unit(out))
        }
        // Π(|x| + E) − Π|x| bounds what the factors' errors do to the product.
        Reducer::Prod => {
            let magnitudes = x.magnitude();
            let product = fold(Reducer::Prod, &magnitudes);
            let raised = fold(Reducer::Prod, &(&magnitudes + &error));
            &raised - &product + raised * (4.0 * terms * sum_unit(out))
        }
        Reducer::Max | Reducer::Min => fold(Reducer::Max, &error).maximum(&error.scalar_like(0.0)),
        Reducer::And | Reducer::Or => return None,
    };
    let rounds = if matches!(kind, Reducer::Max | Reducer::Min) { 0.0 } else { 2.0 };
    let bound = bound + rounding(&total.abs(), out, rounds);
    Some(Twin { value: total, error: Some(bound) })
}

/// An op that is linear in each of two operands and sums `terms` products for each element.
fn bilinear(op: &Op, lhs: &Twin, rhs: &Twin, terms: f64, out: DType) -> Twin {
    let apply = |a: &Tensor, b: &Tensor| a.apply(op.clone(), &[b]);
    let value = apply(&lhs.wide(), &rhs.wide());
    let (a, b) = (lhs.magnitude(), rhs.magnitude());
    let mut bound = apply(&a, &b) * (2.0 * (terms + 1.0) * sum_unit(out));
    if lhs.error.is_some() {
        bound = bound + apply(&lhs.error(), &b);
    }
    if rhs.error.is_some() {
        bound = bound + apply(&(a + lhs.error()), &rhs.error());
    }
    let bound = bound + rounding(&value.abs(), out, 2.0);
    Twin { value, error: Some(bound) }
}
