//! Limits on the normal form of a dimension, so that a short text or a few operations cannot take disproportionate time or
//! memory.
//!
//! A dimension has at most 262,144 symbols, numbers and functions, nested at most 128 deep, and a product of sums expands to at
//! most 4,096 terms. Anything beyond is an error with the expression and the limit. Sums of many terms are computed at once
//! (`Dim::sum`), because each operator copies its left operand.

use std::fmt;

/// The most symbols, numbers and functions in one expression. Time and memory are proportional to their number.
pub(crate) const MAX_SIZE: usize = 1 << 18;

/// The most terms of a product of two sums before equal terms are combined. A product multiplies the numbers of terms, whereas its
/// text is only as long as both sums.
pub(crate) const MAX_PRODUCT: usize = 4096;

/// How deep functions (`floordiv`, `max`) may nest. Expressions are printed, parsed and computed by recursion.
pub(crate) const MAX_DEPTH: usize = 128;

/// Why an operation on dimensions has no result.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Unfit {
    /// A coefficient, a power or a size does not fit 64 bits.
    Numbers,
    /// More than [`MAX_SIZE`].
    Size,
    /// More than [`MAX_PRODUCT`].
    Product,
    /// More than [`MAX_DEPTH`].
    Depth,
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unfit::Numbers => write!(f, "overflows: its numbers do not fit 64 bits"),
            Unfit::Size => write!(
                f,
                "has too many terms: an expression holds at most {MAX_SIZE} symbols, numbers and functions"
            ),
            Unfit::Product => {
                write!(f, "has too many terms: a product of sums multiplies out to at most {MAX_PRODUCT}")
            }
            Unfit::Depth => {
                write!(f, "nests too deep: at most {MAX_DEPTH} functions may be inside each other")
            }
        }
    }
}
