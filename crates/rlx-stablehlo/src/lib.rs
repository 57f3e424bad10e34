//! StableHLO, the portable operation set of XLA and JAX, in its textual MLIR form: read into RLX graphs and written from
//! them.
//!
//! - [`parse()`]: text to [`syntax::Module`], whose operations are in generic form whatever they were written in.
//! - [`import()`]: text to a [`Graph`](rlx_ir::Graph), with the checks that the program makes of itself.
//! - [`export()`]: a graph to text.
//!
//! Specification: <https://openxla.org/stablehlo/spec>.

pub mod check;
pub mod composite;
pub mod diagnostics;
pub mod export;
pub mod import;
mod narrow;
pub mod parse;
pub mod syntax;

pub use check::Disagreement;
pub use diagnostics::{Diagnostic, Diagnostics, Position};
pub use export::{ExportError, ExportOptions, export, exported_form, has_form};
#[doc(hidden)]
pub use import::function_forms;
pub use import::{Check, Comparison, Imported, import, import_module, restored};
pub use parse::parse;
