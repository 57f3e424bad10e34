//! A model of sentences as its folder holds it: every file read, and each held against the others. What runs it
//! starts from here.

use std::path::Path;

use thiserror::Error;

use crate::bert::{self, BertConfig, BertWeights, ConfigError, MismatchError};
use crate::sentence::SentenceConfig;
use crate::tokenize::{SentenceTokenizer, TokenizeError};
use crate::weights::{Weights, WeightsError};

/// The files of a model of sentences.
#[derive(Debug)]
pub struct SentenceModel {
    /// Sizes and settings of the encoder.
    pub encoder: BertConfig,
    /// Pooling, normalisation, the longest input.
    pub sentence: SentenceConfig,
    /// From text to tokens.
    pub tokenizer: SentenceTokenizer,
    /// The tensors.
    pub weights: Weights,
    /// Where in [`weights`](Self::weights) each parameter of the encoder is.
    pub names: BertWeights,
}

/// Why the files of a model cannot be used.
#[derive(Debug, Error)]
pub enum ModelError {
    /// A file of settings.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The tokenizer.
    #[error(transparent)]
    Tokenizer(#[from] TokenizeError),
    /// The files of weights.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// The weights are those of another model.
    #[error(transparent)]
    Mismatch(#[from] MismatchError),
}

impl SentenceModel {
    /// Reads the model in the folder `dir`; its weights are mapped into memory ([`Weights::open`]).
    ///
    /// # Errors
    /// A [`ModelError`] that names the file and what is wrong with it.
    pub fn load(dir: &Path) -> Result<Self, ModelError> {
        let sentence = SentenceConfig::load(dir)?;
        let encoder = BertConfig::load(&sentence.encoder.join("config.json"))?;
        let tokenizer = SentenceTokenizer::load(&encoder, &sentence)?;
        let weights = Weights::open(&sentence.encoder)?;
        let names = bert::check(&encoder, &weights)?;
        Ok(SentenceModel { encoder, sentence, tokenizer, weights, names })
    }

    /// Numbers in the vector of a text.
    pub fn output_size(&self) -> usize {
        self.sentence.output_size(self.encoder.hidden_size)
    }
}
