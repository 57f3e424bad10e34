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

/// The maximum number of lines that a message shows for each kind of problem.
const MOST_LINES: usize = 20;

/// Why a language model cannot be loaded or run.
#[derive(Debug, thiserror::Error)]
pub enum LlmError {
    /// A settings file is invalid.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A weights file is invalid.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// A GGUF file is invalid.
    #[error(transparent)]
    Gguf(Box<GgufError>),
    /// The weights do not match the settings.
    #[error(transparent)]
    Misfit(#[from] Misfit),
    /// An adapter cannot be used.
    #[error(transparent)]
    Adapter(Box<AdapterError>),
    /// The settings describe a graph that is not valid.
    #[error("the settings do not describe a valid graph: {0}")]
    Graph(#[from] Violations),
    /// The model cannot be turned into a graph of fixed sizes.
    #[error("cannot make a graph of fixed sizes: {0}")]
    Fixed(#[from] OpError),
    /// Compiling or running the model failed.
    #[error(transparent)]
    Runtime(#[from] RuntimeError),
    /// The model needs more memory than is available.
    #[error(
        "the model needs {} of memory ({} for weights, {} for the cache), but only {} are available; use a shorter context, fewer \
         sequences or a narrower cache",
        bytes(weights.saturating_add(*cache)), bytes(*weights), bytes(*cache), bytes(*available)
    )]
    Memory {
        /// Bytes that the weights take.
        weights: u64,
        /// Bytes that the cache takes.
        cache: u64,
        /// Bytes that are available.
        available: u64,
    },
    /// The tokens do not fit into the rest of the cache.
    #[error("{tokens} tokens do not fit into the context: its capacity is {capacity}, and {used} are in use")]
    Full {
        /// The new tokens.
        tokens: usize,
        /// Tokens that the cache already holds.
        used: usize,
        /// Tokens that the cache has room for.
        capacity: usize,
    },
    /// The cache has room for texts long enough to change the angles of the rotary embeddings, but the program has
    /// fixed angles.
    #[error(
        "a cache of {capacity} tokens is too long: beyond {limit} tokens, the angles of the model's rotary embeddings change with \
         the length of the text, and a graph of fixed sizes cannot recompute earlier tokens; use a cache of at most {limit} tokens"
    )]
    AnglesChange {
        /// Tokens of the cache.
        capacity: usize,
        /// The maximum length of a text, in tokens, before its angles change.
        limit: usize,
    },
    /// The model computed a value that is not finite.
    #[error("{}: {what}: {cause}", path.display())]
    NotFinite {
        /// The model.
        path: PathBuf,
        /// Which value is not finite, and after which token.
        what: String,
        /// The likely cause, with the names of weights that are not finite.
        cause: String,
    },
    /// The vocabulary does not have this token.
    #[error("token {token} does not exist: the vocabulary has {vocab} tokens")]
    Token {
        /// The token.
        token: u32,
        /// The number of tokens in the vocabulary.
        vocab: usize,
    },
    /// The heads of the model are not a whole number of blocks of the cache type.
    #[error(
        "a {cache} cache needs heads whose size is a multiple of {len}, but the model's heads have {head_size} elements; an f16 cache \
         has no such limit"
    )]
    CacheBlocks {
        /// The type of the cache.
        cache: &'static str,
        /// Elements in a head.
        head_size: usize,
        /// Elements in a block.
        len: usize,
    },
    /// The file does not hold a cache that this model can use.
    #[error("{}: not a usable prompt cache: {reason}; remove the file or name another one", path.display())]
    PromptCache {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The model cannot be written in another format.
    #[error("{}: {problem}", path.display())]
    Export {
        /// The path of the model.
        path: PathBuf,
        /// Why not.
        problem: String,
    },
    /// A sampling setting is out of range.
    #[error("{0}")]
    Sampling(String),
    /// The number of sequences is not the one that the model was opened for.
    #[error("the model was opened for {expected} sequence(s), but got {found}")]
    Batch {
        /// Sequences of the model.
        expected: usize,
        /// Sequences of the call.
        found: usize,
    },
    /// The last tokens of one sequence cannot be forgotten, since the model keeps one summary of all tokens and runs
    /// several sequences.
    #[error(
        "the model summarizes all tokens in one state, so it cannot forget some tokens of one of its {sequences} sequences; reset the model instead"
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
    /// Tensors that the model needs but the files do not have.
    pub missing: Vec<String>,
    /// Tensors with the wrong shape: name, needed shape (of the part that a parameter uses), found shape.
    pub wrong_shape: Vec<(String, Vec<usize>, Vec<usize>)>,
    /// Tensors whose values are not floating point numbers: name, type.
    pub wrong_type: Vec<(String, &'static str)>,
    /// Tensors of the model that the settings do not use, because the files have more layers, experts or biases than
    /// the settings name. Only checked if nothing else differs.
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
            format!("{}: expected {}, found {}", quoted(name), shape(needed), shape(found))
        });
        section(f, "with the wrong shape", wrong)?;
        let wrong = self.wrong_type.iter().map(|(name, tag)| format!("{}: {tag}", quoted(name)));
        section(f, "not of a floating point type", wrong)?;
        let title =
            "that the settings do not use (they name fewer layers, experts or biases than the files have)";
        section(f, title, self.unused.iter().map(|name| quoted(name)))
    }
}

/// Formats a number of bytes for a message.
fn bytes(count: u64) -> String {
    if count < 10 << 20 { format!("{} KiB", count >> 10) } else { format!("{} MiB", count >> 20) }
}

/// Writes one section of a message: its title with the number of lines, then the lines.
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
