//! The syntax tree of MLIR: modules, functions, operations in generic form, attributes and types. Owns the data; the
//! parser fills it and the importer reads it.
//!
//! An operation in the pretty form of its dialect has the same attributes, regions and types here as in its generic
//! form, under the names of the StableHLO and CHLO dialects. Only the parser can tell the two forms apart.

use crate::diagnostics::Position;
pub use crate::narrow::{NarrowFloat, NarrowFormat, NarrowType};
use rlx_ir::DType;
use std::fmt;
use std::sync::Arc;

/// A program: functions that call each other by name.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Module {
    /// The name after `module @`, or an empty string.
    pub name: String,
    /// The module's attributes.
    pub attributes: Attributes,
    /// The functions, in the order of the text.
    pub functions: Vec<Function>,
}

/// A function.
#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    /// The name, without `@`.
    pub name: String,
    /// Whether it is private to the module.
    pub private: bool,
    /// Its parameters.
    pub arguments: Vec<Argument>,
    /// Types and attributes of its results.
    pub results: Vec<(Type, Attributes)>,
    /// Further attributes.
    pub attributes: Attributes,
    /// The body, or `None` for a declaration.
    pub body: Option<Block>,
    /// All values of the body, including those of nested regions. [`ValueId`] indexes this list.
    pub values: Vec<Value>,
    /// The position of its name.
    pub at: Position,
}

/// A parameter of a function.
#[derive(Clone, PartialEq, Debug)]
pub struct Argument {
    /// The value of the parameter, or `None` in a declaration, where parameters have no names.
    pub value: Option<ValueId>,
    /// The type.
    pub ty: Type,
    /// Attributes, such as `jax.buffer_donor`.
    pub attributes: Attributes,
    /// The name in its location, `loc("x")`, or an empty string.
    pub label: Arc<str>,
}

/// A handle to a value of one function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ValueId(pub u32);

/// A value: a result of an operation, or an argument of a block.
#[derive(Clone, PartialEq, Debug)]
pub struct Value {
    /// The name, without `%`; `5#1` for the second result of `%5:2`.
    pub name: String,
    /// The type.
    pub ty: Type,
    /// Where it is defined.
    pub at: Position,
}

/// The only block of a function or region: arguments and operations. Operations can use the values of the surrounding blocks.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Block {
    /// The arguments. For the body of a function, they are those of the function.
    pub arguments: Vec<ValueId>,
    /// The operations. The terminator (`stablehlo.return`, `func.return`) is the last one.
    pub operations: Vec<Operation>,
}

/// An operation in generic form.
#[derive(Clone, PartialEq, Debug)]
pub struct Operation {
    /// Dialect and name, such as `stablehlo.add`, `func.call`, `chlo.top_k`. `call` and `return` always have their dialect here.
    pub name: Arc<str>,
    /// The operands. Their types are those of the values.
    pub operands: Vec<ValueId>,
    /// The results.
    pub results: Vec<ValueId>,
    /// Properties and attributes together. Either form of an operation may leave out an attribute that has its default value.
    pub attributes: Attributes,
    /// The nested code.
    pub regions: Vec<Block>,
    /// The name in its location, `loc("encoder.layer0")`, or an empty string.
    pub label: Arc<str>,
    /// The position of its name.
    pub at: Position,
}

/// A type.
#[derive(Clone, PartialEq, Debug)]
pub enum Type {
    /// A tensor with a rank.
    Tensor {
        /// Sizes; `None` is a `?`.
        dims: Vec<Option<usize>>,
        /// The element type.
        element: ElementType,
    },
    /// A bare element type, as in attributes (`: i64`).
    Element(ElementType),
    /// `tuple<…>`.
    Tuple(Vec<Type>),
    /// `!stablehlo.token`.
    Token,
    /// Operand and result types.
    Function(Vec<Type>, Vec<Type>),
    /// Any other type, as written.
    Other(String),
}

/// The element type of a tensor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ElementType {
    /// A type that RLX has.
    Known(DType),
    /// `index`, which appears in attributes and shapes; stored as 64 bits.
    Index,
    /// A type whose values RLX stores in a wider type: `i4`, `f8E4M3B11FNUZ`.
    Narrow(&'static NarrowType),
    /// A type that RLX does not have, as written: `i128`, `f8E8M0FNU`, `!quant.uniform<…>`.
    Other(String),
}

/// Named attributes, in the order of the text.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Attributes(pub Vec<(String, Attribute)>);

/// The value of an attribute.
#[derive(Clone, PartialEq, Debug)]
pub enum Attribute {
    /// A name alone, or `unit`.
    Unit,
    /// `true`, `false`.
    Bool(bool),
    /// An integer and its type.
    Int(i128, Type),
    /// A float and its type.
    Float(f64, Type),
    /// A string.
    String(String),
    /// `[…]`
    Array(Vec<Attribute>),
    /// `array<i64: …>` and `array<i1: …>`.
    Integers(Vec<i64>),
    /// `array<f32: …>`.
    Floats(Vec<f64>),
    /// `{…}`
    Dictionary(Attributes),
    /// `@name`.
    Symbol(String),
    /// `dense<…> : type`.
    Dense(Dense),
    /// `#stablehlo<comparison_direction EQ>` and the like: the word before the value, and the value.
    Enum(String, String),
    /// `#stablehlo.gather<offset_dims = [0], …>` and the like: dialect and name, and the fields.
    /// `#stablehlo.conv<[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]>` has the fields of StableHLO's `ConvDimensionNumbers`.
    /// Lists of integers are [`Attribute::Integers`]; a missing field is an empty list or 0.
    Struct(String, Attributes),
    /// A type.
    Type(Type),
    /// Anything else, as written.
    Other(String),
}

/// A constant tensor.
#[derive(Clone, PartialEq, Debug)]
pub struct Dense {
    /// Sizes.
    pub dims: Vec<usize>,
    /// The element type.
    pub element: ElementType,
    /// The elements: little-endian and row-major, as [`rlx_ir::Literal`] stores them (booleans as one byte each,
    /// complex numbers as two floats, `index` as i64, narrow types as the type that stores them). If [`Dense::splat`]
    /// is set there is only one element. Empty if the type is not known.
    pub bytes: Vec<u8>,
    /// Whether every element equals the one that is stored.
    pub splat: bool,
}

impl fmt::Display for Type {
    /// Writes the type in MLIR's syntax.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, types: &[Type]| {
            types.iter().enumerate().try_for_each(|(i, ty)| {
                f.write_str(if i == 0 { "" } else { ", " })?;
                write!(f, "{ty}")
            })
        };
        match self {
            Type::Tensor { dims, element } => {
                f.write_str("tensor<")?;
                for dim in dims {
                    match dim {
                        Some(n) => write!(f, "{n}x")?,
                        None => f.write_str("?x")?,
                    }
                }
                write!(f, "{element}>")
            }
            Type::Element(element) => write!(f, "{element}"),
            Type::Tuple(items) => {
                f.write_str("tuple<")?;
                list(f, items)?;
                f.write_str(">")
            }
            Type::Token => f.write_str("!stablehlo.token"),
            Type::Function(operands, results) => {
                f.write_str("(")?;
                list(f, operands)?;
                f.write_str(") -> (")?;
                list(f, results)?;
                f.write_str(")")
            }
            Type::Other(text) => f.write_str(text),
        }
    }
}

impl fmt::Display for ElementType {
    /// Writes the element type in MLIR's syntax.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dtype = match self {
            ElementType::Known(dtype) => dtype,
            ElementType::Index => return f.write_str("index"),
            ElementType::Narrow(narrow) => return f.write_str(narrow.name),
            ElementType::Other(text) => return f.write_str(text),
        };
        match dtype {
            DType::F8E4M3 => f.write_str("f8E4M3FN"),
            DType::F8E5M2 => f.write_str("f8E5M2"),
            DType::U8 | DType::U16 | DType::U32 | DType::U64 => write!(f, "ui{}", dtype.bits()),
            DType::Bool => f.write_str("i1"),
            DType::C64 => f.write_str("complex<f32>"),
            DType::C128 => f.write_str("complex<f64>"),
            other => f.write_str(other.name()),
        }
    }
}

impl Attributes {
    /// Returns the attribute with this name.
    pub fn get(&self, name: &str) -> Option<&Attribute> {
        self.0.iter().find(|(n, _)| n == name).map(|(_, a)| a)
    }
}

impl Function {
    /// Returns a value of the function.
    pub fn value(&self, id: ValueId) -> &Value {
        &self.values[id.0 as usize]
    }
}
