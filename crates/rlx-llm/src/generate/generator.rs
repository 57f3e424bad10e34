//! Generates text: reads the part of a prompt that is not in the cache, then draws tokens until the answer ends.

use super::answer::Answer;
use super::logprobs::TokenLogprobs;
use super::sampling::{Sampler, Sampling};
use crate::error::LlmError;
use crate::model::LanguageModel;
use rlx_session::Session;
use rlx_tokenizer::{Tokenizer, TokenizerError};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

/// An error that prevents an answer.
#[derive(Debug, thiserror::Error)]
pub enum GenerateError {
    /// The model failed.
    #[error(transparent)]
    Model(#[from] LlmError),
    /// The tokenizer failed.
    #[error(transparent)]
    Tokenizer(#[from] TokenizerError),
    /// The prompt leaves no room for an answer.
    #[error(
        "the prompt has {prompt} tokens, but the context holds {context}, at least one of which is for the answer"
    )]
    TooLong {
        /// Tokens in the prompt.
        prompt: usize,
        /// Tokens that fit into the context.
        context: usize,
    },
    /// The prompt has no tokens, and the tokenizer adds none at the beginning of a text.
    #[error("the prompt has no tokens")]
    Empty,
}

impl From<rlx_session::RuntimeError> for GenerateError {
    fn from(error: rlx_session::RuntimeError) -> Self {
        GenerateError::Model(error.into())
    }
}

/// Options for generating an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct GenerateOptions {
    /// The maximum number of tokens to generate; by default as many as fit into the context.
    pub max_tokens: Option<usize>,
    /// How tokens are chosen.
    pub sampling: Sampling,
    /// Texts that end the answer and are not part of it.
    pub stop: Vec<String>,
    /// Whether tokens that normally end an answer are treated like any others.
    pub ignore_ends: bool,
    /// Whether special tokens appear in the text.
    pub special: bool,
    /// How many alternatives to report with their probability for each generated token; `None` reports no
    /// probabilities.
    pub logprobs: Option<usize>,
    /// How many tokens of a prompt are read at a time.
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

/// Why an answer ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FinishReason {
    /// The model ended it.
    End,
    /// It contained this stop string.
    Stop(String),
    /// It reached the requested number of tokens, or filled the context.
    Length,
    /// The callback canceled it.
    Canceled,
}

/// A report made while an answer is generated.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece<'a> {
    /// How many tokens of the prompt have been read, and how many have to be read in total.
    Prompt(usize, usize),
    /// The next part of the text.
    Text(&'a str),
}

/// An answer.
#[derive(Clone, Debug)]
pub struct Generated {
    /// The text of the answer.
    pub text: String,
    /// The tokens, without the one that ended the answer.
    pub tokens: Vec<u32>,
    /// The probabilities for each token, if requested.
    pub logprobs: Vec<TokenLogprobs>,
    /// Why the answer ended.
    pub finish: FinishReason,
    /// How many tokens of the prompt were already in the cache.
    pub cached: usize,
    /// The time for reading the rest of the prompt, and for generating the answer.
    pub times: [Duration; 2],
}

/// A model with its tokenizer. Like the model, it is `Send` and `Sync`, and a clone shares the weights.
pub struct Generator {
    model: LanguageModel,
    tokenizer: Tokenizer,
    session: Session,
    /// The samplers of the last answers. Answers with the same settings reuse them, so they are compiled once.
    samplers: Vec<Sampler>,
}

impl Clone for Generator {
    fn clone(&self) -> Self {
        let (model, tokenizer) = (self.model.clone(), self.tokenizer.clone());
        Generator { model, tokenizer, session: self.session.clone(), samplers: Vec::new() }
    }
}

impl Generator {
    /// Creates a generator. It can answer as many prompts at a time as the model has sequences.
    pub fn new(model: LanguageModel, tokenizer: Tokenizer, session: Session) -> Self {
        Generator { model, tokenizer, session, samplers: Vec::new() }
    }

    /// Returns the tokenizer.
    pub fn tokenizer(&self) -> &Tokenizer {
        &self.tokenizer
    }

    /// Empties the cache and returns the model.
    ///
    /// # Errors
    /// Fails if there is not enough memory for the cache.
    pub fn model(&mut self) -> Result<&mut LanguageModel, GenerateError> {
        self.model.reset()?;
        Ok(&mut self.model)
    }

    /// Answers a prompt. The beginning of the prompt that is already in the cache is not read again. `tell` receives
    /// each piece of the answer and can cancel it.
    ///
    /// # Errors
    /// Returns a [`GenerateError`]. Errors in the prompt or the options are reported before anything runs.
    pub fn generate(
        &mut self,
        prompt: &[u32],
        options: &GenerateOptions,
        tell: &mut dyn FnMut(Piece<'_>) -> ControlFlow<()>,
    ) -> Result<Generated, GenerateError> {
        let mut answers = self.generate_all(&[prompt], options, &mut |_, piece| tell(piece))?;
        // INVARIANT: each prompt has an answer.
        answers.pop().ok_or(GenerateError::Empty)
    }

    /// Answers several prompts at the same time, at most as many as the model has sequences, each like
    /// [`Generator::generate`]. `tell` receives the index of the prompt with each piece and can cancel that answer.
    /// The reported times are the time for reading all prompts together, and the time until each answer ended.
    ///
    /// # Errors
    /// The same as [`Generator::generate`], and [`LlmError::Batch`] if there are more prompts than sequences.
    pub fn generate_all(
        &mut self,
        prompts: &[&[u32]],
        options: &GenerateOptions,
        tell: &mut dyn FnMut(usize, Piece<'_>) -> ControlFlow<()>,
    ) -> Result<Vec<Generated>, GenerateError> {
        self.check(prompts)?;
        let (context, expected) = (self.model.capacity(), self.model.sequences());
        let mut samplers = self.samplers(prompts, &options.sampling)?;
        let begin = Instant::now();
        let cached = self.rewind_to(prompts)?;
        let read = self.read(prompts, &cached, options.chunk, tell)?;
        let prompt_time = begin.elapsed();
        let begin = Instant::now();
        let mut turns: Vec<Turn<'_>> = prompts
            .iter()
            .zip(read)
            .map(|(prompt, logits)| Turn {
                answer: Answer::new(&self.tokenizer, options),
                most: options.max_tokens.unwrap_or(usize::MAX).min(context - prompt.len()),
                finish: logits.is_none().then_some((FinishReason::Canceled, Duration::ZERO)),
                logits: logits.unwrap_or_default(),
            })
            .collect();
        let ends = if options.ignore_ends { &[][..] } else { &self.tokenizer.special().ends };
        loop {
            let mut next = vec![Vec::new(); expected];
            for (i, (turn, sampler)) in turns.iter_mut().zip(&mut samplers).enumerate() {
                next[i].extend(turn.step(sampler, ends, begin, &mut |piece| tell(i, piece))?);
            }
            if next.iter().all(Vec::is_empty) {
                break;
            }
            forward(&mut self.model, &next, &[], |i, logits| turns[i].logits = logits)?;
        }
        self.samplers = samplers;
        let finish = |(i, turn): (usize, Turn<'_>)| {
            let (reason, time) = turn.finish.unwrap_or((FinishReason::Length, begin.elapsed()));
            turn.answer.finish(reason, cached[i], [prompt_time, time], &mut |piece| tell(i, piece))
        };
        turns.into_iter().enumerate().map(finish).collect()
    }

    /// Reads all of a prompt except its last token, and writes the resulting cache to the file `path`, for
    /// [`Generator::restore`] in another process.
    ///
    /// # Errors
    /// The same as [`Generator::generate`]; also fails if the file cannot be written.
    pub fn store(
        &mut self,
        prompt: &[u32],
        chunk: usize,
        path: &Path,
        tell: &mut dyn FnMut(Piece<'_>) -> ControlFlow<()>,
    ) -> Result<(), GenerateError> {
        self.check(&[prompt])?;
        // The last token is read later, when the prompt is answered.
        let cached = self.rewind_to(&[prompt])?;
        let prefix = &prompt[..prompt.len() - 1];
        let read = self.read(&[prefix], &cached, chunk, &mut |_, piece| tell(piece))?;
        if read.iter().all(Option::is_some) {
            self.model.save_sequence(path)?;
        }
        Ok(())
    }

    /// Fills the cache from a file written by [`Generator::store`], and returns how many tokens it contains.
    ///
    /// # Errors
    /// Returns [`LlmError::PromptCache`] if the file is damaged or belongs to another model.
    pub fn restore(&mut self, path: &Path) -> Result<usize, GenerateError> {
        Ok(self.model.load_sequence(path)?.len())
    }

    /// Returns how many of the prompt's first tokens are in the cache of the first sequence.
    pub fn cached(&self, prompt: &[u32]) -> usize {
        shared(self.model.tokens(0), prompt)
    }

    /// Fails unless each prompt has a sequence with room for an answer.
    fn check(&self, prompts: &[&[u32]]) -> Result<(), GenerateError> {
        let (context, expected) = (self.model.capacity(), self.model.sequences());
        if prompts.len() > expected {
            return Err(LlmError::Batch { expected, found: prompts.len() }.into());
        }
        if prompts.iter().any(|prompt| prompt.is_empty()) {
            return Err(GenerateError::Empty);
        }
        match prompts.iter().map(|prompt| prompt.len()).find(|&len| len >= context) {
            Some(prompt) => Err(GenerateError::TooLong { prompt, context }),
            None => Ok(()),
        }
    }

    /// Returns one sampler per prompt, which has seen only that prompt.
    fn samplers(&mut self, prompts: &[&[u32]], sampling: &Sampling) -> Result<Vec<Sampler>, LlmError> {
        let mut samplers = std::mem::take(&mut self.samplers);
        samplers.retain(|sampler| sampler.sampling() == sampling);
        samplers.truncate(prompts.len());
        while samplers.len() < prompts.len() {
            samplers.push(Sampler::new(sampling, self.model.spec().vocab, &self.session)?);
        }
        for (sampler, prompt) in samplers.iter_mut().zip(prompts) {
            sampler.reset();
            prompt.iter().for_each(|&token| sampler.accept(token));
        }
        Ok(samplers)
    }

    /// Removes from the cache what does not match the beginnings of the prompts, and returns how many tokens of each
    /// prompt are left. At least one token of each prompt stays unread, since its logits are needed.
    fn rewind_to(&mut self, prompts: &[&[u32]]) -> Result<Vec<usize>, GenerateError> {
        let mut left = Vec::with_capacity(prompts.len());
        for (i, prompt) in prompts.iter().enumerate() {
            let shared = shared(self.model.tokens(i), prompt).min(prompt.len() - 1);
            match self.model.rewind(i, shared) {
                Ok(tokens) => left.push(tokens),
                // A single sequence cannot go back, so all of them start again.
                Err(LlmError::Summaries { .. }) => {
                    self.model.reset()?;
                    return Ok(vec![0; prompts.len()]);
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(left)
    }

    /// Reads the prompts after their first `cached` tokens, in chunks. Returns the logits after the last token of
    /// each prompt, or `None` if `tell` canceled the answer.
    fn read(
        &mut self,
        prompts: &[&[u32]],
        cached: &[usize],
        chunk: usize,
        tell: &mut dyn FnMut(usize, Piece<'_>) -> ControlFlow<()>,
    ) -> Result<Vec<Option<Vec<f32>>>, GenerateError> {
        let mut rest: Vec<&[u32]> = prompts.iter().zip(cached).map(|(prompt, &n)| &prompt[n..]).collect();
        let lengths: Vec<usize> = prompts.iter().map(|prompt| prompt.len()).collect();
        let mut read = vec![Some(Vec::new()); prompts.len()];
        while rest.iter().any(|rest| !rest.is_empty()) {
            // Shorter sequences are padded, and their caches need room for the padding.
            let sequences = self.model.sequences();
            let fullest = (0..sequences).map(|i| self.model.tokens(i).len()).max().unwrap_or(0);
            let chunk = chunk.min(self.model.capacity() - fullest).max(1);
            let mut parts = vec![Vec::new(); sequences];
            for (part, rest) in parts.iter_mut().zip(&mut rest) {
                let (now, later) = rest.split_at(chunk.min(rest.len()));
                part.extend_from_slice(now);
                *rest = later;
            }
            forward(&mut self.model, &parts, &lengths, |i, logits| read[i] = Some(logits))?;
            for i in (0..prompts.len()).filter(|&i| !parts[i].is_empty()) {
                let all = prompts[i].len() - cached[i];
                if tell(i, Piece::Prompt(all - rest[i].len(), all)).is_break() {
                    (read[i], rest[i]) = (None, &[]);
                }
            }
        }
        Ok(read)
    }
}

/// Returns the length of the longest common prefix, in tokens.
fn shared(a: &[u32], b: &[u32]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

/// Appends the next tokens to each sequence, whose text will have at least the given length, and passes the logits
/// after the last token to `each`.
fn forward(
    model: &mut LanguageModel,
    next: &[Vec<u32>],
    lengths: &[usize],
    mut each: impl FnMut(usize, Vec<f32>),
) -> Result<(), LlmError> {
    let given: Vec<&[u32]> = next.iter().map(Vec::as_slice).collect();
    let logits = model.forward_within(&given, lengths)?;
    logits
        .into_iter()
        .enumerate()
        .filter(|(i, _)| !next[*i].is_empty())
        .for_each(|(i, logits)| each(i, logits));
    Ok(())
}

/// One of several answers in progress.
struct Turn<'t> {
    answer: Answer<'t>,
    /// The logits for the next token.
    logits: Vec<f32>,
    /// The maximum number of tokens.
    most: usize,
    /// Why the answer ended, and after what time.
    finish: Option<(FinishReason, Duration)>,
}

impl Turn<'_> {
    /// Draws a token. Returns it if the answer continues, so that the model can read it.
    fn step(
        &mut self,
        sampler: &mut Sampler,
        ends: &[u32],
        begin: Instant,
        tell: &mut dyn FnMut(Piece<'_>) -> ControlFlow<()>,
    ) -> Result<Option<u32>, GenerateError> {
        if self.finish.is_some() {
            return Ok(None);
        }
        let mut end = None;
        let mut drawn = None;
        if self.answer.tokens.len() < self.most {
            let token = sampler.sample(&self.logits)?;
            if ends.contains(&token) {
                end = Some(FinishReason::End);
            } else {
                end = self.answer.push(token, &self.logits, tell)?;
                drawn = Some(token);
            }
        }
        // The last token does not have to be read.
        if end.is_none() && self.answer.tokens.len() >= self.most {
            end = Some(FinishReason::Length);
        }
        self.finish = end.map(|reason| (reason, begin.elapsed()));
        Ok(drawn.filter(|_| self.finish.is_none()))
    }
}
