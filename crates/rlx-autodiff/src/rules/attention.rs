//! Attention, with a derivative that computes its scores again.

use super::Rules;

pub(super) const ATTENTION: Rules = super::COMPOSITE;
