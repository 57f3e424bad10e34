//! Reads constants of programs: small ones in the program, large ones in the weights file.

use super::args::{Unread, product};
use crate::message::{self, DataType, ImmediateValueKind, TensorValueKind, ValueKind};
use crate::types::tensor_of;
use rlx_ir::{DType, Literal, Shape};
use std::borrow::Cow;

/// Minimum number of elements for which a constant in the weights file becomes a parameter of the graph.
const PARAM: usize = 64;

/// The records of weights files: returns the bytes of the record at an offset, with a type and length that the caller checks.
pub type Records<'a> = dyn Fn(&str, u64) -> Result<&'a [u8], String> + 'a;

/// The sources of constants.
pub(crate) struct Constants<'a> {
    pub(crate) records: &'a Records<'a>,
}

/// A constant that was found.
#[derive(Clone, Debug)]
pub(crate) struct Stored {
    pub(crate) data_type: DataType,
    pub(crate) dims: Vec<usize>,
    pub(crate) place: StoredAt,
}

/// The location of its bytes.
#[derive(Clone, Debug)]
pub(crate) enum StoredAt {
    /// In the program.
    Program(Vec<u8>),
    /// Nowhere in the package: they were decompressed.
    Made(Vec<u8>),
    /// In this file, at the record with this offset.
    Record(String, u64),
}

/// Returns the number of bits of an element.
pub(crate) fn bits(of: DataType) -> Option<usize> {
    Some(match of {
        DataType::Uint1 => 1,
        DataType::Uint2 => 2,
        DataType::Uint3 => 3,
        DataType::Uint4 | DataType::Int4 => 4,
        DataType::Uint6 => 6,
        DataType::Float8e4m3fn | DataType::Float8e5m2 => 8,
        of => dtype(of)?.size() * 8,
    })
}

/// Returns the element type in graphs for one of programs.
pub(crate) fn dtype(of: DataType) -> Option<DType> {
    Some(match of {
        DataType::Bool => DType::Bool,
        DataType::Float16 => DType::F16,
        DataType::Float32 => DType::F32,
        DataType::Float64 => DType::F64,
        DataType::Bfloat16 => DType::BF16,
        DataType::Int8 => DType::I8,
        DataType::Int16 => DType::I16,
        DataType::Int32 => DType::I32,
        DataType::Int64 => DType::I64,
        DataType::Uint8 => DType::U8,
        DataType::Uint16 => DType::U16,
        DataType::Uint32 => DType::U32,
        DataType::Uint64 => DType::U64,
        _ => return None,
    })
}

impl Stored {
    /// Creates a constant with these elements.
    pub(crate) fn of(literal: &Literal) -> Result<Stored, Unread> {
        let data_type = match literal.dtype() {
            DType::F32 => DataType::Float32,
            DType::F16 => DataType::Float16,
            DType::I32 => DataType::Int32,
            DType::U32 => DataType::Uint32,
            DType::I16 => DataType::Int16,
            DType::U16 => DataType::Uint16,
            DType::I8 => DataType::Int8,
            DType::U8 => DataType::Uint8,
            dtype => return Err(format!("compressed constants of {dtype} are unsupported").into()),
        };
        Ok(Stored { data_type, dims: literal.dims(), place: StoredAt::Program(literal.bytes().to_vec()) })
    }

    /// Returns its type in a graph.
    pub(crate) fn shape(&self) -> Result<Shape, Unread> {
        let dtype = dtype(self.data_type);
        let dtype = dtype.ok_or_else(|| Unread(format!("{:?} constants are unsupported", self.data_type)))?;
        Ok(Shape::new(&self.dims, dtype))
    }

    /// Whether it becomes a parameter because it has many elements.
    pub(crate) fn is_param(&self) -> bool {
        !matches!(self.place, StoredAt::Program(_)) && self.dims.iter().product::<usize>() > PARAM
    }
}

impl Constants<'_> {
    /// Finds the constant for a tensor value.
    pub(crate) fn stored(&self, value: &message::Value) -> Result<Stored, Unread> {
        let ty =
            value.r#type.as_ref().and_then(tensor_of).ok_or("constants must be tensors of known size")?;
        let (data_type, dims) = ty;
        let bits =
            bits(data_type).ok_or_else(|| Unread(format!("constants of {data_type:?} are unsupported")))?;
        let count = product(&dims)?;
        let needed = count.checked_mul(bits).ok_or("a constant is too large")?.div_ceil(8);
        let (place, found) = match &value.value {
            Some(ValueKind::BlobFileValue(blob)) => {
                let bytes = (self.records)(&blob.file_name, blob.offset)?;
                (StoredAt::Record(blob.file_name.clone(), blob.offset), bytes.len())
            }
            Some(ValueKind::ImmediateValue(immediate)) => match &immediate.value {
                Some(ImmediateValueKind::Tensor(tensor)) => {
                    let bytes = tensor.value.as_ref().map(|value| bytes_of(value, data_type));
                    let bytes = bytes.ok_or("a constant has no elements")??;
                    let found = bytes.len();
                    (StoredAt::Program(bytes), found)
                }
                _ => return Err("a constant is not a tensor".into()),
            },
            None => return Err("a constant has no elements".into()),
        };
        match found {
            found if found == needed => Ok(Stored { data_type, dims, place }),
            found => Err(format!("a constant has {found} bytes, expected {needed}").into()),
        }
    }

    /// Returns the bytes of a constant.
    pub(crate) fn bytes<'b>(&'b self, stored: &'b Stored) -> Result<&'b [u8], Unread> {
        match &stored.place {
            StoredAt::Program(bytes) | StoredAt::Made(bytes) => Ok(bytes),
            StoredAt::Record(file, offset) => Ok((self.records)(file, *offset)?),
        }
    }

    /// Returns the constant with its elements.
    pub(crate) fn literal(&self, stored: &Stored) -> Result<Literal, Unread> {
        let bytes = match stored.data_type {
            // In files, any nonzero byte may mean true.
            DataType::Bool => {
                Cow::Owned(self.bytes(stored)?.iter().map(|&byte| (byte != 0).into()).collect())
            }
            _ => Cow::Borrowed(self.bytes(stored)?),
        };
        Literal::from_bytes(&stored.shape()?, &bytes).map_err(|e| e.to_string().into())
    }
}

/// Returns elements that are stored in a program as little-endian bytes.
fn bytes_of(value: &TensorValueKind, data_type: DataType) -> Result<Vec<u8>, Unread> {
    if let TensorValueKind::Bytes(bytes) = value {
        return Ok(bytes.values.clone());
    }
    let dtype =
        dtype(data_type).ok_or_else(|| Unread(format!("constants of {data_type:?} cannot be bytes")))?;
    let narrowed = |n: i64| -> Vec<u8> { n.to_le_bytes()[..dtype.size()].to_vec() };
    Ok(match (value, dtype) {
        (TensorValueKind::Floats(list), DType::F32) => {
            list.values.iter().flat_map(|x| x.to_le_bytes()).collect()
        }
        (TensorValueKind::Floats(list), DType::F16) => {
            list.values.iter().flat_map(|&x| half::f16::from_f32(x).to_le_bytes()).collect()
        }
        (TensorValueKind::Doubles(list), DType::F64) => {
            list.values.iter().flat_map(|x| x.to_le_bytes()).collect()
        }
        (TensorValueKind::Ints(list), dtype) if dtype.is_int() => {
            list.values.iter().flat_map(|&x| narrowed(x.into())).collect()
        }
        (TensorValueKind::LongInts(list), dtype) if dtype.is_int() => {
            list.values.iter().flat_map(|&x| narrowed(x)).collect()
        }
        (TensorValueKind::Bools(list), DType::Bool) => list.values.iter().map(|&x| x.into()).collect(),
        _ => return Err(format!("the elements of a constant are not {dtype}").into()),
    })
}
