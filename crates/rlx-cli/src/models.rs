//! Finds the model that the user named: a folder, a file, a name on the hub, or a name that this program knows.
//! Owns which kinds of models a command takes, and what is said where there is none. Must not read weights.

use std::fs;
use std::path::{Path, PathBuf};

use rlx_models::files::read_json;
use rlx_models::hub::{self, HubOptions, Progress, RepoId};
use serde_json::Value;

use crate::engine::llm::ModelSource;
use crate::failure::Failure;
use crate::stdin;

/// The name of the language model in this program.
pub const TINY: &str = "tiny";

/// Longest settings of a model that are looked at, in bytes.
const MAX_SETTINGS: u64 = 64 << 20;

/// The least likeness of a name that is near, from 0 to 1.
const NEAR: f64 = 0.7;
/// Near names that are listed.
const LISTED: usize = 3;
/// Entries of a folder that are compared with a name.
const COMPARED: usize = 10_000;

/// Which models a command takes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Takes {
    /// Sentence encoders.
    pub encoders: bool,
    /// Language models.
    pub language: bool,
    /// Whatever has a tokenizer.
    pub tokenizers: bool,
    /// Whether the language model in this program is one of them.
    pub built_in: bool,
    /// What the command takes beside models, for messages.
    pub others: &'static str,
}

impl Takes {
    pub const ENCODER: Takes =
        Takes { encoders: true, language: false, tokenizers: false, built_in: false, others: "" };
    pub const LANGUAGE: Takes = Takes { encoders: false, language: true, built_in: true, ..Takes::ENCODER };
    /// Of a language model the file or folder.
    pub const LANGUAGE_FILE: Takes = Takes { built_in: false, ..Takes::LANGUAGE };
    pub const TOKENIZER: Takes = Takes { encoders: true, tokenizers: true, ..Takes::LANGUAGE };
    pub const ENCODER_OR_GRAPH: Takes =
        Takes { others: "a graph: a .rlx or .mlir file, or `-`", ..Takes::ENCODER };
    pub const CONVERTED: Takes = Takes { encoders: true, others: Takes::FILES, ..Takes::LANGUAGE_FILE };
    pub const INSPECTED: Takes = Takes {
        others: "a .rlx, .mlir, .safetensors, .gguf, .mlpackage or .npy file, or `-`, a graph on standard input",
        ..Takes::CONVERTED
    };
    const FILES: &'static str =
        "a .rlx, .mlir, .safetensors or .gguf file, a .mlpackage, or `-`, a graph on standard input";

    /// What a command takes, as messages list it.
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
            kinds.push("a model of the hub: ORG/NAME, or ORG/NAME:FILE");
        }
        kinds.extend(Some(self.others).filter(|others| !others.is_empty()));
        kinds.iter().map(|kind| format!("\n  {kind}")).collect()
    }

    /// The names that are known.
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

/// What a folder or file holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ModelKind {
    Encoder,
    Language,
    /// A tokenizer, and no settings of a model.
    Tokenizer,
    /// Something else, or settings of a kind that this version has no name for.
    Unknown,
}

/// What is at a path that exists.
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

/// Whether a text is meant as a model, where one argument may be a model or something else: it names one that is there, or the name of one
/// whose file is missing.
pub fn is_meant(text: &str, options: &HubOptions) -> bool {
    let path = Path::new(text);
    let is_there = path.is_dir() && kind_of(path) != ModelKind::Unknown;
    is_there || has_extension(path, "gguf") || is_known(text) || is_cached(text, options)
}

/// Whether a text has the form of a name on the hub, and may be a text as well.
pub fn may_be_of_hub(text: &str) -> bool {
    RepoId::parse(text).is_some()
}

fn is_known(text: &str) -> bool {
    hub::model(text).is_some() || (text == TINY && cfg!(feature = "tiny-model"))
}

/// Whether it is a model of the hub that is in the cache.
fn is_cached(text: &str, options: &HubOptions) -> bool {
    let id = text.split_once(':').map_or(text, |(id, _)| id);
    may_be_of_hub(text) && options.cache.as_ref().is_some_and(|cache| cache.join("models").join(id).is_dir())
}

fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case(extension))
}

/// The model that a user named, fetched into the cache if it must be.
///
/// A known name wins over a folder of that name, which `./name` means; what exists wins over a name of the hub.
pub fn find(
    name: &str,
    takes: Takes,
    options: &HubOptions,
    progress: &mut dyn Progress,
) -> Result<ModelSource, Failure> {
    let path = PathBuf::from(name);
    if stdin::is_meant(&path) {
        let text =
            "a model is read at many places, which standard input does not allow; name its file or folder";
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
                let hint = if near.is_empty() { near } else { format!("\nNear this name: {near}") };
                Err(Failure::Failed(format!("{}{hint}", crate::failure::message(&error)).into()))
            }
        };
    }
    let near = near(name, takes, options);
    let hint = if near.is_empty() { near } else { format!("; near this name: {near}") };
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

/// Refuses what is certain to be of another kind. What is unknown is left for the code that reads it, whose errors say more.
fn check(path: &Path, takes: Takes) -> Result<(), Failure> {
    let name = path.display().to_string();
    if path.is_dir() {
        let what = match kind_of(path) {
            ModelKind::Encoder if !takes.encoders => "holds a sentence encoder",
            ModelKind::Language if !takes.language => "holds a language model",
            ModelKind::Tokenizer if !takes.tokenizers => {
                "holds a tokenizer, and no config.json and weights of a model"
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
            "is one file of a model: name the folder that has all of them (config.json, safetensors, tokenizer.json)"
        }
        "rlx" | "mlir" | "stablehlo" => "is a graph, which `rlx run` takes",
        "mlpackage" => "is a CoreML package",
        _ if !path.is_file() => "is neither a file nor a folder",
        _ => "is not a .gguf file",
    };
    Err(refused(&name, what, takes))
}

/// Names that are near this one: known ones, models in the cache, and files and folders beside it.
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
