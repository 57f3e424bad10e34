//! The operator `%` on strings: formatting as in C's `printf`.

use super::error::{Result, fail};
use super::filters::Args;
use super::format::{Align, Padding, digits_of, float_text};
use super::interp::Interp;
use super::show::{repr, show};
use super::slices::item;
use super::value::{Listing, Str, TemplateValue, Text};
use std::rc::Rc;

/// Runs the filter `format`, with either values or names.
pub(crate) fn percent_args(interp: &mut Interp<'_>, format: &Str, args: Args) -> Result<TemplateValue> {
    if !args.named.is_empty() {
        if !args.pos.is_empty() {
            return fail("`format` takes either values or names, not both");
        }
        let mut dict = super::dict::Dict::new(&interp.meter)?;
        for (name, value) in args.named {
            dict.set(TemplateValue::Str(name), value)?;
        }
        return percent(interp, format, &TemplateValue::Dict(Rc::new(dict)));
    }
    let values = Listing::of(&interp.meter, args.pos)?.finish_tuple()?;
    percent(interp, format, &values)
}

/// A conversion `%…` of a format.
struct Spec {
    left: bool,
    sign: Option<char>,
    zeros: bool,
    other_form: bool,
    width: usize,
    precision: Option<usize>,
}

/// Evaluates `format % values`.
pub(crate) fn percent(
    interp: &mut Interp<'_>,
    format: &Str,
    values: &TemplateValue,
) -> Result<TemplateValue> {
    if format.is_markup() {
        return fail("`%` is not supported for escaped texts");
    }
    let single = [values.clone()];
    let (items, is_tuple): (&[TemplateValue], bool) = match values {
        TemplateValue::Tuple(list) => (&list.items, true),
        _ => (&single, false),
    };
    let mut used = 0;
    let mut named = false;
    let mut out = Text::new(&interp.meter);
    let mut rest: &str = format;
    while let Some((before, after)) = rest.split_once('%') {
        out.push(before)?;
        let mut chars = after;
        let mut value = None;
        if let Some(inside) = chars.strip_prefix('(') {
            let end = closing(inside);
            let Some(end) = end else { return fail("`%(` is not closed by `)`") };
            let TemplateValue::Dict(_) = values else { return fail("`%(name)s` needs a dictionary") };
            let key = TemplateValue::text(&interp.meter, &inside[..end])?;
            let TemplateValue::Dict(dict) = values else { return fail("`%(name)s` needs a dictionary") };
            let Some(found) = dict.get(&key)? else { return fail("`%` is missing a key") };
            value = Some(found.clone());
            named = true;
            chars = &inside[end + 1..];
        }
        let mut next = |interp: &Interp<'_>| -> Result<TemplateValue> {
            interp.meter.work(1)?;
            if named {
                return fail("`%` mixes names and values");
            }
            used += 1;
            match items.get(used - 1) {
                Some(value) => Ok(value.clone()),
                None => fail("`%` has too few values"),
            }
        };
        let (spec, kind, after) = read_spec(interp, chars, &mut next)?;
        rest = after;
        if kind == '%' {
            out.push("%")?;
            continue;
        }
        let value = match value {
            Some(value) => value,
            None => next(interp)?,
        };
        convert(interp, &spec, kind, &value, &mut out)?;
    }
    out.push(rest)?;
    let all = if is_tuple { items.len() } else { 1 };
    let ignored = !is_tuple
        && matches!(
            values,
            TemplateValue::Dict(_)
                | TemplateValue::List(_)
                | TemplateValue::Range(_)
                | TemplateValue::Undefined(_)
        );
    if !named && used < all && !ignored {
        return fail("`%` has too many values");
    }
    out.finish()
}

/// Returns the position of the closing bracket for the one that is open.
fn closing(text: &str) -> Option<usize> {
    let mut open = 1;
    for (at, b) in text.bytes().enumerate() {
        match b {
            b'(' => open += 1,
            b')' => open -= 1,
            _ => {}
        }
        if open == 0 {
            return Some(at);
        }
    }
    None
}

fn read_spec<'f>(
    interp: &Interp<'_>,
    text: &'f str,
    next: &mut dyn FnMut(&Interp<'_>) -> Result<TemplateValue>,
) -> Result<(Spec, char, &'f str)> {
    let mut spec =
        Spec { left: false, sign: None, zeros: false, other_form: false, width: 0, precision: None };
    let mut rest = text;
    while let Some(flag) = rest.chars().next().filter(|c| "-+ #0".contains(*c)) {
        match flag {
            '-' => spec.left = true,
            '+' => spec.sign = Some('+'),
            ' ' => spec.sign = spec.sign.or(Some(' ')),
            '#' => spec.other_form = true,
            _ => spec.zeros = true,
        }
        rest = &rest[1..];
    }
    let mut number = |rest: &mut &'f str| -> Result<Option<i128>> {
        if let Some(after) = rest.strip_prefix('*') {
            *rest = after;
            return match next(interp)?.as_int() {
                Some(value) => Ok(Some(value)),
                None => fail("`*` needs an integer"),
            };
        }
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let (digits, after) = rest.split_at(end);
        *rest = after;
        if digits.is_empty() {
            return Ok(None);
        }
        digits.parse().map(Some).or_else(|_| fail("the width is too large"))
    };
    if let Some(width) = number(&mut rest)? {
        spec.left |= width < 0;
        spec.width = usize::try_from(width.unsigned_abs()).unwrap_or(usize::MAX);
    }
    if let Some(after) = rest.strip_prefix('.') {
        rest = after;
        let precision = number(&mut rest)?.unwrap_or(0);
        spec.precision = Some(usize::try_from(precision.max(0)).unwrap_or(usize::MAX));
    }
    rest = rest.strip_prefix(['h', 'l', 'L']).unwrap_or(rest);
    match rest.chars().next() {
        Some(kind) => Ok((spec, kind, &rest[kind.len_utf8()..])),
        None => fail("`%` must be followed by a conversion"),
    }
}

fn convert(
    interp: &mut Interp<'_>,
    spec: &Spec,
    kind: char,
    value: &TemplateValue,
    out: &mut Text,
) -> Result<()> {
    let mut text = Text::new(&interp.meter);
    let mut numeric = true;
    // The sign and prefix, which precede zeros.
    let mut prefix = String::new();
    let sign = |negative: bool| match (negative, spec.sign) {
        (true, _) => "-",
        (false, Some('+')) => "+",
        (false, Some(_)) => " ",
        (false, None) => "",
    };
    let whole = |value: &TemplateValue| -> Result<i128> {
        match value {
            TemplateValue::Float(float) if kind == 'd' || kind == 'i' || kind == 'u' => {
                if float.is_finite() && float.abs() < 1.7e38 {
                    Ok(*float as i128)
                } else {
                    fail("the float is not an integer")
                }
            }
            TemplateValue::Undefined(missing) => fail(interp.missing(*missing)),
            other => match other.as_int() {
                Some(value) => Ok(value),
                None => fail(format!("`%{kind}` needs a number, not a {}", other.type_name())),
            },
        }
    };
    match kind {
        's' | 'r' | 'a' => {
            numeric = false;
            let mut whole = Text::new(&interp.meter);
            match (kind, value) {
                ('s', value) => show(interp, value, &mut whole)?,
                ('r', value) => repr(interp, value, &mut whole, 0)?,
                (_, TemplateValue::Str(value)) => super::show::quote(value, &mut whole, true)?,
                (_, value) => repr(interp, value, &mut whole, 0)?,
            }
            let end = spec.precision.and_then(|count| whole.as_str().char_indices().nth(count));
            text.push(&whole.as_str()[..end.map_or(whole.as_str().len(), |(at, _)| at)])?;
        }
        'c' => {
            numeric = false;
            match value {
                TemplateValue::Str(value) if value.chars().count() == 1 => text.push(value)?,
                value => {
                    let c = value.as_int().and_then(|code| u32::try_from(code).ok()).and_then(char::from_u32);
                    match c {
                        Some(c) => text.push_char(c)?,
                        None => return fail("`%c` needs a character"),
                    }
                }
            }
        }
        'd' | 'i' | 'u' | 'o' | 'x' | 'X' => {
            let value = whole(value)?;
            let (base, mark) = match kind {
                'o' => (8, "0o"),
                'x' => (16, "0x"),
                'X' => (16, "0X"),
                _ => (10, ""),
            };
            prefix.push_str(sign(value < 0));
            if spec.other_form {
                prefix.push_str(mark);
            }
            let digits = digits_of(value.unsigned_abs(), base, kind == 'X');
            if let Some(precision) = spec.precision {
                text.push_many("0", precision.saturating_sub(digits.len()))?;
            }
            text.push(&digits)?;
        }
        'e' | 'E' | 'f' | 'F' | 'g' | 'G' => {
            let value = match value {
                TemplateValue::Float(value) => *value,
                TemplateValue::Undefined(missing) => return fail(interp.missing(*missing)),
                other => match other.as_int() {
                    Some(value) => value as f64,
                    None => return fail(format!("`%{kind}` needs a number, not a {}", other.type_name())),
                },
            };
            prefix.push_str(sign(value.is_sign_negative() && !value.is_nan()));
            float_text(value.abs(), kind, spec.precision.unwrap_or(6), spec.other_form, &mut text)?;
        }
        other => return fail(format!("`%{other}` is not a valid conversion")),
    }
    let align = match (spec.left, numeric && spec.zeros) {
        (true, _) => Align::Left,
        (false, true) => Align::Inside,
        (false, false) => Align::Right,
    };
    let fill = if align == Align::Inside { '0' } else { ' ' };
    Padding { fill, align, width: spec.width }.write(&prefix, text.as_str(), out)
}

/// Returns an item of a value by the text in square brackets, for `str.format`.
pub(crate) fn field_item(interp: &mut Interp<'_>, value: &TemplateValue, key: &str) -> Result<TemplateValue> {
    let digits = !key.is_empty() && key.bytes().all(|b| b.is_ascii_digit());
    let key = match key.parse() {
        Ok(index) if digits => TemplateValue::Int(index),
        _ => TemplateValue::text(&interp.meter, key)?,
    };
    item(interp, value, &key)
}
