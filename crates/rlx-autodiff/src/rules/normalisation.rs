//! Normalised exponentials and norms: derivatives from their results.

use super::Rules;

pub(super) const SOFTMAX: Rules = super::COMPOSITE;
pub(super) const LOG_SOFTMAX: Rules = super::COMPOSITE;
pub(super) const LOG_SUM_EXP: Rules = super::COMPOSITE;
pub(super) const LAYER_NORM: Rules = super::COMPOSITE;
pub(super) const RMS_NORM: Rules = super::COMPOSITE;
