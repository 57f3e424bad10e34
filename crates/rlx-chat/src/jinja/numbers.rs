//! Arithmetic with Python's semantics, except that integers have 128 bits and larger ones are an error.

use super::ast::Binary;
use super::error::{Result, fail};
use super::html::join_markup;
use super::interp::Interp;
use super::percent::percent;
use super::value::{Listing, TemplateValue, Text};

fn too_large<T>() -> Result<T> {
    fail("an integer is larger than 127 bits")
}

/// An integer or a float.
#[derive(Clone, Copy)]
enum Numeric {
    Int(i128),
    Float(f64),
}

fn number(value: &TemplateValue) -> Option<Numeric> {
    match value {
        TemplateValue::Float(value) => Some(Numeric::Float(*value)),
        value => value.as_int().map(Numeric::Int),
    }
}

pub(crate) fn negative(interp: &Interp<'_>, value: &TemplateValue) -> Result<TemplateValue> {
    match (value, number(value)) {
        (_, Some(Numeric::Int(value))) => {
            value.checked_neg().map_or_else(too_large, |value| Ok(TemplateValue::Int(value)))
        }
        (_, Some(Numeric::Float(value))) => Ok(TemplateValue::Float(-value)),
        (TemplateValue::Undefined(missing), _) => fail(interp.missing(*missing)),
        (other, None) => fail(format!("cannot negate a {}", other.type_name())),
    }
}

pub(crate) fn positive(interp: &Interp<'_>, value: &TemplateValue) -> Result<TemplateValue> {
    match (value, number(value)) {
        (_, Some(Numeric::Int(value))) => Ok(TemplateValue::Int(value)),
        (_, Some(Numeric::Float(value))) => Ok(TemplateValue::Float(value)),
        (TemplateValue::Undefined(missing), _) => fail(interp.missing(*missing)),
        (other, None) => fail(format!("`+` cannot be applied to a {}", other.type_name())),
    }
}

/// Applies an operator to two values.
pub(crate) fn binary(
    interp: &mut Interp<'_>,
    op: Binary,
    a: &TemplateValue,
    b: &TemplateValue,
) -> Result<TemplateValue> {
    interp.meter.work(1)?;
    if let (Binary::Rem, TemplateValue::Str(format)) = (op, a) {
        return percent(interp, format, b);
    }
    if let (Some(a), Some(b)) = (number(a), number(b)) {
        return match (a, b) {
            (Numeric::Int(a), Numeric::Int(b)) => ints(op, a, b),
            (a, b) => floats(op, float_of(a), float_of(b)),
        };
    }
    for side in [a, b] {
        if let TemplateValue::Undefined(missing) = side {
            return fail(interp.missing(*missing));
        }
    }
    match (op, a, b) {
        (Binary::Add, TemplateValue::Str(x), TemplateValue::Str(y)) => {
            if x.is_markup() || y.is_markup() {
                return join_markup(interp, a, b);
            }
            let mut out = Text::new(&interp.meter);
            out.reserve(x.len().saturating_add(y.len()))?;
            out.push(x)?;
            out.push(y)?;
            out.finish()
        }
        (Binary::Add, TemplateValue::List(x), TemplateValue::List(y)) => {
            Listing::of(&interp.meter, x.items.iter().chain(&y.items).cloned())?.finish()
        }
        (Binary::Add, TemplateValue::Tuple(x), TemplateValue::Tuple(y)) => {
            Listing::of(&interp.meter, x.items.iter().chain(&y.items).cloned())?.finish_tuple()
        }
        (Binary::Mul, items, times) | (Binary::Mul, times, items)
            if times.as_int().is_some()
                && matches!(
                    items,
                    TemplateValue::Str(_) | TemplateValue::List(_) | TemplateValue::Tuple(_)
                ) =>
        {
            repeat(interp, items, times.as_int().unwrap_or(0))
        }
        _ => {
            let sign = match op {
                Binary::Add => "+",
                Binary::Sub => "-",
                Binary::Mul => "*",
                Binary::Div => "/",
                Binary::FloorDiv => "//",
                Binary::Rem => "%",
                Binary::Pow => "**",
            };
            fail(format!("`{sign}` cannot be applied to a {} and a {}", a.type_name(), b.type_name()))
        }
    }
}

fn repeat(interp: &mut Interp<'_>, items: &TemplateValue, times: i128) -> Result<TemplateValue> {
    // A number that does not fit is more than any template may use.
    let times = usize::try_from(times.max(0)).unwrap_or(usize::MAX);
    match items {
        TemplateValue::Str(text) => {
            let times = if text.is_empty() { 0 } else { times };
            let mut out = Text::new(&interp.meter);
            out.push_many(text, times)?;
            out.finish_as(text.is_markup())
        }
        TemplateValue::List(list) | TemplateValue::Tuple(list) => {
            let mut found = Listing::new(&interp.meter)?;
            let times = if list.items.is_empty() { 0 } else { times };
            for _ in 0..times {
                for item in &list.items {
                    found.push(item.clone())?;
                }
            }
            if matches!(items, TemplateValue::List(_)) { found.finish() } else { found.finish_tuple() }
        }
        other => fail(format!("`*` cannot repeat a {}", other.type_name())),
    }
}

fn float_of(number: Numeric) -> f64 {
    match number {
        Numeric::Int(value) => value as f64,
        Numeric::Float(value) => value,
    }
}

fn ints(op: Binary, a: i128, b: i128) -> Result<TemplateValue> {
    let checked = match op {
        Binary::Add => a.checked_add(b),
        Binary::Sub => a.checked_sub(b),
        Binary::Mul => a.checked_mul(b),
        Binary::Div => {
            if b == 0 {
                return fail("division by zero");
            }
            // Exact if both integers are exact in a float, or if the quotient is an integer.
            return Ok(TemplateValue::Float(if a != 0 && a % b == 0 {
                (a / b) as f64
            } else {
                a as f64 / b as f64
            }));
        }
        Binary::FloorDiv | Binary::Rem if b == 0 => return fail("division by zero"),
        Binary::FloorDiv => {
            a.checked_div(b).map(|q| if a % b != 0 && (a < 0) != (b < 0) { q - 1 } else { q })
        }
        Binary::Rem => a.checked_rem(b).map(|r| if r != 0 && (r < 0) != (b < 0) { r + b } else { r }),
        Binary::Pow if b < 0 => return floats(op, a as f64, b as f64),
        Binary::Pow => match (a, u32::try_from(b)) {
            (0 | 1, _) => Some(if b == 0 { 1 } else { a }),
            (-1, _) => Some(if b % 2 == 0 { 1 } else { -1 }),
            (_, Ok(exponent)) => a.checked_pow(exponent),
            _ => None,
        },
    };
    checked.map_or_else(too_large, |value| Ok(TemplateValue::Int(value)))
}

fn floats(op: Binary, a: f64, b: f64) -> Result<TemplateValue> {
    let zero = || fail("division by zero");
    Ok(TemplateValue::Float(match op {
        Binary::Add => a + b,
        Binary::Sub => a - b,
        Binary::Mul => a * b,
        Binary::Div | Binary::FloorDiv | Binary::Rem if b == 0.0 => return zero(),
        Binary::Div => a / b,
        Binary::FloorDiv => floor_div(a, b),
        Binary::Rem => remainder(a, b),
        Binary::Pow => {
            if a == 0.0 && b < 0.0 {
                return fail("zero cannot be raised to a negative power");
            }
            let power = a.powf(b);
            if power.is_nan() && !a.is_nan() && !b.is_nan() {
                return fail("the power is a complex number");
            }
            if power.is_infinite() && a.is_finite() && b.is_finite() {
                return fail("the power is too large");
            }
            power
        }
    }))
}

/// The remainder has the sign of the divisor.
fn remainder(a: f64, b: f64) -> f64 {
    let rest = a % b;
    if rest == 0.0 {
        0.0f64.copysign(b)
    } else if (rest < 0.0) != (b < 0.0) {
        rest + b
    } else {
        rest
    }
}

fn floor_div(a: f64, b: f64) -> f64 {
    let quotient = (a - remainder(a, b)) / b;
    if quotient == 0.0 {
        return 0.0f64.copysign(a / b);
    }
    let floor = quotient.floor();
    if quotient - floor > 0.5 { floor + 1.0 } else { floor }
}
