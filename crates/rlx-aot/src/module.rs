//! Writes a program as one module, for embedding in another program.

use crate::{RustEmitter, Weights};
use rlx_compile::pipeline::lower_for;
use rlx_compile::{CompileError, CompileOptions, Emitter, ParamValues, emit};
use rlx_ir::{Bindings, Graph};

/// A program in Rust.
#[derive(Clone, Debug)]
pub struct Module {
    /// The body of the module: `Model`, whose `run` takes the size of each symbol in order and then a slice per input
    /// and per output. If there are symbols, it also has `SIZES`, the minimum and the maximum of each.
    pub text: String,
    /// The bytes to pass to `Model::new`. If they are empty, `Model::new` takes no argument.
    pub weights: Vec<u8>,
}

/// Compiles a graph to a module. `largest` is the maximum size of each of its symbols.
///
/// # Errors
/// Fails if the graph does not compile, if a parameter has no value, or if Rust cannot express the program.
pub fn module(graph: &Graph, params: &ParamValues, largest: &Bindings) -> Result<Module, CompileError> {
    let emitter = RustEmitter {
        weights: Weights::Passed,
        largest: largest.clone(),
        passes_sizes: true,
        ..RustEmitter::default()
    };
    let lowered = lower_for(graph, &[], emitter.target(), emitter.claims(), &CompileOptions::new())?;
    let files = emit(&emitter, &lowered, params)?;
    let bytes = |path: &str| -> Vec<u8> {
        let pieces = files.iter().filter(|file| file.path == path).flat_map(|file| &file.pieces);
        pieces.flat_map(|piece| piece.bytes()).copied().collect()
    };
    let text = |path: &str| String::from_utf8_lossy(&bytes(path)).into_owned();
    let with = |library: String, name: &str| {
        let inside = format!("mod {name} {{\n{}}}\n", text(&format!("src/{name}.rs")));
        library.replace(&format!("mod {name};\n"), &inside)
    };
    let sources = files.iter().filter_map(|file| file.path.strip_prefix("src/")?.strip_suffix(".rs"));
    let text = sources.filter(|name| *name != "lib").fold(text("src/lib.rs"), with);
    Ok(Module { text, weights: bytes("weights.bin") })
}
