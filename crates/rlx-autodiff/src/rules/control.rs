//! Ops that hold graphs.

use super::Rules;

pub(super) const OPTIMIZATION_BARRIER: Rules = super::UNWRITTEN;
pub(super) const IF: Rules = super::UNWRITTEN;
pub(super) const CASE: Rules = super::UNWRITTEN;
pub(super) const WHILE: Rules = super::UNWRITTEN;
pub(super) const SCAN: Rules = super::UNWRITTEN;
pub(super) const CUSTOM: Rules = super::UNWRITTEN;
pub(super) const CALL: Rules = super::COMPOSITE;
pub(super) const CUSTOM_FN: Rules = super::COMPOSITE;
pub(super) const CHECKPOINT: Rules = super::COMPOSITE;
pub(super) const LINEAR_CALL: Rules = super::COMPOSITE;
pub(super) const FUSION: Rules = super::COMPOSITE;
