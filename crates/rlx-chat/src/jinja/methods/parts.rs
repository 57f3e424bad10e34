//! Methods of strings that split, join and trim.

use super::TextFn;
use crate::jinja::contains::find;
use crate::jinja::error::{Result, fail};
use crate::jinja::filters::{Args, flag, int_arg, text_arg};
use crate::jinja::interp::Interp;
use crate::jinja::iterate::Items;
use crate::jinja::meter::Charge;
use crate::jinja::unicode::{is_line_end, is_space};
use crate::jinja::value::{Listing, Str, TemplateValue, Text};

pub(super) const METHODS: &[(&str, TextFn)] = &[
    ("join", join),
    ("lstrip", |interp, text, args| strip(interp, text, args, true, false)),
    ("partition", |interp, text, args| partition(interp, text, args, false)),
    ("removeprefix", |interp, text, args| remove(interp, text, args, true)),
    ("removesuffix", |interp, text, args| remove(interp, text, args, false)),
    ("replace", replace),
    ("rpartition", |interp, text, args| partition(interp, text, args, true)),
    ("rsplit", |interp, text, args| split(interp, text, args, true)),
    ("rstrip", |interp, text, args| strip(interp, text, args, false, true)),
    ("split", |interp, text, args| split(interp, text, args, false)),
    ("splitlines", splitlines),
    ("strip", |interp, text, args| strip(interp, text, args, true, true)),
];

/// Returns a part of a string, or the string itself if the part is all of it.
fn part(interp: &Interp<'_>, text: &Str, part: &str) -> Result<TemplateValue> {
    if part.len() == text.len() {
        return Ok(TemplateValue::Str(text.clone()));
    }
    let mut out = Text::new(&interp.meter);
    out.push(part)?;
    out.finish_as(text.is_markup())
}

/// Splits a string into its first line, the end of that line, and the rest.
pub(crate) fn split_line(text: &str) -> ((&str, &str), &str) {
    let Some(at) = text.find(is_line_end) else { return ((text, ""), "") };
    let (line, rest) = text.split_at(at);
    let end = if rest.starts_with("\r\n") { 2 } else { rest.chars().next().map_or(0, char::len_utf8) };
    ((line, &rest[..end]), &rest[end..])
}

fn splitlines(interp: &mut Interp<'_>, text: &Str, args: Args) -> Result<TemplateValue> {
    let [keep] = args.bind("splitlines", ["keepends"], 0)?;
    let keep = flag(keep.as_ref(), false);
    interp.meter.work(text.len() / 16)?;
    let mut out = Listing::new(&interp.meter)?;
    let mut rest: &str = text;
    while !rest.is_empty() {
        let ((line, end), after) = split_line(rest);
        let whole = &rest[..line.len() + end.len()];
        out.push(part(interp, text, if keep { whole } else { line })?)?;
        rest = after;
    }
    out.finish()
}

fn join(interp: &mut Interp<'_>, text: &Str, args: Args) -> Result<TemplateValue> {
    let [items] = args.bind("join", [""], 1)?;
    if text.is_markup() {
        return fail("`join` is not supported for escaped texts");
    }
    let items = items.unwrap_or(TemplateValue::None);
    let meter = interp.meter.clone();
    let mut items = Items::of(&items)?;
    let mut out = Text::new(&meter);
    let mut first = true;
    while let Some(item) = items.next(&meter)? {
        if !std::mem::take(&mut first) {
            out.push(text)?;
        }
        out.push(text_arg(interp, &item)?)?;
    }
    out.finish()
}

fn strip(interp: &mut Interp<'_>, text: &Str, args: Args, start: bool, end: bool) -> Result<TemplateValue> {
    let [chars] = args.bind("strip", [""], 0)?;
    let mut kept: &str = text;
    match &chars {
        None | Some(TemplateValue::None) => {
            if start {
                kept = kept.trim_start_matches(is_space);
            }
            if end {
                kept = kept.trim_end_matches(is_space);
            }
        }
        Some(chars) => {
            let chars = text_arg(interp, chars)?;
            interp.meter.work(chars.len())?;
            let _charge = Charge::new(&interp.meter, 8 * chars.len())?;
            let mut among: Vec<char> = chars.chars().collect();
            among.sort_unstable();
            let is = |c: char| among.binary_search(&c).is_ok();
            if start {
                kept = kept.trim_start_matches(is);
            }
            if end {
                kept = kept.trim_end_matches(is);
            }
            interp.meter.work((text.len() - kept.len()) / 2)?;
        }
    }
    interp.meter.bytes(text.len())?;
    part(interp, text, kept)
}

fn remove(interp: &mut Interp<'_>, text: &Str, args: Args, start: bool) -> Result<TemplateValue> {
    let [end] = args.bind("the method", [""], 1)?;
    let end = end.unwrap_or(TemplateValue::None);
    let end = text_arg(interp, &end)?;
    let kept = if start { text.strip_prefix(&**end) } else { text.strip_suffix(&**end) };
    part(interp, text, kept.unwrap_or(text))
}

fn partition(interp: &mut Interp<'_>, text: &Str, args: Args, last: bool) -> Result<TemplateValue> {
    let [sign] = args.bind("partition", [""], 1)?;
    let sign = sign.unwrap_or(TemplateValue::None);
    let sign = text_arg(interp, &sign)?;
    if sign.is_empty() {
        return fail("the separator is empty");
    }
    let first = find(interp, text, sign)?;
    let at = if last { text.rfind(&**sign) } else { first };
    let (before, found, after) = match at {
        Some(at) => (&text[..at], &**sign, &text[at + sign.len()..]),
        None if last => ("", "", &**text),
        None => (&**text, "", ""),
    };
    let mut out = Listing::new(&interp.meter)?;
    for piece in [before, found, after] {
        out.push(part(interp, text, piece)?)?;
    }
    out.finish_tuple()
}

fn replace(interp: &mut Interp<'_>, text: &Str, args: Args) -> Result<TemplateValue> {
    let [old, new, count] = args.bind("replace", ["", "", ""], 2)?;
    if text.is_markup() {
        return fail("`replace` is not supported for escaped texts");
    }
    let (old, new) = (old.unwrap_or(TemplateValue::None), new.unwrap_or(TemplateValue::None));
    let (old, new) = (text_arg(interp, &old)?, text_arg(interp, &new)?);
    let count = int_arg(count.as_ref(), -1)?;
    let count = if count < 0 { usize::MAX } else { usize::try_from(count).unwrap_or(usize::MAX) };
    interp.meter.work((text.len() + old.len()) / 16)?;
    let mut out = Text::new(&interp.meter);
    let mut plain = 0;
    for (at, found) in text.match_indices(&**old).take(count) {
        interp.meter.work(1)?;
        out.push(&text[plain..at])?;
        out.push(new)?;
        plain = at + found.len();
    }
    out.push(&text[plain..])?;
    out.finish()
}

fn split(interp: &mut Interp<'_>, text: &Str, args: Args, last: bool) -> Result<TemplateValue> {
    let [sign, most] = args.bind("split", ["sep", "maxsplit"], 0)?;
    let most = int_arg(most.as_ref(), -1)?;
    let mut most = if most < 0 { usize::MAX } else { usize::try_from(most).unwrap_or(usize::MAX) };
    interp.meter.work(text.len() / 16)?;
    let mut out = Listing::new(&interp.meter)?;
    let sign = match &sign {
        None | Some(TemplateValue::None) => None,
        Some(sign) => Some(text_arg(interp, sign)?),
    };
    let mut rest: &str = text;
    if let Some(sign) = sign {
        if sign.is_empty() {
            return fail("the separator is empty");
        }
        interp.meter.bytes(sign.len())?;
        let mut ahead = text.match_indices(&**sign);
        let mut behind = text.rmatch_indices(&**sign);
        let (mut start, mut end) = (0, text.len());
        while most > 0 {
            let Some((at, _)) = (if last { behind.next() } else { ahead.next() }) else { break };
            most -= 1;
            if last {
                out.push(part(interp, text, &text[at + sign.len()..end])?)?;
                end = at;
            } else {
                out.push(part(interp, text, &text[start..at])?)?;
                start = at + sign.len();
            }
        }
        out.push(part(interp, text, &text[start..end])?)?;
    } else if last {
        rest = rest.trim_end_matches(is_space);
        while !rest.is_empty() {
            let cut = if most == 0 { None } else { rest.rfind(is_space) };
            most = most.saturating_sub(1);
            let start = cut.map_or(0, |at| at + rest[at..].chars().next().map_or(0, char::len_utf8));
            out.push(part(interp, text, &rest[start..])?)?;
            rest = rest[..start].trim_end_matches(is_space);
        }
    } else {
        rest = rest.trim_start_matches(is_space);
        while !rest.is_empty() {
            let end = if most == 0 { None } else { rest.find(is_space) };
            most = most.saturating_sub(1);
            let end = end.unwrap_or(rest.len());
            out.push(part(interp, text, &rest[..end])?)?;
            rest = rest[end..].trim_start_matches(is_space);
        }
    }
    if last {
        out.items().reverse();
    }
    out.finish()
}
