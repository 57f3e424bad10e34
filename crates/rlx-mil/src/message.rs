//! The protobuf messages of CoreML's models, as far as ML Programs need them.
//!
//! Names, numbers and types of fields are those of CoreML's specification; `scripts/judge_coreml.py` lets coremltools read what is written
//! with them. Maps are sorted, so that a program has only one form in bytes.

use prost::{Enumeration, Message, Oneof};
use std::collections::BTreeMap;

/// A model.
#[derive(Clone, PartialEq, Message)]
pub struct Model {
    #[prost(int32, tag = "1")]
    pub specification_version: i32,
    #[prost(message, optional, tag = "2")]
    pub description: Option<ModelDescription>,
    #[prost(bool, tag = "10")]
    pub is_updatable: bool,
    #[prost(message, optional, tag = "502")]
    pub ml_program: Option<Program>,
}

/// The inputs and outputs of a model.
#[derive(Clone, PartialEq, Message)]
pub struct ModelDescription {
    #[prost(message, repeated, tag = "1")]
    pub input: Vec<FeatureDescription>,
    #[prost(message, repeated, tag = "10")]
    pub output: Vec<FeatureDescription>,
    #[prost(string, tag = "11")]
    pub predicted_feature_name: String,
    #[prost(string, tag = "12")]
    pub predicted_probabilities_name: String,
    #[prost(message, repeated, tag = "13")]
    pub state: Vec<FeatureDescription>,
    #[prost(message, repeated, tag = "20")]
    pub functions: Vec<FunctionDescription>,
    #[prost(string, tag = "21")]
    pub default_function_name: String,
    #[prost(message, optional, tag = "100")]
    pub metadata: Option<Metadata>,
}

/// An input, output or state of a model or function, with its description.
#[derive(Clone, PartialEq, Message)]
pub struct FunctionDescription {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(message, repeated, tag = "2")]
    pub input: Vec<FeatureDescription>,
    #[prost(message, repeated, tag = "3")]
    pub output: Vec<FeatureDescription>,
    #[prost(message, repeated, tag = "6")]
    pub state: Vec<FeatureDescription>,
}

/// The metadata of a model.
#[derive(Clone, PartialEq, Message)]
pub struct Metadata {
    #[prost(string, tag = "1")]
    pub short_description: String,
    #[prost(string, tag = "2")]
    pub version_string: String,
    #[prost(string, tag = "3")]
    pub author: String,
    #[prost(string, tag = "4")]
    pub license: String,
    #[prost(btree_map = "string, string", tag = "100")]
    pub user_defined: BTreeMap<String, String>,
}

/// The type of an input, an output or a state.
#[derive(Clone, PartialEq, Message)]
pub struct FeatureDescription {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(string, tag = "2")]
    pub short_description: String,
    #[prost(message, optional, tag = "3")]
    pub r#type: Option<FeatureType>,
}

/// The type of a feature: an array, or a state that contains one. Other types are not read.
#[derive(Clone, PartialEq, Message)]
pub struct FeatureType {
    #[prost(message, optional, tag = "5")]
    pub multi_array_type: Option<ArrayFeatureType>,
    #[prost(message, optional, tag = "8")]
    pub state_type: Option<StateFeatureType>,
    #[prost(bool, tag = "1000")]
    pub is_optional: bool,
}

/// A state.
#[derive(Clone, PartialEq, Message)]
pub struct StateFeatureType {
    #[prost(message, optional, tag = "1")]
    pub array_type: Option<ArrayFeatureType>,
}

/// An array.
#[derive(Clone, PartialEq, Message)]
pub struct ArrayFeatureType {
    #[prost(int64, repeated, tag = "1")]
    pub shape: Vec<i64>,
    #[prost(enumeration = "ArrayDataType", tag = "2")]
    pub data_type: i32,
    #[prost(message, optional, tag = "21")]
    pub enumerated_shapes: Option<EnumeratedShapes>,
    #[prost(message, optional, tag = "31")]
    pub shape_range: Option<ShapeRange>,
}

/// Element types of a model's input and output arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Enumeration)]
#[repr(i32)]
pub enum ArrayDataType {
    InvalidArrayDataType = 0,
    Float32 = 65568,
    Double = 65600,
    Int32 = 131104,
    Int8 = 131080,
    Float16 = 65552,
}

/// Sizes of an array.
#[derive(Clone, PartialEq, Message)]
pub struct Shape {
    #[prost(int64, repeated, tag = "1")]
    pub shape: Vec<i64>,
}

/// A list of shapes.
#[derive(Clone, PartialEq, Message)]
pub struct EnumeratedShapes {
    #[prost(message, repeated, tag = "1")]
    pub shapes: Vec<Shape>,
}

/// A range of shapes.
#[derive(Clone, PartialEq, Message)]
pub struct ShapeRange {
    #[prost(message, repeated, tag = "1")]
    pub size_ranges: Vec<SizeRange>,
}

/// A range of sizes; the upper bound is −1 if there is none.
#[derive(Clone, PartialEq, Message)]
pub struct SizeRange {
    #[prost(uint64, tag = "1")]
    pub lower_bound: u64,
    #[prost(int64, tag = "2")]
    pub upper_bound: i64,
}

/// A program.
#[derive(Clone, PartialEq, Message)]
pub struct Program {
    #[prost(int64, tag = "1")]
    pub version: i64,
    #[prost(btree_map = "string, message", tag = "2")]
    pub functions: BTreeMap<String, Function>,
    #[prost(string, tag = "3")]
    pub doc_string: String,
    #[prost(btree_map = "string, message", tag = "4")]
    pub attributes: BTreeMap<String, Value>,
}

/// A function: a block for each opset.
#[derive(Clone, PartialEq, Message)]
pub struct Function {
    #[prost(message, repeated, tag = "1")]
    pub inputs: Vec<NamedValueType>,
    #[prost(string, tag = "2")]
    pub opset: String,
    #[prost(btree_map = "string, message", tag = "3")]
    pub block_specializations: BTreeMap<String, Block>,
    #[prost(btree_map = "string, message", tag = "4")]
    pub attributes: BTreeMap<String, Value>,
}

/// A block.
#[derive(Clone, PartialEq, Message)]
pub struct Block {
    #[prost(message, repeated, tag = "1")]
    pub inputs: Vec<NamedValueType>,
    #[prost(string, repeated, tag = "2")]
    pub outputs: Vec<String>,
    #[prost(message, repeated, tag = "3")]
    pub operations: Vec<Operation>,
    #[prost(btree_map = "string, message", tag = "4")]
    pub attributes: BTreeMap<String, Value>,
}

/// An operation.
#[derive(Clone, PartialEq, Message)]
pub struct Operation {
    #[prost(string, tag = "1")]
    pub r#type: String,
    #[prost(btree_map = "string, message", tag = "2")]
    pub inputs: BTreeMap<String, Argument>,
    #[prost(message, repeated, tag = "3")]
    pub outputs: Vec<NamedValueType>,
    #[prost(message, repeated, tag = "4")]
    pub blocks: Vec<Block>,
    #[prost(btree_map = "string, message", tag = "5")]
    pub attributes: BTreeMap<String, Value>,
}

/// An argument of an operation.
#[derive(Clone, PartialEq, Message)]
pub struct Argument {
    #[prost(message, repeated, tag = "1")]
    pub arguments: Vec<Binding>,
}

/// A value, either by name or stored here.
#[derive(Clone, PartialEq, Message)]
pub struct Binding {
    #[prost(oneof = "BindingKind", tags = "1, 2")]
    pub binding: Option<BindingKind>,
}

/// Which of the two.
#[derive(Clone, PartialEq, Oneof)]
pub enum BindingKind {
    #[prost(string, tag = "1")]
    Name(String),
    #[prost(message, tag = "2")]
    Value(Value),
}

/// A name and its type.
#[derive(Clone, PartialEq, Message)]
pub struct NamedValueType {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(message, optional, tag = "2")]
    pub r#type: Option<ValueType>,
}

/// The type of a value.
#[derive(Clone, PartialEq, Message)]
pub struct ValueType {
    #[prost(oneof = "ValueTypeKind", tags = "1, 2, 3, 4, 5")]
    pub r#type: Option<ValueTypeKind>,
}

impl ValueType {
    /// Returns the sizes of a tensor, as far as they are known, or `None` for other types.
    pub fn sizes(&self) -> Option<Vec<Option<usize>>> {
        crate::types::open_dims_of(self)
    }
}

/// Which kind of type.
#[derive(Clone, PartialEq, Oneof)]
pub enum ValueTypeKind {
    #[prost(message, tag = "1")]
    TensorType(TensorType),
    #[prost(message, tag = "2")]
    ListType(Box<ListType>),
    #[prost(message, tag = "3")]
    TupleType(TupleType),
    #[prost(message, tag = "4")]
    DictionaryType(Box<DictionaryType>),
    #[prost(message, tag = "5")]
    StateType(Box<StateType>),
}

/// Element types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Enumeration)]
#[repr(i32)]
pub enum DataType {
    UnusedType = 0,
    Bool = 1,
    String = 2,
    Float16 = 10,
    Float32 = 11,
    Float64 = 12,
    Bfloat16 = 13,
    Int8 = 21,
    Int16 = 22,
    Int32 = 23,
    Int64 = 24,
    Int4 = 25,
    Uint8 = 31,
    Uint16 = 32,
    Uint32 = 33,
    Uint64 = 34,
    Uint4 = 35,
    Uint2 = 36,
    Uint1 = 37,
    Uint6 = 38,
    Uint3 = 39,
    Float8e4m3fn = 40,
    Float8e5m2 = 41,
}

/// The type of a tensor. The rank is −1 if it is not known.
#[derive(Clone, PartialEq, Message)]
pub struct TensorType {
    #[prost(enumeration = "DataType", tag = "1")]
    pub data_type: i32,
    #[prost(int64, tag = "2")]
    pub rank: i64,
    #[prost(message, repeated, tag = "3")]
    pub dimensions: Vec<Dimension>,
    #[prost(btree_map = "string, message", tag = "4")]
    pub attributes: BTreeMap<String, Value>,
}

/// The type of a tuple.
#[derive(Clone, PartialEq, Message)]
pub struct TupleType {
    #[prost(message, repeated, tag = "1")]
    pub types: Vec<ValueType>,
}

/// The type of a list.
#[derive(Clone, PartialEq, Message)]
pub struct ListType {
    #[prost(message, optional, tag = "1")]
    pub r#type: Option<ValueType>,
    #[prost(message, optional, tag = "2")]
    pub length: Option<Dimension>,
}

/// The type of a dictionary.
#[derive(Clone, PartialEq, Message)]
pub struct DictionaryType {
    #[prost(message, optional, tag = "1")]
    pub key_type: Option<ValueType>,
    #[prost(message, optional, tag = "2")]
    pub value_type: Option<ValueType>,
}

/// The type of a state.
#[derive(Clone, PartialEq, Message)]
pub struct StateType {
    #[prost(message, optional, tag = "1")]
    pub wrapped_type: Option<ValueType>,
}

/// A size of a tensor.
#[derive(Clone, PartialEq, Message)]
pub struct Dimension {
    #[prost(oneof = "DimensionKind", tags = "1, 2")]
    pub dimension: Option<DimensionKind>,
}

/// Whether the size is known.
#[derive(Clone, PartialEq, Oneof)]
pub enum DimensionKind {
    #[prost(message, tag = "1")]
    Constant(ConstantDimension),
    #[prost(message, tag = "2")]
    Unknown(UnknownDimension),
}

/// A known size.
#[derive(Clone, PartialEq, Message)]
pub struct ConstantDimension {
    #[prost(uint64, tag = "1")]
    pub size: u64,
}

/// A size that is not known.
#[derive(Clone, PartialEq, Message)]
pub struct UnknownDimension {
    #[prost(bool, tag = "1")]
    pub variadic: bool,
}

/// A value.
#[derive(Clone, PartialEq, Message)]
pub struct Value {
    #[prost(string, tag = "1")]
    pub doc_string: String,
    #[prost(message, optional, tag = "2")]
    pub r#type: Option<ValueType>,
    #[prost(oneof = "ValueKind", tags = "3, 5")]
    pub value: Option<ValueKind>,
}

/// The location of a value.
#[derive(Clone, PartialEq, Oneof)]
pub enum ValueKind {
    #[prost(message, tag = "3")]
    ImmediateValue(ImmediateValue),
    #[prost(message, tag = "5")]
    BlobFileValue(BlobFileValue),
}

/// A value in the program.
#[derive(Clone, PartialEq, Message)]
pub struct ImmediateValue {
    #[prost(oneof = "ImmediateValueKind", tags = "1, 2, 3, 4")]
    pub value: Option<ImmediateValueKind>,
}

/// The kind of the value.
#[derive(Clone, PartialEq, Oneof)]
pub enum ImmediateValueKind {
    #[prost(message, tag = "1")]
    Tensor(TensorValue),
    #[prost(message, tag = "2")]
    Tuple(TupleValue),
    #[prost(message, tag = "3")]
    List(ListValue),
    #[prost(message, tag = "4")]
    Dictionary(DictionaryValue),
}

/// A value in a weights file: the offset of its record.
#[derive(Clone, PartialEq, Message)]
pub struct BlobFileValue {
    #[prost(string, tag = "1")]
    pub file_name: String,
    #[prost(uint64, tag = "2")]
    pub offset: u64,
}

/// The elements of a tensor.
#[derive(Clone, PartialEq, Message)]
pub struct TensorValue {
    #[prost(oneof = "TensorValueKind", tags = "1, 2, 3, 4, 5, 6, 7")]
    pub value: Option<TensorValueKind>,
}

/// The type as which the elements are stored.
#[derive(Clone, PartialEq, Oneof)]
pub enum TensorValueKind {
    #[prost(message, tag = "1")]
    Floats(RepeatedFloats),
    #[prost(message, tag = "2")]
    Ints(RepeatedInts),
    #[prost(message, tag = "3")]
    Bools(RepeatedBools),
    #[prost(message, tag = "4")]
    Strings(RepeatedStrings),
    #[prost(message, tag = "5")]
    LongInts(RepeatedLongInts),
    #[prost(message, tag = "6")]
    Doubles(RepeatedDoubles),
    #[prost(message, tag = "7")]
    Bytes(RepeatedBytes),
}

/// f32.
#[derive(Clone, PartialEq, Message)]
pub struct RepeatedFloats {
    #[prost(float, repeated, tag = "1")]
    pub values: Vec<f32>,
}

/// f64.
#[derive(Clone, PartialEq, Message)]
pub struct RepeatedDoubles {
    #[prost(double, repeated, tag = "1")]
    pub values: Vec<f64>,
}

/// i32.
#[derive(Clone, PartialEq, Message)]
pub struct RepeatedInts {
    #[prost(int32, repeated, tag = "1")]
    pub values: Vec<i32>,
}

/// i64.
#[derive(Clone, PartialEq, Message)]
pub struct RepeatedLongInts {
    #[prost(int64, repeated, tag = "1")]
    pub values: Vec<i64>,
}

/// Booleans.
#[derive(Clone, PartialEq, Message)]
pub struct RepeatedBools {
    #[prost(bool, repeated, tag = "1")]
    pub values: Vec<bool>,
}

/// Texts.
#[derive(Clone, PartialEq, Message)]
pub struct RepeatedStrings {
    #[prost(string, repeated, tag = "1")]
    pub values: Vec<String>,
}

/// The bytes of the elements, in sequence.
#[derive(Clone, PartialEq, Message)]
pub struct RepeatedBytes {
    #[prost(bytes = "vec", tag = "1")]
    pub values: Vec<u8>,
}

/// The values of a tuple.
#[derive(Clone, PartialEq, Message)]
pub struct TupleValue {
    #[prost(message, repeated, tag = "1")]
    pub values: Vec<Value>,
}

/// The values of a list.
#[derive(Clone, PartialEq, Message)]
pub struct ListValue {
    #[prost(message, repeated, tag = "1")]
    pub values: Vec<Value>,
}

/// The pairs of a dictionary.
#[derive(Clone, PartialEq, Message)]
pub struct DictionaryValue {
    #[prost(message, repeated, tag = "1")]
    pub values: Vec<KeyValuePair>,
}

/// A pair of a dictionary.
#[derive(Clone, PartialEq, Message)]
pub struct KeyValuePair {
    #[prost(message, optional, tag = "1")]
    pub key: Option<Value>,
    #[prost(message, optional, tag = "2")]
    pub value: Option<Value>,
}
