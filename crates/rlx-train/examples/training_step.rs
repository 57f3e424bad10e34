//! Times steps of a GPT of 14 million parameters on 8 × 128 tokens and prints one JSON object: times, memory, losses.
//! `scripts/bench_training.py` runs it beside PyTorch and JAX.
//!
//! `cargo run --release -p rlx-train --example training_step -- THREADS STEPS [WEIGHTS.safetensors TOKENS.npy]`

use rlx_ir::{DType, Op};
use rlx_models::gpt::{self, GptConfig, Initial};
use rlx_models::npy;
use rlx_models::weights::Weights;
use rlx_train::{Optimizer, Random, TrainConfig, TrainingSession};
use std::collections::HashMap;
use std::error::Error;
use std::path::Path;
use std::time::Instant;

const MODEL: GptConfig =
    GptConfig { vocab: 8192, layers: 6, width: 384, heads: 12, intermediate: 1536, context: 128 };
const BATCH: usize = 8;
/// Steps that are not timed.
const WARM_UP: usize = 2;

#[allow(clippy::print_stdout)]
fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (threads, steps, files) = match &args[..] {
        [threads, steps] => (threads.parse()?, steps.parse::<usize>()?, None),
        [threads, steps, weights, tokens] => (threads.parse()?, steps.parse()?, Some((weights, tokens))),
        _ => return Err("usage: training_step THREADS STEPS [WEIGHTS.safetensors TOKENS.npy]".into()),
    };
    let start = status_bytes("VmRSS:");
    let ids = match &files {
        Some((_, path)) => read_tokens(Path::new(path))?,
        None => {
            let mut random = Random::new(1, 0);
            (0..4 * BATCH * (MODEL.context + 1)).map(|_| random.below(MODEL.vocab) as i32).collect()
        }
    };
    let mut session = session(threads, files.map(|f| Path::new(f.0)))?;
    let (mut losses, mut times) = (Vec::new(), Vec::new());
    for step in 0..steps {
        let (tokens, targets) = batch(&ids, step);
        let begin = Instant::now();
        let report =
            session.step_typed(&[("tokens", &tokens, DType::I32), ("targets", &targets, DType::I32)])?;
        times.extend((step >= WARM_UP).then(|| begin.elapsed().as_secs_f64() * 1e3));
        losses.push(report.loss);
    }
    times.sort_by(f64::total_cmp);
    let median = times.get(times.len() / 2).copied().unwrap_or(0.0);
    let best = times.first().copied().unwrap_or(0.0);
    let peak = status_bytes("VmHWM:");
    println!(
        "{{\"median_ms\": {median}, \"best_ms\": {best}, \"peak_bytes\": {peak}, \"peak_over_start_bytes\": {}, \
         \"program_bytes\": {}, \"losses\": {losses:?}}}",
        peak.saturating_sub(start),
        session.memory_bytes()
    );
    Ok(())
}

fn session(threads: usize, weights: Option<&Path>) -> Result<TrainingSession, Box<dyn Error>> {
    let graph = gpt::loss_graph(&MODEL, BATCH, MODEL.context)?;
    let weights = weights.map(Weights::open).transpose()?;
    let mut values: HashMap<String, Vec<f32>> = HashMap::new();
    for (i, node) in graph.params().enumerate() {
        let Op::Param { name } = node.op() else { continue };
        let value = match &weights {
            Some(weights) => weights.tensor(name)?.to_f32()?.into_owned(),
            None => {
                let mut random = Random::new(0, i as u64);
                let draw = |_| match gpt::initial(name, &MODEL) {
                    Initial::Constant(value) => value as f32,
                    Initial::Normal(size) | Initial::Uniform(size) => (random.normal() * size) as f32,
                };
                (0..node.shape().num_elements().unwrap_or(0)).map(draw).collect()
            }
        };
        values.insert(name.clone(), value);
    }
    let names: Vec<String> = values.keys().cloned().collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let optimizer = Optimizer::AdamW { b1: 0.9, b2: 0.95, eps: 1e-8, weight_decay: 0.1 };
    let session = TrainingSession::try_new(graph, &names, values, TrainConfig { lr: 3e-4, optimizer })?;
    Ok(session.with_fused_optimizer().with_threads(threads))
}

/// Tokens `[examples, BATCH, context + 1]`.
fn read_tokens(path: &Path) -> Result<Vec<i32>, Box<dyn Error>> {
    let array = npy::read(path)?;
    if array.dtype != DType::I32 || array.shape.len() != 3 || array.shape[1..] != [BATCH, MODEL.context + 1] {
        return Err(format!("{}: expected int32 tokens of shape [examples, 8, 129]", path.display()).into());
    }
    Ok(array.bytes.as_chunks::<4>().0.iter().map(|b| i32::from_le_bytes(*b)).collect())
}

/// The tokens of a step, and those that follow them.
fn batch(ids: &[i32], step: usize) -> (Vec<u8>, Vec<u8>) {
    let length = MODEL.context + 1;
    let examples = ids.len() / (BATCH * length);
    let rows = &ids[step % examples.max(1) * BATCH * length..][..BATCH * length];
    let part = |from: usize| {
        let row = |r: &[i32]| r[from..from + length - 1].to_vec();
        rows.chunks_exact(length).flat_map(row).flat_map(i32::to_le_bytes).collect()
    };
    (part(0), part(1))
}

/// What the system says of this process's memory; 0 where it says nothing.
fn status_bytes(key: &str) -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix(key)).unwrap_or_default();
    line.trim().strip_suffix(" kB").and_then(|kb| kb.trim().parse::<usize>().ok()).unwrap_or(0) * 1024
}
