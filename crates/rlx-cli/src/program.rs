//! Graphs in files: the text form of RLX (.rlx) and StableHLO (.mlir), read and written.

use std::path::Path;

use rlx_ir::Graph;
use rlx_models::files::{read_text, write_atomically};
use rlx_stablehlo::{Check, ExportOptions};

use crate::failure::Failure;

/// Longest graph that is read, in bytes.
const MAX_GRAPH: u64 = 256 << 20;

/// The language of a file, by its extension.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    Rlx,
    StableHlo,
}

impl Language {
    /// The language of the file `path`.
    pub fn of(path: &Path) -> Result<Language, Failure> {
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
        match extension.as_str() {
            "rlx" => Ok(Language::Rlx),
            "mlir" | "stablehlo" => Ok(Language::StableHlo),
            _ => Err(Failure::usage(format!(
                "{}: a graph is a .rlx file, or StableHLO in a .mlir file",
                path.display()
            ))),
        }
    }
}

/// A graph from a file.
#[derive(Debug)]
pub struct Program {
    pub graph: Graph,
    /// How many of its outputs are the program's results; the others are there for its checks.
    pub results: usize,
    /// What the program checks of itself.
    pub checks: Vec<Check>,
}

/// Reads the graph in the file `path`.
pub fn read(path: &Path) -> Result<Program, Failure> {
    let language = Language::of(path)?;
    let text = read_text(path, MAX_GRAPH)?;
    match language {
        Language::Rlx => {
            let graph = Graph::parse(&text)
                .map_err(|e| Failure::Failed(format!("{}: {e}", path.display()).into()))?;
            Ok(Program { results: graph.outputs().len(), graph, checks: Vec::new() })
        }
        Language::StableHlo => {
            let imported = rlx_stablehlo::import(&text).map_err(|e| {
                // `FILE:LINE:COLUMN: problem`, which editors understand.
                let lines: Vec<String> = e.0.iter().map(|d| format!("{}:{d}", path.display())).collect();
                Failure::Failed(lines.join("\n").into())
            })?;
            Ok(Program { graph: imported.graph, results: imported.results, checks: imported.checks })
        }
    }
}

/// Writes a graph to the file `path`, whole or not at all.
pub fn write(path: &Path, graph: &Graph, options: &ExportOptions) -> Result<(), Failure> {
    let text = text(Language::of(path)?, graph, options)?;
    Ok(write_atomically(path, |file| file.write_all(text.as_bytes()))?)
}

/// The graph in a language.
pub fn text(language: Language, graph: &Graph, options: &ExportOptions) -> Result<String, Failure> {
    Ok(match language {
        Language::Rlx => graph.to_string(),
        Language::StableHlo => rlx_stablehlo::export(graph, options)?,
    })
}
