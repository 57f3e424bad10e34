//! Dimensions that cannot be represented, as values that every later operation propagates and every check rejects.

use super::limits::Unfit;
use std::collections::hash_map::DefaultHasher;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// How many characters of an expression a message shows.
const SHOWN: usize = 200;

/// A dimension that cannot be represented, as the operation that made it: its coefficients do not fit 64 bits, it is too long, or
/// it nests too deep.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Overflow {
    /// The operation, as text.
    expression: Arc<str>,
    /// A digest of all operations since. Two overflows are equal only if they were made by the same operations, so a comparison
    /// of shapes never takes different sizes for equal.
    history: u64,
    why: Unfit,
}

impl Overflow {
    /// The overflow of the operation whose text is `expression`.
    pub(super) fn of(expression: String, why: Unfit) -> Overflow {
        let mut hasher = DefaultHasher::new();
        expression.hash(&mut hasher);
        let shown = match expression.char_indices().nth(SHOWN) {
            Some((end, _)) => format!("{}…", &expression[..end]),
            None => expression,
        };
        Overflow { expression: shown.into(), history: hasher.finish(), why }
    }

    /// What did not fit.
    pub(super) fn why(&self) -> Unfit {
        self.why
    }

    /// The result of an operation on it and other dimensions.
    pub(super) fn then(&self, operation: &impl Hash) -> Overflow {
        let mut hasher = DefaultHasher::new();
        (self.history, operation).hash(&mut hasher);
        Overflow { expression: self.expression.clone(), history: hasher.finish(), why: self.why }
    }
}

impl fmt::Display for Overflow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.expression)
    }
}
