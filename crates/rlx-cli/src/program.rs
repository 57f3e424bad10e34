//! Reads and writes graphs in RLX's text form (.rlx) and StableHLO (.mlir), in files and on standard input.

use std::path::Path;

use rlx_ir::Graph;
use rlx_models::files::{read_bounded, write_atomically};
use rlx_models::foreign;
use rlx_stablehlo::{Check, ExportOptions};

use crate::failure::Failure;
use crate::stdin;

/// Maximum size of a graph, in bytes.
const MAX_GRAPH: u64 = 256 << 20;

/// The language of a graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    Rlx,
    StableHlo,
}

impl Language {
    /// The language of the file `path`, from its extension.
    pub fn of(path: &Path) -> Result<Language, Failure> {
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
        match extension.as_str() {
            "rlx" => Ok(Language::Rlx),
            "mlir" | "stablehlo" => Ok(Language::StableHlo),
            other => Err(Failure::usage(format!(
                "{}: a graph is a .rlx file, or StableHLO in a .mlir file{}",
                path.display(),
                by_extension(other).map(|what| format!("; {what}")).unwrap_or_default()
            ))),
        }
    }

    /// The language of a text, from its first word.
    fn of_text(text: &str) -> Language {
        let mut lines = text.lines().map(str::trim_start);
        let first = lines.find(|line| !line.is_empty() && !line.starts_with("//")).unwrap_or_default();
        let word = first.split(|c: char| !c.is_alphanumeric()).next();
        if word == Some("graph") { Language::Rlx } else { Language::StableHlo }
    }
}

/// Describes a file of another system by its extension, and says what to do.
fn by_extension(extension: &str) -> Option<&'static str> {
    Some(match extension {
        "mlirbc" | "bc" => BYTECODE,
        "hlo" | "pb" | "pbtxt" => {
            "this is an XLA or TensorFlow program; in JAX, write `jax.jit(f).lower(…).as_text()` into a .mlir file"
        }
        "onnx" => "this version does not read ONNX",
        "pt" | "pth" | "pt2" => {
            "this is a PyTorch file; save its weights as .safetensors (`safetensors.torch.save_file`) and export its graph through JAX to StableHLO"
        }
        "gguf" => "this contains the weights of a model; `rlx inspect` shows them",
        "safetensors" | "npy" | "npz" => "this contains arrays; pass them with --input",
        "py" | "ipynb" => {
            "this is Python; lower the function, and write `jax.jit(f).lower(…).as_text()` into a .mlir file"
        }
        _ => return None,
    })
}

/// The magic bytes of MLIR bytecode (<https://mlir.llvm.org/docs/BytecodeFormat/>).
const BYTECODE_MAGIC: &[u8] = b"ML\xefR";

const BYTECODE: &str = "this is MLIR bytecode, but RLX reads text; in JAX, write `jax.jit(f).lower(…).as_text()`; from a file, run `mlir-opt FILE`";

/// The text of the graph from `origin`.
fn text_of(origin: &str, bytes: Vec<u8>) -> Result<String, Failure> {
    if bytes.starts_with(BYTECODE_MAGIC) {
        return Err(Failure::Failed(format!("{origin}: {BYTECODE}").into()));
    }
    if let Some(what) = foreign::what_is(&bytes) {
        return Err(Failure::Failed(format!("{origin}: this is {what}").into()));
    }
    String::from_utf8(bytes)
        .map_err(|e| Failure::Failed(format!("{origin}: it is not text: {}", e.utf8_error()).into()))
}

/// Whether an argument names a graph: a file with the extension of one, or `-` for standard input.
pub fn is_graph(path: &Path) -> bool {
    stdin::is_meant(path) || Language::of(path).is_ok()
}

/// A graph from a file.
#[derive(Debug)]
pub struct Program {
    pub graph: Graph,
    /// The language of the file.
    pub language: Language,
    /// How many outputs are results of the program; the others are inputs of its checks.
    pub results: usize,
    /// The checks that the program makes of itself.
    pub checks: Vec<Check>,
}

/// Reads the graph in the file `path`, or from standard input if it is `-`.
pub fn read(path: &Path) -> Result<Program, Failure> {
    if stdin::is_meant(path) {
        let text = read_stdin()?;
        return parse(Language::of_text(&text), stdin::NAME, &text);
    }
    let language = Language::of(path)?;
    let origin = path.display().to_string();
    let text = text_of(&origin, read_bounded(path, MAX_GRAPH)?)?;
    parse(language, &origin, &text)
}

fn read_stdin() -> Result<String, Failure> {
    let text = text_of(stdin::NAME, stdin::read("a graph", MAX_GRAPH)?)?;
    if text.trim().is_empty() {
        return Err(Failure::Failed(format!("{}: expected a graph, but it is empty", stdin::NAME).into()));
    }
    Ok(text)
}

/// Parses the text of a graph from `origin`.
fn parse(language: Language, origin: &str, text: &str) -> Result<Program, Failure> {
    match language {
        Language::Rlx => {
            let graph = Graph::parse(text).map_err(|e| Failure::Failed(format!("{origin}: {e}").into()))?;
            Ok(Program { results: graph.outputs().len(), graph, language, checks: Vec::new() })
        }
        Language::StableHlo => {
            let imported = rlx_stablehlo::import(text).map_err(|e| {
                // `FILE:LINE:COLUMN: problem`, a form that editors recognize.
                let lines: Vec<String> = e.0.iter().map(|d| format!("{origin}:{d}")).collect();
                Failure::Failed(lines.join("\n").into())
            })?;
            let rlx_stablehlo::Imported { graph, results, checks, .. } = imported;
            Ok(Program { graph, language, results, checks })
        }
    }
}

/// Writes a graph to the file `path`, either completely or not at all.
pub fn write(path: &Path, graph: &Graph, options: &ExportOptions) -> Result<(), Failure> {
    let text = text(Language::of(path)?, graph, options)?;
    Ok(write_atomically(path, |file| file.write_all(text.as_bytes()))?)
}

/// The text of a graph in a language.
pub fn text(language: Language, graph: &Graph, options: &ExportOptions) -> Result<String, Failure> {
    Ok(match language {
        Language::Rlx => graph.to_string(),
        Language::StableHlo => rlx_stablehlo::export(graph, options)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(result: Result<Program, Failure>) -> String {
        match result.map(|_| ()) {
            Err(Failure::Failed(e)) => e.to_string(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_is_no_text_of_a_graph_is_named_with_the_cure() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("step.mlir");
        std::fs::write(&path, b"ML\xefR\x03MLIR21.0.0\0").unwrap();
        let text = error(read(&path));
        assert!(text.contains("step.mlir: this is MLIR bytecode") && text.contains("as_text()"), "{text}");
        std::fs::write(&path, b"module \xff").unwrap();
        assert!(error(read(&path)).contains("it is not text"));
        for (name, says) in
            [("a.onnx", "ONNX"), ("a.pt", "PyTorch"), ("a.PB", "as_text()"), ("a.mlirbc", "bytecode")]
        {
            let Err(Failure::Usage(text)) = Language::of(Path::new(name)) else { panic!("{name}") };
            assert!(text.to_string().contains(says), "{text}");
        }
    }
}
