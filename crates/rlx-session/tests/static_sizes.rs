//! Programs of a backend that needs static sizes: one executable per binding, with shared parameters, state and queue.
#![cfg(feature = "cpu")]

use rlx_compile::{BackendError, BindError, Claim, Claims, CompileOptions, Lowered, Param, Rates};
use rlx_cpu::CpuBackend;
use rlx_exec::{
    Arguments, Availability, Backend, Buffer, Executable, HostEngine, HostProgram, Instance, Queue, Value,
};
use rlx_ir::{Bindings, DType, FusionKind, Graph, Op, Shape};
use rlx_session::{CompiledGraph, Device, HostQueue, Session, format_dispatch_report, register_backend};
use std::cell::Cell;
use std::sync::Arc;

/// The CPU under another name, which reduces only tensors of static sizes.
struct Fixed;

thread_local! {
    /// Number of graphs that were prepared on this thread.
    static PREPARED: Cell<usize> = const { Cell::new(0) };
}

fn reduces(graph: &Graph) -> bool {
    graph.nodes().iter().any(|node| {
        let mut found = matches!(node.op(), Op::Reduce { .. });
        node.op().for_each_graph(&mut |body| found = found || reduces(body));
        found
    })
}

impl Claims for Fixed {
    fn claim(&self, op: &Op, operands: &[Shape], results: &[Shape]) -> Claim {
        CpuBackend.claim(op, operands, results)
    }

    fn static_sizes(&self, op: &Op, _: &[Shape], _: &[Shape]) -> bool {
        matches!(op, Op::Reduce { .. })
    }

    fn fuses(&self, kind: FusionKind) -> bool {
        CpuBackend.fuses(kind)
    }

    fn accepts(&self, kind: FusionKind, body: &Graph) -> bool {
        CpuBackend.accepts(kind, body)
    }

    fn elementwise(&self, op: &Op, dtype: DType) -> bool {
        CpuBackend.elementwise(op, dtype)
    }
}

/// A program on bytes that the CPU runs.
struct OnCpu(Box<dyn Executable>);

impl OnCpu {
    fn new(lowered: &Lowered, sizes: &Bindings) -> Result<OnCpu, BindError> {
        let reduces = reduces(lowered.graph());
        assert_eq!(
            reduces,
            lowered.is_static(),
            "graphs with a reduction have no symbols, others have theirs"
        );
        PREPARED.set(PREPARED.get() + 1);
        let plain = Lowered::new(lowered.graph().clone(), &[], lowered.options(), None);
        let plain = plain.map_err(|e| BackendError::Unsupported(e.to_string()))?;
        let mut executable = CpuBackend.prepare(plain, &CpuBackend.queue(0)?)?;
        executable.bind(sizes)?;
        Ok(OnCpu(executable))
    }
}

impl HostProgram for OnCpu {
    fn clone_on(&self, queue: &Arc<dyn Queue>) -> Result<Box<dyn HostProgram>, BackendError> {
        Ok(Box::new(OnCpu(self.0.clone_on(queue)?)))
    }

    fn set_param(&mut self, index: usize, value: Param) {
        self.0.set_param(index, value);
    }

    fn run(
        &mut self,
        inputs: &[&[u8]],
        _: &mut [Buffer],
        outputs: &mut [&mut [u8]],
    ) -> Result<(), BackendError> {
        let inputs: Vec<Value<'_>> = inputs.iter().map(|bytes| Value::Host(bytes)).collect();
        let mut outputs: Vec<Option<&mut [u8]>> =
            outputs.iter_mut().map(|place| Some(&mut **place)).collect();
        self.0.run(Arguments { inputs: &inputs, state: &mut [], outputs: &mut outputs })
    }

    fn describe(&self) -> String {
        self.0.describe()
    }
}

impl Backend for Fixed {
    fn device(&self) -> Device {
        Device::Rocm
    }

    fn availability(&self) -> Availability {
        CpuBackend.availability()
    }

    fn claims(&self) -> &dyn Claims {
        self
    }

    fn prepare(&self, lowered: Lowered, queue: &Arc<dyn Queue>) -> Result<Box<dyn Executable>, BackendError> {
        let engine = HostEngine::new("fixed", |lowered, sizes| Ok(Box::new(OnCpu::new(lowered, sizes)?)));
        Ok(Box::new(Instance::new(engine, lowered, self, queue)?))
    }

    fn rates(&self) -> Rates {
        CpuBackend.rates()
    }
}

/// y = x + sum(state), state' = state + w · sum(x), with one symbolic size and a state of fixed size.
const RUNNING: &str = "\
graph \"running\" {
  %0 = input {name = \"x\"} : f32[n]
  %1 = input {name = \"out1\"} : f32[4]
  %2 = param {name = \"w\"} : f32[4]
  %3 = reduce %1 {kind = sum, axes = [0]} : f32[]
  %4 = broadcast_in_dim %3 {dims = [n], axes = []} : f32[n]
  %5 = add %0, %4 : f32[n]
  %6 = reduce %0 {kind = sum, axes = [0]} : f32[]
  %7 = broadcast_in_dim %6 {dims = [4], axes = []} : f32[4]
  %8 = mul %2, %7 : f32[4]
  %9 = add %1, %8 : f32[4]
  return %5, %9
}
";

fn compiled(text: &str, device: Device, donate: bool) -> CompiledGraph {
    register_backend(Arc::new(Fixed));
    let graph = Graph::parse(text).unwrap_or_else(|e| panic!("{e}"));
    let options = CompileOptions::new().donate_handles(donate);
    Session::new(device).with_options(options).try_compile(graph).unwrap_or_else(|e| panic!("{e}"))
}

/// Returns the program with its parameter and state set.
fn running(device: Device, donate: bool) -> CompiledGraph {
    let mut program = compiled(RUNNING, device, donate);
    program.set_param("w", &[1.0, 2.0, 3.0, 4.0]);
    program.set_handle("out1", &[1.0; 4]).unwrap();
    program
}

fn ramp(n: usize) -> Vec<f32> {
    (0..n).map(|i| i as f32 - 0.5).collect()
}

#[test]
fn runs_of_several_sizes_are_those_of_a_backend_that_takes_symbols() {
    for donate in [false, true] {
        let (mut fixed, mut cpu) = (running(Device::Rocm, donate), running(Device::Cpu, donate));
        let before = PREPARED.get();
        for n in [2usize, 3, 2, 4] {
            let x = ramp(n);
            let got = fixed.try_run(&[("x", &x)]).unwrap();
            assert_eq!(got, cpu.try_run(&[("x", &x)]).unwrap(), "donated: {donate}, n = {n}");
        }
        assert_eq!(PREPARED.get() - before, 3, "one for each size");
        // A parameter that is set applies to the current size and to earlier ones.
        for program in [&mut fixed, &mut cpu] {
            program.set_param("w", &[-1.0; 4]);
        }
        for n in [4usize, 2, 5] {
            let x = ramp(n);
            assert_eq!(fixed.try_run(&[("x", &x)]).unwrap(), cpu.try_run(&[("x", &x)]).unwrap(), "n = {n}");
        }
        assert_eq!(PREPARED.get() - before, 4);
    }
}

#[test]
fn state_outlives_the_sizes_that_are_kept() {
    let mut program = compiled(RUNNING, Device::Rocm, true);
    program.set_param("w", &[1.0; 4]);
    program.set_handle("out1", &[0.0; 4]).unwrap();
    let before = PREPARED.get();
    let mut state = 0.0;
    for n in (1..=80usize).chain([1, 80]) {
        let y = program.try_run(&[("x", &vec![1.0; n])]).unwrap();
        assert_eq!(y[0], vec![1.0 + 4.0 * state; n]);
        state += n as f32;
        assert_eq!(y[1], [state; 4]);
    }
    assert_eq!(PREPARED.get() - before, 81, "the first size was forgotten, the last was not");
}

#[test]
fn a_clone_shares_what_was_prepared_and_has_state_and_parameters_of_its_own() {
    let mut program = running(Device::Rocm, true);
    let first = program.try_run(&[("x", &ramp(3))]).unwrap();
    let mut clone = program.clone();
    assert!(!Arc::ptr_eq(program.queue(), clone.queue()));
    clone.set_param("w", &[0.0; 4]);
    let before = PREPARED.get();
    let expected = program.try_run(&[("x", &ramp(3))]).unwrap();
    let unchanged = clone.try_run(&[("x", &ramp(3))]).unwrap();
    assert_eq!(unchanged[0], expected[0], "the clone began with the state of the original");
    assert_eq!(unchanged[1], first[1], "its own parameter is 0");
    assert_ne!(expected[1], first[1]);
    let _ = program.try_run(&[("x", &ramp(2))]).unwrap();
    let _ = clone.try_run(&[("x", &ramp(2))]).unwrap();
    assert_eq!(PREPARED.get() - before, 1, "the second size, for both");
}

#[test]
fn runs_of_all_sizes_are_on_one_queue() {
    register_backend(Arc::new(Fixed));
    let queue: Arc<dyn Queue> = Arc::new(HostQueue::new(Device::Rocm));
    let session = Session::new(Device::Rocm).with_queue(queue.clone());
    let mut program = session.try_compile(Graph::parse(RUNNING).unwrap()).unwrap();
    program.set_param("w", &[1.0; 4]);
    program.set_handle("out1", &[0.0; 4]).unwrap();
    for n in [2usize, 3] {
        program.commit_no_wait(&[("x", &vec![1.0; n])]).unwrap();
        assert_eq!(program.sync_pending().unwrap()[0].len(), n);
    }
    assert!(Arc::ptr_eq(program.queue(), &queue));
}

#[test]
fn the_report_is_of_the_graph_with_symbols_and_says_where_sizes_are_static() {
    let program = running(Device::Rocm, true);
    assert!(!program.lowered_graph().symbols().is_empty());
    let report = program.dispatch_report().unwrap();
    let asked: Vec<&str> = report.static_sizes().map(|entry| entry.op).collect();
    // The other reduction has no symbols.
    assert_eq!(asked, ["reduce"]);
    let text = format_dispatch_report(&report);
    let line = text.lines().find(|line| line.contains("reduce")).unwrap();
    assert!(line.ends_with("×2, 1 with static sizes"), "{text}");
    assert!(running(Device::Cpu, true).dispatch_report().unwrap().static_sizes().next().is_none());
}

#[test]
fn a_graph_without_such_an_op_is_prepared_with_its_symbols() {
    let before = PREPARED.get();
    let text =
        "graph \"g\" {\n  %0 = input {name = \"x\"} : f32[n]\n  %1 = neg %0 : f32[n]\n  return %1\n}\n";
    let mut program = compiled(text, Device::Rocm, false);
    for n in 1..=3 {
        assert_eq!(program.try_run(&[("x", &vec![1.0; n])]).unwrap(), [vec![-1.0; n]]);
    }
    assert_eq!(PREPARED.get() - before, 3);
}

#[test]
fn a_symbol_without_a_size_is_named() {
    let text = "\
graph \"g\" {
  %0 = input {name = \"x\"} : f32[n]
  %1 = param {name = \"w\"} : f32[m]
  %2 = reduce %0 {kind = sum, axes = [0]} : f32[]
  %3 = broadcast_in_dim %2 {dims = [m], axes = []} : f32[m]
  %4 = add %1, %3 : f32[m]
  return %4
}
";
    let mut program = compiled(text, Device::Rocm, false);
    program.set_param("w", &[1.0, 2.0]);
    let error = program.try_run(&[("x", &[1.0; 3])]).unwrap_err().to_string();
    assert!(error.starts_with("cannot tell the size of dimension(s) m "), "{error}");
    program.bind_dims(&[("n", 3)]).unwrap();
    let error = program.describe().unwrap_err().to_string();
    assert!(error.contains("dimension `m` is not bound"), "{error}");
    program.bind_dims(&[("m", 2)]).unwrap();
    assert_eq!(program.try_run(&[("x", &[1.0; 3])]).unwrap(), [[4.0, 5.0]]);
    assert!(program.describe().unwrap().starts_with("static sizes: m = 2, n = 3\n"));
}
