//! Graphs in what programs have.

use crate::claims::CoremlClaims;
use rlx_compile::pipeline::lower_for;
use rlx_compile::{Alias, CompileError, CompileOptions, Lowered};
use rlx_ir::Graph;
use rlx_mil::emit::Dialect;

/// A graph in ops that programs of a dialect have operations for; what one operation says, and the graph in several ops, is that operation. `aliases` are the outputs
/// that update states.
///
/// # Errors
/// What [`lower_for`] refuses.
pub fn lowered(
    graph: &Graph,
    aliases: &[Alias],
    dialect: Dialect,
    options: &CompileOptions,
) -> Result<Lowered, CompileError> {
    lower_for(graph, aliases, "coreml", &CoremlClaims { dialect }, options)
}
