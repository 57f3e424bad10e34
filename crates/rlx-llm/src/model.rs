//! A language model that is ready to run: its compiled graph, its weights, and the cache of the sequences under way.

use crate::adapter::{AdapterSource, ModelUpdates, Update};
use crate::checkpoint::Checkpoint;
use crate::error::LlmError;
use crate::families::Family;
use crate::graph::{CacheType, ModelState, StateKind, decoder_graph};
use crate::memory::MemoryNeeds;
use crate::parameters::{self, TensorsFound};
use crate::progress::{LoadObserver, LoadStep};
use crate::spec::{DecoderSpec, MixerSpec};
use rlx_gguf::Gguf;
use rlx_ir::{DType, Dim};
use rlx_session::{CompiledGraph, Session};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// How a model is opened.
#[derive(Clone, Debug)]
pub struct ModelOptions {
    /// Tokens that the cache of a sequence holds; by default as many as the model was made for, at most 4,096.
    pub capacity: Option<usize>,
    /// Sequences that run beside each other.
    pub batch: usize,
    /// The type of the numbers in the cache.
    pub cache: CacheType,
    /// Bytes that weights and cache may take; by default what the system has available.
    pub memory: Option<u64>,
    /// Adapters that run beside the weights. What several of them say of one matrix is added up.
    pub adapters: Vec<AdapterSource>,
    /// Who is told how far the model has been loaded.
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

/// The default of [`ModelOptions::capacity`] is not more than this.
const DEFAULT_CAPACITY: usize = 4096;

/// A language model with sequences under way.
pub struct LanguageModel {
    spec: DecoderSpec,
    program: CompiledGraph,
    states: Vec<ModelState>,
    checkpoint: Arc<Checkpoint>,
    /// A checksum of the adapters.
    adapters: String,
    capacity: usize,
    /// Tokens in the cache, of each sequence.
    used: Vec<usize>,
    /// Who is told when the first run is done.
    observer: Option<LoadObserver>,
}

impl LanguageModel {
    /// The model at `path`: a folder with `config.json` and safetensors, or a GGUF file, whole or the first of several. Weights stay
    /// as they are stored, in the mapped files.
    ///
    /// # Errors
    /// An [`LlmError`] that names the file, and what is wrong with it.
    pub fn open(path: &Path, session: &Session, options: &ModelOptions) -> Result<LanguageModel, LlmError> {
        Self::of(Checkpoint::open(path)?, path, session, options)
    }

    /// The model in a GGUF file that is open already.
    ///
    /// # Errors
    /// As [`LanguageModel::open`].
    pub fn from_gguf(
        file: Gguf,
        session: &Session,
        options: &ModelOptions,
    ) -> Result<LanguageModel, LlmError> {
        let path = file.paths().next().map(Path::to_path_buf).unwrap_or_default();
        Self::of(Checkpoint::of_gguf(file)?, &path, session, options)
    }

    fn of(
        checkpoint: Checkpoint,
        path: &Path,
        session: &Session,
        options: &ModelOptions,
    ) -> Result<LanguageModel, LlmError> {
        let checkpoint = Arc::new(checkpoint);
        let (spec, names) = Family::load(path, &checkpoint)?;
        check_heads(&spec, options.cache)?;
        let model_updates = ModelUpdates::open(&options.adapters, path, &checkpoint)?;
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
        let (adapters, used) = (Update::checksum(&updates), vec![0; options.batch]);
        let observer = options.observer.clone();
        let mut model =
            LanguageModel { spec, program, states, checkpoint, adapters, capacity, used, observer };
        model.reset()?;
        Ok(model)
    }

    /// What the model computes.
    pub fn spec(&self) -> &DecoderSpec {
        &self.spec
    }

    /// Forgets all sequences.
    ///
    /// # Errors
    /// Where there is no memory for the cache.
    pub fn reset(&mut self) -> Result<(), LlmError> {
        self.used.fill(0);
        let batch = self.used.len();
        self.bind(&[("batch", batch), ("outputs", 1)])?;
        for state in &self.states {
            let zeros = vec![0u8; state_bytes(state, batch, self.capacity) as usize];
            self.program.set_handle_typed(&state.name, &zeros, state.shape.dtype())?;
        }
        Ok(())
    }

    /// Tokens that the cache of a sequence holds.
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

    /// A checksum of what adapters add.
    pub(crate) fn adapters(&self) -> &str {
        &self.adapters
    }

    /// Bytes of the cache of one sequence.
    pub(crate) fn cache_bytes(&self) -> u64 {
        self.states.iter().map(|state| state_bytes(state, 1, self.capacity)).sum()
    }

    /// Makes these the values of all states, with so many tokens of the first sequence in them.
    pub(crate) fn set_sequence(&mut self, values: &[Vec<u8>], tokens: usize) -> Result<(), LlmError> {
        for (state, bytes) in self.states.iter().zip(values) {
            self.program.set_handle_typed(&state.name, bytes, state.shape.dtype())?;
        }
        self.used.iter_mut().take(1).for_each(|used| *used = tokens);
        Ok(())
    }

    /// Sequences that run beside each other.
    pub fn sequences(&self) -> usize {
        self.used.len()
    }

    /// Takes back the tokens of a sequence behind its first `tokens`, and says how many are left: none where a state is a summary of all
    /// tokens, of which none can be forgotten.
    ///
    /// # Errors
    /// [`LlmError::Batch`] where there is no such sequence, [`LlmError::Summaries`] where a summary is of several sequences.
    pub fn rewind(&mut self, sequence: usize, tokens: usize) -> Result<usize, LlmError> {
        let expected = self.used.len();
        let used = self.used.get_mut(sequence).ok_or(LlmError::Batch { expected, found: sequence + 1 })?;
        if tokens >= *used {
            return Ok(*used);
        }
        if self.states.iter().all(|state| state.kind == StateKind::Rows) {
            *used = tokens;
            return Ok(tokens);
        }
        if expected > 1 {
            return Err(LlmError::Summaries { sequences: expected });
        }
        self.reset()?;
        Ok(0)
    }

    /// Makes these the sizes of the next run, with that of the cache where there is one.
    fn bind(&mut self, sizes: &[(&str, usize)]) -> Result<(), LlmError> {
        let has_rows = self.states.iter().any(|state| state.kind == StateKind::Rows);
        let capacity = has_rows.then_some(("capacity", self.capacity));
        let sizes: Vec<(&str, usize)> = sizes.iter().copied().chain(capacity).collect();
        Ok(self.program.bind_dims(&sizes)?)
    }

    /// Takes the next tokens of each sequence in, and gives the logits after the last of each: a list of `vocab` numbers per sequence,
    /// an empty one for a sequence that has no tokens.
    ///
    /// # Errors
    /// [`LlmError::Batch`], [`LlmError::Token`] or [`LlmError::Full`] before anything runs, and what a run says.
    pub fn forward(&mut self, tokens: &[&[u32]]) -> Result<Vec<Vec<f32>>, LlmError> {
        self.run(tokens, 1, |n| n.saturating_sub(1)..n)
    }

    /// Takes the next tokens of each sequence in, and gives the logits after each of them: a list per sequence, of `vocab` numbers per
    /// token.
    ///
    /// # Errors
    /// As [`LanguageModel::forward`].
    pub fn forward_all(&mut self, tokens: &[&[u32]]) -> Result<Vec<Vec<f32>>, LlmError> {
        self.run(tokens, longest(tokens), |n| 0..n)
    }

    /// Runs, and gives the logits after those of a sequence's tokens that `wanted` picks by their number, at most `outputs`.
    fn run(
        &mut self,
        tokens: &[&[u32]],
        outputs: usize,
        wanted: impl Fn(usize) -> Range<usize>,
    ) -> Result<Vec<Vec<f32>>, LlmError> {
        self.check(tokens)?;
        let seq = longest(tokens);
        if seq == 0 {
            return Ok(vec![Vec::new(); tokens.len()]);
        }
        let padded =
            tokens.iter().flat_map(|t| t.iter().copied().chain(std::iter::repeat_n(0, seq - t.len())));
        let bytes: Vec<u8> = padded.flat_map(u32::to_le_bytes).collect();
        let start: Vec<u8> = self.used.iter().flat_map(|&n| (n as i32).to_le_bytes()).collect();
        let count: Vec<u8> = tokens.iter().flat_map(|t| (t.len() as i32).to_le_bytes()).collect();
        let rows = |t: &&[u32]| wanted(t.len()).chain(std::iter::repeat(0)).take(outputs);
        let rows: Vec<u8> = tokens.iter().flat_map(rows).flat_map(|row| (row as i32).to_le_bytes()).collect();
        self.bind(&[("batch", tokens.len()), ("seq", seq), ("outputs", outputs)])?;
        let ints = |name, bytes| (name, bytes, DType::I32);
        self.program.run_kept(&[
            ints("tokens", &bytes[..]),
            ints("start", &start),
            ints("count", &count),
            ints("rows", &rows),
        ])?;
        // Kernels pack what they need for the first run.
        self.observer.take().iter().for_each(|observer| observer.tell(LoadStep::Ready));
        for (used, tokens) in self.used.iter_mut().zip(tokens) {
            *used += tokens.len();
        }
        let numbers = self.program.try_output_bytes(0)?;
        let row = self.spec.vocab * size_of::<f32>();
        let of_sequence = |(i, tokens): (usize, &&[u32])| {
            let bytes = &numbers[i * outputs * row..][..wanted(tokens.len()).len() * row];
            bytes.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect()
        };
        Ok(tokens.iter().enumerate().map(of_sequence).collect())
    }

    fn check(&self, tokens: &[&[u32]]) -> Result<(), LlmError> {
        if tokens.len() != self.used.len() {
            return Err(LlmError::Batch { expected: self.used.len(), found: tokens.len() });
        }
        let vocab = self.spec.vocab;
        if let Some(&token) = tokens.iter().flat_map(|t| t.iter()).find(|&&t| t as usize >= vocab) {
            return Err(LlmError::Token { token, vocab });
        }
        // Rows of what a shorter sequence is filled up with need room too.
        let longest = longest(tokens);
        let full = self.used.iter().zip(tokens).find(|(used, _)| *used + longest > self.capacity);
        match full {
            Some((&used, _)) => Err(LlmError::Full { tokens: longest, used, capacity: self.capacity }),
            None => Ok(()),
        }
    }
}

/// Fails where heads are no whole blocks of a cache.
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

/// Tokens of the longest sequence.
fn longest(tokens: &[&[u32]]) -> usize {
    tokens.iter().map(|t| t.len()).max().unwrap_or(0)
}

/// Bytes of a state of `batch` sequences of up to `capacity` tokens.
fn state_bytes(state: &ModelState, batch: usize, capacity: usize) -> u64 {
    let size = |dim: &Dim| match dim.as_static() {
        Some(n) => n,
        None if *dim == Dim::dynamic("batch") => batch,
        None => capacity,
    };
    let elements = state.shape.dims().iter().fold(1u64, |n, dim| n.saturating_mul(size(dim) as u64));
    elements.saturating_mul(state.shape.dtype().size() as u64)
}
