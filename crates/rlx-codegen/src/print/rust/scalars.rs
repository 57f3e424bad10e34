//! Spells scalars in Rust: their types in memory and in registers, and the functions of the op table.
//!
//! Results are rounded once. f32 and f64 are computed in their own type, narrower floats are stored as bits and
//! computed in f32, and functions of floats are computed in f64, except for those of f32 that the support module
//! computes in f32.

use super::Rust;
use crate::kernel::BufferId;
use crate::print::language::{ScalarFunction, Scalars};
use crate::print::scalars::operator;
use rlx_ir::{BinaryOp, Class, CompareOp, DType, Named, Scalar, UnaryOp};

/// Returns the type of elements in memory, that of scalars, and the support module's format of the float.
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

/// Returns the format of a float in the support module.
fn format(dtype: DType) -> &'static str {
    row(dtype)[2]
}

/// Returns whether scalars are floats of another type than elements in memory.
fn is_narrow(dtype: DType) -> bool {
    dtype.is_float() && row(dtype)[0] != row(dtype)[1]
}

/// Returns an element in memory, from its bytes.
pub(super) fn of_bytes(dtype: DType, place: &str) -> String {
    match dtype.class() {
        Class::Bool => format!("({place}[0] != 0)"),
        Class::Complex => {
            let real = row(dtype.real())[0];
            let half = |first: usize| {
                let bytes = (first..first + dtype.size() / 2).map(|i| format!("{place}[{i}]"));
                format!("{real}::from_le_bytes([{}])", bytes.collect::<Vec<_>>().join(", "))
            };
            format!("[{}, {}]", half(0), half(dtype.size() / 2))
        }
        Class::Float | Class::Signed | Class::Unsigned => {
            format!("{}::from_le_bytes({place})", row(dtype)[0])
        }
    }
}

/// Returns an element in memory as a scalar.
fn loaded(dtype: DType, place: &str) -> String {
    match dtype.class() {
        Class::Complex => format!("rt::complex::load_{dtype}({place})"),
        _ if is_narrow(dtype) => format!("{}.load(u64::from({place}))", format(dtype)),
        _ => place.to_string(),
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

fn single(x: f64) -> String {
    match x {
        _ if x.is_nan() => {
            let mut bytes = Vec::new();
            Scalar::Float(x).write(DType::F32, &mut bytes);
            let bits = bytes.iter().rev().fold(0u32, |bits, &byte| bits << 8 | u32::from(byte));
            format!("f32::from_bits({bits:#x})")
        }
        _ if x.is_infinite() => double(x).replace("f64", "f32"),
        _ => format!("{:?}", x as f32),
    }
}

impl Scalars for Rust {
    fn stored(&self, dtype: DType) -> &'static str {
        row(dtype)[0]
    }

    fn scalar(&self, dtype: DType) -> &'static str {
        row(dtype)[1]
    }

    fn constant(&self, dtype: DType, value: Scalar) -> String {
        match value {
            Scalar::Int(x) if dtype == DType::Bool => (x != 0).to_string(),
            Scalar::Int(x) => x.to_string(),
            Scalar::Float(x) if dtype == DType::F64 => double(x),
            Scalar::Float(x) => single(x),
            Scalar::Complex(z) => self.complex(&double(z.re), &double(z.im)),
        }
    }

    fn index(&self, dtype: DType, index: &str) -> String {
        format!("({index}) as {dtype}")
    }

    fn load(&self, buffer: BufferId, dtype: DType, place: &str) -> String {
        match self.packed.contains(&buffer) {
            true => loaded(dtype, &of_bytes(dtype, place)),
            false => loaded(dtype, place),
        }
    }

    fn store(&self, dtype: DType, x: &str) -> String {
        match dtype.class() {
            Class::Complex => format!("rt::complex::store_{dtype}({x})"),
            _ if is_narrow(dtype) => format!("{}.store({x}) as {}", format(dtype), self.stored(dtype)),
            _ => x.to_string(),
        }
    }

    fn wide(&self, dtype: DType, x: &str) -> String {
        match dtype.class() {
            Class::Float if dtype == DType::F64 => x.to_string(),
            Class::Float => format!("f64::from({x})"),
            Class::Bool => format!("u8::from({x}) as f64"),
            Class::Signed | Class::Unsigned => format!("{x} as f64"),
            Class::Complex => format!("{x}.re"),
        }
    }

    fn round(&self, dtype: DType, x: &str) -> String {
        match dtype {
            DType::F64 => x.to_string(),
            DType::F32 => format!("{x} as f32"),
            _ => format!("{}.round({x})", format(dtype)),
        }
    }

    fn rounded(&self, dtype: DType, x: String) -> String {
        match dtype {
            DType::C64 => format!("rt::complex::round_c64({x})"),
            _ if is_narrow(dtype) => format!("{}.round(f64::from({x}))", format(dtype)),
            _ => x,
        }
    }

    fn truncated(&self, from: DType, to: DType, x: &str) -> String {
        format!("{x}{} as {to}", if from.class() == Class::Complex { ".re" } else { "" })
    }

    fn complex(&self, re: &str, im: &str) -> String {
        format!("{COMPLEX} {{ re: {re}, im: {im} }}")
    }

    fn bitcast(&self, from: DType, to: DType, x: &str) -> Option<String> {
        let bits = match from.class() {
            Class::Float if is_narrow(from) => self.store(from, x),
            Class::Float => format!("{x}.to_bits()"),
            Class::Bool => format!("u8::from({x})"),
            Class::Signed | Class::Unsigned => format!("{x} as u{}", 8 * from.size()),
            Class::Complex if from == DType::C64 => format!("rt::complex::bits_of_c64({x})"),
            Class::Complex => return None,
        };
        Some(match to.class() {
            Class::Float if is_narrow(to) => loaded(to, &format!("({bits})")),
            Class::Float => format!("{to}::from_bits({bits})"),
            Class::Bool => format!("({bits}) != 0"),
            Class::Signed | Class::Unsigned => format!("({bits}) as {to}"),
            Class::Complex => format!("rt::complex::c64_of_bits({bits})"),
        })
    }

    fn select(&self, condition: &str, a: &str, b: &str) -> String {
        format!("if {condition} {{ {a} }} else {{ {b} }}")
    }

    fn total_order(&self, op: CompareOp, a: &str, b: &str) -> Option<String> {
        Some(format!("{a}.total_cmp(&{b}).is_{}()", op.name()))
    }

    fn fma(&self, dtype: DType, [a, b, c]: [&str; 3]) -> Option<String> {
        Some(match dtype {
            DType::F64 => format!("rt::libm::fma({a}, {b}, {c})"),
            DType::F32 => format!("rt::libm::fmaf({a}, {b}, {c})"),
            _ => {
                let [a, b, c] = [a, b, c].map(|x| self.wide(dtype, x));
                self.round(dtype, &format!("rt::fma_to_odd({a}, {b}, {c})"))
            }
        })
    }

    fn function(&self, function: ScalarFunction, dtype: DType, args: &[&str]) -> Option<String> {
        match dtype.class() {
            Class::Float => self.of_float(function, dtype, args),
            Class::Complex => self.of_complex(function, dtype, args),
            Class::Signed | Class::Unsigned => Some(of_int(function, dtype, args)),
            Class::Bool => None,
        }
    }

    fn wide_function(&self, function: ScalarFunction, args: &[String]) -> Option<String> {
        use BinaryOp::{Igamma, Igammac, Polygamma, Zeta};
        use UnaryOp::{BesselI0e, BesselI1e, Digamma, ErfInv, Lgamma};
        let (name, arguments) = (function.name(), args.join(", "));
        Some(match function {
            ScalarFunction::ReducePrecision(exponent, mantissa) => {
                format!("rt::{name}({arguments}, {exponent}, {mantissa})")
            }
            ScalarFunction::Betainc
            | ScalarFunction::Unary(ErfInv | Lgamma | Digamma | BesselI0e | BesselI1e)
            | ScalarFunction::Binary(Polygamma | Zeta | Igamma | Igammac) => {
                format!("rt::special::{name}({arguments})")
            }
            ScalarFunction::Unary(_) | ScalarFunction::Binary(_) => format!("rt::math::{name}({arguments})"),
        })
    }
}

impl Rust {
    fn of_float(&self, function: ScalarFunction, dtype: DType, args: &[&str]) -> Option<String> {
        use UnaryOp::*;
        let name = function.name();
        match (function, args) {
            (ScalarFunction::Unary(Abs | IsFinite), [x]) => Some(format!("{x}.{name}()")),
            (ScalarFunction::Unary(Sign), [x]) => Some(format!("rt::Float::sign({x})")),
            (
                ScalarFunction::Unary(
                    Exp | Expm1 | Log | Log1p | Sqrt | Rsqrt | Sin | Cos | Tanh | Logistic | Erf | Erfc
                    | Floor | Ceil | RoundEven | ErfInv | Lgamma | Digamma | BesselI0e | BesselI1e,
                ),
                [x],
            ) if dtype == DType::F32 => {
                let module = if self.fused { "fused" } else { "separate" };
                Some(format!("rt::{module}::{name}({x})"))
            }
            (ScalarFunction::Binary(BinaryOp::Max | BinaryOp::Min), [a, b]) => {
                Some(format!("rt::Float::{name}({a}, {b})"))
            }
            (ScalarFunction::Binary(BinaryOp::NextAfter), [a, b]) => {
                let [a, b] = [a, b].map(|x| self.wide(dtype, x));
                Some(self.round(dtype, &format!("{}.next_after({a}, {b})", format(dtype))))
            }
            _ => None,
        }
    }

    fn of_complex(&self, function: ScalarFunction, dtype: DType, args: &[&str]) -> Option<String> {
        let name = function.name();
        let whole = |x: String| Some(self.rounded(dtype, x));
        let real = |x: String| Some(self.round(dtype.real(), &x));
        match (function, args) {
            (ScalarFunction::Unary(UnaryOp::Abs), [x]) => real(format!("{x}.abs()")),
            (ScalarFunction::Unary(UnaryOp::Real), [x]) => real(format!("{x}.re")),
            (ScalarFunction::Unary(UnaryOp::Imag), [x]) => real(format!("{x}.im")),
            (ScalarFunction::Unary(UnaryOp::IsFinite), [x]) => Some(format!("{x}.is_finite()")),
            (ScalarFunction::Unary(UnaryOp::Neg), [x]) => Some(format!("-{x}")),
            (ScalarFunction::Unary(UnaryOp::Expm1), [x]) => whole(format!("{x}.exp_m1()")),
            (ScalarFunction::Unary(UnaryOp::Log), [x]) => whole(format!("{x}.ln()")),
            (ScalarFunction::Unary(UnaryOp::Log1p), [x]) => whole(format!("{x}.ln_1p()")),
            (ScalarFunction::Unary(_), [x]) => whole(format!("{x}.{name}()")),
            (ScalarFunction::Binary(BinaryOp::Pow), [a, b]) => whole(format!("{a}.pow({b})")),
            (ScalarFunction::Binary(BinaryOp::Max | BinaryOp::Min), [a, b]) => {
                Some(format!("rt::complex::{name}({a}, {b})"))
            }
            (ScalarFunction::Binary(op), [a, b]) => whole(format!("{a} {} {b}", operator(op)?)),
            _ => None,
        }
    }
}

fn of_int(function: ScalarFunction, dtype: DType, args: &[&str]) -> String {
    let name = function.name();
    match (function, args) {
        (ScalarFunction::Unary(UnaryOp::Neg), [x]) => format!("{x}.wrapping_neg()"),
        (ScalarFunction::Unary(UnaryOp::Not), [x]) => format!("!{x}"),
        (ScalarFunction::Unary(UnaryOp::Popcnt), [x]) => format!("{x}.count_ones() as {dtype}"),
        (ScalarFunction::Unary(UnaryOp::Clz), [x]) => format!("{x}.leading_zeros() as {dtype}"),
        (ScalarFunction::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul), [a, b]) => {
            format!("{a}.wrapping_{name}({b})")
        }
        (ScalarFunction::Binary(BinaryOp::Max | BinaryOp::Min), [a, b]) => format!("{a}.{name}({b})"),
        _ => format!("rt::Int::{name}({})", args.join(", ")),
    }
}
