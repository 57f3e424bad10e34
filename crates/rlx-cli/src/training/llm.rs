//! Trains `llm` models: language models of any family, on predicting the next token. The vocabulary is learned from the
//! training text; the last tenth of the text is kept for validation.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use rlx_ir::math::random::SplitMix64;
use rlx_ir::{DType, Graph};
use rlx_llm::Blueprint;
use rlx_models::files::{make_folder, read_text, write_atomically};
use rlx_tokenizer::{Encode, TEXT_END, Tokenizer, learn_bpe};
use rlx_train::{TrainError, TrainingSession};
use serde_json::json;

use super::config::{Config, Llm};
use super::notes;
use super::task::{Input, Task, drawn, ids, views};
use crate::engine::machine_memory;
use crate::failure::Failure;
use crate::units;

/// Number of validation batches to evaluate.
const VALIDATION_BATCHES: u64 = 16;
/// Maximum size of the text, in bytes. The whole text and its tokens are kept in memory.
const MAX_TEXT: u64 = 1 << 30;
/// Maximum size of `config.json`, in bytes.
const MAX_CONFIG: u64 = 1 << 20;
/// Every vocabulary has all bytes, and the token between texts.
const LEAST_VOCAB: usize = 257;
/// Minimum memory per parameter, in bytes: its value, its initial value, its gradient, and two moments.
const PARAMETER: u64 = 20;

/// Why a text cannot be trained on.
#[derive(Debug, thiserror::Error)]
pub enum LlmTaskError {
    #[error(
        "{path}: {tokens} tokens are too few; examples have {needed} tokens, and a tenth of the text is for validation",
        path = path.display()
    )]
    TooShort { path: PathBuf, tokens: usize, needed: usize },
}

/// The task.
pub struct LanguageTask {
    model: Blueprint,
    /// The other files of the model's folder, by name.
    files: Vec<(&'static str, String)>,
    context: usize,
    batch: usize,
    seed: u64,
    train: Vec<u32>,
    validation: Vec<u32>,
}

impl LanguageTask {
    pub fn open(data: &Path, llm: &Llm, config: &Config) -> Result<Self, Failure> {
        let sizes = config.file("model.config", &llm.config)?;
        let model = Blueprint::open(&sizes).map_err(|e| config.refuse_file("model.config", &e))?;
        let (vocab, most) = (model.spec().vocab, model.spec().context);
        if vocab < LEAST_VOCAB {
            let problem = format!("has `vocab_size` {vocab}; it must be at least {LEAST_VOCAB}");
            return Err(config.refuse("model.config", problem).into());
        }
        if llm.context > most {
            let problem = format!("is {}; the model was made for {most} tokens", llm.context);
            return Err(config.refuse("model.context", problem).into());
        }
        check_memory(&model, config)?;
        let text = read_text(data, MAX_TEXT)?;
        let tokenizer_json = learn_bpe(text.split(TEXT_END), vocab, data)?;
        let how = Encode { ends: true, special: true };
        let mut train = Tokenizer::from_json(&tokenizer_json, data)?.encode(&text, how)?;
        let validation = train.split_off(train.len() - train.len() / 10);
        let needed = llm.context + 1;
        if validation.len() < needed {
            let tokens = train.len() + validation.len();
            return Err(LlmTaskError::TooShort { path: data.to_path_buf(), tokens, needed }.into());
        }
        let tokenizer_config = json!({
            "tokenizer_class": "PreTrainedTokenizerFast", "bos_token": TEXT_END, "eos_token": TEXT_END,
            "model_max_length": most, "clean_up_tokenization_spaces": false,
        });
        let files = vec![
            ("config.json", read_text(&sizes, MAX_CONFIG)?),
            ("tokenizer.json", tokenizer_json),
            ("tokenizer_config.json", format!("{tokenizer_config:#}\n")),
        ];
        let (batch, seed) = (config.run.batch, config.run.seed);
        Ok(LanguageTask { model, files, context: llm.context, batch, seed, train, validation })
    }

    fn examples(&self, text: &[u32], mut random: SplitMix64) -> Vec<Input> {
        let seq = self.context;
        let places: Vec<usize> = (0..self.batch).map(|_| random.below(text.len() - seq)).collect();
        let from = |shift: usize| {
            let windows = places.iter().flat_map(|p| &text[p + shift..p + shift + seq]);
            ids(windows.map(|&id| id as i32))
        };
        vec![("tokens", from(0), DType::I32), ("targets", from(1), DType::I32)]
    }
}

/// Fails if the parameters do not fit into the machine's memory.
fn check_memory(model: &Blueprint, config: &Config) -> Result<(), Failure> {
    let graph = model.loss_graph(1, 1)?;
    let sizes = graph.named_params().filter_map(|(_, shape)| shape.static_dims());
    let count = sizes
        .map(|dims| dims.iter().fold(1u64, |n, &dim| n.saturating_mul(dim as u64)))
        .fold(0u64, u64::saturating_add);
    let needed = count.saturating_mul(PARAMETER);
    match machine_memory() {
        Some(memory) if needed > memory => {
            let [needed, memory] =
                [needed, memory].map(|n| units::bytes(usize::try_from(n).unwrap_or(usize::MAX)));
            let problem = format!(
                "describes {count} parameters, which need at least {needed}, but there are {memory} of memory"
            );
            Err(config.refuse("model.config", problem).into())
        }
        _ => Ok(()),
    }
}

impl Task for LanguageTask {
    fn notes(&self) -> Vec<String> {
        let config = self.files.iter().find(|(name, _)| *name == "config.json");
        config.map(|(_, text)| notes::unheeded("model.config", text)).unwrap_or_default()
    }

    fn graph(&self) -> Result<Graph, Failure> {
        Ok(self.model.loss_graph(self.batch, self.context)?)
    }

    fn initial(&self, graph: &Graph, seed: u64) -> Result<HashMap<String, Vec<f32>>, Failure> {
        Ok(drawn(graph, seed, |name, _| self.model.initial(name)))
    }

    fn batch(&mut self, step: u64) -> Vec<Input> {
        self.examples(&self.train, SplitMix64::stream(self.seed, step))
    }

    fn measures(&self) -> &'static [&'static str] {
        &["validation_loss"]
    }

    fn evaluate(&mut self, session: &mut TrainingSession) -> Result<Vec<(&'static str, f64)>, TrainError> {
        let mut loss = 0.0;
        for i in 0..VALIDATION_BATCHES {
            // The same examples for every evaluation.
            let inputs = self.examples(&self.validation, SplitMix64::stream(!self.seed, i));
            loss += f64::from(session.eval_typed(&views(&inputs))?.loss) / VALIDATION_BATCHES as f64;
        }
        Ok(vec![("validation_loss", loss)])
    }

    /// A folder that both `rlx generate` and `transformers` can load.
    fn target(&self, dir: &Path) -> Result<PathBuf, Failure> {
        let folder = dir.join("model");
        make_folder(&folder)?;
        for (name, text) in &self.files {
            write_atomically(&folder.join(name), |out| out.write_all(text.as_bytes()))?;
        }
        Ok(folder.join("model.safetensors"))
    }

    fn tensor_name(&self, param: &str) -> String {
        self.model.tensor_name(param)
    }
}
