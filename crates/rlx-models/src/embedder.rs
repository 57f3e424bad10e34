//! Sentence embedders, which turn texts into vectors. Tokens come from [`crate::tokenize`], the graph from
//! [`crate::bert`], and the batches from `batching`.

use crate::batching::batches;
use crate::bert::{INPUTS, parameters, sentence_graph};
use crate::display::quoted;
use crate::model::{ModelError, SentenceModel};
use crate::tokenize::{SentenceTokenizer, TokenBatch, TokenRow, TokenizeError};
use crate::weights::{TensorView, Weights, WeightsError};
use rlx_ir::{DType, Literal, LiteralError, Violations};
use rlx_session::{
    CompileOptions, CompiledGraph, Device, DeviceId, RuntimeError, Session, SharedGraph, StoredTensor,
    programs_dir,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use thiserror::Error;

/// The maximum number of tensors that a message names.
const MOST_NAMES: usize = 3;

/// Options for running an embedder.
#[derive(Clone, Debug)]
pub struct EmbedderOptions {
    /// The device to run on.
    pub device: DeviceId,
    /// How graphs are compiled, including the number of threads.
    pub compile: CompileOptions,
    /// The maximum number of texts in a batch, at least 1. Texts of similar length share a batch.
    pub batch: usize,
}

impl Default for EmbedderOptions {
    /// Runs on the CPU with 32 texts at a time. Compiled programs are stored in the user's cache for other processes
    /// ([`programs_dir`]).
    fn default() -> Self {
        let mut compile = CompileOptions::new();
        compile.program_cache = programs_dir();
        EmbedderOptions { device: Device::Cpu.into(), compile, batch: 32 }
    }
}

/// Why texts could not be embedded.
#[derive(Debug, Error)]
pub enum EmbedError {
    /// The model's files cannot be used.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A text could not be tokenized.
    #[error(transparent)]
    Tokenize(#[from] TokenizeError),
    /// A tensor of the weights cannot be used.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// The model's graph is not valid, which is a bug in this crate.
    #[error(transparent)]
    Graph(#[from] Violations),
    /// Tokens do not form a tensor, which is a bug in this crate.
    #[error(transparent)]
    Literal(#[from] LiteralError),
    /// Compiling or running failed.
    #[error(transparent)]
    Runtime(#[from] RuntimeError),
    /// A vector contains a number that is infinite or NaN.
    #[error("text {}: the model returns a vector that contains {value}: {}: {cause}", index.saturating_add(1), path.display())]
    NotFinite {
        /// The folder of the model.
        path: PathBuf,
        /// The index of the first such text among those passed in, counted from 0; messages count from 1.
        index: usize,
        /// The first such number in its vector.
        value: f32,
        /// The likely cause, with the names of weights that are not finite.
        cause: String,
    },
}

/// A compiled sentence model. It is `Send` and `Sync`, and any number of threads may embed at the same time: each
/// call has its own working memory, which later calls reuse, and all calls share the weights.
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
    program: SharedGraph,
    width: usize,
    batch: usize,
    /// The folder of the model.
    path: Arc<Path>,
    tensors: Arc<[(String, String)]>,
}

impl Clone for SentenceEmbedder {
    /// Returns an embedder that shares the weights but has its own working memory.
    fn clone(&self) -> Self {
        SentenceEmbedder {
            tokenizer: self.tokenizer.clone(),
            program: self.program.clone(),
            width: self.width,
            batch: self.batch,
            path: self.path.clone(),
            tensors: self.tensors.clone(),
        }
    }
}

impl SentenceEmbedder {
    /// Loads and compiles the model in the folder `dir`.
    ///
    /// # Errors
    /// Fails if there is a problem with the model's files or with the device.
    pub fn load(dir: &Path, options: &EmbedderOptions) -> Result<Self, EmbedError> {
        Self::new(SentenceModel::load(dir)?, options)
    }

    /// Compiles a model.
    ///
    /// # Errors
    /// The same as [`load`](Self::load).
    pub fn new(model: SentenceModel, options: &EmbedderOptions) -> Result<Self, EmbedError> {
        let graph = sentence_graph(&model.encoder, &model.sentence)?;
        let session = Session::new(options.device).with_options(options.compile.clone());
        let mut compiled = session.try_compile(graph)?;
        let width = model.output_size();
        let weights = Arc::new(model.weights);
        let mut tensors = Vec::new();
        for (param, tensor) in parameters(&model.names) {
            place(&mut compiled, &param, &weights, weights.tensor(tensor)?)?;
            tensors.push((param, tensor.to_string()));
        }
        Ok(SentenceEmbedder {
            tokenizer: Arc::new(model.tokenizer),
            program: SharedGraph::new(compiled)?,
            width,
            batch: options.batch.max(1),
            path: model.sentence.encoder.into(),
            tensors: tensors.into(),
        })
    }

    /// Returns the number of elements in the vector of a text.
    pub fn output_size(&self) -> usize {
        self.width
    }

    /// Returns the maximum number of tokens of a text, including those that the tokenizer adds.
    pub fn max_tokens(&self) -> usize {
        self.tokenizer.max_tokens()
    }

    /// Returns the compiled graph that the next call runs.
    pub fn compiled(&mut self) -> &mut CompiledGraph {
        self.program.next_instance()
    }

    /// Returns one vector per text, in order. Texts longer than the model's limit are truncated at their end.
    ///
    /// # Errors
    /// Returns [`EmbedError::Tokenize`], [`EmbedError::Runtime`] or [`EmbedError::NotFinite`].
    pub fn embed<T: AsRef<str>>(&self, texts: &[T]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let rows = self.tokenize(texts)?;
        self.embed_rows(&rows)
    }

    /// Returns the tokens of each text, in order. [`TokenRow::cut`] says whether the text was truncated.
    ///
    /// # Errors
    /// Returns [`EmbedError::Tokenize`].
    pub fn tokenize<T: AsRef<str>>(&self, texts: &[T]) -> Result<Vec<TokenRow>, EmbedError> {
        texts.iter().map(|t| Ok(self.tokenizer.row(t.as_ref())?)).collect()
    }

    /// Returns one vector per row of tokens, in order.
    ///
    /// # Errors
    /// Returns [`EmbedError::Runtime`] or [`EmbedError::NotFinite`].
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
            Some((index, value)) => Err(EmbedError::NotFinite {
                path: self.path.to_path_buf(),
                index,
                value,
                cause: self.cause()?,
            }),
            None => Ok(vectors),
        }
    }

    /// Finds out why vectors are not finite.
    fn cause(&self) -> Result<String, EmbedError> {
        let mut broken = Vec::new();
        for (param, tensor) in self.tensors.iter() {
            // Parameters are f32, whatever the type in the file.
            let bytes = self.program.program().param(param)?.unwrap_or_default();
            if bytes.as_chunks().0.iter().any(|b| !f32::from_le_bytes(*b).is_finite()) {
                broken.push(quoted(tensor));
            }
        }
        let more = broken.len().saturating_sub(MOST_NAMES);
        broken.truncate(MOST_NAMES);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        Ok(match broken.join(", ") {
            names if names.is_empty() => {
                "all weights are finite, so values overflowed the types that the model is computed in".into()
            }
            names => format!(
                "the weights of {names}{more} are not finite: the file is damaged or was made from damaged weights"
            ),
        })
    }

    /// Returns the vectors of a batch of tokens, concatenated, exactly as the model computes them, whether finite or
    /// not.
    ///
    /// # Errors
    /// Returns [`EmbedError::Runtime`].
    pub fn run(&self, batch: &TokenBatch) -> Result<Vec<f32>, EmbedError> {
        let dims = [batch.rows, batch.width];
        let values = [
            Literal::new(&dims, &batch.ids)?,
            Literal::new(&dims, &batch.types)?,
            Literal::new(&dims, &batch.mask)?,
        ];
        let inputs: Vec<(&str, &Literal)> = INPUTS.into_iter().zip(&values).collect();
        let outputs = self.program.run_literals(&inputs)?;
        Ok(outputs[0].as_slice::<f32>()?.to_vec())
    }
}

/// Passes a parameter to the program: f32 directly from the file, other types converted.
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

/// Threads share the embedder, so it must be `Send`, `Sync` and `Clone`.
const fn is_shared<T: Send + Sync + Clone>() {}
const _: () = is_shared::<SentenceEmbedder>();
