//! Where elements are.

use super::Rules;

pub(super) const RESHAPE: Rules = super::UNWRITTEN;
pub(super) const TRANSPOSE: Rules = super::UNWRITTEN;
pub(super) const BROADCAST_IN_DIM: Rules = super::UNWRITTEN;
pub(super) const SLICE: Rules = super::UNWRITTEN;
pub(super) const PAD: Rules = super::UNWRITTEN;
pub(super) const CONCATENATE: Rules = super::UNWRITTEN;
pub(super) const REVERSE: Rules = super::UNWRITTEN;
pub(super) const DYNAMIC_SLICE: Rules = super::UNWRITTEN;
pub(super) const DYNAMIC_UPDATE_SLICE: Rules = super::UNWRITTEN;
