//! StableHLO, the portable ops of XLA and JAX: reads text as graphs and writes graphs as text.
//!
//! - [`parse()`] reads text as a [`syntax::Module`]. Its operations are in generic form, whichever form the text uses;
//!   only the parser knows short forms.
//! - [`import()`] reads text as a [`Graph`](rlx_ir::Graph), with the checks that the program makes of itself.
//! - [`export()`] writes a graph as text.
//!
//! This lets outside programs check what our ops mean: StableHLO's own test programs run here, and our graphs run in
//! XLA.
//!
//! **HLO-1**: `import(export(g))` is `restored(&exported_form(g))`. Composites come back decomposed, except those with
//! their own derivative. Names, parameters and labels are kept. Functions with a derivative that differs from that of
//! their primitives are restored, whoever wrote the primitives. An op that StableHLO lacks is written as a composite
//! with its name, whose decomposition is its expansion: XLA runs the decomposition, and we restore the op.
//!
//! **READ-1**: the time and memory for reading are linear in the length of the text. Reading any text returns either a
//! graph that passes verification, or a list of every problem with its line and column.
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
