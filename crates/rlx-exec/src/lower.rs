//! Lowers and prepares a graph for a backend, without a session.

use crate::backend::Backend;
use crate::executable::Executable;
use rlx_compile::pipeline::lower_for;
use rlx_compile::{Alias, CompileError, CompileOptions, Lowered};
use rlx_ir::{Bindings, Graph};

/// A compiled program.
pub struct Compiled {
    /// The lowered graph.
    pub lowered: Lowered,
    /// The first instance, bound to the sizes that the graph was compiled with.
    pub executable: Box<dyn Executable>,
}

/// Lowers `graph` for a backend's claims. The graph may have symbols. `aliases` lists the outputs that update state buffers.
///
/// # Errors
/// Returns a [`CompileError`] if the graph is not valid, or the backend cannot run it.
pub fn lower(
    graph: &Graph,
    aliases: &[Alias],
    backend: &dyn Backend,
    options: &CompileOptions,
) -> Result<Lowered, CompileError> {
    lower_for(graph, aliases, backend.device().name(), backend.claims(), options)
}

/// Compiles `graph` and binds it to these sizes.
///
/// # Errors
/// Returns the errors of [`lower`], errors of the backend, and [`CompileError::Bind`] if the graph or the backend does not accept the
/// sizes.
pub fn compile(
    graph: &Graph,
    bindings: &Bindings,
    backend: &dyn Backend,
    options: &CompileOptions,
) -> Result<Compiled, CompileError> {
    let lowered = lower(graph, &[], backend, options)?;
    let mut executable = backend.prepare(lowered.clone(), &backend.queue(0)?)?;
    executable.bind(bindings)?;
    Ok(Compiled { lowered, executable })
}
