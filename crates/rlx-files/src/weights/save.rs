//! Writes a safetensors file.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::header::{MAX_HEADER, MAX_RANK, METADATA, SizeError, stored_bytes};
use super::{StoredType, WeightsError};
use crate::display::{quoted, shape};
use crate::files::write_atomically;
use crate::finite::first_not_finite;

/// A tensor to save.
#[derive(Clone, Copy, Debug)]
pub struct Tensor<'a> {
    /// Its name; unique in the file.
    pub name: &'a str,
    /// Its element type; [`StoredType::of`] returns the one of an IR type.
    pub stored: StoredType,
    /// Its shape.
    pub shape: &'a [usize],
    /// Its values, little-endian and row-major.
    pub bytes: &'a [u8],
}

impl Tensor<'_> {
    /// Fails if one of its numbers is infinite or NaN. Files of arrays may contain such numbers, but files of weights
    /// for others must not.
    ///
    /// # Errors
    /// Returns [`WeightsError::Unsaveable`] with the first such number.
    pub fn check_finite(&self) -> Result<(), WeightsError> {
        match self.stored.dtype().and_then(|dtype| first_not_finite(self.bytes, dtype)) {
            Some(found) => Err(unsaveable(&self.planned(), found.to_string())),
            None => Ok(()),
        }
    }
}

/// Writes `tensors` to a safetensors file, with `metadata` as the text about it.
///
/// Tensors are ordered by decreasing element width, then by name, and the data begins at a multiple of eight bytes,
/// so that each tensor is aligned for its type. The file appears completely or not at all ([`write_atomically`]).
/// Equal tensors produce equal files.
///
/// # Errors
/// Returns [`WeightsError::Unsaveable`] for a name that is reserved or used twice, and for bytes that do not match
/// type and shape; and [`WeightsError::File`] if the file cannot be written.
pub fn save(
    path: &Path,
    tensors: &[Tensor<'_>],
    metadata: &BTreeMap<String, String>,
) -> Result<(), WeightsError> {
    for tensor in tensors {
        let planned = tensor.planned();
        let needed = planned.bytes()?;
        if needed != tensor.bytes.len() as u64 {
            let (stored, shape, given) = (tensor.stored, shape(tensor.shape), tensor.bytes.len());
            return Err(unsaveable(
                &planned,
                format!("{stored} {shape} needs {needed} bytes, but got {given}"),
            ));
        }
    }
    let planned: Vec<PlannedTensor<'_>> = tensors.iter().map(Tensor::planned).collect();
    let by_name: HashMap<&str, &[u8]> = tensors.iter().map(|tensor| (tensor.name, tensor.bytes)).collect();
    save_made(path, &planned, metadata, &mut |tensor, out| {
        out.write_all(by_name.get(tensor.name).copied().unwrap_or_default())
    })
}

/// A tensor to save whose values are computed when it is written.
#[derive(Clone, Copy, Debug)]
pub struct PlannedTensor<'a> {
    /// Its name; unique in the file.
    pub name: &'a str,
    /// Its element type.
    pub stored: StoredType,
    /// Its shape.
    pub shape: &'a [usize],
}

/// Writes a tensor's values, little-endian and row-major.
pub type WriteTensor<'a> = dyn FnMut(&PlannedTensor<'_>, &mut dyn Write) -> io::Result<()> + 'a;

/// Does the same as [`save`] for tensors whose values `make` writes, one after the other.
///
/// # Errors
/// The same as [`save`]; also fails if `make` writes fewer or more bytes than type and shape need.
pub fn save_made(
    path: &Path,
    tensors: &[PlannedTensor<'_>],
    metadata: &BTreeMap<String, String>,
    make: &mut WriteTensor<'_>,
) -> Result<(), WeightsError> {
    let mut names = HashSet::with_capacity(tensors.len());
    let mut order = Vec::with_capacity(tensors.len());
    for tensor in tensors {
        order.push((*tensor, tensor.bytes()?));
        if !names.insert(tensor.name) {
            return Err(unsaveable(tensor, "its name is used twice".into()));
        }
    }
    order.sort_by(|(a, _), (b, _)| b.stored.bits().cmp(&a.stored.bits()).then_with(|| a.name.cmp(b.name)));
    let header = Header { order: &order, metadata };
    write_atomically(path, |out| {
        let mut json = serde_json::to_vec(&header)?;
        json.resize(json.len().next_multiple_of(8), b' ');
        if json.len() as u64 > MAX_HEADER {
            return Err(io::Error::other(format!(
                "the header would have {} bytes, but the format allows at most {MAX_HEADER}",
                json.len()
            )));
        }
        out.write_all(&(json.len() as u64).to_le_bytes())?;
        out.write_all(&json)?;
        order.iter().try_for_each(|(tensor, needed)| {
            let mut counted = Counted { out: &mut *out, bytes: 0 };
            make(tensor, &mut counted)?;
            let given = counted.bytes;
            if given == *needed {
                return Ok(());
            }
            Err(io::Error::other(format!(
                "tensor {} needs {needed} bytes, but {given} were written",
                quoted(tensor.name)
            )))
        })
    })?;
    Ok(())
}

/// A stream that counts its bytes.
struct Counted<'a> {
    out: &'a mut dyn Write,
    bytes: u64,
}

impl Write for Counted<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Tensor<'_> {
    fn planned(&self) -> PlannedTensor<'_> {
        PlannedTensor { name: self.name, stored: self.stored, shape: self.shape }
    }
}

impl PlannedTensor<'_> {
    /// Returns the number of bytes that it takes.
    fn bytes(&self) -> Result<u64, WeightsError> {
        if self.name == METADATA {
            return Err(unsaveable(self, "the format reserves this name".into()));
        }
        if self.shape.len() > MAX_RANK {
            return Err(unsaveable(self, format!("it has more than {MAX_RANK} dimensions")));
        }
        let dims: Vec<u64> = self.shape.iter().map(|d| *d as u64).collect();
        stored_bytes(self.stored, &dims).map_err(|error| match error {
            SizeError::Overflow => unsaveable(self, "its size does not fit in 64 bits".into()),
            SizeError::PartialByte => unsaveable(self, "it does not end at a byte boundary".into()),
        })
    }
}

fn unsaveable(tensor: &PlannedTensor<'_>, problem: String) -> WeightsError {
    WeightsError::Unsaveable { tensor: quoted(tensor.name), problem }
}

/// The entries of the header, in the order of the data.
struct Header<'a> {
    order: &'a [(PlannedTensor<'a>, u64)],
    metadata: &'a BTreeMap<String, String>,
}

#[derive(Serialize)]
struct Row<'a> {
    dtype: &'a str,
    shape: &'a [usize],
    data_offsets: (u64, u64),
}

impl Serialize for Header<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if !self.metadata.is_empty() {
            map.serialize_entry(METADATA, self.metadata)?;
        }
        let mut begin = 0;
        for (tensor, bytes) in self.order {
            let end = begin + bytes;
            let row = Row { dtype: tensor.stored.tag(), shape: tensor.shape, data_offsets: (begin, end) };
            map.serialize_entry(tensor.name, &row)?;
            begin = end;
        }
        map.end()
    }
}
