//! Errors: why a tokenizer cannot be loaded, or cannot process its input.

use rlx_files::files::FileError;
use rlx_gguf::GgufError;
use std::path::PathBuf;

/// Why a tokenizer cannot be loaded, or cannot process its input.
#[derive(Debug, thiserror::Error)]
pub enum TokenizerError {
    /// A file could not be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// A GGUF file is invalid.
    #[error(transparent)]
    Gguf(#[from] GgufError),
    /// There is no tokenizer at this path.
    #[error("{}: no tokenizer found: {reason}", path.display())]
    Missing {
        /// The folder or file.
        path: PathBuf,
        /// What was looked for.
        reason: String,
    },
    /// A file that should contain a tokenizer, or settings of one, contains something else.
    #[error("{}: not a tokenizer: {reason}", path.display())]
    NotATokenizer {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The algorithm is not known.
    #[error("{}: tokenizer.ggml.model = {model} is not known; known algorithms are {known}", path.display())]
    UnknownModel {
        /// The file.
        path: PathBuf,
        /// The algorithm that the file names, quoted.
        model: String,
        /// The known algorithms.
        known: String,
    },
    /// The pre-tokenizer, which splits text into words, is unknown or missing. Guessing it would silently produce
    /// other ids.
    #[error(
        "{}: tokenizer.ggml.pre {pre}, but the tokens of a text depend on it; known names are {known}",
        path.display()
    )]
    UnknownPre {
        /// The file.
        path: PathBuf,
        /// What the file says.
        pre: String,
        /// The known names.
        known: String,
    },
    /// The vocabulary does not have this special token.
    #[error("the vocabulary has no token {token}")]
    UnknownToken {
        /// The token, quoted.
        token: String,
    },
    /// No token has this id.
    #[error("token {id} does not exist: the vocabulary has {len} tokens")]
    OutOfRange {
        /// The id.
        id: u32,
        /// The number of tokens in the vocabulary.
        len: usize,
    },
    /// The tokenizer failed on a text.
    #[error("the tokenizer failed on a text of {len} bytes: {reason}")]
    Text {
        /// The length of the text in bytes.
        len: usize,
        /// Why.
        reason: String,
    },
}
