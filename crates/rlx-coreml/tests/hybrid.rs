//! Graphs that run partly with CoreML and partly on the host, with the interpreter of programs in place of CoreML.

mod paired;

use paired::ane;
use rlx_compile::{BackendError, CompileOptions, Decision, Param, format_dispatch_report};
use rlx_conformance::{Outcome, Target, TargetError, cases, judge};
use rlx_coreml::{CoremlKernel, CoremlProgram, InterpretedEngine, register_coreml_kernel};
use rlx_cpu::custom::{CpuKernel, KernelContext, PreparedKernel};
use rlx_exec::{Backend, Executable, HostEngine, HostWorker, Instance, lower};
use rlx_hybrid::{HybridBackend, HybridProgram, Side};
use rlx_ir::{
    Bindings, Builder, CustomOp, DType, Dim, Graph, Literal, Op, OpError, Shape, Symbol, eval,
    register_custom,
};
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

fn backend() -> HybridBackend {
    ane(Arc::new(InterpretedEngine::default()))
}

fn prepared(graph: &Graph) -> Result<Box<dyn Executable>, TargetError> {
    let (backend, unsupported) = (backend(), |e: String| TargetError::Unsupported(e));
    let lowered =
        lower(graph, &[], &backend, &CompileOptions::new()).map_err(|e| unsupported(e.to_string()))?;
    let queue = backend.queue(0).map_err(|e| unsupported(e.to_string()))?;
    let mut executable = backend.prepare(lowered, &queue).map_err(|e| TargetError::Failed(e.to_string()))?;
    executable.bind(&Bindings::new()).map_err(|e| TargetError::Failed(e.to_string()))?;
    Ok(executable)
}

fn run(graph: &Graph, values: &[(&str, &Literal)]) -> Result<Vec<Literal>, TargetError> {
    let mut executable = prepared(graph)?;
    let value = |name: Option<&str>| {
        values.iter().find(|(given, _)| Some(*given) == name).map(|(_, value)| (*value).clone()).unwrap()
    };
    for (index, node) in graph.params().enumerate() {
        executable.set_param(index, Param::new(Arc::new(value(node.name()))));
    }
    let inputs: Vec<Literal> = graph.inputs().map(|node| value(node.name())).collect();
    let inputs: Vec<&[u8]> = inputs.iter().map(Literal::bytes).collect();
    let failed = |e: BackendError| TargetError::Failed(e.to_string());
    executable.run_on_host(&inputs).map_err(failed)?;
    let output = |(index, shape): (usize, &Shape)| {
        let bytes = executable.output(index).map_err(failed)?;
        Literal::from_bytes(shape, bytes).map_err(|e| TargetError::Failed(e.to_string()))
    };
    graph.output_shapes().iter().enumerate().map(output).collect()
}

fn worker(executable: &dyn Executable) -> &HostWorker {
    let own = executable.as_any().downcast_ref::<Instance<HostEngine>>().and_then(Instance::worker);
    own.expect("a program on bytes, bound to sizes")
}

/// Returns where the segments of a graph run; empty if it is a single package.
fn places(graph: &Graph) -> Vec<Side> {
    let executable = prepared(graph).unwrap();
    worker(&*executable).program::<HybridProgram>().map(HybridProgram::places).unwrap_or_default()
}

struct Hybrid {
    on_host: Cell<usize>,
}

impl Target for Hybrid {
    fn name(&self) -> &str {
        "ane"
    }

    fn run(&self, graph: &Graph, inputs: &[(&str, &Literal)]) -> Result<Vec<Literal>, TargetError> {
        let executable = prepared(graph)?;
        let alone = worker(&*executable).program::<CoremlProgram>().is_some();
        self.on_host.set(self.on_host.get() + usize::from(!alone));
        run(graph, inputs)
    }
}

/// Returns the share of cases to run: one in this many, or all with `RLX_HYBRID_SHARE=1`.
fn share() -> usize {
    std::env::var("RLX_HYBRID_SHARE").ok().and_then(|share| share.parse().ok()).unwrap_or(24)
}

#[test]
fn every_op_runs_on_the_device_or_on_its_host() {
    let target = Hybrid { on_host: Cell::new(0) };
    let (mut passed, mut problems) = (0, Vec::new());
    let all = cases::all();
    for case in all.iter().step_by(share()) {
        match judge(&target, case, 0) {
            Outcome::Passed => passed += 1,
            Outcome::Failed(problem) | Outcome::Skipped(problem) => {
                problems.push(format!("{}: {problem}", case.name));
            }
            Outcome::Allowed(_) | Outcome::NotApplicable(_) => {}
        }
    }
    assert!(problems.is_empty(), "{} problem(s):\n{}", problems.len(), problems.join("\n"));
    let on_host = target.on_host.get();
    assert!(on_host > passed / 10 && on_host < passed, "{on_host} of {passed} on the host");
}

/// Adds one to every element, and counts how often its kernel ran.
struct Successor;

static RUNS: AtomicUsize = AtomicUsize::new(0);

impl CustomOp for Successor {
    fn infer(&self, _: &str, operands: &[Shape]) -> Result<Vec<Shape>, OpError> {
        Ok(operands.to_vec())
    }
    fn eval(&self, _: &str, operands: &[Literal]) -> Result<Vec<Literal>, OpError> {
        let values: Vec<f32> = operands[0].as_slice::<f32>().unwrap().iter().map(|x| x + 1.0).collect();
        Ok(vec![Literal::from_bytes(operands[0].shape(), bytemuck::cast_slice(&values)).unwrap()])
    }
}

impl CpuKernel for Successor {
    fn prepare(
        &self,
        _: &str,
        _: &[Shape],
        _: &[Shape],
        _: usize,
    ) -> Result<Box<dyn PreparedKernel>, BackendError> {
        Ok(Box::new(Successor))
    }
}

impl PreparedKernel for Successor {
    fn run(&self, mut context: KernelContext<'_>) -> Result<(), String> {
        RUNS.fetch_add(1, Ordering::Relaxed);
        let x = context.operands.elements::<f32>(0)?;
        context.results.elements::<f32>(0)?.iter_mut().zip(x).for_each(|(y, x)| *y = x + 1.0);
        Ok(())
    }
}

impl CoremlKernel for Successor {
    fn name(&self) -> &str {
        "successor"
    }
}

#[test]
fn a_custom_op_runs_on_the_host_between_two_packages() {
    register_custom("successor", Arc::new(Successor)).unwrap();
    register_coreml_kernel(Arc::new(Successor)).unwrap();
    assert!(register_coreml_kernel(Arc::new(Successor)).is_err());
    let shape = Shape::new(&[32, 4096], DType::F32);
    let b = Builder::new("layers");
    let x = b.input("x", shape.clone());
    // Large enough to be worth a run on the device; a copy costs one value per element, so the test is fast.
    let w = b.param("w", Shape::new(&[4096], DType::F32));
    let heavy = |x: &rlx_ir::Tensor| (0..160).fold(x.clone(), |x, _| (&x * 0.5).tanh());
    let results = vec![shape.clone()];
    let successor = Op::Custom { name: "successor".into(), config: String::new(), results };
    let mid = (&heavy(&x) * &w).apply(successor, &[]);
    let graph = b.finish(&[&(&heavy(&mid) * &w), &mid]).unwrap();
    assert_eq!(places(&graph), [Side::Device, Side::Host, Side::Device]);
    let values = |count: usize, step: f32| (0..count).map(|i| (i as f32 * step).sin()).collect::<Vec<f32>>();
    let x = Literal::new(&[32, 4096], &values(32 * 4096, 0.3)).unwrap();
    let w = Literal::new(&[4096], &values(4096, 0.7)).unwrap();
    let given = [("x", &x), ("w", &w)];
    let (got, want) = (run(&graph, &given).unwrap(), eval(&graph, &given).unwrap());
    assert_eq!(RUNS.load(Ordering::Relaxed), 1);
    for (got, want) in got.iter().zip(&want) {
        let pairs = got.as_slice::<f32>().unwrap().iter().zip(want.as_slice::<f32>().unwrap());
        assert!(pairs.clone().all(|(a, b)| (a - b).abs() <= 1e-6));
    }
    let backend = backend();
    let lowered = lower(&graph, &[], &backend, &CompileOptions::new()).unwrap();
    let report = lowered.report().unwrap();
    assert_eq!(report.count(Decision::Host), 1);
    let text = format_dispatch_report(report);
    assert!(text.contains("on the host: `custom` ×1: "), "{text}");
    let text = prepared(&graph).unwrap().describe();
    let bytes = 32 * 4096 * 4;
    let line = format!("2: on the host: 1 nodes, {bytes} bytes in, {bytes} bytes out\n   `custom` ×1: ");
    assert!(text.starts_with("3 segments\n1: on the device: ") && text.contains(&line), "{text}");
}

#[test]
fn factorizations_and_wide_numbers_are_the_hosts() {
    let b = Builder::new("solve");
    let a = b.input("a", Shape::new(&[3, 3], DType::F32));
    let spd = &a.matmul(&a.transpose(&[1, 0])) + 4.0;
    let factor = spd.apply(Op::Cholesky { lower: true }, &[]);
    let wide = &factor.convert(DType::F64) * 2.0;
    let graph = b.finish(&[&wide.convert(DType::F32).tanh(), &a, &factor]).unwrap();
    let a = Literal::new(&[3, 3], &[1.0f32, 0.5, -0.25, 2.0, 1.5, 0.125, -1.0, 0.75, 3.0]).unwrap();
    let (got, want) = (run(&graph, &[("a", &a)]).unwrap(), eval(&graph, &[("a", &a)]).unwrap());
    for (got, want) in got.iter().zip(&want) {
        let pairs = got.as_slice::<f32>().unwrap().iter().zip(want.as_slice::<f32>().unwrap());
        assert!(pairs.clone().all(|(a, b)| (a - b).abs() <= 1e-5), "{got:?} {want:?}");
    }
    let text = prepared(&graph).unwrap().describe();
    let reasons = ["`cholesky` ×1: the device can only run it as a loop of many small operations", "f64"];
    assert!(reasons.iter().all(|reason| text.contains(reason)), "{text}");
}

#[test]
fn sizes_may_be_symbols_until_a_run() {
    let b = Builder::new("open");
    let n = Dim::dynamic("n");
    let x = b.input("x", Shape::from_dims(&[n, 4.into()], DType::F32));
    let graph = b.finish(&[&(&x.softmax(1) + &x).tanh()]).unwrap();
    let backend = backend();
    let lowered = lower(&graph, &[], &backend, &CompileOptions::new()).unwrap();
    assert_eq!(lowered.report().unwrap().count(Decision::Host), 0);
    assert!(lowered.needs_static_sizes(backend.claims()));
    for size in [1usize, 5] {
        let bound = graph.bind(&[(Symbol::new("n"), size)].into());
        let x: Vec<f32> = (0..size * 4).map(|i| i as f32 * 0.25 - 1.0).collect();
        let x = Literal::new(&[size, 4], &x).unwrap();
        let (got, want) = (run(&bound, &[("x", &x)]).unwrap(), eval(&bound, &[("x", &x)]).unwrap());
        let pairs = got[0].as_slice::<f32>().unwrap().iter().zip(want[0].as_slice::<f32>().unwrap());
        assert!(pairs.clone().all(|(a, b)| (a - b).abs() <= 1e-6));
    }
}
