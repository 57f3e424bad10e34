//! Values without operands, and sizes.

use super::Rules;

pub(super) const CONSTANT: Rules = super::UNWRITTEN;
pub(super) const IOTA: Rules = super::UNWRITTEN;
pub(super) const DIM_SIZE: Rules = super::UNWRITTEN;
