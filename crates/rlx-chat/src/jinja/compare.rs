//! Comparisons with Python's semantics.

use super::ast::Comparison;
use super::error::{Result, fail};
use super::meter::{Charge, Meter};
use super::value::{TemplateValue, View};
use std::cmp::Ordering;
use std::rc::Rc;

/// Whether two values are equal.
pub(crate) fn equal(meter: &Meter, a: &TemplateValue, b: &TemplateValue) -> Result<bool> {
    meter.work(1)?;
    Ok(match (a, b) {
        (TemplateValue::Str(a), TemplateValue::Str(b)) => {
            if a.len() == b.len() {
                meter.bytes(a.len())?;
            }
            **a == **b
        }
        (TemplateValue::Undefined(_), TemplateValue::Undefined(_))
        | (TemplateValue::None, TemplateValue::None) => true,
        (TemplateValue::List(a), TemplateValue::List(b))
        | (TemplateValue::Tuple(a), TemplateValue::Tuple(b)) => {
            if a.items.len() != b.items.len() {
                return Ok(false);
            }
            for (a, b) in a.items.iter().zip(&b.items) {
                if !same(a, b) && !equal(meter, a, b)? {
                    return Ok(false);
                }
            }
            true
        }
        (TemplateValue::Dict(a), TemplateValue::Dict(b)) => {
            if a.len() != b.len() {
                return Ok(false);
            }
            for (key, value) in a.entries() {
                match b.get(key)? {
                    Some(other) if same(value, other) || equal(meter, value, other)? => {}
                    _ => return Ok(false),
                }
            }
            true
        }
        (TemplateValue::View(View::Values, a), TemplateValue::View(View::Values, b)) => {
            Rc::ptr_eq(a, b) && std::ptr::eq(a, b)
        }
        (TemplateValue::View(kind_a, a), TemplateValue::View(kind_b, b)) => {
            if kind_a != kind_b || a.len() != b.len() {
                return Ok(false);
            }
            for (key, value) in a.entries() {
                match b.get(key)? {
                    Some(other) if *kind_a == View::Keys || equal(meter, value, other)? => {}
                    _ => return Ok(false),
                }
            }
            true
        }
        (TemplateValue::Range(a), TemplateValue::Range(b)) => {
            let length = a.len();
            length == b.len() && (length == 0 || a.start == b.start && (length == 1 || a.step == b.step))
        }
        (TemplateValue::Method(a), TemplateValue::Method(b)) => *a.name == *b.name && same(&a.of, &b.of),
        _ => match numbers(a, b) {
            Some(ordering) => ordering == Some(Ordering::Equal),
            None => same(a, b),
        },
    })
}

/// Compares two values if both are numbers. The inner value is `None` if one of them is NaN.
fn numbers(a: &TemplateValue, b: &TemplateValue) -> Option<Option<Ordering>> {
    Some(match (a, b) {
        (TemplateValue::Float(a), TemplateValue::Float(b)) => a.partial_cmp(b),
        (TemplateValue::Float(a), b) => compare_int(b.as_int()?, *a).map(Ordering::reverse),
        (a, TemplateValue::Float(b)) => compare_int(a.as_int()?, *b),
        (a, b) => Some(a.as_int()?.cmp(&b.as_int()?)),
    })
}

/// Compares an integer with a float exactly.
fn compare_int(a: i128, b: f64) -> Option<Ordering> {
    if b.is_nan() {
        return None;
    }
    if b.abs() >= 1.7e38 {
        return Some(if b > 0.0 { Ordering::Less } else { Ordering::Greater });
    }
    let whole = b.trunc();
    Some(a.cmp(&(whole as i128)).then_with(|| 0.0f64.partial_cmp(&(b - whole)).unwrap_or(Ordering::Equal)))
}

/// Whether two values are the same object, as in Python's `is`.
pub(crate) fn same(a: &TemplateValue, b: &TemplateValue) -> bool {
    match (a, b) {
        (TemplateValue::None, TemplateValue::None) | (TemplateValue::Itself, TemplateValue::Itself) => true,
        (TemplateValue::Bool(a), TemplateValue::Bool(b)) => a == b,
        (TemplateValue::List(a), TemplateValue::List(b))
        | (TemplateValue::Tuple(a), TemplateValue::Tuple(b)) => Rc::ptr_eq(a, b),
        (TemplateValue::Dict(a), TemplateValue::Dict(b)) => Rc::ptr_eq(a, b),
        (TemplateValue::Iter(a), TemplateValue::Iter(b)) => Rc::ptr_eq(a, b),
        (TemplateValue::Namespace(a), TemplateValue::Namespace(b))
        | (TemplateValue::Macro(a), TemplateValue::Macro(b)) => a == b,
        (TemplateValue::Loop(a, x), TemplateValue::Loop(b, y)) => (a, x) == (b, y),
        (TemplateValue::Func(a), TemplateValue::Func(b)) => std::ptr::eq(*a, *b),
        (TemplateValue::Method(a), TemplateValue::Method(b)) => Rc::ptr_eq(a, b),
        (TemplateValue::Cycler(a), TemplateValue::Cycler(b)) => Rc::ptr_eq(a, b),
        (TemplateValue::Joiner(a), TemplateValue::Joiner(b)) => Rc::ptr_eq(a, b),
        _ => false,
    }
}

/// Orders two values; `None` if one is NaN.
pub(crate) fn order(
    meter: &Meter,
    a: &TemplateValue,
    b: &TemplateValue,
    sign: &str,
) -> Result<Option<Ordering>> {
    meter.work(1)?;
    match (a, b) {
        (TemplateValue::Str(a), TemplateValue::Str(b)) => {
            meter.bytes(a.len().min(b.len()))?;
            return Ok(Some((**a).cmp(&**b)));
        }
        (TemplateValue::List(a), TemplateValue::List(b))
        | (TemplateValue::Tuple(a), TemplateValue::Tuple(b)) => {
            for (a, b) in a.items.iter().zip(&b.items) {
                if !same(a, b) && !equal(meter, a, b)? {
                    return order(meter, a, b, sign);
                }
            }
            return Ok(Some(a.items.len().cmp(&b.items.len())));
        }
        _ => {}
    }
    match numbers(a, b) {
        Some(ordering) => Ok(ordering),
        None => fail(format!("`{sign}` cannot compare {} and {}", a.type_name(), b.type_name())),
    }
}

/// Whether `a < b`.
pub(crate) fn less(meter: &Meter, a: &TemplateValue, b: &TemplateValue) -> Result<bool> {
    Ok(order(meter, a, b, "<")? == Some(Ordering::Less))
}

/// A comparison other than `in`.
pub(crate) fn compare(meter: &Meter, op: Comparison, a: &TemplateValue, b: &TemplateValue) -> Result<bool> {
    let (sign, wanted) = match op {
        Comparison::Eq => return equal(meter, a, b),
        Comparison::Ne => return Ok(!equal(meter, a, b)?),
        Comparison::Lt => ("<", [Ordering::Less, Ordering::Less]),
        Comparison::Le => ("<=", [Ordering::Less, Ordering::Equal]),
        Comparison::Gt => (">", [Ordering::Greater, Ordering::Greater]),
        _ => (">=", [Ordering::Greater, Ordering::Equal]),
    };
    Ok(order(meter, a, b, sign)?.is_some_and(|found| wanted.contains(&found)))
}

/// Sorts stably by keys, using only `<`.
pub(crate) fn sort(
    meter: &Rc<Meter>,
    items: &mut Vec<(TemplateValue, TemplateValue)>,
    reverse: bool,
) -> Result<()> {
    // As Python does, equal items keep their order when reversed.
    if reverse {
        items.reverse();
    }
    let _charge = Charge::new(meter, items.len() * size_of::<(TemplateValue, TemplateValue)>())?;
    let mut other: Vec<(TemplateValue, TemplateValue)> = Vec::with_capacity(items.len());
    let mut width = 1;
    while width < items.len() {
        for start in (0..items.len()).step_by(2 * width) {
            let (mut a, mut b) = (start, (start + width).min(items.len()));
            let (middle, end) = (b, (start + 2 * width).min(items.len()));
            while a < middle || b < end {
                meter.work(1)?;
                let second = b < end && (a == middle || less(meter, &items[b].0, &items[a].0)?);
                let from = if second { &mut b } else { &mut a };
                other.push(items[*from].clone());
                *from += 1;
            }
        }
        std::mem::swap(items, &mut other);
        other.clear();
        width *= 2;
    }
    if reverse {
        items.reverse();
    }
    Ok(())
}
