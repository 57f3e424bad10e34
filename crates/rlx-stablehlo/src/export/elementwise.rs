//! Writes elementwise functions, comparisons, selects and conversions between element types.

use super::writer::{EmittedValue, names, signature, ty, types};
use rlx_ir::{BinaryOp, Class, CompareOp, Dim, Op, Shape, UnaryOp};

/// Returns the text after the `=`.
pub(super) fn text(op: &Op, xs: &[EmittedValue], results: &[Shape]) -> Option<String> {
    let (x, result) = (xs.first()?, results.first()?);
    Some(match op {
        Op::Unary { op } => unary(*op, x, result)?,
        Op::Binary { op } => {
            let name = binary_name(*op)?;
            if name.starts_with("chlo.") {
                format!("{name} {} : {} -> {}", names(xs), types(xs), ty(result))
            } else {
                format!("{name} {} : {}", names(xs), ty(result))
            }
        }
        Op::Compare { op, total_order } => {
            let kind = match x.shape.dtype().class() {
                Class::Float if *total_order => "TOTALORDER",
                Class::Float | Class::Complex => "FLOAT",
                Class::Signed => "SIGNED",
                Class::Unsigned | Class::Bool => "UNSIGNED",
            };
            let direction = direction(*op);
            format!("stablehlo.compare {direction}, {}, {kind} : {}", names(xs), signature(xs, results))
        }
        Op::Select {} => {
            format!("stablehlo.select {} : {}, {}", names(xs), ty(&x.shape), ty(&xs.get(1)?.shape))
        }
        Op::Clamp {} => format!("stablehlo.clamp {} : {}", names(xs), ty(result)),
        Op::Convert { .. } => format!("stablehlo.convert {} : {}", x.name, signature(xs, results)),
        Op::BitcastConvert { .. } => {
            format!("stablehlo.bitcast_convert {} : {}", x.name, signature(xs, results))
        }
        Op::ReducePrecision { exponent_bits, mantissa_bits } => format!(
            "stablehlo.reduce_precision {}, format = e{exponent_bits}m{mantissa_bits} : {}",
            x.name,
            ty(result)
        ),
        _ => return None,
    })
}

/// Returns the shape and the dimension of an operand that has a symbol where the result has a number, if there is one.
/// RLX considers the two equal, but MLIR requires one type.
pub(super) fn open_against_known(op: &Op, xs: &[EmittedValue], results: &[Shape]) -> Option<(Shape, Dim)> {
    if matches!(op, Op::BitcastConvert { .. }) {
        return None;
    }
    let result = results.first()?;
    let meets = |x: &EmittedValue| {
        let mut pairs = x.shape.dims().iter().zip(result.dims());
        let open = |(own, wanted): &(&Dim, &Dim)| own.as_static().is_none() && wanted.as_static().is_some();
        pairs.find(open).map(|(own, _)| (x.shape.clone(), own.clone()))
    };
    xs.iter().find_map(meets)
}

fn unary(op: UnaryOp, x: &EmittedValue, result: &Shape) -> Option<String> {
    let name = unary_name(op)?;
    let own = std::slice::from_ref(x);
    Some(if name.starts_with("chlo.") {
        format!("{name} {} : {} -> {}", x.name, ty(&x.shape), ty(result))
    } else if x.shape.dtype() == result.dtype() {
        format!("{name} {} : {}", x.name, ty(result))
    } else {
        format!("{name} {} : {}", x.name, signature(own, std::slice::from_ref(result)))
    })
}

/// Returns the operation for a function of one tensor, if there is one.
pub(super) fn unary_name(op: UnaryOp) -> Option<&'static str> {
    Some(match op {
        UnaryOp::Neg => "stablehlo.negate",
        UnaryOp::Abs => "stablehlo.abs",
        UnaryOp::Sign => "stablehlo.sign",
        UnaryOp::Floor => "stablehlo.floor",
        UnaryOp::Ceil => "stablehlo.ceil",
        UnaryOp::RoundEven => "stablehlo.round_nearest_even",
        UnaryOp::RoundAway => "stablehlo.round_nearest_afz",
        UnaryOp::Exp => "stablehlo.exponential",
        UnaryOp::Expm1 => "stablehlo.exponential_minus_one",
        UnaryOp::Log => "stablehlo.log",
        UnaryOp::Log1p => "stablehlo.log_plus_one",
        UnaryOp::Sqrt => "stablehlo.sqrt",
        UnaryOp::Rsqrt => "stablehlo.rsqrt",
        UnaryOp::Cbrt => "stablehlo.cbrt",
        UnaryOp::Sin => "stablehlo.sine",
        UnaryOp::Cos => "stablehlo.cosine",
        UnaryOp::Tan => "stablehlo.tan",
        UnaryOp::Asin => "chlo.asin",
        UnaryOp::Acos => "chlo.acos",
        UnaryOp::Atan => "chlo.atan",
        UnaryOp::Sinh => "chlo.sinh",
        UnaryOp::Cosh => "chlo.cosh",
        UnaryOp::Tanh => "stablehlo.tanh",
        UnaryOp::Asinh => "chlo.asinh",
        UnaryOp::Acosh => "chlo.acosh",
        UnaryOp::Atanh => "chlo.atanh",
        UnaryOp::Logistic => "stablehlo.logistic",
        UnaryOp::Erf => "chlo.erf",
        UnaryOp::Erfc => "chlo.erfc",
        UnaryOp::ErfInv => "chlo.erf_inv",
        UnaryOp::Lgamma => "chlo.lgamma",
        UnaryOp::Digamma => "chlo.digamma",
        UnaryOp::BesselI1e => "chlo.bessel_i1e",
        UnaryOp::IsFinite => "stablehlo.is_finite",
        UnaryOp::Not => "stablehlo.not",
        UnaryOp::Popcnt => "stablehlo.popcnt",
        UnaryOp::Clz => "stablehlo.count_leading_zeros",
        UnaryOp::Real => "stablehlo.real",
        UnaryOp::Imag => "stablehlo.imag",
        UnaryOp::Conj => "chlo.conj",
        UnaryOp::BesselI0e => return None,
    })
}

/// Returns the operation for a function of two tensors, if there is one.
pub(super) fn binary_name(op: BinaryOp) -> Option<&'static str> {
    Some(match op {
        BinaryOp::Add => "stablehlo.add",
        BinaryOp::Sub => "stablehlo.subtract",
        BinaryOp::Mul => "stablehlo.multiply",
        BinaryOp::Div => "stablehlo.divide",
        BinaryOp::Rem => "stablehlo.remainder",
        BinaryOp::Pow => "stablehlo.power",
        BinaryOp::Max => "stablehlo.maximum",
        BinaryOp::Min => "stablehlo.minimum",
        BinaryOp::Atan2 => "stablehlo.atan2",
        BinaryOp::NextAfter => "chlo.next_after",
        BinaryOp::And => "stablehlo.and",
        BinaryOp::Or => "stablehlo.or",
        BinaryOp::Xor => "stablehlo.xor",
        BinaryOp::ShiftLeft => "stablehlo.shift_left",
        BinaryOp::ShiftRightArithmetic => "stablehlo.shift_right_arithmetic",
        BinaryOp::ShiftRightLogical => "stablehlo.shift_right_logical",
        BinaryOp::Complex => "stablehlo.complex",
        BinaryOp::Polygamma => "chlo.polygamma",
        BinaryOp::Zeta => "chlo.zeta",
        BinaryOp::Igamma | BinaryOp::Igammac => return None,
    })
}

fn direction(op: CompareOp) -> &'static str {
    match op {
        CompareOp::Eq => "EQ",
        CompareOp::Ne => "NE",
        CompareOp::Lt => "LT",
        CompareOp::Le => "LE",
        CompareOp::Gt => "GT",
        CompareOp::Ge => "GE",
    }
}
