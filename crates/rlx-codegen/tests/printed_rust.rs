//! The conformance table as printed Rust. Cases are lowered, scheduled for this machine, printed, compiled by `rustc`
//! as one program, run, and compared with the evaluator.
//!
//! `RLX_PRINTED=all` runs every case, `RLX_PRINTED=cumsum,sort` all cases of these ops; otherwise a few of each op are run.

use rlx_codegen::judge::difference;
use rlx_codegen::lower::{Argument, Launches, lower};
use rlx_codegen::print::rust::{Math, Options, element, function, function_with, support};
use rlx_codegen::schedule::choose::{MACHINES, Machine, choose};
use rlx_conformance::{Case, Evaluator, Outcome, Target, TargetError, cases, judge};
use rlx_ir::{
    Bindings, Builder, DType, Dim, Graph, Literal, Op, ReduceOp, Shape, Symbol, Tensor, UnaryOp, eval,
};
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The number of cases per program.
const BATCH: usize = 400;

/// The code with which a program writes its cases.
const PROGRAM: &str = r#"
trait Bytes: Copy { const ZERO: Self; const SIZE: usize; fn read(bytes: &[u8]) -> Self; fn write(self, out: &mut Vec<u8>); }
macro_rules! bytes { ($($t:ty),*) => {$(impl Bytes for $t {
    const ZERO: Self = 0 as $t;
    const SIZE: usize = size_of::<$t>();
    fn read(bytes: &[u8]) -> Self { <$t>::from_le_bytes(bytes.try_into().unwrap()) }
    fn write(self, out: &mut Vec<u8>) { out.extend(self.to_le_bytes()) }
})*}; }
bytes!(f32, f64, i8, i16, i32, i64, u8, u16, u32, u64);
impl Bytes for bool {
    const ZERO: Self = false;
    const SIZE: usize = 1;
    fn read(bytes: &[u8]) -> Self { bytes[0] != 0 }
    fn write(self, out: &mut Vec<u8>) { out.push(u8::from(self)) }
}
impl<T: Bytes> Bytes for [T; 2] {
    const ZERO: Self = [T::ZERO; 2];
    const SIZE: usize = 2 * T::SIZE;
    fn read(bytes: &[u8]) -> Self { [T::read(&bytes[..T::SIZE]), T::read(&bytes[T::SIZE..])] }
    fn write(self, out: &mut Vec<u8>) { self.into_iter().for_each(|x| x.write(out)) }
}
fn take<T: Bytes>(input: &mut &[u8], count: usize) -> Vec<T> {
    let (bytes, rest) = input.split_at(count * T::SIZE);
    *input = rest;
    bytes.chunks_exact(T::SIZE).map(T::read).collect()
}
fn new<T: Bytes>(count: usize) -> Vec<T> { vec![T::ZERO; count] }
fn give<T: Bytes>(output: &mut Vec<u8>, values: &[T]) { values.iter().for_each(|x| x.write(output)) }

fn main() {
    std::panic::set_hook(Box::new(|_| ()));
    let input = std::fs::read(std::env::args().nth(1).unwrap()).unwrap();
    let (mut input, mut output) = (&input[..], Vec::new());
    for case in CASES {
        let length = take::<u64>(&mut input, 1)[0] as usize;
        let (mut mine, rest) = input.split_at(length);
        input = rest;
        let given = std::panic::catch_unwind(move || {
            let mut given = Vec::new();
            case(&mut mine, &mut given);
            given
        });
        (given.is_ok() as u8).write(&mut output);
        let given = given.unwrap_or_default();
        (given.len() as u64).write(&mut output);
        output.extend(given);
    }
    std::fs::write(std::env::args().nth(2).unwrap(), output).unwrap();
}
"#;

/// Functions that run cases: their text, and the errors of those that have none.
#[derive(Default)]
struct Program {
    text: String,
    cases: Vec<String>,
}

fn count(shape: &Shape, sizes: &Bindings) -> usize {
    shape.bind(sizes).num_elements().expect("all symbols have sizes")
}

impl Program {
    /// Adds a graph at these sizes as a function of the bytes of its inputs. Fails if it cannot be printed.
    fn add(&mut self, graph: &Graph, sizes: &Bindings) -> Result<(), String> {
        let launches = lower(graph).map_err(|e| e.to_string())?;
        self.add_launches(graph, &launches, sizes, None)
    }

    /// Does the same with the schedule for a machine.
    fn add_chosen(&mut self, graph: &Graph, machine: &Machine) -> Result<(), String> {
        let launches = lower(graph).map_err(|e| e.to_string())?;
        let chosen = choose(&launches, machine, &|_| false).map_err(|e| e.to_string())?;
        self.add_launches(graph, &chosen, &Bindings::new(), Some(machine))
    }

    /// Does the same with launches that are scheduled for a machine.
    fn add_launches(
        &mut self,
        graph: &Graph,
        launches: &Launches,
        sizes: &Bindings,
        machine: Option<&Machine>,
    ) -> Result<(), String> {
        let number = self.cases.len();
        // The text form preserves every kernel of the table. The comparison uses debug text, because NaNs are not equal to themselves.
        let read = Launches::parse(&launches.to_string()).expect("launches print as they are read");
        assert_eq!(format!("{read:?}"), format!("{launches:?}"));
        let options = Options { fused: machine.is_some_and(|machine| machine.fused), ..Options::default() };
        let features = machine.map_or(&[][..], |machine| machine.features);
        let mut body = String::new();
        let mut buffer = |name: String, dtype: DType, value: String| {
            writeln!(body, "    let mut {name}: Vec<{}> = {value};", element(dtype)).unwrap();
        };
        let inputs: Vec<&Shape> = graph.inputs().map(|node| node.shape()).collect();
        for (i, shape) in inputs.iter().enumerate() {
            buffer(format!("input_{i}"), shape.dtype(), format!("take(input, {})", count(shape, sizes)));
        }
        let outputs = graph.output_shapes();
        for (i, shape) in outputs.iter().enumerate() {
            buffer(format!("output_{i}"), shape.dtype(), format!("new({})", count(shape, sizes)));
        }
        for (i, temporary) in launches.temporaries.iter().enumerate() {
            let shape = Shape::from_dims(&temporary.extents, temporary.dtype);
            buffer(format!("temporary_{i}"), temporary.dtype, format!("new({})", count(&shape, sizes)));
        }
        for (i, constant) in launches.constants.iter().enumerate() {
            let value = format!("take(&mut &{:?}[..], {})", constant.bytes(), constant.len());
            buffer(format!("constant_{i}"), constant.dtype(), value);
        }
        let mut functions = String::new();
        for (i, launch) in launches.launches.iter().enumerate() {
            let name = format!("kernel_{number}_{i}");
            let printed = function_with(&launch.kernel, &name, &options).map_err(|e| e.to_string())?;
            if !features.is_empty() {
                writeln!(functions, "#[target_feature(enable = \"{}\")]", features.join(",")).unwrap();
            }
            functions.push_str(&printed.text);
            let passed = launch.arguments.iter().zip(launch.kernel.params()).map(|(argument, param)| {
                let mutable = if param.place.is_written() { "mut " } else { "" };
                match argument {
                    Argument::Input(i) => format!("&{mutable}input_{i}"),
                    Argument::Output(i) => format!("&{mutable}output_{i}"),
                    Argument::Temporary(i) => format!("&{mutable}temporary_{i}"),
                    Argument::Constant(i) => format!("&{mutable}constant_{i}"),
                }
            });
            let scratch = printed.scratch.iter().map(|scratch| {
                let shape = Shape::from_dims(&scratch.extents, scratch.dtype);
                format!("&mut new::<{}>({})", element(scratch.dtype), count(&shape, sizes))
            });
            let bound = printed.sizes.iter().map(|symbol| sizes[symbol].to_string());
            let arguments: Vec<String> = passed.chain(scratch).chain(bound).collect();
            let call = format!("{name}({})", arguments.join(", "));
            // The test checks whether the machine has them.
            let call = if features.is_empty() { call } else { format!("unsafe {{ {call} }}") };
            writeln!(body, "    {call};").unwrap();
        }
        (0..outputs.len()).for_each(|i| writeln!(body, "    give(output, &output_{i});").unwrap());
        writeln!(
            self.text,
            "{functions}fn case_{number}(input: &mut &[u8], output: &mut Vec<u8>) {{\n{body}}}"
        )
        .unwrap();
        self.cases.push(format!("case_{number}"));
        Ok(())
    }

    /// Compiles and runs the program. Returns the bytes of each case's outputs, or `None` if the case panicked.
    fn run(&self, directory: &Path, inputs: &[u8]) -> Vec<Option<Vec<u8>>> {
        let file = |name: &str| directory.join(name);
        let cases = format!(
            "const CASES: [fn(&mut &[u8], &mut Vec<u8>); {}] = [{}];",
            self.cases.len(),
            self.cases.join(", ")
        );
        let text = format!(
            "#![allow(unused)]\n{}\n{PROGRAM}\n{cases}\n{}",
            self.text,
            support(&self.text, Math::Std)
        );
        std::fs::write(file("program.rs"), text).unwrap();
        std::fs::write(file("inputs"), inputs).unwrap();
        rustc(&["-Copt-level=0", "-o", &file("program").to_string_lossy()], &file("program.rs"));
        let status = Command::new(file("program")).arg(file("inputs")).arg(file("outputs")).status().unwrap();
        assert!(status.success(), "{status}");
        let outputs = std::fs::read(file("outputs")).unwrap();
        let mut rest = &outputs[..];
        let mut results = Vec::new();
        while let [ran, length @ ..] = rest {
            let (length, bytes) = length.split_at(8);
            let length = u64::from_le_bytes(length.try_into().unwrap()) as usize;
            results.push((*ran == 1).then(|| bytes[..length].to_vec()));
            rest = &bytes[length..];
        }
        results
    }
}

fn rustc(options: &[&str], from: &Path) {
    let rustc = std::env::var("RUSTC").unwrap_or("rustc".into());
    let always = ["--edition=2024", "-Cdebuginfo=0", "-Coverflow-checks=on"];
    let compiled = Command::new(rustc).args(always).args(options).arg(from).output().unwrap();
    assert!(compiled.status.success(), "{}: {}", from.display(), String::from_utf8_lossy(&compiled.stderr));
}

/// Results by case, as a target that the table is run on.
struct Printed(HashMap<(String, Vec<u8>), Result<Vec<Literal>, TargetError>>);

fn key(graph: &Graph, inputs: &[(&str, &Literal)]) -> (String, Vec<u8>) {
    (graph.to_string(), inputs.iter().flat_map(|(_, literal)| literal.bytes().to_vec()).collect())
}

impl Target for Printed {
    fn name(&self) -> &str {
        "printed Rust"
    }

    fn run(&self, graph: &Graph, inputs: &[(&str, &Literal)]) -> Result<Vec<Literal>, TargetError> {
        self.0[&key(graph, inputs)].clone()
    }
}

fn outputs_of(graph: &Graph, bytes: &[u8]) -> Vec<Literal> {
    let mut rest = bytes;
    let literal = |shape: &Shape| {
        let (mine, others) = rest.split_at(count(shape, &Bindings::new()) * shape.dtype().size());
        rest = others;
        Literal::from_bytes(shape, mine).unwrap()
    };
    graph.output_shapes().iter().map(literal).collect()
}

/// Appends the inputs of a case to those of a program.
fn append(bytes: &mut Vec<u8>, inputs: &[(&str, &Literal)]) {
    let length: usize = inputs.iter().map(|(_, literal)| literal.bytes().len()).sum();
    bytes.extend((length as u64).to_le_bytes());
    inputs.iter().for_each(|(_, literal)| bytes.extend(literal.bytes()));
}

/// Returns a folder for a program.
fn directory(name: &str) -> PathBuf {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("printed_rust_{name}"));
    std::fs::create_dir_all(&directory).unwrap();
    directory
}

/// Runs cases in one program.
fn batch(cases: &[Case], number: usize, results: &mut Printed) {
    let directory = directory(&number.to_string());
    let (mut program, mut bytes, mut added) = (Program::default(), Vec::new(), Vec::new());
    let machines: Vec<&Machine> = MACHINES.iter().filter(|machine| is_here(machine)).collect();
    for (turn, case) in cases.iter().enumerate() {
        let (graph, inputs) = (case.graph(), case.inputs());
        let inputs: Vec<(&str, &Literal)> =
            inputs.iter().map(|(name, literal)| (name.as_str(), literal)).collect();
        let key = key(&graph, &inputs);
        // Alternates between the kernels as they are lowered, and as they are scheduled for each machine.
        let added_now = match machines.get(turn % (machines.len() + 1)) {
            Some(machine) => program.add_chosen(&graph, machine),
            None => program.add(&graph, &Bindings::new()),
        };
        match added_now {
            Ok(()) => {
                append(&mut bytes, &inputs);
                added.push((key, graph));
            }
            Err(why) => {
                results.0.insert(key, Err(TargetError::Unsupported(why)));
            }
        }
    }
    let outputs = program.run(&directory, &bytes);
    assert_eq!(outputs.len(), added.len());
    for ((key, graph), output) in added.into_iter().zip(outputs) {
        let output = output.ok_or_else(|| TargetError::Failed("it panics".into()));
        results.0.insert(key, output.map(|bytes| outputs_of(&graph, &bytes)));
    }
    std::fs::remove_dir_all(&directory).unwrap();
}

/// Returns the selected cases.
fn chosen() -> Vec<Case> {
    let asked = std::env::var("RLX_PRINTED").unwrap_or_default();
    let all = cases::all();
    match &asked[..] {
        "all" => all,
        "" => {
            // One case of each op in each type.
            let mut first = BTreeMap::new();
            for case in all {
                first.entry((case.op.mnemonic(), case.dtype)).or_insert(case);
            }
            first.into_values().collect()
        }
        ops => all.into_iter().filter(|case| ops.split(',').any(|op| op == case.op.mnemonic())).collect(),
    }
}

#[test]
#[allow(clippy::print_stdout)]
fn printed_cases_give_what_the_evaluator_gives() {
    let cases = chosen();
    let mut results = Printed(HashMap::new());
    cases.chunks(BATCH).enumerate().for_each(|(number, cases)| batch(cases, number, &mut results));
    let (mut passed, mut unjudged, mut skipped, mut failed) =
        (0, 0, BTreeMap::<String, usize>::new(), Vec::new());
    for case in &cases {
        match judge(&results, case, 0) {
            Outcome::Passed | Outcome::Allowed(_) => passed += 1,
            // If the table cannot judge the evaluator itself, it cannot judge others.
            Outcome::Failed(_) if matches!(judge(&Evaluator, case, 0), Outcome::Failed(_)) => unjudged += 1,
            Outcome::Failed(why) => failed.push(format!("{}: {why}", case.name)),
            Outcome::Skipped(why) | Outcome::NotApplicable(why) => *skipped.entry(why).or_default() += 1,
        }
    }
    println!("{passed} of {} cases passed, {} failed, {unjudged} not judged", cases.len(), failed.len());
    skipped.iter().for_each(|(why, count)| println!("{count} skipped: {why}"));
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Returns graphs over x of f32[m,n].
fn symbolic() -> Vec<Graph> {
    let graph = |body: &dyn Fn(&Tensor) -> Tensor| {
        let b = Builder::new("symbolic");
        let dims = [Dim::dynamic("m"), Dim::dynamic("n")];
        let x = b.input("x", Shape::from_dims(&dims, DType::F32));
        b.finish(&[&body(&x)]).unwrap()
    };
    let pad = Op::Pad { low: vec![1, -1], high: vec![0, 2], interior: vec![1, 0] };
    vec![
        graph(&|x| (x + x).unary(UnaryOp::Tanh)),
        graph(&|x| x.transpose(&[1, 0]).apply(Op::Reverse { axes: vec![0] }, &[])),
        graph(&|x| x.reshape(&[Dim::product(x.shape().dims().iter().cloned())])),
        graph(&|x| x.matmul(&x.transpose(&[1, 0]))),
        graph(&|x| x.apply(Op::Softmax { axis: 1 }, &[])),
        graph(&|x| x.apply(Op::Concatenate { axis: 0 }, &[x, x])),
        graph(&|x| x.apply(pad.clone(), &[&x.scalar_like(9.0)])),
    ]
}

#[test]
fn sizes_are_passed_at_run_time() {
    let directory = directory("sizes");
    let (mut program, mut bytes, mut expected) = (Program::default(), Vec::new(), Vec::new());
    for (m, n) in [(3, 4), (1, 7), (5, 1), (2, 33)] {
        let elements: Vec<f32> = (0..m * n).map(|i| 0.25 * i as f32 - (i * i % 7) as f32).collect();
        let x = Literal::new(&[m, n], &elements).unwrap();
        let sizes = Bindings::from([(Symbol::new("m"), m), (Symbol::new("n"), n)]);
        for graph in symbolic() {
            program.add(&graph, &sizes).unwrap();
            append(&mut bytes, &[("x", &x)]);
            expected.push((graph.to_string(), eval(&graph, &[("x", &x)]).unwrap()));
        }
    }
    for ((graph, expected), bytes) in expected.iter().zip(program.run(&directory, &bytes)) {
        let bytes = bytes.unwrap_or_else(|| panic!("it panics: {graph}"));
        let result = Literal::from_bytes(expected[0].shape(), &bytes).unwrap();
        // In units in the last place of the largest element, because exponentials use the standard library.
        let difference = difference(&result, &expected[0]);
        assert!(difference <= 2.0, "{difference}: {graph}");
    }
    std::fs::remove_dir_all(&directory).unwrap();
}

/// Returns whether this machine is of the given kind.
fn is_here(machine: &Machine) -> bool {
    let is_of_architecture = machine.architecture.is_none_or(|name| name == std::env::consts::ARCH);
    #[cfg(target_arch = "x86_64")]
    let has_features = match machine.name {
        "avx512" => is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512dq"),
        "avx2" => is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"),
        _ => true,
    };
    #[cfg(not(target_arch = "x86_64"))]
    let has_features = machine.features.is_empty();
    is_of_architecture && has_features
}

/// Graphs for which schedules have a choice: tiles with and without remainders, operands in both orders, rows, attention.
fn scheduled() -> Vec<Graph> {
    let graph = |name: &str, shapes: &[&[usize]], body: &dyn Fn(&[Tensor]) -> Tensor| {
        let b = Builder::new(name);
        let input = |(i, dims): (usize, &&[usize])| b.input(format!("x{i}"), Shape::new(dims, DType::F32));
        let inputs: Vec<Tensor> = shapes.iter().enumerate().map(input).collect();
        b.finish(&[&body(&inputs)]).unwrap()
    };
    let attention = |x: &[Tensor]| {
        let scores = x[0].matmul(&x[1].transpose(&[0, 2, 1])).apply(Op::Softmax { axis: 2 }, &[]);
        scores.matmul(&x[2])
    };
    vec![
        graph("product", &[&[21, 24], &[24, 70]], &|x| x[0].matmul(&x[1]).unary(UnaryOp::Erf)),
        graph("transposed", &[&[37, 12], &[40, 12]], &|x| x[0].matmul(&x[1].transpose(&[1, 0]))),
        graph("one row", &[&[1, 48], &[48, 33]], &|x| x[0].matmul(&x[1]).unary(UnaryOp::Tanh)),
        graph("batch", &[&[3, 17, 8], &[3, 8, 36]], &|x| x[0].matmul(&x[1])),
        graph("softmax", &[&[19, 131]], &|x| x[0].apply(Op::Softmax { axis: 1 }, &[])),
        graph("sums", &[&[64, 40]], &|x| x[0].reduce(ReduceOp::Sum, &[0], false).unary(UnaryOp::Logistic)),
        graph("squares", &[&[5, 256]], &|x| (&x[0] * &x[0]).reduce(ReduceOp::Sum, &[1], false)),
        graph("attention", &[&[2, 37, 16], &[2, 29, 16], &[2, 29, 16]], &attention),
    ]
}

#[test]
fn chosen_schedules_run_on_every_machine() {
    let directory = directory("machines");
    let (mut program, mut bytes, mut expected) = (Program::default(), Vec::new(), Vec::new());
    for machine in MACHINES.iter().filter(|machine| is_here(machine)) {
        for graph in scheduled() {
            let launches = lower(&graph).unwrap();
            let chosen = choose(&launches, machine, &|_| false).unwrap();
            assert_ne!(chosen, launches, "nothing is chosen for {graph}");
            program.add_launches(&graph, &chosen, &Bindings::new(), Some(machine)).unwrap();
            let literals: Vec<(String, Literal)> = (0..)
                .zip(graph.inputs())
                .map(|(i, node)| {
                    let dims = node.shape().static_dims().unwrap();
                    let count: usize = dims.iter().product();
                    let element = |at: usize| ((at * 37 + i * 101) % 257) as f32 / 256.0 - 0.4;
                    let elements: Vec<f32> = (0..count).map(element).collect();
                    (node.name().unwrap_or_default().to_string(), Literal::new(&dims, &elements).unwrap())
                })
                .collect();
            let inputs: Vec<(&str, &Literal)> = literals.iter().map(|(name, x)| (&name[..], x)).collect();
            append(&mut bytes, &inputs);
            expected.push((machine.name, graph.clone(), eval(&graph, &inputs).unwrap()));
        }
    }
    for ((machine, graph, expected), bytes) in expected.iter().zip(program.run(&directory, &bytes)) {
        let bytes = bytes.unwrap_or_else(|| panic!("on {machine} it panics: {graph}"));
        let result = Literal::from_bytes(expected[0].shape(), &bytes).unwrap();
        // In units in the last place of the largest element, because the order of sums differs.
        let difference = difference(&result, &expected[0]);
        assert!(difference <= 8.0, "{difference} on {machine}: {graph}");
    }
    std::fs::remove_dir_all(&directory).unwrap();
}

#[test]
fn kernels_need_no_std() {
    let directory = directory("no_std");
    let mut text = String::new();
    let mut printed = 0;
    for (number, case) in cases::all().iter().enumerate().step_by(20) {
        let Ok(launches) = lower(&case.graph()) else { continue };
        for (i, launch) in launches.launches.iter().enumerate() {
            let function = function(&launch.kernel, &format!("kernel_{number}_{i}")).unwrap();
            // Special functions are the evaluator's, which needs std.
            if !function.text.contains("rt::special::") && !function.text.contains("rt::complex::") {
                text.push_str(&function.text);
                printed += 1;
            }
        }
    }
    assert!(printed > 500);
    let text = format!("#![no_std]\n#![deny(unsafe_code)]\n{text}\n{}", support(&text, Math::Libm));
    std::fs::write(directory.join("kernels.rs"), text).unwrap();
    // In place of the crate `libm`, whose functions have these names and types.
    let one = "acos asin asinh acosh atan atanh cbrt ceil cos cosh exp expm1 floor log log1p rint round sin sinh sqrt tan tanh trunc";
    let one =
        one.split(' ').map(|name| format!("pub fn {name}(x: f64) -> f64 {{ x }}\n")).collect::<String>();
    let libm = "pub fn atan2(x: f64, y: f64) -> f64 { x + y }
        pub fn pow(x: f64, y: f64) -> f64 { x + y }
        pub fn fma(x: f64, y: f64, z: f64) -> f64 { x * y + z }
        pub fn fmaf(x: f32, y: f32, z: f32) -> f32 { x * y + z }
        pub fn sqrtf(x: f32) -> f32 { x }
        pub fn floorf(x: f32) -> f32 { x }
        pub fn ceilf(x: f32) -> f32 { x }
        pub fn rintf(x: f32) -> f32 { x }";
    std::fs::write(directory.join("libm.rs"), format!("#![no_std]\n{one}{libm}")).unwrap();
    let file = |name: &str| directory.join(name).to_string_lossy().into_owned();
    rustc(&["--crate-type=rlib", "-o", &file("liblibm.rlib")], &directory.join("libm.rs"));
    let external = format!("libm={}", file("liblibm.rlib"));
    let emit = format!("metadata={}", file("kernels.rmeta"));
    rustc(&["--crate-type=rlib", "--extern", &external, "--emit", &emit], &directory.join("kernels.rs"));
    std::fs::remove_dir_all(&directory).unwrap();
}
