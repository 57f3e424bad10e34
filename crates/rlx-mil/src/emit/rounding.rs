//! Floats for which programs have no type: floats of 16 and 8 bits are stored as f32, and rounded where they are computed. Only ops that
//! move them, select between them or convert them are written for them; the legalizer computes all others in f32.

use super::value::Var;
use super::writer::{Declined, ProgramWriter};
use rlx_ir::{Access, BinaryOp, DType, FloatFormat, Op, ReduceOp, Shape, UnaryOp};

/// Declines an op that would have to round to a float type that programs do not have.
pub(super) fn check(op: &Op, operands: &[DType], results: &[Shape]) -> Result<(), Declined> {
    let is_held = |dtype: DType| matches!(dtype, DType::BF16 | DType::F8E4M3 | DType::F8E5M2);
    let is_wide = |dtype: DType| dtype.bits() >= 32 && dtype.int_range().is_some();
    let dtype =
        operands.iter().copied().chain(results.iter().map(Shape::dtype)).find(|&dtype| is_held(dtype));
    match dtype {
        // An integer with more bits than f32's mantissa would be rounded twice.
        Some(dtype) if matches!(op, Op::Convert { .. }) && operands.iter().any(|x| is_wide(*x)) => {
            Err(format!("32-bit integers cannot be rounded to {dtype} in one step").into())
        }
        Some(dtype) if !is_exact(op) => Err(format!("programs do not compute in {dtype}").into()),
        _ => Ok(()),
    }
}

/// Whether an op on floats returns some of them unchanged, or is a conversion.
fn is_exact(op: &Op) -> bool {
    match op {
        Op::Unary { op } => matches!(op, UnaryOp::Neg | UnaryOp::Abs | UnaryOp::Sign),
        Op::Binary { op } => matches!(op, BinaryOp::Max | BinaryOp::Min),
        Op::Reduce { kind, .. } | Op::ReduceWindow { kind, .. } => {
            matches!(kind, ReduceOp::Max | ReduceOp::Min)
        }
        Op::Constant { .. }
        | Op::Iota { .. }
        | Op::Convert { .. }
        | Op::Compare { .. }
        | Op::Select {}
        | Op::Clamp {} => true,
        Op::Gather { .. } | Op::DynamicSlice { .. } | Op::DynamicUpdateSlice {} | Op::Concatenate { .. } => {
            true
        }
        Op::Sort { .. } | Op::TopK { .. } | Op::ArgReduce { .. } => true,
        Op::Expand { .. } | Op::StopGradient {} | Op::OptimizationBarrier {} | Op::Output { .. } => true,
        op => op.kind().access() == Access::Movement,
    }
}

/// What happens to numbers above the maximum of a format and below its minimum normal number.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Ends {
    /// Whether numbers that are too large become infinity; otherwise, they become NaN.
    pub(super) has_infinity: bool,
    /// Whether there are numbers between 0 and the minimum normal number.
    pub(super) has_subnormals: bool,
}

/// Rounds f32 to the nearest number of a type that f32 can represent, ties to even.
pub(super) fn rounded_to(w: &mut ProgramWriter, x: &Var, dtype: DType) -> Var {
    match FloatFormat::of(dtype) {
        Some(format) if dtype != DType::F32 => {
            let ends = Ends { has_infinity: format.has_infinity, has_subnormals: true };
            rounded(w, x, format, ends)
        }
        _ => x.clone(),
    }
}

/// Mantissa bits of f32.
const MANTISSA: u32 = FloatFormat::F32.mantissa_bits;

/// Rounds f32 to the nearest number of a format with at least one mantissa bit, ties to even.
pub(super) fn rounded(w: &mut ProgramWriter, x: &Var, format: FloatFormat, ends: Ends) -> Var {
    let least = 2f64.powi(1 - format.bias());
    let size = w.map("abs", x);
    // Without subnormal numbers, values below the minimum normal number are rounded to 0 or to that minimum.
    let floor = if ends.has_subnormals { least } else { least / 2.0 };
    let near = if format.mantissa_bits < MANTISSA { on_grid(w, &size, format, floor) } else { size.clone() };
    let over = w.compare_with("greater", &near, format.max());
    let beyond = w.scalar(if ends.has_infinity { f64::INFINITY } else { f64::NAN }, x.elem);
    let mut near = w.choose(&over, &beyond, &near);
    if !ends.has_subnormals {
        let small = w.compare_with("less", &near, least);
        let zero = w.scalar(0.0, x.elem);
        near = w.choose(&small, &zero, &near);
    }
    signed(w, x, &size, &near)
}

/// Returns a magnitude with the sign of x. Infinities stay infinite if the magnitude is infinite, and NaN stays NaN.
fn signed(w: &mut ProgramWriter, x: &Var, size: &Var, near: &Var) -> Var {
    let minus = w.with("mul", near, -1.0);
    let negative = w.compare_with("less", x, 0.0);
    let number = w.choose(&negative, &minus, near);
    let none = w.compare_with("equal", near, 0.0);
    let zero = w.with("mul", x, 0.0);
    let number = w.choose(&none, &zero, &number);
    let numbers = w.compare("equal", size, size);
    w.choose(&numbers, &number, x)
}

/// Rounds magnitudes to multiples of the distance between neighbors in a format, by adding and subtracting a large enough power of two.
fn on_grid(w: &mut ProgramWriter, size: &Var, format: FloatFormat, least: f64) -> Var {
    let is_as_wide = format.exponent_bits == FloatFormat::F32.exponent_bits;
    if !is_as_wide {
        // Values above all numbers of the format stay above them.
        let inside = w.with("minimum", size, 2f64.powi(100));
        let power = power(w, &inside);
        let power = w.with("maximum", &power, least);
        return steps(w, &inside, &power, format);
    }
    // Scaled closer to 1, so that intermediate results do not overflow f32.
    let finite = w.with("minimum", size, f64::from(f32::MAX));
    let large = w.compare_with("greater_equal", &finite, 1.0);
    let (down, up) = (w.scalar(2f64.powi(-32), size.elem), w.scalar(2f64.powi(32), size.elem));
    let scale = w.choose(&large, &down, &up);
    let back = w.choose(&large, &up, &down);
    let moved = w.join("mul", &finite, &scale);
    let power = power(w, &moved);
    let floor = w.with("mul", &scale, least);
    let power = w.join("maximum", &power, &floor);
    let near = steps(w, &moved, &power, format);
    let near = w.join("mul", &near, &back);
    let infinite = w.compare_with("greater", size, f64::from(f32::MAX));
    w.choose(&infinite, size, &near)
}

/// Returns the largest power of two that is not above a magnitude, from the nearest number with one bit, or half of it.
fn power(w: &mut ProgramWriter, size: &Var) -> Var {
    let far = w.with("mul", size, f64::from(1 << MANTISSA) + 1.0);
    let rest = w.join("sub", &far, size);
    let near = w.join("sub", &far, &rest);
    let above = w.compare("greater", &near, size);
    let half = w.with("mul", &near, 0.5);
    w.choose(&above, &half, &near)
}

/// Rounds a magnitude to the format's number of bits below this power of two.
fn steps(w: &mut ProgramWriter, size: &Var, power: &Var, format: FloatFormat) -> Var {
    let far = w.with("mul", power, 2f64.powi((MANTISSA - format.mantissa_bits) as i32));
    let sum = w.join("add", size, &far);
    w.join("sub", &sum, &far)
}
