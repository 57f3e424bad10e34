//! Symbolic sizes on the device `ane`: one model for many sizes if requested and possible, otherwise one for each.

mod paired;

use half::f16;
use paired::ane;
use rlx_compile::{Alias, CompileOptions, Lowered, Param};
use rlx_coreml::{
    AneBackend, CoremlOptions, Engine, EngineError, GivenArray, InterpretedEngine, LoadOptions, LoadedModel,
    ModelSizes, ModelState, Opset, WantedArray,
};
use rlx_cpu::CpuBackend;
use rlx_driver::Env;
use rlx_exec::{Arguments, Availability, Backend, Buffer, Executable, Queue, Value, compile, lower};
use rlx_ir::{Bindings, Builder, DType, Dim, Graph, Literal, Op, ReduceOp, Shape, Symbol, Tensor};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The interpreter, counting the packages that it loads and the states that it creates.
#[derive(Default)]
struct Counting {
    loads: AtomicUsize,
    states: Arc<AtomicUsize>,
}

struct CountedModel(Box<dyn LoadedModel>, Arc<AtomicUsize>);

impl Engine for Counting {
    fn availability(&self) -> Availability {
        InterpretedEngine::default().availability()
    }
    fn opset(&self) -> Opset {
        Opset::Ios18
    }
    fn load(&self, package: &Path, options: LoadOptions<'_>) -> Result<Box<dyn LoadedModel>, EngineError> {
        self.loads.fetch_add(1, Relaxed);
        let model = InterpretedEngine::default().load(package, options)?;
        Ok(Box::new(CountedModel(model, self.states.clone())))
    }
}

impl LoadedModel for CountedModel {
    fn predict(
        &mut self,
        inputs: &[GivenArray<'_>],
        state: Option<&mut dyn ModelState>,
        outputs: &mut [WantedArray<'_>],
    ) -> Result<(), EngineError> {
        self.0.predict(inputs, state, outputs)
    }
    fn new_state(&mut self) -> Result<Box<dyn ModelState>, EngineError> {
        self.1.fetch_add(1, Relaxed);
        self.0.new_state()
    }
}

struct Device {
    engine: Arc<Counting>,
    backend: Arc<dyn Backend>,
    queue: Arc<dyn Queue>,
}

impl Device {
    fn new() -> Device {
        let engine = Arc::new(Counting::default());
        let backend: Arc<dyn Backend> = Arc::new(ane(engine.clone()));
        let queue = backend.queue(0).unwrap();
        Device { engine, backend, queue }
    }

    fn lowered(&self, graph: &Graph, aliases: &[Alias], sizes: ModelSizes) -> Lowered {
        let options = CompileOptions::new().with_backend(CoremlOptions::new().sizes(sizes));
        lower(graph, aliases, &*self.backend, &options).unwrap()
    }

    fn prepared(&self, graph: &Graph, sizes: ModelSizes) -> Box<dyn Executable> {
        self.backend.prepare(self.lowered(graph, &[], sizes), &self.queue).unwrap()
    }

    fn why_each_size(&self, graph: &Graph, sizes: ModelSizes) -> Option<String> {
        AneBackend::with_engine(self.engine.clone()).why_each_size(&self.lowered(graph, &[], sizes))
    }

    fn loads(&self) -> usize {
        self.engine.loads.load(Relaxed)
    }
}

fn symbol(name: &str) -> Dim {
    Dim::dynamic(name)
}

/// A transformer layer with open `batch` and `seq`: attention with heads, a norm, products, and a sum over all positions.
fn layer() -> Graph {
    let b = Builder::new("layer");
    let (batch, seq) = (symbol("batch"), symbol("seq"));
    let x = b.input("x", Shape::from_dims(&[batch.clone(), seq.clone(), 8.into()], DType::F32));
    let mask = b.input("mask", Shape::from_dims(&[batch.clone(), seq.clone()], DType::F32));
    let w = b.param("w", Shape::new(&[8, 24], DType::F32));
    let v = b.param("v", Shape::new(&[8, 8], DType::F32));
    let qkv = x.layer_norm(2, 1e-5, None, None).matmul(&w);
    let part = |at: usize| {
        let dims = [batch.clone(), seq.clone(), 2.into(), 4.into()];
        let [low, high] = [at * 8, at * 8 + 8];
        qkv.slice_axis(2, low, high).reshape(&dims).transpose(&[0, 2, 1, 3])
    };
    let [q, k, values] = [part(0), part(1), part(2)];
    let scores = q.matmul(&k.transpose(&[0, 1, 3, 2])) * 0.5;
    let bias = ((&mask - 1.0) * 1e4).reshape(&[batch.clone(), 1.into(), 1.into(), seq.clone()]);
    let scores = &scores + bias.broadcast_to(&scores.dims());
    let mixed = scores.softmax(3).matmul(&values).transpose(&[0, 2, 1, 3]);
    let mixed = mixed.reshape(&[batch.clone(), seq.clone(), 8.into()]);
    let y = &x + mixed.matmul(&v).tanh();
    b.finish(&[&y, &y.reduce(ReduceOp::Sum, &[1], false)]).unwrap()
}

fn numbers(count: usize, step: f32) -> Vec<f32> {
    (0..count).map(|i| (i as f32 * step).sin()).collect()
}

fn bindings(batch: usize, seq: usize) -> Bindings {
    [(Symbol::new("batch"), batch), (Symbol::new("seq"), seq)].into()
}

fn set_params(executable: &mut dyn Executable, step: f32) {
    let [w, v] = [(vec![8usize, 24], step), (vec![8, 8], 0.9)]
        .map(|(dims, step)| Literal::new(&dims, &numbers(dims.iter().product(), step)).unwrap());
    executable.set_param(0, Param::new(Arc::new(w)));
    executable.set_param(1, Param::new(Arc::new(v)));
}

/// Runs at these sizes.
fn run(executable: &mut dyn Executable, batch: usize, seq: usize) -> Vec<f32> {
    executable.bind(&bindings(batch, seq)).unwrap();
    let x = numbers(batch * seq * 8, 0.37);
    let mask: Vec<f32> = (0..batch * seq).map(|i| f32::from(u8::from(i % 5 != 3))).collect();
    executable.run_on_host(&[bytemuck::cast_slice(&x), bytemuck::cast_slice(&mask)]).unwrap();
    let output = |i| {
        let bytes = executable.output(i).unwrap();
        bytes.as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect::<Vec<f32>>()
    };
    [output(0), output(1)].concat()
}

fn on_cpu(batch: usize, seq: usize, step: f32) -> Vec<f32> {
    let graph = layer();
    let compiled = compile(&graph, &bindings(batch, seq), &CpuBackend, &CompileOptions::new()).unwrap();
    let mut executable = compiled.executable;
    set_params(&mut *executable, step);
    run(&mut *executable, batch, seq)
}

fn assert_near(found: &[f32], wanted: &[f32]) {
    assert_eq!(found.len(), wanted.len());
    let off = found.iter().zip(wanted).map(|(a, b)| (a - b).abs() / b.abs().max(1.0)).fold(0.0, f32::max);
    assert!(off <= 2e-5, "{off}");
}

#[test]
fn one_model_runs_at_many_sizes() {
    let sizes = [(1, 1), (2, 7), (3, 16), (1, 40), (2, 7), (5, 1)];
    for (how, loads) in [(ModelSizes::Each, 5), (ModelSizes::Ranges, 1), (ModelSizes::All, 1)] {
        let device = Device::new();
        assert_eq!(device.why_each_size(&layer(), how), None);
        let mut executable = device.prepared(&layer(), how);
        set_params(&mut *executable, 0.3);
        for (batch, seq) in sizes {
            assert_near(&run(&mut *executable, batch, seq), &on_cpu(batch, seq, 0.3));
        }
        assert_eq!(device.loads(), loads, "{how:?}");
        let told = match how {
            ModelSizes::Each => "static sizes: ",
            ModelSizes::Ranges => "one model for batch from 1 to 512, seq from 1 to 512",
            ModelSizes::All => "one model for batch from 1 on, seq from 1 on",
        };
        assert!(executable.describe().contains(told), "{}", executable.describe());
        // A clone uses the same model until it has its own parameters, and so does a program whose parameters are set back.
        let mut clone = executable.clone_on(&device.queue).unwrap();
        assert_near(&run(&mut *clone, 2, 9), &on_cpu(2, 9, 0.3));
        assert_eq!(device.loads(), loads + usize::from(how == ModelSizes::Each));
        let before = device.loads();
        set_params(&mut *clone, 0.7);
        assert_near(&run(&mut *clone, 2, 9), &on_cpu(2, 9, 0.7));
        assert_near(&run(&mut *clone, 2, 10), &on_cpu(2, 10, 0.7));
        assert_near(&run(&mut *executable, 2, 9), &on_cpu(2, 9, 0.3));
        assert_eq!(device.loads() - before, if how == ModelSizes::Each { 2 } else { 1 });
    }
}

#[test]
fn a_size_behind_the_end_of_a_range_makes_a_longer_one() {
    let b = Builder::new("long");
    let x = b.input("x", Shape::from_dims(&[symbol("n"), 2.into()], DType::F32));
    let graph = b.finish(&[&x.reduce(ReduceOp::Sum, &[1], false).tanh()]).unwrap();
    for (how, loads) in [(ModelSizes::Ranges, [1, 1, 2, 2, 3]), (ModelSizes::All, [1; 5])] {
        let device = Device::new();
        let mut executable = device.prepared(&graph, how);
        for (n, loads) in [3, 512, 513, 1024, 5000].into_iter().zip(loads) {
            executable.bind(&[(Symbol::new("n"), n)].into()).unwrap();
            let x = numbers(n * 2, 0.1);
            executable.run_on_host(&[bytemuck::cast_slice(&x)]).unwrap();
            let sums: Vec<f32> = x.chunks(2).map(|row| (row[0] + row[1]).tanh()).collect();
            let found = executable.output(0).unwrap().as_chunks().0.iter().map(|&b| f32::from_le_bytes(b));
            assert_near(&found.collect::<Vec<f32>>(), &sums);
            assert_eq!(device.loads(), loads, "{how:?} {n}");
        }
    }
}

#[test]
fn what_is_no_affine_function_has_a_model_for_each_size() {
    let n = || symbol("n");
    let of = |dims: &[Dim], f: &dyn Fn(&Builder, &Tensor) -> Tensor| {
        let b = Builder::new("graph");
        let x = b.input("x", Shape::from_dims(dims, DType::F32));
        let result = f(&b, &x);
        b.finish(&[&result]).unwrap()
    };
    // A float iota is a different constant at each size; the host runs a factorization; an input has a size that is not a symbol.
    let counted = of(&[n(), 4.into()], &|b, x| x + b.iota(x.shape(), 0));
    let factor = of(&[n(), 3.into(), 3.into()], &|_, x| x.apply(Op::Cholesky { lower: true }, &[]));
    let twice = of(&[n() * Dim::Static(2), 3.into()], &|_, x| x.tanh());
    let wide = of(&[n(), 3.into()], &|_, x| x.convert(DType::F64));
    for (graph, reason) in [
        (counted, "a constant depends on the sizes"),
        (factor, "part of it runs on the host: `cholesky`"),
        (twice, "input 0 is f32[2*n,3]"),
        (wide, "part of it runs on the host"),
    ] {
        for how in [ModelSizes::Ranges, ModelSizes::All] {
            let device = Device::new();
            let why = device.why_each_size(&graph, how).unwrap();
            assert!(why.contains(reason), "{why}");
            let mut executable = device.prepared(&graph, how);
            for size in [2usize, 3] {
                let bindings: Bindings = [(Symbol::new("n"), size)].into();
                executable.bind(&bindings).unwrap();
                let mut own =
                    compile(&graph, &bindings, &CpuBackend, &CompileOptions::new()).unwrap().executable;
                let shape = graph.bind(&bindings).input_shapes().remove(0);
                // An identity matrix is its own factor.
                let x: Vec<f32> = (0..shape.num_elements().unwrap())
                    .map(|i| if i % 9 % 4 == 0 { 1.0 } else { 0.0 })
                    .collect();
                executable.run_on_host(&[bytemuck::cast_slice(&x)]).unwrap();
                own.run_on_host(&[bytemuck::cast_slice(&x)]).unwrap();
                let [found, wanted] = [executable.output(0).unwrap(), own.output(0).unwrap()];
                assert_eq!(found.len(), wanted.len());
                if graph.output_shapes()[0].dtype() == DType::F32 {
                    let numbers = |bytes: &[u8]| -> Vec<f32> {
                        bytes.as_chunks().0.iter().map(|&b| f32::from_le_bytes(b)).collect()
                    };
                    assert_near(&numbers(found), &numbers(wanted));
                }
            }
        }
    }
    assert_eq!(Device::new().why_each_size(&layer(), ModelSizes::Each), None);
}

#[test]
fn a_size_of_nothing_is_the_hosts() {
    let device = Device::new();
    let mut executable = device.prepared(&layer(), ModelSizes::Ranges);
    set_params(&mut *executable, 0.3);
    assert_eq!(run(&mut *executable, 0, 3), Vec::<f32>::new());
    assert_near(&run(&mut *executable, 1, 3), &on_cpu(1, 3, 0.3));
    assert_eq!(device.loads(), 1);
}

#[test]
fn a_state_stays_with_the_model_at_all_sizes() {
    let b = Builder::new("cached");
    let rows = symbol("rows");
    let cache = b.input("cache", Shape::new(&[16, 4], DType::F16));
    let x = b.input("x", Shape::from_dims(&[rows, 4.into()], DType::F16));
    let at = b.input("at", Shape::new(&[], DType::I32));
    let next = cache.kv_append(&(&x * 2.0), &at, 0);
    let graph = b.finish(&[&next, &next.reduce(ReduceOp::Sum, &[1], false)]).unwrap();
    let device = Device::new();
    let lowered = device.lowered(&graph, &[Alias { input: 0, output: 0 }], ModelSizes::Ranges);
    assert_eq!(AneBackend::with_engine(device.engine.clone()).why_each_size(&lowered), None);
    let mut executable = device.backend.prepare(lowered, &device.queue).unwrap();
    let mut state = [Buffer::from_bytes(&[0; 128]).unwrap()];
    let mut wanted = vec![0.0f32; 64];
    for (at, rows) in [(0i32, 5usize), (5, 1), (6, 1), (7, 3)] {
        executable.bind(&[(Symbol::new("rows"), rows)].into()).unwrap();
        let x: Vec<f32> = (0..rows * 4).map(|i| (i as f32 + at as f32) * 0.125).collect();
        wanted[at as usize * 4..][..rows * 4].iter_mut().zip(&x).for_each(|(y, x)| *y = x * 2.0);
        let x: Vec<u8> = x.iter().flat_map(|&x| f16::from_f32(x).to_le_bytes()).collect();
        let at = at.to_le_bytes();
        let inputs = [Value::State(0), Value::Host(&x), Value::Host(&at)];
        executable.run(Arguments { inputs: &inputs, state: &mut state, outputs: &mut [] }).unwrap();
        let halves = |bytes: &[u8]| -> Vec<f32> {
            bytes.as_chunks().0.iter().map(|&b| f16::from_le_bytes(b).to_f32()).collect()
        };
        let sums: Vec<f32> = wanted.chunks(4).map(|row| row.iter().sum()).collect();
        assert_eq!(halves(executable.output(1).unwrap()), sums);
    }
    assert!(state[0].device().is_some());
    assert_eq!((device.loads(), device.engine.states.load(Relaxed)), (1, 1));
}

#[test]
fn the_environment_says_which_models_there_are() {
    let sizes = |set: &[&str], own: Option<ModelSizes>| {
        let env: Env = set.iter().map(|name| (*name, "1")).collect();
        let mut options =
            CompileOptions::new().with_backend(CoremlOptions { sizes: own, ..CoremlOptions::new() });
        AneBackend::new().apply_env(&mut options, &env).unwrap();
        options.backend.get::<CoremlOptions>().unwrap().sizes
    };
    let (ranges, all) = ("RLX_COREML_FLEXIBLE_INPUTS", "RLX_COREML_NATIVE_FLEX");
    assert_eq!(sizes(&[], None), None);
    assert_eq!(sizes(&[ranges], None), Some(ModelSizes::Ranges));
    assert_eq!(sizes(&[all], None), Some(ModelSizes::All));
    assert_eq!(sizes(&[ranges, all], None), Some(ModelSizes::All));
    assert_eq!(sizes(&[all], Some(ModelSizes::Each)), Some(ModelSizes::Each));
}
