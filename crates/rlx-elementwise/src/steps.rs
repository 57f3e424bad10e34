//! Determines which instructions compute an op on elements of a type. Knows nothing of graphs: the caller decides what a value is and where
//! an instruction is stored.

use crate::compute_type::ComputeType;
use crate::tile::{
    Code, Extra, arithmetic, comparison, conversion, doubles, evaluator, functions, integers, narrow,
};
use rlx_ir::{Activation, BinaryOp, CompareOp, DType, Op, UnaryOp};

/// Receives instructions.
pub trait StepWriter {
    /// A handle to a value.
    type Value: Copy;

    /// Adds an instruction whose result has type `dtype`. An instruction with `is_rounding` only computes the nearest number of that type.
    fn step(&mut self, code: Code, args: &[Self::Value], dtype: DType, is_rounding: bool) -> Self::Value;
}

/// Adds the instructions that compute an elementwise op on values of these types, and returns the result. Returns `None` if there are none.
pub fn elementwise<S: StepWriter>(
    steps: &mut S,
    op: &Op,
    args: &[(S::Value, DType)],
    result: DType,
) -> Option<S::Value> {
    let ids: Vec<S::Value> = args.iter().map(|a| a.0).collect();
    let dtype = args.first()?.1;
    Some(match op {
        Op::Unary { op } => unary(steps, *op, ids[0], dtype),
        Op::Binary { op } => binary(steps, *op, ids[0], ids[1], dtype),
        Op::Compare { op, total_order: true } => {
            compare_totally(steps, *op, [ids[0], ids[1]], dtype, ComputeType::of(dtype))?
        }
        Op::Compare { op, .. } => {
            let (code, swapped) = comparison::compare(*op, ComputeType::of(dtype))?;
            compared(steps, code, [ids[0], ids[1]], swapped)
        }
        Op::Select {} => apply(steps, comparison::select(ComputeType::of(result)), &ids, result),
        Op::Clamp {} => {
            let raised = binary(steps, BinaryOp::Max, ids[1], ids[0], dtype);
            binary(steps, BinaryOp::Min, raised, ids[2], dtype)
        }
        Op::Betainc {} => {
            let value = apply(steps, evaluator::betainc_of(dtype), &ids, dtype);
            rounded(steps, value, dtype)
        }
        Op::Convert { dtype: to } => convert(steps, ids[0], dtype, *to),
        Op::ReducePrecision { exponent_bits, mantissa_bits } => {
            let code = evaluator::reduce_precision(*exponent_bits, *mantissa_bits, dtype);
            let value = apply(steps, code, &ids, dtype);
            rounded(steps, value, dtype)
        }
        _ => return None,
    })
}

/// Returns the comparison that an op makes if it compares by the total order.
pub fn total_order(op: &Op) -> Option<CompareOp> {
    match op {
        Op::Compare { op, total_order: true } => Some(*op),
        _ => None,
    }
}

/// Adds a comparison by the total order of elements of type `dtype`, on registers or on the bits of narrow floats. Registers with narrow
/// floats need not preserve which NaN they hold.
pub fn compare_totally<S: StepWriter>(
    steps: &mut S,
    op: CompareOp,
    args: [S::Value; 2],
    dtype: DType,
    compute: ComputeType,
) -> Option<S::Value> {
    let compare = if dtype.is_float() { comparison::compare_totally } else { comparison::compare };
    let (code, swapped) = compare(op, compute)?;
    Some(compared(steps, code, args, swapped))
}

/// Adds the single instruction that computes an activation of f32, if there is one.
pub fn activation<S: StepWriter>(
    steps: &mut S,
    kind: Activation,
    x: S::Value,
    dtype: DType,
) -> Option<S::Value> {
    let code = functions::activation(kind).filter(|_| dtype == DType::F32)?;
    Some(apply(steps, code, &[x], dtype))
}

fn apply<S: StepWriter>(steps: &mut S, code: Code, args: &[S::Value], dtype: DType) -> S::Value {
    steps.step(code, args, dtype, false)
}

/// Rounds a value to `dtype` if that is narrower than its register.
fn rounded<S: StepWriter>(steps: &mut S, value: S::Value, dtype: DType) -> S::Value {
    narrow::round(dtype).map_or(value, |code| steps.step(code, &[value], dtype, true))
}

fn compared<S: StepWriter>(steps: &mut S, code: Code, [a, b]: [S::Value; 2], swapped: bool) -> S::Value {
    apply(steps, code, &if swapped { [b, a] } else { [a, b] }, DType::Bool)
}

fn unary<S: StepWriter>(steps: &mut S, op: UnaryOp, x: S::Value, dtype: DType) -> S::Value {
    use UnaryOp::{Conj, Imag, IsFinite, Not, Real};
    let (compute, result) = (ComputeType::of(dtype), op.result(dtype));
    let code = match op {
        Real | Conj if dtype.is_float() => return x,
        Real | Imag if dtype.is_complex() => arithmetic::complex_part(op, compute),
        IsFinite => comparison::is_finite(compute),
        Not if dtype == DType::Bool => Some(arithmetic::negation()),
        _ if dtype.is_int() => integers::unary(op, compute),
        _ => None,
    };
    if let Some(code) = code {
        return apply(steps, code, &[x], result);
    }
    if dtype.is_float() {
        return float_unary(steps, op, x, dtype);
    }
    apply(steps, evaluator::unary(op, dtype), &[x], result)
}

fn float_unary<S: StepWriter>(steps: &mut S, op: UnaryOp, x: S::Value, dtype: DType) -> S::Value {
    if let Some((code, exact)) = arithmetic::float_unary(op, ComputeType::of(dtype)) {
        let value = apply(steps, code, &[x], dtype);
        return if exact { value } else { rounded(steps, value, dtype) };
    }
    if dtype == DType::F64
        && let Some(code) = doubles::unary(op)
    {
        return apply(steps, code, &[x], dtype);
    }
    match functions::unary(op).filter(|_| dtype != DType::F64) {
        Some(code) => {
            let approximate = apply(steps, code, &[x], dtype);
            match narrow::round_checked(dtype, Extra::Unary(op, dtype)) {
                Some(code) => apply(steps, code, &[approximate, x], dtype),
                None => approximate,
            }
        }
        None => {
            let value = apply(steps, evaluator::unary(op, dtype), &[x], dtype);
            rounded(steps, value, dtype)
        }
    }
}

fn binary<S: StepWriter>(steps: &mut S, op: BinaryOp, a: S::Value, b: S::Value, dtype: DType) -> S::Value {
    let (compute, result) = (ComputeType::of(dtype), op.result(dtype));
    if dtype.is_float() && op != BinaryOp::Complex {
        let (code, exact) =
            arithmetic::float_binary(op, compute).unwrap_or_else(|| (evaluator::binary(op, dtype), false));
        let value = apply(steps, code, &[a, b], dtype);
        return if exact { value } else { rounded(steps, value, dtype) };
    }
    let code = match dtype {
        DType::Bool => arithmetic::bool_binary(op),
        _ if op == BinaryOp::Complex => arithmetic::complex_of(compute),
        _ if dtype.is_complex() => arithmetic::complex_binary(op, compute),
        _ => integers::binary(op, compute),
    };
    let code = code.unwrap_or_else(|| evaluator::binary(op, dtype));
    apply(steps, code, &[a, b], result)
}

fn convert<S: StepWriter>(steps: &mut S, x: S::Value, from: DType, to: DType) -> S::Value {
    if from == to {
        return x;
    }
    let value = match conversion::convert(from, to) {
        Some(code) => apply(steps, code, &[x], to),
        None => x,
    };
    // If the format of a narrower operand is inside the new one, there is nothing left to round, but that costs little.
    rounded(steps, value, to)
}
