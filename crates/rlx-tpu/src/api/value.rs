//! Named values: attributes of plugins and devices, and the compiler's estimates.

use super::text;
use crate::ffi::NamedValue;
use std::fmt;

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
