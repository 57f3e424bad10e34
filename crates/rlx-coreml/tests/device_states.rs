//! States on the device `ane`: they stay with the model from run to run, and other owners keep their own values.

mod paired;

use half::f16;
use paired::ane;
use rlx_compile::{Alias, BackendError, CompileOptions, Param};
use rlx_coreml::{
    Engine, EngineError, GivenArray, InterpretedEngine, LoadOptions, LoadedModel, ModelState, Opset,
    WantedArray,
};
use rlx_exec::{Arguments, Availability, Backend, Buffer, Executable, Queue, Value, lower};
use rlx_ir::{Bindings, Builder, DType, Graph, Literal, Op, ReduceOp, Shape, eval};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

/// Counts what crosses between an engine and its callers.
#[derive(Default)]
struct Crossings {
    loads: AtomicUsize,
    states: AtomicUsize,
    written: AtomicUsize,
    read: AtomicUsize,
    inputs: Mutex<Vec<String>>,
    fails: AtomicUsize,
}

struct Watching(Opset, Arc<Crossings>);
struct WatchedModel(Box<dyn LoadedModel>, Arc<Crossings>);
struct WatchedState(Box<dyn ModelState>, Arc<Crossings>);

impl Engine for Watching {
    fn availability(&self) -> Availability {
        InterpretedEngine::default().availability()
    }
    fn opset(&self) -> Opset {
        self.0
    }
    fn load(&self, package: &Path, options: LoadOptions<'_>) -> Result<Box<dyn LoadedModel>, EngineError> {
        self.1.loads.fetch_add(1, Relaxed);
        let model = InterpretedEngine { opset: self.0 }.load(package, options)?;
        Ok(Box::new(WatchedModel(model, self.1.clone())))
    }
}

impl LoadedModel for WatchedModel {
    fn predict(
        &mut self,
        inputs: &[GivenArray<'_>],
        state: Option<&mut dyn ModelState>,
        outputs: &mut [WantedArray<'_>],
    ) -> Result<(), EngineError> {
        *self.1.inputs.lock().unwrap() = inputs.iter().map(|input| input.name.to_string()).collect();
        let Some(state) = state else { return self.0.predict(inputs, None, outputs) };
        let own = state.as_any().downcast_mut::<WatchedState>().unwrap();
        self.0.predict(inputs, Some(&mut *own.0), outputs)?;
        match self.1.fails.load(Relaxed) {
            0 => Ok(()),
            _ => Err(EngineError::Run("the power failed".into())),
        }
    }
    fn new_state(&mut self) -> Result<Box<dyn ModelState>, EngineError> {
        self.1.states.fetch_add(1, Relaxed);
        Ok(Box::new(WatchedState(self.0.new_state()?, self.1.clone())))
    }
}

impl ModelState for WatchedState {
    fn read(&mut self, name: &str, into: &mut [u8]) -> Result<(), EngineError> {
        self.1.read.fetch_add(1, Relaxed);
        self.0.read(name, into)
    }
    fn write(&mut self, name: &str, bytes: &[u8]) -> Result<(), EngineError> {
        self.1.written.fetch_add(1, Relaxed);
        self.0.write(name, bytes)
    }
    fn as_any(&mut self) -> &mut dyn std::any::Any {
        self
    }
}

const ROWS: usize = 16;
const WIDTH: usize = 4;

/// Returns a graph with a cache that x times w is written into at `at`, and the sums of the cache; a count of its runs, in f32; and a cache
/// that is the first input.
fn cached() -> (Graph, Vec<Alias>) {
    let b = Builder::new("cached");
    let last = b.input("last", Shape::new(&[WIDTH], DType::F16));
    let x = b.input("x", Shape::new(&[1, WIDTH], DType::F16));
    let runs = b.input("runs", Shape::new(&[1], DType::F32));
    let cache = b.input("cache", Shape::new(&[ROWS, WIDTH], DType::F16));
    let at = b.input("at", Shape::new(&[], DType::I32));
    let w = b.param("w", Shape::new(&[WIDTH, WIDTH], DType::F16));
    let row = x.matmul(&w);
    let next = cache.kv_append(&row, &at, 0);
    let runs = &runs + &runs.scalar_like(1.0).broadcast_to(&runs.dims());
    let sums = next.reduce(ReduceOp::Sum, &[1], false)
        + last.reduce(ReduceOp::Sum, &[0], false).broadcast_to(&[ROWS.into()]);
    let last = row.reshape(&[WIDTH.into()]);
    let graph = b.finish(&[&next, &sums, &last, &runs]).unwrap();
    // Inputs 3, 0 and 2.
    let aliases = [(3, 0), (0, 2), (2, 3)].map(|(input, output)| Alias { input, output });
    (graph, aliases.to_vec())
}

fn halves(values: impl IntoIterator<Item = f32>) -> Vec<u8> {
    values.into_iter().flat_map(|x| f16::from_f32(x).to_le_bytes()).collect()
}

fn weights(step: usize) -> Literal {
    let values = (0..WIDTH * WIDTH).map(|i| ((i * step) % 5) as f32 - 2.0);
    Literal::from_bytes(&Shape::new(&[WIDTH, WIDTH], DType::F16), &halves(values)).unwrap()
}

fn x(run: usize) -> Vec<u8> {
    halves((0..WIDTH).map(|i| ((i + run) % 7) as f32 * 0.25 - 0.5))
}

fn prepared(graph: &Graph, aliases: &[Alias], engine: Watching) -> Box<dyn Executable> {
    let backend = ane(Arc::new(engine));
    let lowered = lower(graph, aliases, &backend, &CompileOptions::new()).unwrap();
    let mut executable = backend.prepare(lowered, &backend.queue(0).unwrap()).unwrap();
    executable.bind(&Bindings::new()).unwrap();
    executable
}

/// The graph in the evaluator, with its states by input.
struct Evaluated {
    graph: Graph,
    aliases: Vec<Alias>,
    states: BTreeMap<String, Literal>,
    w: Literal,
}

impl Evaluated {
    fn new(w: Literal) -> Evaluated {
        let (graph, aliases) = cached();
        let zeros = |shape: &Shape| Literal::from_bytes(shape, &vec![0; shape.num_bytes().unwrap()]).unwrap();
        let names = |alias: &Alias| {
            let node = graph.inputs().nth(alias.input).unwrap();
            (node.name().unwrap().to_string(), zeros(node.shape()))
        };
        let states = aliases.iter().map(names).collect();
        Evaluated { graph, aliases, states, w }
    }

    /// Returns the sums of a run.
    fn run(&mut self, run: usize) -> Literal {
        let (x, at) = (
            Literal::from_bytes(&Shape::new(&[1, WIDTH], DType::F16), &x(run)).unwrap(),
            Literal::scalar(run as i32),
        );
        let mut given: Vec<(&str, &Literal)> = vec![("x", &x), ("at", &at), ("w", &self.w)];
        given.extend(self.states.iter().map(|(name, value)| (name.as_str(), value)));
        let outputs = eval(&self.graph, &given).unwrap();
        for alias in &self.aliases {
            let name = self.graph.inputs().nth(alias.input).unwrap().name().unwrap().to_string();
            self.states.insert(name, outputs[alias.output].clone());
        }
        outputs[1].clone()
    }

    fn state(&self, name: &str) -> &[u8] {
        self.states[name].bytes()
    }
}

fn zeros() -> Vec<Buffer> {
    [ROWS * WIDTH * 2, WIDTH * 2, 4].map(|bytes| Buffer::from_bytes(&vec![0; bytes]).unwrap()).into()
}

/// Runs it, and returns the sums.
fn run(executable: &mut dyn Executable, state: &mut [Buffer], run: usize) -> Result<Vec<u8>, BackendError> {
    let (x, at) = (x(run), (run as i32).to_le_bytes());
    let inputs = [Value::State(1), Value::Host(&x), Value::State(2), Value::State(0), Value::Host(&at)];
    executable.run(Arguments { inputs: &inputs, state, outputs: &mut [] })?;
    executable.wait()?;
    Ok(executable.output(1)?.to_vec())
}

fn new_queue() -> Arc<dyn Queue> {
    ane(Arc::new(InterpretedEngine::default())).queue(0).unwrap()
}

fn bytes(buffer: &Buffer) -> Vec<u8> {
    let mut bytes = vec![0; buffer.num_bytes()];
    buffer.read(&mut bytes).unwrap();
    bytes
}

#[test]
fn states_of_f16_stay_with_the_model() {
    let crossings = Arc::new(Crossings::default());
    let (graph, aliases) = cached();
    let mut executable = prepared(&graph, &aliases, Watching(Opset::Ios18, crossings.clone()));
    executable.set_param(0, Param::new(Arc::new(weights(1))));
    let (mut evaluated, mut state) = (Evaluated::new(weights(1)), zeros());
    for step in 0..10 {
        assert_eq!(run(&mut *executable, &mut state, step).unwrap(), evaluated.run(step).bytes(), "{step}");
    }
    // The f16 states were written once, and never read; the f32 state crosses in each run.
    assert_eq!([crossings.states.load(Relaxed), crossings.written.load(Relaxed)], [1, 2]);
    assert_eq!([crossings.read.load(Relaxed), crossings.loads.load(Relaxed)], [0, 1]);
    assert_eq!(*crossings.inputs.lock().unwrap(), ["x", "runs", "at"]);
    let devices: Vec<bool> = state.iter().map(|buffer| buffer.device().is_some()).collect();
    assert_eq!(devices, [true, true, false]);
    for (buffer, name) in state.iter().zip(["cache", "last", "runs"]) {
        assert_eq!(bytes(buffer), evaluated.state(name), "{name}");
    }
    assert!(executable.describe().contains("2 states stay with the model"), "{}", executable.describe());
    // A state that is an output is read once, when it is requested.
    for _ in 0..2 {
        assert_eq!(executable.output(0).unwrap(), evaluated.state("cache"));
        assert_eq!((executable.output(2).unwrap().len(), executable.output(3).unwrap().len()), (8, 0));
    }
    let reads = crossings.read.load(Relaxed);
    assert_eq!(executable.output(0).unwrap(), evaluated.state("cache"));
    assert_eq!(crossings.read.load(Relaxed), reads);
    // That changes nothing: the next run continues in place. A state that is requested as an output is read.
    let mut cache = vec![0; ROWS * WIDTH * 2];
    let (x, at) = (x(10), 10i32.to_le_bytes());
    let inputs = [Value::State(1), Value::Host(&x), Value::State(2), Value::State(0), Value::Host(&at)];
    let outputs = &mut [Some(&mut cache[..])];
    executable.run(Arguments { inputs: &inputs, state: &mut state, outputs }).unwrap();
    evaluated.run(10);
    assert_eq!(cache, evaluated.state("cache"));
    assert_eq!([crossings.states.load(Relaxed), crossings.written.load(Relaxed)], [1, 2]);
}

#[test]
fn copies_of_a_state_go_their_own_ways() {
    let crossings = Arc::new(Crossings::default());
    let (graph, aliases) = cached();
    let mut first = prepared(&graph, &aliases, Watching(Opset::Ios18, crossings.clone()));
    first.set_param(0, Param::new(Arc::new(weights(1))));
    let (mut evaluated, mut state) = (Evaluated::new(weights(1)), zeros());
    for step in 0..3 {
        run(&mut *first, &mut state, step).unwrap();
        evaluated.run(step);
    }
    let mut second = first.clone_on(&new_queue()).unwrap();
    let (mut copy, at_three) = (state.clone(), bytes(&state[0]));
    // Whichever runs first makes a copy; the other continues with the original.
    for step in 3..6 {
        assert_eq!(run(&mut *second, &mut copy, step).unwrap(), evaluated.run(step).bytes());
    }
    assert_eq!(bytes(&state[0]), at_three);
    assert_eq!(crossings.states.load(Relaxed), 2);
    let mut again = Evaluated::new(weights(1));
    (0..3).for_each(|step| _ = again.run(step));
    for step in [7, 8] {
        assert_eq!(run(&mut *first, &mut state, step).unwrap(), again.run(step).bytes());
    }
    assert_eq!(crossings.states.load(Relaxed), 2);
    assert_eq!(
        (bytes(&copy[0]), bytes(&state[0])),
        (evaluated.state("cache").into(), again.state("cache").into())
    );
    // Only one of the states is shared, but all of them are copied, because the model treats them as one object.
    let held = state[1].clone();
    run(&mut *first, &mut state, 9).unwrap();
    assert_eq!((bytes(&held), crossings.states.load(Relaxed)), (again.state("last").into(), 3));
    // A state that is set is written, and the others are kept.
    again.run(9);
    let before = crossings.written.load(Relaxed);
    let zero = vec![0; WIDTH * 2];
    state[1].write(&zero).unwrap();
    again.states.insert("last".into(), Literal::from_bytes(again.states["last"].shape(), &zero).unwrap());
    assert_eq!(run(&mut *first, &mut state, 10).unwrap(), again.run(10).bytes());
    assert_eq!(crossings.written.load(Relaxed), before + 1);
    // Another parameter makes another model, to which the values are moved.
    first.set_param(0, Param::new(Arc::new(weights(3))));
    again.w = weights(3);
    assert_eq!(run(&mut *first, &mut state, 11).unwrap(), again.run(11).bytes());
    assert_eq!(crossings.loads.load(Relaxed), 2);
}

#[test]
fn a_run_that_fails_leaves_what_can_be_set_again() {
    let crossings = Arc::new(Crossings::default());
    let (graph, aliases) = cached();
    let mut executable = prepared(&graph, &aliases, Watching(Opset::Ios18, crossings.clone()));
    executable.set_param(0, Param::new(Arc::new(weights(1))));
    let mut state = zeros();
    run(&mut *executable, &mut state, 0).unwrap();
    crossings.fails.store(1, Relaxed);
    let error = run(&mut *executable, &mut state, 1).unwrap_err();
    assert!(error.to_string().contains("the power failed"), "{error}");
    crossings.fails.store(0, Relaxed);
    let sizes: Vec<usize> = state.iter().map(Buffer::num_bytes).collect();
    assert_eq!(sizes, zeros().iter().map(Buffer::num_bytes).collect::<Vec<_>>());
    let (mut evaluated, mut state) = (Evaluated::new(weights(1)), zeros());
    assert_eq!(run(&mut *executable, &mut state, 0).unwrap(), evaluated.run(0).bytes());
    // Arguments that do not fit are reported before anything runs.
    state[0] = Buffer::from_bytes(&[0; 3]).unwrap();
    let error = run(&mut *executable, &mut state, 1).unwrap_err().to_string();
    assert!(error.contains("is f16[16,4], which has 128 bytes; got 3"), "{error}");
}

#[test]
fn a_state_comes_to_the_host_for_a_run_with_wide_numbers() {
    let b = Builder::new("counted");
    let total = b.input("total", Shape::new(&[4], DType::F16));
    let i = b.input("i", Shape::new(&[4], DType::I64));
    let next = &total + &i.minimum(&i.scalar_like(9.0).broadcast_to(&i.dims())).convert(DType::F16);
    let graph = b.finish(&[&next, &(&next * 2.0)]).unwrap();
    let crossings = Arc::new(Crossings::default());
    let aliases = [Alias { input: 0, output: 0 }];
    let mut executable = prepared(&graph, &aliases, Watching(Opset::Ios18, crossings.clone()));
    let mut state = [Buffer::from_bytes(&[0; 8]).unwrap()];
    let mut total = [0.0f32; 4];
    for i in [[1i64, 2, 3, 4], [1, 1, 1, 1], [1 << 40, 2, -3, 20], [5, 5, 5, 5], [1 << 33, 0, 0, 0], [1; 4]] {
        let inputs = [Value::State(0), Value::Host(bytemuck::cast_slice(&i))];
        executable.run(Arguments { inputs: &inputs, state: &mut state, outputs: &mut [] }).unwrap();
        total.iter_mut().zip(i).for_each(|(total, i)| *total += i.min(9) as f32);
        assert_eq!(bytes(&state[0]), halves(total));
        assert_eq!(executable.output(1).unwrap(), halves(total.map(|x| 2.0 * x)));
        assert_eq!(state[0].device().is_none(), i[0] > 9);
    }
    // Twice in each direction, in addition to the first time.
    assert_eq!((crossings.states.load(Relaxed), crossings.loads.load(Relaxed)), (3, 1));
}

#[test]
fn systems_without_states_have_them_cross() {
    let crossings = Arc::new(Crossings::default());
    let (graph, aliases) = cached();
    let mut executable = prepared(&graph, &aliases, Watching(Opset::Ios17, crossings.clone()));
    executable.set_param(0, Param::new(Arc::new(weights(1))));
    let (mut evaluated, mut state) = (Evaluated::new(weights(1)), zeros());
    for step in 0..3 {
        assert_eq!(run(&mut *executable, &mut state, step).unwrap(), evaluated.run(step).bytes());
    }
    assert_eq!((crossings.states.load(Relaxed), bytes(&state[0])), (0, evaluated.state("cache").into()));
}

#[test]
fn between_segments_a_state_stays_with_the_one_that_uses_it() {
    // `kept` stays on the device, `used` passes through an op of the host, and both sides read `shared`.
    let b = Builder::new("halves");
    let shape = || Shape::new(&[8, 8], DType::F16);
    let [kept, used, shared] = ["kept", "used", "shared"].map(|name| b.input(name, shape()));
    let x = b.input("x", Shape::new(&[8, 8], DType::F32));
    let x_half = x.convert(DType::F16);
    let next_kept = &kept * 0.5 + &x_half;
    let heavy = (0..40).fold(&next_kept * 1.0, |y, _| (&y * 0.5).tanh());
    let spd =
        used.convert(DType::F32) * 0.01 + x.matmul(&x.transpose(&[1, 0])) + b.constant(identity(8)) * 9.0;
    let factor = spd.apply(Op::Cholesky { lower: true }, &[]);
    let next_used = (&used + &factor.convert(DType::F16)) * 0.5;
    let next_shared = (&shared * 0.25 + &x_half).tanh();
    let of_both = factor.convert(DType::F64) + next_shared.convert(DType::F64);
    let graph =
        b.finish(&[&heavy, &next_kept, &next_used, &next_shared, &of_both.convert(DType::F32)]).unwrap();
    let aliases = [(0, 1), (1, 2), (2, 3)].map(|(input, output)| Alias { input, output });
    let crossings = Arc::new(Crossings::default());
    let mut executable = prepared(&graph, &aliases, Watching(Opset::Ios18, crossings.clone()));
    let text = executable.describe();
    assert!(text.contains("segments") && text.contains("1 states stay with the model"), "{text}");
    let literal = |bytes: &[u8]| Literal::from_bytes(&shape(), bytes).unwrap();
    let mut states: Vec<Literal> = (0..3).map(|_| literal(&[0; 128])).collect();
    let mut buffers: Vec<Buffer> = (0..3).map(|_| Buffer::from_bytes(&[0; 128]).unwrap()).collect();
    for step in 0..4 {
        let x: Vec<f32> = (0..64).map(|i| ((i * 7 + step * 3) % 11) as f32 * 0.125 - 0.5).collect();
        let x = Literal::new(&[8, 8], &x).unwrap();
        let given = [("kept", &states[0]), ("used", &states[1]), ("shared", &states[2]), ("x", &x)];
        let wanted = eval(&graph, &given).unwrap();
        let inputs = [Value::State(0), Value::State(1), Value::State(2), Value::Host(x.bytes())];
        executable.run(Arguments { inputs: &inputs, state: &mut buffers, outputs: &mut [] }).unwrap();
        executable.wait().unwrap();
        states = wanted[1..4].to_vec();
        let numbers = |bytes: &[u8], wanted: &Literal| -> Vec<f64> {
            let of = |bytes: &[u8]| {
                let value = Literal::from_bytes(wanted.shape(), bytes).unwrap().convert(DType::F64);
                value.as_slice::<f64>().unwrap().to_vec()
            };
            of(bytes).iter().zip(of(wanted.bytes())).map(|(a, b)| (a - b).abs()).collect()
        };
        let near = |bytes: &[u8], wanted: &Literal| numbers(bytes, wanted).iter().all(|off| *off <= 4e-3);
        for (buffer, wanted) in buffers.iter().zip(&states) {
            assert!(near(&bytes(buffer), wanted), "{step}");
        }
        assert!(
            near(executable.output(0).unwrap(), &wanted[0])
                && near(executable.output(4).unwrap(), &wanted[4])
        );
    }
    assert_eq!(buffers.iter().map(|b| b.device().is_some()).collect::<Vec<_>>(), [true, false, false]);
    assert_eq!((crossings.states.load(Relaxed), crossings.written.load(Relaxed)), (1, 1));
}

fn identity(n: usize) -> Literal {
    let values: Vec<f32> = (0..n * n).map(|i| f32::from(u8::from(i % (n + 1) == 0))).collect();
    Literal::new(&[n, n], &values).unwrap()
}
