//! Generates text: reads the part of a prompt that the cache lacks, then draws tokens until something ends
//! them.

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
        "the prompt has {prompt} tokens, but the context holds {context}, and the answer needs at least one of them"
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
    Canceled,
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

/// A model with its tokenizer. As its model, it is `Send` and `Sync`, and a clone shares the weights.
pub struct Generator {
    model: LanguageModel,
    tokenizer: Tokenizer,
    session: Session,
    /// What the last answers were drawn with: answers with the same settings compile it once.
    samplers: Vec<Sampler>,
}

impl Clone for Generator {
    fn clone(&self) -> Self {
        let (model, tokenizer) = (self.model.clone(), self.tokenizer.clone());
        Generator { model, tokenizer, session: self.session.clone(), samplers: Vec::new() }
    }
}

impl Generator {
    /// A generator, which answers as many prompts at a time as the model has sequences.
    pub fn new(model: LanguageModel, tokenizer: Tokenizer, session: Session) -> Self {
        Generator { model, tokenizer, session, samplers: Vec::new() }
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
        let mut answers = self.generate_all(&[prompt], options, &mut |_, piece| tell(piece))?;
        // INVARIANT: there is an answer to each prompt.
        answers.pop().ok_or(GenerateError::Empty)
    }

    /// Answers several prompts at a time, at most as many as the model has sequences: each as [`Generator::generate`] does. `tell` hears
    /// of each piece and the number of its prompt, and may end that answer. Times are those of all prompts together, and until each
    /// answer ended.
    ///
    /// # Errors
    /// As [`Generator::generate`], and [`LlmError::Batch`] for more prompts than the model has sequences.
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

    /// Reads all of a prompt but its last token, and writes what the cache then holds to the file `path`, for [`Generator::restore`] in
    /// another process.
    ///
    /// # Errors
    /// As [`Generator::generate`], and where the file cannot be written.
    pub fn store(
        &mut self,
        prompt: &[u32],
        chunk: usize,
        path: &Path,
        tell: &mut dyn FnMut(Piece<'_>) -> ControlFlow<()>,
    ) -> Result<(), GenerateError> {
        self.check(&[prompt])?;
        // What is read of a prompt is one token less than it has.
        let cached = self.rewind_to(&[prompt])?;
        let prefix = &prompt[..prompt.len() - 1];
        let read = self.read(&[prefix], &cached, chunk, &mut |_, piece| tell(piece))?;
        if read.iter().all(Option::is_some) {
            self.model.save_sequence(path)?;
        }
        Ok(())
    }

    /// Fills the cache from a file that [`Generator::store`] wrote; how many tokens it has.
    ///
    /// # Errors
    /// [`LlmError::PromptCache`] for a file that is damaged or of another model.
    pub fn restore(&mut self, path: &Path) -> Result<usize, GenerateError> {
        Ok(self.model.load_sequence(path)?.len())
    }

    /// How many of a prompt's first tokens are in the cache of the first sequence.
    pub fn cached(&self, prompt: &[u32]) -> usize {
        shared(self.model.tokens(0), prompt)
    }

    /// Fails unless there is a sequence for each prompt, and in it room for an answer.
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

    /// A sampler for each prompt, which has seen that and nothing else.
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

    /// Takes back what the cache holds beyond the beginnings that it shares with prompts; how long those are. One token at least of each prompt
    /// is left to be read, after which logits come.
    fn rewind_to(&mut self, prompts: &[&[u32]]) -> Result<Vec<usize>, GenerateError> {
        let mut left = Vec::with_capacity(prompts.len());
        for (i, prompt) in prompts.iter().enumerate() {
            let shared = shared(self.model.tokens(i), prompt).min(prompt.len() - 1);
            match self.model.rewind(i, shared) {
                Ok(tokens) => left.push(tokens),
                // None of the sequences can go back alone, so all of them begin anew.
                Err(LlmError::Summaries { .. }) => {
                    self.model.reset()?;
                    return Ok(vec![0; prompts.len()]);
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(left)
    }

    /// Reads what of prompts is behind the first `cached` tokens, some at a time; the logits after the last of each. None where nobody wants
    /// them any more.
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
            // Shorter sequences are filled up, for which their caches need room.
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

/// How many tokens two texts share from their beginnings on.
fn shared(a: &[u32], b: &[u32]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

/// Takes the next tokens of each sequence in, whose texts will have at least these lengths; `each` hears the logits after the last of them.
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

/// One of the answers under way.
struct Turn<'t> {
    answer: Answer<'t>,
    /// The logits of its next token.
    logits: Vec<f32>,
    /// The most tokens that it may have.
    most: usize,
    /// Why it has ended, and after how long.
    finish: Option<(FinishReason, Duration)>,
}

impl Turn<'_> {
    /// Draws a token, which the model is to take in if the answer goes on behind it.
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
        // Nothing follows the last token.
        if end.is_none() && self.answer.tokens.len() >= self.most {
            end = Some(FinishReason::Length);
        }
        self.finish = end.map(|reason| (reason, begin.elapsed()));
        Ok(drawn.filter(|_| self.finish.is_none()))
    }
}
