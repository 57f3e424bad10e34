//! Chooses the function of a language that computes a scalar: operators, rounding and conversions, from the rows of the
//! op table.

use super::{Language, ScalarFunction};
use rlx_ir::{BinaryOp, Class, CompareOp, DType, Op, Scalar, UnaryOp};

/// Returns the result of an elementwise op in type `to`, or `None` if the language has none, or the op is not defined on these types.
pub(super) fn apply<L: Language>(
    language: &L,
    op: &Op,
    args: &[(String, DType)],
    to: DType,
) -> Option<String> {
    match (op, args) {
        (Op::Unary { op }, [(x, dtype)]) => unary(language, *op, *dtype, x),
        (Op::Binary { op }, [(a, dtype), (b, _)]) => binary(language, *op, *dtype, a, b),
        (Op::Compare { op, total_order: true }, [(a, dtype), (b, _)]) if dtype.is_float() => {
            language.total_order(*op, a, b)
        }
        (Op::Compare { op, .. }, [(a, _), (b, _)]) => Some(format!("{a} {} {b}", sign(*op))),
        (Op::Select {}, [(p, _), (a, _), (b, _)]) => Some(language.select(p, a, b)),
        (Op::Clamp {}, [(low, _), (x, dtype), (high, _)]) => {
            let above = binary(language, BinaryOp::Max, *dtype, x, low)?;
            binary(language, BinaryOp::Min, *dtype, &format!("({above})"), high)
        }
        (Op::Betainc {}, [(a, dtype), (b, _), (x, _)]) => {
            of_floats(language, ScalarFunction::Betainc, *dtype, &[a, b, x])
        }
        (Op::ReducePrecision { exponent_bits, mantissa_bits }, [(x, dtype)]) => {
            of_floats(language, ScalarFunction::ReducePrecision(*exponent_bits, *mantissa_bits), *dtype, &[x])
        }
        (Op::Convert { .. }, [(x, from)]) => Some(convert(language, *from, to, x)),
        _ => None,
    }
}

fn unary<L: Language>(language: &L, op: UnaryOp, dtype: DType, x: &str) -> Option<String> {
    if !op.accepts().contains(dtype) {
        return None;
    }
    match (dtype.class(), op) {
        (Class::Bool, _) => Some(format!("!{x}")),
        (Class::Float, UnaryOp::Neg) => Some(format!("-{x}")),
        (Class::Float, UnaryOp::Real | UnaryOp::Conj) => Some(x.to_string()),
        (Class::Float, UnaryOp::Imag) => Some(zero(language, dtype)),
        (Class::Float, _) => of_floats(language, ScalarFunction::Unary(op), dtype, &[x]),
        (Class::Signed | Class::Unsigned | Class::Complex, _) => {
            language.function(ScalarFunction::Unary(op), dtype, &[x])
        }
    }
}

fn binary<L: Language>(language: &L, op: BinaryOp, dtype: DType, a: &str, b: &str) -> Option<String> {
    if !op.accepts().contains(dtype) {
        return None;
    }
    let infix = |sign: &str| format!("{a} {sign} {b}");
    let function = ScalarFunction::Binary(op);
    match (dtype.class(), op) {
        (Class::Bool, BinaryOp::Add | BinaryOp::Max) => Some(infix("|")),
        (Class::Bool, BinaryOp::Mul | BinaryOp::Min) => Some(infix("&")),
        (_, BinaryOp::And) => Some(infix("&")),
        (_, BinaryOp::Or) => Some(infix("|")),
        (_, BinaryOp::Xor) => Some(infix("^")),
        (Class::Float, BinaryOp::Rem) => Some(language.rounded(dtype, infix("%"))),
        (Class::Float, BinaryOp::Complex) => {
            Some(language.complex(&language.wide(dtype, a), &language.wide(dtype, b)))
        }
        (Class::Float, _) => match operator(op) {
            Some(operator) => Some(language.rounded(dtype, infix(operator))),
            None => of_floats(language, function, dtype, &[a, b]),
        },
        (Class::Bool | Class::Signed | Class::Unsigned | Class::Complex, _) => {
            language.function(function, dtype, &[a, b])
        }
    }
}

/// Computes a function of floats with the language's own function, or with a wide one whose result is rounded.
fn of_floats<L: Language>(
    language: &L,
    function: ScalarFunction,
    dtype: DType,
    args: &[&str],
) -> Option<String> {
    language.function(function, dtype, args).or_else(|| {
        let wide: Vec<String> = args.iter().map(|x| language.wide(dtype, x)).collect();
        Some(language.round(dtype, &language.wide_function(function, &wide)?))
    })
}

fn convert<L: Language>(language: &L, from: DType, to: DType, x: &str) -> String {
    let is_not_zero = |x: &str, dtype: DType| format!("{x} != {}", zero(language, dtype));
    match (from.class(), to.class()) {
        _ if from == to => x.to_string(),
        (Class::Float, Class::Float) | (Class::Complex, Class::Complex)
            if language.scalar(from) == language.scalar(to) =>
        {
            language.rounded(to, x.to_string())
        }
        (_, Class::Float) => language.round(to, &language.wide(from, x)),
        (_, Class::Complex) => {
            language.rounded(to, language.complex(&language.wide(from, x), &zero(language, DType::F64)))
        }
        (Class::Complex, Class::Bool) => {
            ["re", "im"].map(|part| is_not_zero(&format!("{x}.{part}"), from.real())).join(" || ")
        }
        (_, Class::Bool) => is_not_zero(x, from),
        _ => language.truncated(from, to, x),
    }
}

fn zero<L: Language>(language: &L, dtype: DType) -> String {
    language.constant(dtype, Scalar::Int(0).convert(dtype))
}

/// Returns the operator of an op, if a class of numbers has one.
pub(super) fn operator(op: BinaryOp) -> Option<&'static str> {
    match op {
        BinaryOp::Add => Some("+"),
        BinaryOp::Sub => Some("-"),
        BinaryOp::Mul => Some("*"),
        BinaryOp::Div => Some("/"),
        _ => None,
    }
}

fn sign(op: CompareOp) -> &'static str {
    match op {
        CompareOp::Eq => "==",
        CompareOp::Ne => "!=",
        CompareOp::Lt => "<",
        CompareOp::Le => "<=",
        CompareOp::Gt => ">",
        CompareOp::Ge => ">=",
    }
}
