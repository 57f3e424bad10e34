//! The intermediate representation: element types, shapes, ops, graphs, verifier, text form and reference
//! evaluator.
//!
//! - [`Graph`], [`Node`], [`NodeId`], [`SubGraph`]: programs.
//! - [`Op`], [`OpKind`]: the op table; what each op does is in `ops`.
//! - [`Builder`], [`Tensor`]: the front end, which infers shapes and has operators.
//! - [`verify()`]: every violation of a graph at once.
//! - [`eval()`]: the meaning of a graph.
//!
//! # Design
//!
//! - Elementwise primitives take operands of one shape; the front end and the builders insert
//!   `broadcast_in_dim`. Transforms and backends have one broadcasting rule to implement, not one per op.
//! - A node with several results is a tuple that `output {index}` projects. A node with one result is that
//!   value.
//! - A dimension is static, a symbol, or a polynomial over symbols such as `2*n+1`, because shape rules produce
//!   those: concatenation, convolution, a cache that grows. See [`Dim`].
//! - What the hardware leaves open is defined: integer overflow wraps, `x / 0` has all bits set, `x rem 0` is
//!   `x`, shifts beyond the width give 0 or the sign, floats convert to integers by truncation with saturation,
//!   NaN to 0. Gathers and dynamic slices clamp their indices; scatters skip what is outside. The row of each
//!   op says so.

// Rules index operands and axes after they have checked them; the message of a failed check is the user's, so checks
// come first in every rule.

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
pub use node::{Label, Node, NodeId, NodeIds, Users};
pub use numeric::Scalar;
pub use op::kinds::*;
pub use op::{Access, LogitFilter, Op, OpClass, OpError, OpKind, ScatterDims};
pub use ops::attention::AttentionOptions;
pub use ops::control::build::{Body, ScanOperands};
pub use ops::conv::ConvOptions;
pub use ops::recurrent::RecurrentWeights;
pub use ops::sample::Candidates;
pub use shape::Shape;
pub use tensor::{Builder, Tensor};
pub use text::ParseError;
pub use tick::Tick;
pub use verify::{Violation, Violations, verify, verify_lowered};

/// The version of the crate, by which programs on disk tell compilers apart.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
