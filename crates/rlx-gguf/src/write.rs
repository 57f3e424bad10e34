//! Writing a file: version 3, little-endian, whole or not at all.

use crate::error::GgufError;
use crate::tensor::TensorType;
use crate::value::MetaValue;
use crate::{
    ALIGNMENT, DEFAULT_ALIGNMENT, LEAST_ALIGNMENT, LONGEST_KEY, LONGEST_NAME, MAGIC, MOST_ALIGNMENT,
    MOST_DIMENSIONS, header,
};
use rlx_files::display::{quoted, shape};
use rlx_files::files::write_atomically;
use std::borrow::Cow;
use std::collections::HashSet;
use std::io::{self, Write};
use std::path::Path;

/// A file to be written: its metadata, and its tensors in their order.
#[derive(Debug, Default)]
pub struct GgufWriter<'a> {
    metadata: Vec<(String, MetaValue<'a>)>,
    tensors: Vec<Tensor<'a>>,
}

#[derive(Debug)]
struct Tensor<'a> {
    name: String,
    stored: TensorType,
    shape: Vec<usize>,
    bytes: Cow<'a, [u8]>,
}

impl<'a> GgufWriter<'a> {
    /// A file with nothing in it.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the value of a key, whether or not it had one.
    pub fn set(&mut self, key: impl Into<String>, value: MetaValue<'a>) {
        let key = key.into();
        match self.metadata.iter_mut().find(|(known, _)| *known == key) {
            Some((_, known)) => *known = value,
            None => self.metadata.push((key, value)),
        }
    }

    /// Adds a tensor: its dimensions with the one along which neighbours lie side by side last, and its bytes, the least significant of
    /// each number first.
    pub fn tensor(
        &mut self,
        name: impl Into<String>,
        stored: TensorType,
        shape: &[usize],
        bytes: impl Into<Cow<'a, [u8]>>,
    ) {
        self.tensors.push(Tensor { name: name.into(), stored, shape: shape.to_vec(), bytes: bytes.into() });
    }

    /// Writes the file at `path`.
    ///
    /// # Errors
    /// [`GgufError::Unwritable`] for keys, names, types, shapes and sizes that the format has no way to say, [`GgufError::File`].
    pub fn write(&self, path: &Path) -> Result<(), GgufError> {
        let (header, alignment) = self.header()?;
        write_atomically(path, |out| self.put(&header, alignment, out))?;
        Ok(())
    }

    /// The bytes of the file.
    ///
    /// # Errors
    /// [`GgufError::Unwritable`].
    pub fn to_bytes(&self) -> Result<Vec<u8>, GgufError> {
        let (header, alignment) = self.header()?;
        let mut bytes = Vec::new();
        self.put(&header, alignment, &mut bytes)
            .map_err(|e| GgufError::Unwritable { what: "a file in memory".into(), problem: e.to_string() })?;
        Ok(bytes)
    }

    fn put(&self, header: &[u8], alignment: usize, out: &mut dyn Write) -> io::Result<()> {
        let padding = vec![0; alignment];
        let all = std::iter::once(header).chain(self.tensors.iter().map(|tensor| &*tensor.bytes));
        for bytes in all {
            out.write_all(bytes)?;
            out.write_all(&padding[..bytes.len().next_multiple_of(alignment) - bytes.len()])?;
        }
        Ok(())
    }

    /// Everything before the data, and the alignment.
    fn header(&self) -> Result<(Vec<u8>, usize), GgufError> {
        let alignment = self.alignment()?;
        let mut out = MAGIC.to_vec();
        out.extend(3u32.to_le_bytes());
        out.extend((self.tensors.len() as u64).to_le_bytes());
        out.extend((self.metadata.len() as u64).to_le_bytes());
        for (key, value) in &self.metadata {
            if key.is_empty() || key.len() > LONGEST_KEY {
                return Err(unwritable("key", key, format!("keys have 1 to {LONGEST_KEY} bytes")));
            }
            put_text(&mut out, key);
            value.write_typed(&mut out);
        }
        let mut offset = 0;
        let mut names = HashSet::with_capacity(self.tensors.len());
        for tensor in &self.tensors {
            if !names.insert(&tensor.name) {
                return Err(unwritable("tensor", &tensor.name, "its name is used twice".into()));
            }
            tensor.put(&mut out, offset)?;
            offset += tensor.bytes.len().next_multiple_of(alignment);
        }
        Ok((out, alignment))
    }

    fn alignment(&self) -> Result<usize, GgufError> {
        match self.metadata.iter().find(|(key, _)| key == ALIGNMENT) {
            None => Ok(DEFAULT_ALIGNMENT),
            Some((_, MetaValue::U32(number)))
                if number.is_power_of_two()
                    && (LEAST_ALIGNMENT..=MOST_ALIGNMENT).contains(&(*number as usize)) =>
            {
                Ok(*number as usize)
            }
            Some(_) => Err(unwritable(
                "key",
                ALIGNMENT,
                format!("it is a u32, a power of two from {LEAST_ALIGNMENT} to {MOST_ALIGNMENT}"),
            )),
        }
    }
}

fn unwritable(kind: &str, name: &str, problem: String) -> GgufError {
    GgufError::Unwritable { what: format!("{kind} {}", quoted(name)), problem }
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    out.extend((text.len() as u64).to_le_bytes());
    out.extend_from_slice(text.as_bytes());
}

impl Tensor<'_> {
    fn put(&self, out: &mut Vec<u8>, offset: usize) -> Result<(), GgufError> {
        let wrong = |problem: String| Err(unwritable("tensor", &self.name, problem));
        if self.name.is_empty() || self.name.len() > LONGEST_NAME {
            return wrong(format!("names have 1 to {LONGEST_NAME} bytes"));
        }
        if let Some(why) = header::refused(&self.name) {
            return wrong(why.into());
        }
        if self.shape.len() > MOST_DIMENSIONS {
            return wrong(format!("it has more than {MOST_DIMENSIONS} dimensions"));
        }
        let Some(id) = self.stored.id() else {
            return wrong(format!(
                "the format has no type {}; convert it to one of f32, f16, bf16",
                self.stored
            ));
        };
        let dims: Vec<u64> = self.shape.iter().rev().map(|&d| d as u64).collect();
        match header::bytes_of(self.stored, &dims) {
            Ok(needed) if needed == self.bytes.len() as u64 => {}
            Ok(needed) => {
                let (stored, shape, given) = (self.stored, shape(&self.shape), self.bytes.len());
                return wrong(format!("{stored} {shape} has {needed} bytes, {given} were given"));
            }
            Err(problem) => return wrong(problem.to_string()),
        }
        put_text(out, &self.name);
        out.extend((dims.len() as u32).to_le_bytes());
        dims.iter().for_each(|dim| out.extend(dim.to_le_bytes()));
        out.extend(id.to_le_bytes());
        out.extend((offset as u64).to_le_bytes());
        Ok(())
    }
}
