//! Sessions compared with calculations in the tests, and their paths compared with each other.

use rlx_ir::{Builder, DType, Graph, Shape};
use rlx_session::CpuOptions;
use rlx_train::{
    CoremlTrainingSession, LossScale, NanPolicy, Optimizer, StepKind, TrainConfig, TrainError,
    TrainingSession, UpdatePath,
};
use std::collections::HashMap;

const BATCH: usize = 8;

/// Returns mean((gelu(x·W + b)·V − y)²), with the mean of x as a metric.
fn network() -> Graph {
    let b = Builder::new("network");
    let x = b.input("x", Shape::new(&[BATCH, 3], DType::F32));
    let y = b.input("y", Shape::new(&[BATCH, 2], DType::F32));
    let w = b.param("W", Shape::new(&[3, 5], DType::F32));
    let bias = b.param("b", Shape::new(&[5], DType::F32));
    let v = b.param("V", Shape::new(&[5, 2], DType::F32));
    let out = (x.matmul(&w) + &bias).gelu().matmul(&v);
    b.finish(&[&out.mse(&y), &x.mean(&[0, 1], false)]).expect("valid")
}

fn numbers(n: usize, seed: u64) -> Vec<f32> {
    let mut random = rlx_ir::math::random::SplitMix64::stream(seed, 0);
    (0..n).map(|_| random.normal() as f32 * 0.5).collect()
}

fn init() -> HashMap<String, Vec<f32>> {
    [("W".into(), numbers(15, 1)), ("b".into(), numbers(5, 2)), ("V".into(), numbers(10, 3))].into()
}

fn batch(step: u64) -> (Vec<f32>, Vec<f32>) {
    (numbers(BATCH * 3, 100 + step), numbers(BATCH * 2, 200 + step))
}

fn session(optimizer: Optimizer) -> TrainingSession {
    TrainingSession::new(network(), &["W", "b", "V"], init(), TrainConfig { lr: 0.01, optimizer })
        .with_backend_options(CpuOptions::new().num_threads(2))
}

fn params(session: &TrainingSession) -> Vec<Vec<f32>> {
    ["W", "b", "V"].map(|n| session.param(n).expect("it is there").to_vec()).to_vec()
}

fn close(a: &[Vec<f32>], b: &[Vec<f32>], tolerance: f32) -> bool {
    a.iter().flatten().zip(b.iter().flatten()).all(|(x, y)| (x - y).abs() <= tolerance * (1.0 + x.abs()))
}

#[test]
fn a_line_is_found_by_the_arithmetic_of_gradient_descent() {
    let b = Builder::new("line");
    let x = b.input("x", Shape::new(&[2, 1], DType::F32));
    let w = b.param("W", Shape::new(&[1, 1], DType::F32));
    let y = b.constant(rlx_ir::Literal::new(&[2, 1], &[2.0f32, 4.0]).expect("valid"));
    let graph = b.finish(&[&x.matmul(&w).mse(&y)]).expect("valid");
    let config = TrainConfig { lr: 0.1, optimizer: Optimizer::Sgd { momentum: 0.5 } };
    let mut s = CoremlTrainingSession::new_on(
        graph,
        &["W"],
        [("W".to_string(), vec![0.0])].into(),
        config,
        rlx_session::Device::Cpu,
    )
    .with_fused_optimizer();
    let (mut w, mut m) = (0.0f32, 0.0f32);
    for step in 1..=5 {
        let report = s.step(&[("x", &[1.0, 2.0])]);
        // The loss is ((w − 2)² + (2w − 4)²) / 2.
        let loss = ((w - 2.0).powi(2) + (2.0 * w - 4.0).powi(2)) / 2.0;
        let gradient = (w - 2.0) + 2.0 * (2.0 * w - 4.0);
        m = 0.5 * m + gradient;
        w -= 0.1 * m;
        assert!(
            (report.loss - loss).abs() < 1e-5 && (s.param("W").expect("it is there")[0] - w).abs() < 1e-5,
            "step {step}: {report:?}"
        );
        assert!((report.grad_norm - gradient.abs()).abs() < 1e-4);
        assert_eq!((report.step, report.kind), (step, StepKind::Fused));
        assert_eq!(report.path, UpdatePath::Gradient);
    }
}

#[test]
fn all_paths_give_the_same_numbers() {
    for optimizer in [Optimizer::sgd(), Optimizer::adamw(), Optimizer::lion(), Optimizer::muon()] {
        let mut fused = session(optimizer).with_fused_optimizer().with_clip_norm(0.5);
        let mut separate = session(optimizer).with_clip_norm(0.5);
        let mut accumulated = session(optimizer).with_fused_optimizer().with_clip_norm(0.5);
        assert!(fused.fused_active() && !separate.fused_active());
        for step in 0..4 {
            let (x, y) = batch(step);
            let inputs: [(&str, &[f32]); 2] = [("x", &x), ("y", &y)];
            let (a, b) = (fused.step(&inputs), separate.step(&inputs));
            assert_eq!((a.kind, b.kind), (StepKind::Fused, StepKind::Separate));
            assert_eq!(accumulated.pending_accumulation(), 0);
            accumulated.accumulate(&inputs);
            accumulated.accumulate(&inputs);
            assert_eq!(accumulated.pending_accumulation(), 2);
            let c = accumulated.try_step_accumulated().expect("two batches wait");
            assert_eq!((c.kind, c.batches), (StepKind::Accumulated, 2));
            assert!((a.loss - b.loss).abs() < 1e-6 && (a.loss - c.loss).abs() < 1e-6, "{a:?} {b:?} {c:?}");
            assert!((a.grad_norm - b.grad_norm).abs() < 1e-5 && (a.grad_norm - c.grad_norm).abs() < 1e-5);
            assert_eq!(a.metrics, b.metrics);
        }
        let of_fused = params(&fused);
        assert!(close(&of_fused, &params(&separate), 1e-5), "{optimizer}");
        assert!(close(&of_fused, &params(&accumulated), 1e-5), "{optimizer}");
        assert_ne!(of_fused[0], numbers(15, 1));
        let (x, y) = batch(9);
        let (a, b) = (fused.eval(&[("x", &x), ("y", &y)]), separate.eval(&[("x", &x), ("y", &y)]));
        assert!((a.loss - b.loss).abs() < 1e-6 && params(&fused) == of_fused);
    }
}

#[test]
fn a_step_that_is_not_finite_leaves_everything_as_it_was() {
    let (x, y) = batch(0);
    let bad = vec![f32::NAN; BATCH * 3];
    for fused in [true, false] {
        let make = || {
            if fused {
                session(Optimizer::adamw()).with_fused_optimizer()
            } else {
                session(Optimizer::adamw())
            }
        };
        let mut s = make();
        s.step(&[("x", &x), ("y", &y)]);
        let before = params(&s);
        let error = s.try_step(&[("x", &bad), ("y", &y)]).expect_err("refused");
        assert!(matches!(error, TrainError::NotFinite { step: 2, what: "loss", .. }), "{error}");
        assert_eq!((params(&s), s.steps()), (before.clone(), 1));
        let mut s = make().with_nan_policy(NanPolicy::Skip);
        s.step(&[("x", &x), ("y", &y)]);
        let report = s.step(&[("x", &bad), ("y", &y)]);
        assert!(report.skipped && report.loss.is_nan() && report.step == 1);
        assert_eq!(params(&s), before);
        // Afterwards, everything is as if the bad batch had not existed.
        let mut clean = make();
        clean.step(&[("x", &x), ("y", &y)]);
        let (x, y) = batch(1);
        assert_eq!(s.step(&[("x", &x), ("y", &y)]).loss, clean.step(&[("x", &x), ("y", &y)]).loss);
        assert_eq!(params(&s), params(&clean));
        let mut s = make().with_nan_policy(NanPolicy::Allow);
        s.step(&[("x", &bad), ("y", &y)]);
        assert!(s.param("W").expect("it is there").iter().all(|w| w.is_nan()));
    }
}

#[test]
fn scaled_losses_give_the_gradients_of_unscaled_ones() {
    let mut plain = session(Optimizer::adamw()).with_fused_optimizer();
    let mut scaled =
        session(Optimizer::adamw()).with_fused_optimizer().with_loss_scale(LossScale::fixed(1024.0));
    for step in 0..3 {
        let (x, y) = batch(step);
        let (a, b) = (plain.step(&[("x", &x), ("y", &y)]), scaled.step(&[("x", &x), ("y", &y)]));
        // A power of two only changes the exponent.
        assert_eq!((a.loss, a.grad_norm, b.loss_scale), (b.loss, b.grad_norm, 1024.0));
    }
    assert!(close(&params(&plain), &params(&scaled), 1e-7));
    // A scale that overflows is halved until it does not; the steps until then are skipped.
    let start = LossScale { scale: 2f32.powi(127), interval: 100, ..LossScale::dynamic() };
    let mut s = session(Optimizer::sgd()).with_fused_optimizer().with_loss_scale(start);
    let (x, y) = batch(0);
    let x: Vec<f32> = x.iter().map(|v| v * 10.0).collect();
    let reports: Vec<_> = (0..24).map(|_| s.step(&[("x", &x), ("y", &y)])).collect();
    let skips = reports.iter().filter(|r| r.skipped).count();
    assert!(skips > 0 && reports[skips..].iter().all(|r| !r.skipped), "{reports:?}");
    let scales: Vec<f32> = reports.iter().map(|r| r.loss_scale).collect();
    assert!((0..=skips).all(|i| scales[i] == 2f32.powi(127 - i as i32)), "{scales:?}");
    assert_eq!(s.steps() as usize, 24 - skips);
}

#[test]
fn narrow_precision_trains_too() {
    use rlx_session::PrecisionPolicy::{AlwaysBF16, AutoMixed, AutoMixedBF16};
    for policy in [AutoMixed, AutoMixedBF16, AlwaysBF16] {
        let mut wide = session(Optimizer::adamw());
        let mut s = session(Optimizer::adamw()).with_fused_optimizer().with_precision_policy(policy);
        let (x, y) = batch(0);
        let losses: Vec<(f32, f32)> = (0..20)
            .map(|_| (wide.step(&[("x", &x), ("y", &y)]).loss, s.step(&[("x", &x), ("y", &y)]).loss))
            .collect();
        assert!(losses.iter().all(|(a, b)| (a - b).abs() < 0.05 * a), "{policy:?}: {losses:?}");
        assert_ne!(losses[5].0, losses[5].1, "{policy:?} computed in f32");
        assert!(losses[19].1 < losses[0].1);
        assert_eq!(s.loss_scale().is_some(), policy == AutoMixed);
    }
}

#[test]
fn what_does_not_fit_is_said() {
    let config = TrainConfig { lr: 0.1, optimizer: Optimizer::sgd() };
    let all = ["W", "b", "V"];
    let refused = |names: &[&str], init: HashMap<String, Vec<f32>>| {
        TrainingSession::try_new(network(), names, init, config).expect_err("refused").to_string()
    };
    let without = |name: &str| {
        let mut init = init();
        init.remove(name);
        init
    };
    let with = |name: &str, values: Vec<f32>| {
        let mut init = init();
        init.insert(name.into(), values);
        init
    };
    assert_eq!(refused(&["Q"], init()), "the graph has no parameter `Q`; it has `W`, `b`, `V`");
    assert_eq!(refused(&[], init()), "name at least one parameter to train; the graph has `W`, `b`, `V`");
    assert_eq!(refused(&["W", "W"], init()), "parameter `W` is listed twice");
    assert!(refused(&all, without("b")).contains("parameter `b` (f32[5]) has no initial value"));
    assert!(refused(&["W"], without("b")).contains("parameter `b` (f32[5]) has no initial value"));
    assert!(refused(&all, with("b", vec![0.0; 4])).contains("has 4 number(s), f32[5] takes 5"));
    assert!(refused(&all, with("x", vec![0.0])).contains("`init` has a value for `x`"));
    let bad_rate = TrainConfig { lr: f32::NAN, ..config };
    let error = TrainingSession::try_new(network(), &all, init(), bad_rate).expect_err("refused");
    assert!(error.to_string().contains("`lr` is NaN"), "{error}");
    if !rlx_session::is_available(rlx_session::Device::Ane) {
        let error = CoremlTrainingSession::try_new(network(), &all, init(), config).expect_err("not here");
        assert_eq!(error.to_string().lines().count(), 1, "{error}");
        assert!(matches!(error, TrainError::Runtime(_)), "{error}");
    }
    let mut s = session(Optimizer::sgd());
    let (x, y) = batch(0);
    assert!(s.try_step(&[("x", &x)]).expect_err("incomplete").to_string().contains("missing input(s): y"));
    assert!(s.try_step(&[("x", &x), ("z", &y)]).expect_err("unknown").to_string().contains("no input `z`"));
    assert!(s.try_step(&[("x", &x[1..]), ("y", &y)]).is_err());
    assert!(matches!(s.try_step_accumulated(), Err(TrainError::NothingAccumulated)));
    assert!(matches!(s.try_param("Q"), Err(TrainError::UnknownParam { .. })));
    s.accumulate(&[("x", &x), ("y", &y)]);
    assert!(matches!(s.try_step(&[("x", &x), ("y", &y)]), Err(TrainError::Pending(1))));
    let why = s.mlupdatetask_eligibility();
    assert!(!why.is_eligible() && why.to_string().contains("the session is on"), "{why}");
}

#[test]
fn parameters_that_are_not_named_stay() {
    let config = TrainConfig { lr: 0.1, optimizer: Optimizer::adam() };
    let mut s = TrainingSession::new(network(), &["V"], init(), config).with_fused_optimizer();
    let (x, y) = batch(0);
    let losses: Vec<f32> = (0..5).map(|_| s.step(&[("x", &x), ("y", &y)]).loss).collect();
    assert!(losses[4] < losses[0]);
    assert_eq!((s.param("W"), s.param("b")), (Some(&numbers(15, 1)[..]), Some(&numbers(5, 2)[..])));
    assert_eq!(s.param("Q"), None);
}

#[test]
fn nothing_lies_in_memory_twice() {
    // One 4 MB matrix with momentum: 4 + 4 MB, the gradient and what the product needs, but not both old and new values.
    let b = Builder::new("large");
    let x = b.input("x", Shape::new(&[4, 1024], DType::F32));
    let w = b.param("W", Shape::new(&[1024, 1024], DType::F32));
    let y = x.matmul(&w);
    let graph = b.finish(&[&(&y * &y).mean(&[0, 1], false)]).expect("valid");
    let config = TrainConfig { lr: 0.1, optimizer: Optimizer::Sgd { momentum: 0.9 } };
    let init = [("W".to_string(), vec![0.01; 1024 * 1024])].into();
    let mut s = TrainingSession::new(graph, &["W"], init, config)
        .with_fused_optimizer()
        .with_backend_options(CpuOptions::new().num_threads(1));
    s.step(&[("x", &[0.5; 4096])]);
    let bytes = s.memory_bytes();
    assert!(bytes < 13 << 20, "{bytes} bytes");
}
