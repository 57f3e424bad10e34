//! Pairs of devices in sessions: a device without sines, completed by the CPU, computes what the CPU computes.
#![cfg(feature = "cpu")]

use rlx_compile::{BackendError, Claim};
use rlx_cpu::CpuBackend;
use rlx_exec::Executable;
use rlx_ir::{Graph, Op, Shape};
use rlx_session::{
    Availability, Backend, Claims, CompileOptions, CompiledGraph, Decision, Device, DeviceId, Lowered, Queue,
    Rates, RuntimeError, Session, SharedGraph, dispatch_report_for_device, is_available, register_backend,
};
use std::sync::Arc;

/// The CPU as another device, which has no sines.
struct NoSines(Device);

impl Claims for NoSines {
    fn claim(&self, op: &Op, operands: &[Shape], results: &[Shape]) -> Claim {
        if op.mnemonic() == "sin" { Claim::No(None) } else { CpuBackend.claim(op, operands, results) }
    }
}

impl Backend for NoSines {
    fn device(&self) -> Device {
        self.0
    }
    fn availability(&self) -> Availability {
        Availability::Present("a device without sines".into())
    }
    fn claims(&self) -> &dyn Claims {
        self
    }
    fn prepare(&self, lowered: Lowered, queue: &Arc<dyn Queue>) -> Result<Box<dyn Executable>, BackendError> {
        assert!(!lowered.graph().to_string().contains(" sin "), "{}", lowered.graph());
        CpuBackend.prepare(lowered, queue)
    }
    fn rates(&self) -> Rates {
        Rates { flops: 1e30, bytes: 1e30, transfer: 1e30, run: f64::MIN_POSITIVE }
    }
}

/// Returns y = sin(x · w) + sum(state), state' = state + sum(x), with one symbolic size, a parameter and a state.
fn running() -> Graph {
    let text = "\
graph \"running\" {
  %0 = input {name = \"x\"} : f32[n]
  %1 = input {name = \"out1\"} : f32[4]
  %2 = param {name = \"w\"} : f32[]
  %3 = broadcast_in_dim %2 {dims = [n], axes = []} : f32[n]
  %4 = mul %0, %3 : f32[n]
  %5 = sin %4 : f32[n]
  %6 = reduce %1 {kind = sum, axes = [0]} : f32[]
  %7 = broadcast_in_dim %6 {dims = [n], axes = []} : f32[n]
  %8 = add %5, %7 : f32[n]
  %9 = reduce %0 {kind = sum, axes = [0]} : f32[]
  %10 = broadcast_in_dim %9 {dims = [4], axes = []} : f32[4]
  %11 = add %1, %10 : f32[4]
  return %8, %11
}
";
    Graph::parse(text).unwrap_or_else(|e| panic!("{e}"))
}

fn compiled(device: DeviceId, donates: bool) -> CompiledGraph {
    let options = CompileOptions::new().donate_handles(donates);
    let mut program = Session::new(device).with_options(options).try_compile(running()).unwrap();
    program.try_set_param("w", &[0.75]).unwrap();
    program.set_handle("out1", &[1.0; 4]).unwrap();
    program
}

fn named(name: &str) -> DeviceId {
    name.parse().unwrap()
}

#[test]
fn a_pair_of_any_two_devices_is_a_device() {
    register_backend(Arc::new(NoSines(Device::Gpu)));
    let pair = named("gpu,cpu");
    assert!(is_available(pair.device));
    let alone = Session::new(Device::Gpu).try_compile(running()).map(|_| ()).unwrap_err().to_string();
    assert!(alone.contains("dispatch on gpu: ") && alone.contains("sin"), "{alone}");
    let report = dispatch_report_for_device(&running(), pair.device).unwrap();
    assert_eq!((report.device.as_str(), report.count(Decision::Host)), ("gpu,cpu", 1), "{report}");
    for donates in [false, true] {
        let (mut own, mut cpu) = (compiled(pair, donates), compiled(Device::Cpu.into(), donates));
        assert_eq!((own.device(), own.device_id().to_string().as_str()), (pair.device, "gpu,cpu"));
        for n in [2usize, 3, 2, 4] {
            let x: Vec<f32> = (0..n).map(|i| i as f32 * 0.5 - 1.0).collect();
            let found = own.try_run(&[("x", &x)]).unwrap();
            assert_eq!(found, cpu.try_run(&[("x", &x)]).unwrap(), "donated: {donates}, n = {n}");
            // A clone starts with a copy of the state, and a run in the background updates it.
            let mut clone = own.clone();
            clone.commit_no_wait(&[("x", &x)]).unwrap();
            let found = clone.sync_pending().unwrap();
            assert_eq!(found, cpu.clone().try_run(&[("x", &x)]).unwrap(), "donated: {donates}, n = {n}");
        }
        assert_eq!(own.handle("out1").unwrap(), cpu.handle("out1").unwrap());
        let text = own.describe().unwrap();
        assert!(
            text.contains("on the device: ") && text.contains("`sin` ×1: the device has no `sin`"),
            "{text}"
        );
        own.try_set_param("w", &[-0.5]).unwrap();
        cpu.try_set_param("w", &[-0.5]).unwrap();
        assert_eq!(own.try_run(&[("x", &[1.0])]).unwrap(), cpu.try_run(&[("x", &[1.0])]).unwrap());
    }
}

#[test]
fn threads_share_a_program_of_a_pair_and_queues_belong_to_it() {
    register_backend(Arc::new(NoSines(Device::Rocm)));
    let text = "graph \"waves\" {\n  %0 = input {name = \"x\"} : f32[n]\n  %1 = sin %0 : f32[n]\n  %2 = add %1, %0 : f32[n]\n  return %2\n}\n";
    let waves = || Graph::parse(text).unwrap();
    let session = Session::new(named("rocm,cpu"));
    let shared = SharedGraph::new(session.try_compile(waves()).unwrap()).unwrap();
    std::thread::scope(|scope| {
        for thread in 1..=4usize {
            let shared = &shared;
            scope.spawn(move || {
                let x: Vec<f32> = (0..thread).map(|i| i as f32).collect();
                let wanted = Session::new(Device::Cpu).try_compile(waves()).unwrap().try_run(&[("x", &x)]);
                assert_eq!(shared.try_run(&[("x", &x)]).unwrap(), wanted.unwrap());
            });
        }
    });
    let queue = session.new_queue().unwrap();
    assert_eq!(queue.device().to_string(), "rocm,cpu");
    let mut program = session.clone().with_queue(queue.clone()).try_compile(waves()).unwrap();
    assert_eq!(program.try_run(&[("x", &[0.0])]).unwrap(), [[0.0]]);
    let refused = Session::new(Device::Cpu).with_queue(queue).try_compile(waves()).map(|_| ());
    assert_eq!(
        refused.unwrap_err().to_string(),
        "the queue belongs to device `rocm,cpu`; this session runs on `cpu`"
    );
    // The CPU has all ops, so it runs everything as the first.
    let mut program = Session::new(named("cpu,rocm")).try_compile(waves()).unwrap();
    assert_eq!(program.try_run(&[("x", &[0.0])]).unwrap(), [[0.0]]);
}

/// A device that is missing.
struct Missing;

impl Backend for Missing {
    fn device(&self) -> Device {
        Device::Cuda
    }
    fn availability(&self) -> Availability {
        Availability::Missing("there is no driver".into())
    }
    fn claims(&self) -> &dyn Claims {
        &CpuBackend
    }
    fn prepare(&self, _: Lowered, _: &Arc<dyn Queue>) -> Result<Box<dyn Executable>, BackendError> {
        Err(BackendError::Unsupported("it is missing".into()))
    }
    fn rates(&self) -> Rates {
        CpuBackend.rates()
    }
}

#[test]
fn a_pair_with_a_missing_device_says_which_and_a_new_backend_takes_its_place() {
    register_backend(Arc::new(Missing));
    let session = Session::new(named("cuda,cpu"));
    let error = session.try_compile(running()).map(|_| ()).unwrap_err();
    assert!(matches!(&error, RuntimeError::Backend(BackendError::Unavailable { .. })));
    assert_eq!(error.to_string(), "cuda,cpu is not available: `cuda` is missing: there is no driver");
    register_backend(Arc::new(NoSines(Device::Cuda)));
    assert!(session.try_compile(running()).is_ok());
}
