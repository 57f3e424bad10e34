//! Errors: why a template cannot be parsed or rendered.

use std::fmt;

/// Why a template could not be parsed or rendered.
#[derive(Debug)]
pub(crate) struct Error {
    pub(crate) kind: Failure,
    /// The line of the template, counted from 1.
    pub(crate) line: Option<u32>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The text is not a template.
    Syntax(String),
    /// The template called `raise_exception` with this message.
    Raised(String),
    /// The template needs more work or memory than it may use.
    TooMuch,
    /// An operation failed or is not supported.
    Failed(String),
}

pub(crate) type Result<T> = std::result::Result<T, Box<Error>>;

impl Error {
    pub(crate) fn too_much() -> Box<Self> {
        Box::new(Error { kind: Failure::TooMuch, line: None })
    }

    pub(crate) fn raised(message: String) -> Box<Self> {
        Box::new(Error { kind: Failure::Raised(message), line: None })
    }

    pub(crate) fn syntax(line: u32, message: impl Into<String>) -> Box<Self> {
        Box::new(Error { kind: Failure::Syntax(message.into()), line: Some(line) })
    }

    /// Sets the line, unless it is already set.
    pub(crate) fn at(mut self: Box<Self>, line: u32) -> Box<Self> {
        self.line.get_or_insert(line);
        self
    }
}

/// A failure with a message.
pub(crate) fn fail<T>(message: impl Into<String>) -> Result<T> {
    Err(Box::new(Error { kind: Failure::Failed(message.into()), line: None }))
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Failure::Syntax(message) | Failure::Raised(message) | Failure::Failed(message) => {
                f.write_str(message)?
            }
            Failure::TooMuch => f.write_str("the template takes too long, or its prompt becomes too long")?,
        }
        match self.line {
            Some(line) if self.kind != Failure::TooMuch => write!(f, " (line {line})"),
            _ => Ok(()),
        }
    }
}
