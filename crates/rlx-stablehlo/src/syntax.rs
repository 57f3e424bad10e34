//! The syntax tree of MLIR: modules, functions, operations in generic form, attributes and types. Owns the
//! data; the parser fills it and the importer reads it.
//!
//! An operation that was written in its dialect's own ("pretty") form has here the attributes, regions and types that its
//! generic form has, under the names of the StableHLO and CHLO dialects: nothing after the parser knows the two apart.

use crate::diagnostics::Position;
pub use crate::narrow::{NarrowFloat, NarrowFormat, NarrowType};
use rlx_ir::DType;
use std::fmt;
use std::sync::Arc;

/// A program: functions that call each other by name.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Module {
    /// The name after `module @`, or empty.
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
    /// What it does; a declaration has no body.
    pub body: Option<Block>,
    /// Every value of the body, those of nested regions included; [`ValueId`] counts in it.
    pub values: Vec<Value>,
    /// Where its name stands.
    pub at: Position,
}

/// A parameter of a function.
#[derive(Clone, PartialEq, Debug)]
pub struct Argument {
    /// The value that stands for it; in a declaration, whose values have no names, there is none.
    pub value: Option<ValueId>,
    /// The type.
    pub ty: Type,
    /// Attributes, such as `jax.buffer_donor`.
    pub attributes: Attributes,
    /// The name in its location, `loc("x")`, or empty.
    pub label: Arc<str>,
}

/// A handle to a value of one function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ValueId(pub u32);

/// A value: what an operation gives, or an argument of a block.
#[derive(Clone, PartialEq, Debug)]
pub struct Value {
    /// The name, without `%`; `5#1` for the second result of `%5:2`.
    pub name: String,
    /// The type.
    pub ty: Type,
    /// Where it is defined.
    pub at: Position,
}

/// The only block of a function or region: arguments and operations. Operations see the values of the blocks around.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Block {
    /// The arguments; of a function's body those of the function.
    pub arguments: Vec<ValueId>,
    /// The operations, the terminator (`stablehlo.return`, `func.return`) last.
    pub operations: Vec<Operation>,
}

/// An operation in generic form.
#[derive(Clone, PartialEq, Debug)]
pub struct Operation {
    /// Dialect and name: `stablehlo.add`, `func.call`, `chlo.top_k`. `call` and `return` have their dialect here, always.
    pub name: Arc<str>,
    /// The operands; their types are those of the values.
    pub operands: Vec<ValueId>,
    /// The results.
    pub results: Vec<ValueId>,
    /// Properties and attributes together. Either form of an operation may leave out one that is at its default.
    pub attributes: Attributes,
    /// Nested code.
    pub regions: Vec<Block>,
    /// The name in its location, `loc("encoder.layer0")`, or empty.
    pub label: Arc<str>,
    /// Where its name stands.
    pub at: Position,
}

/// A type.
#[derive(Clone, PartialEq, Debug)]
pub enum Type {
    /// A tensor with a rank.
    Tensor {
        /// Sizes; `None` is a `?`.
        dims: Vec<Option<usize>>,
        /// What it holds.
        element: ElementType,
    },
    /// A bare element type, as attributes have it (`: i64`).
    Element(ElementType),
    /// `tuple<…>`.
    Tuple(Vec<Type>),
    /// `!stablehlo.token`.
    Token,
    /// Operand and result types.
    Function(Vec<Type>, Vec<Type>),
    /// Anything else, as it is written.
    Other(String),
}

/// What a tensor holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ElementType {
    /// A type that RLX has.
    Known(DType),
    /// `index`, which appears in attributes and shapes; stored as 64 bits.
    Index,
    /// A type whose values RLX holds in a wider one: `i4`, `f8E4M3B11FNUZ`.
    Narrow(&'static NarrowType),
    /// A type that RLX does not have, as it is written: `i128`, `f8E8M0FNU`, `!quant.uniform<…>`.
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
    /// `#stablehlo.gather<offset_dims = [0], …>` and the like: dialect and name, and the fields. `#stablehlo.conv<[b, f, 0,
    /// 1]x[o, i, 0, 1]->[b, f, 0, 1]>` has here the fields of StableHLO's `ConvDimensionNumbers`. Lists of integers are
    /// [`Attribute::Integers`]; a field that is not there is an empty list or 0.
    Struct(String, Attributes),
    /// A type.
    Type(Type),
    /// Anything else, as it is written.
    Other(String),
}

/// A constant tensor.
#[derive(Clone, PartialEq, Debug)]
pub struct Dense {
    /// Sizes.
    pub dims: Vec<usize>,
    /// What it holds.
    pub element: ElementType,
    /// The elements: little-endian, row-major, as [`rlx_ir::Literal`] stores them (booleans one per byte, complex numbers
    /// as two floats, `index` as i64, narrow types as the type that holds them). One element alone where [`Dense::splat`]. Empty where the type is not known.
    pub bytes: Vec<u8>,
    /// Every element is the one that is stored.
    pub splat: bool,
}

impl fmt::Display for Type {
    /// As MLIR writes it.
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
    /// As MLIR writes it.
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
    /// The attribute of this name.
    pub fn get(&self, name: &str) -> Option<&Attribute> {
        self.0.iter().find(|(n, _)| n == name).map(|(_, a)| a)
    }
}

impl Function {
    /// A value of the function.
    pub fn value(&self, id: ValueId) -> &Value {
        &self.values[id.0 as usize]
    }
}
