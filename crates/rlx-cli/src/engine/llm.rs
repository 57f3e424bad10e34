//! Opens language models with their tokenizers, and prepares their prompts.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rlx_chat::{ChatTemplate, Conversation, TemplateSet, TokenNames};
use rlx_driver::{Device, DeviceId};
use rlx_gguf::{Gguf, ModelFiles};
use rlx_llm::generate::Generator;
use rlx_llm::{AdapterSource, CacheType, LanguageModel, ModelOptions};
use rlx_runtime::{CompileOptions, CpuOptions, Session};
use rlx_tokenizer::{Prompt, Tokenizer};

use crate::failure::Failure;
use crate::output;
use crate::progress::Bar;
use crate::settings::Settings;

/// Options for opening a language model.
#[derive(Clone, Debug)]
pub struct LlmOptions {
    /// Sequences to process in parallel.
    pub batch: usize,
    /// Tokens in the context.
    pub context: Option<usize>,
    /// Threads to use.
    pub threads: Option<usize>,
    /// Where to compute.
    pub device: DeviceId,
    /// The element type of the cache.
    pub cache: Option<CacheType>,
    /// Adapters to run next to the weights.
    pub adapters: Vec<AdapterSource>,
    /// Whether to hide progress bars.
    pub quiet: bool,
    /// Whether to report settings of the model that have no effect.
    pub notes: bool,
}

impl Default for LlmOptions {
    fn default() -> Self {
        LlmOptions {
            batch: 1,
            context: None,
            threads: None,
            device: Device::Cpu.into(),
            cache: None,
            adapters: Vec::new(),
            quiet: true,
            notes: true,
        }
    }
}

impl LlmOptions {
    /// Options for a single sequence of up to `window` tokens.
    pub fn of_window(window: usize, threads: Option<usize>, settings: &Settings) -> Self {
        LlmOptions {
            context: Some(window),
            threads: threads.or(settings.threads),
            notes: !settings.quiet,
            ..LlmOptions::default()
        }
    }

    /// The session that compiles models.
    pub fn session(&self) -> Session {
        let cpu = self.threads.map_or(CpuOptions::new(), |threads| CpuOptions::new().num_threads(threads));
        Session::new(self.device).with_options(CompileOptions::new().with_backend(cpu))
    }

    /// Opens the model in these files.
    pub fn open(&self, files: &ModelFiles) -> Result<LanguageModel, Failure> {
        let defaults = ModelOptions::default();
        let cache = self.cache.unwrap_or(defaults.cache);
        let adapters = self.adapters.clone();
        let observer = Some(Bar::of_model(self.quiet));
        let options =
            ModelOptions { batch: self.batch, capacity: self.context, cache, adapters, observer, ..defaults };
        let model = LanguageModel::from_files(files, &self.session(), &options)?;
        if self.notes {
            model.unknown_settings().iter().for_each(|text| output::note(text));
        }
        Ok(model)
    }

    /// Opens the model in these files with its tokenizer.
    pub fn generator(&self, files: &ModelFiles) -> Result<Generator, Failure> {
        let tokenizer = Tokenizer::from_files(files)?;
        Ok(Generator::new(self.open(files)?, tokenizer, self.session()))
    }
}

/// Adapters of a language model.
#[derive(clap::Args, Default)]
pub struct AdapterArgs {
    /// A LoRA adapter: a folder that PEFT wrote, or a .gguf file, followed by a colon and a scale if it is not 1. Can
    /// be repeated; the contributions of several adapters are added. For a package, NAME=ADAPTER adds functions with
    /// that name, next to those without the adapter
    #[arg(long, value_name = "ADAPTER[:SCALE]", value_parser = named_adapter)]
    lora: Vec<NamedAdapter>,
}

/// An adapter, and the name of the package functions that use it. Without a name, all functions use it.
#[derive(Clone)]
struct NamedAdapter {
    name: Option<String>,
    source: AdapterSource,
}

impl AdapterArgs {
    /// The adapters; those in the cache are given by their path there.
    pub fn sources(&self, settings: &Settings) -> Result<Vec<AdapterSource>, Failure> {
        let (sources, named) = self.by_name(settings)?;
        match named.keys().next() {
            Some(name) => Err(Failure::usage(format!(
                "--lora {name}=…: only adapters for a .mlpackage have names; leave out the name"
            ))),
            None => Ok(sources),
        }
    }

    /// The adapters without a name, and the adapters under each name.
    pub fn by_name(&self, settings: &Settings) -> Result<(Vec<AdapterSource>, NamedAdapters), Failure> {
        let (mut always, mut named) = (Vec::new(), NamedAdapters::new());
        for NamedAdapter { name, source: AdapterSource { path, scale } } in &self.lora {
            let source = AdapterSource { path: settings.adapter_path(path)?, scale: *scale };
            match name {
                Some(name) => named.entry(name.clone()).or_default().push(source),
                None => always.push(source),
            }
        }
        Ok((always, named))
    }
}

/// Adapters by function name.
pub type NamedAdapters = BTreeMap<String, Vec<AdapterSource>>;

fn named_adapter(text: &str) -> Result<NamedAdapter, String> {
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let named = text.split_once('=').filter(|(name, _)| is_name(name) && !Path::new(text).exists());
    Ok(match named {
        Some((name, text)) => NamedAdapter { name: Some(name.into()), source: adapter(text)? },
        None => NamedAdapter { name: None, source: adapter(text)? },
    })
}

fn adapter(text: &str) -> Result<AdapterSource, String> {
    let whole = || Ok(AdapterSource { path: text.into(), scale: 1.0 });
    let Some((path, scale)) = text.rsplit_once(':').filter(|_| !Path::new(text).exists()) else {
        return whole();
    };
    match scale.parse::<f64>() {
        Ok(scale) if !scale.is_finite() => {
            Err(format!("{scale} is not a valid scale; it must be a finite number"))
        }
        Ok(scale) => Ok(AdapterSource { path: path.into(), scale }),
        Err(_) => whole(),
    }
}

/// Where a language model is.
pub enum ModelSource {
    /// A GGUF file, or a folder.
    Path(PathBuf),
    /// The model built into this program.
    Tiny,
}

impl ModelSource {
    /// Opens its files, once for everything that reads them.
    pub fn open(&self) -> Result<ModelFiles, Failure> {
        Ok(match self {
            ModelSource::Path(path) => ModelFiles::open(path)?,
            ModelSource::Tiny => tiny()?.into(),
        })
    }

    /// The chat templates in its open files.
    pub fn templates(&self, files: &ModelFiles) -> Result<TemplateSet, Failure> {
        match self {
            ModelSource::Path(_) => Ok(TemplateSet::from_files(files)?),
            ModelSource::Tiny => {
                Err(Failure::usage("--chat: the built-in model has no chat template; name a MODEL"))
            }
        }
    }
}

/// The model file built into this program.
#[cfg(feature = "tiny-model")]
fn tiny() -> Result<Gguf, Failure> {
    Ok(Gguf::from_bytes(rlx_tiny_model::GGUF.to_vec(), "tiny.gguf".as_ref())?)
}

/// The model file that programs with the feature `tiny-model` contain.
#[cfg(not(feature = "tiny-model"))]
fn tiny() -> Result<Gguf, Failure> {
    Err(Failure::usage(
        "which MODEL? This rlx was built without the feature `tiny-model`, so it has no built-in model",
    ))
}

/// The tokens of a conversation in the model's chat template.
pub fn chat_tokens(
    templates: &TemplateSet,
    tokenizer: &Tokenizer,
    conversation: &Conversation,
) -> Result<Vec<u32>, Failure> {
    let source = templates.choose(None, conversation.tools.is_some())?;
    let template = ChatTemplate::new(source, TokenNames::of(tokenizer))?;
    Ok(tokenizer.encode_start(&template.prompt(conversation, tokenizer)?)?)
}

/// The tokens of a text to continue.
pub fn text_tokens(tokenizer: &Tokenizer, text: &str, special: bool) -> Result<Vec<u32>, Failure> {
    let prompt = if special { Prompt::scaffolding(text) } else { Prompt::content(text) };
    Ok(tokenizer.encode_start(&prompt)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adapters_may_have_a_factor() {
        let parts = |text| adapter(text).map(|source| (source.path.display().to_string(), source.scale));
        assert_eq!(parts("a"), Ok(("a".into(), 1.0)));
        assert_eq!(parts("b/c.gguf:-0.5"), Ok(("b/c.gguf".into(), -0.5)));
        assert_eq!(parts("C:\\a"), Ok(("C:\\a".into(), 1.0)));
        assert!(parts("a:nan").is_err() && parts("a:inf").is_err());
    }
}
