//! StableHLO, the portable ops of XLA and JAX: text to graphs and graphs to text.
//!
//! - [`parse()`]: text to [`syntax::Module`], whose operations are in generic form whatever they were written
//!   in. Nothing after the parser knows short forms.
//! - [`import()`]: text to a [`Graph`](rlx_ir::Graph), with the checks that the program makes of itself.
//! - [`export()`]: a graph to text.
//!
//! With it, others can judge what our ops mean: StableHLO's own test programs run here, and our graphs run in
//! XLA.
//!
//! **HLO-1**: `import(export(g))` is `restored(&exported_form(g))`. Composites come back decomposed, except
//! those with a derivative of their own; names, parameters and labels are kept. Functions whose derivative is
//! not that of their primitives are restored, whoever wrote the primitives. An op that StableHLO lacks is
//! written as a composite by name, whose decomposition is its expansion: XLA runs that, and we restore the op.
//!
//! **READ-1**: reading is linear in the text, in time and memory. Any text is either a graph that verifies or a
//! list of every problem with line and column.
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
