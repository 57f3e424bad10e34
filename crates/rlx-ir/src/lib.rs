//! The intermediate representation: element types, shapes, ops, graphs, verifier, text form and reference evaluator.
//!
//! - [`Graph`], [`Node`], [`NodeId`], [`SubGraph`]: programs.
//! - [`Op`], [`OpKind`]: the op table; `ops` has the rules of each op.
//! - [`Builder`], [`Tensor`]: the front end, which infers shapes and overloads operators.
//! - [`verify()`]: reports every violation in a graph at once.
//! - [`eval()`]: evaluates a graph, and so defines what it means.
//!
//! # Design
//!
//! - Elementwise primitives take operands of the same shape; the front end and the builders insert `broadcast_in_dim`. So
//!   transforms and backends implement broadcasting once, not once per op.
//! - A node with several results is a tuple, and `output {index}` projects one of them. A node with one result is that value.
//! - A dimension is a static size, a symbol, or an expression over symbols such as `2*n+1`, which the shape rules of
//!   concatenation, convolution or a growing cache infer. See [`Dim`].
//! - Behavior that hardware leaves undefined is defined: integer overflow wraps, `x / 0` has all bits set, `x rem 0` is `x`,
//!   shifts beyond the width give 0 or the sign, and floats convert to integers by truncation with saturation, NaN to 0. Gathers
//!   and dynamic slices clamp their indices; scatters skip indices that are out of bounds. The table row of each op says so.

// Rules index operands and axes without checking again, so each rule does its checks first. The message of a failed check is what
// the user sees.

pub mod build;
mod compilation;
pub mod custom;
pub mod dim;
pub mod dtype;
pub mod eval;
mod float_format;
pub mod graph;
pub mod literal;
pub mod math;
pub mod node;
mod numeric;
pub mod op;
mod ops;
pub mod pattern;
pub mod rewrite;
pub mod shape;
pub mod tensor;
pub mod text;
pub mod tick;
pub mod verify;

pub use compilation::CompilationMode;
pub use custom::{AlreadyRegistered, CustomOp, find_custom, register_custom};
pub use dim::{Bindings, Dim, DimError, SizeArithmetic, Symbol, Symbols};
pub use dtype::{Class, DType, DTypeSet};
pub use eval::{EvalError, eval, eval_within};
pub use float_format::FloatFormat;
pub use graph::{Graph, MAX_NESTING, SubGraph};
pub use literal::{Element, Literal, LiteralError};
pub use node::{Label, Node, NodeId, NodeIds, Users, at_label};
pub use numeric::Scalar;
pub use op::kinds::*;
pub use op::{
    Access, AttentionOptions, ConvolutionAxes, ConvolutionSpec, DotDims, DotSide, GatherDims, LogitFilter,
    Op, OpClass, OpError, OpFamily, OpKind, ScatterDims, UndilatedWindow, UnpackedAttention, WindowAxes,
    WindowSpec,
};
pub use ops::control::build::{Body, ScanOperands};
pub use ops::conv::ConvOptions;
pub use ops::recurrent::RecurrentWeights;
pub use ops::sample::Candidates;
pub use shape::Shape;
pub use tensor::{Builder, Tensor};
pub use text::ParseError;
pub use tick::Tick;
pub use verify::{Violation, Violations, verify, verify_lowered};

/// The version of the crate. Programs on disk record it, to tell which compiler made them.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
