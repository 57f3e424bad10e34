//! Error bounds of elementwise functions: how far a result moves with its operands, and the error of the function
//! itself.

use super::ulps::{self, Accuracy};
use super::{Allowance, Analysis, Shadow, distance, rounding};
use crate::data::Limits;
use rlx_ir::{BinaryOp, CompareOp, DType, Op, Tensor, UnaryOp};

/// The error that a complex function may add, in units in the last place of the modulus.
const COMPLEX_ULPS: f64 = 16.0;

/// Bounds a function of one to three operands. Returns `None` if no bound is known.
pub(super) fn function(cx: &Analysis, op: &Op, operands: &[Shadow], out: DType) -> Option<Shadow> {
    let of_complex = operands.iter().any(|t| t.value.dtype().is_complex());
    if of_complex || matches!(op, Op::Binary { op: BinaryOp::Complex }) {
        return complex_function(cx, op, operands, out);
    }
    if out == DType::Bool {
        return logical(op, operands);
    }
    // The neighbor of a number belongs to its own format, not to f64.
    if !out.is_float() || matches!(op, Op::Binary { op: BinaryOp::NextAfter }) {
        return None;
    }
    let wide: Vec<Tensor> = operands.iter().map(Shadow::wide).collect();
    let value = apply(op, &wide)?;
    let mut bound = own_error(cx, op, &value.abs(), out);
    for (i, shadow) in operands.iter().enumerate() {
        let Some(error) = &shadow.error else { continue };
        // The order is an integer that every implementation represents exactly. The function is not defined between two orders.
        if i == 0 && matches!(op, Op::Binary { op: BinaryOp::Polygamma }) {
            continue;
        }
        let moved = |operand: Tensor| {
            let mut operands = wide.clone();
            operands[i] = operand;
            Some(distance(&apply(op, &operands)?, &value))
        };
        let apart = |error: &Tensor| {
            let ends = [&wide[i] - error, &wide[i] + error];
            let at_ends = moved(ends[0].clone())?.maximum(&moved(ends[1].clone())?);
            Some(match between(op, i, &wide, &ends, &value) {
                Some(inside) => at_ends.maximum(&inside),
                None => at_ends,
            })
        };
        let twice = || Some(apart(&(error * 2.0))? * 0.5);
        bound = bound
            + match course(op) {
                Course::Even => apart(error)?,
                Course::Steps => twice()?,
                Course::Turns => apart(error)?.maximum(&twice()?),
            };
    }
    let uncertain = operands.iter().filter(|t| t.error.is_some()).count();
    if uncertain > 1 && !matches!(op, Op::Binary { op: BinaryOp::Polygamma }) {
        bound = bound.maximum(&all_moved(op, operands, &value)?);
    }
    Some(Shadow { value, error: Some(bound) })
}

/// Returns how far the function moves when all operands move at once. Moving one operand at a time does not show that a
/// product of two numbers that are both only rounding errors is itself a rounding error, or that the larger of two
/// equal numbers becomes smaller if both do.
fn all_moved(op: &Op, operands: &[Shadow], value: &Tensor) -> Option<Tensor> {
    let mut corners: Vec<Vec<Tensor>> = vec![Vec::new()];
    for shadow in operands {
        let wide = shadow.wide();
        let ends = match &shadow.error {
            Some(error) => vec![&wide + error, &wide - error],
            None => vec![wide],
        };
        let with =
            |corner: &Vec<Tensor>, end: &Tensor| [corner.as_slice(), std::slice::from_ref(end)].concat();
        corners = corners.iter().flat_map(|corner| ends.iter().map(|end| with(corner, end))).collect();
    }
    let distances: Option<Vec<Tensor>> =
        corners.iter().map(|corner| Some(distance(&apply(op, corner)?, value))).collect();
    distances?.into_iter().reduce(|a, b| a.maximum(&b))
}

/// The shape of a function between two points. Results may be off by twice their bounds, so for functions that bend,
/// the effect of twice the operand's bound is examined too.
enum Course {
    /// The function is furthest from its value in the middle at one of the ends.
    Even,
    /// The function is constant except for jumps. The jumps within twice the operand's bound are the whole error: one
    /// step past an edge is not doubled.
    Steps,
    /// The function has extremes, jumps or poles between the ends.
    Turns,
}

fn course(op: &Op) -> Course {
    match op {
        Op::Unary { op } => unary_course(*op),
        Op::Binary { op: BinaryOp::Rem } => Course::Turns,
        _ => Course::Even,
    }
}

fn unary_course(op: UnaryOp) -> Course {
    use UnaryOp::*;
    match op {
        Floor | Ceil | RoundEven | RoundAway | Sign => Course::Steps,
        Sin | Cos | Tan | Digamma | Lgamma => Course::Turns,
        Neg | Abs | Exp | Expm1 | Log | Log1p | Sqrt | Rsqrt | Cbrt | Asin | Acos | Atan | Sinh | Cosh
        | Tanh | Asinh | Acosh | Atanh | Logistic | Erf | Erfc | ErfInv | BesselI0e | BesselI1e
        | IsFinite | Not | Popcnt | Clz | Real | Imag | Conj => Course::Even,
    }
}

/// Returns how far a function that turns gets from its value between the ends of an interval of operand `i`. Infinite if a pole is inside.
fn between(op: &Op, i: usize, wide: &[Tensor], ends: &[Tensor; 2], value: &Tensor) -> Option<Tensor> {
    use std::f64::consts::{FRAC_PI_2, PI, TAU};
    let [low, high] = ends;
    let zero = value.scalar_like(0.0);
    let infinite = value.scalar_like(f64::INFINITY);
    // Returns whether one of `first + k * period` lies between the ends.
    let reaches = |first: f64, period: f64| {
        let count = |x: &Tensor| ((x - first) * (1.0 / period)).floor();
        count(low).compare(CompareOp::Lt, &count(high))
    };
    let extremes = |top: f64, bottom: f64| {
        let (one, none) = (value.scalar_like(1.0), zero.broadcast_to(&value.dims()));
        let over = reaches(top, TAU).select(&(&one - value), &none);
        over.maximum(&reaches(bottom, TAU).select(&(&one + value), &none))
    };
    Some(match op {
        Op::Unary { op: UnaryOp::Sin } => extremes(FRAC_PI_2, -FRAC_PI_2),
        Op::Unary { op: UnaryOp::Cos } => extremes(0.0, PI),
        Op::Unary { op: UnaryOp::Tan } => reaches(FRAC_PI_2, PI).select(&infinite, &zero),
        Op::Unary { op: UnaryOp::Digamma | UnaryOp::Lgamma } => {
            low.compare(CompareOp::Le, &high.minimum(&zero).floor()).select(&infinite, &zero)
        }
        Op::Binary { op: BinaryOp::Div } if i == 1 => {
            (low * high).compare(CompareOp::Le, &zero).select(&infinite, &zero)
        }
        Op::Binary { op: BinaryOp::Rem } => {
            let turns = |x: &Tensor, y: &Tensor| {
                let quotient = x / y;
                quotient.sign() * quotient.abs().floor()
            };
            let [first, last] = match i {
                0 => [turns(low, &wide[1]), turns(high, &wide[1])],
                _ => [turns(&wide[0], low), turns(&wide[0], high)],
            };
            let most = if i == 0 { wide[1].abs() } else { low.abs().maximum(&high.abs()) };
            // Written so that a quotient that is NaN is uncertain too.
            first.equal(&last).select(&zero, &most)
        }
        _ => return None,
    })
}

fn apply(op: &Op, operands: &[Tensor]) -> Option<Tensor> {
    let (first, rest) = operands.split_first()?;
    Some(first.apply(op.clone(), &rest.iter().collect::<Vec<_>>()))
}

/// Returns the error that the function itself may add to a result of this magnitude.
fn own_error(cx: &Analysis, op: &Op, magnitude: &Tensor, out: DType) -> Tensor {
    let common = match op {
        Op::Unary { op } => ulps::unary(*op),
        Op::Binary { op } => ulps::binary(*op),
        Op::Betainc {} => ulps::BETAINC,
        _ => Accuracy { ulps: 0.0, scale: 0.0 },
    };
    let allowance = Allowance::of(&cx.allowances, op, out);
    let Accuracy { ulps, scale } =
        allowance.map_or(common, |row| Accuracy { ulps: row.ulps, scale: row.scale });
    let scaled =
        if scale > 0.0 { magnitude.maximum(&magnitude.scalar_like(scale)) } else { magnitude.clone() };
    // One unit in the last place is at most two units of rounding.
    rounding(&scaled, out, 2.0 * ulps)
}

/// Bounds a function with a complex operand or result. Bounds apply to the modulus.
fn complex_function(cx: &Analysis, op: &Op, operands: &[Shadow], out: DType) -> Option<Shadow> {
    let wide: Vec<Tensor> = match op {
        Op::Binary { op: BinaryOp::Complex } => operands.iter().map(Shadow::wide).collect(),
        _ => operands.iter().map(|t| t.wide().convert(DType::C128)).collect(),
    };
    let value = apply(op, &wide)?;
    let own = |ulps: f64| rounding(&value.abs(), out, 2.0 * ulps);
    let error = |i: usize| operands[i].error();
    let magnitude = |i: usize| operands[i].magnitude();
    let all_exact = operands.iter().all(|t| t.error.is_none());
    let bound = match op {
        Op::Unary { op: UnaryOp::Neg | UnaryOp::Conj | UnaryOp::Real | UnaryOp::Imag } => error(0),
        Op::Unary { op: UnaryOp::Abs } => error(0) + own(2.0),
        Op::Binary { op: BinaryOp::Complex } => error(0) + error(1),
        Op::Binary { op: BinaryOp::Add | BinaryOp::Sub } => error(0) + error(1) + own(1.0),
        Op::Binary { op: BinaryOp::Mul } => {
            magnitude(0) * error(1) + error(0) * (magnitude(1) + error(1)) + own(4.0)
        }
        Op::Binary { op: BinaryOp::Max | BinaryOp::Min } if !all_exact => return None,
        Op::Unary { .. } | Op::Binary { .. } => {
            let allowance = Allowance::of(&cx.allowances, op, out);
            moved_in_the_plane(op, operands, &wide, &value)?
                + own(allowance.map_or(COMPLEX_ULPS, |row| row.ulps))
        }
        _ => return None,
    };
    Some(Shadow { value, error: Some(bound) })
}

/// Returns how far a differentiable function moves when its operands move by their bounds along either axis.
fn moved_in_the_plane(op: &Op, operands: &[Shadow], wide: &[Tensor], value: &Tensor) -> Option<Tensor> {
    let mut total = value.abs().scalar_like(0.0).broadcast_to(&value.dims());
    for (i, shadow) in operands.iter().enumerate() {
        let Some(error) = &shadow.error else { continue };
        let zero = error.scalar_like(0.0).broadcast_to(&error.dims());
        let along = |re: &Tensor, im: &Tensor| {
            let step = re.binary(BinaryOp::Complex, im);
            let moved = |operand: Tensor| {
                let mut operands = wide.to_vec();
                operands[i] = operand;
                Some(distance(&apply(op, &operands)?, value))
            };
            Some(moved(&wide[i] + &step)?.maximum(&moved(&wide[i] - &step)?))
        };
        total = total + along(error, &zero)?.maximum(&along(&zero, error)?);
    }
    Some(total)
}

/// Bounds a function of booleans: uncertain where an operand is.
fn logical(op: &Op, operands: &[Shadow]) -> Option<Shadow> {
    let values: Vec<Tensor> = operands.iter().map(|t| t.value.clone()).collect();
    let error = operands.iter().map(Shadow::error).reduce(|a, b| a.maximum(&b))?;
    Some(Shadow { value: apply(op, &values)?, error: Some(error) })
}

/// Bounds whether a number of type `from` is finite. The answer is certain if the number is finite at twice its bound,
/// which results have to meet, or if it is exact.
pub(super) fn is_finite(op: &Op, x: &Shadow, from: DType) -> Option<Shadow> {
    if !from.is_float() {
        return None;
    }
    let wide = x.wide();
    let (value, bound) = (wide.apply(op.clone(), &[]), x.error());
    let zero = bound.scalar_like(0.0);
    let reached = wide.abs() + &bound * 2.0;
    let certain =
        reached.compare(CompareOp::Le, &reached.scalar_like(Limits::of(from).max)).or(&bound.equal(&zero));
    let error = certain.select(&zero, &zero.scalar_like(f64::INFINITY));
    Some(Shadow { value, error: Some(error) })
}

/// Bounds a comparison: infinite where the operands' bounds overlap, otherwise 0.
pub(super) fn compare(op: &Op, operands: &[Shadow]) -> Option<Shadow> {
    let (a, b) = (operands[0].wide(), operands[1].wide());
    if a.dtype().is_complex() || operands.iter().any(|t| t.value.dtype() == DType::Bool) {
        return None;
    }
    let value = a.apply(op.clone(), &[&b]);
    let margin = operands[0].error() + operands[1].error();
    let apart = distance(&a, &b);
    let zero = margin.scalar_like(0.0);
    // Written so that a NaN bound is uncertain too. Exact numbers always compare in the same way, even if they are equal.
    let certain = apart.compare(CompareOp::Gt, &margin).or(&margin.equal(&zero));
    let error = certain.select(&zero, &margin.scalar_like(f64::INFINITY));
    Some(Shadow { value, error: Some(error) })
}

/// Bounds a select: where the predicate is uncertain, the result may be either operand.
pub(super) fn select(operands: &[Shadow]) -> Option<Shadow> {
    let [pred, on_true, on_false] = operands else { return None };
    if on_true.value.dtype() == DType::Bool {
        return None;
    }
    let (t, f) = (on_true.wide(), on_false.wide());
    let value = pred.value.select(&t, &f);
    let chosen = pred.value.select(&on_true.error(), &on_false.error());
    let error = match &pred.error {
        None => chosen,
        Some(doubt) => {
            let either = distance(&t, &f) + on_true.error().maximum(&on_false.error());
            doubt.compare(CompareOp::Gt, &doubt.scalar_like(0.0)).select(&either, &chosen)
        }
    };
    Some(Shadow { value, error: Some(error) })
}

/// Bounds a conversion between numbers, or of an uncertain boolean.
pub(super) fn convert(x: &Shadow, from: DType, to: DType) -> Option<Shadow> {
    let real = |d: DType| d.is_float();
    let complex = |d: DType| d.is_complex();
    match () {
        () if real(from) && real(to) || complex(from) && complex(to) => {
            let value = x.wide();
            let error = x.error() + rounding(&value.abs(), to, 1.0);
            Some(Shadow { value, error: Some(error) })
        }
        () if real(from) && to.is_int() => {
            let stored = |t: &Tensor| t.convert(to).convert(DType::F64);
            let (wide, far) = (x.wide(), x.error() * 2.0);
            let value = stored(&wide);
            let apart = distance(&stored(&(&wide + &far)), &value)
                .maximum(&distance(&stored(&(&wide - far)), &value));
            // As for functions that jump ([`Course::Steps`]).
            Some(Shadow { value, error: Some(apart * 0.5) })
        }
        () if from.is_int() && real(to) => {
            let value = x.wide();
            let error = x.error() + rounding(&value.abs(), to, 1.0);
            Some(Shadow { value, error: Some(error) })
        }
        () if complex(from) && real(to) => {
            let value = x.wide().unary(UnaryOp::Real);
            let error = x.error() + rounding(&value.abs(), to, 1.0);
            Some(Shadow { value, error: Some(error) })
        }
        () if real(from) && complex(to) => {
            let value = x.wide().convert(DType::C128);
            let error = x.error() + rounding(&value.abs(), to, 1.0);
            Some(Shadow { value, error: Some(error) })
        }
        () if from == DType::Bool && real(to) => {
            let error = x.error().minimum(&x.error().scalar_like(1.0));
            Some(Shadow { value: x.wide(), error: Some(error) })
        }
        () => None,
    }
}
