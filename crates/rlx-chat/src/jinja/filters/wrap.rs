//! The filter `wordwrap`: breaks lines as Python's `textwrap` does.

use super::texts::lines;
use super::{Args, flag, int_arg};
use crate::jinja::error::{Result, fail};
use crate::jinja::interp::Interp;
use crate::jinja::meter::Charge;
use crate::jinja::show::shown;
use crate::jinja::unicode::is_space;
use crate::jinja::value::{TemplateValue, Text};

/// Whether Python's `textwrap` treats a character as white space.
fn is_blank(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\u{b}' | '\u{c}' | '\r' | ' ')
}

fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

fn is_letter(c: char) -> bool {
    is_word(c) && !c.is_numeric()
}

pub(super) fn wordwrap(interp: &mut Interp<'_>, value: TemplateValue, args: Args) -> Result<TemplateValue> {
    let names = ["width", "break_long_words", "wrapstring", "break_on_hyphens"];
    let [width, long, with, hyphens] = args.bind("wordwrap", names, 0)?;
    let width = int_arg(width.as_ref(), 79)?;
    if width <= 0 {
        return fail("`wordwrap` needs a width above 0");
    }
    let TemplateValue::Str(text) = &value else {
        return fail(format!("`wordwrap` needs a string, not a {}", value.type_name()));
    };
    let with = match &with {
        None | Some(TemplateValue::None) => TemplateValue::text(&interp.meter, "\n")?,
        Some(with) => TemplateValue::Str(shown(interp, with)?),
    };
    let with = shown(interp, &with)?;
    let width = usize::try_from(width).unwrap_or(usize::MAX);
    let options = (width, flag(long.as_ref(), true), flag(hyphens.as_ref(), true));
    interp.meter.work(text.len())?;
    let mut out = Text::new(&interp.meter);
    for (i, line) in lines(text).enumerate() {
        interp.meter.work(4)?;
        if i > 0 {
            out.push(&with)?;
        }
        wrap_line(interp, line, options, &with, &mut out)?;
    }
    out.finish()
}

/// Breaks a line and writes the resulting lines.
fn wrap_line(
    interp: &Interp<'_>,
    line: &str,
    (width, long, hyphens): (usize, bool, bool),
    with: &str,
    out: &mut Text,
) -> Result<()> {
    let mut chunks: Vec<&str> = Vec::new();
    let mut charge = Charge::new(&interp.meter, 64)?;
    let mut at = 0;
    while at < line.len() {
        interp.meter.work(1)?;
        charge.grow(2 * size_of::<&str>())?;
        let chunk = chunk(&line[at..], at, line, hyphens);
        chunks.push(chunk);
        at += chunk.len();
    }
    // From here on, the last element is the next chunk.
    chunks.reverse();
    let blank = |chunk: &str| chunk.chars().all(is_space);
    let mut first = true;
    while let Some(next) = chunks.last() {
        if !first && blank(next) {
            chunks.pop();
        }
        let mut text = Text::new(&interp.meter);
        // The position where the last chunk of the line begins.
        let mut last = 0;
        let mut length = 0;
        while let Some(next) = chunks.last() {
            interp.meter.bytes(next.len())?;
            let size = next.chars().count();
            if length + size > width {
                break;
            }
            last = text.as_str().len();
            text.push(next)?;
            length += size;
            chunks.pop();
        }
        if let Some(next) = chunks.last().copied().filter(|next| next.chars().count() > width) {
            if long {
                let mut room = width - length;
                let byte = |count: usize| next.char_indices().nth(count).map_or(next.len(), |(at, _)| at);
                let head = &next[..byte(room)];
                let hyphen =
                    head.rfind('-').filter(|&at| hyphens && at > 0 && head[..at].contains(|c| c != '-'));
                if let Some(at) = hyphen {
                    room = head[..at].chars().count() + 1;
                }
                let (head, tail) = next.split_at(byte(room));
                last = text.as_str().len();
                text.push(head)?;
                chunks.pop();
                chunks.push(tail);
            } else if length == 0 {
                text.push(next)?;
                chunks.pop();
            }
        }
        let text = text.as_str();
        let text = if blank(&text[last..]) { &text[..last] } else { text };
        if !text.is_empty() {
            if !std::mem::take(&mut first) {
                out.push(with)?;
            }
            out.push(text)?;
        }
    }
    Ok(())
}

/// Returns the chunk at the beginning of a text; chunks are not broken.
fn chunk<'t>(text: &'t str, at: usize, line: &str, hyphens: bool) -> &'t str {
    let first = text.chars().next().unwrap_or(' ');
    if is_blank(first) {
        return &text[..text.find(|c| !is_blank(c)).unwrap_or(text.len())];
    }
    if !hyphens {
        return &text[..text.find(is_blank).unwrap_or(text.len())];
    }
    let sign = |c: Option<char>| c.is_some_and(|c| is_word(c) || "!\"'&.,?".contains(c));
    let dashes = |from: &str| {
        let count = from.bytes().take_while(|&b| b == b'-').count();
        (count >= 2 && from[count..].starts_with(is_word)).then_some(count)
    };
    // A long dash between words is a separate chunk.
    if let Some(count) = dashes(text).filter(|_| sign(line[..at].chars().next_back())) {
        return &text[..count];
    }
    let mut before: [Option<char>; 3] = [None; 3];
    let mut previous = line[..at].chars().rev();
    before[2] = previous.next();
    before[1] = previous.next();
    before[0] = previous.next();
    for (i, c) in text.char_indices() {
        if i > 0 {
            let end = is_blank(c) || sign(before[2]) && dashes(&text[i..]).is_some();
            if end {
                return &text[..i];
            }
            if c == '-' {
                let letter = |c: Option<char>| c.is_some_and(is_letter);
                let behind =
                    letter(before[2]) && (letter(before[1]) || before[1] == Some('-') && letter(before[0]));
                let mut next = text[i + 1..].chars();
                let ahead = letter(next.next()) && {
                    let second = next.next();
                    letter(second) || second == Some('-') && letter(next.next())
                };
                if behind && ahead {
                    return &text[..=i];
                }
            }
        }
        before = [before[1], before[2], Some(c)];
    }
    text
}
