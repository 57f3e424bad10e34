//! The device `ane` on any machine: the interpreter of programs takes the place of CoreML.

mod paired;

use paired::ane;
use rlx_compile::{Alias, BackendError, CompileOptions, Param};
use rlx_coreml::{
    AneBackend, CoremlExecutable, CoremlOptions, CoremlProgram, DirectError, Engine, EngineError,
    InterpretedEngine, LoadOptions, LoadedModel, Opset,
};
use rlx_driver::Device;
use rlx_exec::{
    Arguments, Availability, Backend, Buffer, Executable, HostEngine, HostWorker, Instance, Value, lower,
};
use rlx_ir::{Bindings, Builder, DType, Graph, Literal, Shape};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The interpreter, counting the packages that it loads.
#[derive(Default)]
struct Counting {
    loads: AtomicUsize,
    names: std::sync::Mutex<Vec<String>>,
}

impl Counting {
    fn loads(&self) -> usize {
        self.loads.load(Ordering::Relaxed)
    }
}

impl Engine for Counting {
    fn availability(&self) -> Availability {
        InterpretedEngine::default().availability()
    }
    fn opset(&self) -> Opset {
        Opset::Ios17
    }
    fn load(&self, package: &Path, options: LoadOptions<'_>) -> Result<Box<dyn LoadedModel>, EngineError> {
        self.loads.fetch_add(1, Ordering::Relaxed);
        self.names.lock().unwrap().push(options.content.to_string());
        InterpretedEngine { opset: Opset::Ios17 }.load(package, options)
    }
}

fn dense() -> Graph {
    let b = Builder::new("dense");
    let x = b.input("x", Shape::new(&[2, 3], DType::F32));
    let w = b.param("w", Shape::new(&[3, 4], DType::F32));
    b.finish(&[&x.matmul(&w).tanh()]).unwrap()
}

fn numbers(count: usize, step: f32) -> Vec<f32> {
    (0..count).map(|i| (i as f32 * step).sin()).collect()
}

fn literal(dims: &[usize], values: &[f32]) -> Literal {
    Literal::new(dims, values).unwrap()
}

fn evaluated(x: &[f32], w: &[f32]) -> Vec<f32> {
    let (x, w) = (literal(&[2, 3], x), literal(&[3, 4], w));
    rlx_ir::eval(&dense(), &[("x", &x), ("w", &w)]).unwrap()[0].as_slice().unwrap().to_vec()
}

fn prepared(graph: &Graph, aliases: &[Alias], engine: &Arc<Counting>) -> Box<dyn Executable> {
    let backend = ane(engine.clone());
    let lowered = lower(graph, aliases, &backend, &CompileOptions::new()).unwrap();
    let mut executable = backend.prepare(lowered, &backend.queue(0).unwrap()).unwrap();
    executable.bind(&Bindings::new()).unwrap();
    executable
}

#[test]
fn a_graph_runs_as_a_package_and_a_new_parameter_makes_a_new_one() {
    let (engine, x) = (Arc::new(Counting::default()), numbers(6, 0.7));
    let mut executable =
        CoremlExecutable::with_engine(dense(), engine.clone(), CoremlOptions::new()).unwrap();
    for (loads, step) in [(1, 0.3), (2, 0.9)] {
        let w = numbers(12, step);
        executable.set_param("w", &w);
        for _ in 0..2 {
            let got = executable.run(&[("x", &x)]).unwrap();
            let wanted = evaluated(&x, &w);
            assert!(got[0].iter().zip(&wanted).all(|(a, b)| (a - b).abs() <= 1e-6), "{got:?} {wanted:?}");
        }
        assert_eq!(engine.loads(), loads);
    }
    executable.set_param("w", &numbers(12, 0.3));
    executable.run(&[("x", &x)]).unwrap();
    let names = engine.names.lock().unwrap();
    assert!(names[0] == names[2] && names[0] != names[1], "the content names what is compiled: {names:?}");
}

#[test]
fn clones_share_what_was_loaded_until_a_parameter_changes() {
    let engine = Arc::new(Counting::default());
    let mut first = prepared(&dense(), &[], &engine);
    let (x, w, v) = (numbers(6, 0.7), numbers(12, 0.3), numbers(12, 0.5));
    let set = |executable: &mut Box<dyn Executable>, values: &[f32]| {
        executable.set_param(0, Param::new(Arc::new(literal(&[3, 4], values))));
    };
    set(&mut first, &w);
    first.prepack().unwrap();
    assert_eq!(engine.loads(), 1);
    let queue = ane(engine.clone()).queue(0).unwrap();
    let (mut second, mut third) = (first.clone_on(&queue).unwrap(), first.clone_on(&queue).unwrap());
    set(&mut third, &v);
    for (executable, w) in [(&mut first, &w), (&mut second, &w), (&mut third, &v)] {
        executable.run_on_host(&[bytemuck::cast_slice(&x)]).unwrap();
        let got: &[f32] = bytemuck::cast_slice(executable.output(0).unwrap());
        assert!(got.iter().zip(evaluated(&x, w)).all(|(a, b)| (a - b).abs() <= 1e-6));
        let at = executable.output_offset(0).unwrap();
        assert!(at + 32 <= executable.arena().1);
    }
    assert_eq!(engine.loads(), 2);
    let worker = first.as_any().downcast_ref::<Instance<HostEngine>>().and_then(Instance::worker);
    assert!(worker.and_then(HostWorker::program::<CoremlProgram>).is_some());
    assert_eq!(first.describe(), "CoreML, CoreML7 on ane: a package, loaded\n");
}

#[test]
fn state_is_kept_between_runs_and_outputs_go_where_they_are_wanted() {
    let b = Builder::new("sum");
    let (x, total) =
        (b.input("x", Shape::new(&[3], DType::F32)), b.input("total", Shape::new(&[3], DType::F32)));
    let next = &x + &total;
    let graph = b.finish(&[&next, &(&next * 2.0)]).unwrap();
    let engine = Arc::new(Counting::default());
    let mut executable = prepared(&graph, &[Alias { input: 1, output: 0 }], &engine);
    let mut state = [Buffer::from_bytes(&[0; 12]).unwrap()];
    let x = [1.0f32, -2.0, 0.5];
    for step in 1..=12 {
        let mut twice = [0u8; 12];
        let inputs = [Value::Host(bytemuck::cast_slice(&x)), Value::State(0)];
        let outputs = &mut [None, Some(&mut twice[..])];
        executable.run(Arguments { inputs: &inputs, state: &mut state, outputs }).unwrap();
        let sums: Vec<f32> = x.iter().map(|x| x * step as f32).collect();
        assert_eq!(state[0].host().unwrap(), bytemuck::cast_slice::<f32, u8>(&sums));
        let doubled: Vec<f32> = sums.iter().map(|x| x * 2.0).collect();
        assert_eq!(twice, bytemuck::cast_slice::<f32, u8>(&doubled));
    }
    assert_eq!((engine.loads(), executable.output(1).unwrap()), (1, &[][..]));
    assert_eq!(executable.output_offset(0), None);
}

#[test]
fn other_types_cross_the_border_as_what_coreml_has() {
    let b = Builder::new("types");
    let (i, p) = (b.input("i", Shape::new(&[3], DType::I64)), b.input("p", Shape::new(&[3], DType::Bool)));
    let graph = b.finish(&[&p.select(&i, &i.scalar_like(7.0))]).unwrap();
    let engine = Arc::new(Counting::default());
    let backend = ane(engine.clone());
    let lowered = lower(&graph, &[], &backend, &CompileOptions::new()).unwrap();
    let mut executable = backend.prepare(lowered, &backend.queue(0).unwrap()).unwrap();
    let run = |executable: &mut Box<dyn Executable>, i: [i64; 3]| {
        executable.run_on_host(&[bytemuck::cast_slice(&i), &[1, 0, 1]])?;
        Ok::<Vec<i64>, BackendError>(bytemuck::cast_slice(executable.output(0)?).to_vec())
    };
    assert_eq!(run(&mut executable, [5, 6, -4]).unwrap(), [5, 7, -4]);
    // The host runs wider integers, and the model runs the next ones again.
    let told = "the last run was on the host: input 0: element 1 is 1099511627776, which does not fit in i32";
    for _ in 0..2 {
        assert_eq!(run(&mut executable, [5, 1 << 40, 0]).unwrap(), [5, 7, 0]);
        assert!(executable.describe().contains(told), "{}", executable.describe());
        assert_eq!(run(&mut executable, [1 << 40, 1 << 41, -(1 << 42)]).unwrap(), [1 << 40, 7, -(1 << 42)]);
        assert_eq!(run(&mut executable, [5, 6, 0]).unwrap(), [5, 7, 0]);
        assert!(!executable.describe().contains("the last run was"), "{}", executable.describe());
    }
    assert_eq!(engine.loads(), 1);
}

#[test]
fn wide_numbers_in_a_parameter_make_the_runs_the_hosts() {
    let b = Builder::new("offsets");
    let (i, base) =
        (b.input("i", Shape::new(&[2], DType::I64)), b.param("base", Shape::new(&[2], DType::I64)));
    let graph = b.finish(&[&i.maximum(&base)]).unwrap();
    let engine = Arc::new(Counting::default());
    let mut executable = prepared(&graph, &[], &engine);
    let mut run = |base: [i64; 2], i: [i64; 2]| {
        let value = Literal::new(&[2], &base).unwrap();
        executable.set_param(0, Param::new(Arc::new(value)));
        executable.prepack().unwrap();
        executable.run_on_host(&[bytemuck::cast_slice(&i)]).unwrap();
        bytemuck::cast_slice::<u8, i64>(executable.output(0).unwrap()).to_vec()
    };
    assert_eq!(run([3, -3], [1, 2]), [3, 2]);
    assert_eq!(engine.loads(), 1);
    assert_eq!(run([1 << 50, -(1 << 50)], [1, 2]), [1 << 50, 2]);
    assert_eq!(engine.loads(), 1);
    assert_eq!(run([4, 4], [5, 1]), [5, 4]);
}

#[test]
fn what_does_not_fit_is_an_error_that_says_what_to_do() {
    let engine = Arc::new(Counting::default());
    let mut executable =
        CoremlExecutable::with_engine(dense(), engine.clone(), CoremlOptions::new()).unwrap();
    let x = [0.0; 6];
    let said = |e: DirectError| e.to_string();
    assert_eq!(said(executable.run(&[("x", &x)]).unwrap_err()), "parameter `w` is not set");
    assert_eq!(said(executable.run(&[]).unwrap_err()), "input `x` is not given");
    assert_eq!(said(executable.run(&[("x", &x[1..])]).unwrap_err()), "input `x` has 6 elements, got 5");
    assert_eq!(
        said(executable.try_set_param("v", &x).unwrap_err()),
        "there is no parameter `v`; there are [w]"
    );
    let b = Builder::new("wide");
    let x = b.input("x", Shape::new(&[2], DType::F64));
    let wide = b.finish(&[&x]).unwrap();
    let error = CoremlExecutable::with_engine(wide, engine, CoremlOptions::new()).err().unwrap();
    assert_eq!(error.to_string(), "input `x` is f64[2], expected f32 with static sizes");
}

#[cfg(not(target_vendor = "apple"))]
#[test]
fn without_coreml_the_device_says_so_and_packages_are_written_all_the_same() {
    let why = "CoreML exists only on Apple's systems; `rlx convert MODEL -o MODEL.mlpackage` writes packages for it here";
    assert_eq!(AneBackend::new().availability(), Availability::Missing(why.into()));
    assert!(!rlx_coreml::ane_available() && rlx_coreml::chip_info().is_none());
    let mut executable = CoremlExecutable::compile(dense());
    executable.set_param("w", &[0.0; 12]);
    let error = executable.run(&[("x", &[0.0; 6])]).unwrap_err();
    assert_eq!(error.to_string(), format!("{} is not available: {why}", Device::Ane));
}
