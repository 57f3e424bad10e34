//! Orders, and elements at the end of one.

use super::Rules;

pub(super) const SORT: Rules = super::UNWRITTEN;
pub(super) const SORT_GRAPH: Rules = super::UNWRITTEN;
pub(super) const TOP_K: Rules = super::UNWRITTEN;
pub(super) const ARG_REDUCE: Rules = super::UNWRITTEN;
