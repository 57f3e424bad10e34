//! Trains `gpt` models, which predict the next byte of a text. The last tenth of the text is kept for validation.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use rlx_ir::math::random::SplitMix64;
use rlx_ir::{DType, Graph};
use rlx_models::files::read_bounded;
use rlx_models::gpt::{self, GptConfig};
use rlx_train::{TrainError, TrainingSession};

use super::task::{Input, Task, drawn, ids, views};
use crate::failure::Failure;

/// Number of validation batches to evaluate.
const VALIDATION_BATCHES: u64 = 8;
/// Maximum size of the text, in bytes. All of it is kept in memory.
const MAX_TEXT: u64 = 4 << 30;

/// Why a text cannot be trained on.
#[derive(Debug, thiserror::Error)]
pub enum TextError {
    #[error("{path}: {bytes} bytes are too few; examples have {needed} bytes, and a tenth of the text is for validation", path = path.display())]
    TooShort { path: PathBuf, bytes: usize, needed: usize },
}

/// The task.
pub struct Text {
    config: GptConfig,
    batch: usize,
    seed: u64,
    train: Vec<u8>,
    validation: Vec<u8>,
}

impl Text {
    pub fn open(path: &Path, config: GptConfig, batch: usize, seed: u64) -> Result<Self, Failure> {
        let mut train = read_bounded(path, MAX_TEXT)?;
        let validation = train.split_off(train.len() - train.len() / 10);
        let needed = config.context + 1;
        if validation.len() < needed {
            let bytes = train.len() + validation.len();
            return Err(TextError::TooShort { path: path.to_path_buf(), bytes, needed }.into());
        }
        Ok(Text { config, batch, seed, train, validation })
    }

    fn examples(&self, text: &[u8], mut random: SplitMix64) -> Vec<Input> {
        let seq = self.config.context;
        let places: Vec<usize> = (0..self.batch).map(|_| random.below(text.len() - seq)).collect();
        let from = |shift: usize| {
            let places = places.clone();
            ids(places
                .into_iter()
                .flat_map(move |p| text[p + shift..p + shift + seq].iter().map(|&b| i32::from(b))))
        };
        vec![("tokens", from(0), DType::I32), ("targets", from(1), DType::I32)]
    }
}

impl Task for Text {
    fn graph(&self) -> Result<Graph, Failure> {
        Ok(gpt::loss_graph(&self.config, self.batch, self.config.context)?)
    }

    fn initial(&self, graph: &Graph, seed: u64) -> Result<HashMap<String, Vec<f32>>, Failure> {
        Ok(drawn(graph, seed, |name, _| gpt::initial(name, &self.config)))
    }

    fn batch(&mut self, step: u64) -> Vec<Input> {
        self.examples(&self.train, SplitMix64::stream(self.seed, step))
    }

    fn measures(&self) -> &'static [&'static str] {
        &["validation_loss", "unigram_entropy"]
    }

    fn evaluate(&mut self, session: &mut TrainingSession) -> Result<Vec<(&'static str, f64)>, TrainError> {
        let mut loss = 0.0;
        for i in 0..VALIDATION_BATCHES {
            // The same examples for every evaluation.
            let inputs = self.examples(&self.validation, SplitMix64::stream(!self.seed, i));
            loss += f64::from(session.eval_typed(&views(&inputs))?.loss) / VALIDATION_BATCHES as f64;
        }
        Ok(vec![("validation_loss", loss), ("unigram_entropy", entropy(&self.validation))])
    }
}

/// The entropy of single bytes in nats: the loss of a model that knows only how often each byte occurs.
fn entropy(text: &[u8]) -> f64 {
    let mut counts = [0usize; 256];
    text.iter().for_each(|&b| counts[usize::from(b)] += 1);
    let share = |&c: &usize| c as f64 / text.len() as f64;
    -counts.iter().filter(|&&c| c > 0).map(share).map(|p| p * p.ln()).sum::<f64>()
}
