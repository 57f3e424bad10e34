//! The caller's code panics inside a run: the state that the run was updating is lost, as after an error, and nothing else is.

#![cfg(feature = "cpu")]

use rlx_compile::BackendError;
use rlx_cpu::custom::{CpuKernel, KernelContext, PreparedKernel, register_cpu_kernel};
use rlx_ir::{Builder, CustomOp, DType, Dim, Graph, Literal, Op, OpError, Shape, register_custom};
use rlx_session::{Buffer, CompileOptions, CompiledGraph, Device, HostQueue, RuntimeError, Session};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, Once};

/// What the ops below do next.
static NEXT: AtomicU32 = AtomicU32::new(CALM);
const CALM: u32 = 0;
const PANIC: u32 = 1;
const FAIL: u32 = 2;
/// Panics when it is prepared for sizes.
const PANIC_EARLY: u32 = 3;
/// Panics with a value whose destructor panics.
const BOMB: u32 = 4;

/// Tests that set what happens next take turns.
static TURN: Mutex<()> = Mutex::new(());

struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        std::panic::resume_unwind(Box::new("of a destructor"));
    }
}

/// An op that returns its operand, unless it is told to panic.
struct Moody;

fn act() -> Result<(), String> {
    match NEXT.load(Ordering::SeqCst) {
        PANIC => std::panic::resume_unwind(Box::new("in a kernel")),
        BOMB => std::panic::resume_unwind(Box::new(Bomb)),
        FAIL => Err("not today".into()),
        _ => Ok(()),
    }
}

impl CustomOp for Moody {
    fn infer(&self, _: &str, operands: &[Shape]) -> Result<Vec<Shape>, OpError> {
        Ok(operands.to_vec())
    }

    fn eval(&self, _: &str, operands: &[Literal]) -> Result<Vec<Literal>, OpError> {
        act().map_err(OpError::Eval)?;
        Ok(operands.to_vec())
    }
}

impl CpuKernel for Moody {
    fn prepare(
        &self,
        _: &str,
        _: &[Shape],
        _: &[Shape],
        _: usize,
    ) -> Result<Box<dyn PreparedKernel>, BackendError> {
        if NEXT.load(Ordering::SeqCst) == PANIC_EARLY {
            std::panic::resume_unwind(Box::new("in prepare"));
        }
        Ok(Box::new(Moody))
    }
}

impl PreparedKernel for Moody {
    fn run(&self, mut cx: KernelContext<'_>) -> Result<(), String> {
        let bytes = cx.operands.bytes(0);
        // All threads of the program, so that several may panic at once.
        cx.threads.for_each(8, |_| {
            if NEXT.load(Ordering::SeqCst) != FAIL {
                act().unwrap_or_default();
            }
        });
        act()?;
        cx.results.bytes(0).copy_from_slice(bytes);
        Ok(())
    }
}

fn moody(name: &str, shape: Shape) -> Op {
    static REGISTERED: Once = Once::new();
    REGISTERED.call_once(|| {
        register_custom("moody_op", Arc::new(Moody)).unwrap();
        register_custom("moody_kernel", Arc::new(Moody)).unwrap();
        register_cpu_kernel("moody_kernel", Arc::new(Moody)).unwrap();
    });
    Op::Custom { name: name.into(), config: String::new(), results: vec![shape] }
}

/// Returns a graph of `state` (donated as `out0`) plus x, and a custom op of that: the state is updated before the op runs. `fed` is not
/// donated.
fn graph(op: &str) -> Graph {
    let b = Builder::new("sums");
    let shape = Shape::from_dims(&[Dim::dynamic("n")], DType::F32);
    let (x, sum) = (b.input("x", shape.clone()), b.input("sum", shape.clone()));
    let (next, fed) = (&sum + &x, b.input("fed", shape.clone()));
    let through = next.apply(moody(op, shape), &[]);
    b.finish(&[&next, &through, &(&fed + &through)]).unwrap()
}

fn program(op: &str, donate: bool) -> CompiledGraph {
    let options = if donate { CompileOptions::new().state("sum", 0) } else { CompileOptions::new() };
    let session = Session::new(Device::Cpu).with_options(options);
    let mut compiled =
        session.with_queue(Arc::new(HostQueue::new(Device::Cpu))).try_compile(graph(op)).unwrap();
    compiled.set_handle("sum", &[1.0; 3]).unwrap();
    compiled.set_handle("fed", &[10.0; 3]).unwrap();
    compiled
}

type Run = fn(&mut CompiledGraph) -> Result<(), RuntimeError>;

const X: [f32; 3] = [1.0, 2.0, 3.0];

/// All ways to run a program.
const RUNS: &[(&str, Run)] = &[
    ("try_run", |c| c.try_run(&[("x", &X)]).map(drop)),
    ("run_typed", |c| c.run_typed(&[("x", bytemuck::cast_slice(&X), DType::F32)]).map(drop)),
    ("run_kept", |c| c.run_kept(&[("x", bytemuck::cast_slice(&X), DType::F32)])),
    ("run_literals", |c| {
        let x = Literal::new(&[3], &X).unwrap();
        c.run_literals(&[("x", &x)]).map(drop)
    }),
    ("run_buffers", |c| {
        let x = Buffer::from_bytes(bytemuck::cast_slice(&X))?;
        c.run_buffers(&[("x", &x)]).map(drop)
    }),
    ("run_in_place", |c| c.run_in_place(&[&X, &[], &[]])),
    ("run_slots", |c| {
        c.run_slots(&[&X, &[], &[]]).map(drop).or_else(|e| match e {
            // The output that updates the state is elsewhere.
            RuntimeError::Backend(BackendError::Argument(_)) => Ok(()),
            e => Err(e),
        })
    }),
    ("run_into", |c| {
        let mut places = [[0u8; 12]; 3];
        let [a, b, d] = &mut places;
        c.run_into(&[bytemuck::cast_slice(&X), &[], &[]], &mut [&mut a[..], &mut b[..], &mut d[..]])
    }),
    ("commit_no_wait", |c| {
        c.commit_no_wait(&[("x", &X)])?;
        c.sync_pending().map(drop)
    }),
];

fn floats(program: &CompiledGraph, name: &str) -> Result<Vec<f32>, RuntimeError> {
    program.handle(name).map(|bytes| bytemuck::cast_slice(&bytes).to_vec())
}

fn is_lost<T: std::fmt::Debug>(result: Result<T, RuntimeError>, what: &str) {
    assert!(matches!(&result, Err(RuntimeError::StateLost(name)) if name == "sum"), "{what}: {result:?}");
}

/// Checks a run that ends with an error or a panic, and the state afterwards.
fn check(op: &str, way: &str, run: Run, next: u32, warm: bool) {
    let what = format!("{op}, {way}, {next}, warm: {warm}");
    let mut program = program(op, true);
    let (mut sum, mut fed) = ([1.0; 3], [10.0; 3]);
    let mut advance = |times: usize| {
        for _ in 0..times {
            sum.iter_mut().zip(X).for_each(|(sum, x)| *sum += x);
        }
        sum.to_vec()
    };
    if warm {
        run(&mut program).unwrap();
        advance(1);
        program.set_handle("fed", &fed).unwrap();
    }
    NEXT.store(next, Ordering::SeqCst);
    let ended = catch_unwind(AssertUnwindSafe(|| run(&mut program)));
    NEXT.store(CALM, Ordering::SeqCst);
    match ended {
        Ok(result) => assert!(result.is_err(), "{what}"),
        Err(payload) => {
            assert_ne!(next, FAIL, "{what}");
            assert_ne!(way, "commit_no_wait", "{what}");
            std::mem::forget(payload);
        }
    }
    is_lost(floats(&program, "sum"), &what);
    is_lost(program.state(), &what);
    assert!(program.has_lost_state());
    assert_eq!(floats(&program, "fed").unwrap(), fed, "{what}: state that is not aliased is unchanged");
    for (other, run) in RUNS {
        is_lost(run(&mut program), &format!("{what}, then {other}"));
    }
    is_lost(floats(&program.clone(), "sum"), &what);
    // Once the state is set, the program runs again, with correct results.
    program.set_handle("sum", &advance(0)).unwrap();
    run(&mut program).unwrap_or_else(|e| panic!("{what}: {e}"));
    let expected = advance(1);
    assert_eq!(floats(&program, "sum").unwrap(), expected, "{what}");
    fed = [10.0; 3];
    assert_eq!(floats(&program, "fed").unwrap(), fed, "{what}");
    assert_eq!(program.try_run(&[("x", &[0.0; 3])]).unwrap()[1], expected, "{what}");
}

#[test]
fn a_run_that_panics_loses_its_state() {
    let _turn = TURN.lock().unwrap();
    for op in ["moody_op", "moody_kernel"] {
        for (way, run) in RUNS {
            for next in [PANIC, FAIL, BOMB] {
                for warm in [false, true] {
                    check(op, way, *run, next, warm);
                }
            }
        }
    }
}

/// Without donation, no state is updated before a run has succeeded.
#[test]
fn a_run_that_panics_keeps_state_that_is_not_updated_in_place() {
    let _turn = TURN.lock().unwrap();
    for (way, run) in RUNS {
        let mut program = program("moody_kernel", false);
        NEXT.store(PANIC, Ordering::SeqCst);
        let ended = catch_unwind(AssertUnwindSafe(|| run(&mut program)));
        NEXT.store(CALM, Ordering::SeqCst);
        assert!(!matches!(ended, Ok(Ok(()))), "{way}");
        assert_eq!(floats(&program, "sum").unwrap(), [1.0; 3], "{way}");
        run(&mut program).unwrap_or_else(|e| panic!("{way}: {e}"));
    }
}

/// A panic before the run, while the program is prepared for sizes, changes neither the state nor the bound sizes.
#[test]
fn a_panic_as_sizes_are_bound_changes_nothing() {
    let _turn = TURN.lock().unwrap();
    let mut program = program("moody_kernel", true);
    program.try_run(&[("x", &X)]).unwrap();
    let before = floats(&program, "sum").unwrap();
    let four = [1.0f32; 4];
    let literal = Literal::new(&[4], &four).unwrap();
    let runs: [&dyn Fn(&mut CompiledGraph) -> Result<(), RuntimeError>; 3] = [
        &|c| c.try_run(&[("x", &four), ("sum", &four), ("fed", &four)]).map(drop),
        &|c| c.run_literals(&[("x", &literal), ("sum", &literal), ("fed", &literal)]).map(drop),
        &|c| c.bind_dims(&[("n", 4)]),
    ];
    for run in runs {
        NEXT.store(PANIC_EARLY, Ordering::SeqCst);
        let ended = catch_unwind(AssertUnwindSafe(|| run(&mut program)));
        NEXT.store(CALM, Ordering::SeqCst);
        assert_eq!(ended.unwrap_err().downcast_ref::<&str>(), Some(&"in prepare"));
        assert_eq!(floats(&program, "sum").unwrap(), before);
        assert_eq!(program.output_bytes(1), bytemuck::cast_slice::<f32, u8>(&before));
    }
    // The sizes of the previous run are still bound.
    program.try_run(&[("x", &[0.0; 3])]).unwrap();
    assert_eq!(floats(&program, "sum").unwrap(), before);
}

/// The error contains the message of a panic in the background.
#[test]
fn a_background_run_says_how_it_panicked() {
    let _turn = TURN.lock().unwrap();
    let mut program = program("moody_op", true);
    program.commit_no_wait(&[("x", &X)]).unwrap();
    program.sync_pending().unwrap();
    NEXT.store(PANIC, Ordering::SeqCst);
    program.commit_no_wait(&[("x", &X)]).unwrap();
    let error = program.sync_pending().unwrap_err();
    NEXT.store(CALM, Ordering::SeqCst);
    assert_eq!(error, RuntimeError::Panicked(": in a kernel".into()));
    let text = error.to_string();
    assert_eq!(text, "the background run panicked: in a kernel; the state that it was updating is lost");
}
