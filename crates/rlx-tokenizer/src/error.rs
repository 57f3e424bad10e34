//! Errors: why there is no tokenizer, or why it cannot take its input.

use rlx_files::files::FileError;
use rlx_gguf::GgufError;
use std::path::PathBuf;

/// Why there is no tokenizer, or why it cannot take what it was given.
#[derive(Debug, thiserror::Error)]
pub enum TokenizerError {
    /// A file could not be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// A GGUF file is not one.
    #[error(transparent)]
    Gguf(#[from] GgufError),
    /// There is no tokenizer at this place.
    #[error("{}: there is no tokenizer: {reason}", path.display())]
    Missing {
        /// The folder or file.
        path: PathBuf,
        /// What was looked for.
        reason: String,
    },
    /// A file that is to hold a tokenizer, or settings of one, holds something else.
    #[error("{}: not a tokenizer: {reason}", path.display())]
    NotATokenizer {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// An algorithm that is not known.
    #[error("{}: tokenizer.ggml.model = {model}: known are {known}", path.display())]
    UnknownModel {
        /// The file.
        path: PathBuf,
        /// What it says, quoted.
        model: String,
        /// The algorithms that are known.
        known: String,
    },
    /// A way of cutting text into words that is not known, or none. Guessing would give other ids without a word.
    #[error(
        "{}: tokenizer.ggml.pre {pre}, and without it the tokens of a text are not known; known are {known}",
        path.display()
    )]
    UnknownPre {
        /// The file.
        path: PathBuf,
        /// What it says.
        pre: String,
        /// The names that are known.
        known: String,
    },
    /// A special token that the vocabulary lacks.
    #[error("the vocabulary has no token {token}")]
    UnknownToken {
        /// The token, quoted.
        token: String,
    },
    /// An id that no token has.
    #[error("there is no token {id}: the vocabulary has {len}")]
    OutOfRange {
        /// The id.
        id: u32,
        /// Tokens of the vocabulary.
        len: usize,
    },
    /// The tokenizer refused a text.
    #[error("the tokenizer failed on a text of {len} bytes: {reason}")]
    Text {
        /// Bytes of the text.
        len: usize,
        /// Why.
        reason: String,
    },
}
