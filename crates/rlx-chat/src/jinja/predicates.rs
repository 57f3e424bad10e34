//! Tests: what follows `is` in an expression.

use super::ast::Comparison;
use super::compare::{compare, equal, same};
use super::contains::contains;
use super::dict::hashable;
use super::error::{Result, fail};
use super::filters::{Args, filter};
use super::interp::Interp;
use super::iterate::Items;
use super::methods::{is_lower, is_upper};
use super::numbers::binary;
use super::show::shown;
use super::value::TemplateValue;

pub(crate) type TestFn = fn(&mut Interp<'_>, &TemplateValue, Args) -> Result<bool>;

/// Returns the test with a name.
pub(crate) fn test(name: &str) -> Option<TestFn> {
    TESTS.iter().find(|(known, _)| *known == name).map(|(_, run)| *run)
}

const TESTS: &[(&str, TestFn)] = &[
    ("boolean", |_, value, args| none(args, matches!(value, TemplateValue::Bool(_)))),
    ("callable", |_, value, args| none(args, is_callable(value))),
    ("defined", |_, value, args| none(args, !value.is_undefined())),
    ("divisibleby", divisible_by),
    ("escaped", |_, value, args| none(args, value.as_str().is_some_and(|text| text.is_markup()))),
    ("even", |interp, value, args| parity(interp, value, args, 0)),
    ("odd", |interp, value, args| parity(interp, value, args, 1)),
    ("false", |_, value, args| none(args, matches!(value, TemplateValue::Bool(false)))),
    ("true", |_, value, args| none(args, matches!(value, TemplateValue::Bool(true)))),
    ("filter", |interp, value, args| {
        hashable(&interp.meter, value)?;
        none(args, value.as_str().is_some_and(|name| filter(name).is_some()))
    }),
    ("test", |interp, value, args| {
        hashable(&interp.meter, value)?;
        none(args, value.as_str().is_some_and(|name| test(name).is_some()))
    }),
    ("float", |_, value, args| none(args, matches!(value, TemplateValue::Float(_)))),
    ("in", |interp, value, args| {
        let [seq] = args.bind("in", ["seq"], 1)?;
        contains(interp, &seq.unwrap_or(TemplateValue::None), value)
    }),
    ("integer", |_, value, args| none(args, matches!(value, TemplateValue::Int(_)))),
    ("iterable", |_, value, args| {
        none(
            args,
            Items::of(value).is_ok() || matches!(value, TemplateValue::Loop(..) | TemplateValue::Itself),
        )
    }),
    ("lower", |interp, value, args| {
        let text = shown(interp, value)?;
        interp.meter.work(text.len() / 4)?;
        none(args, is_lower(&text))
    }),
    ("upper", |interp, value, args| {
        let text = shown(interp, value)?;
        interp.meter.work(text.len() / 4)?;
        none(args, is_upper(&text))
    }),
    ("mapping", |_, value, args| none(args, matches!(value, TemplateValue::Dict(_)))),
    ("none", |_, value, args| none(args, matches!(value, TemplateValue::None))),
    ("number", |_, value, args| {
        none(args, matches!(value, TemplateValue::Int(_) | TemplateValue::Float(_) | TemplateValue::Bool(_)))
    }),
    ("sameas", same_as),
    ("sequence", |_, value, args| none(args, is_sequence(value))),
    ("string", |_, value, args| none(args, matches!(value, TemplateValue::Str(_)))),
    ("undefined", |_, value, args| none(args, value.is_undefined())),
    ("==", |interp, value, args| compared(interp, value, args, Comparison::Eq)),
    ("eq", |interp, value, args| compared(interp, value, args, Comparison::Eq)),
    ("equalto", |interp, value, args| compared(interp, value, args, Comparison::Eq)),
    ("!=", |interp, value, args| compared(interp, value, args, Comparison::Ne)),
    ("ne", |interp, value, args| compared(interp, value, args, Comparison::Ne)),
    (">", |interp, value, args| compared(interp, value, args, Comparison::Gt)),
    ("gt", |interp, value, args| compared(interp, value, args, Comparison::Gt)),
    ("greaterthan", |interp, value, args| compared(interp, value, args, Comparison::Gt)),
    (">=", |interp, value, args| compared(interp, value, args, Comparison::Ge)),
    ("ge", |interp, value, args| compared(interp, value, args, Comparison::Ge)),
    ("<", |interp, value, args| compared(interp, value, args, Comparison::Lt)),
    ("lt", |interp, value, args| compared(interp, value, args, Comparison::Lt)),
    ("lessthan", |interp, value, args| compared(interp, value, args, Comparison::Lt)),
    ("<=", |interp, value, args| compared(interp, value, args, Comparison::Le)),
    ("le", |interp, value, args| compared(interp, value, args, Comparison::Le)),
];

/// Returns the answer of a test that takes no arguments.
fn none(args: Args, answer: bool) -> Result<bool> {
    args.bind("the test", [], 0)?;
    Ok(answer)
}

fn is_callable(value: &TemplateValue) -> bool {
    matches!(
        value,
        TemplateValue::Undefined(_)
            | TemplateValue::Macro(_)
            | TemplateValue::Func(_)
            | TemplateValue::Method(_)
            | TemplateValue::Joiner(_)
            | TemplateValue::Loop(..)
            | TemplateValue::Block(_)
    )
}

fn is_sequence(value: &TemplateValue) -> bool {
    matches!(
        value,
        TemplateValue::Undefined(_)
            | TemplateValue::Str(_)
            | TemplateValue::List(_)
            | TemplateValue::Tuple(_)
            | TemplateValue::Dict(_)
            | TemplateValue::Range(_)
    )
}

fn rest(interp: &mut Interp<'_>, value: &TemplateValue, by: &TemplateValue) -> Result<TemplateValue> {
    binary(interp, super::ast::Binary::Rem, value, by)
}

fn divisible_by(interp: &mut Interp<'_>, value: &TemplateValue, args: Args) -> Result<bool> {
    let [num] = args.bind("divisibleby", ["num"], 1)?;
    let rest = rest(interp, value, &num.unwrap_or(TemplateValue::None))?;
    equal(&interp.meter, &rest, &TemplateValue::Int(0))
}

fn parity(interp: &mut Interp<'_>, value: &TemplateValue, args: Args, wanted: i128) -> Result<bool> {
    args.bind("the test", [], 0)?;
    let rest = rest(interp, value, &TemplateValue::Int(2))?;
    equal(&interp.meter, &rest, &TemplateValue::Int(wanted))
}

fn same_as(interp: &mut Interp<'_>, value: &TemplateValue, args: Args) -> Result<bool> {
    let [other] = args.bind("sameas", ["other"], 1)?;
    let other = other.unwrap_or(TemplateValue::None);
    match (value, &other) {
        // Whether equal strings or integers are the same object is up to Python.
        (TemplateValue::Int(_), TemplateValue::Int(_)) | (TemplateValue::Str(_), TemplateValue::Str(_)) => {
            equal(&interp.meter, value, &other)
        }
        _ => Ok(same(value, &other)),
    }
}

fn compared(interp: &mut Interp<'_>, value: &TemplateValue, args: Args, op: Comparison) -> Result<bool> {
    let [other] = args.bind("the test", ["other"], 1)?;
    let other = other.unwrap_or(TemplateValue::None);
    if !matches!(op, Comparison::Eq | Comparison::Ne) {
        for side in [value, &other] {
            if let TemplateValue::Undefined(missing) = side {
                return fail(interp.missing(*missing));
            }
        }
    }
    compare(&interp.meter, op, value, &other)
}
