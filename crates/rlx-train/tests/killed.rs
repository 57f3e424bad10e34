//! A run that is killed at random moments ends with the same parameters as one that is not. This program is both: with a folder as its
//! argument, it trains there; otherwise it starts copies of itself and kills them.
//!
//! `cargo test -p rlx-train --test killed -- --kills 20`

use rlx_ir::math::random::SplitMix64;
use rlx_ir::{Builder, DType, Graph, Shape};
use rlx_train::{Checkpoints, Optimizer, Order, TrainConfig, TrainingSession, save_params};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const STEPS: u64 = 1500;
const EXAMPLES: usize = 50;
const BATCH: usize = 8;

fn graph() -> Graph {
    let b = Builder::new("fit");
    let x = b.input("x", Shape::new(&[BATCH, 16], DType::F32));
    let y = b.input("y", Shape::new(&[BATCH, 4], DType::F32));
    let w = b.param("W", Shape::new(&[16, 64], DType::F32));
    let v = b.param("V", Shape::new(&[64, 4], DType::F32));
    b.finish(&[&x.matmul(&w).tanh().matmul(&v).mse(&y)]).expect("valid")
}

fn normal(count: usize, stream: u64) -> Vec<f32> {
    let mut random = SplitMix64::stream(5, stream);
    (0..count).map(|_| random.normal() as f32 * 0.3).collect()
}

fn train(dir: &Path) {
    let init = [("W".to_string(), normal(1024, 1)), ("V".to_string(), normal(256, 2))].into();
    let config = TrainConfig { lr: 0.003, optimizer: Optimizer::adamw() };
    let mut session = TrainingSession::new(graph(), &["W", "V"], init, config).with_fused_optimizer();
    let files = Checkpoints::new(dir.join("checkpoints"), 2, "kill test");
    files.resume(&mut session).expect("a checkpoint or none");
    let (xs, ys) = (normal(EXAMPLES * 16, 3), normal(EXAMPLES * 4, 4));
    let mut order = Order::new(1, EXAMPLES);
    while session.steps() < STEPS {
        let chosen = order.batch(session.steps(), BATCH);
        let rows = |all: &[f32], n: usize| -> Vec<f32> {
            chosen.iter().flat_map(|&i| all[i * n..(i + 1) * n].iter().copied()).collect()
        };
        session.step(&[("x", &rows(&xs, 16)), ("y", &rows(&ys, 4))]);
        if session.steps().is_multiple_of(10) {
            files.save(&session, &BTreeMap::new()).expect("saved");
        }
    }
    save_params(&session, &dir.join("end.safetensors"), &BTreeMap::new(), str::to_string).expect("saved");
}

fn start(dir: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.arg(dir).stdout(Stdio::null());
    command
}

// When the test is run manually: the number of kills.
#[allow(clippy::print_stdout)]
fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [dir] = &args[..]
        && Path::new(dir).is_dir()
    {
        return train(Path::new(dir));
    }
    let wanted =
        args.iter().skip_while(|a| *a != "--kills").nth(1).map_or(5, |n| n.parse().expect("a number"));
    let (whole, killed) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let begin = Instant::now();
    assert!(start(whole.path()).status().expect("it runs").success());
    let length = begin.elapsed();
    // The moments differ between runs, but the result must not depend on them.
    let mut random = SplitMix64::stream(u64::from(std::process::id()), 0);
    let (mut kills, mut inside) = (0, 0);
    while kills < wanted {
        let mut child = start(killed.path()).stderr(Stdio::null()).spawn().expect("it starts");
        std::thread::sleep(length.mul_f64(0.02 + 0.5 * random.unit()).max(Duration::from_millis(1)));
        match child.try_wait().expect("a state") {
            None => {
                child.kill().expect("a kill");
                kills += 1;
                inside += usize::from(killed.path().join("checkpoints").exists());
            }
            // It finished, so it starts from the beginning.
            Some(status) => {
                assert!(status.success());
                std::fs::remove_dir_all(killed.path().join("checkpoints")).expect("removed");
                std::fs::remove_file(killed.path().join("end.safetensors")).expect("removed");
            }
        }
        child.wait().expect("an end");
    }
    assert!(start(killed.path()).status().expect("it runs").success());
    let end = |dir: &Path| std::fs::read(dir.join("end.safetensors")).expect("parameters");
    assert_eq!(end(killed.path()), end(whole.path()), "the parameters differ");
    println!(
        "killed {kills} times, {inside} of them after a first checkpoint: the same {} bytes",
        end(whole.path()).len()
    );
}
