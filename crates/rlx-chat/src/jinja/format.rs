//! `str.format` and its format specifications.

use super::error::{Result, fail};
use super::filters::Args;
use super::interp::Interp;
use super::methods::attribute;
use super::percent::field_item;
use super::show::{float, quote, repr, show};
use super::value::{Missing, Str, TemplateValue, Text};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
    Center,
    /// Between the sign and the digits.
    Inside,
}

/// The position of a text within a width.
pub(crate) struct Padding {
    pub(crate) fill: char,
    pub(crate) align: Align,
    pub(crate) width: usize,
}

impl Padding {
    pub(crate) fn write(&self, prefix: &str, text: &str, out: &mut Text) -> Result<()> {
        out.meter().bytes(text.len())?;
        let room = self.width.saturating_sub(prefix.chars().count() + text.chars().count());
        let before = match self.align {
            Align::Left => 0,
            Align::Center => room / 2,
            Align::Right | Align::Inside => room,
        };
        let mut buffer = [0; 4];
        let fill = self.fill.encode_utf8(&mut buffer);
        if self.align != Align::Inside {
            out.push_many(fill, before)?;
        }
        out.push(prefix)?;
        if self.align == Align::Inside {
            out.push_many(fill, before)?;
        }
        out.push(text)?;
        out.push_many(fill, room - before)
    }
}

/// The maximum number of digits of a number.
const MOST_DIGITS: usize = 1000;

/// Returns the digits of an integer in a base.
pub(crate) fn digits_of(value: u128, base: u32, upper: bool) -> String {
    match (base, upper) {
        (2, _) => format!("{value:b}"),
        (8, _) => format!("{value:o}"),
        (16, false) => format!("{value:x}"),
        (16, true) => format!("{value:X}"),
        _ => value.to_string(),
    }
}

/// Formats a non-negative float as `e`, `f` or `g`. The precision is the number of digits after the decimal point, or
/// of all digits for `g`.
pub(crate) fn float_text(
    value: f64,
    kind: char,
    precision: usize,
    point: bool,
    out: &mut Text,
) -> Result<()> {
    let upper = kind.is_ascii_uppercase();
    let text = if value.is_nan() {
        "nan".to_string()
    } else if value.is_infinite() {
        "inf".to_string()
    } else {
        if precision > MOST_DIGITS {
            return fail(format!("at most {MOST_DIGITS} digits can be written"));
        }
        // Each digit is computed separately.
        out.meter().work(precision + 32)?;
        out.reserve(precision)?;
        match kind.to_ascii_lowercase() {
            'e' => scientific(&format!("{value:.precision$e}"), point),
            'f' => {
                let text = format!("{value:.precision$}");
                if point && precision == 0 { text + "." } else { text }
            }
            _ => {
                let precision = precision.max(1);
                let text = format!("{value:.*e}", precision - 1);
                let exponent: i64 = text.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
                let plain = (-4..precision as i64).contains(&exponent);
                if plain {
                    let behind = usize::try_from(precision as i64 - 1 - exponent).unwrap_or(0);
                    let text = format!("{value:.behind$}");
                    if point { text } else { without_zeros(&text) }
                } else {
                    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
                    let digits = if point { digits.to_string() } else { without_zeros(digits) };
                    scientific(&format!("{digits}e{exponent}"), false)
                }
            }
        }
    };
    out.push(&if upper { text.to_uppercase() } else { text })
}

fn without_zeros(text: &str) -> String {
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_string()
    } else {
        text.to_string()
    }
}

/// Rewrites an exponent with a sign and at least two digits.
fn scientific(text: &str, point: bool) -> String {
    let (digits, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let (sign, exponent) = match exponent.strip_prefix('-') {
        Some(exponent) => ('-', exponent),
        None => ('+', exponent),
    };
    let point = if point && !digits.contains('.') { "." } else { "" };
    format!("{digits}{point}e{sign}{exponent:0>2}")
}

/// Evaluates `format.format(…)`, or `format.format_map(…)` with a dictionary.
pub(crate) fn format(
    interp: &mut Interp<'_>,
    format: &Str,
    args: &Args,
    map: Option<&TemplateValue>,
) -> Result<TemplateValue> {
    if format.is_markup() {
        return fail("`format` is not supported for escaped texts");
    }
    let mut out = Text::new(&interp.meter);
    let mut fields = Fields { args, map, next: 0, numbered: false };
    write(interp, format, &mut fields, 2, &mut out)?;
    out.finish()
}

struct Fields<'a> {
    args: &'a Args,
    map: Option<&'a TemplateValue>,
    next: usize,
    numbered: bool,
}

/// Writes a format. Fields within fields nest up to a limit.
fn write(
    interp: &mut Interp<'_>,
    format: &str,
    fields: &mut Fields<'_>,
    depth: usize,
    out: &mut Text,
) -> Result<()> {
    if depth == 0 {
        return fail("the fields of `format` are nested too deeply");
    }
    let mut rest = format;
    while let Some(at) = rest.find(['{', '}']) {
        interp.meter.work(1)?;
        out.push(&rest[..at])?;
        let sign = &rest[at..at + 1];
        let after = &rest[at + 1..];
        if let Some(more) = after.strip_prefix(sign) {
            out.push(sign)?;
            rest = more;
            continue;
        }
        if sign == "}" {
            return fail("`format` has a single `}`");
        }
        let mut open = 1;
        let end = after.bytes().position(|b| {
            match b {
                b'{' => open += 1,
                b'}' => open -= 1,
                _ => {}
            }
            open == 0
        });
        let Some(end) = end else { return fail("`format` has a single `{`") };
        field(interp, &after[..end], fields, depth, out)?;
        rest = &after[end + 1..];
    }
    out.push(rest)
}

fn field(
    interp: &mut Interp<'_>,
    field: &str,
    fields: &mut Fields<'_>,
    depth: usize,
    out: &mut Text,
) -> Result<()> {
    // Inside of square brackets, any character is allowed.
    let mut inside = false;
    let end = field.find(|c| {
        match c {
            '[' => inside = true,
            ']' => inside = false,
            _ => {}
        }
        !inside && matches!(c, '!' | ':')
    });
    let (path, rest) = field.split_at(end.unwrap_or(field.len()));
    let (conversion, spec) = match rest.strip_prefix('!') {
        Some(rest) => {
            let Some(kind) = rest.chars().next() else { return fail("`!` must be followed by a conversion") };
            let after = &rest[kind.len_utf8()..];
            match after.strip_prefix(':') {
                Some(spec) => (Some(kind), spec),
                None if after.is_empty() => (Some(kind), ""),
                None => return fail("expected `:` after a conversion"),
            }
        }
        None => (None, rest.strip_prefix(':').unwrap_or("")),
    };
    let mut value = fields.get(interp, path)?;
    if let Some(kind) = conversion {
        let mut text = Text::new(&interp.meter);
        match (kind, &value) {
            ('s', value) => show(interp, value, &mut text)?,
            ('r', value) => repr(interp, value, &mut text, 0)?,
            ('a', TemplateValue::Str(value)) => quote(value, &mut text, true)?,
            ('a', value) => repr(interp, value, &mut text, 0)?,
            _ => return fail("conversions must be `!s`, `!r` or `!a`"),
        }
        value = text.finish()?;
    }
    let mut whole = Text::new(&interp.meter);
    if !spec.is_empty() {
        write(interp, spec, fields, depth - 1, &mut whole)?;
    }
    write_value(interp, &value, whole.as_str(), out)
}

impl Fields<'_> {
    fn get(&mut self, interp: &mut Interp<'_>, path: &str) -> Result<TemplateValue> {
        let end = path.find(['.', '[']).unwrap_or(path.len());
        let (first, mut rest) = path.split_at(end);
        let number = if first.is_empty() {
            if self.numbered {
                return fail("`format` mixes `{}` with numbers");
            }
            self.next += 1;
            Some(self.next - 1)
        } else if first.bytes().all(|b| b.is_ascii_digit()) {
            if self.next > 0 {
                return fail("`format` mixes `{}` with numbers");
            }
            self.numbered = true;
            Some(first.parse().unwrap_or(usize::MAX))
        } else {
            None
        };
        let mut value = match (number, self.map) {
            (Some(_), Some(_)) => return fail("`format_map` only takes names"),
            (Some(number), None) => match self.args.pos.get(number) {
                Some(value) => value.clone(),
                None => return fail("`format` has too few values"),
            },
            (None, Some(TemplateValue::Dict(map))) => match map.get_str(first)? {
                Some(value) => value.clone(),
                None => return fail("`format_map` is missing a key"),
            },
            (None, Some(_)) => return fail("`format_map` needs a dictionary"),
            (None, None) => match self.args.named.iter().find(|(name, _)| **name == *first) {
                Some((_, value)) => value.clone(),
                None => return fail("`format` is missing a named value"),
            },
        };
        while !rest.is_empty() {
            interp.meter.work(1)?;
            if let Some(inside) = rest.strip_prefix('[') {
                let Some((key, after)) = inside.split_once(']') else { return fail("`[` is not closed") };
                value = field_item(interp, &value, key)?;
                rest = after;
            } else {
                let name = rest.strip_prefix('.').unwrap_or(rest);
                let end = name.find(['.', '[']).unwrap_or(name.len());
                value = match attribute(interp, &value, &name[..end])? {
                    Some(found) => found,
                    None => TemplateValue::Undefined(Missing::Other("there is no such attribute")),
                };
                rest = &name[end..];
            }
        }
        Ok(value)
    }
}

/// The format specification of a value.
#[derive(Default)]
struct Spec {
    fill: Option<char>,
    align: Option<char>,
    sign: Option<char>,
    other_form: bool,
    zeros: bool,
    width: usize,
    group: Option<char>,
    precision: Option<usize>,
    kind: Option<char>,
}

fn read_spec(text: &str) -> Result<Spec> {
    let mut spec = Spec::default();
    let mut rest: Vec<char> = text.chars().take(64).collect();
    rest.reverse();
    let is_align = |c: Option<&char>| c.is_some_and(|c| "<>=^".contains(*c));
    let length = rest.len();
    if length >= 2 && is_align(rest.get(length - 2)) {
        spec.fill = rest.pop();
        spec.align = rest.pop();
    } else if is_align(rest.last()) {
        spec.align = rest.pop();
    }
    if rest.last().is_some_and(|c| "+- ".contains(*c)) {
        spec.sign = rest.pop();
    }
    if rest.last() == Some(&'#') {
        spec.other_form = true;
        rest.pop();
    }
    if rest.last() == Some(&'0') {
        spec.zeros = true;
        rest.pop();
    }
    let number = |rest: &mut Vec<char>| {
        let mut found: Option<usize> = None;
        while let Some(digit) = rest.last().and_then(|c| c.to_digit(10)) {
            found = Some(found.unwrap_or(0).saturating_mul(10).saturating_add(digit as usize));
            rest.pop();
        }
        found
    };
    spec.width = number(&mut rest).unwrap_or(0);
    if rest.last().is_some_and(|c| ",_".contains(*c)) {
        spec.group = rest.pop();
    }
    if rest.last() == Some(&'.') {
        rest.pop();
        spec.precision = number(&mut rest);
        if spec.precision.is_none() {
            return fail("the precision of a format has no digits");
        }
    }
    spec.kind = rest.pop();
    if rest.is_empty() && text.chars().count() <= 64 {
        Ok(spec)
    } else {
        fail("the format of a value is not valid")
    }
}

fn write_value(interp: &Interp<'_>, value: &TemplateValue, spec: &str, out: &mut Text) -> Result<()> {
    if spec.is_empty() {
        return show(interp, value, out);
    }
    let spec = read_spec(spec)?;
    match value {
        TemplateValue::Str(text) => text_value(&spec, text, out),
        TemplateValue::Float(value) => float_value(&spec, *value, out),
        TemplateValue::Int(value) => int_value(&spec, *value, out),
        TemplateValue::Bool(value) if spec.kind.is_some() => int_value(&spec, i128::from(*value), out),
        TemplateValue::Bool(value) => int_value(&spec, i128::from(*value), out),
        other => fail(format!("a {} does not support format specifications", other.type_name())),
    }
}

fn text_value(spec: &Spec, text: &str, out: &mut Text) -> Result<()> {
    if spec.sign.is_some()
        || spec.other_form
        || spec.group.is_some()
        || !matches!(spec.kind, None | Some('s'))
    {
        return fail("the format is not valid for strings");
    }
    let end =
        spec.precision.and_then(|count| text.char_indices().nth(count)).map_or(text.len(), |(at, _)| at);
    let align = match spec.align {
        None | Some('<') => Align::Left,
        Some('>') => Align::Right,
        Some('^') => Align::Center,
        Some(_) => return fail("strings cannot have a sign"),
    };
    let fill = spec.fill.unwrap_or(if spec.zeros { '0' } else { ' ' });
    Padding { fill, align, width: spec.width }.write("", &text[..end], out)
}

/// Groups digits, and pads them with zeros up to the width.
fn grouped(digits: &str, sign: char, size: usize, width: usize) -> String {
    let mut out: Vec<char> = Vec::new();
    for (i, c) in digits.chars().rev().enumerate() {
        if i > 0 && i % size == 0 {
            out.push(sign);
        }
        out.push(c);
    }
    let mut count = digits.len();
    while out.len() < width {
        if count.is_multiple_of(size) {
            out.push(sign);
        }
        out.push('0');
        count += 1;
    }
    out.iter().rev().collect()
}

fn number(
    spec: &Spec,
    negative: bool,
    mark: &str,
    digits: &str,
    rest: &str,
    size: usize,
    out: &mut Text,
) -> Result<()> {
    let sign = match (negative, spec.sign) {
        (true, _) => "-",
        (false, Some('+')) => "+",
        (false, Some(' ')) => " ",
        _ => "",
    };
    let prefix = format!("{sign}{mark}");
    let align = match spec.align {
        Some('<') => Align::Left,
        Some('^') => Align::Center,
        Some('=') => Align::Inside,
        None if spec.zeros => Align::Inside,
        _ => Align::Right,
    };
    let fill = spec.fill.unwrap_or(if spec.zeros { '0' } else { ' ' });
    let mut text = Text::new(out.meter());
    match spec.group {
        Some(group) => {
            let zeros = align == Align::Inside && fill == '0';
            let width = if zeros { spec.width.saturating_sub(prefix.len() + rest.len()) } else { 0 };
            if width > MOST_DIGITS {
                return fail("the width is too large");
            }
            text.meter().work(width + digits.len())?;
            text.push(&grouped(digits, group, size, width))?;
        }
        None => text.push(digits)?,
    }
    text.push(rest)?;
    Padding { fill, align, width: spec.width }.write(&prefix, text.as_str(), out)
}

fn int_value(spec: &Spec, value: i128, out: &mut Text) -> Result<()> {
    if matches!(spec.kind, Some('e' | 'E' | 'f' | 'F' | 'g' | 'G' | '%')) {
        return float_value(spec, value as f64, out);
    }
    if spec.precision.is_some() {
        return fail("integers cannot have a precision");
    }
    let (base, mark) = match spec.kind {
        None | Some('d' | 'n') => (10, ""),
        Some('b') => (2, "0b"),
        Some('o') => (8, "0o"),
        Some('x') => (16, "0x"),
        Some('X') => (16, "0X"),
        Some('c') => {
            let Some(c) = u32::try_from(value).ok().and_then(char::from_u32) else {
                return fail("no character has this code");
            };
            return text_value(
                &Spec {
                    kind: None,
                    fill: spec.fill,
                    align: spec.align,
                    width: spec.width,
                    ..Spec::default()
                },
                c.encode_utf8(&mut [0; 4]),
                out,
            );
        }
        Some(_) => return fail("the format is not valid for integers"),
    };
    if spec.group == Some(',') && base != 10 {
        return fail("`,` is only valid for decimal numbers");
    }
    let mark = if spec.other_form { mark } else { "" };
    let digits = digits_of(value.unsigned_abs(), base, spec.kind == Some('X'));
    number(spec, value < 0, mark, &digits, "", if base == 10 { 3 } else { 4 }, out)
}

fn float_value(spec: &Spec, value: f64, out: &mut Text) -> Result<()> {
    let mut text = Text::new(out.meter());
    let magnitude = value.abs();
    match (spec.kind, spec.precision) {
        (None, None) => text.push(&float(magnitude))?,
        (None, Some(precision)) => {
            // Like `g`, but with at least one digit after the decimal point.
            let precision = precision.max(1);
            let exponent = format!("{magnitude:.*e}", precision.min(MOST_DIGITS) - 1);
            let exponent: i64 = exponent.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
            if magnitude.is_finite() && exponent == precision as i64 - 1 {
                // There is no room for a digit after the decimal point.
                let mut digits = Text::new(out.meter());
                float_text(magnitude, 'e', precision - 1, false, &mut digits)?;
                let (digits, exponent) = digits.as_str().split_once('e').unwrap_or((digits.as_str(), "+00"));
                let digits = without_zeros(digits);
                text.push(&format!("{digits}e{exponent}"))?;
            } else {
                float_text(magnitude, 'g', precision, false, &mut text)?;
                let plain = text.as_str().bytes().all(|b| b.is_ascii_digit());
                if plain {
                    text.push(".0")?;
                }
            }
        }
        (Some('n'), precision) => {
            float_text(magnitude, 'g', precision.unwrap_or(6), spec.other_form, &mut text)?
        }
        (Some('%'), precision) => {
            float_text(magnitude * 100.0, 'f', precision.unwrap_or(6), spec.other_form, &mut text)?;
            text.push("%")?;
        }
        (Some(kind @ ('e' | 'E' | 'f' | 'F' | 'g' | 'G')), precision) => {
            float_text(magnitude, kind, precision.unwrap_or(6), spec.other_form, &mut text)?;
        }
        _ => return fail("the format is not valid for floats"),
    }
    let text = text.as_str();
    let whole = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let negative = value.is_sign_negative() && !value.is_nan();
    number(spec, negative, "", &text[..whole], &text[whole..], 3, out)
}
