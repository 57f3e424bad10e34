//! Scalars in Rust: their types, in memory and in registers, and the functions of the op table on them.
//!
//! What is computed is rounded once: f32 and f64 are computed as they are, narrower floats lie in memory as their bits and are computed
//! in f32, and functions of floats in f64, but for those of f32 that the support module has in f32.

use rlx_ir::{BinaryOp, Class, CompareOp, DType, Named, Op, Scalar, UnaryOp};

/// Of a type: that of elements in memory, that of scalars, and the support module's format of the float.
fn row(dtype: DType) -> [&'static str; 3] {
    match dtype {
        DType::F64 => ["f64", "f64", "rt::F64"],
        DType::F32 => ["f32", "f32", "rt::F32"],
        DType::F16 => ["u16", "f32", "rt::F16"],
        DType::BF16 => ["u16", "f32", "rt::BF16"],
        DType::F8E4M3 => ["u8", "f32", "rt::F8E4M3"],
        DType::F8E5M2 => ["u8", "f32", "rt::F8E5M2"],
        DType::C64 => ["[f32; 2]", COMPLEX, ""],
        DType::C128 => ["[f64; 2]", COMPLEX, ""],
        other => [other.name(), other.name(), ""],
    }
}

const COMPLEX: &str = "rt::complex::Complex64";

/// The type of an element in memory.
pub(super) fn stored(dtype: DType) -> &'static str {
    row(dtype)[0]
}

/// The type of a scalar.
pub(super) fn scalar(dtype: DType) -> &'static str {
    row(dtype)[1]
}

/// The format of a float, in the support module.
fn format(dtype: DType) -> &'static str {
    row(dtype)[2]
}

/// Whether scalars are floats of another type than elements in memory.
fn is_narrow(dtype: DType) -> bool {
    dtype.is_float() && stored(dtype) != scalar(dtype)
}

/// An element in memory, from its bytes.
pub(super) fn of_bytes(dtype: DType, place: &str) -> String {
    match dtype.class() {
        Class::Bool => format!("({place}[0] != 0)"),
        Class::Complex => {
            let real = stored(dtype.real());
            let half = |first: usize| {
                let bytes = (first..first + dtype.size() / 2).map(|i| format!("{place}[{i}]"));
                format!("{real}::from_le_bytes([{}])", bytes.collect::<Vec<_>>().join(", "))
            };
            format!("[{}, {}]", half(0), half(dtype.size() / 2))
        }
        Class::Float | Class::Signed | Class::Unsigned => {
            format!("{}::from_le_bytes({place})", stored(dtype))
        }
    }
}

/// An element in memory as a scalar.
pub(super) fn load(dtype: DType, place: &str) -> String {
    match dtype.class() {
        Class::Complex => format!("rt::complex::load_{dtype}({place})"),
        _ if is_narrow(dtype) => format!("{}.load(u64::from({place}))", format(dtype)),
        _ => place.to_string(),
    }
}

/// A scalar as an element in memory.
pub(super) fn store(dtype: DType, x: &str) -> String {
    match dtype.class() {
        Class::Complex => format!("rt::complex::store_{dtype}({x})"),
        _ if is_narrow(dtype) => format!("{}.store({x}) as {}", format(dtype), stored(dtype)),
        _ => x.to_string(),
    }
}

/// What an array in memory is filled with before it is written.
pub(super) fn zero(dtype: DType) -> &'static str {
    match dtype.class() {
        Class::Bool => "false",
        Class::Complex => "[0.0; 2]",
        Class::Float if !is_narrow(dtype) => "0.0",
        Class::Float | Class::Signed | Class::Unsigned => "0",
    }
}

/// A number of a type.
pub(super) fn constant(dtype: DType, value: Scalar) -> String {
    match value.convert(dtype) {
        Scalar::Int(x) if dtype == DType::Bool => (x != 0).to_string(),
        Scalar::Int(x) => x.to_string(),
        Scalar::Float(x) if dtype == DType::F64 => double(x),
        Scalar::Float(x) if x.is_nan() => {
            let mut bytes = Vec::new();
            Scalar::Float(x).write(DType::F32, &mut bytes);
            let bits = bytes.iter().rev().fold(0u32, |bits, &byte| bits << 8 | u32::from(byte));
            format!("f32::from_bits({bits:#x})")
        }
        Scalar::Float(x) if x.is_infinite() => double(x).replace("f64", "f32"),
        Scalar::Float(x) => format!("{:?}", x as f32),
        Scalar::Complex(z) => format!("{COMPLEX} {{ re: {}, im: {} }}", double(z.re), double(z.im)),
    }
}

fn double(x: f64) -> String {
    match x {
        _ if x.is_nan() => format!("f64::from_bits({:#x})", x.to_bits()),
        f64::INFINITY => "f64::INFINITY".into(),
        f64::NEG_INFINITY => "f64::NEG_INFINITY".into(),
        _ => format!("{x:?}"),
    }
}

/// The real value of a scalar in f64.
fn wide(dtype: DType, x: &str) -> String {
    match dtype.class() {
        Class::Float if dtype == DType::F64 => x.to_string(),
        Class::Float => format!("f64::from({x})"),
        Class::Bool => format!("u8::from({x}) as f64"),
        Class::Signed | Class::Unsigned => format!("{x} as f64"),
        Class::Complex => format!("{x}.re"),
    }
}

/// An f64, which is a call or a conversion, rounded to a float type.
fn round(dtype: DType, x: &str) -> String {
    match dtype {
        DType::F64 => x.to_string(),
        DType::F32 => format!("{x} as f32"),
        _ => format!("{}.round({x})", format(dtype)),
    }
}

/// What was computed in the scalar's own type, rounded to the element's.
fn rounded(dtype: DType, x: String) -> String {
    match dtype {
        DType::C64 => format!("rt::complex::round_c64({x})"),
        _ if is_narrow(dtype) => format!("{}.round(f64::from({x}))", format(dtype)),
        _ => x,
    }
}

/// The result of an elementwise op in type `to`; `None` where the op is none of these types. `fused` tells whether functions of f32 may
/// use a multiply-add.
pub(super) fn apply(op: &Op, args: &[(String, DType)], to: DType, fused: bool) -> Option<String> {
    match (op, args) {
        (Op::Unary { op }, [(x, dtype)]) => match dtype.class() {
            Class::Float => float_unary(*op, *dtype, x, fused),
            Class::Complex => complex_unary(*op, *dtype, x),
            Class::Bool => (*op == UnaryOp::Not).then(|| format!("!{x}")),
            Class::Signed | Class::Unsigned => int_unary(*op, *dtype, x),
        },
        (Op::Binary { op }, [(a, dtype), (b, _)]) => binary(*op, *dtype, a, b),
        (Op::Compare { op, total_order }, [(a, dtype), (b, _)]) => {
            Some(compare(*op, *total_order && dtype.is_float(), a, b))
        }
        (Op::Select {}, [(p, _), (a, _), (b, _)]) => Some(format!("if {p} {{ {a} }} else {{ {b} }}")),
        (Op::Clamp {}, [(low, _), (x, dtype), (high, _)]) => {
            let above = binary(BinaryOp::Max, *dtype, x, low)?;
            binary(BinaryOp::Min, *dtype, &format!("({above})"), high)
        }
        (Op::Betainc {}, [(a, _), (b, _), (x, dtype)]) => {
            let [a, b, x] = [a, b, x].map(|x| wide(*dtype, x));
            Some(round(*dtype, &format!("rt::special::betainc({a}, {b}, {x})")))
        }
        (Op::Convert { .. }, [(x, from)]) => Some(convert(*from, to, x)),
        (Op::ReducePrecision { exponent_bits, mantissa_bits }, [(x, dtype)]) => {
            let x = wide(*dtype, x);
            Some(round(*dtype, &format!("rt::reduce_precision({x}, {exponent_bits}, {mantissa_bits})")))
        }
        _ => None,
    }
}

fn float_unary(op: UnaryOp, dtype: DType, x: &str, fused: bool) -> Option<String> {
    use UnaryOp::*;
    let module = match op {
        Exp | Expm1 | Log | Log1p | Sqrt | Rsqrt | Sin | Cos | Tanh | Logistic | Erf | Erfc | Floor
        | Ceil | RoundEven
            if dtype == DType::F32 =>
        {
            let module = if fused { "fused" } else { "separate" };
            return Some(format!("rt::{module}::{}({x})", op.name()));
        }
        Neg => return Some(format!("-{x}")),
        Abs | IsFinite => return Some(format!("{x}.{}()", op.name())),
        Sign => return Some(format!("rt::Float::sign({x})")),
        Real | Conj => return Some(x.to_string()),
        Imag => return Some("0.0".into()),
        Not | Popcnt | Clz => return None,
        ErfInv | Lgamma | Digamma | BesselI0e | BesselI1e => "special",
        Floor | Ceil | RoundEven | RoundAway | Exp | Expm1 | Log | Log1p | Sqrt | Rsqrt | Cbrt | Sin
        | Cos | Tan | Asin | Acos | Atan | Sinh | Cosh | Tanh | Asinh | Acosh | Atanh | Logistic | Erf
        | Erfc => "math",
    };
    Some(round(dtype, &format!("rt::{module}::{}({})", op.name(), wide(dtype, x))))
}

fn int_unary(op: UnaryOp, dtype: DType, x: &str) -> Option<String> {
    match op {
        UnaryOp::Neg => Some(format!("{x}.wrapping_neg()")),
        UnaryOp::Abs | UnaryOp::Sign => Some(format!("rt::Int::{}({x})", op.name())),
        UnaryOp::Not => Some(format!("!{x}")),
        UnaryOp::Popcnt => Some(format!("{x}.count_ones() as {dtype}")),
        UnaryOp::Clz => Some(format!("{x}.leading_zeros() as {dtype}")),
        _ => None,
    }
}

fn complex_unary(op: UnaryOp, dtype: DType, x: &str) -> Option<String> {
    use UnaryOp::*;
    let method = match op {
        Abs => return Some(round(dtype.real(), &format!("{x}.abs()"))),
        Real => return Some(round(dtype.real(), &format!("{x}.re"))),
        Imag => return Some(round(dtype.real(), &format!("{x}.im"))),
        IsFinite => return Some(format!("{x}.is_finite()")),
        Neg => return Some(format!("-{x}")),
        Expm1 => "exp_m1",
        Log => "ln",
        Log1p => "ln_1p",
        Sign | Conj | Exp | Sqrt | Rsqrt | Cbrt | Sin | Cos | Tan | Asin | Acos | Atan | Sinh | Cosh
        | Tanh | Asinh | Acosh | Atanh | Logistic => op.name(),
        Floor | Ceil | RoundEven | RoundAway | Erf | Erfc | ErfInv | Lgamma | Digamma | BesselI0e
        | BesselI1e | Not | Popcnt | Clz => return None,
    };
    Some(rounded(dtype, format!("{x}.{method}()")))
}

fn binary(op: BinaryOp, dtype: DType, a: &str, b: &str) -> Option<String> {
    let infix = |sign: &str| Some(format!("{a} {sign} {b}"));
    match (dtype.class(), op) {
        (Class::Bool, BinaryOp::Add | BinaryOp::Max) => infix("|"),
        (Class::Bool, BinaryOp::Mul | BinaryOp::Min) => infix("&"),
        (Class::Bool | Class::Signed | Class::Unsigned, BinaryOp::And) => infix("&"),
        (Class::Bool | Class::Signed | Class::Unsigned, BinaryOp::Or) => infix("|"),
        (Class::Bool | Class::Signed | Class::Unsigned, BinaryOp::Xor) => infix("^"),
        (Class::Bool, _) => None,
        (Class::Signed | Class::Unsigned, _) => int_binary(op, a, b),
        (Class::Float, _) => float_binary(op, dtype, a, b),
        (Class::Complex, _) => complex_binary(op, dtype, a, b),
    }
}

/// The operator of an op that every class of numbers has.
fn operator(op: BinaryOp) -> Option<&'static str> {
    match op {
        BinaryOp::Add => Some("+"),
        BinaryOp::Sub => Some("-"),
        BinaryOp::Mul => Some("*"),
        BinaryOp::Div => Some("/"),
        _ => None,
    }
}

fn int_binary(op: BinaryOp, a: &str, b: &str) -> Option<String> {
    use BinaryOp::*;
    match op {
        Add | Sub | Mul => Some(format!("{a}.wrapping_{}({b})", op.name())),
        Max | Min => Some(format!("{a}.{}({b})", op.name())),
        Div | Rem | Pow | ShiftLeft | ShiftRightArithmetic | ShiftRightLogical => {
            Some(format!("rt::Int::{}({a}, {b})", op.name()))
        }
        And | Or | Xor | Atan2 | NextAfter | Complex | Polygamma | Zeta | Igamma | Igammac => None,
    }
}

fn float_binary(op: BinaryOp, dtype: DType, a: &str, b: &str) -> Option<String> {
    use BinaryOp::*;
    if let Some(operator) = operator(op) {
        return Some(rounded(dtype, format!("{a} {operator} {b}")));
    }
    let (wide_a, wide_b) = (wide(dtype, a), wide(dtype, b));
    let function = match op {
        Rem => return Some(rounded(dtype, format!("{a} % {b}"))),
        Max | Min => return Some(format!("rt::Float::{}({a}, {b})", op.name())),
        Complex => return Some(format!("{COMPLEX} {{ re: {wide_a}, im: {wide_b} }}")),
        NextAfter => format!("{}.next_after", format(dtype)),
        Pow | Atan2 => format!("rt::math::{}", op.name()),
        Polygamma | Zeta | Igamma | Igammac => format!("rt::special::{}", op.name()),
        _ => return None,
    };
    Some(round(dtype, &format!("{function}({wide_a}, {wide_b})")))
}

fn complex_binary(op: BinaryOp, dtype: DType, a: &str, b: &str) -> Option<String> {
    match (operator(op), op) {
        (Some(operator), _) => Some(rounded(dtype, format!("{a} {operator} {b}"))),
        (None, BinaryOp::Pow) => Some(rounded(dtype, format!("{a}.pow({b})"))),
        (None, BinaryOp::Max | BinaryOp::Min) => Some(format!("rt::complex::{}({a}, {b})", op.name())),
        (None, _) => None,
    }
}

fn compare(op: CompareOp, total_order: bool, a: &str, b: &str) -> String {
    if total_order {
        return format!("{a}.total_cmp(&{b}).is_{}()", op.name());
    }
    let operator = match op {
        CompareOp::Eq => "==",
        CompareOp::Ne => "!=",
        CompareOp::Lt => "<",
        CompareOp::Le => "<=",
        CompareOp::Gt => ">",
        CompareOp::Ge => ">=",
    };
    format!("{a} {operator} {b}")
}

fn convert(from: DType, to: DType, x: &str) -> String {
    match (from.class(), to.class()) {
        _ if from == to || (is_narrow(from) && to == DType::F32) => x.to_string(),
        (_, Class::Float) => round(to, &wide(from, x)),
        (Class::Complex, Class::Complex) => rounded(to, x.to_string()),
        (_, Class::Complex) => rounded(to, format!("{COMPLEX} {{ re: {}, im: 0.0 }}", wide(from, x))),
        (Class::Complex, Class::Bool) => format!("{x}.re != 0.0 || {x}.im != 0.0"),
        (Class::Float, Class::Bool) => format!("{x} != 0.0"),
        (_, Class::Bool) => format!("{x} != 0"),
        (Class::Complex, _) => format!("{x}.re as {to}"),
        _ => format!("{x} as {to}"),
    }
}

/// a · b + c of floats, rounded once.
pub(super) fn fma(dtype: DType, [a, b, c]: [String; 3]) -> String {
    match dtype {
        DType::F64 => format!("rt::libm::fma({a}, {b}, {c})"),
        DType::F32 => format!("rt::libm::fmaf({a}, {b}, {c})"),
        _ => {
            let [a, b, c] = [a, b, c].map(|x| wide(dtype, &x));
            round(dtype, &format!("rt::fma_to_odd({a}, {b}, {c})"))
        }
    }
}

/// The bits of a scalar as another type of the same width; `None` for types of 16 bytes.
pub(super) fn bitcast(from: DType, to: DType, x: &str) -> Option<String> {
    if from == to {
        return Some(x.to_string());
    }
    let width = 8 * from.size();
    let bits = match from.class() {
        Class::Float if is_narrow(from) => store(from, x),
        Class::Float => format!("{x}.to_bits()"),
        Class::Bool => format!("u8::from({x})"),
        Class::Signed | Class::Unsigned => format!("{x} as u{width}"),
        Class::Complex if from == DType::C64 => format!("rt::complex::bits_of_c64({x})"),
        Class::Complex => return None,
    };
    Some(match to.class() {
        Class::Float if is_narrow(to) => load(to, &format!("({bits})")),
        Class::Float => format!("{to}::from_bits({bits})"),
        Class::Bool => format!("({bits}) != 0"),
        Class::Signed | Class::Unsigned => format!("({bits}) as {to}"),
        Class::Complex => format!("rt::complex::c64_of_bits({bits})"),
    })
}
