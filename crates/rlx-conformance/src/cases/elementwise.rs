//! Cases of elementwise functions. Each is tried on special values (every pair of corner values if there are two
//! operands), on its ordinary domain, on a scalar, on no elements, and on a size that is not a multiple of any vector
//! width.

use crate::case::Row;
use crate::data::Gen;
use rlx_ir::{BinaryOp, CompareOp, DType, DTypeSet, Op, UnaryOp};

/// The sizes at which ordinary values are tried.
const SIZES: [&[usize]; 4] = [&[], &[2, 0, 3], &[3, 11], &[1031]];
/// A size that makes a backend divide the work, for the types that matter to every backend.
const LARGE: [usize; 2] = [257, 129];
const PRIMARY: DTypeSet = DTypeSet::of(&[DType::F32, DType::I32, DType::Bool, DType::C64]);

/// Each function with the ends of its ordinary domain.
const UNARY: &[(UnaryOp, f64, f64)] = &[
    (UnaryOp::Neg, -100.0, 100.0),
    (UnaryOp::Abs, -100.0, 100.0),
    (UnaryOp::Sign, -100.0, 100.0),
    (UnaryOp::Floor, -9.0, 9.0),
    (UnaryOp::Ceil, -9.0, 9.0),
    (UnaryOp::RoundEven, -9.0, 9.0),
    (UnaryOp::RoundAway, -9.0, 9.0),
    (UnaryOp::Exp, -6.0, 6.0),
    (UnaryOp::Expm1, -4.0, 4.0),
    (UnaryOp::Log, 0.01, 100.0),
    (UnaryOp::Log1p, -0.9, 10.0),
    (UnaryOp::Sqrt, 0.0, 100.0),
    (UnaryOp::Rsqrt, 0.01, 100.0),
    (UnaryOp::Cbrt, -100.0, 100.0),
    (UnaryOp::Sin, -8.0, 8.0),
    (UnaryOp::Cos, -8.0, 8.0),
    (UnaryOp::Tan, -1.4, 1.4),
    (UnaryOp::Asin, -1.0, 1.0),
    (UnaryOp::Acos, -1.0, 1.0),
    (UnaryOp::Atan, -8.0, 8.0),
    (UnaryOp::Sinh, -5.0, 5.0),
    (UnaryOp::Cosh, -5.0, 5.0),
    (UnaryOp::Tanh, -4.0, 4.0),
    (UnaryOp::Asinh, -8.0, 8.0),
    (UnaryOp::Acosh, 1.0, 20.0),
    (UnaryOp::Atanh, -0.97, 0.97),
    (UnaryOp::Logistic, -8.0, 8.0),
    (UnaryOp::Erf, -3.0, 3.0),
    (UnaryOp::Erfc, -3.0, 5.0),
    (UnaryOp::ErfInv, -0.98, 0.98),
    (UnaryOp::Lgamma, -5.0, 20.0),
    (UnaryOp::Digamma, -5.0, 20.0),
    (UnaryOp::BesselI0e, -20.0, 20.0),
    (UnaryOp::BesselI1e, -20.0, 20.0),
    (UnaryOp::IsFinite, -1.0, 1.0),
    (UnaryOp::Not, -100.0, 100.0),
    (UnaryOp::Popcnt, -1e9, 1e9),
    (UnaryOp::Clz, -1e9, 1e9),
    (UnaryOp::Real, -9.0, 9.0),
    (UnaryOp::Imag, -9.0, 9.0),
    (UnaryOp::Conj, -9.0, 9.0),
];

/// Each function with the ends of the ordinary domains of its operands.
const BINARY: &[(BinaryOp, (f64, f64), (f64, f64))] = &[
    (BinaryOp::Add, (-60.0, 60.0), (-60.0, 60.0)),
    (BinaryOp::Sub, (-60.0, 60.0), (-60.0, 60.0)),
    (BinaryOp::Mul, (-20.0, 20.0), (-20.0, 20.0)),
    (BinaryOp::Div, (-100.0, 100.0), (-9.0, 9.0)),
    (BinaryOp::Rem, (-100.0, 100.0), (-9.0, 9.0)),
    (BinaryOp::Pow, (0.0, 6.0), (-3.0, 3.0)),
    (BinaryOp::Max, (-60.0, 60.0), (-60.0, 60.0)),
    (BinaryOp::Min, (-60.0, 60.0), (-60.0, 60.0)),
    (BinaryOp::Atan2, (-4.0, 4.0), (-4.0, 4.0)),
    (BinaryOp::NextAfter, (-4.0, 4.0), (-4.0, 4.0)),
    (BinaryOp::And, (-1e9, 1e9), (-1e9, 1e9)),
    (BinaryOp::Or, (-1e9, 1e9), (-1e9, 1e9)),
    (BinaryOp::Xor, (-1e9, 1e9), (-1e9, 1e9)),
    (BinaryOp::ShiftLeft, (-1e9, 1e9), (0.0, 9.0)),
    (BinaryOp::ShiftRightArithmetic, (-1e9, 1e9), (0.0, 9.0)),
    (BinaryOp::ShiftRightLogical, (-1e9, 1e9), (0.0, 9.0)),
    (BinaryOp::Complex, (-4.0, 4.0), (-4.0, 4.0)),
    (BinaryOp::Zeta, (1.1, 8.0), (0.5, 6.0)),
    (BinaryOp::Igamma, (0.1, 9.0), (0.0, 12.0)),
    (BinaryOp::Igammac, (0.1, 9.0), (0.0, 12.0)),
];

/// Returns whether each element is so expensive in the evaluator that large sizes would only take time.
fn slow_unary(op: UnaryOp) -> bool {
    use UnaryOp::*;
    matches!(op, Lgamma | Digamma | ErfInv | BesselI0e | BesselI1e | Erfc | Erf)
}

fn slow_binary(op: BinaryOp) -> bool {
    use BinaryOp::*;
    matches!(op, Polygamma | Zeta | Igamma | Igammac)
}

/// The type with the fewest digits.
const NARROWEST: DTypeSet = DTypeSet::of(&[DType::F8E5M2]);
const OVERFLOW: &str = "in a type with two digits, the bound of results that overflow extends past zero";

pub(super) fn unary_rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for &(op, low, high) in UNARY {
        let row = || Row::new(Op::Unary { op });
        let special = row().x(&[45], Gen::Special);
        rows.push(if op == UnaryOp::Digamma { special.judged(NARROWEST, 0.85, OVERFLOW) } else { special });
        let data = Gen::Uniform(low, high);
        for sizes in SIZES {
            rows.push(row().x(sizes, data));
        }
        if !slow_unary(op) {
            rows.push(row().only(PRIMARY).x(&LARGE, data));
        }
    }
    rows
}

pub(super) fn binary_rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for &(op, (a, b), (c, d)) in BINARY {
        let row = || Row::new(Op::Binary { op });
        rows.push(row().x(&[225], Gen::Left).x(&[225], Gen::Right));
        let (left, right) = (Gen::Uniform(a, b), Gen::Uniform(c, d));
        for sizes in SIZES {
            rows.push(row().x(sizes, left).x(sizes, right));
        }
        if !slow_binary(op) {
            rows.push(row().only(PRIMARY).x(&LARGE, left).x(&LARGE, right));
        }
    }
    // The order of a polygamma function is a small integer.
    let polygamma = || Row::new(Op::Binary { op: BinaryOp::Polygamma });
    for sizes in SIZES {
        rows.push(polygamma().x(sizes, Gen::Ints(0, 4)).x(sizes, Gen::Uniform(0.3, 9.0)));
    }
    rows.push(polygamma().x(&[225], Gen::Left).x(&[225], Gen::Right));
    // Integer powers: even and odd exponents, and overflow that wraps.
    let powers = Row::new(Op::Binary { op: BinaryOp::Pow }).judged(NARROWEST, 0.6, OVERFLOW);
    rows.push(powers.x(&[40], Gen::Ints(-5, 5)).x(&[40], Gen::Ints(-3, 20)));
    rows
}

/// Comparisons, choices and functions of three operands.
pub(super) fn other_rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for op in [CompareOp::Eq, CompareOp::Ne, CompareOp::Lt, CompareOp::Le, CompareOp::Gt, CompareOp::Ge] {
        for total_order in [false, true] {
            let row = || Row::new(Op::Compare { op, total_order }).note(format!("{op} total {total_order}"));
            rows.push(row().x(&[225], Gen::Left).x(&[225], Gen::Right));
            rows.push(row().x(&[2, 0], Gen::Left).x(&[2, 0], Gen::Right));
            rows.push(row().only(PRIMARY).x(&[1031], Gen::Left).x(&[1031], Gen::Right));
            if !total_order {
                rows.push(row().x(&[3, 11], Gen::Ints(-2, 2)).x(&[3, 11], Gen::Ints(-2, 2)));
                rows.push(row().only(PRIMARY).x(&LARGE, Gen::Ints(-2, 2)).x(&LARGE, Gen::Ints(-2, 2)));
            }
        }
    }
    for sizes in [&[][..], &[2, 0, 3], &[45], &[1031], &LARGE] {
        let row = Row::new(Op::Select {}).is(DType::Bool, sizes, Gen::Ints(0, 1));
        rows.push(row.x(sizes, Gen::Special).x(sizes, Gen::Uniform(-9.0, 9.0)));
        let limits = (Gen::Uniform(-5.0, 0.0), Gen::Uniform(0.0, 5.0));
        let clamp = Row::new(Op::Clamp {}).x(sizes, limits.0).x(sizes, Gen::Uniform(-9.0, 9.0));
        rows.push(clamp.x(sizes, limits.1));
    }
    let clamp = || Row::new(Op::Clamp {});
    rows.push(
        clamp().x(&[225], Gen::Left).x(&[225], Gen::Uniform(-3.0, 3.0)).x(&[225], Gen::Right).note("limits"),
    );
    rows.push(
        clamp().x(&[45], Gen::Uniform(-3.0, 0.0)).x(&[45], Gen::Special).x(&[45], Gen::Uniform(0.0, 3.0)),
    );
    for sizes in SIZES {
        let row = Row::new(Op::Betainc {}).x(sizes, Gen::Uniform(0.2, 9.0)).x(sizes, Gen::Uniform(0.2, 9.0));
        rows.push(row.x(sizes, Gen::Uniform(0.0, 1.0)));
    }
    rows.push(
        Row::new(Op::Betainc {})
            .x(&[49], Gen::Values(&[0.0, 1.0, -1.0, f64::INFINITY, f64::NAN, 0.5, 2.0]))
            .x(&[49], Gen::Values(&[1.0, 0.5, f64::INFINITY, 0.0, 2.0, f64::NAN]))
            .x(&[49], Gen::Values(&[0.0, 1.0, 0.5, -0.5, 1.5, f64::NAN, 0.25, f64::INFINITY])),
    );
    rows
}
