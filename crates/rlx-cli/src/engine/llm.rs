//! Language models: opening one with its tokenizer, and what it is told.

use std::path::Path;

use rlx_chat::{ChatTemplate, Conversation, TokenNames, templates};
use rlx_ir::DType;
use rlx_llm::generate::Generator;
use rlx_llm::{LanguageModel, ModelOptions};
use rlx_runtime::{CompileOptions, CpuOptions, Device, Session};
use rlx_tokenizer::{Prompt, Tokenizer};

use crate::failure::Failure;

/// How a language model is opened.
#[derive(Clone, Copy, Debug, Default)]
pub struct LlmOptions {
    /// Tokens of the context.
    pub context: Option<usize>,
    /// Threads to use.
    pub threads: Option<usize>,
    /// The type of the numbers in the cache.
    pub cache: Option<DType>,
}

impl LlmOptions {
    /// What models are compiled by.
    pub fn session(&self) -> Session {
        let cpu = self.threads.map_or(CpuOptions::new(), |threads| CpuOptions::new().num_threads(threads));
        Session::new(Device::Cpu).with_options(CompileOptions::new().with_backend(cpu))
    }

    /// The model at a path.
    pub fn open(&self, path: &Path) -> Result<LanguageModel, Failure> {
        let defaults = ModelOptions::default();
        let cache = self.cache.unwrap_or(defaults.cache);
        let options = ModelOptions { capacity: self.context, cache, ..defaults };
        Ok(LanguageModel::open(path, &self.session(), &options)?)
    }

    /// The model at a path, with its tokenizer.
    pub fn generator(&self, path: &Path) -> Result<Generator, Failure> {
        let tokenizer = Tokenizer::open(path)?;
        Ok(Generator::new(self.open(path)?, tokenizer, self.session()))
    }
}

/// The tokens of a conversation, by the template of the model at a path.
pub fn chat_tokens(
    path: &Path,
    tokenizer: &Tokenizer,
    conversation: &Conversation,
) -> Result<Vec<u32>, Failure> {
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
