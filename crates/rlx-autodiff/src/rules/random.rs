//! Random bits.

use super::Rules;

pub(super) const RNG_BITS: Rules = super::UNWRITTEN;
pub(super) const THREEFRY2X32: Rules = super::UNWRITTEN;
