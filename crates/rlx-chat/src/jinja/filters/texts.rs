//! Filters of strings.

use super::items::len;
use super::wrap::wordwrap;
use super::{Args, FilterFn, flag, int_arg};
use crate::jinja::compare::sort;
use crate::jinja::error::{Result, fail};
use crate::jinja::html::{escape_into, striptags, urlencode, xmlattr};
use crate::jinja::interp::Interp;
use crate::jinja::json::tojson;
use crate::jinja::meter::Charge;
use crate::jinja::methods::call_text_method;
use crate::jinja::percent::percent_args;
use crate::jinja::show::{repr, shown};
use crate::jinja::unicode::is_space;
use crate::jinja::value::{Listing, Str, TemplateValue, Text};

pub(super) const FILTERS: &[(&str, FilterFn)] = &[
    ("capitalize", |interp, value, args| text_method(interp, value, args, "capitalize")),
    ("center", center),
    ("e", escape),
    ("escape", escape),
    ("filesizeformat", filesizeformat),
    ("forceescape", forceescape),
    ("format", format),
    ("indent", indent),
    ("lower", |interp, value, args| text_method(interp, value, args, "lower")),
    ("pprint", pprint),
    ("replace", replace),
    ("safe", safe),
    ("string", string),
    ("striptags", striptags),
    ("title", title),
    ("tojson", tojson),
    ("trim", trim),
    ("truncate", truncate),
    ("upper", |interp, value, args| text_method(interp, value, args, "upper")),
    ("urlencode", urlencode),
    ("urlize", |_, _, _| fail("`urlize` is not supported")),
    ("wordcount", wordcount),
    ("wordwrap", wordwrap),
    ("xmlattr", xmlattr),
];

/// Calls a method of the text of a value.
fn text_method(
    interp: &mut Interp<'_>,
    value: TemplateValue,
    args: Args,
    name: &str,
) -> Result<TemplateValue> {
    let text = shown(interp, &value)?;
    call_text_method(interp, text, name, args)
}

fn center(interp: &mut Interp<'_>, value: TemplateValue, args: Args) -> Result<TemplateValue> {
    let [width] = args.bind("center", ["width"], 0)?;
    let text = shown(interp, &value)?;
    let mut args = Args::new(&interp.meter)?;
    args.push(width.unwrap_or(TemplateValue::Int(80)))?;
    call_text_method(interp, text, "center", args)
}

fn trim(interp: &mut Interp<'_>, value: TemplateValue, args: Args) -> Result<TemplateValue> {
    let [chars] = args.bind("trim", ["chars"], 0)?;
    let text = shown(interp, &value)?;
    let mut args = Args::new(&interp.meter)?;
    args.push(chars.unwrap_or(TemplateValue::None))?;
    call_text_method(interp, text, "strip", args)
}

fn replace(interp: &mut Interp<'_>, value: TemplateValue, args: Args) -> Result<TemplateValue> {
    let [old, new, count] = args.bind("replace", ["old", "new", "count"], 2)?;
    let text = shown(interp, &value)?;
    let plain = plain(interp, text)?;
    let mut args = Args::new(&interp.meter)?;
    for part in [old, new] {
        let part = shown(interp, &part.unwrap_or(TemplateValue::None))?;
        args.push(TemplateValue::Str(part))?;
    }
    args.push(count.filter(|count| !matches!(count, TemplateValue::None)).unwrap_or(TemplateValue::Int(-1)))?;
    call_text_method(interp, plain, "replace", args)
}

/// Returns a text that is not markup.
fn plain(interp: &Interp<'_>, text: Str) -> Result<Str> {
    if !text.is_markup() {
        return Ok(text);
    }
    let mut out = Text::new(&interp.meter);
    out.push(&text)?;
    out.finish_str()
}

fn escape(interp: &mut Interp<'_>, value: TemplateValue, args: Args) -> Result<TemplateValue> {
    args.bind("escape", [], 0)?;
    interp.escaped(&value)
}

fn forceescape(interp: &mut Interp<'_>, value: TemplateValue, args: Args) -> Result<TemplateValue> {
    args.bind("forceescape", [], 0)?;
    let text = shown(interp, &value)?;
    let mut out = Text::new(&interp.meter);
    escape_into(&text, &mut out)?;
    out.finish_as(true)
}

fn safe(interp: &mut Interp<'_>, value: TemplateValue, args: Args) -> Result<TemplateValue> {
    args.bind("safe", [], 0)?;
    let text = shown(interp, &value)?;
    let mut out = Text::new(&interp.meter);
    out.push(&text)?;
    out.finish_as(true)
}

fn string(interp: &mut Interp<'_>, value: TemplateValue, args: Args) -> Result<TemplateValue> {
    args.bind("string", [], 0)?;
    Ok(TemplateValue::Str(shown(interp, &value)?))
}

fn title(interp: &mut Interp<'_>, value: TemplateValue, args: Args) -> Result<TemplateValue> {
    args.bind("title", [], 0)?;
    let text = shown(interp, &value)?;
    interp.meter.work(text.len() / 2)?;
    let mut out = Text::new(&interp.meter);
    let mut begins = true;
    for c in text.chars() {
        let separates = is_space(c) || matches!(c, '-' | '(' | '{' | '[' | '<');
        let mut piece = String::new();
        match (begins, separates) {
            (_, true) => piece.push(c),
            (true, _) => piece.extend(c.to_uppercase()),
            (false, _) => piece.extend(c.to_lowercase()),
        }
        out.push(&piece)?;
        begins = separates;
    }
    out.finish()
}

fn format(interp: &mut Interp<'_>, value: TemplateValue, args: Args) -> Result<TemplateValue> {
    let format = shown(interp, &value)?;
    percent_args(interp, &format, args)
}

fn pprint(interp: &mut Interp<'_>, value: TemplateValue, args: Args) -> Result<TemplateValue> {
    args.bind("pprint", [], 0)?;
    let mut out = Text::new(&interp.meter);
    // Python sorts dictionaries, and divides values that are longer than a line.
    let value = sorted(interp, &value)?;
    repr(interp, &value, &mut out, 0)?;
    if out.as_str().chars().count() > 80 {
        return fail("`pprint` is supported for values of one line");
    }
    out.finish()
}

/// Returns a value with its dictionaries sorted by key.
fn sorted(interp: &Interp<'_>, value: &TemplateValue) -> Result<TemplateValue> {
    interp.meter.work(1)?;
    match value {
        TemplateValue::List(list) | TemplateValue::Tuple(list) => {
            let mut out = Listing::new(&interp.meter)?;
            for item in &list.items {
                out.push(sorted(interp, item)?)?;
            }
            if matches!(value, TemplateValue::List(_)) { out.finish() } else { out.finish_tuple() }
        }
        TemplateValue::Dict(dict) => {
            let _charge =
                Charge::new(&interp.meter, dict.len() * size_of::<(TemplateValue, TemplateValue)>())?;
            let mut entries = dict.entries().to_vec();
            sort(&interp.meter, &mut entries, false)?;
            let pairs = entries.into_iter().map(|(key, value)| Ok((key, sorted(interp, &value)?)));
            crate::jinja::dict(&interp.meter, pairs)
        }
        other => Ok(other.clone()),
    }
}

fn wordcount(interp: &mut Interp<'_>, value: TemplateValue, args: Args) -> Result<TemplateValue> {
    args.bind("wordcount", [], 0)?;
    let text = shown(interp, &value)?;
    interp.meter.work(text.len() / 2)?;
    let words = text.split(|c: char| c != '_' && !c.is_alphanumeric());
    Ok(TemplateValue::Int(words.filter(|word| !word.is_empty()).count() as i128))
}

fn truncate(interp: &mut Interp<'_>, value: TemplateValue, args: Args) -> Result<TemplateValue> {
    let [length, killwords, end, leeway] =
        args.bind("truncate", ["length", "killwords", "end", "leeway"], 0)?;
    let text = match &value {
        TemplateValue::Str(text) => text.clone(),
        TemplateValue::Undefined(_) => return Ok(value),
        other => {
            // A value that is short enough is returned unchanged, whatever its type.
            let [count, most] = [len(interp, other)? as i128, int_arg(length.as_ref(), 255)?];
            let leeway = int_arg(leeway.as_ref().filter(|value| !matches!(value, TemplateValue::None)), 5)?;
            if end.as_ref().map_or(Ok(3), |end| shown(interp, end).map(|end| end.chars().count() as i128))?
                <= most
                && leeway >= 0
                && count <= most.saturating_add(leeway)
            {
                return Ok(value);
            }
            return fail(format!("`truncate` needs a string, not a {}", other.type_name()));
        }
    };
    let length = int_arg(length.as_ref(), 255)?;
    let leeway = int_arg(leeway.as_ref().filter(|value| !matches!(value, TemplateValue::None)), 5)?;
    let end = match &end {
        Some(end) => shown(interp, end)?,
        None => {
            let mut end = Text::new(&interp.meter);
            end.push("...")?;
            end.finish_str()?
        }
    };
    interp.meter.work((text.len() + end.len()) / 16)?;
    let kept = length - end.chars().count() as i128;
    if kept < 0 {
        return fail("the length of `truncate` is less than the length of its `end`");
    }
    if leeway < 0 {
        return fail("the leeway of `truncate` is negative");
    }
    if text.chars().count() as i128 <= length.saturating_add(leeway) {
        return Ok(value);
    }
    let kept = usize::try_from(kept).unwrap_or(usize::MAX);
    let at = text.char_indices().nth(kept).map_or(text.len(), |(at, _)| at);
    let mut start = &text[..at];
    if !flag(killwords.as_ref(), false) {
        start = start.rsplit_once(' ').map_or(start, |(start, _)| start);
    }
    let mut out = Text::new(&interp.meter);
    out.push(start)?;
    out.push(&end)?;
    out.finish()
}

fn indent(interp: &mut Interp<'_>, value: TemplateValue, args: Args) -> Result<TemplateValue> {
    let [width, first, blank] = args.bind("indent", ["width", "first", "blank"], 0)?;
    let mut space = Text::new(&interp.meter);
    match &width {
        Some(TemplateValue::Str(text)) => space.push(text)?,
        width => {
            let width = int_arg(width.as_ref(), 4)?.max(0);
            space.push_many(" ", usize::try_from(width).unwrap_or(usize::MAX))?;
        }
    }
    let (first, blank) = (flag(first.as_ref(), false), flag(blank.as_ref(), false));
    let text = match &value {
        TemplateValue::Str(text) => text.clone(),
        TemplateValue::Undefined(missing) => return fail(interp.missing(*missing)),
        other => return fail(format!("`indent` needs a string, not a {}", other.type_name())),
    };
    let mut whole = Text::new(&interp.meter);
    whole.push(&text)?;
    whole.push("\n")?;
    let mut out = Text::new(&interp.meter);
    for (i, line) in lines(whole.as_str()).enumerate() {
        interp.meter.work(1)?;
        if i > 0 {
            out.push("\n")?;
        }
        if if i == 0 { first } else { blank || !line.is_empty() } {
            out.push(space.as_str())?;
        }
        out.push(line)?;
    }
    out.finish_as(text.is_markup())
}

/// Returns the lines of a text without their ends, as `splitlines` does.
pub(super) fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (line, more) = crate::jinja::methods::split_line(rest);
        rest = more;
        Some(line.0)
    })
}

fn filesizeformat(interp: &mut Interp<'_>, value: TemplateValue, args: Args) -> Result<TemplateValue> {
    let [binary] = args.bind("filesizeformat", ["binary"], 0)?;
    let bytes = match &value {
        TemplateValue::Float(value) => *value,
        TemplateValue::Str(text) => match text.trim().parse() {
            Ok(value) => value,
            Err(_) => return fail("`filesizeformat` needs a number"),
        },
        other => match other.as_int() {
            Some(value) => value as f64,
            None => return fail(format!("`filesizeformat` needs a number, not a {}", other.type_name())),
        },
    };
    let binary = flag(binary.as_ref(), false);
    let (base, infix): (f64, &str) = if binary { (1024.0, "iB") } else { (1000.0, "B") };
    let text = if bytes == 1.0 {
        "1 Byte".to_string()
    } else if bytes < base {
        format!("{} Bytes", bytes as i128)
    } else {
        let mut unit = base;
        let mut shown = String::new();
        for (i, prefix) in ["k", "M", "G", "T", "P", "E", "Z", "Y"].into_iter().enumerate() {
            unit *= base;
            let prefix = if binary && i == 0 { "K" } else { prefix };
            shown = format!("{:.1} {prefix}{infix}", base * bytes / unit);
            if bytes < unit {
                break;
            }
        }
        shown
    };
    TemplateValue::text(&interp.meter, &text)
}
