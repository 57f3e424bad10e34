//! Values of metadata: numbers, strings and arrays. Strings and arrays stay in the bytes of the file, which are
//! checked once.

use crate::DEEPEST_ARRAY;
use crate::cursor::{Cursor, Encoding};
use crate::error::{FormatError, Problem};
use std::borrow::Cow;
use std::fmt;

/// Types of values, with their numbers in files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)] // The names say it.
pub enum MetaType {
    U8 = 0,
    I8 = 1,
    U16 = 2,
    I16 = 3,
    U32 = 4,
    I32 = 5,
    F32 = 6,
    Bool = 7,
    Text = 8,
    Array = 9,
    U64 = 10,
    I64 = 11,
    F64 = 12,
}

impl MetaType {
    const ALL: [Self; 13] = [
        Self::U8,
        Self::I8,
        Self::U16,
        Self::I16,
        Self::U32,
        Self::I32,
        Self::F32,
        Self::Bool,
        Self::Text,
        Self::Array,
        Self::U64,
        Self::I64,
        Self::F64,
    ];

    fn read(cursor: &mut Cursor<'_>) -> Result<Self, FormatError> {
        let before = cursor.clone();
        let number = cursor.u32()?;
        let known = Self::ALL.into_iter().find(|kind| *kind as u32 == number);
        known.ok_or_else(|| before.error(Problem::ValueType(number)))
    }

    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            Self::U8 => "u8",
            Self::I8 => "i8",
            Self::U16 => "u16",
            Self::I16 => "i16",
            Self::U32 => "u32",
            Self::I32 => "i32",
            Self::F32 => "f32",
            Self::Bool => "bool",
            Self::Text => "text",
            Self::Array => "array",
            Self::U64 => "u64",
            Self::I64 => "i64",
            Self::F64 => "f64",
        }
    }

    /// Returns how many bytes a number of this type has; `None` for types without a fixed length.
    fn bytes(self) -> Option<usize> {
        match self {
            Self::U8 | Self::I8 | Self::Bool => Some(1),
            Self::U16 | Self::I16 => Some(2),
            Self::U32 | Self::I32 | Self::F32 => Some(4),
            Self::U64 | Self::I64 | Self::F64 => Some(8),
            Self::Text | Self::Array => None,
        }
    }
}

impl fmt::Display for MetaType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A value of a key.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)] // The names say it.
pub enum MetaValue<'a> {
    U8(u8),
    I8(i8),
    U16(u16),
    I16(i16),
    U32(u32),
    I32(i32),
    F32(f32),
    Bool(bool),
    /// The format requires UTF-8, but files do not always comply.
    Text(Cow<'a, [u8]>),
    Array(Array<'a>),
    U64(u64),
    I64(i64),
    F64(f64),
}

impl<'a> MetaValue<'a> {
    /// Reads a value of a type; the cursor is then at its end.
    pub(crate) fn read(
        kind: MetaType,
        cursor: &mut Cursor<'a>,
        depth: usize,
    ) -> Result<MetaValue<'a>, FormatError> {
        Ok(match kind {
            MetaType::U8 => MetaValue::U8(u8::from_le_bytes(cursor.number()?)),
            MetaType::I8 => MetaValue::I8(i8::from_le_bytes(cursor.number()?)),
            MetaType::U16 => MetaValue::U16(u16::from_le_bytes(cursor.number()?)),
            MetaType::I16 => MetaValue::I16(i16::from_le_bytes(cursor.number()?)),
            MetaType::U32 => MetaValue::U32(cursor.u32()?),
            MetaType::I32 => MetaValue::I32(i32::from_le_bytes(cursor.number()?)),
            MetaType::F32 => MetaValue::F32(f32::from_le_bytes(cursor.number()?)),
            MetaType::U64 => MetaValue::U64(cursor.u64()?),
            MetaType::I64 => MetaValue::I64(i64::from_le_bytes(cursor.number()?)),
            MetaType::F64 => MetaValue::F64(f64::from_le_bytes(cursor.number()?)),
            MetaType::Bool => {
                let before = cursor.clone();
                match cursor.take(1)? {
                    [0] => MetaValue::Bool(false),
                    [1] => MetaValue::Bool(true),
                    other => return Err(before.error(Problem::Bool(other.first().copied().unwrap_or(0)))),
                }
            }
            MetaType::Text => {
                let len = cursor.length()?;
                MetaValue::Text(Cow::Borrowed(cursor.take(len)?))
            }
            MetaType::Array => MetaValue::Array(Array::read(cursor, depth + 1)?),
        })
    }

    /// Reads the type and the value at the position of the cursor.
    pub(crate) fn read_typed(cursor: &mut Cursor<'a>) -> Result<MetaValue<'a>, FormatError> {
        let kind = MetaType::read(cursor)?;
        MetaValue::read(kind, cursor, 0)
    }

    /// Returns the type.
    pub fn value_type(&self) -> MetaType {
        match self {
            MetaValue::U8(_) => MetaType::U8,
            MetaValue::I8(_) => MetaType::I8,
            MetaValue::U16(_) => MetaType::U16,
            MetaValue::I16(_) => MetaType::I16,
            MetaValue::U32(_) => MetaType::U32,
            MetaValue::I32(_) => MetaType::I32,
            MetaValue::F32(_) => MetaType::F32,
            MetaValue::Bool(_) => MetaType::Bool,
            MetaValue::Text(_) => MetaType::Text,
            MetaValue::Array(_) => MetaType::Array,
            MetaValue::U64(_) => MetaType::U64,
            MetaValue::I64(_) => MetaType::I64,
            MetaValue::F64(_) => MetaType::F64,
        }
    }

    /// Returns the number if it is a non-negative integer.
    pub fn as_u64(&self) -> Option<u64> {
        u64::try_from(self.as_int()?).ok()
    }

    /// Returns the number if it is an integer.
    pub fn as_int(&self) -> Option<i128> {
        Some(match *self {
            MetaValue::U8(v) => v.into(),
            MetaValue::I8(v) => v.into(),
            MetaValue::U16(v) => v.into(),
            MetaValue::I16(v) => v.into(),
            MetaValue::U32(v) => v.into(),
            MetaValue::I32(v) => v.into(),
            MetaValue::U64(v) => v.into(),
            MetaValue::I64(v) => v.into(),
            _ => return None,
        })
    }

    /// Returns the number, whatever its type.
    pub fn as_f64(&self) -> Option<f64> {
        match *self {
            MetaValue::F32(v) => Some(v.into()),
            MetaValue::F64(v) => Some(v),
            _ => self.as_int().map(|v| v as f64),
        }
    }

    /// Returns the boolean.
    pub fn as_bool(&self) -> Option<bool> {
        if let MetaValue::Bool(v) = *self { Some(v) } else { None }
    }

    /// Returns the string if it is UTF-8.
    pub fn as_str(&self) -> Option<&str> {
        if let MetaValue::Text(text) = self { std::str::from_utf8(text).ok() } else { None }
    }

    /// Returns the array.
    pub fn as_array(&self) -> Option<&Array<'a>> {
        if let MetaValue::Array(array) = self { Some(array) } else { None }
    }

    /// Writes the value in the encoding of this crate.
    fn write(&self, out: &mut Vec<u8>) {
        match self {
            MetaValue::U8(v) => out.push(*v),
            MetaValue::I8(v) => out.extend(v.to_le_bytes()),
            MetaValue::U16(v) => out.extend(v.to_le_bytes()),
            MetaValue::I16(v) => out.extend(v.to_le_bytes()),
            MetaValue::U32(v) => out.extend(v.to_le_bytes()),
            MetaValue::I32(v) => out.extend(v.to_le_bytes()),
            MetaValue::F32(v) => out.extend(v.to_le_bytes()),
            MetaValue::Bool(v) => out.push((*v).into()),
            MetaValue::U64(v) => out.extend(v.to_le_bytes()),
            MetaValue::I64(v) => out.extend(v.to_le_bytes()),
            MetaValue::F64(v) => out.extend(v.to_le_bytes()),
            MetaValue::Text(text) => {
                out.extend((text.len() as u64).to_le_bytes());
                out.extend_from_slice(text);
            }
            MetaValue::Array(array) => {
                out.extend((array.element as u32).to_le_bytes());
                out.extend((array.len as u64).to_le_bytes());
                if array.encoding == Encoding::WRITTEN {
                    out.extend_from_slice(&array.bytes);
                } else {
                    array.iter().for_each(|value| value.write(out));
                }
            }
        }
    }

    /// Writes the type and the value in the encoding of this crate.
    pub(crate) fn write_typed(&self, out: &mut Vec<u8>) {
        out.extend((self.value_type() as u32).to_le_bytes());
        self.write(out);
    }
}

impl From<&str> for MetaValue<'_> {
    fn from(text: &str) -> Self {
        MetaValue::Text(Cow::Owned(text.as_bytes().to_vec()))
    }
}

/// Values of one type, in the bytes of a file.
#[derive(Clone, Debug)]
pub struct Array<'a> {
    element: MetaType,
    len: usize,
    bytes: Cow<'a, [u8]>,
    encoding: Encoding,
    /// How many arrays surround the elements.
    depth: usize,
}

impl<'a> Array<'a> {
    /// Reads the array at the position of the cursor, and checks every element.
    fn read(cursor: &mut Cursor<'a>, depth: usize) -> Result<Self, FormatError> {
        if depth > DEEPEST_ARRAY {
            return Err(cursor.error(Problem::Nesting));
        }
        let element = MetaType::read(cursor)?;
        let counts = cursor.count_bytes();
        let least = match element {
            MetaType::Text => counts,
            MetaType::Array => 4 + counts,
            number => number.bytes().unwrap_or(1),
        };
        let len = cursor.things("elements", least)?;
        let mut end = cursor.clone();
        match element.bytes() {
            Some(bytes) if element != MetaType::Bool => {
                end.take(len * bytes)?;
            }
            _ => {
                for _ in 0..len {
                    MetaValue::read(element, &mut end, depth)?;
                }
            }
        }
        let bytes = Cow::Borrowed(cursor.take(end.at() - cursor.at())?);
        Ok(Array { element, len, bytes, encoding: cursor.encoding, depth })
    }

    /// An array of values, which all have the type `element`; others are left out.
    pub fn new<'v>(element: MetaType, values: impl IntoIterator<Item = MetaValue<'v>>) -> Array<'static> {
        let (mut len, mut bytes) = (0, Vec::new());
        for value in values.into_iter().filter(|value| value.value_type() == element) {
            value.write(&mut bytes);
            len += 1;
        }
        Array { element, len, bytes: Cow::Owned(bytes), encoding: Encoding::WRITTEN, depth: 1 }
    }

    /// Returns the type of the elements.
    pub fn element(&self) -> MetaType {
        self.element
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Iterates over the elements.
    pub fn iter(&self) -> impl Iterator<Item = MetaValue<'_>> {
        let mut cursor = Cursor::new(&self.bytes, self.encoding);
        // All elements were read once before, so no read fails.
        (0..self.len).map_while(move |_| MetaValue::read(self.element, &mut cursor, self.depth).ok())
    }
}

/// Arrays are equal if their elements are, whatever their encoding.
impl PartialEq for Array<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.element == other.element && self.len == other.len && self.iter().eq(other.iter())
    }
}
