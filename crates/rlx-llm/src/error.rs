//! Errors: why a language model cannot be used.

use crate::adapter::AdapterError;
use rlx_files::display::{quoted, shape};
use rlx_files::weights::WeightsError;
use rlx_gguf::GgufError;
use rlx_ir::{OpError, Violations};
use rlx_models::fields::ConfigError;
use rlx_session::RuntimeError;
use std::fmt;
use std::path::PathBuf;

/// Most lines of one kind in a message.
const MOST_LINES: usize = 20;

/// Why a language model cannot be loaded or run.
#[derive(Debug, thiserror::Error)]
pub enum LlmError {
    /// A file of settings.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The files of weights.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// A GGUF file.
    #[error(transparent)]
    Gguf(Box<GgufError>),
    /// The weights are not those of the settings.
    #[error(transparent)]
    Misfit(#[from] Misfit),
    /// An adapter cannot be used.
    #[error(transparent)]
    Adapter(Box<AdapterError>),
    /// The graph of the model is not valid.
    #[error("the settings give no valid graph: {0}")]
    Graph(#[from] Violations),
    /// A graph of fixed sizes cannot be made of it.
    #[error("a graph of fixed sizes: {0}")]
    Fixed(#[from] OpError),
    /// Compiling, or a run.
    #[error(transparent)]
    Runtime(#[from] RuntimeError),
    /// Less memory than the model needs.
    #[error(
        "{} are needed, for weights {} and for the cache {}, and {} are available; a shorter context, fewer sequences or a narrower \
         cache need less",
        bytes(weights.saturating_add(*cache)), bytes(*weights), bytes(*cache), bytes(*available)
    )]
    Memory {
        /// Bytes of weights.
        weights: u64,
        /// Bytes of the cache.
        cache: u64,
        /// Bytes that are available.
        available: u64,
    },
    /// More tokens than the cache was made for.
    #[error("{tokens} tokens do not fit into a context of {capacity}, of which {used} are taken")]
    Full {
        /// The new tokens.
        tokens: usize,
        /// Tokens that are in the cache.
        used: usize,
        /// What the cache was made for.
        capacity: usize,
    },
    /// A cache of a program of fixed angles, for texts whose angles change with their length.
    #[error(
        "a cache of {capacity} tokens: the angles of the model's rotary embeddings change with the length of a text once it passes {limit} \
         tokens, and a graph of fixed sizes cannot compute earlier tokens again; make the cache of at most {limit} tokens"
    )]
    AnglesChange {
        /// Tokens of the cache.
        capacity: usize,
        /// The most tokens that a text may have before its angles change.
        limit: usize,
    },
    /// A model whose results are not numbers.
    #[error("{}: {what}: {cause}", path.display())]
    NotFinite {
        /// The model.
        path: PathBuf,
        /// What is not finite, and after which token.
        what: String,
        /// The likely cause, with the names of weights that are not finite.
        cause: String,
    },
    /// A token that the vocabulary lacks.
    #[error("there is no token {token}: the vocabulary has {vocab}")]
    Token {
        /// The token.
        token: u32,
        /// Tokens of the vocabulary.
        vocab: usize,
    },
    /// A cache of blocks for heads that are none.
    #[error(
        "a cache of {cache} holds heads of a multiple of {len} numbers, and those of the model have {head_size}; f16 holds any"
    )]
    CacheBlocks {
        /// The type of the cache.
        cache: &'static str,
        /// Numbers of a head.
        head_size: usize,
        /// Numbers of a block.
        len: usize,
    },
    /// A file that holds no states of this model.
    #[error("{}: not a prompt cache that can be used: {reason}; remove it, or name another file", path.display())]
    PromptCache {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// A model that cannot be written in another format.
    #[error("{}: {problem}", path.display())]
    Export {
        /// Where the model is.
        path: PathBuf,
        /// Why not.
        problem: String,
    },
    /// A setting of sampling that is out of range.
    #[error("{0}")]
    Sampling(String),
    /// A number of sequences that the model was not opened for.
    #[error("the model was opened for {expected} sequence(s), got {found}")]
    Batch {
        /// Sequences of the model.
        expected: usize,
        /// Sequences of the call.
        found: usize,
    },
    /// Tokens of one sequence were to be forgotten by a model that keeps a summary of all tokens, for several sequences.
    #[error(
        "the model keeps a summary of all tokens, of which none can be forgotten, for {sequences} sequences; reset the model instead"
    )]
    Summaries {
        /// Sequences of the model.
        sequences: usize,
    },
}

impl From<GgufError> for LlmError {
    fn from(error: GgufError) -> Self {
        LlmError::Gguf(Box::new(error))
    }
}

/// How weights and settings differ. Each list is complete.
#[derive(Clone, Default, PartialEq, Eq, Debug, thiserror::Error)]
pub struct Misfit {
    /// Tensors that the model needs and the files lack.
    pub missing: Vec<String>,
    /// Tensors with another shape: name, needed (of the part that a parameter takes), found.
    pub wrong_shape: Vec<(String, Vec<usize>, Vec<usize>)>,
    /// Tensors whose values are not real numbers: name, type.
    pub wrong_type: Vec<(String, &'static str)>,
    /// Tensors of the model that the settings leave without a use: there are more layers, experts or biases than they name. Looked for
    /// where nothing else differs.
    pub unused: Vec<String>,
}

impl Misfit {
    /// Whether nothing differs.
    pub fn is_empty(&self) -> bool {
        let Misfit { missing, wrong_shape, wrong_type, unused } = self;
        missing.is_empty() && wrong_shape.is_empty() && wrong_type.is_empty() && unused.is_empty()
    }
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the weights do not fit the settings")?;
        section(f, "missing", self.missing.iter().map(|name| quoted(name)))?;
        let wrong = self.wrong_shape.iter().map(|(name, needed, found)| {
            format!("{}: {} is needed, {} is there", quoted(name), shape(needed), shape(found))
        });
        section(f, "of another shape", wrong)?;
        let wrong = self.wrong_type.iter().map(|(name, tag)| format!("{}: {tag}", quoted(name)));
        section(f, "not of a floating point type", wrong)?;
        let title =
            "of which the settings make no use (they name fewer layers, experts or biases than there are)";
        section(f, title, self.unused.iter().map(|name| quoted(name)))
    }
}

/// A number of bytes in words.
fn bytes(count: u64) -> String {
    if count < 10 << 20 { format!("{} KiB", count >> 10) } else { format!("{} MiB", count >> 20) }
}

/// Writes the lines of one kind of a message, with their number.
pub(crate) fn section(
    f: &mut fmt::Formatter<'_>,
    title: &str,
    lines: impl ExactSizeIterator<Item = String>,
) -> fmt::Result {
    let total = lines.len();
    if total == 0 {
        return Ok(());
    }
    write!(f, "\n  {total} {title}:")?;
    for line in lines.take(MOST_LINES) {
        write!(f, "\n    {line}")?;
    }
    if total > MOST_LINES {
        write!(f, "\n    … and {} more", total - MOST_LINES)?;
    }
    Ok(())
}
