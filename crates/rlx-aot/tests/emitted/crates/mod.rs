//! Emitted crates, built and run.

use rlx_aot::RustEmitter;
use rlx_codegen::judge::sizes;
use rlx_compile::pipeline::lower_for;
use rlx_compile::{CompileOptions, EmittedFile, Emitter, Param, ParamValues, emit};
use rlx_ir::{Graph, Literal, Node, Shape};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

/// A graph with a value for each input and parameter.
#[derive(Clone)]
pub struct Example {
    pub graph: Graph,
    pub inputs: Vec<Literal>,
    pub params: BTreeMap<String, Literal>,
    /// Sizes that the crate is passed.
    pub passed: Vec<usize>,
}

impl Example {
    /// Returns the files of its crate, or why there are none.
    pub fn files(&self, emitter: &RustEmitter) -> Result<Vec<EmittedFile>, String> {
        let options = CompileOptions::new();
        let lowered = lower_for(&self.graph, &[], emitter.target(), emitter.claims(), &options);
        let lowered = lowered.map_err(|e| e.to_string())?;
        let param = |(name, value): (&String, &Literal)| (name.clone(), Param::new(Arc::new(value.clone())));
        let params: ParamValues = self.params.iter().map(param).collect();
        emit(emitter, &lowered, &params).map_err(|e| e.to_string())
    }

    /// Returns the shapes of its outputs at the sizes of its inputs.
    pub fn output_shapes(&self) -> Vec<Shape> {
        let sizes = sizes(&self.graph, &self.inputs.iter().collect::<Vec<_>>());
        self.graph.output_shapes().iter().map(|shape| shape.eval(&sizes).unwrap()).collect()
    }

    /// Returns the evaluator's results.
    pub fn expected(&self) -> Vec<Literal> {
        let names = self.graph.inputs().filter_map(Node::name);
        let params = self.params.iter().map(|(name, value)| (name.as_str(), value));
        let named: Vec<(&str, &Literal)> = names.zip(&self.inputs).chain(params).collect();
        rlx_ir::eval(&self.graph, &named).unwrap()
    }
}

fn element(shape: &Shape) -> &'static str {
    rlx_codegen::print::rust::element(shape.dtype())
}

fn count(shape: &Shape) -> usize {
    shape.num_elements().unwrap()
}

/// Returns statements that run an example twice on inputs from `input` and append its outputs to `output`. The second
/// run shows that the first leaves no state behind.
pub fn calls(example: &Example, model: &str) -> String {
    let mut text = format!("let mut model = {model};\n");
    let mut arguments: Vec<String> = example.passed.iter().map(usize::to_string).collect();
    for (i, shape) in example.inputs.iter().map(Literal::shape).enumerate() {
        writeln!(text, "let x{i} = take::<{}>(&mut input, {});", element(shape), count(shape)).unwrap();
        arguments.push(format!("&x{i}"));
    }
    let outputs = example.output_shapes();
    for (i, shape) in outputs.iter().enumerate() {
        writeln!(text, "let mut y{i} = new::<{}>({});", element(shape), count(shape)).unwrap();
        arguments.push(format!("&mut y{i}"));
    }
    for _ in 0..2 {
        writeln!(text, "model.run({}).unwrap();", arguments.join(", ")).unwrap();
    }
    (0..outputs.len()).for_each(|i| writeln!(text, "give(&mut output, &y{i});").unwrap());
    format!("{{\n{text}}}\n")
}

/// Returns a program around calls.
pub fn program(modules: &str, calls: &str) -> String {
    format!(
        "#![allow(unused)]\nmod bytes;\nuse bytes::*;\n{modules}\nfn main() {{\n\
         let read = std::fs::read(std::env::args().nth(1).unwrap()).unwrap();\n\
         let (mut input, mut output) = (&read[..], Vec::new());\n{calls}\n\
         std::fs::write(std::env::args().nth(2).unwrap(), output).unwrap();\n}}\n"
    )
}

/// Writes a file inside a folder.
pub fn write(path: &Path, bytes: &[u8]) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, bytes).unwrap();
}

/// Writes the source file with which programs read and write bytes.
pub fn write_bytes(folder: &Path) {
    write(&folder.join("bytes.rs"), include_bytes!("bytes.rs"));
}

/// The content of an emitted file.
pub fn content(file: &EmittedFile) -> Vec<u8> {
    file.pieces.iter().flat_map(|piece| piece.bytes().to_vec()).collect()
}

/// Runs a command, which must succeed.
pub fn succeeds(command: &mut Command) {
    let ran = command.output().unwrap();
    assert!(ran.status.success(), "{command:?}: {}", String::from_utf8_lossy(&ran.stderr));
}

/// Runs a program on inputs and returns its outputs in the shapes of the examples.
pub fn run(program: &Path, folder: &Path, examples: &[Example]) -> Vec<Vec<Literal>> {
    run_with(&mut Command::new(program), folder, examples)
}

/// Does the same with a command, which receives the files of inputs and outputs.
pub fn run_with(command: &mut Command, folder: &Path, examples: &[Example]) -> Vec<Vec<Literal>> {
    let inputs = examples.iter().flat_map(|example| &example.inputs);
    let inputs: Vec<u8> = inputs.flat_map(|literal| literal.bytes().to_vec()).collect();
    write(&folder.join("inputs"), &inputs);
    succeeds(command.arg(folder.join("inputs")).arg(folder.join("outputs")));
    let outputs = std::fs::read(folder.join("outputs")).unwrap();
    let mut rest = &outputs[..];
    let literal = |shape: &Shape, rest: &mut &[u8]| {
        let (mine, others) = rest.split_at(shape.num_bytes().unwrap());
        *rest = others;
        Literal::from_bytes(shape, mine).unwrap()
    };
    let of_example = |example: &Example| {
        let shapes = example.output_shapes();
        shapes.iter().map(|shape| literal(shape, &mut rest)).collect()
    };
    let results = examples.iter().map(of_example).collect();
    assert!(rest.is_empty());
    results
}

/// Writes the crate of an example as a module. Returns the number of its launches that are shared.
pub fn write_module(example: &Example, emitter: &RustEmitter, folder: &Path) -> usize {
    let mut shared = 0;
    for file in example.files(emitter).unwrap_or_else(|why| panic!("{why}\n{}", example.graph)) {
        let Some(path) = file.path.strip_prefix("src/") else { continue };
        let path = if path == "lib.rs" { "mod.rs" } else { path };
        let content = content(&file);
        shared += String::from_utf8_lossy(&content).matches("team.run(").count();
        write(&folder.join(path), &content);
    }
    shared
}

/// Writes examples as modules of one program and returns the path of its main file.
pub fn write_all(examples: &[Example], folder: &Path) -> PathBuf {
    let (mut modules, mut text) = (String::new(), String::new());
    for (number, example) in examples.iter().enumerate() {
        write_module(example, &RustEmitter::default(), &folder.join(format!("case_{number}")));
        writeln!(modules, "mod case_{number};").unwrap();
        text.push_str(&calls(example, &format!("case_{number}::Model::new()")));
    }
    write_bytes(folder);
    let main = folder.join("main.rs");
    write(&main, program(&modules, &text).as_bytes());
    main
}

/// Returns the command that runs the compiler.
pub fn rustc() -> Command {
    Command::new(std::env::var("RUSTC").unwrap_or("rustc".into()))
}

/// Builds examples as modules of one program, and runs it.
pub fn run_all(examples: &[Example]) -> Vec<Vec<Literal>> {
    let folder = tempfile::tempdir().unwrap();
    let main = write_all(examples, folder.path());
    let built = folder.path().join("program");
    let options = ["--edition=2024", "-Coverflow-checks=on", "-o"];
    succeeds(rustc().args(options).arg(&built).arg(&main));
    run(&built, folder.path(), examples)
}
