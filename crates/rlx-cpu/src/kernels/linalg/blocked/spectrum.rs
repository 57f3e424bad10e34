//! Eigenvalues of Hermitian matrices and singular values, by `faer`'s reductions to tridiagonal and bidiagonal form and
//! divide-and-conquer methods.

use super::number::Number;
use super::qr::power_of_two;
use faer::diag::DiagMut;
use faer::dyn_stack::{MemStack, StackReq};
use faer::linalg::evd::{
    ComputeEigenvectors, SelfAdjointEvdParams, self_adjoint_evd, self_adjoint_evd_scratch,
};
use faer::linalg::svd::{ComputeSvdVectors, SvdParams, svd, svd_scratch};
use faer::{MatMut, MatRef, Par, Spec};

/// Up to which order a tridiagonal or bidiagonal matrix is reduced by sweeps of rotations instead of halves that are put together:
/// the errors of `faer`'s rotations grow with their number, to tens of units of rounding at the 128 that it sweeps by default.
const SWEPT: usize = 8;

/// How eigenvalues are found.
fn eigenvalues<T: Number>() -> Spec<SelfAdjointEvdParams, T> {
    let mut options = Spec::<SelfAdjointEvdParams, T>::default();
    options.recursion_threshold = SWEPT;
    options
}

/// How singular values are found.
fn singular_values<T: Number>() -> Spec<SvdParams, T> {
    let mut options = Spec::<SvdParams, T>::default();
    options.recursion_threshold = SWEPT;
    options
}

/// What [`eigh`] needs for matrices of this order.
pub(super) fn eigh_scratch<T: Number>(n: usize) -> StackReq {
    if n == 0 {
        return StackReq::EMPTY;
    }
    self_adjoint_evd_scratch::<T>(n, ComputeEigenvectors::Yes, Par::Seq, eigenvalues::<T>())
}

/// What [`singular`] needs for matrices of this size.
pub(super) fn singular_scratch<T: Number>(m: usize, n: usize, full: bool) -> StackReq {
    let vectors = if full { ComputeSvdVectors::Full } else { ComputeSvdVectors::Thin };
    svd_scratch::<T>(m, n, vectors, vectors, Par::Seq, singular_values::<T>())
}

/// Brings a matrix of extreme size near one, so that squares neither overflow nor vanish, and gives the factor; `None` if an
/// element is not finite.
fn scale<T: Number>(a: &mut [T]) -> Option<f64> {
    // The maximum passes NaN over.
    let (largest, finite) =
        a.iter().fold((0f64, true), |(m, finite), x| (m.max(x.abs1()), finite && x.is_finite()));
    if !finite {
        return None;
    }
    if largest == 0.0 || (T::SMALL..1.0 / T::SMALL).contains(&largest) {
        return Some(1.0);
    }
    let factor = power_of_two(largest);
    a.iter_mut().for_each(|x| *x = x.scaled(factor));
    Some(factor)
}

/// Eigenvalues in ascending order and eigenvectors as columns, of the Hermitian matrix in the lower triangle of `a`, which lies
/// column by column, above the diagonal anything. All are NaN for a matrix that is not finite.
pub(super) fn eigh<T: Number>(
    a: &mut [T],
    n: usize,
    values: &mut [T],
    vectors: &mut [T],
    stack: &mut MemStack,
) {
    for j in 0..n {
        // What is not read must not decide about the scale.
        a[j * n..j * n + j].fill(T::ZERO);
        a[j * n + j] = T::from_parts(a[j * n + j].parts().0, 0.0);
    }
    let factor = scale(a);
    let done = factor.filter(|_| n > 0).is_some_and(|_| {
        self_adjoint_evd::<T>(
            MatRef::from_column_major_slice(a, n, n),
            DiagMut::from_slice_mut(values),
            Some(MatMut::from_column_major_slice_mut(vectors, n, n)),
            Par::Seq,
            stack,
            eigenvalues::<T>(),
        )
        .is_ok()
    });
    match factor.filter(|_| done) {
        Some(factor) => values.iter_mut().for_each(|x| *x = x.scaled(1.0 / factor)),
        None => {
            values.fill(T::nan());
            vectors.fill(T::nan());
        }
    }
}

/// Singular values in descending order, left singular vectors and right ones, as columns, of an `m × n` matrix that lies column
/// by column. All are NaN for a matrix that is not finite.
pub(super) fn singular<T: Number>(
    a: &mut [T],
    [m, n]: [usize; 2],
    (u, s, v): (&mut [T], &mut [T], &mut [T]),
    stack: &mut MemStack,
) {
    let [left, right] = [u.len().checked_div(m).unwrap_or(0), v.len().checked_div(n).unwrap_or(0)];
    let factor = scale(a);
    // Of a tall matrix faer 0.24.4 multiplies the block above the columns that complete U, and does not write it before.
    u.fill(T::ZERO);
    v.fill(T::ZERO);
    let done = factor.is_some_and(|_| {
        svd::<T>(
            MatRef::from_column_major_slice(a, m, n),
            DiagMut::from_slice_mut(s),
            Some(MatMut::from_column_major_slice_mut(u, m, left)),
            Some(MatMut::from_column_major_slice_mut(v, n, right)),
            Par::Seq,
            stack,
            singular_values::<T>(),
        )
        .is_ok()
    });
    match factor.filter(|_| done) {
        Some(factor) => s.iter_mut().for_each(|x| *x = x.scaled(1.0 / factor)),
        None => {
            u.fill(T::nan());
            s.fill(T::nan());
            v.fill(T::nan());
        }
    }
}
