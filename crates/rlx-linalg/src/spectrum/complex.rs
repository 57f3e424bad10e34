//! Complex matrices, by `faer`'s reductions and divide-and-conquer methods.

use crate::number::Number;
use faer::diag::DiagMut;
use faer::dyn_stack::{MemStack, StackReq};
use faer::linalg::evd::{
    ComputeEigenvectors, SelfAdjointEvdParams, self_adjoint_evd, self_adjoint_evd_scratch,
};
use faer::linalg::svd::{ComputeSvdVectors, SvdParams, svd as faer_svd, svd_scratch as faer_svd_scratch};
use faer::{MatMut, MatRef, Par, Spec};
use rlx_pool::Pool;
use rlx_simd::isa::Cpu;

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

pub(super) fn eigh_scratch<T: Number>(n: usize) -> StackReq {
    if n == 0 {
        return StackReq::EMPTY;
    }
    self_adjoint_evd_scratch::<T>(n, ComputeEigenvectors::Yes, Par::Seq, eigenvalues::<T>())
}

pub(super) fn svd_scratch<T: Number>(m: usize, n: usize, full: bool) -> StackReq {
    let vectors = if full { ComputeSvdVectors::Full } else { ComputeSvdVectors::Thin };
    faer_svd_scratch::<T>(m, n, vectors, vectors, Par::Seq, singular_values::<T>())
}

pub(super) fn eigh<T: Number>(
    _: (Cpu, &Pool),
    a: &mut [T],
    n: usize,
    (values, vectors): (&mut [T], &mut [T]),
    stack: &mut MemStack,
) -> bool {
    self_adjoint_evd::<T>(
        MatRef::from_column_major_slice(a, n, n),
        DiagMut::from_slice_mut(values),
        Some(MatMut::from_column_major_slice_mut(vectors, n, n)),
        Par::Seq,
        stack,
        eigenvalues::<T>(),
    )
    .is_ok()
}

pub(super) fn svd<T: Number>(
    _: (Cpu, &Pool),
    a: &mut [T],
    [m, n]: [usize; 2],
    (u, s, v): (&mut [T], &mut [T], &mut [T]),
    stack: &mut MemStack,
) -> bool {
    let [left, right] = [u.len().checked_div(m).unwrap_or(0), v.len().checked_div(n).unwrap_or(0)];
    // Of a tall matrix faer 0.24.4 multiplies the block above the columns that complete U, and does not write it before.
    u.fill(T::ZERO);
    v.fill(T::ZERO);
    faer_svd::<T>(
        MatRef::from_column_major_slice(a, m, n),
        DiagMut::from_slice_mut(s),
        Some(MatMut::from_column_major_slice_mut(u, m, left)),
        Some(MatMut::from_column_major_slice_mut(v, n, right)),
        Par::Seq,
        stack,
        singular_values::<T>(),
    )
    .is_ok()
}
