//! A language model that is ready to run: its compiled graph, its weights, and the cache of its sequences.

use crate::adapter::{AdapterSource, ModelUpdates, Update};
use crate::checkpoint::Checkpoint;
use crate::error::LlmError;
use crate::families::Family;
use crate::finite::FiniteCheck;
use crate::graph::{CacheType, ModelState, StateKind, angle_inputs, decoder_graph};
use crate::memory::MemoryNeeds;
use crate::parameters::{self, TensorSource, TensorsFound};
use crate::progress::{LoadObserver, LoadStep};
use crate::spec::{DecoderSpec, MixerSpec};
use rlx_gguf::{Gguf, ModelFiles};
use rlx_ir::{DType, Dim};
use rlx_session::{CompiledGraph, Session};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// Options for opening a model.
#[derive(Clone, Debug)]
pub struct ModelOptions {
    /// Tokens that the cache holds for each sequence. The default is the context length of the model, at most 4,096.
    pub capacity: Option<usize>,
    /// The number of sequences that run together.
    pub batch: usize,
    /// The element type of the cache.
    pub cache: CacheType,
    /// Bytes that weights and cache may take; by default what the system reports as available.
    pub memory: Option<u64>,
    /// Adapters to apply while the model runs. Updates of the same matrix are added up.
    pub adapters: Vec<AdapterSource>,
    /// Receives the progress of loading.
    pub observer: Option<LoadObserver>,
}

impl Default for ModelOptions {
    fn default() -> Self {
        ModelOptions {
            capacity: None,
            batch: 1,
            cache: CacheType::F32,
            memory: None,
            adapters: Vec::new(),
            observer: None,
        }
    }
}

/// The upper limit of the default for [`ModelOptions::capacity`].
const DEFAULT_CAPACITY: usize = 4096;

/// The number of tokens reread at a time when the angles change with the length of a text.
const REREAD_CHUNK: usize = 512;

/// The state of one sequence.
#[derive(Clone, Default)]
struct Sequence {
    /// The tokens in the cache.
    tokens: Vec<u32>,
    /// The length of the text that the angles of these tokens belong to.
    length: usize,
}

/// A language model and the sequences that it is working on.
///
/// It is `Send` and `Sync`. A clone shares the weights and their packed copies, and gets its own copy of the cache
/// and its sequences, so each thread can run one. A clone needs memory for its cache and for intermediate values, but
/// none for weights.
#[derive(Clone)]
pub struct LanguageModel {
    spec: DecoderSpec,
    program: CompiledGraph,
    states: Vec<ModelState>,
    checkpoint: Arc<Checkpoint>,
    /// A checksum of the adapters.
    adapters: String,
    capacity: usize,
    sequences: Vec<Sequence>,
    /// Finds the cause of logits that are not finite.
    finite: FiniteCheck,
    /// Is told when the first run is done.
    observer: Option<LoadObserver>,
    /// Notes about settings that are not recognized.
    unknown_settings: Vec<String>,
}

impl LanguageModel {
    /// Opens the model at `path`: a folder with `config.json` and safetensors, or a GGUF file, either the only one or
    /// the first of several. Weights stay in the mapped files, as they are stored.
    ///
    /// # Errors
    /// Returns an [`LlmError`] that names the file and the problem.
    pub fn open(path: &Path, session: &Session, options: &ModelOptions) -> Result<LanguageModel, LlmError> {
        Self::from_files(&ModelFiles::open(path)?, session, options)
    }

    /// Opens the model in a GGUF file that is already open.
    ///
    /// # Errors
    /// The same as [`LanguageModel::open`].
    pub fn from_gguf(
        file: Gguf,
        session: &Session,
        options: &ModelOptions,
    ) -> Result<LanguageModel, LlmError> {
        Self::from_files(&file.into(), session, options)
    }

    /// Opens the model in files that are already open. The model keeps a GGUF file open.
    ///
    /// # Errors
    /// The same as [`LanguageModel::open`].
    pub fn from_files(
        files: &ModelFiles,
        session: &Session,
        options: &ModelOptions,
    ) -> Result<LanguageModel, LlmError> {
        let path = files.path();
        let checkpoint = Arc::new(Checkpoint::new(files)?);
        let (spec, names) = Family::load(path, &checkpoint)?;
        let mut unknown_settings = Family::unknown_settings(path, &checkpoint)?;
        check_heads(&spec, options.cache)?;
        let model_updates = ModelUpdates::open(&options.adapters, path, &checkpoint)?;
        unknown_settings.extend(model_updates.unknown_settings().cloned());
        let parameters = model_updates.with(TensorsFound::new(&checkpoint, names), &spec);
        let graph = decoder_graph(&spec, &parameters, options.cache);
        let (tensors, updates) = parameters.finish()?;
        let sources = tensors.finish()?;
        let (graph, states) = graph?;
        let capacity = options.capacity.unwrap_or(spec.context.min(DEFAULT_CAPACITY));
        let needs = MemoryNeeds {
            weights: sources.iter().map(|source| source.bytes as u64).sum::<u64>()
                + updates.iter().map(Update::bytes).sum::<u64>(),
            cache: states.iter().map(|state| state_bytes(state, options.batch, capacity)).sum(),
        };
        needs.check(options.memory)?;
        let compile = session.options().clone();
        let compile = states.iter().fold(compile, |c, state| c.state(&state.name, state.output));
        let mut program = session.clone().with_options(compile).try_compile(graph)?;
        let tell = |step| options.observer.iter().for_each(|observer| observer.tell(step));
        let total: u64 = sources.iter().map(|source| source.bytes as u64).sum();
        tell(LoadStep::Loading(total));
        for source in &sources {
            parameters::set(&mut program, source, &checkpoint, options.observer.as_ref())?;
            tell(LoadStep::Loaded(source.bytes as u64));
        }
        tell(LoadStep::Packing(total));
        for (name, values) in updates.iter().flat_map(Update::parameters) {
            let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
            program.set_param_typed(&name, &bytes, DType::F32)?;
        }
        let (adapters, sequences) = (Update::checksum(&updates), vec![Sequence::default(); options.batch]);
        let observer = options.observer.clone();
        let tensors = sources.iter().flat_map(TensorSource::tensors).collect();
        let added = updates.iter().flat_map(Update::parameters).map(|(name, _)| name).collect();
        let finite = FiniteCheck::new(path, tensors, added, options.cache);
        let mut model = LanguageModel {
            spec,
            program,
            states,
            checkpoint,
            adapters,
            capacity,
            sequences,
            finite,
            observer,
            unknown_settings,
        };
        model.reset()?;
        Ok(model)
    }

    /// Returns what the model computes.
    pub fn spec(&self) -> &DecoderSpec {
        &self.spec
    }

    /// Returns a sentence for each setting in the model's files that is not recognized and therefore has no effect.
    /// Settings that are known to change the model but are not supported are errors of [`LanguageModel::open`].
    pub fn unknown_settings(&self) -> &[String] {
        &self.unknown_settings
    }

    /// Forgets all sequences.
    ///
    /// # Errors
    /// Fails if there is not enough memory for the cache.
    pub fn reset(&mut self) -> Result<(), LlmError> {
        self.sequences.fill(Sequence::default());
        let batch = self.sequences.len();
        self.bind(&[("batch", batch), ("outputs", 1)])?;
        for state in &self.states {
            let zeros = vec![0u8; state_bytes(state, batch, self.capacity) as usize];
            self.program.set_handle_typed(&state.name, &zeros, state.shape.dtype())?;
        }
        Ok(())
    }

    /// Returns how many tokens the cache holds for each sequence.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    pub(crate) fn states(&self) -> &[ModelState] {
        &self.states
    }

    pub(crate) fn program(&self) -> &CompiledGraph {
        &self.program
    }

    pub(crate) fn checkpoint(&self) -> &Checkpoint {
        &self.checkpoint
    }

    /// Returns a checksum of what the adapters add.
    pub(crate) fn adapters(&self) -> &str {
        &self.adapters
    }

    /// Returns the size in bytes of the cache of one sequence.
    pub(crate) fn cache_bytes(&self) -> u64 {
        self.states.iter().map(|state| state_bytes(state, 1, self.capacity)).sum()
    }

    /// Sets the values of all states, which hold `tokens` for the first sequence.
    pub(crate) fn set_sequence(&mut self, values: &[Vec<u8>], tokens: &[u32]) -> Result<(), LlmError> {
        for (state, bytes) in self.states.iter().zip(values) {
            self.program.set_handle_typed(&state.name, bytes, state.shape.dtype())?;
        }
        let (tokens, length) = (tokens.to_vec(), tokens.len());
        self.sequences
            .iter_mut()
            .take(1)
            .for_each(|first| *first = Sequence { tokens: tokens.clone(), length });
        Ok(())
    }

    /// Returns the number of sequences that run together.
    pub fn sequences(&self) -> usize {
        self.sequences.len()
    }

    /// Returns the tokens of a sequence that are in the cache.
    pub(crate) fn tokens(&self, sequence: usize) -> &[u32] {
        self.sequences.get(sequence).map_or(&[], |sequence| &sequence.tokens)
    }

    /// Keeps the first `tokens` tokens of a sequence, forgets the rest, and returns how many are left. If a state is
    /// a summary of all tokens, it cannot forget some of them, so the sequence is emptied and 0 is returned.
    ///
    /// # Errors
    /// Returns [`LlmError::Batch`] if there is no such sequence, and [`LlmError::Summaries`] if the model has
    /// summaries of several sequences.
    pub fn rewind(&mut self, sequence: usize, tokens: usize) -> Result<usize, LlmError> {
        let expected = self.sequences.len();
        let missing = LlmError::Batch { expected, found: sequence.saturating_add(1) };
        let used = &mut self.sequences.get_mut(sequence).ok_or(missing)?.tokens;
        if tokens >= used.len() {
            return Ok(used.len());
        }
        if self.states.iter().all(|state| state.kind == StateKind::Rows) {
            used.truncate(tokens);
            return Ok(tokens);
        }
        if expected > 1 {
            return Err(LlmError::Summaries { sequences: expected });
        }
        self.reset()?;
        Ok(0)
    }

    /// Sets the sizes of the next run, and the capacity of the cache if the model has one.
    fn bind(&mut self, sizes: &[(&str, usize)]) -> Result<(), LlmError> {
        let has_rows = self.states.iter().any(|state| state.kind == StateKind::Rows);
        let capacity = has_rows.then_some(("capacity", self.capacity));
        let sizes: Vec<(&str, usize)> = sizes.iter().copied().chain(capacity).collect();
        Ok(self.program.bind_dims(&sizes)?)
    }

    /// Appends the next tokens of each sequence, and returns the logits after the last of them: for each sequence
    /// `vocab` numbers, or an empty list if it has no new tokens.
    ///
    /// The logits are those that the model computes for the whole sequence in one run. If the angles of the rotary
    /// embeddings change with the length of a text (LongRoPE, dynamic NTK), earlier tokens are reread when they
    /// change: once with LongRoPE, and for every token beyond [`RopeStretch::limit`](crate::spec::RopeStretch) with
    /// dynamic NTK.
    ///
    /// # Errors
    /// Returns [`LlmError::Batch`], [`LlmError::Token`] or [`LlmError::Full`] before anything runs,
    /// [`LlmError::NotFinite`] if logits are not finite, and any error of the run.
    pub fn forward(&mut self, tokens: &[&[u32]]) -> Result<Vec<Vec<f32>>, LlmError> {
        self.forward_within(tokens, &[])
    }

    /// Does the same as [`forward`](Self::forward) for sequences that are the beginnings of texts of `lengths` tokens,
    /// so that these tokens need not be reread when the rest follows.
    pub(crate) fn forward_within(
        &mut self,
        tokens: &[&[u32]],
        lengths: &[usize],
    ) -> Result<Vec<Vec<f32>>, LlmError> {
        self.run(tokens, lengths, 1, |n| n.saturating_sub(1)..n)
    }

    /// Appends the next tokens of each sequence, and returns the logits after each of them: one list per sequence,
    /// with `vocab` numbers for each token.
    ///
    /// # Errors
    /// The same as [`LanguageModel::forward`].
    pub fn forward_all(&mut self, tokens: &[&[u32]]) -> Result<Vec<Vec<f32>>, LlmError> {
        self.run(tokens, &[], longest(tokens), |n| 0..n)
    }

    /// Recomputes the states of the first sequence, unless they are valid for a text that ends with it.
    pub(crate) fn settle(&mut self) -> Result<(), LlmError> {
        let Some(Sequence { tokens, length }) = self.sequences.first() else { return Ok(()) };
        let own = tokens.len();
        if own == 0 || self.spec.same_angles(*length, own) {
            return Ok(());
        }
        let lengths: Vec<usize> =
            self.sequences.iter().enumerate().map(|(i, s)| if i == 0 { own } else { s.length }).collect();
        self.read_again(&[0], &lengths)
    }

    /// Checks the next tokens of each sequence and runs them. If the states of earlier tokens are not valid for texts
    /// of `lengths` tokens (or of as many tokens as there then are), they are recomputed first.
    fn run(
        &mut self,
        tokens: &[&[u32]],
        lengths: &[usize],
        outputs: usize,
        wanted: impl Fn(usize) -> Range<usize>,
    ) -> Result<Vec<Vec<f32>>, LlmError> {
        self.check(tokens)?;
        if longest(tokens) == 0 {
            return Ok(vec![Vec::new(); tokens.len()]);
        }
        let length = |(i, sequence): (usize, &Sequence)| match tokens[i].len() {
            // A sequence without new tokens is not read.
            0 => sequence.length,
            new => (sequence.tokens.len() + new).max(lengths.get(i).copied().unwrap_or(0)),
        };
        let lengths: Vec<usize> = self.sequences.iter().enumerate().map(length).collect();
        let is_other = |&i: &usize| {
            let Sequence { tokens, length } = &self.sequences[i];
            !tokens.is_empty() && !self.spec.same_angles(*length, lengths[i])
        };
        let others: Vec<usize> = (0..lengths.len()).filter(is_other).collect();
        if !others.is_empty() {
            self.read_again(&others, &lengths)?;
        }
        self.run_once(tokens, &lengths, outputs, wanted)
    }

    /// Rereads the tokens of some sequences as the beginnings of texts of `lengths` tokens. If the model has
    /// summaries, which cannot be reset for some of the sequences only, all are reread.
    fn read_again(&mut self, which: &[usize], lengths: &[usize]) -> Result<(), LlmError> {
        let mut rest = vec![Vec::new(); self.sequences.len()];
        if self.states.iter().all(|state| state.kind == StateKind::Rows) {
            which.iter().for_each(|&i| rest[i] = std::mem::take(&mut self.sequences[i].tokens));
        } else {
            rest.iter_mut()
                .zip(&mut self.sequences)
                .for_each(|(rest, s)| *rest = std::mem::take(&mut s.tokens));
            self.reset()?;
        }
        while rest.iter().any(|rest| !rest.is_empty()) {
            // Shorter sequences are padded, and their caches need room for the padding. INVARIANT: there is room,
            // since the next tokens need it too.
            let fullest = self.sequences.iter().map(|s| s.tokens.len()).max().unwrap_or(0);
            let chunk = REREAD_CHUNK.min(self.capacity.saturating_sub(fullest)).max(1);
            let later: Vec<Vec<u32>> =
                rest.iter_mut().map(|rest| rest.split_off(chunk.min(rest.len()))).collect();
            let now: Vec<&[u32]> = rest.iter().map(Vec::as_slice).collect();
            self.run_once(&now, lengths, 1, |_| 0..0)?;
            rest = later;
        }
        Ok(())
    }

    /// Runs the model, and returns the logits after the tokens of each sequence whose indices `wanted` returns, at
    /// most `outputs`.
    fn run_once(
        &mut self,
        tokens: &[&[u32]],
        lengths: &[usize],
        outputs: usize,
        wanted: impl Fn(usize) -> Range<usize>,
    ) -> Result<Vec<Vec<f32>>, LlmError> {
        let seq = longest(tokens);
        let padded =
            tokens.iter().flat_map(|t| t.iter().copied().chain(std::iter::repeat_n(0, seq - t.len())));
        let bytes: Vec<u8> = padded.flat_map(u32::to_le_bytes).collect();
        let used = self.sequences.iter().map(|sequence| sequence.tokens.len());
        let start: Vec<u8> = used.flat_map(|n| (n as i32).to_le_bytes()).collect();
        let count: Vec<u8> = tokens.iter().flat_map(|t| (t.len() as i32).to_le_bytes()).collect();
        let rows = |t: &&[u32]| wanted(t.len()).chain(std::iter::repeat(0)).take(outputs);
        let rows: Vec<u8> = tokens.iter().flat_map(rows).flat_map(|row| (row as i32).to_le_bytes()).collect();
        self.bind(&[("batch", tokens.len()), ("seq", seq), ("outputs", outputs)])?;
        let ints = [("tokens", &bytes), ("start", &start), ("count", &count), ("rows", &rows)];
        let angles = angle_inputs(&self.spec, lengths);
        let ints = ints.into_iter().map(|(name, bytes)| (name, &bytes[..], DType::I32));
        let angles = angles.iter().map(|(name, bytes)| (name.as_str(), &bytes[..], DType::F32));
        self.program.run_kept(&ints.chain(angles).collect::<Vec<_>>())?;
        // Kernels pack their weights in the first run.
        self.observer.take().iter().for_each(|observer| observer.tell(LoadStep::Ready));
        for ((sequence, tokens), &length) in self.sequences.iter_mut().zip(tokens).zip(lengths) {
            sequence.tokens.extend_from_slice(tokens);
            sequence.length = length;
        }
        let numbers = self.program.try_output_bytes(0)?;
        let row = self.spec.vocab * size_of::<f32>();
        let mut all = Vec::with_capacity(tokens.len());
        for (i, tokens) in tokens.iter().enumerate() {
            let wanted = wanted(tokens.len());
            let bytes = &numbers[i * outputs * row..][..wanted.len() * row];
            let logits: Vec<f32> = bytes.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
            // The check for all logits has no branches; the position is only searched for if the check fails.
            if logits.iter().fold(false, |broken, logit| broken | !logit.is_finite()) {
                let at = logits.iter().position(|logit| !logit.is_finite()).unwrap_or(0);
                let before = self.sequences[i].tokens.len() - tokens.len() + wanted.start;
                let place = match self.sequences.len() {
                    1 => String::new(),
                    _ => format!(" of sequence {}", i + 1),
                };
                let what = format!(
                    "logits are {} at token {}{place}",
                    logits[at],
                    before + at / self.spec.vocab + 1
                );
                return Err(self.finite.error(what, &self.checkpoint, &self.program));
            }
            all.push(logits);
        }
        Ok(all)
    }

    fn check(&self, tokens: &[&[u32]]) -> Result<(), LlmError> {
        if tokens.len() != self.sequences.len() {
            return Err(LlmError::Batch { expected: self.sequences.len(), found: tokens.len() });
        }
        let vocab = self.spec.vocab;
        if let Some(&token) = tokens.iter().flat_map(|t| t.iter()).find(|&&t| t as usize >= vocab) {
            return Err(LlmError::Token { token, vocab });
        }
        // The padding of a shorter sequence needs room too.
        let longest = longest(tokens);
        let mut used = self.sequences.iter().map(|sequence| sequence.tokens.len());
        match used.find(|used| used.saturating_add(longest) > self.capacity) {
            Some(used) => Err(LlmError::Full { tokens: longest, used, capacity: self.capacity }),
            None => Ok(()),
        }
    }
}

/// Fails if the size of a head is not a whole number of blocks of the cache type.
fn check_heads(spec: &DecoderSpec, cache: CacheType) -> Result<(), LlmError> {
    let Some(len) = cache.scheme().map(|scheme| scheme.block_len()) else { return Ok(()) };
    let sizes = spec.layers.iter().filter_map(|layer| match &layer.mixer {
        MixerSpec::Attention(attention) => Some(attention.head_size),
        _ => None,
    });
    match sizes.into_iter().find(|size| !size.is_multiple_of(len)) {
        Some(head_size) => Err(LlmError::CacheBlocks { cache: cache.name(), head_size, len }),
        None => Ok(()),
    }
}

/// Returns the length of the longest sequence, in tokens.
fn longest(tokens: &[&[u32]]) -> usize {
    tokens.iter().map(|t| t.len()).max().unwrap_or(0)
}

/// Returns the size in bytes of a state for `batch` sequences of up to `capacity` tokens.
fn state_bytes(state: &ModelState, batch: usize, capacity: usize) -> u64 {
    let size = |dim: &Dim| match dim.as_static() {
        Some(n) => n,
        None if *dim == Dim::dynamic("batch") => batch,
        None => capacity,
    };
    let elements = state.shape.dims().iter().fold(1u64, |n, dim| n.saturating_mul(size(dim) as u64));
    elements.saturating_mul(state.shape.dtype().size() as u64)
}
