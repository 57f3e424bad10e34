//! Finds the model that the user named: a folder, a file, a name on the hub, or a built-in name. Defines which kinds of
//! models a command takes, and the errors for missing models. Must not read weights.

use std::fs;
use std::path::{Path, PathBuf};

use rlx_models::files::read_json;
use rlx_models::hub::{self, HubOptions, Progress, RepoId};
use serde_json::Value;

use crate::engine::llm::ModelSource;
use crate::failure::Failure;
use crate::stdin;

/// The name of the built-in language model.
pub const TINY: &str = "tiny";

/// Maximum size of a model's settings, in bytes.
const MAX_SETTINGS: u64 = 64 << 20;

/// Minimum similarity of names to suggest, from 0 to 1.
const NEAR: f64 = 0.7;
/// Maximum number of similar names to list.
const LISTED: usize = 3;
/// Maximum number of folder entries to compare with a name.
const COMPARED: usize = 10_000;

/// The kinds of models that a command takes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Takes {
    /// Sentence encoders.
    pub encoders: bool,
    /// Language models.
    pub language: bool,
    /// Anything with a tokenizer.
    pub tokenizers: bool,
    /// Whether the built-in language model is allowed.
    pub built_in: bool,
    /// What the command takes besides models, for messages.
    pub others: &'static str,
}

impl Takes {
    pub const ENCODER: Takes =
        Takes { encoders: true, language: false, tokenizers: false, built_in: false, others: "" };
    pub const LANGUAGE: Takes = Takes { encoders: false, language: true, built_in: true, ..Takes::ENCODER };
    /// The file or folder of a language model.
    pub const LANGUAGE_FILE: Takes = Takes { built_in: false, ..Takes::LANGUAGE };
    pub const TOKENIZER: Takes = Takes { encoders: true, tokenizers: true, ..Takes::LANGUAGE };
    pub const ENCODER_OR_GRAPH: Takes =
        Takes { others: "a graph: a .rlx or .mlir file, or `-`", ..Takes::ENCODER };
    pub const CONVERTED: Takes = Takes { encoders: true, others: Takes::FILES, ..Takes::LANGUAGE_FILE };
    pub const INSPECTED: Takes = Takes {
        others: "a .rlx, .mlir, .safetensors, .gguf, .mlpackage or .npy file, or `-` for a graph on standard input",
        ..Takes::CONVERTED
    };
    const FILES: &'static str =
        "a .rlx, .mlir, .safetensors or .gguf file, a .mlpackage, or `-` for a graph on standard input";

    /// What a command takes, as a list for messages.
    fn described(self) -> String {
        let mut kinds = Vec::new();
        if self.language {
            kinds.push("a language model: a .gguf file, or a folder with config.json, safetensors and tokenizer.json");
        }
        if self.encoders && !self.tokenizers {
            kinds.push("a sentence encoder: a folder with config.json, model.safetensors and tokenizer.json of a BERT encoder");
        }
        if self.tokenizers {
            kinds.push("a folder with tokenizer.json");
        }
        let known: Vec<String> = self.known().iter().map(|name| format!("`{name}`")).collect();
        let known = (!known.is_empty()).then(|| format!("a known name: {}", known.join(", ")));
        kinds.extend(known.as_deref());
        if self.language {
            kinds.push("a model on the hub: ORG/NAME, or ORG/NAME:FILE");
        }
        kinds.extend(Some(self.others).filter(|others| !others.is_empty()));
        kinds.iter().map(|kind| format!("\n  {kind}")).collect()
    }

    /// The built-in names.
    fn known(self) -> Vec<&'static str> {
        let mut known = Vec::new();
        if self.encoders {
            known.extend(hub::models().map(|model| model.name));
        }
        if self.built_in && cfg!(feature = "tiny-model") {
            known.push(TINY);
        }
        known
    }
}

/// The kind of contents of a folder or file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ModelKind {
    Encoder,
    Language,
    /// A tokenizer without the settings of a model.
    Tokenizer,
    /// Something else, or settings of an unknown kind.
    Unknown,
}

/// The kind of model at a path that exists.
pub fn kind_of(path: &Path) -> ModelKind {
    if !path.is_dir() {
        return if has_extension(path, "gguf") { ModelKind::Language } else { ModelKind::Unknown };
    }
    if rlx_llm::export::is_model(path) {
        return ModelKind::Language;
    }
    let settings = read_json::<Value>(&path.join("config.json"), MAX_SETTINGS).ok();
    match settings.as_ref().map(|settings| settings.get("model_type").and_then(Value::as_str)) {
        Some(Some("bert")) => ModelKind::Encoder,
        Some(_) => ModelKind::Unknown,
        None if path.join("modules.json").is_file() => ModelKind::Encoder,
        None if path.join("tokenizer.json").is_file() => ModelKind::Tokenizer,
        None => ModelKind::Unknown,
    }
}

/// Whether an argument that may be a model or something else means a model: an existing model folder, a .gguf file
/// (even a missing one), a built-in name, or a hub model that is in the cache.
pub fn is_meant(text: &str, options: &HubOptions) -> bool {
    let path = Path::new(text);
    let is_there = path.is_dir() && kind_of(path) != ModelKind::Unknown;
    is_there || has_extension(path, "gguf") || is_known(text) || is_cached(text, options)
}

/// Whether a text has the form of a name on the hub, but may also be a text.
pub fn may_be_of_hub(text: &str) -> bool {
    RepoId::parse(text).is_some()
}

fn is_known(text: &str) -> bool {
    hub::model(text).is_some() || (text == TINY && cfg!(feature = "tiny-model"))
}

/// Whether the text names a hub model that is in the cache.
fn is_cached(text: &str, options: &HubOptions) -> bool {
    let id = text.split_once(':').map_or(text, |(id, _)| id);
    may_be_of_hub(text) && options.cache.as_ref().is_some_and(|cache| cache.join("models").join(id).is_dir())
}

fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case(extension))
}

/// The model that a user named; fetched into the cache if necessary.
///
/// A built-in name takes precedence over a folder with that name (write `./name` for the folder). Existing paths take
/// precedence over names on the hub.
pub fn find(
    name: &str,
    takes: Takes,
    options: &HubOptions,
    progress: &mut dyn Progress,
) -> Result<ModelSource, Failure> {
    let path = PathBuf::from(name);
    if stdin::is_meant(&path) {
        let text =
            "a model is read in several places, which standard input does not allow; name its file or folder";
        return Err(Failure::usage(format!("`-`: {text}")));
    }
    if name == TINY && takes.built_in && cfg!(feature = "tiny-model") {
        return Ok(ModelSource::Tiny);
    }
    if let Some(pin) = hub::model(name) {
        if !takes.encoders {
            return Err(refused(name, "is a sentence encoder", takes));
        }
        return Ok(ModelSource::Path(hub::fetch(pin, options, progress)?));
    }
    if path.exists() {
        check(&path, takes)?;
        return Ok(ModelSource::Path(path));
    }
    if takes.language
        && let Some(id) = RepoId::parse(name)
    {
        return match id.resolve(options, progress) {
            Ok(path) => check(&path, takes).map(|()| ModelSource::Path(path)),
            Err(error) => {
                let near = near(name, takes, options);
                let hint = if near.is_empty() { near } else { format!("\nSimilar names: {near}") };
                Err(Failure::Failed(format!("{}{hint}", crate::failure::message(&error)).into()))
            }
        };
    }
    let near = near(name, takes, options);
    let hint = if near.is_empty() { near } else { format!("; similar names: {near}") };
    Err(Failure::Failed(
        format!(
            "there is no model {name:?}: no such file or folder{hint}. This command takes{}",
            takes.described()
        )
        .into(),
    ))
}

fn refused(name: &str, what: &str, takes: Takes) -> Failure {
    Failure::usage(format!("{name} {what}; this command takes{}", takes.described()))
}

/// Refuses what is certainly another kind. Unknown kinds are left to the code that reads them, whose errors are more specific.
fn check(path: &Path, takes: Takes) -> Result<(), Failure> {
    let name = path.display().to_string();
    if path.is_dir() {
        let what = match kind_of(path) {
            ModelKind::Encoder if !takes.encoders => "contains a sentence encoder",
            ModelKind::Language if !takes.language => "contains a language model",
            ModelKind::Tokenizer if !takes.tokenizers => {
                "contains a tokenizer, but no config.json and weights of a model"
            }
            ModelKind::Unknown if !path.join("config.json").exists() => {
                return Err(Failure::Failed(
                    format!(
                        "{}: no such file, so there is no model in this folder; this command takes{}",
                        path.join("config.json").display(),
                        takes.described()
                    )
                    .into(),
                ));
            }
            _ => return Ok(()),
        };
        return Err(refused(&name, what, takes));
    }
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
    let what = match extension.as_str() {
        "gguf" if takes.language => return Ok(()),
        "gguf" => "is the file of a language model",
        "safetensors" | "json" | "bin" | "pt" | "pth" => {
            "is only one file of a model: name the folder that contains all of them (config.json, safetensors, tokenizer.json)"
        }
        "rlx" | "mlir" | "stablehlo" => "is a graph, which `rlx run` takes",
        "mlpackage" => "is a CoreML package",
        _ if !path.is_file() => "is neither a file nor a folder",
        _ => "is not a .gguf file",
    };
    Err(refused(&name, what, takes))
}

/// Names similar to this one: built-in names, models in the cache, and files and folders next to it.
fn near(name: &str, takes: Takes, options: &HubOptions) -> String {
    let path = Path::new(name);
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut candidates: Vec<String> = takes.known().into_iter().map(String::from).collect();
    let entries = |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten().take(COMPARED);
    for entry in entries(folder.unwrap_or(Path::new("."))) {
        let beside = entry.path();
        let fits = beside.is_dir() || takes.language && has_extension(&beside, "gguf");
        let called = folder.map_or(PathBuf::from(entry.file_name()), |folder| folder.join(entry.file_name()));
        if let (true, Some(called)) = (fits, called.to_str()) {
            candidates.push(called.into());
        }
    }
    if let (true, Some(cache)) = (takes.language, &options.cache) {
        for organization in entries(&cache.join("models")).filter(|entry| entry.path().is_dir()) {
            for model in entries(&organization.path()) {
                let id = Path::new(&organization.file_name()).join(model.file_name());
                candidates.extend(id.to_str().filter(|id| may_be_of_hub(id)).map(String::from));
            }
        }
    }
    let plain = |text: &str| text.trim_start_matches("./").to_lowercase();
    let likeness = |candidate: &String| {
        let stem = |text: &str| plain(text).trim_end_matches(".gguf").to_string();
        let whole = strsim::normalized_damerau_levenshtein(&plain(candidate), &plain(name));
        whole.max(strsim::normalized_damerau_levenshtein(&stem(candidate), &stem(name)))
    };
    let mut found: Vec<(f64, String)> = candidates
        .into_iter()
        .map(|candidate| (likeness(&candidate), candidate))
        .filter(|(likeness, _)| *likeness >= NEAR)
        .collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    found.dedup_by(|a, b| a.1 == b.1);
    found.into_iter().take(LISTED).map(|(_, name)| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
