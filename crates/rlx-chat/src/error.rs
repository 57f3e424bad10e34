//! Errors: why a conversation has no prompt.

use rlx_files::files::FileError;
use rlx_gguf::GgufError;
use std::path::PathBuf;

/// Why there is no prompt.
#[derive(Debug, thiserror::Error)]
pub enum ChatError {
    /// A file could not be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// A GGUF file is not one.
    #[error(transparent)]
    Gguf(#[from] GgufError),
    /// A model without a template.
    #[error("{}: the model has no chat template", path.display())]
    NoTemplate {
        /// The folder or file.
        path: PathBuf,
    },
    /// Templates that cannot be read.
    #[error("{}: {reason}", path.display())]
    Settings {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A template that the model does not have.
    #[error("the model has no chat template {name}; there are {known}")]
    UnknownTemplate {
        /// Its name, quoted.
        name: String,
        /// The names that there are.
        known: String,
    },
    /// A template that is not one.
    #[error("the chat template cannot be read: {0}")]
    Syntax(String),
    /// What the template itself says against the messages.
    #[error("the chat template refuses the messages: {0}")]
    Raised(String),
    /// A template that takes more time or memory than rendering may.
    #[error("the chat template takes too long, or makes too long a prompt")]
    TooMuch,
    /// A template that cannot go on.
    #[error("the chat template fails: {0}")]
    Render(String),
    /// Messages that are no messages.
    #[error("{0}")]
    Messages(String),
}
