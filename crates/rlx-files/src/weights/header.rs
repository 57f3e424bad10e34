//! Parses the header of a safetensors file: a length, then JSON that says where each tensor is.
//!
//! Every claim of the header is checked here against the others and against the length of the file, so that no code
//! after this needs to doubt a range. Format: <https://github.com/huggingface/safetensors#format>. This module only
//! knows bytes, not files.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::ops::Range;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use thiserror::Error;

use super::stored::StoredType;
use crate::display::{quoted, shape};

/// The maximum length of a header in the format, in bytes.
pub(crate) const MAX_HEADER: u64 = 100_000_000;
/// The maximum number of dimensions of a tensor.
pub(crate) const MAX_RANK: usize = 64;
/// The key of the header that holds text about the file instead of a tensor.
pub(crate) const METADATA: &str = "__metadata__";
const PREFIX: u64 = 8;

/// What is wrong with the header of a safetensors file.
#[derive(Debug, Error)]
pub enum HeaderError {
    /// The file is shorter than the eight bytes of the header's length.
    #[error("the file has {len} bytes, but a safetensors file starts with an 8-byte header length")]
    TooShort {
        /// Length of the file in bytes.
        len: u64,
    },
    /// The header claims to be longer than the format allows.
    #[error("the header claims {claimed} bytes, but the format allows at most {MAX_HEADER}")]
    HeaderTooLarge {
        /// The length that the file states.
        claimed: u64,
    },
    /// The file ends before its header does.
    #[error("the header claims {claimed} bytes, but {present} follow the length: the file is truncated")]
    HeaderTruncated {
        /// The length that the file states.
        claimed: u64,
        /// Bytes that follow the length.
        present: u64,
    },
    /// The header is not the JSON object that the format requires.
    #[error("the header is not a JSON object of tensors")]
    Json(
        /// Where and why.
        #[from]
        serde_json::Error,
    ),
    /// Two entries have the same name.
    #[error("the tensor {name} is listed twice")]
    DuplicateName {
        /// The name, quoted.
        name: String,
    },
    /// The format does not have the element type.
    #[error("tensor {tensor}: unknown element type {dtype}")]
    UnknownType {
        /// The tensor, quoted.
        tensor: String,
        /// The type that the file states, quoted.
        dtype: String,
    },
    /// The product of the dimensions and the element size does not fit in 64 bits.
    #[error("tensor {tensor}: a {dtype} tensor of shape {shape} has more bytes than 64 bits can count")]
    SizeOverflow {
        /// The tensor, quoted.
        tensor: String,
        /// Its element type.
        dtype: StoredType,
        /// Its shape.
        shape: String,
    },
    /// Packed elements end inside a byte.
    #[error("tensor {tensor}: a {dtype} tensor of shape {shape} does not end at a byte boundary")]
    PartialByte {
        /// The tensor, quoted.
        tensor: String,
        /// Its element type.
        dtype: StoredType,
        /// Its shape.
        shape: String,
    },
    /// The offsets run backwards.
    #[error("tensor {tensor}: its data ends at {end}, before it begins at {begin}")]
    Backwards {
        /// The tensor, quoted.
        tensor: String,
        /// First byte.
        begin: u64,
        /// One past the last byte.
        end: u64,
    },
    /// Offsets and shape disagree.
    #[error("tensor {tensor}: {dtype} {shape} needs {needed} bytes, but its offsets span {spanned}")]
    WrongSize {
        /// The tensor, quoted.
        tensor: String,
        /// Its element type.
        dtype: StoredType,
        /// Its shape.
        shape: String,
        /// The number of bytes that type and shape need.
        needed: u64,
        /// The number of bytes between the offsets.
        spanned: u64,
    },
    /// Offsets extend beyond the end of the file.
    #[error(
        "tensor {tensor}: its data ends at byte {end}, but the file has {present} bytes of data: it is truncated"
    )]
    DataTruncated {
        /// The tensor, quoted.
        tensor: String,
        /// One past its last byte.
        end: u64,
        /// Bytes of data in the file.
        present: u64,
    },
    /// Two tensors share bytes.
    #[error("the tensors {first} and {second} overlap at byte {at}")]
    Overlap {
        /// The tensor that begins first, quoted.
        first: String,
        /// The other tensor, quoted.
        second: String,
        /// The first shared byte.
        at: u64,
    },
    /// Some bytes do not belong to any tensor.
    #[error("bytes {begin} to {end} of the data do not belong to any tensor")]
    Gap {
        /// The first such byte.
        begin: u64,
        /// One past the last one.
        end: u64,
    },
}

/// One tensor of a file: its type and shape, and its bytes in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) stored: StoredType,
    pub(crate) shape: Vec<usize>,
    pub(crate) bytes: Range<usize>,
}

/// A header that is consistent.
#[derive(Debug)]
pub(crate) struct Header {
    pub(crate) entries: Vec<Entry>,
    pub(crate) metadata: BTreeMap<String, String>,
}

/// Parses and checks the header of `file`, which is the whole file.
pub(crate) fn parse(file: &[u8]) -> Result<Header, HeaderError> {
    let len = file.len() as u64;
    let Some((prefix, rest)) = file.split_first_chunk::<8>() else {
        return Err(HeaderError::TooShort { len });
    };
    let claimed = u64::from_le_bytes(*prefix);
    if claimed > MAX_HEADER {
        return Err(HeaderError::HeaderTooLarge { claimed });
    }
    let Some((header, data)) = rest.split_at_checked(claimed as usize) else {
        return Err(HeaderError::HeaderTruncated { claimed, present: len - PREFIX });
    };
    if header.first().is_some_and(|b| *b != b'{') {
        return Err(serde_json::Error::custom("the first character is not `{`").into());
    }
    let raw: RawHeader<'_> = serde_json::from_slice(header)?;
    check(raw, PREFIX + claimed, data.len() as u64)
}

fn check(raw: RawHeader<'_>, data_start: u64, data_len: u64) -> Result<Header, HeaderError> {
    let mut seen = HashSet::with_capacity(raw.tensors.len());
    if let Some((name, _)) = raw.tensors.iter().find(|(name, _)| !seen.insert(name.as_ref())) {
        return Err(HeaderError::DuplicateName { name: quoted(name) });
    }
    drop(seen);
    let mut spans = Vec::with_capacity(raw.tensors.len());
    for (name, tensor) in &raw.tensors {
        spans.push(check_tensor(name, tensor, data_len)?);
    }
    check_cover(&raw.tensors, data_len)?;
    let entries = raw
        .tensors
        .into_iter()
        .zip(spans)
        .map(|((name, tensor), (stored, shape))| Entry {
            name: name.into_owned(),
            stored,
            shape,
            // `check_tensor` made sure that the range is within the file, so both ends fit in the address space.
            bytes: (data_start + tensor.data_offsets.0) as usize
                ..(data_start + tensor.data_offsets.1) as usize,
        })
        .collect();
    Ok(Header { entries, metadata: raw.metadata.unwrap_or_default() })
}

/// Checks one tensor against itself and the end of the data; returns its type and shape.
fn check_tensor(
    name: &str,
    raw: &RawTensor<'_>,
    data_len: u64,
) -> Result<(StoredType, Vec<usize>), HeaderError> {
    let Some(dtype) = StoredType::from_tag(&raw.dtype) else {
        return Err(HeaderError::UnknownType { tensor: quoted(name), dtype: quoted(&raw.dtype) });
    };
    let needed = stored_bytes(dtype, &raw.shape.0).map_err(|e| match e {
        SizeError::Overflow => {
            HeaderError::SizeOverflow { tensor: quoted(name), dtype, shape: shape(&raw.shape.0) }
        }
        SizeError::PartialByte => {
            HeaderError::PartialByte { tensor: quoted(name), dtype, shape: shape(&raw.shape.0) }
        }
    })?;
    let (begin, end) = raw.data_offsets;
    let Some(spanned) = end.checked_sub(begin) else {
        return Err(HeaderError::Backwards { tensor: quoted(name), begin, end });
    };
    if spanned != needed {
        let shape = shape(&raw.shape.0);
        return Err(HeaderError::WrongSize { tensor: quoted(name), dtype, shape, needed, spanned });
    }
    if end > data_len {
        return Err(HeaderError::DataTruncated { tensor: quoted(name), end, present: data_len });
    }
    let dims = raw.shape.0.iter().map(|d| usize::try_from(*d)).collect::<Result<_, _>>();
    let dims = dims.map_err(|_| HeaderError::SizeOverflow {
        tensor: quoted(name),
        dtype,
        shape: shape(&raw.shape.0),
    })?;
    Ok((dtype, dims))
}

/// Checks that the tensors cover the data exactly once, without overlaps, gaps or trailing bytes.
fn check_cover(tensors: &[(Cow<'_, str>, RawTensor<'_>)], data_len: u64) -> Result<(), HeaderError> {
    let mut order: Vec<_> = tensors.iter().map(|(name, t)| (t.data_offsets, name.as_ref())).collect();
    order.sort_unstable();
    let (mut covered, mut last) = (0, "");
    for ((begin, end), name) in order {
        if begin < covered {
            return Err(HeaderError::Overlap { first: quoted(last), second: quoted(name), at: begin });
        }
        if begin > covered {
            return Err(HeaderError::Gap { begin: covered, end: begin });
        }
        (covered, last) = (end, name);
    }
    if covered < data_len {
        return Err(HeaderError::Gap { begin: covered, end: data_len });
    }
    Ok(())
}

/// Why a type and a shape have no size in bytes.
pub(crate) enum SizeError {
    Overflow,
    PartialByte,
}

/// Returns the number of bytes of a tensor with this type and shape.
pub(crate) fn stored_bytes(dtype: StoredType, dims: &[u64]) -> Result<u64, SizeError> {
    let bits = dims
        .iter()
        .try_fold(1u64, |n, d| n.checked_mul(*d))
        .and_then(|n| n.checked_mul(u64::from(dtype.bits())))
        .ok_or(SizeError::Overflow)?;
    if bits.is_multiple_of(8) { Ok(bits / 8) } else { Err(SizeError::PartialByte) }
}

/// The header as it is in the file, including duplicates.
struct RawHeader<'a> {
    metadata: Option<BTreeMap<String, String>>,
    tensors: Vec<(Cow<'a, str>, RawTensor<'a>)>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawTensor<'a> {
    #[serde(borrow)]
    dtype: Cow<'a, str>,
    shape: Dims,
    data_offsets: (u64, u64),
}

/// Dimensions. More than [`MAX_RANK`] are refused, so that a header cannot produce a list far larger than itself.
struct Dims(Vec<u64>);

/// A name, borrowed from the header if it contains no escapes.
#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'de> Deserialize<'de> for RawHeader<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = RawHeader<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of tensors")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut header = RawHeader { metadata: None, tensors: Vec::new() };
                while let Some(Name(name)) = map.next_key()? {
                    if name != METADATA {
                        let tensor = map.next_value().map_err(|e| in_tensor(&name, &e))?;
                        header.tensors.push((name, tensor));
                    } else if header.metadata.replace(map.next_value()?).is_some() {
                        return Err(A::Error::duplicate_field(METADATA));
                    }
                }
                Ok(header)
            }
        }
        deserializer.deserialize_map(Reader)
    }
}

fn in_tensor<E: serde::de::Error>(name: &str, error: &E) -> E {
    E::custom(format_args!("tensor {}: {error}", quoted(name)))
}

impl<'de> Deserialize<'de> for Dims {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Dims;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "at most {MAX_RANK} dimensions")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut dims = Vec::new();
                while let Some(dim) = seq.next_element()? {
                    if dims.len() == MAX_RANK {
                        return Err(A::Error::custom(format_args!("more than {MAX_RANK} dimensions")));
                    }
                    dims.push(dim);
                }
                Ok(Dims(dims))
            }
        }
        deserializer.deserialize_seq(Reader)
    }
}

#[cfg(test)]
#[path = "header_tests.rs"]
mod tests;
