//! Writing a safetensors file.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::header::{MAX_HEADER, MAX_RANK, METADATA, SizeError, stored_bytes};
use super::{StoredType, WeightsError};
use crate::display::{quoted, shape};
use crate::files::write_atomically;

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
    let mut names = HashSet::with_capacity(tensors.len());
    for tensor in tensors {
        check(tensor)?;
        if !names.insert(tensor.name) {
            return Err(unsaveable(tensor, "its name is used twice".into()));
        }
    }
    let mut order: Vec<&Tensor<'_>> = tensors.iter().collect();
    order.sort_by(|a, b| b.stored.bits().cmp(&a.stored.bits()).then_with(|| a.name.cmp(b.name)));
    let header = Header { order: &order, metadata };
    write_atomically(path, |out| {
        let mut json = serde_json::to_vec(&header)?;
        json.resize(json.len().next_multiple_of(8), b' ');
        if json.len() as u64 > MAX_HEADER {
            return Err(std::io::Error::other(format!(
                "the header would have {} bytes; the format allows {MAX_HEADER}",
                json.len()
            )));
        }
        out.write_all(&(json.len() as u64).to_le_bytes())?;
        out.write_all(&json)?;
        order.iter().try_for_each(|tensor| out.write_all(tensor.bytes))
    })?;
    Ok(())
}

fn unsaveable(tensor: &Tensor<'_>, problem: String) -> WeightsError {
    WeightsError::Unsaveable { tensor: quoted(tensor.name), problem }
}

fn check(tensor: &Tensor<'_>) -> Result<(), WeightsError> {
    if tensor.name == METADATA {
        return Err(unsaveable(tensor, "the format reserves this name".into()));
    }
    if tensor.shape.len() > MAX_RANK {
        return Err(unsaveable(tensor, format!("it has more than {MAX_RANK} dimensions")));
    }
    let dims: Vec<u64> = tensor.shape.iter().map(|d| *d as u64).collect();
    match stored_bytes(tensor.stored, &dims) {
        Ok(needed) if needed == tensor.bytes.len() as u64 => Ok(()),
        Ok(needed) => Err(unsaveable(
            tensor,
            format!(
                "{} {} has {needed} bytes, {} were given",
                tensor.stored,
                shape(tensor.shape),
                tensor.bytes.len()
            ),
        )),
        Err(SizeError::Overflow) => Err(unsaveable(tensor, "its size does not fit in 64 bits".into())),
        Err(SizeError::PartialByte) => Err(unsaveable(tensor, "it does not end on a byte".into())),
    }
}

/// The header, in the order of the data.
struct Header<'a> {
    order: &'a [&'a Tensor<'a>],
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
        for tensor in self.order {
            let end = begin + tensor.bytes.len() as u64;
            let row = Row { dtype: tensor.stored.tag(), shape: tensor.shape, data_offsets: (begin, end) };
            map.serialize_entry(tensor.name, &row)?;
            begin = end;
        }
        map.end()
    }
}
