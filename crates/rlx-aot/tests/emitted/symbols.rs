//! Crates of graphs with symbolic sizes: one crate, run at many sizes in any order.

use crate::crates::{Example, calls, program, run, rustc, succeeds, write, write_bytes, write_module};
use crate::threads::{build, with_threads};
use crate::{Given, built_by_cargo, example, floats, key};
use rlx_aot::RustEmitter;
use rlx_codegen::judge::{difference, sizes};
use rlx_conformance::random::symbolic::lifted;
use rlx_conformance::{Case, Outcome, cases, judge};
use rlx_ir::{
    Bindings, Builder, DType, Dim, Graph, Literal, Node, Op, ReduceOp, Shape, Symbol, Tensor, UnaryOp,
};
use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;

fn up_to(largest: &[(&str, usize)]) -> RustEmitter {
    let largest = largest.iter().map(|(name, most)| (Symbol::new(name), *most)).collect();
    RustEmitter { largest, ..RustEmitter::default() }
}

fn shape(dims: &[Dim]) -> Shape {
    Shape::from_dims(dims, DType::F32)
}

/// One crate, with the arguments of its consecutive runs.
struct Open {
    emitter: RustEmitter,
    runs: Vec<Example>,
}

impl Open {
    /// Runs of one crate, which is passed the sizes that no length determines.
    fn of_runs(emitter: RustEmitter, mut runs: Vec<Example>) -> Open {
        let library = library(&runs[0], &emitter);
        for run in &mut runs {
            let sizes = sizes(&run.graph, &run.inputs.iter().collect::<Vec<_>>());
            let is_passed = |symbol: &Symbol| library.contains(&format!("        {symbol}: usize,\n"));
            run.passed =
                sizes.into_iter().filter(|(symbol, _)| is_passed(symbol)).map(|(_, size)| size).collect();
        }
        Open { emitter, runs }
    }

    /// A graph of f32 at the given sizes of its symbols.
    fn new(graph: &Graph, params: &[(&str, Literal)], largest: &[(&str, usize)], sizes: &[&[usize]]) -> Open {
        let runs = sizes.iter().map(|sizes| {
            let sizes = largest.iter().zip(*sizes).map(|((name, _), &size)| (Symbol::new(name), size));
            let sizes: Bindings = sizes.collect();
            let shapes = graph.inputs().map(|node| node.shape().eval(&sizes).unwrap());
            let inputs = shapes.enumerate().map(|(seed, shape)| floats(&shape.static_dims().unwrap(), seed));
            example(graph.clone(), inputs.collect(), params)
        });
        Open::of_runs(up_to(largest), runs.collect())
    }
}

/// Returns the results of all runs of all crates, which are modules of one program.
fn run_open(crates: &[Open]) -> Vec<Vec<Vec<Literal>>> {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let (mut modules, mut text) = (String::new(), String::new());
    for (number, open) in crates.iter().enumerate() {
        write_module(&open.runs[0], &open.emitter, &root.join(format!("case_{number}")));
        writeln!(modules, "mod case_{number};").unwrap();
        writeln!(text, "let mut model_{number} = case_{number}::Model::new();").unwrap();
        open.runs.iter().for_each(|run| text.push_str(&calls(run, &format!("&mut model_{number}"))));
    }
    write_bytes(root);
    write(&root.join("main.rs"), program(&modules, &text).as_bytes());
    let built = root.join("program");
    let options = ["--edition=2024", "-Coverflow-checks=on", "-o"];
    succeeds(rustc().args(options).arg(&built).arg(root.join("main.rs")));
    given(crates, &built, root)
}

/// Returns the results of a program, by crate and run.
fn given(crates: &[Open], program: &Path, root: &Path) -> Vec<Vec<Vec<Literal>>> {
    let all: Vec<Example> = crates.iter().flat_map(|open| open.runs.iter().cloned()).collect();
    let mut results = run(program, root, &all).into_iter();
    crates.iter().map(|open| results.by_ref().take(open.runs.len()).collect()).collect()
}

/// softmax(x · w + b) for any number of rows.
fn layer() -> Open {
    let b = Builder::new("layer");
    let x = b.input("x", shape(&["n".into(), 24.into()]));
    let (w, bias) =
        (b.param("w", Shape::new(&[24, 40], DType::F32)), b.param("b", Shape::new(&[40], DType::F32)));
    let product = x.matmul(&w);
    let graph = b.finish(&[&(&product + &bias.broadcast_to(product.shape().dims())).softmax(1)]).unwrap();
    let params = [("w", floats(&[24, 40], 1)), ("b", floats(&[40], 2))];
    Open::new(&graph, &params, &[("n", 45)], &[&[45], &[1], &[0], &[10], &[23], &[9]])
}

/// Attention with several heads. Schedules run its rows in vector lanes.
fn attention() -> Open {
    let b = Builder::new("attention");
    let operand = |name: &str| b.input(name, shape(&["batch".into(), "seq".into(), 16.into()]));
    let (q, k, v) = (operand("q"), operand("k"), operand("v"));
    let scores = q.matmul(&k.transpose(&[0, 2, 1])).apply(Op::Softmax { axis: 2 }, &[]);
    let sums = v.reduce(ReduceOp::Sum, &[1, 2], false);
    let graph = b.finish(&[&scores.matmul(&v), &sums]).unwrap();
    Open::new(
        &graph,
        &[],
        &[("batch", 3), ("seq", 70)],
        &[&[3, 70], &[1, 1], &[2, 33], &[3, 8], &[1, 64], &[2, 31]],
    )
}

/// A product whose number of columns is a symbol, followed by rows of that length.
fn wide() -> Open {
    let b = Builder::new("wide");
    let (x, y) =
        (b.input("x", shape(&[5.into(), "m".into()])), b.input("y", shape(&["m".into(), "n".into()])));
    let product = x.matmul(&y);
    let sums = product.unary(UnaryOp::Tanh).apply(Op::Softmax { axis: 1 }, &[]);
    let graph = b.finish(&[&product, &sums]).unwrap();
    Open::new(
        &graph,
        &[],
        &[("m", 40), ("n", 300)],
        &[&[40, 300], &[1, 1], &[3, 0], &[0, 7], &[17, 65], &[8, 31]],
    )
}

/// A scan over an axis of any length.
fn steps() -> Open {
    let b = Builder::new("steps");
    let x = b.input("x", shape(&["n".into(), 6.into()]));
    let first = b.constant(floats(&[6], 3));
    let body = Builder::new("body");
    let (carried, slice) = (body.input("c", shape(&[6.into()])), body.input("x", shape(&[6.into()])));
    let next = (&carried + &slice).unary(UnaryOp::Tanh);
    let body = rlx_ir::SubGraph::new(body.finish(&[&next, &(&next * &slice)]).unwrap());
    let op = Op::Scan { body, length: "n".into(), num_consts: 0, num_carry: 1, reverse: true };
    let results = first.apply_many(op, &[&x]);
    let graph = b.finish(&results.iter().collect::<Vec<&Tensor>>()).unwrap();
    Open::new(&graph, &[], &[("n", 12)], &[&[12], &[1], &[5], &[0]])
}

fn near(open: &Open, results: &[Vec<Literal>], most: f64) {
    for (run, results) in open.runs.iter().zip(results) {
        for (result, expected) in results.iter().zip(run.expected()) {
            let difference = difference(result, &expected);
            let shapes: Vec<String> = run.inputs.iter().map(|input| input.shape().to_string()).collect();
            assert!(difference <= most, "{difference} at {shapes:?}: {}", run.graph);
        }
    }
}

#[test]
fn one_crate_runs_at_all_sizes() {
    let crates = [layer(), attention(), wide(), steps()];
    for (open, results) in crates.iter().zip(run_open(&crates)) {
        near(open, &results, 16.0);
    }
}

#[test]
fn sizes_and_threads_give_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let b = Builder::new("network");
    let x = b.input("x", shape(&["n".into(), 192.into()]));
    let w = b.param("w", Shape::new(&[192, 256], DType::F32));
    let hidden = x.matmul(&w).unary(UnaryOp::Tanh);
    let graph = b.finish(&[&hidden.apply(Op::Softmax { axis: 1 }, &[]), &hidden]).unwrap();
    let params = [("w", floats(&[192, 256], 1))];
    let network = Open::new(&graph, &params, &[("n", 130)], &[&[130], &[1], &[0], &[9], &[10], &[101]]);
    let b = Builder::new("attention");
    let operand = |name: &str| b.input(name, shape(&["n".into(), "m".into(), 64.into()]));
    let (q, k, v) = (operand("q"), operand("k"), operand("v"));
    let scores = q.matmul(&k.transpose(&[0, 2, 1])).apply(Op::Softmax { axis: 2 }, &[]);
    let graph = b.finish(&[&scores.matmul(&v)]).unwrap();
    let attention =
        Open::new(&graph, &[], &[("n", 3), ("m", 150)], &[&[3, 150], &[1, 1], &[2, 33], &[0, 5], &[3, 31]]);
    let (mut modules, mut text, mut crates) = (String::new(), String::new(), Vec::new());
    for (number, mut open) in [network, attention].into_iter().enumerate() {
        open.emitter.threads = with_threads().threads;
        let shared = write_module(&open.runs[0], &open.emitter, &root.join(format!("case_{number}")));
        assert!(shared >= 4, "{shared} launches of case {number} are shared");
        modules.push_str(&format!("mod case_{number};\n"));
        for threads in 1..=3 {
            let model = format!("case_{number}::Model::new().with_threads({threads}).unwrap()");
            writeln!(text, "let mut model_{number} = {model};").unwrap();
            open.runs.iter().for_each(|run| text.push_str(&calls(run, &format!("&mut model_{number}"))));
            crates.push(Open { emitter: open.emitter.clone(), runs: open.runs.clone() });
        }
    }
    write_bytes(root);
    write(&root.join("main.rs"), program(&modules, &text).as_bytes());
    let results = given(&crates, &build(root, &["-Coverflow-checks=on", "-Copt-level=1"]), root);
    for (crates, results) in crates.chunks(3).zip(results.chunks(3)) {
        near(&crates[0], &results[0], 64.0);
        assert!(results.iter().all(|of_threads| of_threads == &results[0]), "{}", crates[0].runs[0].graph);
    }
}

#[test]
fn memory_of_the_largest_size_is_an_array_without_std() {
    let Open { emitter, mut runs } = layer();
    let emitter = RustEmitter { no_std: true, ..emitter };
    assert!(library(&runs[0], &emitter).contains("f32s: [f32; "));
    built_by_cargo(runs.remove(3), emitter, "layer::Model::new()");
}

/// Returns a literal of another shape that repeats the same elements.
fn resized(literal: &Literal, shape: &Shape) -> Literal {
    let size = literal.dtype().size();
    let count = literal.bytes().len() / size;
    let element = |i: usize| &literal.bytes()[(i * 7 % count) * size..][..size];
    let bytes: Vec<u8> = (0..shape.num_elements().unwrap()).flat_map(element).copied().collect();
    Literal::from_bytes(shape, &bytes).unwrap()
}

/// Turns one of a case's sizes into a symbol, and runs the case at that size and at others.
fn of_case(case: &Case) -> Option<Open> {
    let (graph, sizes) = lifted(&case.graph())?;
    let inputs: Vec<Literal> = case.inputs().into_iter().map(|(_, literal)| literal).collect();
    let (symbol, &size) = sizes.iter().next()?;
    let emitter =
        RustEmitter { largest: Bindings::from([(symbol.clone(), size + 3)]), ..RustEmitter::default() };
    let mut runs = vec![example(graph.clone(), inputs.clone(), &[])];
    runs[0].files(&emitter).ok()?;
    for other in [size + 3, 1, size - 1, size + 1] {
        let sizes = Bindings::from([(symbol.clone(), other)]);
        let shapes =
            graph.inputs().map(|node| node.shape().eval(&sizes).ok()).collect::<Option<Vec<Shape>>>();
        let shapes = shapes.filter(|_| inputs.iter().all(|input| !input.bytes().is_empty()));
        let Some(shapes) = shapes else { continue };
        let inputs: Vec<Literal> =
            inputs.iter().zip(&shapes).map(|(old, shape)| resized(old, shape)).collect();
        let names = graph.inputs().filter_map(Node::name);
        let named: Vec<(&str, &Literal)> = names.zip(&inputs).collect();
        if rlx_ir::eval(&graph, &named).is_ok() {
            runs.push(example(graph.clone(), inputs, &[]));
        }
    }
    Some(Open::of_runs(emitter, runs))
}

#[test]
fn cases_of_the_table_run_at_several_sizes() {
    let mut seen: HashMap<(&str, DType), usize> = HashMap::new();
    let (mut chosen, mut open): (Vec<Case>, Vec<Open>) = (Vec::new(), Vec::new());
    let wanted = cases::all().into_iter().filter(|case| [DType::F32, DType::I32].contains(&case.dtype));
    for case in wanted {
        let of_kind = seen.entry((case.op.mnemonic(), case.dtype)).or_default();
        if *of_kind < 1
            && let Some(one) = of_case(&case)
        {
            *of_kind += 1;
            chosen.push(case);
            open.push(one);
        }
    }
    let mut program = Given(HashMap::new());
    let mut failed = Vec::new();
    let (mut passed, mut at_others) = (0, 0);
    for (cases, open) in chosen.chunks(60).zip(open.chunks(60)) {
        for ((case, open), results) in cases.iter().zip(open).zip(run_open(open)) {
            let graph = case.graph();
            let names = graph.inputs().filter_map(Node::name);
            let inputs: Vec<(&str, &Literal)> = names.zip(&open.runs[0].inputs).collect();
            program.0.insert(key(&graph, &inputs), results[0].clone());
            match judge(&program, case, 0) {
                Outcome::Passed | Outcome::Allowed(_) => passed += 1,
                Outcome::NotApplicable(_) => {}
                Outcome::Failed(why) | Outcome::Skipped(why) => failed.push(format!("{}: {why}", case.name)),
            }
            for (run, results) in open.runs.iter().zip(&results).skip(1) {
                at_others += 1;
                for (result, expected) in results.iter().zip(run.expected()) {
                    let difference = difference(result, &expected);
                    let most = if result.dtype().is_int() { 0.0 } else { 16.0 };
                    if difference > most {
                        let sizes = sizes(&run.graph, &run.inputs.iter().collect::<Vec<_>>());
                        failed.push(format!("{}: {difference} at {sizes:?}", case.name));
                    }
                }
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert!(passed >= 100 && at_others >= 300, "{passed} cases, {at_others} runs at other sizes");
}

/// Returns the text of a crate's library.
fn library(example: &Example, emitter: &RustEmitter) -> String {
    let files = example.files(emitter).unwrap();
    let file = files.iter().find(|file| file.path == "src/lib.rs").unwrap();
    String::from_utf8(crate::crates::content(file)).unwrap()
}

#[test]
fn symbols_need_a_largest_size() {
    let layer = layer().runs.remove(0);
    let error = layer.files(&RustEmitter::default()).unwrap_err();
    assert!(error.ends_with("plans memory before sizes are known: give `n` a maximum size"), "{error}");
}

#[test]
fn lengths_tell_sizes_where_they_can() {
    let text = library(&attention().runs[0], &up_to(&[("batch", 3), ("seq", 70)]));
    for line in [
        "/// - `batch`: a size from 0 to 3, given by the length of `out1`",
        "let batch = self::told(\"batch\", (\"out1\", out1.len()), [1, 0], [0, 3])?;",
        "let seq = self::told(\"seq\", (\"q\", q.len()), [batch * 16, 0], [0, 70])?;",
        "self::check(\"k\", (batch * seq * 16) as usize, k.len())?;",
        "pub const MAX_SEQ: usize = 70;",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    // The sides of a square that is seen as elements do not follow from its length, so the caller passes them.
    let b = Builder::new("square");
    let x = b.input("x", shape(&["n".into(), "n".into()]));
    let square = example(b.finish(&[&(&x + &x)]).unwrap(), Vec::new(), &[]);
    let text = library(&square, &up_to(&[("n", 9)]));
    for line in [
        "        n: usize,\n        x: &[f32],",
        "let n = self::within(\"n\", isize::try_from(n).unwrap_or(isize::MAX), [0, 9])?;",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
}

#[test]
fn sizes_at_which_a_graph_is_not_defined_are_refused() {
    let b = Builder::new("slice");
    let x = b.input("x", shape(&["n".into()]));
    let op = Op::Slice { starts: vec![2.into()], limits: vec!["n".into()], strides: vec![1] };
    let graph = b.finish(&[&x.apply(op, &[])]).unwrap();
    let text = library(&example(graph, Vec::new(), &[]), &up_to(&[("n", 9)]));
    assert!(text.contains("a size from 2 to 9"), "{text}");
    let b = Builder::new("pair");
    let (x, y) = (b.input("x", shape(&["n".into()])), b.input("y", shape(&["m".into()])));
    let pair = example(b.finish(&[&x.binary(rlx_ir::BinaryOp::Add, &y)]).unwrap(), Vec::new(), &[]);
    let error = pair.files(&up_to(&[("n", 4), ("m", 4)])).unwrap_err();
    assert!(error.contains("is not defined for all sizes: with "), "{error}");
}

const WRONG: &str = r#"
mod layer;
use layer::{Model, RunError, WrongLength};

fn main() {
    let mut model = Model::new();
    let mut out = vec![0.0; 40 * 45];
    assert_eq!(model.run(&[0.0; 24 * 3], &mut out[..40 * 3]), Ok(()));
    let uneven = RunError::NoSize { size: "n", of: "x", got: 25 };
    assert_eq!(model.run(&[0.0; 25], &mut out[..40]), Err(uneven));
    assert_eq!(uneven.to_string(), "`x` has 25 elements, which no value of `n` gives");
    let large = RunError::Size { size: "n", least: 0, most: 45, got: 46 };
    assert_eq!(model.run(&[0.0; 24 * 46], &mut out), Err(large));
    assert_eq!(large.to_string(), "`n` is 46, but must be between 0 and 45");
    let short = RunError::Length(WrongLength { name: "out0", expected: 40 * 3, got: 40 });
    assert_eq!(model.run(&[0.0; 24 * 3], &mut out[..40]), Err(short));
    assert_eq!(short.to_string(), "`out0` needs 120 elements, got 40");
}
"#;

#[test]
fn what_fits_no_size_is_an_error_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let layer = layer();
    write_module(&layer.runs[0], &layer.emitter, &folder.path().join("layer"));
    write(&folder.path().join("main.rs"), WRONG.as_bytes());
    let built = folder.path().join("program");
    succeeds(rustc().args(["--edition=2024", "-o"]).arg(&built).arg(folder.path().join("main.rs")));
    succeeds(&mut std::process::Command::new(built));
}
