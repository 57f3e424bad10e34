//! Methods and attributes of values: those of Python that do not modify anything.

mod others;
mod parts;
mod text;

use super::error::{Result, fail};
use super::filters::Args;
use super::interp::Interp;
use super::value::{Missing, Str, TemplateValue, Text};

pub(crate) use parts::split_line;
pub(crate) use text::{is_lower, is_upper};

pub(crate) type MethodFn = fn(&mut Interp<'_>, &TemplateValue, Args) -> Result<TemplateValue>;
pub(crate) type TextFn = fn(&mut Interp<'_>, &Str, Args) -> Result<TemplateValue>;

/// Methods that modify lists and dictionaries, which a template may not do.
const CHANGING: &[&str] = &[
    "append",
    "clear",
    "extend",
    "insert",
    "pop",
    "popitem",
    "remove",
    "reverse",
    "setdefault",
    "sort",
    "update",
];

fn text_table(name: &str) -> Option<TextFn> {
    let tables = [text::METHODS, parts::METHODS];
    tables.into_iter().flatten().find(|(known, _)| *known == name).map(|(_, run)| *run)
}

/// Calls a method of a string.
pub(crate) fn call_text_method(
    interp: &mut Interp<'_>,
    text: Str,
    name: &str,
    args: Args,
) -> Result<TemplateValue> {
    match text_table(name) {
        Some(run) => run(interp, &text, args),
        None => fail("a string has no such method"),
    }
}

/// A method that was found.
#[derive(Clone, Copy)]
pub(crate) enum Method {
    Text(TextFn),
    Other(MethodFn),
}

impl Method {
    pub(crate) fn call(
        self,
        interp: &mut Interp<'_>,
        value: &TemplateValue,
        args: Args,
    ) -> Result<TemplateValue> {
        match (self, value) {
            (Method::Text(run), TemplateValue::Str(text)) => run(interp, text, args),
            (Method::Other(run), value) => run(interp, value, args),
            (Method::Text(_), other) => fail(format!("a {} is not a string", other.type_name())),
        }
    }
}

/// Returns the method of a value with this name.
pub(crate) fn method(value: &TemplateValue, name: &str) -> Option<Method> {
    if let TemplateValue::Str(_) = value {
        return text_table(name).map(Method::Text);
    }
    let (_, run) = others::table(value)?.iter().find(|(known, _)| *known == name)?;
    Some(Method::Other(*run))
}

/// Evaluates `value.name`: an attribute, or otherwise an item.
pub(crate) fn attribute(
    interp: &mut Interp<'_>,
    value: &TemplateValue,
    name: &str,
) -> Result<Option<TemplateValue>> {
    if let Some(found) = own_attribute(interp, value, name)? {
        return Ok(Some(found));
    }
    match value {
        TemplateValue::Dict(dict) => Ok(dict.get_str(name)?.cloned()),
        _ => Ok(None),
    }
}

/// Returns an attribute of a value, but not an item.
pub(crate) fn own_attribute(
    interp: &mut Interp<'_>,
    value: &TemplateValue,
    name: &str,
) -> Result<Option<TemplateValue>> {
    if name.starts_with('_') {
        return Ok(None);
    }
    let changes = match value {
        TemplateValue::List(_) => CHANGING.contains(&name),
        TemplateValue::Dict(_) => {
            CHANGING[..].contains(&name)
                && !matches!(name, "append" | "extend" | "insert" | "remove" | "reverse" | "sort")
        }
        _ => false,
    };
    if changes {
        return Ok(Some(TemplateValue::Undefined(Missing::Other(
            "a template may not modify lists and dictionaries",
        ))));
    }
    if method(value, name).is_some() {
        let mut text = Text::new(&interp.meter);
        text.push(name)?;
        return TemplateValue::method(&interp.meter, value.clone(), text.finish_str()?).map(Some);
    }
    others::attribute(interp, value, name)
}
