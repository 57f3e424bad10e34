//! Filters for HTML and URLs: escaping, tags and attributes.

use super::error::{Result, fail};
use super::filters::{Args, flag};
use super::interp::Interp;
use super::iterate::{Items, collect};
use super::show::shown;
use super::unicode::is_space;
use super::value::{TemplateValue, Text};

/// Writes a text with the special characters of HTML escaped.
pub(crate) fn escape_into(text: &str, out: &mut Text) -> Result<()> {
    let mut plain = 0;
    for (at, b) in text.bytes().enumerate() {
        let escape = match b {
            b'&' => "&amp;",
            b'<' => "&lt;",
            b'>' => "&gt;",
            b'\'' => "&#39;",
            b'"' => "&#34;",
            _ => continue,
        };
        out.push(&text[plain..at])?;
        out.push(escape)?;
        plain = at + 1;
    }
    out.push(&text[plain..])
}

/// Concatenates two texts if one of them is markup; the other one is escaped.
pub(crate) fn join_markup(
    interp: &mut Interp<'_>,
    a: &TemplateValue,
    b: &TemplateValue,
) -> Result<TemplateValue> {
    let mut out = Text::new(&interp.meter);
    for part in [a, b] {
        let part = interp.escaped(part)?;
        let part = shown(interp, &part)?;
        out.push(&part)?;
    }
    out.finish_as(true)
}

pub(crate) fn striptags(interp: &mut Interp<'_>, value: TemplateValue, args: Args) -> Result<TemplateValue> {
    args.bind("striptags", [], 0)?;
    let text = shown(interp, &value)?;
    interp.meter.work(text.len() / 4)?;
    let mut kept = Text::new(&interp.meter);
    let mut rest: &str = &text;
    // Comments first, then tags.
    while let Some((before, inside)) = rest.split_once("<!--") {
        let Some((_, after)) = inside.split_once("-->") else { break };
        kept.push(before)?;
        rest = after;
    }
    kept.push(rest)?;
    let mut bare = Text::new(&interp.meter);
    let mut rest = kept.as_str();
    while let Some((before, inside)) = rest.split_once('<') {
        let Some((_, after)) = inside.split_once('>') else { break };
        bare.push(before)?;
        rest = after;
    }
    bare.push(rest)?;
    let mut words = Text::new(&interp.meter);
    for (i, word) in bare.as_str().split(is_space).filter(|word| !word.is_empty()).enumerate() {
        if i > 0 {
            words.push(" ")?;
        }
        words.push(word)?;
    }
    unescaped(interp, words.as_str())
}

/// Replaces the entities of HTML by the characters that they stand for.
fn unescaped(interp: &Interp<'_>, text: &str) -> Result<TemplateValue> {
    let mut out = Text::new(&interp.meter);
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        out.push(before)?;
        if !after.starts_with(|c: char| c.is_ascii_alphabetic() || c == '#') {
            out.push("&")?;
            rest = after;
            continue;
        }
        let end = after.find(|c: char| !c.is_ascii_alphanumeric() && c != '#').unwrap_or(after.len());
        let name = &after[..end];
        let number = name.strip_prefix('#').map(|number| match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16),
            None => number.parse(),
        });
        let c = match (name, number) {
            (_, Some(Ok(code @ (9 | 10 | 32..=126 | 160..)))) => char::from_u32(code),
            ("amp", _) => Some('&'),
            ("lt", _) => Some('<'),
            ("gt", _) => Some('>'),
            ("quot", _) => Some('"'),
            ("apos", _) => Some('\''),
            ("nbsp", _) => Some('\u{a0}'),
            _ => None,
        };
        match c {
            Some(c) if after[end..].starts_with(';') => out.push_char(c)?,
            _ => return fail("`striptags` found an entity that is not supported"),
        }
        rest = &after[end + 1..];
    }
    out.push(rest)?;
    out.finish()
}

fn quote_url(text: &str, keep_slash: bool, plus: bool, out: &mut Text) -> Result<()> {
    for b in text.bytes() {
        match b {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'.' | b'-' | b'~' => {
                out.push_char(char::from(b))?
            }
            b'/' if keep_slash => out.push("/")?,
            b' ' if plus => out.push("+")?,
            b => out.push(&format!("%{b:02X}"))?,
        }
    }
    Ok(())
}

pub(crate) fn urlencode(interp: &mut Interp<'_>, value: TemplateValue, args: Args) -> Result<TemplateValue> {
    args.bind("urlencode", [], 0)?;
    let meter = interp.meter.clone();
    let mut out = Text::new(&meter);
    let pairs = match &value {
        TemplateValue::Dict(dict) => Items::Dict(super::value::View::Items, dict.clone(), 0),
        TemplateValue::Str(_) => Items::None,
        value => Items::of(value).unwrap_or(Items::None),
    };
    let is_text = matches!(value, TemplateValue::Str(_)) || Items::of(&value).is_err();
    if is_text {
        let text = shown(interp, &value)?;
        quote_url(&text, true, false, &mut out)?;
        return out.finish();
    }
    let mut pairs = pairs;
    let mut first = true;
    while let Some(pair) = pairs.next(&meter)? {
        let mut pair = collect(&meter, &pair)?;
        let [key, value] = &pair.items()[..] else { return fail("`urlencode` needs a list of pairs") };
        if !std::mem::take(&mut first) {
            out.push("&")?;
        }
        let (key, value) = (shown(interp, key)?, shown(interp, value)?);
        quote_url(&key, false, true, &mut out)?;
        out.push("=")?;
        quote_url(&value, false, true, &mut out)?;
    }
    out.finish()
}

pub(crate) fn xmlattr(interp: &mut Interp<'_>, value: TemplateValue, args: Args) -> Result<TemplateValue> {
    let [space] = args.bind("xmlattr", ["autospace"], 0)?;
    let TemplateValue::Dict(dict) = &value else {
        return fail(format!("`xmlattr` needs a dictionary, not a {}", value.type_name()));
    };
    let mut out = Text::new(&interp.meter);
    let mut first = !flag(space.as_ref(), true);
    for (key, value) in dict.entries() {
        if matches!(value, TemplateValue::None | TemplateValue::Undefined(_)) {
            continue;
        }
        let key = match key {
            TemplateValue::Str(key) => key,
            other => {
                return fail(format!("names of attributes must be strings, not a {}", other.type_name()));
            }
        };
        if key.contains(|c: char| is_space(c) || matches!(c, '/' | '>' | '=')) {
            return fail("the name of an attribute contains a character that is not allowed");
        }
        if !std::mem::take(&mut first) {
            out.push(" ")?;
        }
        escape_into(key, &mut out)?;
        out.push("=\"")?;
        let value = interp.escaped(value)?;
        let value = shown(interp, &value)?;
        out.push(&value)?;
        out.push("\"")?;
    }
    out.finish()
}
