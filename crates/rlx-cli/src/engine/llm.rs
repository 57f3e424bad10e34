//! Language models: opening one with its tokenizer, and what it is told.

use std::path::PathBuf;

use rlx_chat::{ChatTemplate, Conversation, TokenNames, templates};
use rlx_gguf::Gguf;
use rlx_llm::generate::Generator;
use rlx_llm::{CacheType, LanguageModel, ModelOptions};
use rlx_runtime::{CompileOptions, CpuOptions, Device, Session};
use rlx_tokenizer::{Prompt, Tokenizer};

use crate::failure::Failure;
use crate::settings::Settings;

/// How a language model is opened.
#[derive(Clone, Copy, Debug)]
pub struct LlmOptions {
    /// Sequences side by side.
    pub batch: usize,
    /// Tokens of the context.
    pub context: Option<usize>,
    /// Threads to use.
    pub threads: Option<usize>,
    /// The type of the numbers in the cache.
    pub cache: Option<CacheType>,
}

impl Default for LlmOptions {
    fn default() -> Self {
        LlmOptions { batch: 1, context: None, threads: None, cache: None }
    }
}

impl LlmOptions {
    /// Of one sequence of up to `window` tokens.
    pub fn of_window(window: usize, threads: Option<usize>, settings: &Settings) -> Self {
        LlmOptions {
            context: Some(window),
            threads: threads.or(settings.env.num_threads),
            ..LlmOptions::default()
        }
    }

    /// What models are compiled by.
    pub fn session(&self) -> Session {
        let cpu = self.threads.map_or(CpuOptions::new(), |threads| CpuOptions::new().num_threads(threads));
        Session::new(Device::Cpu).with_options(CompileOptions::new().with_backend(cpu))
    }

    /// The model.
    pub fn open(&self, source: &ModelSource) -> Result<LanguageModel, Failure> {
        let defaults = ModelOptions::default();
        let cache = self.cache.unwrap_or(defaults.cache);
        let options = ModelOptions { batch: self.batch, capacity: self.context, cache, ..defaults };
        Ok(match source {
            ModelSource::Path(path) => LanguageModel::open(path, &self.session(), &options)?,
            ModelSource::Tiny => LanguageModel::from_gguf(tiny()?, &self.session(), &options)?,
        })
    }

    /// The model with its tokenizer.
    pub fn generator(&self, source: &ModelSource) -> Result<Generator, Failure> {
        let tokenizer = source.tokenizer()?;
        Ok(Generator::new(self.open(source)?, tokenizer, self.session()))
    }
}

/// Where a language model is.
pub enum ModelSource {
    /// A GGUF file, or a folder.
    Path(PathBuf),
    /// In this program.
    Tiny,
}

impl ModelSource {
    /// Its tokenizer.
    pub fn tokenizer(&self) -> Result<Tokenizer, Failure> {
        Ok(match self {
            ModelSource::Path(path) => Tokenizer::open(path)?,
            ModelSource::Tiny => Tokenizer::from_gguf(&tiny()?)?,
        })
    }
}

/// The file that is in this program.
#[cfg(feature = "tiny-model")]
fn tiny() -> Result<Gguf, Failure> {
    Ok(Gguf::from_bytes(rlx_tiny_model::GGUF.to_vec(), "tiny.gguf".as_ref())?)
}

/// The file that is in programs with the feature `tiny-model`.
#[cfg(not(feature = "tiny-model"))]
fn tiny() -> Result<Gguf, Failure> {
    Err(Failure::usage(
        "which MODEL? There is none in this program: it was built without the feature `tiny-model`",
    ))
}

/// The tokens of a conversation, by the template of the model.
pub fn chat_tokens(
    source: &ModelSource,
    tokenizer: &Tokenizer,
    conversation: &Conversation,
) -> Result<Vec<u32>, Failure> {
    let ModelSource::Path(path) = source else {
        return Err(Failure::usage("--chat: the model in this program has no chat template; name a MODEL"));
    };
    let set = templates(path)?;
    let source = set.choose(None, conversation.tools.is_some())?;
    let template = ChatTemplate::new(source, TokenNames::of(tokenizer))?;
    Ok(tokenizer.encode_start(&template.prompt(conversation, tokenizer)?)?)
}

/// The tokens of a text that is to be continued.
pub fn text_tokens(tokenizer: &Tokenizer, text: &str, special: bool) -> Result<Vec<u32>, Failure> {
    let prompt = if special { Prompt::scaffolding(text) } else { Prompt::content(text) };
    Ok(tokenizer.encode_start(&prompt)?)
}
