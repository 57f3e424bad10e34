//! A pair of a backend that lacks some ops and the CPU computes what the CPU computes.

mod mock;

use mock::{NoSines, SmallIntegers};
use rlx_compile::{Alias, BackendError, CompileOptions, Decision, Param};
use rlx_cpu::CpuBackend;
use rlx_driver::Device;
use rlx_exec::{
    Arguments, Availability, Backend, Buffer, Executable, HostEngine, HostQueue, Instance, Value, lower,
};
use rlx_hybrid::{HybridBackend, HybridProgram, Side};
use rlx_ir::{Bindings, Builder, DType, Dim, Graph, Literal, ReduceOp, Shape, Symbol};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

/// Returns a graph with a symbol, a parameter, a state, a loop of ops that the device has, and a branch with a sine.
fn mixed() -> Graph {
    let b = Builder::new("mixed");
    let x = b.input("x", Shape::from_dims(&[Dim::dynamic("n"), 4.into()], DType::F32));
    let total = b.input("total", Shape::new(&[4], DType::F32));
    let steps = b.input("steps", Shape::new(&[], DType::I32));
    let w = b.param("w", Shape::new(&[4, 4], DType::F32));
    let h = x.matmul(&w).tanh();
    let next = &total + &h.reduce(ReduceOp::Sum, &[0], false);
    let looped = b.while_loop(
        &[steps.clone(), h.sin()],
        &|b, c| vec![c[0].greater(&b.int(0, DType::I32))],
        &|b, c| vec![&c[0] - &b.int(1, DType::I32), (&c[1] * 0.5).tanh()],
    );
    let pred = steps.greater(&b.int(1, DType::I32));
    let branched = b.cond(&pred, &looped[1..], &|_, x| vec![x[0].sin()], &|_, x| vec![&x[0] + 1.0]);
    b.finish(&[&next, &branched[0], &(&branched[0] * &h)]).expect("a valid graph")
}

/// The state of [`mixed`].
const TOTAL: Alias = Alias { input: 1, output: 0 };

fn bytes(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

fn numbers(count: usize, step: f32) -> Vec<f32> {
    (0..count).map(|i| (i as f32 * step).sin()).collect()
}

fn w(step: f32) -> Param {
    Param::new(Arc::new(Literal::new(&[4, 4], &numbers(16, step)).expect("a matrix")))
}

fn prepared(graph: &Graph, aliases: &[Alias], backend: &dyn Backend) -> Box<dyn Executable> {
    let lowered = lower(graph, aliases, backend, &CompileOptions::new()).expect("it lowers");
    backend.prepare(lowered, &backend.queue(0).expect("a queue")).expect("it is prepared")
}

fn bind(executable: &mut dyn Executable, n: usize) {
    executable.bind(&Bindings::from([(Symbol::new("n"), n)])).expect("sizes");
}

/// Runs [`mixed`] and returns its outputs, without the state.
fn run(executable: &mut dyn Executable, n: usize, steps: i32, state: &mut [Buffer]) -> [Vec<u8>; 2] {
    let (x, steps) = (bytes(&numbers(n * 4, 0.37)), steps.to_le_bytes());
    let inputs = [Value::Host(&x), Value::State(0), Value::Host(&steps)];
    executable.run(Arguments { inputs: &inputs, state, outputs: &mut [] }).expect("it runs");
    executable.wait().expect("it ends");
    [1, 2].map(|index| executable.output(index).expect("an output").to_vec())
}

fn zeros() -> [Buffer; 1] {
    [Buffer::from_bytes(&[0; 16]).expect("a buffer")]
}

fn contents(buffer: &Buffer) -> Vec<u8> {
    let mut bytes = vec![0; buffer.num_bytes()];
    buffer.read(&mut bytes).expect("its bytes");
    bytes
}

/// Returns where the segments run; empty for a graph that runs as a whole.
fn sides(executable: &dyn Executable) -> Vec<Side> {
    let own = executable.as_any().downcast_ref::<Instance<HostEngine>>().and_then(Instance::worker);
    own.and_then(|worker| worker.program::<HybridProgram>()).map(HybridProgram::places).unwrap_or_default()
}

fn pair(first: impl Backend + 'static) -> HybridBackend {
    HybridBackend::new(Arc::new(first), Arc::new(CpuBackend))
}

#[test]
fn graphs_with_everything_give_the_results_of_the_cpu() {
    for (is_sized, is_limited) in [(false, false), (true, false), (false, true), (true, true)] {
        let backend = pair(NoSines { is_sized, is_limited, ..NoSines::default() });
        let (mut own, mut cpu) =
            (prepared(&mixed(), &[TOTAL], &backend), prepared(&mixed(), &[TOTAL], &CpuBackend));
        let (mut state, mut wanted) = (zeros(), zeros());
        for (round, n) in [3, 1, 5, 3, 0].into_iter().enumerate() {
            for executable in [&mut own, &mut cpu] {
                bind(&mut **executable, n);
                if round % 2 == 0 {
                    executable.set_param(0, w(0.3 + round as f32));
                    executable.prepack().expect("it packs");
                }
            }
            for steps in [-1, 1, 4] {
                let found = run(&mut *own, n, steps, &mut state);
                let expected = run(&mut *cpu, n, steps, &mut wanted);
                assert_eq!(found, expected, "n = {n}, {steps} steps, {is_sized}, {is_limited}");
                assert_eq!(contents(&state[0]), contents(&wanted[0]), "n = {n}, {steps} steps");
            }
            let sides = sides(&*own);
            assert!(sides.contains(&Side::Device) && sides.contains(&Side::Host), "{}", own.describe());
        }
        let text = own.describe();
        assert!(text.contains("`sin` ×1: the device has no `sin` for (f32["), "{text}");
        assert_eq!(text.contains("there are too many sums"), is_limited, "{text}");
        assert_eq!(text.starts_with("static sizes: n = 0\n"), is_sized || is_limited, "{text}");
    }
}

#[test]
fn clones_have_their_own_parameters_and_states() {
    let backend = pair(NoSines { is_sized: true, ..NoSines::default() });
    let queue = backend.queue(0).expect("a queue");
    let mut first = prepared(&mixed(), &[TOTAL], &backend);
    first.set_param(0, w(0.3));
    bind(&mut *first, 2);
    let mut second = first.clone_on(&queue).expect("a clone");
    let (mut a, mut b) = (zeros(), zeros());
    assert_eq!(run(&mut *first, 2, 2, &mut a), run(&mut *second, 2, 2, &mut b));
    second.set_param(0, w(0.9));
    let other = run(&mut *second, 2, 2, &mut b);
    assert_ne!(run(&mut *first, 2, 2, &mut a), other);
    assert_ne!(contents(&a[0]), contents(&b[0]));
    first.set_param(0, w(0.9));
    assert_eq!(run(&mut *first, 2, 2, &mut a), other);
}

/// Returns tanh(x · w) with a symbol, all of which the device has.
fn dense() -> Graph {
    let b = Builder::new("dense");
    let x = b.input("x", Shape::from_dims(&[Dim::dynamic("n"), 4.into()], DType::F32));
    let w = b.param("w", Shape::new(&[4, 4], DType::F32));
    b.finish(&[&x.matmul(&w).tanh()]).expect("a valid graph")
}

#[test]
fn a_graph_that_the_device_runs_is_prepared_by_it_alone() {
    for is_sized in [false, true] {
        let first = Arc::new(NoSines { is_sized, ..NoSines::default() });
        let backend = HybridBackend::new(first.clone(), Arc::new(CpuBackend));
        let mut own = prepared(&dense(), &[], &backend);
        assert_eq!(first.prepared.load(Relaxed), 1);
        own.set_param(0, w(0.3));
        let mut cpu = prepared(&dense(), &[], &CpuBackend);
        cpu.set_param(0, w(0.3));
        for n in [2, 3] {
            let x = bytes(&numbers(n * 4, 0.7));
            for executable in [&mut own, &mut cpu] {
                bind(&mut **executable, n);
                executable.run_on_host(&[&x]).expect("it runs");
            }
            assert_eq!(own.output(0), cpu.output(0));
            assert_eq!((sides(&*own), own.output_offset(0)), (Vec::new(), cpu.output_offset(0)));
        }
        assert_eq!((first.prepared.load(Relaxed), own.describe()), (1, cpu.describe()));
    }
}

#[test]
fn types_that_the_device_does_not_have_are_the_hosts() {
    let b = Builder::new("wide");
    let x = b.input("x", Shape::new(&[3], DType::F64));
    let y = b.input("y", Shape::new(&[3], DType::F32));
    let graph = b.finish(&[&(&(&x * 2.0).convert(DType::F32) + &y).tanh(), &x]).expect("a valid graph");
    let backend = pair(NoSines::default());
    let lowered = lower(&graph, &[], &backend, &CompileOptions::new()).expect("it lowers");
    let report = lowered.report().expect("a report");
    assert!(report.device == "gpu,cpu" && report.count(Decision::Host) >= 2, "{report}");
    assert_eq!(report.count(Decision::Unsupported), 0);
    let mut executable = backend.prepare(lowered, &backend.queue(0).expect("a queue")).expect("prepared");
    assert_eq!(sides(&*executable), [Side::Host, Side::Device]);
    let x: Vec<u8> = [0.5f64, -1.0, 0.25].iter().flat_map(|x| x.to_le_bytes()).collect();
    executable.run_on_host(&[&x, &bytes(&[1.0, 2.0, 0.5])]).expect("it runs");
    let sums = executable.output(0).expect("sums").as_chunks().0.iter().zip([2.0f32, 0.0, 1.0]);
    assert!(sums.clone().all(|(y, x)| (f32::from_le_bytes(*y) - x.tanh()).abs() < 1e-6), "{sums:?}");
    assert_eq!(executable.output(1).expect("the input"), x);
    let text = executable.describe();
    assert!(text.contains("`mul` ×1: there is no f64"), "{text}");
    // The device alone refuses it.
    let error = lower(&graph, &[], &NoSines::default(), &CompileOptions::new()).map(|_| ());
    assert!(error.expect_err("it has no f64").to_string().contains("there is no f64"));
}

#[test]
fn a_pair_has_a_name_and_is_there_if_both_are() {
    let device = Device::Gpu.with(Device::Cpu).expect("a pair");
    let backend = pair(NoSines::default());
    assert_eq!((backend.device(), backend.device_count()), (device, 1));
    assert_eq!(backend.availability(), Availability::Present("a device without sines".into()));
    let queue = backend.queue(0).expect("a queue");
    assert_eq!(queue.device().to_string(), "gpu,cpu");
    assert!(queue.host().is_some() && queue.wait().is_ok());
    let error = backend.queue(1).map(|_| ()).expect_err("there is one").to_string();
    assert!(error.starts_with("gpu:1,cpu is not there"), "{error}");
    assert_eq!(backend.memory(0), NoSines::default().memory(0));
    let missing = || NoSines { missing: Some("there is no driver".into()), ..NoSines::default() };
    let why = Availability::Missing("`gpu` is missing: there is no driver".into());
    assert_eq!((pair(missing()).availability(), pair(missing()).device_count()), (why.clone(), 0));
    assert_eq!(HybridBackend::new(Arc::new(CpuBackend), Arc::new(missing())).availability(), why);
    // Under the name of its device, it speaks for it.
    let named = pair(missing()).named(Device::Gpu);
    let why = Availability::Missing("there is no driver".into());
    assert_eq!((named.device(), named.availability()), (Device::Gpu, why));
    let queue = pair(NoSines::default()).named(Device::Gpu).queue(0).expect("a queue");
    assert!(queue.as_any().is::<HostQueue>());
}

/// Returns `total' = total + count` and `w + sin(total')`, or without the sine.
fn counted(with_sine: bool) -> Graph {
    let b = Builder::new("counted");
    let shape = Shape::new(&[2], DType::I32);
    let (count, total) = (b.input("count", shape.clone()), b.input("total", shape.clone()));
    let next = &total + &count;
    let w = b.param("w", Shape::new(&[2], DType::F32));
    let wave = next.convert(DType::F32);
    let wave = if with_sine { wave.sin() } else { wave };
    b.finish(&[&next, &(&w + &wave)]).expect("a valid graph")
}

#[test]
fn runs_with_values_that_the_device_cannot_represent_are_the_hosts() {
    for with_sine in [false, true] {
        let (graph, aliases) = (counted(with_sine), [Alias { input: 1, output: 0 }]);
        let backend = pair(SmallIntegers);
        let mut own = prepared(&graph, &aliases, &backend);
        own.bind(&Bindings::new()).expect("no sizes");
        let set = |executable: &mut dyn Executable, value: f32| {
            executable.set_param(0, Param::new(Arc::new(Literal::new(&[2], &[value; 2]).expect("two"))));
        };
        set(&mut *own, 0.5);
        let mut clone = own.clone_on(&backend.queue(0).expect("a queue")).expect("a clone");
        let ints = |values: [i32; 2]| values.map(i32::to_le_bytes).concat();
        let mut state = [Buffer::from_bytes(&ints([0, 0])).expect("a buffer")];
        let (mut total, mut param) = ([0, 0], 0.5);
        let mut step = |executable: &mut dyn Executable, count: [i32; 2], param: f32| {
            let given = ints(count);
            let inputs = [Value::Host(&given), Value::State(0)];
            executable
                .run(Arguments { inputs: &inputs, state: &mut state, outputs: &mut [] })
                .expect("it runs");
            executable.wait().expect("it ends");
            total = [total[0] + count[0], total[1] + count[1]];
            let wave = total.map(|total| total as f32).map(|t| if with_sine { t.sin() } else { t });
            let found = executable.output(1).expect("waves").as_chunks().0.iter();
            for (found, wave) in found.zip(wave) {
                assert!((f32::from_le_bytes(*found) - (param + wave)).abs() < 1e-5, "{total:?}");
            }
            assert_eq!(contents(&state[0]), ints(total));
            executable.describe()
        };
        let told = "the last run was on the host: ";
        assert!(!step(&mut *own, [1, 2], param).contains(told));
        let text = step(&mut *own, [1, 101], param);
        assert!(text.contains(&format!("{told}101 is more than 100\n")), "{text}");
        // Now the state is too large, and with another parameter, too.
        param = 2.5;
        set(&mut *own, param);
        assert!(step(&mut *own, [1, 1], param).contains(&format!("{told}103 is more than 100\n")));
        assert!(step(&mut *clone, [0, -100], 0.5).contains(told));
        assert!(!step(&mut *own, [1, 1], param).contains(told));
        assert!(!step(&mut *clone, [1, 1], 0.5).contains(told));
        let refused = own.run(Arguments { inputs: &[], state: &mut [], outputs: &mut [] });
        assert!(matches!(refused, Err(BackendError::Argument(_))));
    }
}
