//! Errors: why a conversation cannot be turned into a prompt.

use rlx_files::files::FileError;
use rlx_gguf::GgufError;
use std::path::PathBuf;

/// Why a conversation cannot be turned into a prompt.
#[derive(Debug, thiserror::Error)]
pub enum ChatError {
    /// A file could not be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// A GGUF file is invalid.
    #[error(transparent)]
    Gguf(#[from] GgufError),
    /// The model has no template.
    #[error("{}: the model has no chat template", path.display())]
    NoTemplate {
        /// The folder or file.
        path: PathBuf,
    },
    /// The settings with the templates cannot be read.
    #[error("{}: {reason}", path.display())]
    Settings {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The model has no template with this name.
    #[error("the model has no chat template {name}; it has {known}")]
    UnknownTemplate {
        /// The requested name, quoted.
        name: String,
        /// The names of the model's templates.
        known: String,
    },
    /// The template has a syntax error.
    #[error("the chat template is not valid: {0}")]
    Syntax(String),
    /// The template itself rejected the messages with `raise_exception`.
    #[error("the chat template rejects the messages: {0}")]
    Raised(String),
    /// The template needs more time or memory than rendering may use.
    #[error("the chat template takes too long, or its prompt becomes too long")]
    TooMuch,
    /// The template failed while rendering.
    #[error("the chat template fails: {0}")]
    Render(String),
    /// The messages are not valid.
    #[error("{0}")]
    Messages(String),
}
