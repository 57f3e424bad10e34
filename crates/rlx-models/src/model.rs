//! Reads the folder of a sentence model, and checks each file against the others. Code that runs a model starts here.

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

/// The files of a sentence model.
#[derive(Debug)]
pub struct SentenceModel {
    /// Sizes and settings of the encoder.
    pub encoder: BertConfig,
    /// Pooling, normalization, and the maximum length of the input.
    pub sentence: SentenceConfig,
    /// Converts text to tokens.
    pub tokenizer: SentenceTokenizer,
    /// The tensors.
    pub weights: Weights,
    /// The tensor in [`weights`](Self::weights) for each parameter of the encoder.
    pub names: BertWeights,
}

/// Why the files of a model cannot be used.
#[derive(Debug, Error)]
pub enum ModelError {
    /// A file cannot be copied.
    #[error(transparent)]
    File(#[from] FileError),
    /// A settings file is invalid.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The tokenizer cannot be used.
    #[error(transparent)]
    Tokenizer(#[from] TokenizeError),
    /// The weights cannot be used.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// The weights do not match the configuration.
    #[error(transparent)]
    Mismatch(#[from] MismatchError),
}

impl SentenceModel {
    /// Reads the model in the folder `dir`. Its weights are mapped into memory ([`Weights::open`]).
    ///
    /// # Errors
    /// Returns a [`ModelError`] that names the file and the problem.
    pub fn load(dir: &Path) -> Result<Self, ModelError> {
        let sentence = SentenceConfig::load(dir)?;
        let encoder = BertConfig::load(&sentence.encoder.join("config.json"))?;
        check_width(dir, encoder.hidden_size)?;
        let tokenizer = SentenceTokenizer::load(&encoder, &sentence)?;
        let weights = Weights::open(&sentence.encoder)?;
        let names = bert::check(&encoder, &weights)?;
        Ok(SentenceModel { encoder, sentence, tokenizer, weights, names })
    }

    /// Returns a sentence for each setting of the encoder in the folder `dir` that is not recognized and therefore
    /// has no effect.
    ///
    /// # Errors
    /// The same as [`SentenceModel::load`].
    pub fn unknown_settings(dir: &Path) -> Result<Vec<String>, ConfigError> {
        BertConfig::unknown_settings(&SentenceConfig::load(dir)?.encoder.join("config.json"))
    }

    /// Returns the values of the parameters of the model's graphs, by their names in the graphs.
    ///
    /// # Errors
    /// The same as [`Weights::tensor`].
    pub fn values(&self) -> Result<HashMap<String, Vec<f32>>, WeightsError> {
        let value = |(param, tensor): (String, &str)| {
            Ok((param, self.weights.tensor(tensor)?.to_f32()?.into_owned()))
        };
        parameters(&self.names).into_iter().map(value).collect()
    }

    /// Returns the number of elements in the vector of a text.
    pub fn output_size(&self) -> usize {
        self.sentence.output_size(self.encoder.hidden_size)
    }
}

/// Copies the settings and the tokenizer of the model in `from` to the folder `to`, and returns the path for the
/// weights. With its weights, `to` is a complete model.
///
/// # Errors
/// Returns a [`ModelError`] if settings cannot be read or files cannot be copied.
pub fn copy_settings(from: &Path, to: &Path) -> Result<PathBuf, ModelError> {
    let sentence = SentenceConfig::load(from)?;
    // A link to a settings file would be replaced by a copy of its target.
    let same = fs::canonicalize(to).is_ok_and(|to| fs::canonicalize(from).is_ok_and(|from| from == to));
    // INVARIANT: the folders of a model are inside of it.
    let place = |folder: &Path| to.join(folder.strip_prefix(from).unwrap_or(Path::new("")));
    for folder in folders(from)? {
        let target = place(&folder);
        make_folder(&target)?;
        let entries = match fs::read_dir(&folder) {
            // A module without settings may have no folder.
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

/// Whether a file has settings or a vocabulary; weights in any format do not count.
fn is_setting(path: &Path) -> bool {
    let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
    path.is_file() && (name.ends_with(".json") || name.ends_with(".txt")) && !name.ends_with(".index.json")
}
