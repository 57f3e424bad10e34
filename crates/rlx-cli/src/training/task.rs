//! What is trained: a loss, where it starts, the batch of each step, and how well it does.

use std::collections::HashMap;

use rlx_ir::{DType, Graph, Op};
use rlx_models::gpt::Initial;
use rlx_train::{Random, TrainError, TrainingSession};

use super::config::{Config, Model};
use super::{digits, text};
use crate::failure::Failure;

/// One input of a step: its name, its bytes, its type.
pub type Input = (&'static str, Vec<u8>, DType);

/// A task. Batches follow from the step alone, so that a training that was interrupted sees what it would have seen.
pub trait Task {
    /// The loss as a graph.
    fn graph(&self) -> Result<Graph, Failure>;

    /// What a parameter starts from.
    fn initial(&self, name: &str, dims: &[usize]) -> Initial;

    /// The inputs of a step, counted from 0.
    fn batch(&mut self, step: u64) -> Vec<Input>;

    /// How well the session does on what it is not trained on: a name and a number each.
    fn evaluate(&mut self, session: &mut TrainingSession) -> Result<Vec<(&'static str, f64)>, TrainError>;
}

/// The task of a configuration.
pub fn open(config: &Config) -> Result<Box<dyn Task>, Failure> {
    let data = config.beside(&config.file.data.path);
    let (batch, seed) = (*config.file.run.batch.get_ref(), config.file.run.seed);
    Ok(match config.file.model {
        Model::Convnet { channels, hidden } => {
            Box::new(digits::Digits::open(&data, channels, hidden, batch, seed)?)
        }
        Model::Gpt { .. } => Box::new(text::Text::open(&data, text::sizes(&config.file.model), batch, seed)?),
    })
}

/// The values that training starts from, each from a stream of the seed by its place in the graph.
pub fn initial_values(task: &dyn Task, graph: &Graph, seed: u64) -> HashMap<String, Vec<f32>> {
    let mut values = HashMap::new();
    for (i, node) in graph.params().enumerate() {
        let Op::Param { name } = node.op() else { continue };
        let dims = node.shape().static_dims().unwrap_or_default();
        let count = dims.iter().product();
        let mut random = Random::new(seed, 1 << 32 | i as u64);
        let draw = |_| match task.initial(name, &dims) {
            Initial::Constant(value) => value as f32,
            Initial::Normal(deviation) => (random.normal() * deviation) as f32,
            Initial::Uniform(limit) => ((2.0 * random.uniform() - 1.0) * limit) as f32,
        };
        values.insert(name.clone(), (0..count).map(draw).collect());
    }
    values
}

/// Little-endian bytes of whole numbers.
pub fn ids(numbers: impl Iterator<Item = i32>) -> Vec<u8> {
    numbers.flat_map(i32::to_le_bytes).collect()
}

/// Views of inputs as sessions take them.
pub fn views(inputs: &[Input]) -> Vec<(&str, &[u8], DType)> {
    inputs.iter().map(|(name, bytes, dtype)| (*name, bytes.as_slice(), *dtype)).collect()
}
