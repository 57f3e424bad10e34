//! Rules of factorizations and solves of the matrices in the last two axes; leading axes are a batch.
//! Derivatives of factorizations follow Giles, "An extended collection of matrix derivative results" (2008), and the sources that
//! each file names.

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
use rlx_ir::OpKind;

const CHOLESKY: Rules = factorization(cholesky::jvp);
const LU: Rules = factorization(lu::jvp);
const QR: Rules = factorization(qr::jvp);
const EIGH: Rules = factorization(eigen::jvp);
const SVD: Rules = factorization(svd::jvp);
const EIG: Rules = factorization(eig::jvp);
const GEQP3: Rules = factorization(householder::geqp3_jvp);
const GEQRF: Rules = factorization(householder::geqrf_jvp);
const HOUSEHOLDER_PRODUCT: Rules = factorization(householder::product_jvp);
const TRIANGULAR_SOLVE: Rules = Rules {
    jvp: Jvp::Rule(solve::triangular_jvp),
    transpose: Transpose::Rule(solve::triangular_transpose),
    batch: Batch::Rule(solve::triangular_batch),
};
const TRIDIAGONAL_SOLVE: Rules = Rules {
    jvp: Jvp::Rule(tridiagonal::jvp),
    transpose: Transpose::Rule(tridiagonal::transpose),
    batch: Batch::Rule(tridiagonal::batch),
};
const DENSE_SOLVE: Rules = Rules {
    jvp: Jvp::Rule(solve::dense_jvp),
    transpose: Transpose::None,
    batch: Batch::Rule(solve::dense_batch),
};

/// The rules of this family's ops.
pub(super) const fn rules(kind: OpKind) -> Option<Rules> {
    Some(match kind {
        OpKind::Cholesky => CHOLESKY,
        OpKind::TriangularSolve => TRIANGULAR_SOLVE,
        OpKind::TridiagonalSolve => TRIDIAGONAL_SOLVE,
        OpKind::Lu => LU,
        OpKind::Qr => QR,
        OpKind::Geqrf => GEQRF,
        OpKind::Geqp3 => GEQP3,
        OpKind::HouseholderProduct => HOUSEHOLDER_PRODUCT,
        OpKind::Eigh => EIGH,
        OpKind::Eig => EIG,
        OpKind::Svd => SVD,
        OpKind::DenseSolve | OpKind::BatchedDenseSolve => DENSE_SOLVE,
        _ => return None,
    })
}

/// The rules of a factorization. A batch is one more leading axis.
const fn factorization(jvp: fn(&Forward<'_>, &rlx_ir::Op, &[Dual]) -> Result<Vec<Dual>, Error>) -> Rules {
    Rules { jvp: Jvp::Rule(jvp), transpose: Transpose::None, batch: Batch::Elementwise }
}
