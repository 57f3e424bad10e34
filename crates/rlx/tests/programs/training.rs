//! Training: a linear model and a small convolutional network, on the CPU.

use crate::f32s;
use rlx_ir::op::{Activation, BinaryOp, ReduceOp};
use rlx_ir::{Graph, Op};
use rlx_runtime::{
    CoremlTrainingSession, Device, MlUpdateEligibility, Optimizer, PrecisionPolicy, TrainConfig, UpdatePath,
};
use std::collections::HashMap;

const BATCH: usize = 8;
const SIDE: usize = 6;
const CLASSES: usize = 3;

/// Numbers between -1 and 1.
fn numbers(count: usize, mut seed: u32) -> Vec<f32> {
    let mut next = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 8) as f32 / (1 << 23) as f32 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

/// Mean of (x W − target)².
fn linear() -> Graph {
    let mut g = Graph::new("linear");
    let x = g.input("x", f32s(&[BATCH, 3]));
    let target = g.input("target", f32s(&[BATCH, 2]));
    let w = g.param("W", f32s(&[3, 2]));
    let y = g.matmul(x, w, f32s(&[BATCH, 2]));
    let error = g.binary(BinaryOp::Sub, y, target, f32s(&[BATCH, 2]));
    let square = g.binary(BinaryOp::Mul, error, error, f32s(&[BATCH, 2]));
    let loss = g.reduce(square, ReduceOp::Mean, vec![0, 1], false, f32s(&[]));
    g.set_outputs(vec![loss]);
    g
}

const TRUTH: [f32; 6] = [0.5, -1.0, 2.0, 0.25, -0.75, 1.5];

fn linear_batch(seed: u32) -> (Vec<f32>, Vec<f32>) {
    let x = numbers(BATCH * 3, seed);
    let target = x
        .chunks(3)
        .flat_map(|row| (0..2).map(move |j| (0..3).map(|i| row[i] * TRUTH[2 * i + j]).sum()))
        .collect();
    (x, target)
}

fn on_cpu(graph: Graph, init: HashMap<String, Vec<f32>>, config: TrainConfig) -> CoremlTrainingSession {
    let names: Vec<String> = init.keys().cloned().collect();
    let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
    names.sort_unstable();
    CoremlTrainingSession::new_on(graph, &names, init, config, Device::Cpu)
}

fn linear_session(optimizer: Optimizer, lr: f32) -> CoremlTrainingSession {
    on_cpu(linear(), HashMap::from([("W".to_string(), vec![0.0; 6])]), TrainConfig { lr, optimizer })
}

/// Convolution, ReLU, pooling, a linear layer and the cross-entropy of classes.
fn network() -> Graph {
    let mut g = Graph::new("network");
    let x = g.input("x", f32s(&[BATCH, 1, SIDE, SIDE]));
    let labels = g.input("labels", f32s(&[BATCH]));
    let kernel = g.param("kernel", f32s(&[4, 1, 3, 3]));
    let head = g.param("head", f32s(&[16, CLASSES]));
    let conv = Op::Conv2d { stride: vec![1, 1], padding: vec![0, 0], dilation: vec![1, 1], groups: 1 };
    let y = g.add_node(conv, vec![x, kernel], f32s(&[BATCH, 4, 4, 4]));
    let y = g.activation(Activation::Relu, y, f32s(&[BATCH, 4, 4, 4]));
    let pool =
        Op::Pool { kind: ReduceOp::Max, kernel_size: vec![2, 2], stride: vec![2, 2], padding: vec![0, 0] };
    let y = g.add_node(pool, vec![y], f32s(&[BATCH, 4, 2, 2]));
    let y = g.reshape(y, vec![BATCH as i64, 16], f32s(&[BATCH, 16]));
    let logits = g.matmul(y, head, f32s(&[BATCH, CLASSES]));
    let losses = g.softmax_cross_entropy_with_logits(logits, labels);
    let loss = g.reduce(losses, ReduceOp::Mean, vec![0], false, f32s(&[]));
    g.set_outputs(vec![loss]);
    g
}

/// Images whose class is the location of their bright part.
fn images(seed: u32) -> (Vec<f32>, Vec<f32>) {
    let mut x = numbers(BATCH * SIDE * SIDE, seed);
    let labels: Vec<usize> = (0..BATCH).map(|i| (i + seed as usize) % CLASSES).collect();
    for (image, label) in x.chunks_mut(SIDE * SIDE).zip(&labels) {
        image[label * 2 * SIDE..(label * 2 + 2) * SIDE].iter_mut().for_each(|v| *v = 0.1 * *v + 2.0);
    }
    (x, labels.iter().map(|&l| l as f32).collect())
}

fn network_session(optimizer: Optimizer, lr: f32) -> CoremlTrainingSession {
    let scaled = |count, seed, by: f32| numbers(count, seed).into_iter().map(|v| v * by).collect();
    let init = [("kernel".to_string(), scaled(36, 1, 0.4)), ("head".to_string(), scaled(48, 2, 0.3))];
    on_cpu(network(), HashMap::from(init), TrainConfig { lr, optimizer })
}

fn optimizers() -> [Optimizer; 7] {
    [
        Optimizer::sgd(),
        Optimizer::Sgd { momentum: 0.9 },
        Optimizer::adam(),
        Optimizer::adamw(),
        Optimizer::lion(),
        Optimizer::muon(),
        Optimizer::sophia(),
    ]
}

fn near(a: &[f32], b: &[f32], tolerance: f32) {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).for_each(|(a, b)| assert!((a - b).abs() <= tolerance * (1.0 + b.abs()), "{a} {b}"));
}

#[test]
fn a_linear_model_is_found() {
    let mut session = linear_session(Optimizer::adam(), 0.05).with_fused_optimizer();
    assert!(session.fused_active());
    assert_eq!(session.update_path(), UpdatePath::Gradient);
    let mut last = f32::INFINITY;
    for step in 0..400 {
        let (x, target) = linear_batch(step % 16);
        let report = session.step(&[("x", &x), ("target", &target)]);
        last = report.loss;
        assert_eq!(report.path, UpdatePath::Gradient);
    }
    assert!(last < 1e-4, "{last}");
    near(session.param("W").expect("it is a parameter"), &TRUTH, 1e-2);
    assert_eq!(session.param("nothing"), None);
}

#[test]
fn a_network_learns_its_classes_in_either_precision() {
    for policy in [PrecisionPolicy::AlwaysF32, PrecisionPolicy::AutoMixed] {
        let mut session =
            network_session(Optimizer::adamw(), 0.02).with_fused_optimizer().with_precision_policy(policy);
        let losses: Vec<f32> = (0..150)
            .map(|step| {
                let (x, labels) = images(step % 8);
                session.step(&[("x", &x), ("labels", &labels)]).loss
            })
            .collect();
        let mean = |part: &[f32]| part.iter().sum::<f32>() / part.len() as f32;
        assert!(mean(&losses[..8]) > 0.8 && mean(&losses[142..]) < 0.1, "{losses:?}");
    }
}

#[test]
fn fused_updates_are_those_of_the_host() {
    for optimizer in optimizers() {
        let mut fused = network_session(optimizer, 1e-3).with_fused_optimizer();
        let mut host = network_session(optimizer, 1e-3);
        assert!(fused.fused_active() && !host.fused_active());
        for step in 0..5 {
            let (x, labels) = images(step);
            let inputs: [(&str, &[f32]); 2] = [("x", &x), ("labels", &labels)];
            near(&[fused.step(&inputs).loss], &[host.step(&inputs).loss], 1e-5);
        }
        for name in ["kernel", "head"] {
            let [a, b] = [&fused, &host].map(|s| s.param(name).expect("it is a parameter"));
            near(a, b, 1e-4);
        }
    }
}

#[test]
fn accumulation_equals_one_step() {
    let mut at_once = linear_session(Optimizer::adam(), 0.1);
    let mut in_parts = linear_session(Optimizer::adam(), 0.1);
    let (x, target) = linear_batch(3);
    at_once.step(&[("x", &x), ("target", &target)]);
    for _ in 0..3 {
        in_parts.accumulate(&[("x", &x), ("target", &target)]);
    }
    assert_eq!(in_parts.pending_accumulation(), 3);
    assert_eq!(in_parts.step_accumulated(), 3);
    assert_eq!(in_parts.pending_accumulation(), 0);
    near(in_parts.param("W").expect("there"), at_once.param("W").expect("there"), 1e-6);
}

#[test]
fn all_optimizers_stay_finite() {
    for optimizer in optimizers() {
        let mut session = network_session(optimizer, 0.01).with_fused_optimizer();
        for step in 0..60 {
            let (x, labels) = images(step);
            let loss = session.step(&[("x", &x), ("labels", &labels)]).loss;
            assert!(loss.is_finite(), "{optimizer}: {loss} in step {step}");
        }
        for name in ["kernel", "head"] {
            assert!(session.param(name).expect("there").iter().all(|v| v.is_finite()), "{optimizer}: {name}");
        }
    }
}

#[test]
fn configurations_are_plain_values() {
    let config = TrainConfig::default();
    let copy = config;
    assert_eq!(config, copy);
    assert!(config.lr > 0.0);
    let TrainConfig { lr: _, optimizer: _ } = config;
}

#[test]
fn coreml_does_not_update_programs() {
    let session = linear_session(Optimizer::sgd(), 0.1);
    match session.mlupdatetask_eligibility() {
        MlUpdateEligibility::Unsupported { reason, .. } => {
            assert!(reason.contains("ML programs"), "{reason}")
        }
        other => panic!("{other}"),
    }
}
