//! Checkpoints: a run that continues is the same as one that never stopped, and broken files are skipped.

use rlx_ir::math::random::SplitMix64;
use rlx_ir::{Builder, DType, Graph, Shape};
use rlx_session::CpuOptions;
use rlx_train::{CheckpointError, Checkpoints, LossScale, Optimizer, Setting, TrainConfig, TrainingSession};
use std::collections::BTreeMap;
use std::fs;

fn graph() -> Graph {
    let b = Builder::new("fit");
    let x = b.input("x", Shape::new(&[4, 3], DType::F32));
    let w = b.param("W", Shape::new(&[3, 2], DType::F32));
    let v = b.param("V", Shape::new(&[2], DType::F32));
    let y = x.matmul(&w).tanh() * &v;
    b.finish(&[&(&y * &y + &y).mean(&[0, 1], false)]).expect("valid")
}

fn session(optimizer: Optimizer) -> TrainingSession {
    let numbers = |n: usize, seed| {
        let mut random = SplitMix64::stream(seed, 0);
        (0..n).map(|_| random.normal() as f32).collect::<Vec<f32>>()
    };
    let init = [("W".to_string(), numbers(6, 1)), ("V".to_string(), numbers(2, 2))].into();
    let config = TrainConfig { lr: 0.02, optimizer };
    let scale = LossScale { scale: 64.0, interval: 3, ..LossScale::dynamic() };
    TrainingSession::new(graph(), &["W", "V"], init, config)
        .with_fused_optimizer()
        .with_loss_scale(scale)
        .with_backend_options(CpuOptions::new().num_threads(1))
}

fn steps(session: &mut TrainingSession, count: u64) -> Vec<u32> {
    let step = |_| {
        let mut random = SplitMix64::stream(9, session.steps());
        let x: Vec<f32> = (0..12).map(|_| random.normal() as f32).collect();
        session.step(&[("x", &x)]).loss.to_bits()
    };
    (0..count).map(step).collect()
}

fn bits(session: &TrainingSession) -> Vec<u32> {
    ["W", "V"].iter().flat_map(|n| session.param(n).expect("it is there")).map(|x| x.to_bits()).collect()
}

#[test]
fn going_on_is_the_same_as_never_having_stopped() {
    for optimizer in [Optimizer::adamw(), Optimizer::Sgd { momentum: 0.9 }, Optimizer::muon()] {
        let dir = tempfile::tempdir().expect("a folder");
        let files = Checkpoints::new(dir.path(), 2, "config");
        let mut whole = session(optimizer);
        let mut losses = steps(&mut whole, 4);
        files.save(&whole, &BTreeMap::from([("note".into(), "four".into())])).expect("saved");
        losses.extend(steps(&mut whole, 5));
        let mut second = session(optimizer);
        let resumed = files.resume(&mut second).expect("read").expect("there is one");
        assert_eq!((second.steps(), resumed.extra["note"].as_str(), resumed.refused.len()), (4, "four", 0));
        assert_eq!(steps(&mut second, 5), losses[4..]);
        assert_eq!(bits(&second), bits(&whole));
        assert_eq!(second.loss_scale(), whole.loss_scale());
    }
}

#[test]
fn only_the_last_files_stay_and_broken_ones_are_passed_over() {
    let dir = tempfile::tempdir().expect("a folder");
    let files = Checkpoints::new(dir.path(), 3, "config");
    let mut s = session(Optimizer::adamw());
    assert!(files.resume(&mut s).expect("nothing is no error").is_none());
    let mut paths = Vec::new();
    for _ in 0..5 {
        steps(&mut s, 1);
        paths.push(files.save(&s, &BTreeMap::new()).expect("saved"));
    }
    let at: Vec<u64> = files.list().expect("listed").iter().map(|f| f.0).collect();
    assert_eq!(at, [5, 4, 3]);
    // The newest is truncated, and one bit of the previous one is flipped.
    let whole = fs::read(&paths[4]).expect("read");
    for length in [0, 7, 100, whole.len() / 2, whole.len() - 1] {
        fs::write(&paths[4], &whole[..length]).expect("written");
        let resumed = files.resume(&mut s).expect("an older one").expect("there is one");
        assert_eq!((s.steps(), resumed.path), (4, paths[3].clone()));
        assert!(matches!(resumed.refused[..], [CheckpointError::File(_)]), "{length}: {:?}", resumed.refused);
    }
    let mut turned = fs::read(&paths[3]).expect("read");
    *turned.last_mut().expect("bytes") ^= 4;
    fs::write(&paths[3], &turned).expect("written");
    let resumed = files.resume(&mut s).expect("an older one").expect("there is one");
    assert_eq!((s.steps(), resumed.refused.len()), (3, 2));
    assert!(matches!(resumed.refused[1], CheckpointError::Corrupt { .. }));
    // A foreign file.
    fs::write(&paths[2], b"{}").expect("written");
    assert!(files.resume(&mut s).is_err());
    assert_eq!(s.steps(), 3);
}

#[test]
fn a_broken_file_of_a_later_step_takes_no_place() {
    let dir = tempfile::tempdir().expect("a folder");
    let files = Checkpoints::new(dir.path(), 1, "config");
    let mut s = session(Optimizer::adamw());
    fs::write(dir.path().join("step-0000000009.safetensors"), b"{}").expect("written");
    // A file left by an interrupted write.
    fs::write(dir.path().join(".rlx-abcdef"), b"half").expect("written");
    for _ in 0..2 {
        steps(&mut s, 1);
        files.save(&s, &BTreeMap::new()).expect("saved");
    }
    let at: Vec<u64> = files.list().expect("listed").iter().map(|f| f.0).collect();
    assert_eq!(at, [9, 2]);
    let resumed =
        files.resume(&mut session(Optimizer::adamw())).expect("an older one").expect("there is one");
    assert_eq!(resumed.refused.len(), 1);
    assert!(!dir.path().join(".rlx-abcdef").exists());
}

#[test]
fn another_configuration_is_refused() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut s = session(Optimizer::adamw());
    steps(&mut s, 1);
    Checkpoints::new(dir.path(), 3, "one").save(&s, &BTreeMap::new()).expect("saved");
    let error = Checkpoints::new(dir.path(), 3, "two").resume(&mut s).expect_err("refused");
    assert!(matches!(error, CheckpointError::OtherConfig { .. }) && error.to_string().contains("--fresh"));
    // The state of another optimizer does not match either.
    let error = Checkpoints::new(dir.path(), 3, "one")
        .resume(&mut session(Optimizer::Sgd { momentum: 0.9 }))
        .expect_err("refused");
    assert!(error.to_string().contains("there is no value for `W.momentum`"), "{error}");
}

#[test]
fn changed_settings_are_named() {
    let dir = tempfile::tempdir().expect("a folder");
    let files = |seed: &str, rate: Option<&str>| {
        let setting = |name: &str, value: Option<&str>, fixed| Setting {
            name: name.into(),
            value: value.map(str::to_string),
            fixed,
        };
        let settings = vec![setting("seed", Some(seed), true), setting("rate", rate, false)];
        Checkpoints::new(dir.path(), 3, "").with_settings(settings)
    };
    let mut s = session(Optimizer::adamw());
    steps(&mut s, 1);
    files("1", Some("0.1")).save(&s, &BTreeMap::new()).expect("saved");
    let mut other = session(Optimizer::adamw());
    let changed = |files: Checkpoints, session: &mut TrainingSession| {
        let resumed = files.resume(session).map(|r| r.expect("there is one").changed);
        resumed.map(|changed| changed.iter().map(ToString::to_string).collect::<Vec<_>>())
    };
    assert_eq!(changed(files("1", Some("0.1")), &mut other).expect("read"), [""; 0]);
    assert_eq!(changed(files("1", Some("0.2")), &mut other).expect("read"), ["`rate` was 0.1, is now 0.2"]);
    assert_eq!(changed(files("1", None), &mut other).expect("read"), ["`rate` was 0.1, is now not given"]);
    // Nothing is restored from a run with other settings.
    let mut fresh = session(Optimizer::adamw());
    let error = changed(files("2", Some("0.2")), &mut fresh).expect_err("refused").to_string();
    let named = "`seed` was 1, is now 2; `rate` was 0.1, is now 0.2; use the earlier ones, choose another folder, or start over";
    assert!(error.contains(named) && error.contains("step-0000000001.safetensors"), "{error}");
    assert_eq!(fresh.steps(), 0);
}
