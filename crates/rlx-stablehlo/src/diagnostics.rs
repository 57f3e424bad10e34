//! Errors in a text, reported all at once with lines and columns.

use std::fmt;

/// A position in a text. Lines and columns start at 1; columns count characters.
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

/// One error or unsupported construct.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// The position.
    pub at: Position,
    /// The operation that it is about, such as `stablehlo.all_reduce`, or an empty string.
    pub operation: String,
    /// What is wrong, and what to do.
    pub message: String,
    /// Whether the text is well formed, but RLX cannot express it.
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

/// All errors in a text, in the order of the text. The list is never empty.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}", .0.iter().map(Diagnostic::to_string).collect::<Vec<_>>().join("\n"))]
pub struct Diagnostics(pub Vec<Diagnostic>);

impl Diagnostics {
    /// Creates an error at one position.
    pub fn error(at: Position, message: impl Into<String>) -> Self {
        let message = message.into();
        Diagnostics(vec![Diagnostic { at, operation: String::new(), message, unsupported: false }])
    }

    /// Returns whether the text is well formed and only uses what RLX does not support.
    pub fn all_unsupported(&self) -> bool {
        self.0.iter().all(|d| d.unsupported)
    }
}
