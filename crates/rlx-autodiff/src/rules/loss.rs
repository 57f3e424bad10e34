//! Losses: derivatives in closed form.

use super::Rules;

pub(super) const SOFTMAX_CROSS_ENTROPY: Rules = super::COMPOSITE;
