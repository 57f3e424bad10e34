//! Elements combined along axes.

use super::Rules;

pub(super) const REDUCE: Rules = super::UNWRITTEN;
pub(super) const REDUCE_GRAPH: Rules = super::UNWRITTEN;
