//! Steps that panic in the caller's code: the session keeps everything that the step had not begun to change, and reports what is lost.

use rlx_ir::{Builder, CustomOp, DType, Graph, Literal, Op, OpError, Shape, register_custom};
use rlx_train::{Optimizer, TrainConfig, TrainingSession};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

static PANICS: AtomicBool = AtomicBool::new(false);
static TURN: Mutex<()> = Mutex::new(());

/// An op that returns its operand, unless it is told to panic.
struct Moody;

impl CustomOp for Moody {
    fn infer(&self, _: &str, operands: &[Shape]) -> Result<Vec<Shape>, OpError> {
        Ok(operands[..1].to_vec())
    }

    fn eval(&self, _: &str, operands: &[Literal]) -> Result<Vec<Literal>, OpError> {
        if PANICS.load(Ordering::SeqCst) {
            std::panic::resume_unwind(Box::new("in an op"));
        }
        Ok(operands[..1].to_vec())
    }

    /// Returns the cotangent.
    fn vjp(&self, _: &str, operands: &[Shape]) -> Option<Result<Graph, OpError>> {
        let b = Builder::new("vjp");
        let [_, _, cotangent] = ["x", "y", "ct"].map(|name| b.input(name, operands[0].clone()));
        Some(b.finish(&[&cotangent]).map_err(|e| OpError::Eval(e.to_string())))
    }
}

fn moody() -> Op {
    // Another call may have registered it already.
    let _ = register_custom("moody_in_training", Arc::new(Moody));
    let results = vec![Shape::new(&[2, 1], DType::F32)];
    Op::Custom { name: "moody_in_training".into(), config: String::new(), results }
}

/// Returns a session for the mean of (moody(x·W) − y)².
fn session(fused: bool) -> TrainingSession {
    let b = Builder::new("line");
    let (x, y) =
        (b.input("x", Shape::new(&[2, 1], DType::F32)), b.input("y", Shape::new(&[2, 1], DType::F32)));
    let w = b.param("W", Shape::new(&[1, 1], DType::F32));
    let graph = b.finish(&[&x.matmul(&w).apply(moody(), &[]).mse(&y)]).unwrap();
    let config = TrainConfig { lr: 0.1, optimizer: Optimizer::Sgd { momentum: 0.5 } };
    let session = TrainingSession::new(graph, &["W"], [("W".to_string(), vec![0.5])].into(), config);
    if fused { session.with_fused_optimizer() } else { session }
}

const BATCH: &[(&str, &[f32])] = &[("x", &[1.0, 2.0]), ("y", &[2.0, 4.0])];

/// Calls `f` while the op panics.
fn panicking<R>(f: impl FnOnce() -> R) {
    PANICS.store(true, Ordering::SeqCst);
    let ended = catch_unwind(AssertUnwindSafe(f));
    PANICS.store(false, Ordering::SeqCst);
    assert_eq!(ended.err().expect("it panics").downcast_ref::<&str>(), Some(&"in an op"));
}

#[test]
fn an_evaluation_that_panics_changes_nothing() {
    let _turn = TURN.lock().unwrap();
    for fused in [false, true] {
        let (mut calm, mut moody) = (session(fused), session(fused));
        for _ in 0..3 {
            panicking(|| moody.try_eval(BATCH));
            assert_eq!(moody.try_eval(BATCH).unwrap(), calm.try_eval(BATCH).unwrap());
            assert_eq!(moody.try_step(BATCH).unwrap(), calm.try_step(BATCH).unwrap());
            assert_eq!(moody.param("W"), calm.param("W"));
        }
    }
}

/// If a panic keeps gradients from being added, the accumulated ones are lost too, but parameters are not.
#[test]
fn gradients_that_panic_are_never_half_added() {
    let _turn = TURN.lock().unwrap();
    let (mut calm, mut moody) = (session(false), session(false));
    moody.try_accumulate(BATCH).unwrap();
    panicking(|| moody.try_accumulate(BATCH));
    assert_eq!(moody.pending_accumulation(), 1);
    let error = moody.try_accumulate(BATCH).unwrap_err();
    assert!(error.to_string().contains("lost"), "{error}");
    let error = moody.try_step_accumulated().unwrap_err();
    assert!(error.to_string().contains("lost"), "{error}");
    moody.discard_accumulated();
    for _ in 0..2 {
        for session in [&mut calm, &mut moody] {
            session.try_accumulate(BATCH).unwrap();
            session.try_accumulate(BATCH).unwrap();
        }
        assert_eq!(moody.try_step_accumulated().unwrap(), calm.try_step_accumulated().unwrap());
        assert_eq!(moody.param("W"), calm.param("W"));
    }
    // With nothing accumulated, nothing is lost.
    panicking(|| moody.try_accumulate(BATCH));
    panicking(|| moody.try_step(BATCH));
    assert_eq!(moody.param("W"), calm.param("W"));
    assert_eq!(moody.try_step(BATCH).unwrap(), calm.try_step(BATCH).unwrap());
    assert_eq!(moody.param("W"), calm.param("W"));
}

/// A whole step may have changed parameters before it panics, so they are lost until a snapshot is restored.
#[test]
fn a_whole_step_that_panics_loses_the_parameters() {
    let _turn = TURN.lock().unwrap();
    let (mut calm, mut moody) = (session(true), session(true));
    for session in [&mut calm, &mut moody] {
        session.try_step(BATCH).unwrap();
    }
    let snapshot = moody.snapshot();
    let saved: Vec<(String, Vec<u8>)> =
        moody.saved().unwrap().iter().map(|v| (v.name.to_string(), v.bytes.to_vec())).collect();
    panicking(|| moody.try_step(BATCH));
    assert!(moody.try_param("W").unwrap_err().to_string().contains("lost"));
    assert!(moody.try_step(BATCH).unwrap_err().to_string().contains("lost"));
    assert!(moody.saved().is_err());
    let find = |name: &str| saved.iter().find(|(n, _)| n == name).map(|(_, bytes)| &bytes[..]);
    moody.restore(snapshot, find).unwrap();
    assert_eq!(moody.try_step(BATCH).unwrap(), calm.try_step(BATCH).unwrap());
    assert_eq!(moody.param("W"), calm.param("W"));
}
