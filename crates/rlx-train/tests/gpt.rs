//! A tiny GPT compared with PyTorch, and the memory plan of a larger one.

use rlx_ir::{DType, Graph, Shape};
use rlx_models::gpt::{GptConfig, loss_graph};
use rlx_session::CpuOptions;
use rlx_train::{Optimizer, TrainConfig, TrainingSession};
use std::collections::HashMap;

/// From `scripts/training_goldens.py`.
const LOSSES: &str = include_str!("gpt_losses.txt");

const TINY: GptConfig =
    GptConfig { vocab: 61, layers: 2, width: 32, heads: 4, intermediate: 64, context: 16 };
const BATCH: usize = 4;

/// Returns the parameters in order, with the values that the script gives them.
fn values(graph: &Graph) -> HashMap<String, Vec<f32>> {
    let sized = |(name, shape): (&str, &Shape)| (name.to_string(), shape.num_elements().expect("static"));
    let mut params: Vec<(String, usize)> = graph.named_params().map(sized).collect();
    params.sort();
    let value = |(k, (name, count)): (usize, (String, usize))| {
        let one = if name.contains("norm") && name.ends_with("weight") { 1.0 } else { 0.0 };
        let wave = |i: usize| ((i as f64 * 0.7 + k as f64).sin() * 0.2 + one) as f32;
        (name, (0..count).map(wave).collect())
    };
    params.into_iter().enumerate().map(value).collect()
}

fn token(example: usize, row: usize, at: usize) -> i32 {
    ((at * at * 3 + at * (row + 2) + example * 11 + row) % TINY.vocab) as i32
}

fn batch(example: usize, shift: usize) -> Vec<u8> {
    let row = |r: usize| (0..TINY.context).map(move |i| token(example, r, i + shift));
    (0..BATCH).flat_map(row).flat_map(i32::to_le_bytes).collect()
}

fn session(graph: Graph, lr: f32) -> TrainingSession {
    let init = values(&graph);
    let names: Vec<String> = init.keys().cloned().collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let optimizer = Optimizer::AdamW { b1: 0.9, b2: 0.95, eps: 1e-8, weight_decay: 0.1 };
    TrainingSession::new(graph, &names, init, TrainConfig { lr, optimizer })
        .with_backend_options(CpuOptions::new().num_threads(2))
}

#[test]
fn losses_are_those_of_pytorch() {
    let expected: Vec<f32> =
        LOSSES.lines().filter(|l| !l.starts_with('#')).map(|l| l.parse().expect("a number")).collect();
    assert_eq!(expected.len(), 20);
    let graph = loss_graph(&TINY, BATCH, TINY.context).expect("valid");
    for fused in [true, false] {
        let mut session = session(graph.clone(), 3e-3);
        if fused {
            session = session.with_fused_optimizer();
        }
        let step = |i: usize| {
            let (tokens, targets) = (batch(i % 4, 0), batch(i % 4, 1));
            let inputs: [(&str, &[u8], DType); 2] =
                [("tokens", &tokens, DType::I32), ("targets", &targets, DType::I32)];
            session.step_typed(&inputs).expect("a step").loss
        };
        let losses: Vec<f32> = (0..20).map(step).collect();
        let largest = losses.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(largest <= 1e-5, "fused {fused}: {largest:e}\n{losses:?}\n{expected:?}");
        assert!(expected[19] < 0.85 * expected[0], "nothing was learnt");
    }
}

#[test]
fn the_plan_of_a_step_holds_every_value_once() {
    // The model of `benches/peers/workers/gpt.py`: parameters and moments take 158 MiB, gradients 53 MiB, and the rest is what the backward
    // pass needs from the forward pass. Only the plan is tested; nothing runs.
    let config =
        GptConfig { vocab: 8192, layers: 6, width: 384, heads: 12, intermediate: 1536, context: 128 };
    let mut session = session(loss_graph(&config, 8, 128).expect("valid"), 3e-4).with_fused_optimizer();
    session.try_prepare().expect("it compiles");
    let mib = session.memory_bytes() as f64 / f64::from(1 << 20);
    assert!(mib < 430.0, "{mib} MiB");
}
