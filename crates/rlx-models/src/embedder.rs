//! Texts in, vectors out: a model of sentences, compiled. Tokens come from [`crate::tokenize`], the graph from
//! [`crate::bert`], the batches from `batching`.

use crate::batching::batches;
use crate::bert::{INPUTS, parameters, sentence_graph};
use crate::model::{ModelError, SentenceModel};
use crate::tokenize::{SentenceTokenizer, TokenBatch, TokenRow, TokenizeError};
use crate::weights::{TensorView, Weights, WeightsError};
use rlx_ir::{DType, Literal, LiteralError, Violations};
use rlx_session::{
    CompileOptions, CompiledGraph, Device, DeviceId, RuntimeError, Session, StoredTensor, programs_dir,
};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use thiserror::Error;

/// How an embedder runs.
#[derive(Clone, Debug)]
pub struct EmbedderOptions {
    /// Where.
    pub device: DeviceId,
    /// How graphs are compiled, the number of threads included.
    pub compile: CompileOptions,
    /// Texts at a time at most, at least 1. Texts of like length share a batch.
    pub batch: usize,
}

impl Default for EmbedderOptions {
    /// The CPU, with programs kept in the user's cache from process to process ([`programs_dir`]), and 32 texts at a time.
    fn default() -> Self {
        let mut compile = CompileOptions::new();
        compile.program_cache = programs_dir();
        EmbedderOptions { device: Device::Cpu.into(), compile, batch: 32 }
    }
}

/// Why texts could not be embedded.
#[derive(Debug, Error)]
pub enum EmbedError {
    /// The model's files.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A text could not be tokenized.
    #[error(transparent)]
    Tokenize(#[from] TokenizeError),
    /// A tensor of the weights.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// The model's graph is wrong, which is our fault.
    #[error(transparent)]
    Graph(#[from] Violations),
    /// Tokens that make no tensor, which is our fault.
    #[error(transparent)]
    Literal(#[from] LiteralError),
    /// Compiling or running.
    #[error(transparent)]
    Runtime(#[from] RuntimeError),
    /// A vector has a number that is infinite or none.
    #[error(
        "text {}: the model gives a vector with {value} in place of a number; its weights are damaged, or too large for the types that it \
         is computed in",
        index.saturating_add(1)
    )]
    NotFinite {
        /// The first such text, counted from 0 among those that were given; messages count from 1.
        index: usize,
        /// The first such number of its vector.
        value: f32,
    },
}

/// A compiled model of sentences. Any number of threads may embed at once: each call has working memory of its own, which later
/// calls use again, and all share the weights.
///
/// ```no_run
/// use rlx_models::embedder::{EmbedderOptions, SentenceEmbedder};
/// use std::path::Path;
///
/// let folder = Path::new("models/all-MiniLM-L6-v2");
/// let embedder = SentenceEmbedder::load(folder, &EmbedderOptions::default())?;
/// let vectors = embedder.embed(&["A sentence.", "Another one."])?;
/// assert_eq!((vectors.len(), vectors[0].len()), (2, 384));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct SentenceEmbedder {
    tokenizer: Arc<SentenceTokenizer>,
    /// The program, which never runs itself.
    program: CompiledGraph,
    /// Clones of it that no call uses at the moment.
    idle: Mutex<Vec<CompiledGraph>>,
    width: usize,
    batch: usize,
}

impl Clone for SentenceEmbedder {
    /// One that shares the weights, with working memory of its own.
    fn clone(&self) -> Self {
        let (tokenizer, program) = (self.tokenizer.clone(), self.program.clone());
        SentenceEmbedder { tokenizer, program, idle: Mutex::default(), width: self.width, batch: self.batch }
    }
}

impl SentenceEmbedder {
    /// Loads and compiles the model in the folder `dir`.
    ///
    /// # Errors
    /// What is wrong with the model's files, or with the device.
    pub fn load(dir: &Path, options: &EmbedderOptions) -> Result<Self, EmbedError> {
        Self::new(SentenceModel::load(dir)?, options)
    }

    /// Compiles a model.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn new(model: SentenceModel, options: &EmbedderOptions) -> Result<Self, EmbedError> {
        let graph = sentence_graph(&model.encoder, &model.sentence)?;
        let session = Session::new(options.device).with_options(options.compile.clone());
        let mut compiled = session.try_compile(graph)?;
        let width = model.output_size();
        let weights = Arc::new(model.weights);
        for (param, tensor) in parameters(&model.names) {
            place(&mut compiled, &param, &weights, weights.tensor(tensor)?)?;
        }
        Ok(SentenceEmbedder {
            tokenizer: Arc::new(model.tokenizer),
            program: compiled,
            idle: Mutex::default(),
            width,
            batch: options.batch.max(1),
        })
    }

    /// Numbers in the vector of a text.
    pub fn output_size(&self) -> usize {
        self.width
    }

    /// Tokens of a text at most, with those that the tokenizer adds itself.
    pub fn max_tokens(&self) -> usize {
        self.tokenizer.max_tokens()
    }

    /// The compiled graph that the next call runs.
    pub fn compiled(&mut self) -> &mut CompiledGraph {
        let idle = self.idle.get_mut().unwrap_or_else(PoisonError::into_inner);
        let next = idle.pop().unwrap_or_else(|| self.program.clone());
        idle.push(next);
        let last = idle.len() - 1;
        &mut idle[last]
    }

    /// One vector per text, in order. Texts longer than the model's limit are cut at their end.
    ///
    /// # Errors
    /// [`EmbedError::Tokenize`], [`EmbedError::Runtime`] and [`EmbedError::NotFinite`].
    pub fn embed<T: AsRef<str>>(&self, texts: &[T]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let rows = self.tokenize(texts)?;
        self.embed_rows(&rows)
    }

    /// The tokens of each text, in order; [`TokenRow::cut`] says whether they are those of its beginning alone.
    ///
    /// # Errors
    /// [`EmbedError::Tokenize`].
    pub fn tokenize<T: AsRef<str>>(&self, texts: &[T]) -> Result<Vec<TokenRow>, EmbedError> {
        texts.iter().map(|t| Ok(self.tokenizer.row(t.as_ref())?)).collect()
    }

    /// One vector per row of tokens, in order.
    ///
    /// # Errors
    /// [`EmbedError::Runtime`] and [`EmbedError::NotFinite`].
    pub fn embed_rows(&self, rows: &[TokenRow]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut order: Vec<usize> = (0..rows.len()).collect();
        order.sort_by_key(|&i| rows[i].ids.len());
        let lengths: Vec<usize> = order.iter().map(|&i| rows[i].ids.len()).collect();
        let mut vectors = vec![Vec::new(); rows.len()];
        for (range, width) in batches(&lengths, self.batch, self.tokenizer.max_tokens()) {
            let chunk = &order[range];
            let members: Vec<TokenRow> = chunk.iter().map(|&i| rows[i].clone()).collect();
            let batch = self.tokenizer.pack(&members, width);
            let output = self.run(&batch)?;
            for (&i, vector) in chunk.iter().zip(output.chunks_exact(self.width.max(1))) {
                vectors[i] = vector.to_vec();
            }
        }
        let broken = |vector: &Vec<f32>| vector.iter().copied().find(|value| !value.is_finite());
        match vectors.iter().enumerate().find_map(|(index, vector)| Some((index, broken(vector)?))) {
            Some((index, value)) => Err(EmbedError::NotFinite { index, value }),
            None => Ok(vectors),
        }
    }

    /// The vectors of a batch of tokens, one after another, as the model gives them: finite or not.
    ///
    /// # Errors
    /// [`EmbedError::Runtime`].
    pub fn run(&self, batch: &TokenBatch) -> Result<Vec<f32>, EmbedError> {
        let dims = [batch.rows, batch.width];
        let values = [
            Literal::new(&dims, &batch.ids)?,
            Literal::new(&dims, &batch.types)?,
            Literal::new(&dims, &batch.mask)?,
        ];
        let inputs: Vec<(&str, &Literal)> = INPUTS.into_iter().zip(&values).collect();
        let free = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = free().pop();
        let mut program = taken.unwrap_or_else(|| self.program.clone());
        let outputs = program.run_literals(&inputs);
        free().push(program);
        Ok(outputs?[0].as_slice::<f32>()?.to_vec())
    }
}

/// Gives a parameter its tensor: f32 as it lies in the file, other types converted.
fn place(
    compiled: &mut CompiledGraph,
    param: &str,
    weights: &Arc<Weights>,
    tensor: TensorView<'_>,
) -> Result<(), EmbedError> {
    if tensor.dtype()? == DType::F32 {
        let stored = StoredTensor::new(weights.clone(), tensor.name())?;
        compiled.set_param_shared(param, Arc::new(stored))?;
    } else {
        compiled.try_set_param(param, &tensor.to_f32()?)?;
    }
    Ok(())
}
