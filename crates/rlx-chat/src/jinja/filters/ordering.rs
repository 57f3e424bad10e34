//! Filters that sort and group, and filters of numbers.

use super::items::{Path, ignore_case};
use super::{Args, FilterFn, flag, int_arg};
use crate::jinja::compare::{equal, less, sort as sort_pairs};
use crate::jinja::error::{Result, fail};
use crate::jinja::interp::Interp;
use crate::jinja::iterate::{Items, collect};
use crate::jinja::meter::Charge;
use crate::jinja::show::shown;
use crate::jinja::value::{Listing, Missing, TemplateValue};

pub(super) const FILTERS: &[(&str, FilterFn)] = &[
    ("abs", abs),
    ("dictsort", dictsort),
    ("float", float),
    ("groupby", groupby),
    ("int", int),
    ("max", |interp, value, args| extreme(interp, value, args, true)),
    ("min", |interp, value, args| extreme(interp, value, args, false)),
    ("round", round),
    ("sort", sort),
];

fn sort(interp: &mut Interp<'_>, value: TemplateValue, args: Args) -> Result<TemplateValue> {
    let [reverse, case_sensitive, attribute] =
        args.bind("sort", ["reverse", "case_sensitive", "attribute"], 0)?;
    let cased = flag(case_sensitive.as_ref(), false);
    let mut paths = Vec::new();
    match attribute {
        Some(TemplateValue::Str(text)) => {
            interp.meter.bytes(text.len())?;
            if text.bytes().filter(|&b| b == b',').count() > 100 {
                return fail("`sort` has too many attributes");
            }
            for part in text.split(',') {
                let part = TemplateValue::text(&interp.meter, part)?;
                paths.push(Path::new(interp, Some(part), None)?);
            }
        }
        other => paths.push(Path::new(interp, other, None)?),
    }
    let mut list = collect(&interp.meter, &value)?;
    let _charge = Charge::new(&interp.meter, list.len() * size_of::<(TemplateValue, TemplateValue)>())?;
    let mut pairs = Vec::with_capacity(list.len());
    let several = list.len() > 1;
    for item in list.items().drain(..) {
        let mut keys = Listing::new(&interp.meter)?;
        for path in &paths {
            let mut key = path.get(interp, &item)?;
            if !cased {
                key = ignore_case(interp, key)?;
            }
            if let (TemplateValue::Undefined(missing), true) = (&key, several) {
                return fail(interp.missing(*missing));
            }
            keys.push(key)?;
        }
        let key =
            if keys.len() == 1 { keys.items().pop().unwrap_or(TemplateValue::None) } else { keys.finish()? };
        pairs.push((key, item));
    }
    sort_pairs(&interp.meter, &mut pairs, flag(reverse.as_ref(), false))?;
    Listing::of(&interp.meter, pairs.into_iter().map(|(_, item)| item))?.finish()
}

fn dictsort(interp: &mut Interp<'_>, value: TemplateValue, args: Args) -> Result<TemplateValue> {
    let [case_sensitive, by, reverse] = args.bind("dictsort", ["case_sensitive", "by", "reverse"], 0)?;
    let by_value = match &by {
        None => false,
        Some(TemplateValue::Str(by)) if **by == *"key" => false,
        Some(TemplateValue::Str(by)) if **by == *"value" => true,
        Some(_) => return fail("`dictsort` can only sort by `key` or `value`"),
    };
    let TemplateValue::Dict(dict) = &value else {
        return fail(format!("`dictsort` needs a dictionary, not a {}", value.type_name()));
    };
    let meter = interp.meter.clone();
    let _charge = Charge::new(&meter, dict.len() * size_of::<(TemplateValue, TemplateValue)>())?;
    let mut pairs = Vec::with_capacity(dict.len());
    for (key, value) in dict.entries() {
        let mut by = if by_value { value.clone() } else { key.clone() };
        if !flag(case_sensitive.as_ref(), false) {
            by = ignore_case(interp, by)?;
        }
        pairs.push((by, Listing::of(&meter, [key.clone(), value.clone()])?.finish_tuple()?));
    }
    sort_pairs(&meter, &mut pairs, flag(reverse.as_ref(), false))?;
    Listing::of(&meter, pairs.into_iter().map(|(_, item)| item))?.finish()
}

fn groupby(interp: &mut Interp<'_>, value: TemplateValue, args: Args) -> Result<TemplateValue> {
    let [attribute, default, case_sensitive] =
        args.bind("groupby", ["attribute", "default", "case_sensitive"], 1)?;
    let cased = flag(case_sensitive.as_ref(), false);
    let path = Path::new(interp, attribute, default)?;
    let meter = interp.meter.clone();
    let mut list = collect(&meter, &value)?;
    let _charge = Charge::new(&meter, list.len() * size_of::<(TemplateValue, TemplateValue)>())?;
    let mut pairs = Vec::with_capacity(list.len());
    for item in list.items().drain(..) {
        let mut key = path.get(interp, &item)?;
        if !cased {
            key = ignore_case(interp, key)?;
        }
        pairs.push((key, item));
    }
    sort_pairs(&meter, &mut pairs, false)?;
    let mut out = Listing::new(&meter)?;
    let mut pairs = pairs.into_iter().peekable();
    while let Some((key, first)) = pairs.next() {
        let shown_key = path.get(interp, &first)?;
        let mut group = Listing::of(&meter, [first])?;
        while let Some((next, _)) = pairs.peek() {
            if !equal(&meter, &key, next)? {
                break;
            }
            if let Some((_, item)) = pairs.next() {
                group.push(item)?;
            }
        }
        out.push(Listing::of(&meter, [shown_key, group.finish()?])?.finish_group()?)?;
    }
    out.finish()
}

fn extreme(interp: &mut Interp<'_>, value: TemplateValue, args: Args, max: bool) -> Result<TemplateValue> {
    let [case_sensitive, attribute] = args.bind("min and max", ["case_sensitive", "attribute"], 0)?;
    let path = Path::new(interp, attribute, None)?;
    let meter = interp.meter.clone();
    let mut items = Items::of(&value)?;
    let mut best: Option<(TemplateValue, TemplateValue)> = None;
    while let Some(item) = items.next(&meter)? {
        let mut key = path.get(interp, &item)?;
        if !flag(case_sensitive.as_ref(), false) {
            key = ignore_case(interp, key)?;
        }
        let better = match &best {
            None => true,
            Some((known, _)) if max => less(&meter, known, &key)?,
            Some((known, _)) => less(&meter, &key, known)?,
        };
        if better {
            best = Some((key, item));
        }
    }
    Ok(best
        .map_or(TemplateValue::Undefined(Missing::Other("an empty list has no extremes")), |(_, item)| item))
}

fn abs(interp: &mut Interp<'_>, value: TemplateValue, args: Args) -> Result<TemplateValue> {
    args.bind("abs", [], 0)?;
    match (&value, value.as_int()) {
        (_, Some(int)) => match int.checked_abs() {
            Some(int) => Ok(TemplateValue::Int(int)),
            None => fail("an integer is larger than 127 bits"),
        },
        (TemplateValue::Float(float), _) => Ok(TemplateValue::Float(float.abs())),
        (TemplateValue::Undefined(missing), _) => fail(interp.missing(*missing)),
        _ => fail(format!("`abs` needs a number, not a {}", value.type_name())),
    }
}

/// Parses an integer in a base, as Python's `int` does.
fn parse_int(text: &str, base: u32) -> Option<Result<i128>> {
    let text = text.trim_matches(crate::jinja::unicode::is_space);
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let lower = digits.get(..2).map(str::to_ascii_lowercase);
    let prefix = match lower.as_deref() {
        Some("0x") => 16,
        Some("0o") => 8,
        Some("0b") => 2,
        _ => 0,
    };
    let (base, digits) = match (base, prefix) {
        (0, 0) => (10, digits),
        (0, prefix) => (prefix, &digits[2..]),
        (base, prefix) if base == prefix => (base, digits[2..].strip_prefix('_').unwrap_or(&digits[2..])),
        (base, _) => (base, digits),
    };
    if digits.is_empty() || digits.starts_with('_') || digits.ends_with('_') || digits.contains("__") {
        return None;
    }
    let digits = digits.replace('_', "");
    if !digits.chars().all(|c| c.is_digit(base)) {
        return None;
    }
    match i128::from_str_radix(&digits, base) {
        Ok(value) => Some(Ok(if negative { -value } else { value })),
        Err(_) => Some(fail("an integer is larger than 127 bits")),
    }
}

/// Parses a float, as Python's `float` does.
fn parse_float(text: &str) -> Option<f64> {
    let text = text.trim_matches(crate::jinja::unicode::is_space);
    let bytes = text.as_bytes();
    let between = |at: usize| {
        let digit = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
        digit(at.checked_sub(1)) && digit(Some(at + 1))
    };
    if bytes.iter().enumerate().any(|(at, &b)| b == b'_' && !between(at)) {
        return None;
    }
    text.replace('_', "").parse().ok()
}

fn whole(value: f64) -> Result<i128> {
    if value.is_finite() && value.abs() < 1.7e38 {
        return Ok(value as i128);
    }
    fail("the float is not an integer of at most 127 bits")
}

fn int(interp: &mut Interp<'_>, value: TemplateValue, args: Args) -> Result<TemplateValue> {
    let [default, base] = args.bind("int", ["default", "base"], 0)?;
    let default = default.unwrap_or(TemplateValue::Int(0));
    let base = int_arg(base.as_ref(), 10)?;
    match &value {
        TemplateValue::Str(text) => {
            interp.meter.work(text.len() / 8)?;
            let Ok(base @ (0 | 2..=36)) = u32::try_from(base) else {
                return fail("the base must be from 2 to 36");
            };
            if let Some(found) = parse_int(text, base) {
                return found.map(TemplateValue::Int);
            }
            match parse_float(text) {
                Some(float) if float.is_finite() => whole(float).map(TemplateValue::Int),
                _ => Ok(default),
            }
        }
        TemplateValue::Float(float) if float.is_nan() => Ok(default),
        TemplateValue::Float(float) => whole(*float).map(TemplateValue::Int),
        TemplateValue::Undefined(missing) => fail(interp.missing(*missing)),
        other => Ok(other.as_int().map_or(default, TemplateValue::Int)),
    }
}

fn float(interp: &mut Interp<'_>, value: TemplateValue, args: Args) -> Result<TemplateValue> {
    let [default] = args.bind("float", ["default"], 0)?;
    let default = default.unwrap_or(TemplateValue::Float(0.0));
    match &value {
        TemplateValue::Str(text) => {
            interp.meter.work(text.len() / 8)?;
            Ok(parse_float(text).map_or(default, TemplateValue::Float))
        }
        TemplateValue::Float(_) => Ok(value),
        TemplateValue::Undefined(missing) => fail(interp.missing(*missing)),
        other => Ok(other.as_int().map_or(default, |value| TemplateValue::Float(value as f64))),
    }
}

/// Rounds to a number of digits after the decimal point, or before it if negative. Ties round to even.
pub(crate) fn round_to(value: f64, digits: i32) -> f64 {
    if !value.is_finite() || digits > 330 {
        return value;
    }
    if digits >= 0 {
        return format!("{value:.*}", digits as usize).parse().unwrap_or(value);
    }
    if digits < -309 {
        return 0.0 * value;
    }
    // The exact digits before the decimal point, and whether anything follows the digits that are kept.
    let exact = format!("{:.1080}", value.abs());
    let (whole, fraction) = exact.split_once('.').unwrap_or((&exact, ""));
    let drop = digits.unsigned_abs() as usize;
    let whole = format!("{whole:0>width$}", width = drop + 1);
    let (kept, dropped) = whole.split_at(whole.len() - drop);
    let half = format!("5{}", "0".repeat(drop - 1));
    let rest = fraction.bytes().any(|b| b != b'0');
    let odd = kept.bytes().next_back().is_some_and(|b| b % 2 == 1);
    let up = dropped > half.as_str() || dropped == half && (rest || odd);
    let zeros = "0".repeat(drop);
    let mut rounded: f64 = format!("{kept}{zeros}").parse().unwrap_or(0.0);
    if up {
        let one: f64 = format!("1{zeros}").parse().unwrap_or(0.0);
        rounded += one;
    }
    rounded.copysign(value)
}

fn round(interp: &mut Interp<'_>, value: TemplateValue, args: Args) -> Result<TemplateValue> {
    let [precision, method] = args.bind("round", ["precision", "method"], 0)?;
    let digits = int_arg(precision.as_ref(), 0)?;
    let method = match &method {
        Some(method) => shown(interp, method)?.to_string(),
        None => "common".into(),
    };
    let digits = i32::try_from(digits.clamp(-10_000, 10_000)).unwrap_or(0);
    // Rounding before the decimal point looks at all digits of the number.
    interp.meter.work(if digits < 0 { 1000 } else { 50 + digits.min(400) as usize })?;
    let number = match (&value, value.as_int()) {
        (TemplateValue::Float(float), _) => *float,
        (_, Some(int)) => int as f64,
        (TemplateValue::Undefined(missing), _) => return fail(interp.missing(*missing)),
        (other, None) => return fail(format!("`round` needs a number, not a {}", other.type_name())),
    };
    match method.as_str() {
        "common" => match value.as_int() {
            Some(int) if digits >= 0 => Ok(TemplateValue::Int(int)),
            Some(int) => Ok(TemplateValue::Int(round_int(int, digits.unsigned_abs()))),
            None => Ok(TemplateValue::Float(round_to(number, digits))),
        },
        "ceil" | "floor" => {
            let scale = 10f64.powi(digits);
            let scaled = number * scale;
            if !scaled.is_finite() {
                return fail("the number cannot be rounded");
            }
            let rounded = if method == "ceil" { scaled.ceil() } else { scaled.floor() };
            // Adding 0.0 turns −0 into 0: Python rounds to an integer, which has no −0.
            Ok(TemplateValue::Float((rounded + 0.0) / scale))
        }
        _ => fail("the method of `round` must be `common`, `ceil` or `floor`"),
    }
}

fn round_int(value: i128, digits: u32) -> i128 {
    let Some(unit) = 10i128.checked_pow(digits) else { return 0 };
    let rest = value.rem_euclid(unit);
    let down = value - rest;
    let up = rest * 2 > unit || rest * 2 == unit && (down / unit) % 2 != 0;
    down + if up { unit } else { 0 }
}
