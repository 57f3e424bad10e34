//! The forms of training sessions as programs use them: every call in `api.md`'s table, with its results.

use crate::f32s;
use rlx::prelude::*;
use rlx_runtime::{MlUpdateEligibility, UpdatePath};
use std::collections::HashMap;

fn graph() -> Graph {
    let mut g = Graph::new("line");
    let x = g.input("x", f32s(&[4, 3]));
    let target = g.input("target", f32s(&[4, 2]));
    let w = g.param("W", f32s(&[3, 2]));
    let fixed = g.param("scale", f32s(&[]));
    let y = g.matmul(x, w, f32s(&[4, 2]));
    let y = g.binary(BinaryOp::Mul, y, fixed, f32s(&[4, 2]));
    let error = g.binary(BinaryOp::Sub, y, target, f32s(&[4, 2]));
    let square = g.binary(BinaryOp::Mul, error, error, f32s(&[4, 2]));
    let loss = g.reduce(square, ReduceOp::Mean, vec![0, 1], false, f32s(&[]));
    g.set_outputs(vec![loss]);
    g
}

fn init() -> HashMap<String, Vec<f32>> {
    let mut init: HashMap<String, Vec<f32>> = HashMap::new();
    init.insert("W".to_string(), vec![0.1, -0.2, 0.3, 0.4, -0.5, 0.6]);
    init.insert("scale".to_string(), vec![2.0]);
    init
}

fn session(optimizer: Optimizer) -> CoremlTrainingSession {
    CoremlTrainingSession::new_on(graph(), &["W"], init(), TrainConfig { lr: 0.05, optimizer }, Device::Cpu)
}

fn data() -> (Vec<f32>, Vec<f32>) {
    ((0..12).map(|i| (i as f32 * 0.7).sin()).collect(), (0..8).map(|i| (i as f32 * 0.9).cos()).collect())
}

#[test]
fn parameters_are_references_that_are_zipped_and_printed() {
    let (x, target) = data();
    let mut fused = session(Optimizer::adam()).with_fused_optimizer();
    let mut host = session(Optimizer::adam());
    for _ in 0..5 {
        let a = fused.step(&[("x", &x), ("target", &target)]);
        let b = host.step(&[("x", &x), ("target", &target)]);
        assert!((a.loss - b.loss).abs() < 1e-5);
    }
    let wa = fused.param("W").expect("W is trained");
    let wb = host.param("W").expect("W is trained");
    assert_eq!(wa.len(), wb.len());
    for (a, b) in wa.iter().zip(wb) {
        assert!((a - b).abs() < 1e-4, "{wa:?} vs {wb:?}");
    }
    // A reference is `Copy`: it can be used twice, passed on, compared and copied.
    let again = wa;
    let sum: f32 = again.iter().sum();
    assert!((wa.iter().sum::<f32>() - sum).abs() < f32::EPSILON);
    let kept: Vec<f32> = wa.to_vec();
    let both: Option<(&[f32], &[f32])> = fused.param("W").zip(fused.param("scale"));
    assert_eq!(both, Some((&kept[..], &[2.0][..])));
    assert!(fused.param("W").is_some_and(|w| w.iter().all(|v| v.is_finite())));
    if let Some(&[first, ..]) = fused.param("W") {
        assert_eq!(first, kept[0]);
    }
    assert_eq!(fused.param("missing"), None);
    // Copied values stay; values requested after another step are new.
    fused.step(&[("x", &x), ("target", &target)]);
    assert_ne!(fused.param("W").unwrap(), kept);
    assert_eq!(fused.param("scale"), Some(&[2.0f32][..]));
}

#[test]
fn values_are_asked_for_wherever_they_are() {
    let (x, target) = data();
    let inputs: [(&str, &[f32]); 2] = [("x", &x), ("target", &target)];
    let mut session = session(Optimizer::Sgd { momentum: 0.9 });
    let start = session.param("W").expect("before the first step").to_vec();
    assert_eq!(start, init()["W"]);
    session.accumulate(&inputs);
    assert_eq!(session.param("W").expect("accumulating changes nothing"), start);
    assert_eq!(session.step_accumulated(), 1);
    let first = session.param("W").expect("after an update").to_vec();
    assert_ne!(first, start);
    // Values persist when the session changes programs.
    let mut session = session.with_fused_optimizer();
    assert_eq!(session.param("W").expect("after the programs changed"), first);
    session.step(&inputs);
    let second = session.param("W").expect("after a fused step").to_vec();
    session.eval(&inputs);
    assert_eq!(session.param("W").expect("an evaluation changes nothing"), second);
    assert_ne!(second, first);
}

#[test]
fn narrow_parameters_are_asked_for_as_f32() {
    let b = Builder::new("narrow");
    let w = b.param("W", Shape::new(&[2], DType::BF16));
    let x = b.input("x", f32s(&[2]));
    let loss = (w.convert(DType::F32) * &x).reduce(ReduceOp::Sum, &[0], false);
    let graph = b.finish(&[&loss]).unwrap();
    let config = TrainConfig { lr: 1.0, optimizer: Optimizer::sgd() };
    let init = HashMap::from([("W".to_string(), vec![1.0, -2.0])]);
    let mut session = CoremlTrainingSession::new_on(graph, &["W"], init, config, Device::Cpu);
    let before = session.param("W").expect("there");
    assert_eq!((before, session.param("W")), (&[1.0f32, -2.0][..], Some(&[1.0f32, -2.0][..])));
    session.step(&[("x", &[0.5, 0.25])]);
    assert_eq!(session.param("W"), Some(&[0.5f32, -2.25][..]));
}

#[test]
fn every_other_form_is_as_programs_write_it() {
    let config: TrainConfig = TrainConfig::default();
    let copied = config;
    assert_eq!(config.lr, copied.lr);
    let (x, target) = data();
    for optimizer in [
        Optimizer::sgd(),
        Optimizer::adam(),
        Optimizer::adamw(),
        Optimizer::lion(),
        Optimizer::muon(),
        Optimizer::sophia(),
        Optimizer::Sgd { momentum: 0.5 },
    ] {
        let mut session =
            session(optimizer).with_fused_optimizer().with_precision_policy(PrecisionPolicy::AutoMixed);
        let fused: bool = session.fused_active();
        let report = session.step(&[("x", &x), ("target", &target)]);
        let loss: f32 = report.loss;
        assert!(fused && loss.is_finite() && report.path == UpdatePath::Gradient, "{optimizer:?}");
        session.accumulate(&[("x", &x), ("target", &target)]);
        session.accumulate(&[("x", &x), ("target", &target)]);
        let waiting: usize = session.pending_accumulation();
        let averaged: usize = session.step_accumulated();
        assert_eq!((waiting, averaged, session.pending_accumulation()), (2, 2, 0));
        assert_eq!(session.update_path(), UpdatePath::Gradient, "{:?}", session.update_path());
        match session.mlupdatetask_eligibility() {
            MlUpdateEligibility::Unsupported { reason, .. } => assert!(!reason.is_empty()),
            other => panic!("{other:?}"),
        }
    }
    let tried: std::result::Result<CoremlTrainingSession, _> =
        CoremlTrainingSession::try_new_on(graph(), &["V"], init(), TrainConfig::default(), Device::Cpu);
    assert!(tried.expect_err("no such parameter").to_string().contains("no parameter `V`"));
}

#[test]
fn sessions_may_be_moved_to_other_threads_and_asked_from_several() {
    let (x, target) = data();
    let mut session = std::thread::spawn(move || {
        let mut session = session(Optimizer::adam());
        session.step(&[("x", &x), ("target", &target)]);
        session
    })
    .join()
    .expect("a session is Send");
    let values = session.param("W").expect("there").to_vec();
    assert_eq!(values.len(), 6);
    session.discard_accumulated();
}
