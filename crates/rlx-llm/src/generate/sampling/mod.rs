//! The choice of the next token, as a graph: samplers narrow the tokens that may come next, then one is drawn.
//!
//! If the op `sample` has all samplers that are on, the graph is that op; otherwise it is the same filters with
//! the others between them. So every backend runs all samplers. The order of samplers is a setting.
//!
//! To add a sampler: a row in `samplers.rs` with its name, when it is on, and a function from candidates to
//! candidates in tensors; its setting in [`Sampling`]; and a case in `scripts/sampling_goldens.py`. A sampler
//! that needs only logits, counts of tokens and a bias is a filter of the op `sample` instead: a row in
//! `rlx-ir/src/op/logit_filter.rs` (name, setting, range) and a method of `Candidates` in
//! `rlx-ir/src/ops/sample.rs`, which samplers here call too, so each filter is defined once. The CPU's kernel
//! has it a second time, on a row (`rlx-cpu/src/kernels/sample/row.rs`), and is checked against the definition.
//!
//! Samplers are a graph of their own behind the model's. Their settings are attributes, so one graph would be
//! compiled again for each text that asks for others; and a key's noise depends on the place of a row, so a
//! sequence next to others would draw other tokens than alone.

mod history;
mod samplers;

use crate::error::LlmError;
use history::History;
use rlx_ir::math::random::SplitMix64;
use rlx_ir::{Builder, Candidates, DType, OpError, Shape, Tensor};
use rlx_session::{CompiledGraph, Session};

pub use samplers::SamplerKind;

/// How the next token is chosen. Settings that change nothing switch a sampler off.
#[derive(Clone, Debug, PartialEq)]
pub struct Sampling {
    /// What logits are divided by; at 0 the most likely token is chosen.
    pub temperature: f64,
    /// How many tokens are considered; 0 for all.
    pub top_k: usize,
    /// The most likely tokens are considered that have this probability together; 1 for all.
    pub top_p: f64,
    /// Tokens are considered that have this share of the largest probability; 0 for all.
    pub min_p: f64,
    /// Tokens are considered that are about as surprising as the average, up to this probability together; 1 for all.
    pub typical_p: f64,
    /// What positive logits of tokens that were there are divided by, and negative ones multiplied by; 1 for nothing.
    pub repetition_penalty: f64,
    /// What is taken from a logit for each time that the token was there.
    pub frequency_penalty: f64,
    /// What is taken from a logit if the token was there.
    pub presence_penalty: f64,
    /// How many of the last tokens the penalties count.
    pub penalty_window: usize,
    /// What DRY takes from the logit of a token that goes on with a repetition of the allowed length; 0 for nothing.
    pub dry_multiplier: f64,
    /// By what that grows with each further token of the repetition.
    pub dry_base: f64,
    /// Repetitions that are shorter are let be.
    pub dry_allowed_length: usize,
    /// How many of the last tokens DRY looks at; 0 for all.
    pub dry_window: usize,
    /// Tokens across which no repetition goes on.
    pub dry_breakers: Vec<u32>,
    /// Tokens are considered whose logit is at most so many standard deviations of all logits below the largest; 0 for all.
    pub top_n_sigma: f64,
    /// How often all but the least likely one of the tokens with at least the probability `xtc_threshold` are left out; 0 for never.
    pub xtc_probability: f64,
    /// Which tokens are likely.
    pub xtc_threshold: f64,
    /// The surprise of a token in bits that Mirostat aims at; 0 for none.
    pub mirostat_tau: f64,
    /// How fast Mirostat learns.
    pub mirostat_eta: f64,
    /// What is added to logits, by token.
    pub bias: Vec<(u32, f32)>,
    /// Where draws begin: the same seed draws the same tokens.
    pub seed: u64,
    /// The samplers in the order in which they run.
    pub order: Vec<SamplerKind>,
}

impl Default for Sampling {
    fn default() -> Self {
        Sampling {
            temperature: 0.8,
            top_k: 40,
            top_p: 0.95,
            min_p: 0.05,
            typical_p: 1.0,
            repetition_penalty: 1.0,
            frequency_penalty: 0.0,
            presence_penalty: 0.0,
            penalty_window: 64,
            dry_multiplier: 0.0,
            dry_base: 1.75,
            dry_allowed_length: 2,
            dry_window: 0,
            dry_breakers: Vec::new(),
            top_n_sigma: 0.0,
            xtc_probability: 0.0,
            xtc_threshold: 0.1,
            mirostat_tau: 0.0,
            mirostat_eta: 0.1,
            bias: Vec::new(),
            seed: 0,
            order: SamplerKind::ALL.to_vec(),
        }
    }
}

/// Lower temperatures would make infinite logits.
const SMALLEST_TEMPERATURE: f64 = 1e-30;

impl Sampling {
    /// The most likely token, always.
    pub fn greedy() -> Self {
        Sampling { temperature: 0.0, ..Sampling::default() }
    }

    /// Holds settings against their ranges.
    ///
    /// # Errors
    /// The setting, and what it has to be.
    pub fn check(&self, vocab: usize) -> Result<(), String> {
        let within = |name: &str, value: f64, low: f64, high: f64| {
            let fine = (low..=high).contains(&value);
            if fine { Ok(()) } else { Err(format!("{name} = {value:?}: it has to be from {low} to {high}")) }
        };
        if self.temperature > 0.0 && self.temperature < SMALLEST_TEMPERATURE {
            let (given, least) = (self.temperature, SMALLEST_TEMPERATURE);
            return Err(format!(
                "temperature = {given:?}: it is too small; 0 takes the most likely token, {least:?} is the least above it"
            ));
        }
        within("temperature", self.temperature, 0.0, 1e6)?;
        within("top_p", self.top_p, 0.0, 1.0)?;
        within("min_p", self.min_p, 0.0, 1.0)?;
        within("typical_p", self.typical_p, 0.0, 1.0)?;
        within("repetition_penalty", self.repetition_penalty, 1e-6, 1e6)?;
        within("frequency_penalty", self.frequency_penalty, -1e6, 1e6)?;
        within("presence_penalty", self.presence_penalty, -1e6, 1e6)?;
        within("dry_multiplier", self.dry_multiplier, 0.0, 1e6)?;
        within("dry_base", self.dry_base, 1.0, 1e6)?;
        within("top_n_sigma", self.top_n_sigma, 0.0, 1e6)?;
        within("xtc_probability", self.xtc_probability, 0.0, 1.0)?;
        within("xtc_threshold", self.xtc_threshold, 0.0, 1.0)?;
        within("mirostat_tau", self.mirostat_tau, 0.0, 1e6)?;
        within("mirostat_eta", self.mirostat_eta, 0.0, 1e6)?;
        within("top_k", self.top_k as f64, 0.0, f64::from(i32::MAX))?;
        for (token, bias) in &self.bias {
            if bias.is_nan() {
                return Err(format!("the bias of token {token} is NaN; -inf forbids a token"));
            }
            if *token as usize >= vocab {
                return Err(format!("a bias of {bias} for token {token}: the vocabulary has {vocab} tokens"));
            }
        }
        Ok(())
    }

    fn is_dry(&self) -> bool {
        self.dry_multiplier > 0.0
    }

    fn penalises(&self) -> bool {
        self.penalty_window > 0
            && (self.repetition_penalty != 1.0
                || self.frequency_penalty != 0.0
                || self.presence_penalty != 0.0)
    }
}

/// What samplers are told besides the candidates.
struct Choice {
    /// How often each token of the vocabulary was there lately, what a repetition takes from its logit, and what is added to it.
    counts: Tensor,
    repetition: Tensor,
    bias: Tensor,
    /// A number that is drawn from [0, 1), and the largest surprise in bits that Mirostat lets pass.
    chance: Tensor,
    surprise: Tensor,
}

/// Draws tokens by settings. The same seed draws the same tokens from the same logits.
pub struct Sampler {
    sampling: Sampling,
    program: CompiledGraph,
    bias: Vec<f32>,
    history: History,
    /// The largest surprise that Mirostat lets pass.
    surprise: f32,
    drawn: u32,
}

impl Sampler {
    /// A sampler for logits of `vocab` tokens.
    ///
    /// # Errors
    /// [`LlmError::Sampling`] for settings out of range, and what compiling says.
    pub fn new(sampling: &Sampling, vocab: usize, session: &Session) -> Result<Self, LlmError> {
        sampling.check(vocab).map_err(LlmError::Sampling)?;
        let builder = Builder::new("sampling");
        let vector = |name: &str| builder.input(name, Shape::new(&[vocab], DType::F32));
        let number = |name: &str| builder.input(name, Shape::new(&[1], DType::F32));
        let logits = vector("logits");
        let choice = Choice {
            counts: vector("counts"),
            repetition: vector("repetition"),
            bias: vector("bias"),
            chance: number("chance"),
            surprise: number("surprise"),
        };
        let key = builder.input("key", Shape::new(&[2], DType::U32));
        let greedy = sampling.temperature == 0.0;
        let filters: Option<Vec<_>> = sampling.order.iter().map(|kind| kind.filters(sampling)).collect();
        let [token, logits, ids] = match filters {
            Some(filters) => {
                logits.sample(&key, Some(&choice.counts), Some(&choice.bias), &filters.concat(), greedy)
            }
            None => {
                let refused = |e: OpError| LlmError::Sampling(e.to_string());
                let candidates = Candidates::new(&logits).map_err(refused)?;
                let mut kinds = sampling.order.iter();
                let candidates = kinds
                    .try_fold(candidates, |c, kind| kind.apply(c, &choice, sampling))
                    .map_err(refused)?;
                candidates.results((!greedy).then_some(&key))
            }
        };
        let graph = builder.finish(&[&token, &logits, &ids])?;
        let program = session.try_compile(graph)?;
        let mut bias = vec![0f32; vocab];
        sampling.bias.iter().for_each(|(token, value)| bias[*token as usize] += value);
        let mut sampler = Sampler {
            sampling: sampling.clone(),
            program,
            bias,
            history: History::new(vocab),
            surprise: 0.0,
            drawn: 0,
        };
        sampler.reset();
        Ok(sampler)
    }

    /// The settings.
    pub fn sampling(&self) -> &Sampling {
        &self.sampling
    }

    /// Forgets what was there and what was drawn.
    pub fn reset(&mut self) {
        self.history.clear();
        self.surprise = 2.0 * self.sampling.mirostat_tau as f32;
        self.drawn = 0;
    }

    /// A token was there, of the prompt or drawn.
    pub fn accept(&mut self, token: u32) {
        self.history.push(token, &self.sampling);
    }

    /// The next token after these logits.
    ///
    /// # Errors
    /// [`LlmError::Sampling`] for logits that are NaN or ∞, of which no token can be drawn, and what a run says.
    pub fn sample(&mut self, logits: &[f32]) -> Result<u32, LlmError> {
        let is_broken = |logit: &f32| logit.is_nan() || *logit == f32::INFINITY;
        if let Some(token) = logits.iter().position(is_broken) {
            let value = logits[token];
            return Err(LlmError::Sampling(format!(
                "the logit of token {token} is {value}: no token can be drawn"
            )));
        }
        // The words of a key are the seed's two halves, the second moved on by the number of the draw.
        let seed = self.sampling.seed;
        let key = [(seed >> 32) as u32, (seed as u32).wrapping_add(self.drawn.wrapping_mul(0x9E37_79B9))];
        let key: Vec<u8> = key.into_iter().flat_map(u32::to_le_bytes).collect();
        let chance = SplitMix64::stream(seed, u64::from(self.drawn)).unit() as f32;
        self.history.find_repetitions(&self.sampling);
        let vector = |name, values| (name, bytemuck::cast_slice::<f32, u8>(values), DType::F32);
        self.program.run_kept(&[
            vector("logits", logits),
            vector("counts", self.history.counts()),
            vector("repetition", self.history.repetition()),
            vector("bias", &self.bias),
            vector("chance", &[chance]),
            vector("surprise", &[self.surprise]),
            ("key", &key, DType::U32),
        ])?;
        self.drawn = self.drawn.wrapping_add(1);
        let token = self.program.try_output_bytes(0)?.first_chunk().map_or(0, |b| u32::from_le_bytes(*b));
        self.accept(token);
        if self.sampling.mirostat_tau > 0.0 {
            let found = self.distribution()?.into_iter().find(|(id, _)| *id == token);
            let surprise = -found.map_or(1.0, |(_, p)| p).log2();
            let error = surprise - self.sampling.mirostat_tau;
            self.surprise -= (self.sampling.mirostat_eta * error) as f32;
        }
        Ok(token)
    }

    /// The tokens that the last call of [`Self::sample`] chose from, with their probabilities.
    ///
    /// # Errors
    /// What reading an output says.
    pub fn distribution(&self) -> Result<Vec<(u32, f64)>, LlmError> {
        let logits =
            self.program.try_output_bytes(1)?.as_chunks().0.iter().map(|b| f64::from(f32::from_le_bytes(*b)));
        let ids = self.program.try_output_bytes(2)?.as_chunks().0.iter().map(|b| u32::from_le_bytes(*b));
        let pairs: Vec<(u32, f64)> =
            ids.zip(logits).filter(|(_, logit)| *logit > f64::NEG_INFINITY).collect();
        let largest = pairs.iter().map(|(_, logit)| *logit).fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = pairs.iter().map(|(_, logit)| (logit - largest).exp()).sum();
        Ok(pairs.into_iter().map(|(id, logit)| (id, (logit - largest).exp() / sum)).collect())
    }
}
