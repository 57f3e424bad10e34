//! Factorisations and solves of the matrices in the last two axes; leading axes are a batch. Derivatives of factorisations
//! follow Giles, "An extended collection of matrix derivative results" (2008), and what each file names.

mod cholesky;
mod eig;
mod eigen;
mod householder;
mod lu;
mod matrix;
mod qr;
mod solve;
mod svd;
mod tridiagonal;

use super::{Batch, Jvp, Rules, Transpose};
use crate::error::Error;
use crate::forward::{Dual, Forward};

pub(super) const CHOLESKY: Rules = factorisation(cholesky::jvp);
pub(super) const LU: Rules = factorisation(lu::jvp);
pub(super) const QR: Rules = factorisation(qr::jvp);
pub(super) const EIGH: Rules = factorisation(eigen::jvp);
pub(super) const SVD: Rules = factorisation(svd::jvp);
pub(super) const EIG: Rules = factorisation(eig::jvp);
pub(super) const GEQP3: Rules = factorisation(householder::geqp3_jvp);
pub(super) const GEQRF: Rules = factorisation(householder::geqrf_jvp);
pub(super) const HOUSEHOLDER_PRODUCT: Rules = factorisation(householder::product_jvp);
pub(super) const TRIANGULAR_SOLVE: Rules = Rules {
    jvp: Jvp::Rule(solve::triangular_jvp),
    transpose: Transpose::Rule(solve::triangular_transpose),
    batch: Batch::Rule(solve::triangular_batch),
};
pub(super) const TRIDIAGONAL_SOLVE: Rules = Rules {
    jvp: Jvp::Rule(tridiagonal::jvp),
    transpose: Transpose::Rule(tridiagonal::transpose),
    batch: Batch::Rule(tridiagonal::batch),
};
pub(super) const DENSE_SOLVE: Rules = Rules {
    jvp: Jvp::Rule(solve::dense_jvp),
    transpose: Transpose::None,
    batch: Batch::Rule(solve::dense_batch),
};

/// The rules of a factorisation: a batch is one more leading axis.
const fn factorisation(jvp: fn(&Forward<'_>, &rlx_ir::Op, &[Dual]) -> Result<Vec<Dual>, Error>) -> Rules {
    Rules { jvp: Jvp::Rule(jvp), transpose: Transpose::None, batch: Batch::Elementwise }
}
