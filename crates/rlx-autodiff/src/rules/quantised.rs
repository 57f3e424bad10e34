//! Packed blocks.

use super::Rules;

pub(super) const DEQUANTIZE_BLOCKS: Rules = super::UNWRITTEN;
