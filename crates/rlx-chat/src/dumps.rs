//! The filter `tojson`, as templates of `transformers` have it: Python's `json.dumps`.

use minijinja::value::{Kwargs, ValueKind};
use minijinja::{Error, ErrorKind, Value};
use std::fmt::Write;

/// How JSON is written.
struct Style {
    ascii: bool,
    /// What a level is indented by; everything in one line without it.
    indent: Option<String>,
    separators: [String; 2],
    sorted: bool,
}

/// How deep lists and objects may stand inside each other.
const DEEPEST: usize = 64;

/// `tojson(value, ensure_ascii=false, indent=none, separators=none, sort_keys=false)`.
pub(crate) fn tojson(
    value: &Value,
    ascii: Option<bool>,
    indent: Option<Value>,
    options: Kwargs,
) -> Result<String, Error> {
    let indent =
        indent.or(options.get::<Option<Value>>("indent")?).filter(|v| !v.is_none() && !v.is_undefined());
    let indent = match indent {
        None => None,
        Some(text) if text.kind() == ValueKind::String => Some(text.to_string()),
        Some(number) => Some(" ".repeat(usize::try_from(number)?.min(64))),
    };
    let separators = match options.get::<Option<Vec<String>>>("separators")?.as_deref() {
        Some([item, key]) => [item.clone(), key.clone()],
        Some(_) => return Err(Error::new(ErrorKind::InvalidOperation, "separators are two texts")),
        None if indent.is_some() => [",".into(), ": ".into()],
        None => [", ".into(), ": ".into()],
    };
    let ascii = ascii.or(options.get("ensure_ascii")?).unwrap_or(false);
    let sorted = options.get::<Option<bool>>("sort_keys")?.unwrap_or(false);
    options.assert_all_used()?;
    let mut out = String::new();
    Style { ascii, indent, separators, sorted }.write(value, 0, &mut out)?;
    Ok(out)
}

impl Style {
    fn write(&self, value: &Value, depth: usize, out: &mut String) -> Result<(), Error> {
        if depth > DEEPEST {
            return Err(Error::new(ErrorKind::BadSerialization, "the value is too deep for JSON"));
        }
        match value.kind() {
            ValueKind::None => out.push_str("null"),
            ValueKind::Bool => out.push_str(if value.is_true() { "true" } else { "false" }),
            ValueKind::Number if value.is_integer() => out.push_str(&value.to_string()),
            ValueKind::Number => out.push_str(&float(f64::try_from(value.clone())?)),
            ValueKind::String => self.text(value.as_str().unwrap_or_default(), out),
            ValueKind::Seq | ValueKind::Iterable => {
                let items: Vec<Value> = value.try_iter()?.collect();
                self.items(['[', ']'], items.iter(), depth, out, |item, out| {
                    self.write(item, depth + 1, out)
                })?;
            }
            ValueKind::Map => {
                let mut keys: Vec<Value> = value.try_iter()?.collect();
                if self.sorted {
                    keys.sort();
                }
                self.items(['{', '}'], keys.iter(), depth, out, |key, out| {
                    match key.kind() {
                        ValueKind::String => self.text(key.as_str().unwrap_or_default(), out),
                        // Other keys are written as the texts of their JSON.
                        _ => {
                            let mut name = String::new();
                            self.write(key, depth + 1, &mut name)?;
                            self.text(&name, out);
                        }
                    }
                    out.push_str(&self.separators[1]);
                    self.write(&value.get_item(key)?, depth + 1, out)
                })?;
            }
            other => {
                let problem = format!("a value of the kind {other} has no JSON");
                return Err(Error::new(ErrorKind::BadSerialization, problem));
            }
        }
        Ok(())
    }

    fn items<'v>(
        &self,
        brackets: [char; 2],
        items: impl ExactSizeIterator<Item = &'v Value>,
        depth: usize,
        out: &mut String,
        mut write: impl FnMut(&Value, &mut String) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let any = items.len() > 0;
        out.push(brackets[0]);
        for (i, item) in items.enumerate() {
            if i > 0 {
                out.push_str(&self.separators[0]);
            }
            self.new_line(depth + 1, out);
            write(item, out)?;
        }
        if any {
            self.new_line(depth, out);
        }
        out.push(brackets[1]);
        Ok(())
    }

    fn new_line(&self, depth: usize, out: &mut String) {
        if let Some(indent) = &self.indent {
            out.push('\n');
            out.extend(std::iter::repeat_n(indent.as_str(), depth));
        }
    }

    fn text(&self, text: &str, out: &mut String) {
        out.push('"');
        for c in text.chars() {
            match c {
                '"' => out.push_str("\\\""),
                '\\' => out.push_str("\\\\"),
                '\n' => out.push_str("\\n"),
                '\r' => out.push_str("\\r"),
                '\t' => out.push_str("\\t"),
                '\u{8}' => out.push_str("\\b"),
                '\u{c}' => out.push_str("\\f"),
                c if c < ' ' || (self.ascii && !c.is_ascii()) || (self.ascii && c == '\u{7f}') => {
                    for unit in c.encode_utf16(&mut [0; 2]) {
                        // Writing to a text does not fail.
                        let _ = write!(out, "\\u{unit:04x}");
                    }
                }
                c => out.push(c),
            }
        }
        out.push('"');
    }
}

/// A float as Python writes it: the fewest digits that say which it is, with an exponent where it is far from 1.
pub(crate) fn float(value: f64) -> String {
    if value.is_nan() {
        return "NaN".into();
    }
    if value.is_infinite() {
        return if value > 0.0 { "Infinity".into() } else { "-Infinity".into() };
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
