//! Writes a program as one module, for embedding in another program.

use crate::{RustEmitter, Weights};
use rlx_compile::pipeline::lower_for;
use rlx_compile::{CompileError, CompileOptions, Emitter, ParamValues, emit};
use rlx_ir::{Bindings, Graph};

/// A program in Rust.
#[derive(Clone, Debug)]
pub struct Module {
    /// What stands inside the module: `Model`, whose `run` takes the size of each symbol, in order, and a slice per input and per output; and,
    /// where there are symbols, `SIZES`, the least and the largest of each.
    pub text: String,
    /// The bytes that `Model::new` is given; where there are none it is given nothing.
    pub weights: Vec<u8>,
}

/// A graph as a module; `largest` is the largest size of each of its symbols.
///
/// # Errors
/// Why the graph does not compile, parameters without a value, and everything that Rust cannot say.
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
