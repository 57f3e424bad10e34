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
    /// A kind that is not known here, by its number.
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
    /// The value that a text means: `true` or `false`, an integer, a number with a point, integers in brackets with commas between
    /// them, or else the text itself.
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

/// Named values as a plugin takes them, which point into those that they were made of.
pub(crate) struct NamedValues<'a> {
    entries: Vec<NamedValue>,
    of: PhantomData<&'a [(String, Value)]>,
}

impl<'a> NamedValues<'a> {
    /// The entries. A value of a kind that is not known here cannot be passed on: its name is the error.
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

    /// Where they start, and how many they are.
    pub(crate) fn as_parts(&self) -> (*const NamedValue, usize) {
        (self.entries.as_ptr(), self.entries.len())
    }
}

/// A list of named values that a plugin returned.
///
/// # Safety
/// `start` points to `count` values, or is null.
pub(crate) unsafe fn values(start: *const NamedValue, count: usize) -> Vec<(String, Value)> {
    let mut list = Vec::new();
    let mut at = start;
    for _ in 0..if start.is_null() { 0 } else { count } {
        // SAFETY: the caller says that there are as many values.
        let value = unsafe { &*at };
        // SAFETY: name and value of an entry are as long as it says.
        list.push(unsafe { (text(value.name, value.name_size), one(value)) });
        // SAFETY: a plugin of another version has entries of another size, which each entry tells, rounded up to its
        // alignment.
        at = unsafe { at.byte_add(value.struct_size.next_multiple_of(align_of::<NamedValue>())) };
    }
    list
}

/// # Safety
/// The value is as long as it says.
unsafe fn one(value: &NamedValue) -> Value {
    let bytes = value.int64_value.to_le_bytes();
    let pointer = std::ptr::with_exposed_provenance::<u8>(value.int64_value as usize);
    match value.r#type {
        // SAFETY: the kind says that this is text of that length.
        0 => Value::Text(unsafe { text(pointer.cast(), value.value_size) }),
        1 => Value::Integer(value.int64_value),
        2 if !pointer.is_null() => {
            // SAFETY: the kind says that these are integers, as many as it says.
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
        // SAFETY: the entries are there, and point into `all`.
        assert_eq!(unsafe { values(start, count) }, all);
        assert_eq!(NamedValues::new(&[("a".into(), Value::Other(9))]).err(), Some("a"));
    }
}
