//! Optimizers in a session: every setting matters, Sophia gets its estimates, Muon knows the layouts of matrices, and training without
//! progress ends.

use rlx_ir::{Builder, DType, Graph, Shape};
use rlx_session::{CpuOptions, PrecisionPolicy};
use rlx_train::{
    LossScale, Mask, MatrixLayout, NanPolicy, Optimizer, TrainConfig, TrainError, TrainSettings,
    TrainingSession,
};
use std::collections::HashMap;

fn numbers(n: usize, seed: u64) -> Vec<f32> {
    let mut random = rlx_ir::math::random::SplitMix64::stream(seed, 0);
    (0..n).map(|_| random.normal() as f32 * 0.5).collect()
}

/// Returns mean((gelu(x·W + b)·V − y)²).
fn network(batch: usize) -> Graph {
    let b = Builder::new("network");
    let x = b.input("x", Shape::new(&[batch, 3], DType::F32));
    let y = b.input("y", Shape::new(&[batch, 2], DType::F32));
    let w = b.param("W", Shape::new(&[3, 5], DType::F32));
    let bias = b.param("b", Shape::new(&[5], DType::F32));
    let v = b.param("V", Shape::new(&[5, 2], DType::F32));
    let out = (x.matmul(&w) + &bias).gelu().matmul(&v);
    b.finish(&[&out.mse(&y)]).expect("valid")
}

const NAMES: [&str; 3] = ["W", "b", "V"];

fn session(optimizer: Optimizer, batch: usize) -> TrainingSession {
    let init: HashMap<String, Vec<f32>> =
        [("W".into(), numbers(15, 1)), ("b".into(), numbers(5, 2)), ("V".into(), numbers(10, 3))].into();
    TrainingSession::new(network(batch), &NAMES, init, TrainConfig { lr: 0.01, optimizer })
        .with_backend_options(CpuOptions::new().num_threads(1))
        .with_fused_optimizer()
}

fn batch(step: u64, size: usize) -> (Vec<f32>, Vec<f32>) {
    (numbers(size * 3, 100 + step), numbers(size * 2, 200 + step))
}

fn bits(session: &TrainingSession) -> Vec<u32> {
    NAMES.iter().flat_map(|n| session.param(n).expect("it is there")).map(|x| x.to_bits()).collect()
}

fn trained(mut session: TrainingSession, steps: u64) -> Vec<u32> {
    for step in 0..steps {
        let (x, y) = batch(step, 8);
        session.step(&[("x", &x), ("y", &y)]);
    }
    bits(&session)
}

/// Returns another valid value of a setting.
fn other(value: &str) -> String {
    if let Ok(flag) = value.parse::<bool>() {
        return (!flag).to_string();
    }
    if let Ok(count) = value.parse::<usize>() {
        // Axes of at least 128 elements are kept as rows and columns.
        return if count == 128 { 2 } else { count - 2 }.to_string();
    }
    let number: f64 = value.parse().expect("a number");
    if number == 0.5 { "0.25".into() } else { "0.5".into() }
}

#[test]
fn every_setting_of_every_optimizer_changes_what_is_trained() {
    for (mut optimizer, _) in Optimizer::all() {
        if let Optimizer::Sophia { gamma, .. } = &mut optimizer {
            // With the default, all steps of this loss have the maximum length, whatever its Hessian.
            *gamma = 1.0;
        }
        let usual = trained(session(optimizer, 8), 25);
        for (setting, value) in optimizer.settings() {
            let mut changed = optimizer;
            changed.set(setting, &other(&value)).expect("a setting");
            changed.check().expect("allowed");
            assert_ne!(trained(session(changed, 8), 25), usual, "{setting} of {optimizer}, as in {changed}");
        }
        // The weight-decay mask and the rate are settings too.
        let masked = trained(session(optimizer, 8).with_decay_mask(Mask::MinRank(2)), 25);
        let decays = optimizer.has_weight_decay();
        if let Optimizer::Muon { .. } = optimizer {
            let decaying: Optimizer = "muon(adam_weight_decay=0.1)".parse().expect("an optimizer");
            let all = trained(session(decaying, 8), 25);
            assert_ne!(trained(session(decaying, 8).with_decay_mask(Mask::MinRank(2)), 25), all);
        }
        assert_eq!(masked != usual, decays, "{optimizer}");
    }
}

#[test]
fn matrices_are_updated_as_they_are_laid_out() {
    let muon = Optimizer::muon();
    let usual = trained(session(muon, 8), 3);
    // The graph has x·W and h·V: W is [3 in, 5 out], V [5 in, 2 out].
    assert_eq!(trained(session(muon, 8).with_layout(Mask::All, MatrixLayout::InOut), 3), usual);
    let first = |layout| {
        let mut session = session(muon, 8).with_layout(Mask::All, layout);
        let (x, y) = batch(0, 8);
        let before: Vec<Vec<f32>> = NAMES.map(|n| session.param(n).expect("there").to_vec()).to_vec();
        session.step(&[("x", &x), ("y", &y)]);
        let norm = |(before, name): (Vec<f32>, &str)| {
            let after = session.param(name).expect("there");
            before.iter().zip(after).map(|(a, b)| (a - b) * (a - b)).sum::<f32>().sqrt()
        };
        before.into_iter().zip(NAMES).map(norm).collect::<Vec<f32>>()
    };
    let (in_out, out_in) = (first(MatrixLayout::InOut), first(MatrixLayout::OutIn));
    // √max(1, out/in), as in torch.optim.Muon for [out, in]: 5/3 and 1, or 1 and 5/2.
    assert!((in_out[0] / out_in[0] - (5f32 / 3.0).sqrt()).abs() < 1e-4, "{in_out:?} {out_in:?}");
    assert!((out_in[2] / in_out[2] - (5f32 / 2.0).sqrt()).abs() < 1e-4, "{in_out:?} {out_in:?}");
    assert_eq!(in_out[1], out_in[1]);
    // The first mask takes precedence.
    let of_v = || session(muon, 8).with_layout(Mask::Named(vec!["V".into()]), MatrixLayout::OutIn);
    let other = trained(of_v(), 3);
    assert!(
        other != usual && other != trained(session(muon, 8).with_layout(Mask::All, MatrixLayout::OutIn), 3)
    );
    assert_eq!(trained(of_v().with_layout(Mask::All, MatrixLayout::InOut), 3), other);
}

/// Returns ½·Σ a·(w − target)², with a diagonal Hessian: estimates are exact for any signs.
fn bowl() -> Graph {
    let b = Builder::new("bowl");
    let shape = Shape::new(&[2, 3], DType::F32);
    let (a, target, w) = (b.input("a", shape.clone()), b.input("target", shape.clone()), b.param("w", shape));
    let error = &w - &target;
    b.finish(&[&((a * &error * &error).reduce(rlx_ir::ReduceOp::Sum, &[0, 1], false) * 0.5)]).expect("valid")
}

const TARGET: [f32; 6] = [1.0, -2.0, 0.5, 3.0, 0.25, -1.5];

fn curvature(step: u64) -> Vec<f32> {
    (0..6).map(|i| (1 + (step * 7 + 3 * i) % 5) as f32 * 0.5).collect()
}

fn in_bowl(optimizer: &str) -> TrainingSession {
    let config = TrainConfig { lr: 0.05, optimizer: optimizer.parse().expect("an optimizer") };
    TrainingSession::new(bowl(), &["w"], HashMap::from([("w".to_string(), vec![0.0; 6])]), config)
}

#[test]
fn sophia_follows_the_hessian_as_optax_does() {
    // From scripts/sophia_training.py: optax 0.2.8 with its own estimates.
    let cases: [(&str, [f32; 6]); 2] = [
        ("sophia", [1.249_924_8, -1.249_924_8, 0.649_932_4, 1.249_924_8, 0.249_972_5, -1.249_924_8]),
        (
            "sophia(update_interval=4, gamma=1, b2=0.5, clip_threshold=4)",
            [1.120_802_9, -1.964_707, 0.518_300_24, 3.012_935_9, 0.273_768_48, -1.591_160_9],
        ),
    ];
    for (optimizer, expected) in cases {
        for fused in [true, false] {
            for parts in [0, 1, 3] {
                let mut session = in_bowl(optimizer);
                if fused {
                    session = session.with_fused_optimizer();
                }
                for step in 0..25 {
                    let a = curvature(step);
                    let inputs: [(&str, &[f32]); 2] = [("a", &a), ("target", &TARGET)];
                    (0..parts).for_each(|_| drop(session.accumulate(&inputs)));
                    if parts == 0 {
                        session.step(&inputs);
                    } else {
                        session.step_accumulated();
                    }
                }
                let got = session.param("w").expect("there");
                let off = got.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
                assert!(off < 2e-5, "{optimizer} {fused} {parts}: {got:?} {expected:?}");
            }
        }
    }
}

#[test]
fn estimates_of_parts_are_those_of_the_whole() {
    let sophia: Optimizer =
        "sophia(gamma=1, clip_threshold=inf, eps=0.1, update_interval=2)".parse().unwrap();
    let (mut whole, mut parts) = (session(sophia, 8), session(sophia, 4));
    for step in 0..9 {
        let (x, y) = batch(step, 8);
        whole.step(&[("x", &x), ("y", &y)]);
        for half in 0..2 {
            let (x, y) = (&x[12 * half..12 * (half + 1)], &y[8 * half..8 * (half + 1)]);
            parts.accumulate(&[("x", x), ("y", y)]);
        }
        assert_eq!(parts.step_accumulated(), 2);
    }
    for name in NAMES {
        let (a, b) = (whole.param(name).expect("there"), parts.param(name).expect("there"));
        a.iter().zip(b).for_each(|(x, y)| assert!((x - y).abs() < 2e-5, "{name}: {a:?} {b:?}"));
    }
}

#[test]
fn a_training_by_sophia_goes_on_with_the_same_estimates() {
    let sophia = || session("sophia(gamma=1, update_interval=3)".parse().unwrap(), 8).with_seed(7);
    let steps = |session: &mut TrainingSession, range: std::ops::Range<u64>| {
        for step in range {
            let (x, y) = batch(step, 8);
            session.step(&[("x", &x), ("y", &y)]);
        }
    };
    let mut whole = sophia();
    steps(&mut whole, 0..20);
    for cut in [1, 3, 7] {
        let mut first = sophia();
        steps(&mut first, 0..cut);
        let saved: HashMap<String, Vec<u8>> =
            first.saved().unwrap().into_iter().map(|v| (v.name.to_string(), v.bytes.into_owned())).collect();
        let mut second = sophia();
        second.restore(first.snapshot(), |name| saved.get(name).map(Vec::as_slice)).expect("it fits");
        steps(&mut second, cut..20);
        assert_eq!(bits(&second), bits(&whole), "{cut}");
    }
    // Other signs make a different run.
    let mut other = sophia().with_seed(8);
    steps(&mut other, 0..20);
    assert_ne!(bits(&other), bits(&whole));
}

#[test]
fn one_step_of_sophia_is_a_graph_with_its_estimate() {
    let mut session = in_bowl("sophia(gamma=1, b2=0.5)");
    let graph = session.step_graph().expect("a graph");
    let names: Vec<&str> = graph.inputs().filter_map(|n| n.name()).collect();
    assert!(names.contains(&"hutchinson.key"), "{names:?}");
    let key = rlx_ir::Literal::new(&[2], &session.estimate_key()).unwrap();
    let floats = |values: &[f32]| rlx_ir::Literal::new(&[2, 3], values).unwrap();
    let (a, target, zeros) = (floats(&curvature(0)), floats(&TARGET), floats(&[0.0; 6]));
    let (step, rate) = (rlx_ir::Literal::scalar(0i32), rlx_ir::Literal::scalar(0.05f32));
    let given = [
        ("a", &a),
        ("target", &target),
        ("w", &zeros),
        ("w.m", &zeros),
        ("w.h", &zeros),
        ("hutchinson.key", &key),
        ("train.step", &step),
        ("train.lr", &rate),
    ];
    let outputs = rlx_ir::eval(&graph, &given).unwrap();
    // The loss, the norm, whether it is finite, then w, m and h.
    let h: Vec<f32> = outputs[5].as_slice::<f32>().unwrap().to_vec();
    assert_eq!(h, curvature(0).iter().map(|a| 0.5 * a).collect::<Vec<_>>());
    session.step(&[("a", &curvature(0)), ("target", &TARGET)]);
    assert_eq!(outputs[3].as_slice::<f32>().unwrap(), session.param("w").expect("there"));
    let saved = session.saved().unwrap();
    let kept = saved.iter().find(|v| v.name == "w.h").expect("what Sophia keeps");
    assert_eq!(kept.bytes, outputs[5].bytes());
    // The second update needs no estimate.
    assert!(!session.step_graph().expect("a graph").inputs().any(|n| n.name() == Some("hutchinson.key")));
}

#[test]
fn estimates_that_are_not_finite_are_not_kept() {
    let kept = |session: &TrainingSession| {
        let saved = session.saved().unwrap();
        saved.iter().find(|v| v.name == "w.h").expect("what Sophia keeps").bytes.to_vec()
    };
    // The gradient is 0·(w − target) = 0, and the Hessian 0·∞.
    let bad = |policy| {
        let mut session = in_bowl("sophia").with_nan_policy(policy);
        let mut a = curvature(0);
        a[2] = f32::INFINITY;
        let mut target = TARGET;
        target[2] = 0.0;
        let report = session.try_step(&[("a", &a), ("target", &target)]);
        (report.map(|r| r.skipped), kept(&session))
    };
    let (report, h) = bad(NanPolicy::Error);
    assert!(matches!(report, Err(TrainError::NotFinite { step: 1, .. })), "{report:?}");
    assert_eq!(h, [0; 24]);
    let (report, h) = bad(NanPolicy::Skip);
    assert_eq!((report.expect("skipped"), h), (true, vec![0; 24]));
}

#[test]
fn training_that_goes_nowhere_ends() {
    let (x, y) = batch(0, 8);
    let bad = vec![f32::NAN; 24];
    // With the dynamic scale, once it is at its minimum: 65,536 is 30 halvings above it.
    for fused in [true, false] {
        let mut session = session(Optimizer::sgd(), 8).with_precision_policy(PrecisionPolicy::AutoMixed);
        let settings = TrainSettings::default();
        if !fused {
            let mut separate = settings;
            separate.precision = PrecisionPolicy::AutoMixed;
            session = session.with_settings(separate);
        }
        let before = bits(&session);
        for _ in 0..30 {
            assert!(session.try_step(&[("x", &bad), ("y", &y)]).expect("skipped").skipped);
        }
        assert_eq!(session.loss_scale().expect("a scale").scale, LossScale::LEAST);
        let error = session.try_step(&[("x", &bad), ("y", &y)]).expect_err("it ends");
        assert!(matches!(error, TrainError::NoProgress { step: 1, skipped: 31, scale: Some(_) }), "{error}");
        assert!(error.to_string().contains("31 step(s) in a row were skipped"), "{error}");
        assert_eq!((bits(&session), session.steps()), (before, 0));
        // Training continues with good data.
        assert!(!session.step(&[("x", &x), ("y", &y)]).skipped);
    }
    // With a constant scale or with the policy, after the maximum number of steps.
    let fixed = session(Optimizer::sgd(), 8).with_loss_scale(LossScale::fixed(8.0));
    let skipping = session(Optimizer::sgd(), 8).with_nan_policy(NanPolicy::Skip);
    let few = session(Optimizer::sgd(), 8).with_nan_policy(NanPolicy::Skip).with_max_skipped(3);
    for (mut session, most) in
        [(fixed, TrainSettings::MAX_SKIPPED), (skipping, TrainSettings::MAX_SKIPPED), (few, 3)]
    {
        for _ in 0..most {
            assert!(session.try_step(&[("x", &bad), ("y", &y)]).expect("skipped").skipped);
        }
        let error = session.try_step(&[("x", &bad), ("y", &y)]).expect_err("it ends");
        assert!(matches!(error, TrainError::NoProgress { skipped, .. } if skipped == most + 1), "{error}");
    }
    // A good step in between restarts the count.
    let mut session = session(Optimizer::sgd(), 8).with_nan_policy(NanPolicy::Skip).with_max_skipped(2);
    for step in 0..20 {
        let x = if step % 3 == 2 { &x } else { &bad };
        assert_eq!(session.step(&[("x", x), ("y", &y)]).skipped, step % 3 != 2);
    }
}

#[test]
fn scales_that_cannot_work_are_refused() {
    let refused = |scale: LossScale| {
        let (x, y) = batch(0, 8);
        let mut session = session(Optimizer::sgd(), 8).with_loss_scale(scale);
        session.try_step(&[("x", &x), ("y", &y)]).expect_err("refused").to_string()
    };
    let dynamic = LossScale::dynamic();
    assert_eq!(
        refused(LossScale { backoff: 2.0, ..dynamic }),
        "`loss_scale.backoff` is 2; it must be above 0 and at most 1"
    );
    assert_eq!(
        refused(LossScale { growth: 0.5, ..dynamic }),
        "`loss_scale.growth` is 0.5; it must be a finite number of at least 1"
    );
    assert_eq!(
        refused(LossScale { scale: f32::INFINITY, ..dynamic }),
        "`loss_scale.scale` is inf; it must be a finite number above 0"
    );
}
