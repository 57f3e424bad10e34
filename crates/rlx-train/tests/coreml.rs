//! Training on the device `ane`, with the interpreter of programs in place of CoreML, gives the numbers of the CPU.

use rlx_coreml::{AneBackend, InterpretedEngine};
use rlx_ir::{Builder, DType, Graph, Shape};
use rlx_session::{Device, register_backend};
use rlx_train::{CoremlTrainingSession, MlUpdateEligibility, Optimizer, TrainConfig, UpdatePath};
use std::collections::HashMap;
use std::sync::Arc;

/// Returns the mean of (tanh(x·W) − target)².
fn graph() -> Graph {
    let b = Builder::new("fit");
    let x = b.input("x", Shape::new(&[4, 3], DType::F32));
    let target = b.input("target", Shape::new(&[4, 2], DType::F32));
    let error = x.matmul(&b.param("W", Shape::new(&[3, 2], DType::F32))).tanh() - &target;
    b.finish(&[&(&error * &error).mean(&[0, 1], false)]).unwrap()
}

fn numbers(count: usize, step: f32) -> Vec<f32> {
    (0..count).map(|i| (i as f32 * step).sin()).collect()
}

/// Returns the losses of some steps, and the parameters after them.
fn trained(device: Device, optimizer: Optimizer, fused: bool) -> (Vec<f32>, Vec<f32>) {
    let init = HashMap::from([("W".to_string(), numbers(6, 0.7))]);
    let config = TrainConfig { lr: 0.05, optimizer };
    let mut session = CoremlTrainingSession::new_on(graph(), &["W"], init, config, device);
    if fused {
        session = session.with_fused_optimizer();
    }
    assert_eq!(session.fused_active(), fused);
    let (x, target) = (numbers(12, 0.37), numbers(8, 0.91));
    let mut losses: Vec<f32> = (0..6)
        .map(|_| {
            let report = session.step(&[("x", &x), ("target", &target)]);
            assert_eq!(report.path, UpdatePath::Gradient);
            report.loss
        })
        .collect();
    for _ in 0..3 {
        session.accumulate(&[("x", &x), ("target", &target)]);
    }
    assert_eq!(session.pending_accumulation(), 3);
    assert_eq!(session.step_accumulated(), 3);
    losses.push(session.step(&[("x", &x), ("target", &target)]).loss);
    (losses, session.param("W").unwrap().to_vec())
}

#[test]
fn steps_on_the_neural_engine_are_those_of_the_cpu() {
    register_backend(Arc::new(AneBackend::with_engine(Arc::new(InterpretedEngine::default()))));
    let near = |a: &[f32], b: &[f32]| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 2e-6 * (1.0 + b.abs()));
    for optimizer in
        [Optimizer::sgd(), Optimizer::Sgd { momentum: 0.9 }, Optimizer::adamw(), Optimizer::lion()]
    {
        for fused in [false, true] {
            let (losses, w) = trained(Device::Ane, optimizer, fused);
            let (wanted, v) = trained(Device::Cpu, optimizer, fused);
            assert!(near(&losses, &wanted), "{optimizer:?}, fused {fused}: {losses:?}, not {wanted:?}");
            assert!(near(&w, &v), "{optimizer:?}, fused {fused}: {w:?}, not {v:?}");
            assert!(losses[6] < losses[0]);
        }
    }
    // On the default device of such sessions.
    let init = HashMap::from([("W".to_string(), numbers(6, 0.7))]);
    let config = TrainConfig { lr: 0.05, optimizer: Optimizer::sgd() };
    let session = CoremlTrainingSession::new(graph(), &["W"], init, config);
    assert_eq!((session.device(), session.update_path()), (Device::Ane, UpdatePath::Gradient));
    let MlUpdateEligibility::Unsupported { reason, .. } = session.mlupdatetask_eligibility() else {
        panic!("ML Programs are not updated by CoreML");
    };
    assert!(reason.contains("ML programs"), "{reason}");
}
