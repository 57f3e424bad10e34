//! Any text as the names of a model: everything written for it has the same tokens as with plain names, and reads back
//! the same.
//!
//! The parts of the text between bytes 0x1e name, in order, the graph, its input, its parameter, a scope and a symbol.

#![no_main]

use libfuzzer_sys::fuzz_target;
use proc_macro2::{TokenStream, TokenTree};
use rlx_aot::{RustEmitter, Weights};
use rlx_compile::pipeline::lower_for;
use rlx_compile::{CompileOptions, EmittedFile, Emitter, Param, ParamValues, Piece, emit};
use rlx_coreml::{Conversion, Opset, decode, lint};
use rlx_ir::{Bindings, Builder, DType, Dim, Graph, Literal, Shape, Symbol};
use rlx_stablehlo::{ExportOptions, export, import};
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

/// The names in an input.
struct Names<'a>([&'a str; 5]);

impl<'a> Names<'a> {
    fn new(text: &'a str) -> Names<'a> {
        let parts: Vec<&str> = text.split('\u{1e}').collect();
        Names(std::array::from_fn(|place| parts[place % parts.len()]))
    }

    /// A model in which everything that can have a name has one. `None` if the names are not allowed, because a
    /// parameter and an input have the same name.
    fn model(&self) -> Option<(Graph, ParamValues, Bindings)> {
        let [graph, input, param, scope, symbol] = self.0;
        let b = Builder::new(graph);
        let rows = Dim::dynamic(symbol);
        let x = b.input(input, Shape::from_dims(&[rows, Dim::Static(3)], DType::F32));
        let w = b.param(param, Shape::new(&[3, 2], DType::F32));
        let y = b.scoped(scope, || x.matmul(&w).tanh());
        let graph = b.finish(&[&y]).ok()?;
        let value = Literal::new(&[3, 2], &[1.0f32, -2.0, 0.5, 0.25, 3.0, -1.0]).ok()?;
        let params = ParamValues::from([(param.to_string(), Param::new(Arc::new(value)))]);
        Some((graph, params, Bindings::from([(Symbol::new(symbol), 4)])))
    }
}

/// The output of every writer for a model, without the parts that names determine.
#[derive(Debug, PartialEq)]
struct Written {
    rust: BTreeMap<String, Vec<char>>,
    lines_of_mlir: usize,
    operations: usize,
}

/// Appends a letter for the kind of each token, regardless of its text.
fn kinds(tokens: TokenStream, out: &mut Vec<char>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => {
                out.push('(');
                kinds(group.stream(), out);
                out.push(')');
            }
            TokenTree::Ident(_) => out.push('a'),
            TokenTree::Punct(punct) => out.push(punct.as_char()),
            TokenTree::Literal(_) => out.push('1'),
        }
    }
}

/// Appends a letter for each key and value of a table, in order.
fn keys(value: &toml::Value, out: &mut Vec<char>) {
    match value {
        toml::Value::Table(table) => {
            out.push('{');
            table.values().for_each(|value| keys(value, out));
            out.push('}');
        }
        toml::Value::Array(array) => array.iter().for_each(|value| keys(value, out)),
        _ => out.push('1'),
    }
}

/// The structure of an emitted file; empty for files that are not text.
fn structure(file: &EmittedFile) -> Vec<char> {
    let bytes: Vec<u8> = file.pieces.iter().flat_map(Piece::bytes).copied().collect();
    let text = || std::str::from_utf8(&bytes).expect("it is text");
    let mut out = Vec::new();
    if file.path.ends_with(".rs") {
        let text = text();
        syn::parse_file(text).unwrap_or_else(|e| panic!("{}: {e}\n{text}", file.path));
        kinds(text.parse().expect("it has tokens"), &mut out);
        out.extend(format!("{} lines", text.lines().count()).chars());
    } else if file.path.ends_with(".toml") {
        keys(&text().parse().expect("it is TOML"), &mut out);
    }
    out
}

fn rust(graph: &Graph, params: &ParamValues, largest: Bindings) -> BTreeMap<String, Vec<char>> {
    let emitter = RustEmitter { largest, weights: Weights::Embedded, ..RustEmitter::default() };
    let lowered = lower_for(graph, &[], emitter.target(), emitter.claims(), &CompileOptions::new());
    let files = emit(&emitter, &lowered.expect("names change nothing"), params).expect("names change nothing");
    files.iter().map(|file| (file.path.clone(), structure(file))).collect()
}

/// The number of lines of the module. Checks that it reads back as a graph with the same names.
fn mlir(graph: &Graph) -> usize {
    let text = export(graph, &ExportOptions::default()).expect("names change nothing");
    let back = import(&text).unwrap_or_else(|e| panic!("{e:?}\n{text}")).graph;
    assert_eq!(back.name(), graph.name(), "{text}");
    text.lines().count()
}

/// The number of operations of the ML Program.
fn operations(graph: &Graph, params: &ParamValues, sizes: &Bindings) -> usize {
    let graph = graph.bind(sizes);
    let conversion = Conversion::new(Opset::Ios18.into(), CompileOptions::new());
    let prepared = conversion.prepare(&graph, params).expect("names change nothing");
    let model = decode(&prepared.model).expect("what was written is read");
    lint(&model).iter().map(|function| function.findings.len()).sum()
}

fn written(names: &Names) -> Option<Written> {
    let (graph, params, sizes) = names.model()?;
    let text = graph.to_string();
    assert_eq!(Graph::parse(&text).expect("what was printed parses").to_string(), text);
    let operations = operations(&graph, &params, &sizes);
    Some(Written { lines_of_mlir: mlir(&graph), rust: rust(&graph, &params, sizes), operations })
}

static PLAIN: LazyLock<Written> = LazyLock::new(|| {
    written(&Names(["graph", "input", "param", "scope", "symbol"])).expect("plain names are allowed")
});

fuzz_target!(|text: &str| {
    if let Some(written) = written(&Names::new(text)) {
        assert_eq!(written, *PLAIN, "{text:?}");
    }
});
