//! Types and values of programs, as messages.

use crate::emit::{Const, Elem, OPEN};
use crate::message::{
    self, BlobFileValue, ConstantDimension, DataType, Dimension, DimensionKind, ImmediateValue,
    ImmediateValueKind, RepeatedBools, RepeatedBytes, RepeatedFloats, RepeatedInts, RepeatedStrings,
    TensorType, TensorValue, TensorValueKind, UnknownDimension, Value, ValueKind, ValueType, ValueTypeKind,
};
use std::collections::BTreeMap;

/// The weights file, as values refer to it.
pub(crate) const WEIGHTS: &str = "@model_path/weights/weight.bin";

/// Returns the element type of a value.
pub(crate) fn data_type(elem: Elem) -> DataType {
    match elem {
        Elem::F16 => DataType::Float16,
        Elem::F32 => DataType::Float32,
        Elem::I32 => DataType::Int32,
        Elem::Bool => DataType::Bool,
        Elem::I8 => DataType::Int8,
        Elem::U8 => DataType::Uint8,
    }
}

/// Returns the type of a tensor. Some sizes may be open.
pub(crate) fn tensor_type(data_type: DataType, dims: &[usize]) -> TensorType {
    let size = |&size: &usize| Dimension {
        dimension: Some(match size {
            OPEN => DimensionKind::Unknown(UnknownDimension { variadic: false }),
            size => DimensionKind::Constant(ConstantDimension { size: size as u64 }),
        }),
    };
    TensorType {
        data_type: data_type.into(),
        rank: dims.len() as i64,
        dimensions: dims.iter().map(size).collect(),
        attributes: BTreeMap::new(),
    }
}

fn immediate(ty: ValueType, value: TensorValueKind) -> Value {
    let tensor = ImmediateValueKind::Tensor(TensorValue { value: Some(value) });
    Value {
        doc_string: String::new(),
        r#type: Some(ty),
        value: Some(ValueKind::ImmediateValue(ImmediateValue { value: Some(tensor) })),
    }
}

fn of(data_type: DataType, dims: &[usize]) -> ValueType {
    ValueType { r#type: Some(ValueTypeKind::TensorType(tensor_type(data_type, dims))) }
}

/// Returns a text value.
pub(crate) fn text(text: &str) -> Value {
    let values = vec![text.to_string()];
    immediate(of(DataType::String, &[]), TensorValueKind::Strings(RepeatedStrings { values }))
}

/// Returns a value with its record at this offset of the weights file.
pub(crate) fn blob_value(ty: ValueType, offset: u64) -> Value {
    let blob = BlobFileValue { file_name: WEIGHTS.into(), offset };
    Value { doc_string: String::new(), r#type: Some(ty), value: Some(ValueKind::BlobFileValue(blob)) }
}

/// Returns a tensor with these little-endian elements.
pub(crate) fn tensor_value(ty: ValueType, data_type: DataType, bytes: &[u8]) -> Value {
    let value = match data_type {
        DataType::Float32 => {
            let values = bytes.as_chunks().0.iter().map(|x| f32::from_le_bytes(*x)).collect();
            TensorValueKind::Floats(RepeatedFloats { values })
        }
        DataType::Int32 => {
            let values = bytes.as_chunks().0.iter().map(|x| i32::from_le_bytes(*x)).collect();
            TensorValueKind::Ints(RepeatedInts { values })
        }
        DataType::Bool => {
            TensorValueKind::Bools(RepeatedBools { values: bytes.iter().map(|&byte| byte != 0).collect() })
        }
        _ => TensorValueKind::Bytes(RepeatedBytes { values: bytes.to_vec() }),
    };
    immediate(ty, value)
}

/// Returns a setting of an operation.
pub(crate) fn setting(setting: &Const) -> Value {
    match setting {
        Const::Bool(value) => {
            immediate(of(DataType::Bool, &[]), TensorValueKind::Bools(RepeatedBools { values: vec![*value] }))
        }
        Const::Bools(values) => immediate(
            of(DataType::Bool, &[values.len()]),
            TensorValueKind::Bools(RepeatedBools { values: values.clone() }),
        ),
        Const::Int(value) => {
            immediate(of(DataType::Int32, &[]), TensorValueKind::Ints(RepeatedInts { values: vec![*value] }))
        }
        Const::Count(value) => {
            tensor_value(of(DataType::Uint32, &[]), DataType::Uint32, &value.to_le_bytes())
        }
        Const::Pairs(rows) => {
            let values = rows.iter().flatten().copied().collect();
            immediate(of(DataType::Int32, &[rows.len(), 2]), TensorValueKind::Ints(RepeatedInts { values }))
        }
        Const::Ints(values) => immediate(
            of(DataType::Int32, &[values.len()]),
            TensorValueKind::Ints(RepeatedInts { values: values.clone() }),
        ),
        Const::Text(value) => text(value),
        Const::Float(value, elem) => {
            let bytes = match elem {
                Elem::F16 => half::f16::from_f32(*value).to_le_bytes().to_vec(),
                _ => value.to_le_bytes().to_vec(),
            };
            tensor_value(of(data_type(*elem), &[]), data_type(*elem), &bytes)
        }
    }
}

/// Returns the element type of a tensor, or `None` for other types.
pub(crate) fn data_type_of(ty: &message::ValueType) -> Option<DataType> {
    let Some(ValueTypeKind::TensorType(tensor)) = &ty.r#type else { return None };
    DataType::try_from(tensor.data_type).ok()
}

/// Returns the sizes of a tensor, as far as they are known, or `None` for other types.
pub(crate) fn open_dims_of(ty: &message::ValueType) -> Option<Vec<Option<usize>>> {
    let Some(ValueTypeKind::TensorType(tensor)) = &ty.r#type else { return None };
    let size = |dimension: &Dimension| match &dimension.dimension {
        Some(DimensionKind::Constant(constant)) => usize::try_from(constant.size).ok(),
        _ => None,
    };
    Some(tensor.dimensions.iter().map(size).collect())
}

/// Returns the sizes of a tensor, or `None` for other types and for sizes that are not known.
pub(crate) fn dims_of(ty: &message::ValueType) -> Option<Vec<usize>> {
    open_dims_of(ty)?.into_iter().collect()
}

/// Returns both the element type and the sizes.
pub(crate) fn tensor_of(ty: &message::ValueType) -> Option<(DataType, Vec<usize>)> {
    Some((data_type_of(ty)?, dims_of(ty)?))
}

/// Returns the text of a text value.
pub(crate) fn text_of(value: &Value) -> Option<&str> {
    let Some(ValueKind::ImmediateValue(ImmediateValue { value: Some(ImmediateValueKind::Tensor(tensor)) })) =
        &value.value
    else {
        return None;
    };
    match &tensor.value {
        Some(TensorValueKind::Strings(list)) => list.values.first().map(String::as_str),
        _ => None,
    }
}
