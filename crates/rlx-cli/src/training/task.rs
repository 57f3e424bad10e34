//! The interface of a task: the loss, initial parameters, batches, evaluation, and the trained model.

use std::collections::HashMap;
use std::error::Error;
use std::path::{Path, PathBuf};

use rlx_ir::math::random::SplitMix64;
use rlx_ir::{DType, Graph};
use rlx_models::gpt::Initial;
use rlx_models::model::SentenceModel;
use rlx_train::{TrainError, TrainingSession};

use super::config::{Config, Convnet, Model};
use super::{digits, llm, pairs, text};
use crate::failure::Failure;
use crate::settings::Settings;

/// An input of a step: its name, bytes and type.
pub type Input = (&'static str, Vec<u8>, DType);

/// The numbers of an evaluation, with their names.
pub type Numbers = Vec<(&'static str, f64)>;

/// A task. Batches depend only on the step, so that an interrupted run continues with the same examples.
pub trait Task {
    /// Notes about the examples and the model before training.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// The loss as a graph.
    fn graph(&self) -> Result<Graph, Failure>;

    /// The initial values of the graph's parameters.
    fn initial(&self, graph: &Graph, seed: u64) -> Result<HashMap<String, Vec<f32>>, Failure>;

    /// The inputs of a step, counted from 0.
    fn batch(&mut self, step: u64) -> Vec<Input>;

    /// The names of an evaluation's numbers, a loss first.
    fn measures(&self) -> &'static [&'static str];

    /// Evaluates the session on examples it is not trained on. The numbers have the names above.
    fn evaluate(&mut self, session: &mut TrainingSession) -> Result<Numbers, TrainError>;

    /// Whether some examples are reserved for a test.
    fn has_test(&self) -> bool {
        false
    }

    /// Evaluates the session on the test examples.
    fn test(&mut self, _: &mut TrainingSession) -> Result<Numbers, TrainError> {
        Ok(Numbers::new())
    }

    /// The file in the folder of the run for the trained parameters. Writes the other files that a model needs next to it.
    fn target(&self, dir: &Path) -> Result<PathBuf, Failure> {
        Ok(dir.join("model.safetensors"))
    }

    /// The name of a parameter in that file.
    fn tensor_name(&self, param: &str) -> String {
        param.into()
    }
}

/// The task of a configuration.
pub fn open(config: &Config, settings: &Settings) -> Result<Box<dyn Task>, Failure> {
    let data = config.file("data.path", &config.data.path)?;
    let (batch, seed) = (config.run.batch, config.run.seed);
    Ok(match &config.model {
        Model::Convnet(Convnet { channels, hidden }) => {
            let model = digits::model(*channels, *hidden);
            Box::new(digits::Digits::open(&data, model, batch, seed, &config.data)?)
        }
        Model::Gpt(sizes) => Box::new(text::Text::open(&data, sizes.model(), batch, seed)?),
        Model::Llm(model) => Box::new(llm::LanguageTask::open(&data, model, config)?),
        Model::Embedding(base) => {
            // A folder is relative to the configuration's folder.
            let named = config.beside(Path::new(&base.base));
            let name = if named.is_dir() { named.to_string_lossy().into_owned() } else { base.base.clone() };
            let unusable = |error: &(dyn Error + 'static)| config.refuse_file("model.base", error);
            let folder = settings.model(&name).map_err(|failure| match failure {
                Failure::Failed(error) => Failure::from(unusable(error.as_ref())),
                other => other,
            })?;
            let model = SentenceModel::load(&folder).map_err(|error| unusable(&error))?;
            Box::new(pairs::Pairs::open(&data, folder, model, base, batch, seed)?)
        }
    })
}

/// Random values for the parameters of a graph. Each parameter draws from its own stream of the seed; `kind` returns
/// how to draw the values of a parameter with this name and these sizes.
pub fn drawn(
    graph: &Graph,
    seed: u64,
    kind: impl Fn(&str, &[usize]) -> Initial,
) -> HashMap<String, Vec<f32>> {
    let mut values = HashMap::new();
    for (i, (name, shape)) in graph.named_params().enumerate() {
        let dims = shape.static_dims().unwrap_or_default();
        let kind = kind(name, &dims);
        let mut random = SplitMix64::stream(seed, 1 << 32 | i as u64);
        let draw = |_| match kind {
            Initial::Constant(value) => value as f32,
            Initial::Normal(deviation) => (random.normal() * deviation) as f32,
            Initial::Uniform(limit) => ((2.0 * random.unit() - 1.0) * limit) as f32,
        };
        values.insert(name.to_string(), (0..dims.iter().product()).map(draw).collect());
    }
    values
}

/// Whole numbers as little-endian bytes.
pub fn ids(numbers: impl Iterator<Item = i32>) -> Vec<u8> {
    numbers.flat_map(i32::to_le_bytes).collect()
}

/// The inputs as sessions take them.
pub fn views(inputs: &[Input]) -> Vec<(&str, &[u8], DType)> {
    inputs.iter().map(|(name, bytes, dtype)| (*name, bytes.as_slice(), *dtype)).collect()
}
