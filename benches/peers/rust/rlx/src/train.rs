//! The training step, with the same library, model and optimizer as `rlx bench train`.

use crate::{Work, nothing};
use peer_protocol::{Problem, Value, numbers};
use rlx_ir::{DType, Graph, Op};
use rlx_models::gpt::{self, GptConfig};
use rlx_models::weights::Weights;
use rlx_runtime::CpuOptions;
use rlx_train::{Optimizer, TrainConfig, TrainingSession};
use std::collections::HashMap;
use std::path::Path;

const MODEL: GptConfig =
    GptConfig { vocab: 8192, layers: 6, width: 384, heads: 12, intermediate: 1536, context: 128 };
const BATCH: usize = 8;
const OPTIMIZER: Optimizer = Optimizer::AdamW { b1: 0.9, b2: 0.95, eps: 1e-8, weight_decay: 0.1 };
/// Losses to compare with the reference.
const CHECKED: usize = 8;

pub fn step(data: &Path, threads: usize) -> Result<(Work, Value, Vec<f32>), Problem> {
    let graph = gpt::loss_graph(&MODEL, BATCH, MODEL.context)?;
    let values = starts(&graph, &data.join("train.safetensors"))?;
    let names: Vec<String> = values.keys().cloned().collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let config = TrainConfig { lr: 3e-4, optimizer: OPTIMIZER };
    let session = TrainingSession::try_new(graph, &names, values, config)?;
    let mut session =
        session.with_fused_optimizer().with_backend_options(CpuOptions::new().num_threads(threads));
    let tokens = numbers(&data.join("train-tokens.i32"), i32::from_le_bytes)?;
    let mut done = 0;
    let mut step = move || -> Result<f32, Problem> {
        let (inputs, targets) = batch(&tokens, done);
        done += 1;
        let given = [("tokens", &inputs[..], DType::I32), ("targets", &targets[..], DType::I32)];
        Ok(session.step_typed(&given)?.loss)
    };
    let losses: Result<Vec<f32>, Problem> = (0..CHECKED).map(|_| step()).collect();
    let work: Work = Box::new(move || step().map(|_| ()));
    Ok((work, nothing(), losses?))
}

/// The initial parameters. The file is closed afterwards, so it does not count as memory of the step.
fn starts(graph: &Graph, file: &Path) -> Result<HashMap<String, Vec<f32>>, Problem> {
    let weights = Weights::open(file)?;
    let mut values = HashMap::new();
    for node in graph.params() {
        if let Op::Param { name } = node.op() {
            values.insert(name.clone(), weights.tensor(name)?.to_f32()?.into_owned());
        }
    }
    Ok(values)
}

/// The tokens of a step, and the token that follows each.
fn batch(tokens: &[i32], step: usize) -> (Vec<u8>, Vec<u8>) {
    let length = MODEL.context + 1;
    let examples = tokens.len() / (BATCH * length);
    let rows = &tokens[step % examples * BATCH * length..][..BATCH * length];
    let part = |from: usize| {
        rows.chunks_exact(length)
            .flat_map(|row| row[from..from + length - 1].iter().flat_map(|id| id.to_le_bytes()))
            .collect()
    };
    (part(0), part(1))
}
