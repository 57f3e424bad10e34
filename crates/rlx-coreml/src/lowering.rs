//! Lowers graphs to the ops that programs support.

use crate::claims::CoremlClaims;
use rlx_compile::pipeline::lower_for;
use rlx_compile::{Alias, CompileError, CompileOptions, EmitError, Lowered};
use rlx_ir::Graph;
use rlx_mil::emit::Dialect;
use rlx_mil::rewrite::{in_real_numbers, with_converted_tables};

/// Lowers a graph to ops that programs of a dialect have operations for. A group of several ops that a single operation expresses becomes
/// that operation. `aliases` are the outputs that update states.
///
/// # Errors
/// Fails if [`lower_for`] does, or if an input or output has complex numbers.
pub fn lowered(
    graph: &Graph,
    aliases: &[Alias],
    dialect: Dialect,
    options: &CompileOptions,
) -> Result<Lowered, CompileError> {
    let refused = |problems| EmitError::Unsupported { target: "coreml".into(), problems };
    let real = in_real_numbers(graph).map_err(refused)?;
    let graph = real.as_ref().unwrap_or(graph);
    let tables = with_converted_tables(graph).map_err(EmitError::from)?;
    let graph = tables.as_ref().unwrap_or(graph);
    lower_for(graph, aliases, "coreml", &CoremlClaims { dialect }, options)
}
