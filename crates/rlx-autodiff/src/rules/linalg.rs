//! Factorisations and solves.

use super::Rules;

pub(super) const CHOLESKY: Rules = super::UNWRITTEN;
pub(super) const TRIANGULAR_SOLVE: Rules = super::UNWRITTEN;
pub(super) const LU: Rules = super::UNWRITTEN;
pub(super) const QR: Rules = super::UNWRITTEN;
pub(super) const GEQRF: Rules = super::UNWRITTEN;
pub(super) const HOUSEHOLDER_PRODUCT: Rules = super::UNWRITTEN;
pub(super) const EIGH: Rules = super::UNWRITTEN;
pub(super) const SVD: Rules = super::UNWRITTEN;
