//! Composites over numbers whose derivative is not that of their decomposition, or is better written out.

use super::Rules;

pub(super) const STOP_GRADIENT: Rules = super::COMPOSITE;
pub(super) const ACTIVATION: Rules = super::COMPOSITE;
pub(super) const FAKE_QUANTIZE: Rules = super::COMPOSITE;
