//! Methods of strings that return another string or test its characters.

use super::TextFn;
use crate::jinja::contains::find;
use crate::jinja::error::{Result, fail};
use crate::jinja::filters::{Args, int_arg, text_arg};
use crate::jinja::format::{Align, Padding, format};
use crate::jinja::interp::Interp;
use crate::jinja::slices::bounds;
use crate::jinja::unicode::{is_cased, is_printable, is_space, title as title_case};
use crate::jinja::value::{Str, TemplateValue, Text};

pub(super) const METHODS: &[(&str, TextFn)] = &[
    ("capitalize", capitalize),
    ("casefold", casefold),
    ("center", |interp, text, args| pad(interp, text, args, Align::Center)),
    ("count", count),
    ("encode", |_, _, _| fail("`encode` is not supported: templates have no bytes")),
    ("endswith", |interp, text, args| at_end(interp, text, args, false)),
    ("expandtabs", expandtabs),
    ("find", |interp, text, args| position(interp, text, args, Search { last: false, fails: false })),
    ("format", |interp, text, args| format(interp, text, &args, None)),
    ("format_map", |interp, text, args| {
        let none = Args::new(&interp.meter)?;
        let [map] = args.bind("format_map", [""], 1)?;
        format(interp, text, &none, Some(&map.unwrap_or(TemplateValue::None)))
    }),
    ("index", |interp, text, args| position(interp, text, args, Search { last: false, fails: true })),
    ("isalnum", |interp, text, args| all(interp, text, args, char::is_alphanumeric)),
    ("isalpha", |interp, text, args| all(interp, text, args, |c| c.is_alphabetic() && !c.is_numeric())),
    ("isascii", |interp, text, args| {
        args.bind("isascii", [], 0)?;
        interp.meter.bytes(text.len())?;
        Ok(TemplateValue::Bool(text.is_ascii()))
    }),
    ("isdecimal", digits),
    ("isdigit", digits),
    ("isidentifier", |interp, text, args| {
        let word = all(interp, text, args, |c| c == '_' || c.is_alphanumeric())?.is_true();
        Ok(TemplateValue::Bool(word && !text.starts_with(char::is_numeric)))
    }),
    ("islower", |interp, text, args| {
        args.bind("islower", [], 0)?;
        interp.meter.work(text.len() / 4)?;
        Ok(TemplateValue::Bool(is_lower(text)))
    }),
    ("isnumeric", |interp, text, args| all(interp, text, args, char::is_numeric)),
    ("isprintable", |interp, text, args| {
        args.bind("isprintable", [], 0)?;
        interp.meter.work(text.chars().filter(|c| !c.is_ascii()).count() * 4)?;
        interp.meter.work(text.len() / 16)?;
        Ok(TemplateValue::Bool(text.chars().all(is_printable)))
    }),
    ("isspace", |interp, text, args| all(interp, text, args, is_space)),
    ("istitle", istitle),
    ("isupper", |interp, text, args| {
        args.bind("isupper", [], 0)?;
        interp.meter.work(text.len() / 4)?;
        Ok(TemplateValue::Bool(is_upper(text)))
    }),
    ("ljust", |interp, text, args| pad(interp, text, args, Align::Left)),
    ("lower", lower),
    ("maketrans", |_, _, _| fail("`maketrans` is not supported")),
    ("rfind", |interp, text, args| position(interp, text, args, Search { last: true, fails: false })),
    ("rindex", |interp, text, args| position(interp, text, args, Search { last: true, fails: true })),
    ("rjust", |interp, text, args| pad(interp, text, args, Align::Right)),
    ("startswith", |interp, text, args| at_end(interp, text, args, true)),
    ("swapcase", swapcase),
    ("title", title),
    ("translate", translate),
    ("upper", upper),
    ("zfill", zfill),
];

/// Returns a string with changed letters.
fn changed(interp: &Interp<'_>, text: &Str, change: impl FnOnce(&str) -> String) -> Result<TemplateValue> {
    interp.meter.work(text.len() / 4)?;
    let mut out = Text::new(&interp.meter);
    // The result is built before it is counted; it is at most three times as long.
    out.reserve(3 * text.len())?;
    let mut out = Text::new(&interp.meter);
    out.push(&change(text))?;
    out.finish_as(text.is_markup())
}

fn lower(interp: &mut Interp<'_>, text: &Str, args: Args) -> Result<TemplateValue> {
    args.bind("lower", [], 0)?;
    changed(interp, text, str::to_lowercase)
}

fn upper(interp: &mut Interp<'_>, text: &Str, args: Args) -> Result<TemplateValue> {
    args.bind("upper", [], 0)?;
    changed(interp, text, str::to_uppercase)
}

fn casefold(interp: &mut Interp<'_>, text: &Str, args: Args) -> Result<TemplateValue> {
    args.bind("casefold", [], 0)?;
    if !text.is_ascii() {
        return fail("`casefold` is supported for ASCII");
    }
    changed(interp, text, str::to_lowercase)
}

fn capitalize(interp: &mut Interp<'_>, text: &Str, args: Args) -> Result<TemplateValue> {
    args.bind("capitalize", [], 0)?;
    changed(interp, text, |text| {
        let mut out = String::with_capacity(text.len());
        let mut chars = text.chars();
        if let Some(first) = chars.next() {
            title_case(first, &mut out);
            // Lowercasing a sigma depends on whether it ends a word, so the whole string is changed at once.
            let lower = text.to_lowercase();
            let skip: usize = first.to_lowercase().map(char::len_utf8).sum();
            out.push_str(lower.get(skip..).unwrap_or(""));
        }
        out
    })
}

fn title(interp: &mut Interp<'_>, text: &Str, args: Args) -> Result<TemplateValue> {
    args.bind("title", [], 0)?;
    changed(interp, text, |text| {
        let mut out = String::with_capacity(text.len());
        let mut inside = false;
        for c in text.chars() {
            if inside {
                out.extend(c.to_lowercase())
            } else {
                title_case(c, &mut out)
            }
            inside = is_cased(c);
        }
        out
    })
}

fn swapcase(interp: &mut Interp<'_>, text: &Str, args: Args) -> Result<TemplateValue> {
    args.bind("swapcase", [], 0)?;
    changed(interp, text, |text| {
        let mut out = String::with_capacity(text.len());
        for c in text.chars() {
            match c {
                c if c.is_uppercase() => out.extend(c.to_lowercase()),
                c if c.is_lowercase() => out.extend(c.to_uppercase()),
                c => out.push(c),
            }
        }
        out
    })
}

pub(crate) fn is_lower(text: &str) -> bool {
    let other = |c: char| is_cased(c) && !c.is_lowercase();
    text.chars().any(char::is_lowercase) && !text.chars().any(other)
}

pub(crate) fn is_upper(text: &str) -> bool {
    let other = |c: char| is_cased(c) && !c.is_uppercase();
    text.chars().any(char::is_uppercase) && !text.chars().any(other)
}

fn istitle(interp: &mut Interp<'_>, text: &Str, args: Args) -> Result<TemplateValue> {
    args.bind("istitle", [], 0)?;
    interp.meter.work(text.len() / 4)?;
    let (mut cased, mut any) = (false, false);
    for c in text.chars() {
        if c.is_uppercase() {
            if cased {
                return Ok(TemplateValue::Bool(false));
            }
            (cased, any) = (true, true);
        } else if c.is_lowercase() {
            if !cased {
                return Ok(TemplateValue::Bool(false));
            }
        } else {
            cased = false;
        }
    }
    Ok(TemplateValue::Bool(any))
}

fn all(interp: &Interp<'_>, text: &Str, args: Args, is: fn(char) -> bool) -> Result<TemplateValue> {
    args.bind("the method", [], 0)?;
    interp.meter.work(text.len() / 2)?;
    Ok(TemplateValue::Bool(!text.is_empty() && text.chars().all(is)))
}

fn digits(interp: &mut Interp<'_>, text: &Str, args: Args) -> Result<TemplateValue> {
    if !text.is_ascii() && text.chars().any(|c| !c.is_ascii() && c.is_numeric()) {
        return fail("`isdecimal`, `isdigit` and `isnumeric` do not distinguish digits other than 0 to 9");
    }
    all(interp, text, args, |c| c.is_ascii_digit())
}

/// Returns a width and the character to pad with.
fn pad(interp: &mut Interp<'_>, text: &Str, args: Args, align: Align) -> Result<TemplateValue> {
    let [width, fill] = args.bind("the method", ["", ""], 1)?;
    let width = usize::try_from(int_arg(width.as_ref(), 0)?.max(0)).unwrap_or(usize::MAX);
    let fill = match &fill {
        None => ' ',
        Some(fill) => {
            let fill = text_arg(interp, fill)?;
            let mut chars = fill.chars();
            match (chars.next(), chars.next()) {
                (Some(fill), None) => fill,
                _ => return fail("the fill character must be exactly one character"),
            }
        }
    };
    interp.meter.bytes(text.len())?;
    let count = text.chars().count();
    let room = width.saturating_sub(count);
    let before = match align {
        // If the padding is uneven and the width is odd, Python puts the extra character first.
        Align::Center => room / 2 + (room & width & 1),
        Align::Left => 0,
        _ => room,
    };
    let mut out = Text::new(&interp.meter);
    Padding { fill, align: Align::Right, width: count + before }.write("", text, &mut out)?;
    let mut buffer = [0; 4];
    out.push_many(fill.encode_utf8(&mut buffer), room - before)?;
    out.finish_as(text.is_markup())
}

fn zfill(interp: &mut Interp<'_>, text: &Str, args: Args) -> Result<TemplateValue> {
    let [width] = args.bind("zfill", [""], 1)?;
    let width = usize::try_from(int_arg(width.as_ref(), 0)?.max(0)).unwrap_or(usize::MAX);
    let (sign, digits) = text.split_at(usize::from(text.starts_with(['+', '-'])));
    let mut out = Text::new(&interp.meter);
    Padding { fill: '0', align: Align::Inside, width }.write(sign, digits, &mut out)?;
    out.finish_as(text.is_markup())
}

fn expandtabs(interp: &mut Interp<'_>, text: &Str, args: Args) -> Result<TemplateValue> {
    let [size] = args.bind("expandtabs", ["tabsize"], 0)?;
    let size = usize::try_from(int_arg(size.as_ref(), 8)?.max(0)).unwrap_or(usize::MAX);
    interp.meter.work(text.len() / 8)?;
    let mut out = Text::new(&interp.meter);
    let mut column = 0;
    for c in text.chars() {
        match c {
            '\t' if size > 0 => {
                let spaces = size - column % size;
                out.push_many(" ", spaces)?;
                column += spaces;
            }
            '\t' => {}
            c => {
                out.push_char(c)?;
                column = if matches!(c, '\n' | '\r') { 0 } else { column + 1 };
            }
        }
    }
    out.finish_as(text.is_markup())
}

/// Returns the part of a string between two positions, and its start in characters, or `None` if it starts after the
/// end.
fn between(
    text: &str,
    start: Option<TemplateValue>,
    stop: Option<TemplateValue>,
) -> Result<Option<(&str, i128)>> {
    if matches!(start, None | Some(TemplateValue::None)) && matches!(stop, None | Some(TemplateValue::None)) {
        return Ok(Some((text, 0)));
    }
    let count = text.chars().count();
    let first = start.as_ref().and_then(TemplateValue::as_int);
    let ends =
        [start.unwrap_or(TemplateValue::None), stop.unwrap_or(TemplateValue::None), TemplateValue::None];
    let (start, stop, _) = bounds(&ends, count)?;
    if first.is_some_and(|first| first > count as i128) || start > stop {
        return Ok(None);
    }
    let byte = |at: i128| {
        let at = usize::try_from(at).unwrap_or(0);
        text.char_indices().nth(at).map_or(text.len(), |(byte, _)| byte)
    };
    Ok(Some((&text[byte(start)..byte(stop)], start)))
}

#[derive(Clone, Copy)]
struct Search {
    last: bool,
    fails: bool,
}

fn position(interp: &mut Interp<'_>, text: &Str, args: Args, search: Search) -> Result<TemplateValue> {
    let [part, start, stop] = args.bind("the method", ["", "", ""], 1)?;
    let part = part.unwrap_or(TemplateValue::None);
    let part = text_arg(interp, &part)?;
    let found = match between(text, start, stop)? {
        Some((within, offset)) => {
            let first = find(interp, within, part)?;
            let at = if search.last { within.rfind(&**part) } else { first };
            at.map(|at| offset + within[..at].chars().count() as i128)
        }
        None => None,
    };
    match found {
        Some(at) => Ok(TemplateValue::Int(at)),
        None if search.fails => fail("`index` did not find the string"),
        None => Ok(TemplateValue::Int(-1)),
    }
}

fn count(interp: &mut Interp<'_>, text: &Str, args: Args) -> Result<TemplateValue> {
    let [part, start, stop] = args.bind("count", ["", "", ""], 1)?;
    let part = part.unwrap_or(TemplateValue::None);
    let part = text_arg(interp, &part)?;
    interp.meter.work((text.len() + part.len()) / 8)?;
    let Some((within, _)) = between(text, start, stop)? else { return Ok(TemplateValue::Int(0)) };
    Ok(TemplateValue::Int(within.matches(&**part).count() as i128))
}

fn at_end(interp: &mut Interp<'_>, text: &Str, args: Args, start: bool) -> Result<TemplateValue> {
    let [parts, from, to] = args.bind("the method", ["", "", ""], 1)?;
    let parts = parts.unwrap_or(TemplateValue::None);
    let within = between(text, from, to)?;
    interp.meter.bytes(text.len())?;
    let is = |interp: &Interp<'_>, part: &TemplateValue| -> Result<bool> {
        let part = text_arg(interp, part)?;
        interp.meter.bytes(part.len())?;
        Ok(within
            .is_some_and(|(text, _)| if start { text.starts_with(&**part) } else { text.ends_with(&**part) }))
    };
    match &parts {
        TemplateValue::Tuple(parts) => {
            for part in &parts.items {
                if is(interp, part)? {
                    return Ok(TemplateValue::Bool(true));
                }
            }
            Ok(TemplateValue::Bool(false))
        }
        part => Ok(TemplateValue::Bool(is(interp, part)?)),
    }
}

fn translate(interp: &mut Interp<'_>, text: &Str, args: Args) -> Result<TemplateValue> {
    let [table] = args.bind("translate", [""], 1)?;
    let Some(TemplateValue::Dict(table)) = table else { return fail("`translate` needs a dictionary") };
    let mut out = Text::new(&interp.meter);
    for c in text.chars() {
        interp.meter.work(1)?;
        match table.get(&TemplateValue::Int(i128::from(u32::from(c))))? {
            None => out.push_char(c)?,
            Some(TemplateValue::None) => {}
            Some(TemplateValue::Str(new)) => out.push(new)?,
            Some(code) => {
                match code.as_int().and_then(|code| u32::try_from(code).ok()).and_then(char::from_u32) {
                    Some(c) => out.push_char(c)?,
                    None => return fail("`translate` needs characters"),
                }
            }
        }
    }
    out.finish_as(text.is_markup())
}
