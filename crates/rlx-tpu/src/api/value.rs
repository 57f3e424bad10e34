//! Named values: attributes of plugins and devices, options of clients, and the compiler's estimates.

use super::text;
use crate::ffi::NamedValue;
use std::ffi::c_int;
use std::fmt;
use std::marker::PhantomData;

/// A value of an attribute.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// Text.
    Text(String),
    /// An integer.
    Integer(i64),
    /// A list of integers.
    Integers(Vec<i64>),
    /// A float.
    Float(f32),
    /// A boolean.
    Bool(bool),
    /// A value of an unknown kind, with the number of the kind.
    Other(i32),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Text(text) => f.write_str(text),
            Value::Integer(value) => write!(f, "{value}"),
            Value::Integers(values) => {
                let values: Vec<String> = values.iter().map(i64::to_string).collect();
                f.write_str(&values.join("."))
            }
            Value::Float(value) => write!(f, "{value}"),
            Value::Bool(value) => write!(f, "{value}"),
            Value::Other(kind) => write!(f, "a value of kind {kind}"),
        }
    }
}

impl Value {
    /// Parses a value: `true` or `false`, an integer, a number with a decimal point, or integers in brackets separated by commas. Anything
    /// else is text.
    pub fn parse(text: &str) -> Value {
        let integers =
            |list: &str| list.split(',').map(|n| n.trim().parse().ok()).collect::<Option<Vec<i64>>>();
        let list = text.strip_prefix('[').and_then(|t| t.strip_suffix(']')).and_then(integers);
        match (text, text.parse(), text.parse()) {
            ("true", ..) => Value::Bool(true),
            ("false", ..) => Value::Bool(false),
            (_, Ok(integer), _) => Value::Integer(integer),
            (_, _, Ok(float)) if text.contains('.') => Value::Float(float),
            _ => list.map_or_else(|| Value::Text(text.into()), Value::Integers),
        }
    }
}

/// Named values in the form that plugins take. They point into the values that they were made from.
pub(crate) struct NamedValues<'a> {
    entries: Vec<NamedValue>,
    of: PhantomData<&'a [(String, Value)]>,
}

impl<'a> NamedValues<'a> {
    /// Makes the entries. If a value has an unknown kind, it cannot be passed on, and its name is returned as the error.
    pub(crate) fn new(values: &'a [(String, Value)]) -> Result<Self, &'a str> {
        let entry = |(name, value): &'a (String, Value)| {
            let (kind, content, size) = match value {
                Value::Text(text) => (0, text.as_ptr().expose_provenance() as i64, text.len()),
                Value::Integer(value) => (1, *value, 1),
                Value::Integers(list) => (2, list.as_ptr().expose_provenance() as i64, list.len()),
                Value::Float(value) => (3, i64::from(value.to_bits()), 1),
                Value::Bool(value) => (4, i64::from(*value), 1),
                Value::Other(_) => return Err(name.as_str()),
            };
            let mut entry = NamedValue::zeroed();
            entry.name = name.as_ptr().cast();
            entry.name_size = name.len();
            entry.r#type = kind as c_int;
            entry.int64_value = content;
            entry.value_size = size;
            Ok(entry)
        };
        let entries = values.iter().map(entry).collect::<Result<_, _>>()?;
        Ok(NamedValues { entries, of: PhantomData })
    }

    /// Returns the start and the number of the entries.
    pub(crate) fn as_parts(&self) -> (*const NamedValue, usize) {
        (self.entries.as_ptr(), self.entries.len())
    }
}

/// Reads a list of named values that a plugin returned.
///
/// # Safety
/// `start` must point to `count` values, or be null.
pub(crate) unsafe fn values(start: *const NamedValue, count: usize) -> Vec<(String, Value)> {
    let mut list = Vec::new();
    let mut at = start;
    for _ in 0..if start.is_null() { 0 } else { count } {
        // SAFETY: the caller guarantees that there are this many values.
        let value = unsafe { &*at };
        // SAFETY: name and value of an entry have the lengths stated in it.
        list.push(unsafe { (text(value.name, value.name_size), one(value)) });
        // SAFETY: a plugin of another version may have entries of another size. Each entry states its size, which is rounded up
        // to its alignment.
        at = unsafe { at.byte_add(value.struct_size.next_multiple_of(align_of::<NamedValue>())) };
    }
    list
}

/// # Safety
/// The value must have the length stated in it.
unsafe fn one(value: &NamedValue) -> Value {
    let bytes = value.int64_value.to_le_bytes();
    let pointer = std::ptr::with_exposed_provenance::<u8>(value.int64_value as usize);
    match value.r#type {
        // SAFETY: the kind says that this is text of that length.
        0 => Value::Text(unsafe { text(pointer.cast(), value.value_size) }),
        1 => Value::Integer(value.int64_value),
        2 if !pointer.is_null() => {
            // SAFETY: the kind says that these are integers, and the value states their number.
            let list = unsafe { std::slice::from_raw_parts(pointer.cast::<i64>(), value.value_size) };
            Value::Integers(list.to_vec())
        }
        2 => Value::Integers(Vec::new()),
        3 => Value::Float(f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])),
        4 => Value::Bool(bytes[0] != 0),
        other => Value::Other(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_of_the_kind_that_their_text_has() {
        assert_eq!(Value::parse("true"), Value::Bool(true));
        assert_eq!(Value::parse("-3"), Value::Integer(-3));
        assert_eq!(Value::parse("0.5"), Value::Float(0.5));
        assert_eq!(Value::parse("[0,1]"), Value::Integers(vec![0, 1]));
        for text in ["", "platform", "[a]", "[", "nan", "1e3"] {
            assert_eq!(Value::parse(text), Value::Text(text.into()));
        }
    }

    #[test]
    fn what_is_passed_on_reads_back() {
        let all = ["true", "-3", "0.5", "[4,5,6]", "platform", ""]
            .map(|text| (format!("name {text}"), Value::parse(text)));
        let named = NamedValues::new(&all).expect("known kinds");
        let (start, count) = named.as_parts();
        // SAFETY: the entries exist, and point into `all`.
        assert_eq!(unsafe { values(start, count) }, all);
        assert_eq!(NamedValues::new(&[("a".into(), Value::Other(9))]).err(), Some("a"));
    }
}
