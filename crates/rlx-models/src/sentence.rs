//! Reads the settings that turn an encoder into a sentence model: pooling, normalization, the maximum input length
//! and the prompt, from `modules.json`. The format is that of the sentence-transformers library. This module knows
//! nothing about tensors.
//!
//! Everything that these files can express is either honored or refused with an error that names it.

use rlx_flow::blocks::PoolKind;
use std::path::{Component, Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::display::quoted;
use crate::fields::{ConfigError, Fields, MAX_SETTINGS};
use crate::files::{FileError, read_json};

/// The maximum value of a setting for the input length, in tokens.
const MAX_TOKENS: usize = 1 << 20;

/// Names in `pooling_mode`, and the flags that older files have instead, in the order in which results are
/// concatenated.
const POOLINGS: [(&str, &str, PoolKind); 6] = [
    ("cls", "pooling_mode_cls_token", PoolKind::Cls),
    ("max", "pooling_mode_max_tokens", PoolKind::Max),
    ("mean", "pooling_mode_mean_tokens", PoolKind::Mean),
    ("mean_sqrt_len_tokens", "pooling_mode_mean_sqrt_len_tokens", PoolKind::MeanSqrtLen),
    ("weightedmean", "pooling_mode_weightedmean_tokens", PoolKind::WeightedMean),
    ("lasttoken", "pooling_mode_lasttoken", PoolKind::LastToken),
];

/// Returns the name of a pooling in `pooling_mode`.
pub fn pooling_name(kind: PoolKind) -> &'static str {
    // INVARIANT: the table contains every kind.
    POOLINGS.iter().find(|p| p.2 == kind).map_or("", |p| p.0)
}

/// The settings of a sentence model.
#[derive(Debug, Clone, PartialEq)]
pub struct SentenceConfig {
    /// The folder of the encoder, with `config.json`, weights and tokenizer.
    pub encoder: PathBuf,
    /// How the vectors of tokens are combined into one vector; not empty.
    pub pooling: Vec<PoolKind>,
    /// Whether the result is scaled to length 1.
    pub normalize: bool,
    /// The maximum length of an input in tokens, if the settings for sentences state it.
    pub max_tokens: Option<usize>,
    /// Whether text is converted to lower case before anything else.
    pub lowercase: bool,
    /// Text that is put before every input.
    pub prompt: String,
}

#[derive(Deserialize)]
struct Module {
    path: String,
    #[serde(rename = "type")]
    kind: String,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

impl SentenceConfig {
    /// Reads the settings in the folder `dir`. A folder without `modules.json` is treated as a bare encoder with mean
    /// pooling and without normalization, as in sentence-transformers.
    ///
    /// # Errors
    /// Returns a [`ConfigError`] that names file, field and value.
    pub fn load(dir: &Path) -> Result<Self, ConfigError> {
        let mut config = SentenceConfig {
            encoder: dir.to_path_buf(),
            pooling: vec![PoolKind::Mean],
            normalize: false,
            max_tokens: None,
            lowercase: false,
            prompt: String::new(),
        };
        let path = dir.join("modules.json");
        let Some(modules) = listed(&path)? else { return Ok(config) };
        config.read_modules(dir, &path, &modules)?;
        config.read_encoder_settings()?;
        config.prompt = read_prompt(&dir.join("config_sentence_transformers.json"))?;
        Ok(config)
    }

    /// Returns the width of the result for an encoder of this width.
    pub fn output_size(&self, hidden_size: usize) -> usize {
        self.pooling.len() * hidden_size
    }

    fn read_modules(&mut self, dir: &Path, path: &Path, modules: &[Module]) -> Result<(), ConfigError> {
        let wrong = |value: String, problem: &str| ConfigError::Value {
            path: path.to_path_buf(),
            field: "type".into(),
            value,
            problem: problem.into(),
        };
        for (i, module) in modules.iter().enumerate() {
            let kind =
                module.kind.starts_with("sentence_transformers.").then(|| module.kind.rsplit('.').next());
            let folder = subfolder(dir, path, &module.path)?;
            if let Some(extra) = module.rest.keys().find(|k| !["idx", "name"].contains(&k.as_str())) {
                return Err(wrong(quoted(extra), "unknown setting of a module"));
            }
            match (i, kind.flatten()) {
                (0, Some("Transformer")) => self.encoder = folder,
                (1, Some("Pooling")) => self.pooling = read_pooling(&folder.join("config.json"))?,
                (2, Some("Normalize")) => {
                    check_normalize(&folder.join("config.json"))?;
                    self.normalize = true;
                }
                _ => {
                    let order = "modules must be a Transformer, then a Pooling, then optionally a Normalize";
                    return Err(wrong(quoted(&module.kind), order));
                }
            }
        }
        if modules.len() < 2 {
            return Err(wrong(
                format!("{} modules", modules.len()),
                "a Transformer and a Pooling are required",
            ));
        }
        Ok(())
    }

    fn read_encoder_settings(&mut self) -> Result<(), ConfigError> {
        let Some(f) = Fields::load_if_present(&self.encoder.join("sentence_bert_config.json"))? else {
            return Ok(());
        };
        f.no_others(&[
            "max_seq_length",
            "do_lower_case",
            "transformer_task",
            "modality_config",
            "module_output_name",
        ])?;
        f.only("transformer_task", &json!("feature-extraction"), "only feature-extraction is supported")?;
        f.only("module_output_name", &json!("token_embeddings"), "only token_embeddings is supported")?;
        f.only(
            "modality_config",
            &json!({"text": {"method": "forward", "method_output_name": "last_hidden_state"}}),
            "only text through the last hidden state is supported",
        )?;
        self.max_tokens = f.count_or("max_seq_length", 1..=MAX_TOKENS)?;
        self.lowercase = f.flag("do_lower_case")?.unwrap_or(false);
        Ok(())
    }
}

/// Returns the folders of the model in `dir`: `dir` itself, and those of its modules, which are inside of it.
///
/// # Errors
/// Returns a [`ConfigError`] if `modules.json` cannot be used.
pub fn folders(dir: &Path) -> Result<Vec<PathBuf>, ConfigError> {
    let path = dir.join("modules.json");
    let mut all = vec![dir.to_path_buf()];
    for module in listed(&path)?.iter().flatten().filter(|module| !module.path.is_empty()) {
        all.push(subfolder(dir, &path, &module.path)?);
    }
    Ok(all)
}

/// Reads the modules in `modules.json`, if the file exists.
fn listed(path: &Path) -> Result<Option<Vec<Module>>, FileError> {
    match read_json(path, MAX_SETTINGS) {
        Ok(modules) => Ok(Some(modules)),
        Err(FileError::Missing { .. }) => Ok(None),
        Err(e) => Err(e),
    }
}

/// Returns the folder of a module, which must be inside the model's folder.
fn subfolder(dir: &Path, file: &Path, path: &str) -> Result<PathBuf, ConfigError> {
    if Path::new(path).components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir)) {
        return Ok(if path.is_empty() { dir.to_path_buf() } else { dir.join(path) });
    }
    Err(ConfigError::Value {
        path: file.to_path_buf(),
        field: "path".into(),
        value: quoted(path),
        problem: "the folder of a module must be inside the folder of the model".into(),
    })
}

/// The width of token vectors, under its newer and its older name.
const WIDTHS: [&str; 2] = ["embedding_dimension", "word_embedding_dimension"];

/// Fails if the pooling settings of the model in `dir` state a different width than the encoder has.
///
/// # Errors
/// Returns a [`ConfigError`] that names file, field and value.
pub fn check_width(dir: &Path, hidden_size: usize) -> Result<(), ConfigError> {
    let path = dir.join("modules.json");
    let Some(pooling) = listed(&path)?.and_then(|modules| modules.into_iter().nth(1)) else { return Ok(()) };
    let f = Fields::load(&subfolder(dir, &path, &pooling.path)?.join("config.json"))?;
    for field in WIDTHS {
        if f.count_or(field, 1..=usize::MAX)?.is_some_and(|width| width != hidden_size) {
            let problem =
                format!("the encoder's vectors have {hidden_size} elements, so it must be {hidden_size}");
            return Err(f.wrong(field, problem));
        }
    }
    Ok(())
}

fn read_pooling(path: &Path) -> Result<Vec<PoolKind>, ConfigError> {
    let f = Fields::load(path)?;
    let flags = POOLINGS.map(|(_, flag, _)| flag);
    let known = ["pooling_mode", "include_prompt"];
    f.no_others(&[&known[..], &WIDTHS[..], &flags[..]].concat())?;
    f.only("include_prompt", &json!(true), "leaving the prompt out of pooling is not supported")?;
    let by_name = |name: &Value| POOLINGS.iter().find(|(n, ..)| name.as_str() == Some(n)).map(|(.., p)| *p);
    let modes = match f.get("pooling_mode") {
        Some(Value::Array(names)) if !names.is_empty() => {
            names.iter().map(by_name).collect::<Option<Vec<_>>>()
        }
        Some(name) => by_name(name).map(|mode| vec![mode]),
        None => {
            let mut modes = Vec::new();
            for (_, flag, mode) in POOLINGS {
                if f.flag(flag)? == Some(true) {
                    modes.push(mode);
                }
            }
            if modes.is_empty() {
                // Sentence-transformers uses the mean if no mode is named at all.
                if let Some(flag) = flags.into_iter().find(|flag| f.has(flag)) {
                    let problem =
                        format!("every mode is switched off; one of {} must be true", flags.join(", "));
                    return Err(f.wrong(flag, problem));
                }
                modes.push(PoolKind::Mean);
            }
            Some(modes)
        }
    };
    let modes = modes.ok_or_else(|| {
        let names = POOLINGS.map(|(name, ..)| name).join(", ");
        f.wrong("pooling_mode", format!("expected one or more of {names}"))
    })?;
    // The mode is given in both ways, and they differ.
    for (name, flag, mode) in POOLINGS {
        if f.flag(flag)? == Some(true) && !modes.contains(&mode) {
            return Err(f.wrong(flag, format!("pooling_mode does not name {name}; remove one of the two")));
        }
    }
    Ok(modes)
}

fn check_normalize(path: &Path) -> Result<(), ConfigError> {
    let Some(f) = Fields::load_if_present(path)? else { return Ok(()) };
    f.no_others(&["module_input_name", "module_output_name"])?;
    for field in ["module_input_name", "module_output_name"] {
        f.only(field, &json!("sentence_embedding"), "only the embedding of the sentence can be normalized")?;
    }
    Ok(())
}

/// Reads the prompt that is used by default.
fn read_prompt(path: &Path) -> Result<String, ConfigError> {
    let Some(f) = Fields::load_if_present(path)? else { return Ok(String::new()) };
    f.only("model_type", &json!("SentenceTransformer"), "only sentence models are supported")?;
    let Some(name) = f.text("default_prompt_name")? else { return Ok(String::new()) };
    match f.get("prompts").and_then(|prompts| prompts.get(name)) {
        Some(Value::String(prompt)) => Ok(prompt.clone()),
        _ => Err(f.wrong("default_prompt_name", "prompts does not contain a text with that name")),
    }
}

#[cfg(test)]
#[path = "sentence_tests.rs"]
mod tests;
