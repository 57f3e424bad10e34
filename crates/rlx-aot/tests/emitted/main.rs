//! Emitted crates, compared with the evaluator and with JAX (`jax`).

mod aarch64;
mod crates;
mod jax;
mod names;
mod random;
mod symbols;
mod threads;

use crates::{Example, calls, content, program, run, run_all, succeeds, write, write_bytes};
use rlx_aot::{RustEmitter, Weights};
use rlx_codegen::judge::difference;
use rlx_compile::EmittedFile;
use rlx_conformance::{Case, Outcome, Target, TargetError, cases, judge};
use rlx_ir::{
    BinaryOp, Builder, Combiner, DType, Graph, Literal, Op, ReduceOp, ScatterDims, Shape, SubGraph, Tensor,
    UnaryOp, WindowSpec,
};
use std::collections::HashMap;
use std::process::Command;

fn floats(dims: &[usize], seed: usize) -> Literal {
    let count: usize = dims.iter().product();
    let element = |i: usize| ((i * 37 + seed * 101) % 257) as f32 / 64.0 - 2.0;
    Literal::new(dims, &(0..count).map(element).collect::<Vec<f32>>()).unwrap()
}

fn example(graph: Graph, inputs: Vec<Literal>, params: &[(&str, Literal)]) -> Example {
    let params = params.iter().map(|(name, value)| (name.to_string(), value.clone())).collect();
    Example { graph, inputs, params, passed: Vec::new() }
}

/// softmax(x · w + b), with weights from the file.
fn layer() -> Example {
    let b = Builder::new("layer");
    let x = b.input("x", Shape::new(&[5, 12], DType::F32));
    let (w, bias) =
        (b.param("w", Shape::new(&[12, 7], DType::F32)), b.param("b", Shape::new(&[7], DType::F32)));
    let graph = b.finish(&[&(&x.matmul(&w) + &bias).softmax(1)]).unwrap();
    example(graph, vec![floats(&[5, 12], 0)], &[("w", floats(&[12, 7], 1)), ("b", floats(&[7], 2))])
}

fn network() -> Example {
    let b = Builder::new("network");
    let x = b.input("x", Shape::new(&[3, 8], DType::F32));
    let w = b.param("w", Shape::new(&[8, 16], DType::F32));
    let v = b.param("v", Shape::new(&[16, 4], DType::F32));
    let hidden = x.matmul(&w).unary(UnaryOp::Tanh);
    let graph = b.finish(&[&hidden.matmul(&v), &hidden]).unwrap();
    example(graph, vec![floats(&[3, 8], 3)], &[("w", floats(&[8, 16], 4)), ("v", floats(&[16, 4], 5))])
}

fn elementwise() -> Example {
    let b = Builder::new("2 elements");
    let x = b.input("weights", Shape::new(&[40], DType::F32));
    let y = b.input("weights!", Shape::new(&[40], DType::F32));
    let sum = &x.unary(UnaryOp::Exp) * &(&x + &y);
    let graph = b.finish(&[&sum.unary(UnaryOp::Logistic), &x, &x]).unwrap();
    example(graph, vec![floats(&[40], 6), floats(&[40], 7)], &[])
}

/// Constants that are not elementwise, and sorting, on integers.
fn integers() -> Example {
    let b = Builder::new("integers");
    let x = b.input("x", Shape::new(&[4, 6], DType::I32));
    let y = b.constant(Literal::new(&[6], &[3i32, -7, 0, 1 << 30, 5, -1]).unwrap());
    let product = &x * &y;
    let summed = product.apply(Op::Cumsum { axis: 1 }, &[]);
    let graph = b.finish(&[&summed, &product]).unwrap();
    let values: Vec<i32> = (0..24).map(|i: i32| i.wrapping_mul(0x3c6e_f35f)).collect();
    example(graph, vec![Literal::new(&[4, 6], &values).unwrap()], &[])
}

/// A product in f16, of weights that are declared in f32.
fn rounded() -> Example {
    let b = Builder::new("rounded");
    let x = b.input("x", Shape::new(&[5, 12], DType::F32));
    let w = b.param("w", Shape::new(&[12, 7], DType::F32));
    let graph = b.finish(&[&x.convert(DType::F16).matmul(&w.convert(DType::F16))]).unwrap();
    example(graph, vec![floats(&[5, 12], 0)], &[("w", floats(&[12, 7], 1))])
}

/// Attention. Schedules run its rows in vector lanes.
fn attention() -> Example {
    let b = Builder::new("attention");
    let operand = |name: &str| b.input(name, Shape::new(&[2, 37, 16], DType::F32));
    let (q, k, v) = (operand("q"), operand("k"), operand("v"));
    let scores = q.matmul(&k.transpose(&[0, 2, 1])).apply(Op::Softmax { axis: 2 }, &[]);
    let graph = b.finish(&[&scores.matmul(&v)]).unwrap();
    example(graph, (0..3).map(|seed| floats(&[2, 37, 16], seed)).collect(), &[])
}

fn all() -> [Example; 6] {
    [layer(), network(), elementwise(), integers(), rounded(), attention()]
}

#[test]
fn crates_give_what_the_evaluator_gives() {
    let examples = all();
    for (example, results) in examples.iter().zip(run_all(&examples)) {
        for (result, expected) in results.iter().zip(example.expected()) {
            // In units in the last place of the largest element, because the order of sums differs.
            let difference = difference(result, &expected);
            assert!(difference <= 8.0, "{difference}: {}", example.graph);
        }
    }
}

/// Sums many equal numbers, whose rounding errors all have the same sign: one chain of f32 over 200,003 terms is off by 1e-3.
#[test]
fn long_sums_are_as_exact_as_short_ones() {
    let k = 200_003;
    let equal = |dims: &[usize], x: f32| Literal::new(dims, &vec![x; dims.iter().product()]).unwrap();
    let b = Builder::new("long");
    let x = b.input("x", Shape::new(&[3, k], DType::F32));
    let w = b.param("w", Shape::new(&[k, 2], DType::F32));
    let columns = b.input("columns", Shape::new(&[k, 2], DType::F32));
    let image = b.input("image", Shape::new(&[2, 401, 499], DType::F32));
    let indices = b.input("indices", Shape::new(&[k, 1], DType::I32));
    let zeros = b.input("zeros", Shape::new(&[3, 2], DType::F32));
    let zero = b.input("zero", Shape::new(&[], DType::F32));
    let sum =
        |x: &Tensor, axes: &[usize]| x.apply(Op::Reduce { kind: ReduceOp::Sum, axes: axes.to_vec() }, &[]);
    let query = b.input("query", Shape::new(&[1, 2], DType::F32));
    let weights = query.matmul(&columns.transpose(&[1, 0])).softmax(1);
    let scatter = Op::Scatter {
        dims: ScatterDims {
            update_window_dims: vec![1],
            inserted_window_dims: vec![0],
            input_batching_dims: Vec::new(),
            scatter_indices_batching_dims: Vec::new(),
            scatter_dims_to_operand_dims: vec![0],
            index_vector_dim: 1,
        },
        combiner: Combiner::Reduce(ReduceOp::Sum),
    };
    let both = Builder::new("both");
    let one = |name: &str| both.input(name, Shape::new(&[], DType::F32));
    let [s, m, x0, x1] = ["s", "m", "x0", "x1"].map(one);
    let body = both.finish(&[&(&s + &x0), &m.binary(BinaryOp::Max, &x1)]).unwrap().into();
    let by_graph = x.apply_many(Op::ReduceGraph { body, axes: vec![1] }, &[&x, &zero, &zero]);
    let graph = b
        .finish(&[
            &x.matmul(&w),
            &x.matmul(&columns),
            &sum(&x, &[1]),
            &sum(&columns, &[0]),
            &sum(&image, &[1, 2]),
            &x.cumsum(1),
            &weights.matmul(&x.transpose(&[1, 0])),
            &zeros.apply(scatter, &[&indices, &columns]),
            &by_graph[0],
        ])
        .unwrap();
    let indices = Literal::new(&[k, 1], &vec![1i32; k]).unwrap();
    let mut inputs = vec![equal(&[3, k], 0.1), equal(&[k, 2], 0.7), equal(&[2, 401, 499], 0.3), indices];
    inputs.extend([equal(&[3, 2], 0.0), equal(&[], 0.0), equal(&[1, 2], 0.2)]);
    let long = example(graph, inputs, &[("w", equal(&[k, 2], 0.9))]);
    let mut expected = long.expected();
    // The evaluator rounds to f32 after every addition of the graph.
    expected[8] = equal(&[3], (k as f64 * f64::from(0.1f32)) as f32);
    let results = run_all(std::slice::from_ref(&long)).remove(0);
    for (which, (result, expected)) in results.iter().zip(&expected).enumerate() {
        let pairs = result.as_slice::<f32>().unwrap().iter().zip(expected.as_slice::<f32>().unwrap());
        for (at, (&got, &right)) in pairs.enumerate() {
            let error = f64::from(got - right).abs();
            assert!(
                error <= 1e-5 * f64::from(right),
                "output {which}, element {at}: {got}, not {right}: {error:e}"
            );
        }
    }
}

/// A body over so many scalars of f32.
fn body(scalars: usize, build: impl FnOnce(&[Tensor]) -> Vec<Tensor>) -> SubGraph {
    let b = Builder::new("body");
    let scalars: Vec<Tensor> =
        (0..scalars).map(|i| b.input(format!("a{i}"), Shape::scalar(DType::F32))).collect();
    SubGraph::new(b.finish(&build(&scalars).iter().collect::<Vec<_>>()).unwrap())
}

/// Initial values that are no identities, of reductions so long that they are divided; all sums and products are exact.
#[test]
fn initial_values_count_once() {
    let n = 10_000;
    let named = || {
        body(6, |x| vec![&x[0] + &x[3], x[1].binary(BinaryOp::Mul, &x[4]), x[2].binary(BinaryOp::Max, &x[5])])
    };
    // A product of complex numbers, as a pair: the identity is none that the text of the body shows.
    let pair = || {
        let parts =
            |x: &[Tensor]| vec![&(&x[0] * &x[2]) - &(&x[1] * &x[3]), &(&x[0] * &x[3]) + &(&x[1] * &x[2])];
        body(4, parts)
    };
    let b = Builder::new("initial");
    let operand = |name: &str, dims: &[usize]| b.input(name, Shape::new(dims, DType::F32));
    let (small, signs) = (operand("small", &[n]), operand("signs", &[n]));
    let columns = operand("columns", &[n, 3]);
    let (real, imaginary) = (operand("real", &[n]), operand("imaginary", &[n]));
    let first: Vec<Tensor> = ["five", "two", "middle"].map(|name| operand(name, &[])).to_vec();
    let over = |op: Op, xs: &[&Tensor], first: &[Tensor]| {
        let others: Vec<&Tensor> = xs[1..].iter().copied().chain(first).collect();
        xs[0].apply_many(op, &others)
    };
    let reduce = |body: SubGraph| Op::ReduceGraph { body, axes: vec![0] };
    let windows = Op::ReduceWindowGraph {
        body: named(),
        spec: WindowSpec { strides: vec![n / 2], ..WindowSpec::plain(&[n / 2]) },
    };
    let mut outputs = over(reduce(named()), &[&small, &signs, &small], &first);
    outputs.extend(over(reduce(named()), &[&columns, &columns.unary(UnaryOp::Sign), &columns], &first));
    outputs.extend(over(reduce(pair()), &[&real, &imaginary], &first[..2]));
    outputs.extend(over(windows, &[&small, &signs, &small], &first));
    let graph = b.finish(&outputs.iter().collect::<Vec<_>>()).unwrap();
    let numbers = |dims: &[usize], of: &dyn Fn(usize) -> f32| {
        Literal::new(dims, &(0..dims.iter().product()).map(of).collect::<Vec<f32>>()).unwrap()
    };
    let sign = |i: usize| if (i * i + i / 7) % 5 < 2 { -1.0 } else { 1.0 };
    // Powers of i, so that products stay short.
    let unit = |i: usize| [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)][(i * 7 + i / 3) % 4];
    let inputs = vec![
        numbers(&[n], &|i| ((i * 37) % 11) as f32 - 4.0),
        numbers(&[n], &sign),
        numbers(&[n, 3], &|i| sign(i) * (1 + i % 3) as f32),
        numbers(&[n], &|i| unit(i).0),
        numbers(&[n], &|i| unit(i).1),
        numbers(&[], &|_| 5.0),
        numbers(&[], &|_| 2.0),
        numbers(&[], &|_| 1.5),
    ];
    let initial = example(graph, inputs, &[]);
    let results = run_all(std::slice::from_ref(&initial)).remove(0);
    for (which, (result, expected)) in results.iter().zip(&initial.expected()).enumerate() {
        assert_eq!(difference(result, expected), 0.0, "output {which}: {result:?}, not {expected:?}");
    }
}

#[test]
fn crates_are_right_on_aarch64() {
    aarch64::check(&all());
}

/// The results of a program, as a target for conformance cases.
struct Given(HashMap<String, Vec<Literal>>);

fn key(graph: &Graph, inputs: &[(&str, &Literal)]) -> String {
    let bytes: Vec<&[u8]> = inputs.iter().map(|(_, literal)| literal.bytes()).collect();
    format!("{graph}{bytes:?}")
}

impl Target for Given {
    fn name(&self) -> &str {
        "emitted Rust"
    }

    fn run(&self, graph: &Graph, inputs: &[(&str, &Literal)]) -> Result<Vec<Literal>, TargetError> {
        let missing = || TargetError::Unsupported("it was not run".into());
        self.0.get(&key(graph, inputs)).cloned().ok_or_else(missing)
    }
}

fn of_case(case: &Case) -> Example {
    let inputs = case.inputs().into_iter().map(|(_, literal)| literal).collect();
    example(case.graph(), inputs, &[])
}

#[test]
fn branches_and_loops_of_the_table_are_rust() {
    let controls = ["if", "case", "while", "scan"];
    let mut seen: HashMap<(&str, DType), usize> = HashMap::new();
    let mut is_chosen = |case: &Case| {
        let of_kind = seen.entry((case.op.mnemonic(), case.dtype)).or_default();
        *of_kind += 1;
        // It takes half a second to build a crate.
        *of_kind <= 2 && [DType::F32, DType::I32, DType::Bool, DType::C64].contains(&case.dtype)
    };
    let cases = cases::all().into_iter().filter(|case| controls.contains(&case.op.mnemonic()));
    let cases: Vec<Case> = cases.filter(&mut is_chosen).collect();
    let examples: Vec<Example> = cases.iter().map(of_case).collect();
    let mut given = Given(HashMap::new());
    for (example, results) in examples.iter().zip(run_all(&examples)) {
        let names = example.graph.inputs().filter_map(|node| node.name());
        let inputs: Vec<(&str, &Literal)> = names.zip(&example.inputs).collect();
        given.0.insert(key(&example.graph, &inputs), results);
    }
    let (mut passed, mut failed) = (0, Vec::new());
    for case in &cases {
        match judge(&given, case, 0) {
            Outcome::Passed | Outcome::Allowed(_) => passed += 1,
            Outcome::NotApplicable(_) => {}
            Outcome::Failed(why) | Outcome::Skipped(why) => failed.push(format!("{}: {why}", case.name)),
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert!(passed >= 8, "{passed} cases");
}

/// Builds the crate of an example with Cargo, without warnings, next to a program that calls it.
fn built_by_cargo(example: Example, emitter: RustEmitter, model: &str) {
    let folder = tempfile::tempdir().unwrap();
    let (name, root) = (example.graph.name().to_string(), folder.path());
    for file in example.files(&emitter).unwrap() {
        write(&root.join(&name).join(&file.path), &content(&file));
    }
    let manifest = format!(
        "[package]\nname = \"program\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
         [dependencies]\n{name} = {{ path = \"{name}\" }}\n\n[workspace]\n"
    );
    write(&root.join("Cargo.toml"), manifest.as_bytes());
    write_bytes(&root.join("src"));
    write(&root.join("src/main.rs"), program("", &calls(&example, model)).as_bytes());
    let target = root.join("target");
    let cargo = std::env::var("CARGO").unwrap_or("cargo".into());
    let build = ["build", "--offline", "--quiet"];
    let set = [("CARGO_TARGET_DIR", target.as_os_str()), ("RUSTFLAGS", "-Dwarnings".as_ref())];
    succeeds(Command::new(cargo).args(build).current_dir(root).envs(set));
    let examples = [example];
    let results = run(&target.join("debug/program"), root, &examples);
    for (result, expected) in results[0].iter().zip(examples[0].expected()) {
        let difference = difference(result, &expected);
        assert!(difference <= 8.0, "{difference}");
    }
}

#[test]
fn cargo_builds_a_crate_with_its_weights() {
    built_by_cargo(layer(), RustEmitter::default(), "layer::Model::new()");
}

#[test]
fn launches_that_are_too_small_to_share_leave_no_warning() {
    built_by_cargo(layer(), threads::with_threads(), "layer::Model::new()");
}

#[test]
fn a_crate_without_std_and_weights_takes_them_from_its_caller() {
    let emitter = RustEmitter { no_std: true, weights: Weights::Passed, ..RustEmitter::default() };
    built_by_cargo(layer(), emitter, "layer::Model::new(include_bytes!(\"../layer/weights.bin\")).unwrap()");
}

/// Special functions and complex numbers use the evaluator's code, which needs the standard library.
#[test]
fn a_crate_without_std_has_every_function() {
    let b = Builder::new("functions");
    let x = b.input("x", Shape::new(&[30], DType::F32));
    let z = b.input("z", Shape::new(&[30], DType::C64));
    let special = [UnaryOp::ErfInv, UnaryOp::Lgamma, UnaryOp::Digamma, UnaryOp::BesselI0e, UnaryOp::Cbrt];
    let of_two = [BinaryOp::Igamma, BinaryOp::Zeta, BinaryOp::Polygamma, BinaryOp::Rem];
    let complex = [UnaryOp::Exp, UnaryOp::Log, UnaryOp::Sqrt, UnaryOp::Tanh, UnaryOp::Acos, UnaryOp::Cbrt];
    let mut results: Vec<Tensor> = special.iter().map(|&op| x.unary(op)).collect();
    let positive = &x + &x.scalar_like(3.0);
    results.extend(of_two.iter().map(|&op| positive.apply(Op::Binary { op }, &[&positive])));
    results.push(positive.apply(Op::Betainc {}, &[&positive, &x.unary(UnaryOp::Abs)]));
    results.extend(complex.iter().map(|&op| z.unary(op)));
    let graph = b.finish(&results.iter().collect::<Vec<_>>()).unwrap();
    let numbers: Vec<f32> = (0..30).map(|i| (i as f32 - 14.5) / 16.0).collect();
    let pairs: Vec<f32> = (0..60).map(|i| ((i * 23) % 61) as f32 / 16.0 - 2.0).collect();
    let bytes: Vec<u8> = pairs.into_iter().flat_map(f32::to_le_bytes).collect();
    let z = Literal::from_bytes(&Shape::new(&[30], DType::C64), &bytes).unwrap();
    let inputs = vec![Literal::new(&[30], &numbers).unwrap(), z];
    let emitter = RustEmitter { no_std: true, ..RustEmitter::default() };
    built_by_cargo(example(graph, inputs, &[]), emitter, "functions::Model::new()");
}

#[test]
fn what_the_caller_passes_is_checked() {
    let files = layer().files(&RustEmitter::default()).unwrap();
    let library = files.iter().find(|file| file.path == "src/lib.rs").map(content).unwrap();
    let library = String::from_utf8(library).unwrap();
    for line in ["/// - `x`: `f32[5,12]`, row-major", "check(\"x\", 60, x.len())?;", "#![deny(unsafe_code)]"]
    {
        assert!(library.contains(line), "{line}: {library}");
    }
}

#[test]
fn equal_layers_have_one_kernel() {
    let b = Builder::new("deep");
    let mut x = b.input("x", Shape::new(&[4, 4], DType::F32));
    let weights: Vec<(String, Literal)> = (0..6).map(|i| (format!("w{i}"), floats(&[4, 4], i))).collect();
    for (name, _) in &weights {
        x = x.matmul(&b.param(name.as_str(), Shape::new(&[4, 4], DType::F32)));
    }
    let graph = b.finish(&[&x]).unwrap();
    let deep = Example {
        graph,
        inputs: vec![floats(&[4, 4], 9)],
        params: weights.into_iter().collect(),
        passed: Vec::new(),
    };
    let files = deep.files(&RustEmitter::default()).unwrap();
    for target in ["avx512", "avx2", "neon", "baseline"] {
        let path = format!("src/{target}.rs");
        let module = files.iter().find(|file| file.path == path).map(content).unwrap();
        // One, and the function that calls it.
        assert_eq!(String::from_utf8(module).unwrap().matches("pub fn").count(), 2, "{target}");
    }
}

#[test]
fn what_a_machine_has_is_asked_in_one_place() {
    let unsafe_in = |emitter: RustEmitter| -> Vec<(String, usize)> {
        let files = layer().files(&emitter).unwrap();
        let sources = files.iter().filter(|file| file.path.ends_with(".rs"));
        let count =
            |file: &EmittedFile| String::from_utf8(content(file)).unwrap().matches("unsafe {").count();
        sources.map(|file| (file.path.clone(), count(file))).filter(|(_, count)| *count > 0).collect()
    };
    assert_eq!(unsafe_in(RustEmitter::default()), [("src/machine.rs".to_string(), 2)]);
    assert_eq!(unsafe_in(RustEmitter { no_std: true, ..RustEmitter::default() }), []);
}

#[test]
fn weights_are_held_as_they_are_read() {
    let files = rounded().files(&RustEmitter::default()).unwrap();
    let weights = files.iter().find(|file| file.path == "src/weights.bin").map(content).unwrap();
    assert_eq!(weights.len(), 12 * 7 * 2);
}
