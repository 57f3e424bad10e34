//! Training on the device `mlx` gives the numbers of the CPU for twenty steps.

use rlx_exec::{Availability, Backend};
use rlx_ir::{Builder, DType, Graph, Shape};
use rlx_mlx::MlxBackend;
use rlx_session::{Device, register_backend};
use rlx_train::{CoremlTrainingSession, Optimizer, TrainConfig, UpdatePath};
use std::collections::HashMap;
use std::io::Write;
use std::sync::Arc;

/// Returns the mean of (tanh(x·W)·V − target)².
fn graph() -> Graph {
    let b = Builder::new("fit");
    let x = b.input("x", Shape::new(&[8, 3], DType::F32));
    let target = b.input("target", Shape::new(&[8, 2], DType::F32));
    let hidden = x.matmul(&b.param("W", Shape::new(&[3, 16], DType::F32))).tanh();
    let error = hidden.matmul(&b.param("V", Shape::new(&[16, 2], DType::F32))) - &target;
    b.finish(&[&(&error * &error).mean(&[0, 1], false)]).unwrap()
}

fn numbers(count: usize, step: f32) -> Vec<f32> {
    (0..count).map(|i| (i as f32 * step).sin()).collect()
}

/// Returns the losses of twenty steps, and the parameters after them.
fn trained(device: Device, optimizer: Optimizer, fused: bool) -> (Vec<f32>, Vec<f32>) {
    let init = HashMap::from([("W".to_string(), numbers(48, 0.7)), ("V".to_string(), numbers(32, 0.3))]);
    let config = TrainConfig { lr: 0.02, optimizer };
    let mut session = CoremlTrainingSession::new_on(graph(), &["W", "V"], init, config, device);
    if fused {
        session = session.with_fused_optimizer();
    }
    let (x, target) = (numbers(24, 0.37), numbers(16, 0.91));
    let step = |session: &mut CoremlTrainingSession| {
        let report = session.step(&[("x", &x), ("target", &target)]);
        assert_eq!(report.path, UpdatePath::Gradient);
        report.loss
    };
    let losses = (0..20).map(|_| step(&mut session)).collect();
    (losses, [session.param("W").unwrap(), session.param("V").unwrap()].concat())
}

#[test]
fn twenty_steps_on_mlx_are_those_of_the_cpu() {
    let backend = MlxBackend::new();
    if let Availability::Missing(reason) = backend.availability() {
        writeln!(std::io::stderr(), "skipped: twenty_steps_on_mlx_are_those_of_the_cpu: {reason}").unwrap();
        return;
    }
    register_backend(Arc::new(backend));
    let near = |a: &[f32], b: &[f32]| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-5 * (1.0 + b.abs()));
    for optimizer in
        [Optimizer::sgd(), Optimizer::Sgd { momentum: 0.9 }, Optimizer::adamw(), Optimizer::lion()]
    {
        for fused in [false, true] {
            let (losses, parameters) = trained(Device::Mlx, optimizer, fused);
            let (wanted, v) = trained(Device::Cpu, optimizer, fused);
            assert!(losses[19] < losses[0], "{optimizer:?}: {losses:?}");
            assert!(near(&losses, &wanted), "{optimizer:?}, fused {fused}: {losses:?}, not {wanted:?}");
            assert!(near(&parameters, &v), "{optimizer:?}, fused {fused}");
        }
    }
}
