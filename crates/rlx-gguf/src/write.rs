//! Writes a file, in version 3 and little-endian, completely or not at all, with one computed tensor in memory at a
//! time.

use crate::error::GgufError;
use crate::tensor::TensorType;
use crate::value::MetaValue;
use crate::{
    ALIGNMENT, DEFAULT_ALIGNMENT, LEAST_ALIGNMENT, LONGEST_KEY, LONGEST_NAME, MAGIC, MOST_ALIGNMENT,
    MOST_DIMENSIONS, header,
};
use rlx_files::display::{quoted, shape};
use rlx_files::files::write_atomically;
use rlx_files::finite::{NotWritten, first_not_finite};
use rlx_ir::DType;
use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::io::{self, Write};
use std::path::Path;

/// A file to be written: its metadata and its tensors, in order.
#[derive(Debug, Default)]
pub struct GgufWriter<'a> {
    metadata: Vec<(String, MetaValue<'a>)>,
    tensors: Vec<Tensor<'a>>,
    /// Whether values of full precision that are not finite are refused too, instead of being copied.
    finite: bool,
}

#[derive(Debug)]
pub(crate) struct Tensor<'a> {
    pub(crate) name: String,
    pub(crate) stored: TensorType,
    pub(crate) shape: Vec<usize>,
    pub(crate) data: Data<'a>,
}

/// The bytes of a tensor, or the function that computes them when they are written.
pub(crate) enum Data<'a> {
    Given(Cow<'a, [u8]>),
    Made(Box<dyn Fn() -> Result<Vec<u8>, GgufError> + 'a>),
}

impl fmt::Debug for Data<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Data::Given(bytes) => write!(f, "{} bytes", bytes.len()),
            Data::Made(_) => f.write_str("bytes that are made"),
        }
    }
}

impl<'a> GgufWriter<'a> {
    /// Creates an empty file.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the value of a key, whether or not it already has one.
    pub fn set(&mut self, key: impl Into<String>, value: MetaValue<'a>) {
        let key = key.into();
        match self.metadata.iter_mut().find(|(known, _)| *known == key) {
            Some((_, known)) => *known = value,
            None => self.metadata.push((key, value)),
        }
    }

    /// Adds a tensor with its dimensions, the contiguous one last, and its bytes in little-endian order.
    pub fn tensor(
        &mut self,
        name: impl Into<String>,
        stored: TensorType,
        shape: &[usize],
        bytes: impl Into<Cow<'a, [u8]>>,
    ) {
        self.add(name.into(), stored, shape, Data::Given(bytes.into()));
    }

    /// Adds a tensor whose bytes are computed when it is written, so that only one such tensor is in memory at a
    /// time.
    pub fn tensor_made(
        &mut self,
        name: impl Into<String>,
        stored: TensorType,
        shape: &[usize],
        make: impl Fn() -> Result<Vec<u8>, GgufError> + 'a,
    ) {
        self.add(name.into(), stored, shape, Data::Made(Box::new(make)));
    }

    /// Changes the type of a tensor, with bytes that are computed when it is written. Does nothing if there is no
    /// such tensor.
    pub fn replace_made(
        &mut self,
        name: &str,
        stored: TensorType,
        make: impl Fn() -> Result<Vec<u8>, GgufError> + 'a,
    ) {
        if let Some(tensor) = self.tensors.iter_mut().find(|tensor| tensor.name == name) {
            (tensor.stored, tensor.data) = (stored, Data::Made(Box::new(make)));
        }
    }

    fn add(&mut self, name: String, stored: TensorType, shape: &[usize], data: Data<'a>) {
        self.tensors.push(Tensor { name, stored, shape: shape.to_vec(), data });
    }

    /// Removes the tensors from the file and returns them.
    pub(crate) fn take_tensors(&mut self) -> Vec<Tensor<'a>> {
        std::mem::take(&mut self.tensors)
    }

    /// Sets the tensors of the file.
    pub(crate) fn put_tensors(&mut self, tensors: Vec<Tensor<'a>>) {
        self.tensors = tensors;
    }

    /// Refuses values that are not finite in tensors of every type.
    pub(crate) fn refuse_all_not_finite(&mut self) {
        self.finite = true;
    }

    /// Returns names, types and shapes of the tensors added so far.
    pub fn tensors(&self) -> impl ExactSizeIterator<Item = (&str, TensorType, &[usize])> {
        self.tensors.iter().map(|tensor| (tensor.name.as_str(), tensor.stored, tensor.shape.as_slice()))
    }

    /// Returns the keys and values set so far.
    pub fn metadata(&self) -> impl ExactSizeIterator<Item = (&str, &MetaValue<'a>)> {
        self.metadata.iter().map(|(key, value)| (key.as_str(), value))
    }

    /// Writes the file at `path`.
    ///
    /// # Errors
    /// Returns [`GgufError::Unwritable`] for keys, names, types, shapes and sizes that the format cannot represent,
    /// and for values of narrow types that are infinite or NaN; [`GgufError::File`]; and the errors of functions that
    /// compute tensors.
    pub fn write(&self, path: &Path) -> Result<(), GgufError> {
        self.write_telling(path, &mut |_| ())
    }

    /// Writes the file at `path`, and passes a sentence to `tell` for each tensor of full precision that is copied
    /// although it contains values that are not finite.
    ///
    /// # Errors
    /// The same as [`GgufWriter::write`].
    pub fn write_telling(&self, path: &Path, tell: &mut dyn FnMut(&str)) -> Result<(), GgufError> {
        let (header, alignment) = self.header()?;
        let mut failed = None;
        let written = write_atomically(path, |out| match self.put(&header, alignment, out, tell) {
            Err(Interrupted::Output(error)) => Err(error),
            Err(Interrupted::Tensor(error)) => {
                failed = Some(error);
                Err(io::ErrorKind::Other.into())
            }
            Ok(()) => Ok(()),
        });
        match failed {
            Some(error) => Err(error),
            None => Ok(written?),
        }
    }

    /// Returns the bytes of the file.
    ///
    /// # Errors
    /// The same as [`GgufWriter::write`].
    pub fn to_bytes(&self) -> Result<Vec<u8>, GgufError> {
        let (header, alignment) = self.header()?;
        let mut bytes = Vec::new();
        match self.put(&header, alignment, &mut bytes, &mut |_| ()) {
            Ok(()) => Ok(bytes),
            Err(Interrupted::Tensor(error)) => Err(error),
            Err(Interrupted::Output(error)) => {
                Err(GgufError::Unwritable { what: "a file in memory".into(), problem: error.to_string() })
            }
        }
    }

    fn put(
        &self,
        header: &[u8],
        alignment: usize,
        out: &mut dyn Write,
        tell: &mut dyn FnMut(&str),
    ) -> Result<(), Interrupted> {
        let padding = vec![0; alignment];
        let mut put = |bytes: &[u8]| {
            out.write_all(bytes)?;
            out.write_all(&padding[..bytes.len().next_multiple_of(alignment) - bytes.len()])
        };
        put(header)?;
        for tensor in &self.tensors {
            let bytes = tensor.bytes()?;
            self.check_finite(tensor, &bytes, tell)?;
            put(&bytes)?;
        }
        Ok(())
    }

    /// Fails on values that are not finite. Without a recipe, values of full precision are copied anyway, so that a
    /// file for investigating the problem can be written.
    fn check_finite(
        &self,
        tensor: &Tensor<'_>,
        bytes: &[u8],
        tell: &mut dyn FnMut(&str),
    ) -> Result<(), GgufError> {
        let TensorType::Plain(dtype) = tensor.stored else { return Ok(()) };
        let Some(found) = first_not_finite(bytes, dtype) else { return Ok(()) };
        if self.finite || !matches!(dtype, DType::F32 | DType::F64) {
            return Err(unwritable("tensor", &tensor.name, found.to_string()));
        }
        let NotWritten { index, number, .. } = found;
        let name = quoted(&tensor.name);
        tell(&format!(
            "tensor {name}: value {index} is {number}; it is copied unchanged, and the model computes with it"
        ));
        Ok(())
    }

    /// Returns everything before the data, and the alignment.
    fn header(&self) -> Result<(Vec<u8>, usize), GgufError> {
        let alignment = self.alignment()?;
        let mut out = MAGIC.to_vec();
        out.extend(3u32.to_le_bytes());
        out.extend((self.tensors.len() as u64).to_le_bytes());
        out.extend((self.metadata.len() as u64).to_le_bytes());
        for (key, value) in &self.metadata {
            if key.is_empty() || key.len() > LONGEST_KEY {
                return Err(unwritable("key", key, format!("keys must have 1 to {LONGEST_KEY} bytes")));
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
            offset += tensor.put(&mut out, offset)?.next_multiple_of(alignment);
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
                format!("it must be a u32 power of two from {LEAST_ALIGNMENT} to {MOST_ALIGNMENT}"),
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

/// Why writing a file was interrupted.
enum Interrupted {
    /// The output failed.
    Output(io::Error),
    /// A tensor could not be computed.
    Tensor(GgufError),
}

impl From<io::Error> for Interrupted {
    fn from(error: io::Error) -> Self {
        Interrupted::Output(error)
    }
}

impl From<GgufError> for Interrupted {
    fn from(error: GgufError) -> Self {
        Interrupted::Tensor(error)
    }
}

impl Tensor<'_> {
    /// Returns the bytes, whose number matches the header.
    pub(crate) fn bytes(&self) -> Result<Cow<'_, [u8]>, GgufError> {
        let bytes = match &self.data {
            Data::Given(bytes) => Cow::Borrowed(&**bytes),
            Data::Made(make) => Cow::Owned(make()?),
        };
        self.check_length(bytes.len())?;
        Ok(bytes)
    }

    /// Returns the number of bytes that type and shape need.
    fn length(&self) -> Result<usize, GgufError> {
        let dims: Vec<u64> = self.shape.iter().rev().map(|&d| d as u64).collect();
        let needed = header::bytes_of(self.stored, &dims);
        needed
            .map(|bytes| bytes as usize)
            .map_err(|problem| unwritable("tensor", &self.name, problem.to_string()))
    }

    fn check_length(&self, given: usize) -> Result<(), GgufError> {
        let needed = self.length()?;
        if needed == given {
            return Ok(());
        }
        let (stored, shape) = (self.stored, shape(&self.shape));
        Err(unwritable(
            "tensor",
            &self.name,
            format!("{stored} {shape} needs {needed} bytes, but got {given}"),
        ))
    }

    /// Writes the header's entry for the tensor, and returns the number of its bytes.
    fn put(&self, out: &mut Vec<u8>, offset: usize) -> Result<usize, GgufError> {
        let wrong = |problem: String| Err(unwritable("tensor", &self.name, problem));
        if self.name.is_empty() || self.name.len() > LONGEST_NAME {
            return wrong(format!("names must have 1 to {LONGEST_NAME} bytes"));
        }
        if let Some(why) = header::refused(&self.name) {
            return wrong(why.into());
        }
        if self.shape.len() > MOST_DIMENSIONS {
            return wrong(format!("it has more than {MOST_DIMENSIONS} dimensions"));
        }
        let Some(id) = self.stored.id() else {
            return wrong(format!(
                "the format does not have the type {}; convert it to one of f32, f16, bf16",
                self.stored
            ));
        };
        let bytes = self.length()?;
        if let Data::Given(given) = &self.data {
            self.check_length(given.len())?;
        }
        put_text(out, &self.name);
        out.extend((self.shape.len() as u32).to_le_bytes());
        self.shape.iter().rev().for_each(|&dim| out.extend((dim as u64).to_le_bytes()));
        out.extend(id.to_le_bytes());
        out.extend((offset as u64).to_le_bytes());
        Ok(bytes)
    }
}
