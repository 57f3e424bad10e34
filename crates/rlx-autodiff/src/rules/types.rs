//! Element types.

use super::Rules;

pub(super) const CONVERT: Rules = super::UNWRITTEN;
pub(super) const BITCAST_CONVERT: Rules = super::UNWRITTEN;
pub(super) const REDUCE_PRECISION: Rules = super::UNWRITTEN;
