//! Prints values as Python's `str` and `repr` do.

use super::error::{Result, fail};
use super::interp::Interp;
use super::unicode::is_printable;
use super::value::{DEEPEST_VALUE, TemplateValue, Text, View};

/// Writes a value as `str` does.
pub(crate) fn show(interp: &Interp<'_>, value: &TemplateValue, out: &mut Text) -> Result<()> {
    match value {
        TemplateValue::Str(text) => out.push(text),
        TemplateValue::Undefined(_) => Ok(()),
        other => repr(interp, other, out, 0),
    }
}

/// Returns what `str` returns for a value.
pub(crate) fn shown(interp: &Interp<'_>, value: &TemplateValue) -> Result<super::value::Str> {
    if let TemplateValue::Str(text) = value {
        return Ok(text.clone());
    }
    let mut out = Text::new(&interp.meter);
    show(interp, value, &mut out)?;
    out.finish_str()
}

/// Writes a value as `repr` does.
pub(crate) fn repr(interp: &Interp<'_>, value: &TemplateValue, out: &mut Text, depth: u16) -> Result<()> {
    // Namespaces may contain themselves.
    if depth > DEEPEST_VALUE {
        return fail("the value is nested too deeply to be printed");
    }
    interp.meter.work(1)?;
    match value {
        TemplateValue::Undefined(_) => out.push("Undefined"),
        TemplateValue::None => out.push("None"),
        TemplateValue::Bool(true) => out.push("True"),
        TemplateValue::Bool(false) => out.push("False"),
        TemplateValue::Int(value) => out.push(&value.to_string()),
        TemplateValue::Float(value) => out.push(&float(*value)),
        TemplateValue::Str(text) if text.is_markup() => {
            out.push("Markup(")?;
            quote(text, out, false)?;
            out.push(")")
        }
        TemplateValue::Str(text) => quote(text, out, false),
        TemplateValue::List(list) => sequence(interp, ["[", "]"], &list.items, out, depth),
        TemplateValue::Tuple(list) if list.items.len() == 1 => {
            sequence(interp, ["(", ",)"], &list.items, out, depth)
        }
        TemplateValue::Tuple(list) => sequence(interp, ["(", ")"], &list.items, out, depth),
        TemplateValue::Dict(dict) => entries(interp, dict.entries(), out, depth),
        TemplateValue::View(view, dict) => {
            out.push(value.type_name())?;
            out.push("([")?;
            for (i, (key, value)) in dict.entries().iter().enumerate() {
                if i > 0 {
                    out.push(", ")?;
                }
                match view {
                    View::Keys => repr(interp, key, out, depth + 1)?,
                    View::Values => repr(interp, value, out, depth + 1)?,
                    View::Items => {
                        out.push("(")?;
                        repr(interp, key, out, depth + 1)?;
                        out.push(", ")?;
                        repr(interp, value, out, depth + 1)?;
                        out.push(")")?;
                    }
                }
            }
            out.push("])")
        }
        TemplateValue::Range(range) if range.step == 1 => {
            out.push(&format!("range({}, {})", range.start, range.stop))
        }
        TemplateValue::Range(range) => {
            out.push(&format!("range({}, {}, {})", range.start, range.stop, range.step))
        }
        TemplateValue::Namespace(id) => {
            out.push("<Namespace ")?;
            let attributes = interp.namespaces.get(*id as usize).map_or(&[][..], |dict| dict.entries());
            entries(interp, attributes, out, depth)?;
            out.push(">")
        }
        TemplateValue::Macro(id) => {
            let decl = interp.macros.get(*id as usize).map(|closure| interp.decl(closure.decl));
            match decl.and_then(|decl| decl.name) {
                Some(name) => out.push(&format!("<Macro '{}'>", interp.ast.names[name as usize])),
                None => out.push("<Macro anonymous>"),
            }
        }
        TemplateValue::Loop(id, serial) => {
            let state = &interp.loops[interp.live_loop(*id, *serial)?];
            let length = state.items.len().filter(|_| state.decl.test.is_none());
            let Some(length) = length else { return fail("the length of the loop is unknown") };
            out.push(&format!("<LoopContext {}/{}>", state.index, state.index + length + state.ahead.len()))
        }
        TemplateValue::Itself => out.push("<TemplateReference None>"),
        other => fail(format!("a {} has no text", other.type_name())),
    }
}

fn sequence(
    interp: &Interp<'_>,
    brackets: [&str; 2],
    items: &[TemplateValue],
    out: &mut Text,
    depth: u16,
) -> Result<()> {
    out.push(brackets[0])?;
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            out.push(", ")?;
        }
        repr(interp, item, out, depth + 1)?;
    }
    out.push(brackets[1])
}

fn entries(
    interp: &Interp<'_>,
    entries: &[(TemplateValue, TemplateValue)],
    out: &mut Text,
    depth: u16,
) -> Result<()> {
    out.push("{")?;
    for (i, (key, value)) in entries.iter().enumerate() {
        if i > 0 {
            out.push(", ")?;
        }
        repr(interp, key, out, depth + 1)?;
        out.push(": ")?;
        repr(interp, value, out, depth + 1)?;
    }
    out.push("}")
}

/// Writes a string in quotes, with Python's escapes.
pub(crate) fn quote(text: &str, out: &mut Text, ascii: bool) -> Result<()> {
    let mark = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    out.push_char(mark)?;
    let mut plain = 0;
    for (at, c) in text.char_indices() {
        let escape = match c {
            '\\' => "\\\\".to_string(),
            '\n' => "\\n".to_string(),
            '\r' => "\\r".to_string(),
            '\t' => "\\t".to_string(),
            c if c == mark => format!("\\{c}"),
            c if c.is_ascii() && is_printable(c) => continue,
            c => {
                out.meter().work(4)?;
                if !ascii && !c.is_ascii() && is_printable(c) {
                    continue;
                }
                match u32::from(c) {
                    code @ ..=0xff => format!("\\x{code:02x}"),
                    code @ ..=0xffff => format!("\\u{code:04x}"),
                    code => format!("\\U{code:08x}"),
                }
            }
        };
        out.push(&text[plain..at])?;
        out.push(&escape)?;
        plain = at + c.len_utf8();
    }
    out.push(&text[plain..])?;
    out.push_char(mark)
}

/// Formats a float as Python does: with the fewest digits that identify it, and with an exponent if it is very large
/// or small.
pub(crate) fn float(value: f64) -> String {
    if value.is_nan() {
        return "nan".into();
    }
    if value.is_infinite() {
        return if value > 0.0 { "inf".into() } else { "-inf".into() };
    }
    let scientific = format!("{value:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..16).contains(&exponent) {
        let plain = format!("{value}");
        return if plain.contains('.') { plain } else { plain + ".0" };
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}

#[cfg(test)]
mod tests {
    use super::float;

    #[test]
    fn floats_are_python_s() {
        let cases = [
            (1.0, "1.0"),
            (0.1, "0.1"),
            (1e16, "1e+16"),
            (1e15, "1000000000000000.0"),
            (1e-5, "1e-05"),
            (0.0001, "0.0001"),
            (-2.5e-10, "-2.5e-10"),
            (1e100, "1e+100"),
            (123456.789, "123456.789"),
            (-0.0, "-0.0"),
        ]; // rustfmt keeps a table of pairs dense.
        for (value, expected) in cases {
            assert_eq!(float(value), expected);
        }
    }
}
