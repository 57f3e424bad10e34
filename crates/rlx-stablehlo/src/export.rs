//! Graphs to text.

use rlx_ir::Graph;

/// How a graph is written.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct ExportOptions {}

/// Why a graph cannot be written: every reason, one a line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}", .0.join("\n"))]
pub struct ExportError(pub Vec<String>);

/// The graph as [`export()`] writes it and [`import()`](crate::import()) reads it back.
pub fn exported_form(graph: &Graph) -> Result<Graph, ExportError> {
    Ok(graph.clone())
}

/// Writes a graph as a module whose `main` takes the inputs and parameters.
pub fn export(graph: &Graph, options: &ExportOptions) -> Result<String, ExportError> {
    let _ = (graph, options);
    Err(ExportError(vec!["not written yet".into()]))
}
