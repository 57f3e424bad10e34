//! A model that writes: it reads what of a prompt is new to its cache, then draws tokens until something ends them.

use super::logprobs::TokenLogprobs;
use super::sampling::{Sampler, Sampling};
use super::stop::StopStrings;
use crate::error::LlmError;
use crate::model::LanguageModel;
use rlx_session::Session;
use rlx_tokenizer::{Tokenizer, TokenizerError};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// Why nothing is generated.
#[derive(Debug, thiserror::Error)]
pub enum GenerateError {
    /// The model.
    #[error(transparent)]
    Model(#[from] LlmError),
    /// The tokenizer.
    #[error(transparent)]
    Tokenizer(#[from] TokenizerError),
    /// A prompt that leaves no room for a token.
    #[error(
        "the prompt has {prompt} tokens, and the context holds {context}, of which at least one is for the answer"
    )]
    TooLong {
        /// Tokens of the prompt.
        prompt: usize,
        /// Tokens of the context.
        context: usize,
    },
    /// A prompt without a token, where nothing begins a text either.
    #[error("the prompt has no tokens")]
    Empty,
}

impl From<rlx_session::RuntimeError> for GenerateError {
    fn from(error: rlx_session::RuntimeError) -> Self {
        GenerateError::Model(error.into())
    }
}

/// How much is generated, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct GenerateOptions {
    /// Tokens to generate; by default as many as the context holds.
    pub max_tokens: Option<usize>,
    /// How tokens are chosen.
    pub sampling: Sampling,
    /// Texts that end the answer, and are no part of it.
    pub stop: Vec<String>,
    /// Whether tokens that end answers are written like any others.
    pub ignore_ends: bool,
    /// Whether special tokens are written into the text.
    pub special: bool,
    /// Of how many tokens beside each generated one the probability is told; none for none at all.
    pub logprobs: Option<usize>,
    /// Tokens of a prompt that are read at a time.
    pub chunk: usize,
}

impl Default for GenerateOptions {
    fn default() -> Self {
        GenerateOptions {
            max_tokens: None,
            sampling: Sampling::default(),
            stop: Vec::new(),
            ignore_ends: false,
            special: false,
            logprobs: None,
            chunk: 512,
        }
    }
}

/// Why an answer ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FinishReason {
    /// The model ended it.
    End,
    /// This text was generated.
    Stop(String),
    /// There are as many tokens as were asked for, or as the context holds.
    Length,
    /// Whoever reads it had enough.
    Cancelled,
}

/// What is told while an answer is generated.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece<'a> {
    /// Tokens of the prompt that have been read, of all that have to be.
    Prompt(usize, usize),
    /// Text.
    Text(&'a str),
}

/// An answer.
#[derive(Clone, Debug)]
pub struct Generated {
    /// The text.
    pub text: String,
    /// The tokens, without one that ended the answer.
    pub tokens: Vec<u32>,
    /// Of each token, where they were asked for.
    pub logprobs: Vec<TokenLogprobs>,
    /// Why it ends.
    pub finish: FinishReason,
    /// Tokens of the prompt that were in the cache already.
    pub cached: usize,
    /// How long the rest of the prompt took, and the answer.
    pub times: [Duration; 2],
}

/// A model with its tokenizer and what its cache holds.
pub struct Generator {
    model: LanguageModel,
    tokenizer: Tokenizer,
    session: Session,
    /// The tokens in the cache.
    cached: Vec<u32>,
    /// What the last answer was drawn with: answers with the same settings compile it once.
    sampler: Option<Sampler>,
}

impl Generator {
    /// A generator; the model was opened for one sequence.
    pub fn new(model: LanguageModel, tokenizer: Tokenizer, session: Session) -> Self {
        Generator { model, tokenizer, session, cached: Vec::new(), sampler: None }
    }

    /// The tokenizer.
    pub fn tokenizer(&self) -> &Tokenizer {
        &self.tokenizer
    }

    /// The model. Its cache is forgotten first.
    ///
    /// # Errors
    /// Where there is no memory for the cache.
    pub fn model(&mut self) -> Result<&mut LanguageModel, GenerateError> {
        self.cached.clear();
        self.model.reset()?;
        Ok(&mut self.model)
    }

    /// Answers a prompt. What the cache holds of its beginning is not read again. `tell` hears of each piece, and may end the answer.
    ///
    /// # Errors
    /// A [`GenerateError`], before anything runs where the prompt or a setting is at fault.
    pub fn generate(
        &mut self,
        prompt: &[u32],
        options: &GenerateOptions,
        tell: &mut dyn FnMut(Piece<'_>) -> ControlFlow<()>,
    ) -> Result<Generated, GenerateError> {
        let context = self.model.capacity();
        if prompt.is_empty() {
            return Err(GenerateError::Empty);
        }
        if prompt.len() >= context {
            return Err(GenerateError::TooLong { prompt: prompt.len(), context });
        }
        let mut sampler = self.sampler(&options.sampling)?;
        prompt.iter().for_each(|&token| sampler.accept(token));
        let begin = Instant::now();
        let cached = self.rewind_to(prompt)?;
        let read = self.read(&prompt[cached..], options.chunk, tell)?;
        let mut answer = Answer::new(&self.tokenizer, options);
        let Some(mut logits) = read else {
            return answer.finish(FinishReason::Cancelled, cached, [begin.elapsed(), Duration::ZERO], tell);
        };
        let times = begin.elapsed();
        let begin = Instant::now();
        let room = context - prompt.len();
        let most = options.max_tokens.unwrap_or(room).min(room);
        let mut finish = FinishReason::Length;
        while answer.tokens.len() < most {
            let token = sampler.sample(&logits)?;
            if !options.ignore_ends && self.tokenizer.special().ends.contains(&token) {
                finish = FinishReason::End;
                break;
            }
            if let Some(reason) = answer.push(token, &logits, tell)? {
                finish = reason;
                break;
            }
            // Nothing follows the last token.
            if answer.tokens.len() < most {
                logits = self.model.forward(&[&[token]])?.pop().unwrap_or_default();
                self.cached.push(token);
            }
        }
        self.sampler = Some(sampler);
        answer.finish(finish, cached, [times, begin.elapsed()], tell)
    }

    /// A sampler that has seen nothing.
    fn sampler(&mut self, sampling: &Sampling) -> Result<Sampler, LlmError> {
        match self.sampler.take().filter(|sampler| sampler.sampling() == sampling) {
            Some(mut sampler) => {
                sampler.reset();
                Ok(sampler)
            }
            None => Sampler::new(sampling, self.model.spec().vocab, &self.session),
        }
    }

    /// Takes back what the cache holds beyond the beginning that it shares with a prompt; how long that is. One token at least is left to be
    /// read, after which logits come.
    fn rewind_to(&mut self, prompt: &[u32]) -> Result<usize, GenerateError> {
        let shared = self.cached.iter().zip(prompt).take_while(|(a, b)| a == b).count().min(prompt.len() - 1);
        let left = self.model.rewind(0, shared)?;
        self.cached.truncate(left);
        Ok(left)
    }

    /// Reads tokens, some at a time; the logits after the last. None where nobody wants them any more.
    fn read(
        &mut self,
        tokens: &[u32],
        chunk: usize,
        tell: &mut dyn FnMut(Piece<'_>) -> ControlFlow<()>,
    ) -> Result<Option<Vec<f32>>, GenerateError> {
        let mut logits = Vec::new();
        let mut read = 0;
        for part in tokens.chunks(chunk.max(1)) {
            logits = self.model.forward(&[part])?.pop().unwrap_or_default();
            self.cached.extend_from_slice(part);
            read += part.len();
            if tell(Piece::Prompt(read, tokens.len())).is_break() {
                return Ok(None);
            }
        }
        Ok(Some(logits))
    }
}

/// An answer under way.
struct Answer<'t> {
    stream: rlx_tokenizer::TextStream<'t>,
    stops: StopStrings,
    logprobs_of: Option<usize>,
    text: String,
    tokens: Vec<u32>,
    logprobs: Vec<TokenLogprobs>,
}

impl<'t> Answer<'t> {
    fn new(tokenizer: &'t Tokenizer, options: &GenerateOptions) -> Self {
        Answer {
            stream: tokenizer.stream(options.special),
            stops: StopStrings::new(&options.stop),
            logprobs_of: options.logprobs,
            text: String::new(),
            tokens: Vec::new(),
            logprobs: Vec::new(),
        }
    }

    /// One more token, drawn from these logits; why the answer ends with it.
    fn push(
        &mut self,
        token: u32,
        logits: &[f32],
        tell: &mut dyn FnMut(Piece<'_>) -> ControlFlow<()>,
    ) -> Result<Option<FinishReason>, GenerateError> {
        self.tokens.push(token);
        self.logprobs.extend(self.logprobs_of.map(|top| TokenLogprobs::of(logits, token, top)));
        // A model may have more logits than its vocabulary has tokens; those say nothing.
        let text =
            if (token as usize) < self.stream.tokens() { self.stream.push(token)? } else { String::new() };
        let more = self.give(text, tell);
        let stop = self.stops.found().map(|stop| FinishReason::Stop(stop.to_string()));
        Ok(stop.or(more.is_break().then_some(FinishReason::Cancelled)))
    }

    fn give(&mut self, text: String, tell: &mut dyn FnMut(Piece<'_>) -> ControlFlow<()>) -> ControlFlow<()> {
        let given = self.stops.push(&text);
        if given.is_empty() {
            return ControlFlow::Continue(());
        }
        self.text.push_str(&given);
        tell(Piece::Text(&given))
    }

    fn finish(
        mut self,
        finish: FinishReason,
        cached: usize,
        times: [Duration; 2],
        tell: &mut dyn FnMut(Piece<'_>) -> ControlFlow<()>,
    ) -> Result<Generated, GenerateError> {
        let held = self.stream.finish()?;
        let mut rest = self.stops.push(&held);
        // The last characters may complete a stop string.
        let finish = self.stops.found().map_or(finish, |stop| FinishReason::Stop(stop.to_string()));
        rest += &self.stops.finish();
        if !rest.is_empty() {
            self.text.push_str(&rest);
            let _ = tell(Piece::Text(&rest));
        }
        let Answer { text, tokens, logprobs, .. } = self;
        Ok(Generated { text, tokens, logprobs, finish, cached, times })
    }
}
