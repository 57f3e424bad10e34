//! CoreML without a session: what programs cannot express runs beside it, without the CPU backend.

use rlx_compile::{BackendError, CompileOptions, Param};
use rlx_coreml::{
    AneBackend, CoremlExecutable, CoremlKernel, CoremlOptions, InterpretedEngine, register_coreml_kernel,
};
use rlx_exec::custom::{HostKernel, KernelContext, PreparedKernel};
use rlx_exec::{Backend, lower};
use rlx_ir::{Builder, CustomOp, DType, Graph, Literal, Op, OpError, Shape, eval, register_custom};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Doubles every element, and counts how often its kernel ran.
struct Double;

static RUNS: AtomicUsize = AtomicUsize::new(0);

impl CustomOp for Double {
    fn infer(&self, _: &str, operands: &[Shape]) -> Result<Vec<Shape>, OpError> {
        Ok(operands.to_vec())
    }
    fn eval(&self, _: &str, operands: &[Literal]) -> Result<Vec<Literal>, OpError> {
        let values: Vec<f32> = operands[0].as_slice::<f32>().unwrap().iter().map(|x| x * 2.0).collect();
        Ok(vec![Literal::from_bytes(operands[0].shape(), bytemuck::cast_slice(&values)).unwrap()])
    }
}

impl HostKernel for Double {
    fn prepare(
        &self,
        _: &str,
        _: &[Shape],
        _: &[Shape],
        _: usize,
    ) -> Result<Box<dyn PreparedKernel>, BackendError> {
        Ok(Box::new(Double))
    }
}

impl PreparedKernel for Double {
    fn scratch_bytes(&self) -> usize {
        12
    }
    fn run(&self, mut context: KernelContext<'_>) -> Result<(), String> {
        RUNS.fetch_add(1, Ordering::Relaxed);
        let x = context.operands.elements::<f32>(0)?;
        let scratch: &mut [f32] = bytemuck::try_cast_slice_mut(context.scratch).map_err(|e| e.to_string())?;
        scratch.fill(2.0);
        let tasks = AtomicUsize::new(0);
        context.threads.for_each(3, |_| {
            tasks.fetch_add(1, Ordering::Relaxed);
        });
        assert_eq!((scratch.len(), tasks.into_inner(), context.packed.get::<u8>(0)), (3, 3, None));
        context.results.elements::<f32>(0)?.iter_mut().zip(x).for_each(|(y, x)| *y = x * scratch[0]);
        Ok(())
    }
}

impl CoremlKernel for Double {
    fn name(&self) -> &str {
        "direct_double"
    }
}

fn executable(graph: &Graph) -> CoremlExecutable {
    CoremlExecutable::with_engine(graph.clone(), Arc::new(InterpretedEngine::default()), CoremlOptions::new())
        .unwrap()
}

#[test]
fn a_custom_op_runs_with_its_kernel() {
    register_custom("direct_double", Arc::new(Double)).unwrap();
    register_coreml_kernel(Arc::new(Double)).unwrap();
    let shape = Shape::new(&[2, 3], DType::F32);
    let b = Builder::new("doubled");
    let (x, w) = (b.input("x", shape.clone()), b.param("w", shape.clone()));
    let double = Op::Custom { name: "direct_double".into(), config: String::new(), results: vec![shape] };
    let graph = b.finish(&[&(&x.tanh() + &w).apply(double, &[]).tanh()]).unwrap();
    let (x, w) = ([0.5f32, -1.0, 2.0, 0.0, 0.25, 1.0], [1.0f32, 0.5, 0.25, -1.0, -0.5, 0.0]);
    let mut program = executable(&graph);
    program.set_param("w", &w);
    let got = program.run(&[("x", &x)]).unwrap();
    let literal = |values: &[f32]| Literal::new(&[2, 3], values).unwrap();
    let want = eval(&graph, &[("x", &literal(&x)), ("w", &literal(&w))]).unwrap();
    let want = want[0].as_slice::<f32>().unwrap();
    assert!(got[0].iter().zip(want).all(|(a, b)| (a - b).abs() <= 1e-6), "{got:?} {want:?}");
    assert_eq!(RUNS.load(Ordering::Relaxed), 1);
}

#[test]
fn other_ops_run_in_the_evaluator() {
    let b = Builder::new("sorted");
    let x = b.input("x", Shape::new(&[2, 3], DType::F32));
    let wide = &x.convert(DType::F64).exp() * 2.0;
    let (low, high) = (wide.reduce(rlx_ir::ReduceOp::Min, &[1], false), wide.convert(DType::F32));
    let graph = b.finish(&[&high.tanh(), &low.convert(DType::F32)]).unwrap();
    let x = [0.5f32, -1.0, 2.0, 0.0, 0.25, 1.0];
    let got = executable(&graph).run(&[("x", &x)]).unwrap();
    let want = eval(&graph, &[("x", &Literal::new(&[2, 3], &x).unwrap())]).unwrap();
    for (got, want) in got.iter().zip(&want) {
        let want = want.as_slice::<f32>().unwrap();
        assert!(got.iter().zip(want).all(|(a, b)| (a - b).abs() <= 1e-6), "{got:?} {want:?}");
    }
    // CoreML by itself says what it does not have.
    let alone = AneBackend::with_engine(Arc::new(InterpretedEngine::default()));
    let error = lower(&graph, &[], &alone, &CompileOptions::new()).unwrap_err().to_string();
    assert!(error.contains("f64"), "{error}");
}

/// CoreML by itself refuses a run with integers that it does not have, and runs the next one.
#[test]
fn integers_that_are_too_wide_are_refused_by_coreml_alone() {
    let b = Builder::new("offsets");
    let (i, base) =
        (b.input("i", Shape::new(&[2], DType::I64)), b.param("base", Shape::new(&[2], DType::I64)));
    let graph = b.finish(&[&i.maximum(&base)]).unwrap();
    let alone = AneBackend::with_engine(Arc::new(InterpretedEngine::default()));
    let lowered = lower(&graph, &[], &alone, &CompileOptions::new()).unwrap();
    let mut executable = alone.prepare(lowered, &alone.queue(0).unwrap()).unwrap();
    let mut run = |base: [i64; 2], i: [i64; 2]| {
        executable.set_param(0, Param::new(Arc::new(Literal::new(&[2], &base).unwrap())));
        executable.run_on_host(&[bytemuck::cast_slice(&i)])?;
        Ok::<_, BackendError>(bytemuck::cast_slice::<u8, i64>(executable.output(0)?).to_vec())
    };
    for (base, i, name) in
        [([1 << 50, 0], [1, 2], "parameter `base`: element 0"), ([0, 0], [1, 1 << 40], "input 0: element 1")]
    {
        let error = run(base, i).unwrap_err();
        assert!(matches!(error, BackendError::Unrepresentable(_)) && error.is_refusal(), "{error}");
        assert!(error.to_string().starts_with(name), "{error}");
    }
    assert_eq!(run([4, 4], [5, 1]).unwrap(), [5, 4]);
}
