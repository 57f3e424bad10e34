//! The filter `tojson` as `transformers` defines it: Python's `json.dumps`.

use super::compare::sort;
use super::error::{Result, fail};
use super::filters::{Args, flag};
use super::interp::Interp;
use super::iterate::collect;
use super::meter::{Charge, Meter};
use super::show::float;
use super::value::{DEEPEST_VALUE, Str, TemplateValue, Text};
use std::rc::Rc;

/// How JSON is written.
struct Style {
    ascii: bool,
    /// The indentation of a level. Without it, everything is on one line.
    indent: Option<Str>,
    separators: [Str; 2],
    sorted: bool,
}

/// `tojson(value, ensure_ascii=false, indent=none, separators=none, sort_keys=false)`.
pub(crate) fn tojson(interp: &mut Interp<'_>, value: TemplateValue, args: Args) -> Result<TemplateValue> {
    let names = ["ensure_ascii", "indent", "separators", "sort_keys"];
    let [ascii, indent, separators, sorted] = args.bind("tojson", names, 0)?;
    let meter = interp.meter.clone();
    let text = |text: &str| {
        let mut out = Text::new(&meter);
        out.push(text)?;
        out.finish_str()
    };
    let indent = match &indent {
        None | Some(TemplateValue::None) => None,
        Some(TemplateValue::Str(indent)) => Some(indent.clone()),
        Some(other) => match other.as_int() {
            Some(width) => {
                let mut out = Text::new(&meter);
                out.push_many(" ", usize::try_from(width.max(0)).unwrap_or(usize::MAX))?;
                Some(out.finish_str()?)
            }
            None => return fail("`indent` must be a number or a string"),
        },
    };
    let separators = match &separators {
        None | Some(TemplateValue::None) => [text(if indent.is_some() { "," } else { ", " })?, text(": ")?],
        Some(pair) => match &collect(&meter, pair)?.items()[..] {
            [TemplateValue::Str(item), TemplateValue::Str(key)] => [item.clone(), key.clone()],
            _ => return fail("`separators` must be two strings"),
        },
    };
    let style = Style {
        ascii: flag(ascii.as_ref(), false),
        indent,
        separators,
        sorted: flag(sorted.as_ref(), false),
    };
    let mut out = Text::new(&meter);
    style.write(&meter, &value, 0, &mut out)?;
    out.finish()
}

/// Formats a value as JSON on one line.
pub(crate) fn dumps(meter: &Rc<Meter>, value: &TemplateValue) -> Result<String> {
    let text = |text: &str| {
        let mut out = Text::new(meter);
        out.push(text)?;
        out.finish_str()
    };
    let style = Style { ascii: false, indent: None, separators: [text(", ")?, text(": ")?], sorted: false };
    let mut out = Text::new(meter);
    style.write(meter, value, 0, &mut out)?;
    Ok(out.into_string())
}

/// Formats a float as in JSON.
fn number(value: f64) -> String {
    match value {
        value if value.is_nan() => "NaN".into(),
        f64::INFINITY => "Infinity".into(),
        f64::NEG_INFINITY => "-Infinity".into(),
        value => float(value),
    }
}

impl Style {
    fn write(&self, meter: &Rc<Meter>, value: &TemplateValue, depth: u16, out: &mut Text) -> Result<()> {
        if depth > DEEPEST_VALUE {
            return fail("the value is nested too deeply for JSON");
        }
        meter.work(1)?;
        match value {
            TemplateValue::None => out.push("null"),
            TemplateValue::Bool(value) => out.push(if *value { "true" } else { "false" }),
            TemplateValue::Int(value) => out.push(&value.to_string()),
            TemplateValue::Float(value) => out.push(&number(*value)),
            TemplateValue::Str(text) => self.text(text, out),
            TemplateValue::List(list) | TemplateValue::Tuple(list) => {
                out.push("[")?;
                for (i, item) in list.items.iter().enumerate() {
                    self.between(i, depth, out)?;
                    self.write(meter, item, depth + 1, out)?;
                }
                self.end(list.items.is_empty(), depth, out)?;
                out.push("]")
            }
            TemplateValue::Dict(dict) => {
                out.push("{")?;
                if self.sorted {
                    let _charge =
                        Charge::new(meter, dict.len() * size_of::<(TemplateValue, TemplateValue)>())?;
                    let mut entries: Vec<(TemplateValue, TemplateValue)> = dict.entries().to_vec();
                    sort(meter, &mut entries, false)?;
                    self.entries(meter, &entries, depth, out)?;
                } else {
                    self.entries(meter, dict.entries(), depth, out)?;
                }
                self.end(dict.is_empty(), depth, out)?;
                out.push("}")
            }
            // Python refuses iterators here.
            TemplateValue::Iter(_) => self.write(meter, &collect(meter, value)?.finish()?, depth, out),
            other => fail(format!("a {} cannot be converted to JSON", other.type_name())),
        }
    }

    fn entries(
        &self,
        meter: &Rc<Meter>,
        entries: &[(TemplateValue, TemplateValue)],
        depth: u16,
        out: &mut Text,
    ) -> Result<()> {
        for (i, (key, value)) in entries.iter().enumerate() {
            self.between(i, depth, out)?;
            match key {
                TemplateValue::Str(key) => self.text(key, out)?,
                // Keys other than strings are converted to strings.
                TemplateValue::None => self.text("null", out)?,
                TemplateValue::Bool(key) => self.text(if *key { "true" } else { "false" }, out)?,
                TemplateValue::Int(key) => self.text(&key.to_string(), out)?,
                TemplateValue::Float(key) => self.text(&number(*key), out)?,
                other => return fail(format!("a {} cannot be a JSON key", other.type_name())),
            }
            out.push(&self.separators[1])?;
            self.write(meter, value, depth + 1, out)?;
        }
        Ok(())
    }

    /// Writes what precedes an item.
    fn between(&self, i: usize, depth: u16, out: &mut Text) -> Result<()> {
        if i > 0 {
            out.push(&self.separators[0])?;
        }
        self.new_line(depth + 1, out)
    }

    fn end(&self, empty: bool, depth: u16, out: &mut Text) -> Result<()> {
        if empty { Ok(()) } else { self.new_line(depth, out) }
    }

    fn new_line(&self, depth: u16, out: &mut Text) -> Result<()> {
        if let Some(indent) = &self.indent {
            out.push("\n")?;
            out.push_many(indent, usize::from(depth))?;
        }
        Ok(())
    }

    fn text(&self, text: &str, out: &mut Text) -> Result<()> {
        out.push("\"")?;
        let mut plain = 0;
        for (at, c) in text.char_indices() {
            let escape = match c {
                '"' => "\\\"".to_string(),
                '\\' => "\\\\".to_string(),
                '\n' => "\\n".to_string(),
                '\r' => "\\r".to_string(),
                '\t' => "\\t".to_string(),
                '\u{8}' => "\\b".to_string(),
                '\u{c}' => "\\f".to_string(),
                c if c < ' ' || self.ascii && c > '~' => {
                    let mut units = [0; 2];
                    c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")).collect()
                }
                _ => continue,
            };
            out.push(&text[plain..at])?;
            out.push(&escape)?;
            plain = at + c.len_utf8();
        }
        out.push(&text[plain..])?;
        out.push("\"")
    }
}
