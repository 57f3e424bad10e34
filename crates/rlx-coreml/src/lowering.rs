//! Graphs in what programs have.

use crate::claims::CoremlClaims;
use rlx_compile::pipeline::lower_for;
use rlx_compile::precision::apply_precision;
use rlx_compile::{Alias, CompileError, CompileOptions, Lowered, PrecisionPolicy};
use rlx_ir::Graph;
use rlx_mil::emit::Dialect;
use rlx_mil::recognise;

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
    // Operations have the types that the precision gives them, before they are one node.
    let early = !options.precision.is_mixed();
    let precise = if early {
        apply_precision(graph, options.precision).map_err(CompileError::Precision)?
    } else {
        None
    };
    let graph = precise.as_ref().unwrap_or(graph);
    let recognised = recognise(graph, dialect);
    let graph = recognised.as_ref().unwrap_or(graph);
    let mut options = options.clone();
    if early && options.precision.held().is_none() {
        options.precision = PrecisionPolicy::Declared;
    }
    lower_for(graph, aliases, "coreml", &CoremlClaims { dialect }, &options)
}
