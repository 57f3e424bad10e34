//! Reads the folder of a sentence model: every file, each checked against the others. What runs it starts from
//! here.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::bert::{self, BertConfig, BertWeights, ConfigError, MismatchError, parameters};
use crate::files::{FileError, make_folder, open_regular, write_atomically};
use crate::sentence::{SentenceConfig, check_width, folders};
use crate::tokenize::{SentenceTokenizer, TokenizeError};
use crate::weights::{Weights, WeightsError};

/// The files of a model of sentences.
#[derive(Debug)]
pub struct SentenceModel {
    /// Sizes and settings of the encoder.
    pub encoder: BertConfig,
    /// Pooling, normalization, the longest input.
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
    /// A file that cannot be copied.
    #[error(transparent)]
    File(#[from] FileError),
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
        check_width(dir, encoder.hidden_size)?;
        let tokenizer = SentenceTokenizer::load(&encoder, &sentence)?;
        let weights = Weights::open(&sentence.encoder)?;
        let names = bert::check(&encoder, &weights)?;
        Ok(SentenceModel { encoder, sentence, tokenizer, weights, names })
    }

    /// A sentence for each setting of the encoder of the model in the folder `dir` that nothing here knows: it has no effect.
    ///
    /// # Errors
    /// As [`SentenceModel::load`].
    pub fn unknown_settings(dir: &Path) -> Result<Vec<String>, ConfigError> {
        BertConfig::unknown_settings(&SentenceConfig::load(dir)?.encoder.join("config.json"))
    }

    /// The values of the parameters of the model's graphs, by their names there.
    ///
    /// # Errors
    /// As [`Weights::tensor`].
    pub fn values(&self) -> Result<HashMap<String, Vec<f32>>, WeightsError> {
        let value = |(param, tensor): (String, &str)| {
            Ok((param, self.weights.tensor(tensor)?.to_f32()?.into_owned()))
        };
        parameters(&self.names).into_iter().map(value).collect()
    }

    /// Numbers in the vector of a text.
    pub fn output_size(&self) -> usize {
        self.sentence.output_size(self.encoder.hidden_size)
    }
}

/// Copies the settings and the tokenizer of the model in `from` into the folder `to`, and returns where in it the weights belong:
/// with those, `to` is a model again.
///
/// # Errors
/// A [`ModelError`] for settings that cannot be read, and for files that cannot be copied.
pub fn copy_settings(from: &Path, to: &Path) -> Result<PathBuf, ModelError> {
    let sentence = SentenceConfig::load(from)?;
    // A link to a setting would be replaced by what it leads to.
    let same = fs::canonicalize(to).is_ok_and(|to| fs::canonicalize(from).is_ok_and(|from| from == to));
    // INVARIANT: the folders of a model lie within it.
    let place = |folder: &Path| to.join(folder.strip_prefix(from).unwrap_or(Path::new("")));
    for folder in folders(from)? {
        let target = place(&folder);
        make_folder(&target)?;
        let entries = match fs::read_dir(&folder) {
            // A module without settings need not have a folder.
            Err(e) if e.kind() == io::ErrorKind::NotFound => continue,
            other => other.map_err(|e| FileError::io(&folder, "listing it", e))?,
        };
        for entry in entries {
            let path = entry.map_err(|e| FileError::io(&folder, "listing it", e))?.path();
            if is_setting(&path) && !same {
                let copy = target.join(path.file_name().unwrap_or_default());
                let (mut file, _) = open_regular(&path)?;
                write_atomically(&copy, |out| io::copy(&mut file, out).map(drop))?;
            }
        }
    }
    Ok(place(&sentence.encoder).join("model.safetensors"))
}

/// Settings and vocabularies; weights, in whatever form, are not.
fn is_setting(path: &Path) -> bool {
    let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
    path.is_file() && (name.ends_with(".json") || name.ends_with(".txt")) && !name.ends_with(".index.json")
}
