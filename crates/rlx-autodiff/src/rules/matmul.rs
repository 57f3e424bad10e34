//! Matrix products as composites.

use super::Rules;

pub(super) const MATMUL: Rules = super::COMPOSITE;
