//! Errors in a text with lines and columns, all at once.

use std::fmt;

/// A place in a text: line and column, both from 1; columns count characters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Position {
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// One thing that is wrong or not supported.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// Where.
    pub at: Position,
    /// The operation that it is about, `stablehlo.all_reduce`; empty where it is about none.
    pub operation: String,
    /// What, and what to do.
    pub message: String,
    /// The text is well formed, but RLX has no way to say it.
    pub unsupported: bool,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.at)?;
        if !self.operation.is_empty() {
            write!(f, "`{}`: ", self.operation)?;
        }
        f.write_str(&self.message)
    }
}

/// Everything that is wrong with a text, in its order; never empty.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}", .0.iter().map(Diagnostic::to_string).collect::<Vec<_>>().join("\n"))]
pub struct Diagnostics(pub Vec<Diagnostic>);

impl Diagnostics {
    /// An error in the text at one place.
    pub fn error(at: Position, message: impl Into<String>) -> Self {
        let message = message.into();
        Diagnostics(vec![Diagnostic { at, operation: String::new(), message, unsupported: false }])
    }

    /// Whether the text is well formed, and only says what RLX cannot.
    pub fn all_unsupported(&self) -> bool {
        self.0.iter().all(|d| d.unsupported)
    }
}
