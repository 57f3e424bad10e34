//! Boxes of a tensor at computed places.

use super::Rules;

pub(super) const GATHER: Rules = super::UNWRITTEN;
pub(super) const SCATTER: Rules = super::UNWRITTEN;
pub(super) const SCATTER_GRAPH: Rules = super::UNWRITTEN;
