//! Reads the parameters that a training run wrote, and checks them against the model of a configuration.

use std::path::PathBuf;

use rlx_ir::Graph;
use rlx_models::weights::{Weights, WeightsError};
use rlx_models::{convnet, gpt};

use super::config::{Config, Convnet, Model};
use super::digits;
use super::run::{self, MODEL};
use crate::failure::Failure;

/// Maximum number of problems to list.
const MOST: usize = 4;

/// Why there is no trained model.
#[derive(Debug, thiserror::Error)]
pub enum TrainedError {
    #[error("{dir}: no trained model; `rlx train {config}` makes one", dir = dir.display(), config = config.display())]
    None { dir: PathBuf, config: PathBuf },
    #[error(transparent)]
    Weights(#[from] WeightsError),
    #[error("{path}: the parameters belong to a different model than the configuration describes: {problems}", path = path.display())]
    Other { path: PathBuf, problems: String },
}

/// The graph of a trained model: images or bytes in, logits out.
fn logits_graph(model: &Model) -> Result<Graph, Failure> {
    match model {
        Model::Convnet(Convnet { channels, hidden }) => {
            Ok(convnet::logits_graph(&digits::model(*channels, *hidden))?)
        }
        Model::Gpt(sizes) => {
            let sizes = sizes.model();
            Ok(gpt::logits_graph(&sizes, sizes.context)?)
        }
        Model::Llm(_) | Model::Embedding(_) => {
            Err(Failure::usage("a model of this kind is a folder: use `model` in the folder of the run"))
        }
    }
}

/// Trained parameters.
#[derive(Debug)]
pub struct Trained {
    pub path: PathBuf,
    pub weights: Weights,
}

impl Trained {
    /// Opens a file of parameters, or a checkpoint.
    pub fn open(path: PathBuf) -> Result<Self, TrainedError> {
        Ok(Trained { weights: Weights::open(&path)?, path })
    }

    /// The parameters that the run of a configuration wrote, or its newest checkpoint if that is later.
    pub fn find(config: &Config) -> Result<Self, Failure> {
        let dir = config.beside(&config.run.dir);
        let newest = run::checkpoints(config, Vec::new()).list()?.into_iter().next().map(|(_, path)| path);
        let written = |path: &PathBuf| std::fs::metadata(path).and_then(|about| about.modified()).ok();
        // A run that was started over has newer checkpoints than its last result.
        let found = newest.into_iter().chain([dir.join("model.safetensors")]);
        let latest = found.filter_map(|path| Some((written(&path)?, path))).max_by_key(|(at, _)| *at);
        match latest {
            Some((_, path)) => Ok(Self::open(path)?),
            None => Err(TrainedError::None { dir, config: config.path.clone() }.into()),
        }
    }

    /// The graph of the model, and the values of its parameters.
    pub fn asked(&self, model: &Model) -> Result<(Graph, Vec<(String, Vec<f32>)>), Failure> {
        let graph = logits_graph(model)?;
        self.check(model, &graph)?;
        let value = |(name, _)| Ok((String::from(name), self.weights.tensor(name)?.to_f32()?.into_owned()));
        let values = graph.named_params().map(value).collect::<Result<_, WeightsError>>()?;
        Ok((graph, values))
    }

    /// Fails unless the parameters are exactly those of the model whose graph is `graph`, with the same shapes.
    pub fn check(&self, model: &Model, graph: &Graph) -> Result<(), TrainedError> {
        let mut problems = Vec::new();
        if let Some(said) = self.weights.metadata().get(MODEL).filter(|said| **said != model.identity()) {
            problems.push(format!("it was trained as {said}, the configuration says {}", model.identity()));
        }
        let mut known = Vec::new();
        for (name, shape) in graph.named_params() {
            let expected = shape.static_dims().unwrap_or_default();
            match self.weights.get(name).map(|tensor| tensor.shape().to_vec()) {
                None => problems.push(format!("`{name}` is missing")),
                Some(found) if found != expected => {
                    problems.push(format!("`{name}` has the shape {found:?}, expected {expected:?}"));
                }
                Some(_) => {}
            }
            known.push(name);
        }
        // A checkpoint stores the optimizer's state of a parameter as PARAMETER.SLOT.
        let belongs = |name: &str| {
            known
                .iter()
                .any(|k| name.strip_prefix(k).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')))
        };
        let others = self.weights.iter().filter(|tensor| !belongs(tensor.name()));
        problems.extend(others.map(|tensor| format!("{:?} is not a parameter of it", tensor.name())));
        if problems.is_empty() {
            return Ok(());
        }
        if problems.len() > MOST {
            let more = problems.len() - MOST;
            problems.truncate(MOST);
            problems.push(format!("and {more} more"));
        }
        Err(TrainedError::Other { path: self.path.clone(), problems: problems.join("; ") })
    }
}
