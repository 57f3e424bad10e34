//! Sums of products.

use super::Rules;

pub(super) const DOT_GENERAL: Rules = super::UNWRITTEN;
pub(super) const CONVOLUTION: Rules = super::UNWRITTEN;
pub(super) const RAGGED_DOT: Rules = super::UNWRITTEN;
