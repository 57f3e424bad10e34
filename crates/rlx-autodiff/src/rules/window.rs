//! Elements combined in moving windows, and running reductions.

use super::Rules;

pub(super) const REDUCE_WINDOW: Rules = super::UNWRITTEN;
pub(super) const REDUCE_WINDOW_GRAPH: Rules = super::UNWRITTEN;
pub(super) const SELECT_AND_SCATTER: Rules = super::UNWRITTEN;
pub(super) const CUMULATIVE: Rules = super::UNWRITTEN;
