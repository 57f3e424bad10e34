//! Chooses the next token with a graph: samplers narrow down the candidates, then one of them is drawn.
//!
//! If the op `sample` has all active samplers, the graph consists of that op. Otherwise it contains the same filters
//! with the other samplers between them. So every backend runs all samplers. The order of samplers is a setting.
//!
//! To add a sampler, add a row in `samplers.rs` with its name, the condition for being active, and a function from
//! candidates to candidates in tensors; a setting in [`Sampling`]; and a case in `scripts/sampling_goldens.py`. A
//! sampler that only needs logits, token counts and a bias is a filter of the op `sample` instead. It needs a row in
//! `rlx-ir/src/op/logit_filter.rs` (name, setting, range) and a method of `Candidates` in `rlx-ir/src/ops/sample.rs`.
//! Samplers here call that method too, so each filter is defined once. The CPU kernel implements it a second time,
//! for a row (`rlx-cpu/src/kernels/sample/row.rs`), and is checked against the definition.
//!
//! Sampling has a separate graph after the model's. In one graph, the settings, which are attributes, would force a
//! recompilation whenever a text uses different ones. Also, the noise of a key depends on the row, so a sequence
//! would draw different tokens next to others than alone.

mod history;
mod samplers;

use crate::error::LlmError;
use history::History;
use rlx_ir::math::random::SplitMix64;
use rlx_ir::{Builder, Candidates, DType, OpError, Shape, Tensor};
use rlx_session::{CompiledGraph, Session};

pub use samplers::SamplerKind;

/// How the next token is chosen. A sampler whose settings have no effect is switched off.
#[derive(Clone, Debug, PartialEq)]
pub struct Sampling {
    /// Logits are divided by this; 0 chooses the most likely token.
    pub temperature: f64,
    /// Keeps this many of the most likely tokens; 0 keeps all.
    pub top_k: usize,
    /// Keeps the most likely tokens whose probabilities add up to this value; 1 keeps all.
    pub top_p: f64,
    /// Keeps tokens with at least this fraction of the highest probability; 0 keeps all.
    pub min_p: f64,
    /// Keeps the tokens closest to average surprise whose probabilities add up to this value; 1 keeps all.
    pub typical_p: f64,
    /// For tokens that occurred before, positive logits are divided by this and negative ones multiplied; 1 has no
    /// effect.
    pub repetition_penalty: f64,
    /// Subtracted from a token's logit for each time that the token occurred.
    pub frequency_penalty: f64,
    /// Subtracted from a token's logit if the token occurred.
    pub presence_penalty: f64,
    /// The number of recent tokens that the penalties count.
    pub penalty_window: usize,
    /// DRY's penalty for a token that continues a repetition of the allowed length; 0 switches DRY off.
    pub dry_multiplier: f64,
    /// The factor by which the penalty grows with each further token of the repetition.
    pub dry_base: f64,
    /// Shorter repetitions have no penalty.
    pub dry_allowed_length: usize,
    /// The number of recent tokens that DRY examines; 0 for all.
    pub dry_window: usize,
    /// Tokens that interrupt repetitions.
    pub dry_breakers: Vec<u32>,
    /// Keeps tokens whose logit is at most this many standard deviations of all logits below the largest one; 0 keeps
    /// all.
    pub top_n_sigma: f64,
    /// The probability that XTC removes all tokens with at least the probability `xtc_threshold`, except the least
    /// likely of them; 0 switches it off.
    pub xtc_probability: f64,
    /// The minimum probability of the tokens that XTC may remove.
    pub xtc_threshold: f64,
    /// The surprise in bits that Mirostat aims at; 0 switches it off.
    pub mirostat_tau: f64,
    /// The learning rate of Mirostat.
    pub mirostat_eta: f64,
    /// Values to add to the logits of tokens.
    pub bias: Vec<(u32, f32)>,
    /// The random seed: the same seed draws the same tokens.
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

/// Lower temperatures would produce infinite logits.
const SMALLEST_TEMPERATURE: f64 = 1e-30;

impl Sampling {
    /// Returns settings that always choose the most likely token.
    pub fn greedy() -> Self {
        Sampling { temperature: 0.0, ..Sampling::default() }
    }

    /// Checks that settings are within their ranges.
    ///
    /// # Errors
    /// Returns a message with the setting and its allowed values.
    pub fn check(&self, vocab: usize) -> Result<(), String> {
        let within = |name: &str, value: f64, low: f64, high: f64| {
            let fine = (low..=high).contains(&value);
            if fine { Ok(()) } else { Err(format!("{name} = {value:?}: it must be from {low} to {high}")) }
        };
        if self.temperature > 0.0 && self.temperature < SMALLEST_TEMPERATURE {
            let (given, least) = (self.temperature, SMALLEST_TEMPERATURE);
            return Err(format!(
                "temperature = {given:?}: it is too small; use 0 to choose the most likely token, or at least {least:?}"
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
                return Err(format!("the bias of token {token} is NaN; use -inf to forbid a token"));
            }
            if *token as usize >= vocab {
                return Err(format!("a bias of {bias} for token {token}, but there are {vocab} tokens"));
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

/// What samplers receive besides the candidates.
struct Choice {
    /// For each token of the vocabulary: how often it occurred recently, its penalty for a repetition, and its bias.
    counts: Tensor,
    repetition: Tensor,
    bias: Tensor,
    /// A random number in [0, 1), and Mirostat's current maximum surprise in bits.
    chance: Tensor,
    surprise: Tensor,
}

/// Draws tokens according to settings. The same seed draws the same tokens from the same logits.
pub struct Sampler {
    sampling: Sampling,
    program: CompiledGraph,
    bias: Vec<f32>,
    history: History,
    /// Mirostat's current maximum surprise.
    surprise: f32,
    drawn: u32,
}

impl Sampler {
    /// Creates a sampler for logits of `vocab` tokens.
    ///
    /// # Errors
    /// Returns [`LlmError::Sampling`] if a setting is out of range, and any error of compiling.
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

    /// Returns the settings.
    pub fn sampling(&self) -> &Sampling {
        &self.sampling
    }

    /// Forgets all tokens and restarts the random numbers.
    pub fn reset(&mut self) {
        self.history.clear();
        self.surprise = 2.0 * self.sampling.mirostat_tau as f32;
        self.drawn = 0;
    }

    /// Records a token of the prompt, or one that was drawn.
    pub fn accept(&mut self, token: u32) {
        self.history.push(token, &self.sampling);
    }

    /// Draws the next token from these logits.
    ///
    /// # Errors
    /// Returns [`LlmError::Sampling`] if a logit is NaN or +∞, and any error of the run.
    pub fn sample(&mut self, logits: &[f32]) -> Result<u32, LlmError> {
        let is_broken = |logit: &f32| logit.is_nan() || *logit == f32::INFINITY;
        if let Some(token) = logits.iter().position(is_broken) {
            let value = logits[token];
            return Err(LlmError::Sampling(format!(
                "cannot draw a token: the logit of token {token} is {value}"
            )));
        }
        // The words of the key are the two halves of the seed; the second one is advanced by the number of the draw.
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

    /// Returns the tokens that the last call of [`Self::sample`] chose from, with their probabilities.
    ///
    /// # Errors
    /// Returns the error of reading an output.
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
