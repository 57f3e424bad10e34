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

/// A tensor to be saved.
#[derive(Clone, Copy, Debug)]
pub struct Tensor<'a> {
    /// Its name; unique in the file.
    pub name: &'a str,
    /// Its element type; [`StoredType::of`] gives the one of an IR type.
    pub stored: StoredType,
    /// Its shape.
    pub shape: &'a [usize],
    /// Its values, little-endian and row-major.
    pub bytes: &'a [u8],
}

impl Tensor<'_> {
    /// Fails where one of its numbers is infinite or NaN. Files of arrays may hold such numbers; files of weights for others to use may not.
    ///
    /// # Errors
    /// [`WeightsError::Unsaveable`] with the first of them.
    pub fn check_finite(&self) -> Result<(), WeightsError> {
        match self.stored.dtype().and_then(|dtype| first_not_finite(self.bytes, dtype)) {
            Some(found) => Err(unsaveable(&self.planned(), found.to_string())),
            None => Ok(()),
        }
    }
}

/// Writes `tensors` to a safetensors file, with `metadata` as the text about it.
///
/// Tensors lie in the file by falling element width and then by name, and the data begins at a multiple of eight
/// bytes, so that each is aligned for its type. The file appears whole or not at all
/// ([`write_atomically`]); equal tensors give equal files.
///
/// # Errors
/// [`WeightsError::Unsaveable`] for a name used twice or reserved, and for bytes that do not fit type and shape;
/// [`WeightsError::File`] when the file cannot be written.
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
                format!("{stored} {shape} has {needed} bytes, {given} were given"),
            ));
        }
    }
    let planned: Vec<PlannedTensor<'_>> = tensors.iter().map(Tensor::planned).collect();
    let by_name: HashMap<&str, &[u8]> = tensors.iter().map(|tensor| (tensor.name, tensor.bytes)).collect();
    save_made(path, &planned, metadata, &mut |tensor, out| {
        out.write_all(by_name.get(tensor.name).copied().unwrap_or_default())
    })
}

/// A tensor to be saved whose values are made when it is their turn.
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

/// The same of tensors whose values `make` writes, one after the other.
///
/// # Errors
/// As [`save`]; also where `make` writes fewer or more bytes than type and shape ask for.
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
                "the header would have {} bytes; the format allows {MAX_HEADER}",
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
                "tensor {} has {needed} bytes, {given} were made",
                quoted(tensor.name)
            )))
        })
    })?;
    Ok(())
}

/// A stream whose bytes are counted.
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
    /// The bytes that it takes.
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
            SizeError::PartialByte => unsaveable(self, "it does not end on a byte".into()),
        })
    }
}

fn unsaveable(tensor: &PlannedTensor<'_>, problem: String) -> WeightsError {
    WeightsError::Unsaveable { tensor: quoted(tensor.name), problem }
}

/// The header, in the order of the data.
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
