//! The factorizations as callers see them, compiled here for each number type.

use super::number::Number;
use super::qr::{self, Work};
use super::spectrum::{self, Spectrum};
use super::{lu, share};
use faer::c64;
use faer::dyn_stack::MemStack;
use faer::linalg::cholesky::llt::factor::{cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::triangular_solve as solve;
use faer::{Conj, MatMut, MatRef, Par};
use rlx_pool::Pool;
use rlx_simd::isa::Cpu;
use std::mem::MaybeUninit;

/// How the matrix of a triangular system is derived from the given one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Triangle {
    /// Whether the lower triangle of the given matrix is used instead of the upper one.
    pub lower: bool,
    /// Whether the diagonal is taken to be ones, whatever the given matrix contains there.
    pub unit_diagonal: bool,
    /// Whether the triangle is transposed.
    pub transposed: bool,
    /// Whether the triangle is conjugated.
    pub conjugated: bool,
}

/// A number type whose matrices can be factorized. Unless stated otherwise, matrices are stored column by column, without gaps.
///
/// # Panics
/// All functions panic on slices that do not have the stated length, and on working memory that is too small.
pub trait Factorize: Number {
    /// Returns the bytes of working memory for [`cholesky`](Factorize::cholesky) of matrices of order `n`.
    fn cholesky_bytes(n: usize) -> usize;

    /// Replaces the lower triangle of `a` by the lower Cholesky factor of the Hermitian matrix that it represents. Returns whether the
    /// matrix is positive definite.
    fn cholesky(a: &mut [Self], n: usize, stack: &mut [MaybeUninit<u8>]) -> bool;

    /// Solves `op(A) X = B` and stores X in place of B. A, of order `n`, and B, of `n` rows, are stored row by row.
    fn solve_triangular(pool: &Pool, a: &[Self], n: usize, triangle: Triangle, b: &mut [Self]);

    /// Replaces an `m × n` matrix by its LU factorization with partial pivoting. Row `k` is exchanged with row `pivots[k]`, in order; there
    /// are `min(m, n)` pivots.
    fn lu(pool: &Pool, a: &mut [Self], size: [usize; 2], pivots: &mut [usize]);

    /// Replaces an `m × n` matrix by R and packed reflectors, with up to `min(m, n)` factors `taus`, as LAPACK's `geqrf` does.
    fn qr(a: &mut [Self], size: [usize; 2], taus: &mut [Self], work: &mut Work<'_, Self>);

    /// Computes the first columns of the product of the reflectors that are packed in an `m × n` matrix, as many as `q` has.
    fn product_of_reflectors(
        packed: &[Self],
        size: [usize; 2],
        taus: &[Self],
        q: &mut [Self],
        work: &mut Work<'_, Self>,
    );

    /// Returns the bytes of working memory for [`eigh`](Factorize::eigh) of matrices of order `n`.
    fn eigh_bytes(n: usize) -> usize;

    /// Computes `n` eigenvalues in ascending order, and eigenvectors as columns, of the Hermitian matrix in the lower triangle of `a`. `a`
    /// is overwritten and may contain anything above its diagonal. All results are NaN if the matrix is not finite.
    fn eigh(
        on: (Cpu, &Pool),
        a: &mut [Self],
        n: usize,
        results: (&mut [Self], &mut [Self]),
        stack: &mut [MaybeUninit<u8>],
    );

    /// Returns the bytes of working memory for [`svd`](Factorize::svd) of `m × n` matrices.
    fn svd_bytes(size: [usize; 2], full: bool) -> usize;

    /// Computes left singular vectors as columns, `min(m, n)` singular values in descending order, and right singular vectors as columns,
    /// of an `m × n` matrix, which is overwritten. There are `m` left and `n` right vectors, or `min(m, n)` of both. All results are NaN if
    /// the matrix is not finite.
    fn svd(
        on: (Cpu, &Pool),
        a: &mut [Self],
        size: [usize; 2],
        results: (&mut [Self], &mut [Self], &mut [Self]),
        stack: &mut [MaybeUninit<u8>],
    );
}

macro_rules! factorize {
    ($($number:ty)*) => {
        $(impl Factorize for $number {
            fn cholesky_bytes(n: usize) -> usize {
                cholesky_in_place_scratch::<$number>(n, Par::Seq, Default::default()).unaligned_bytes_required()
            }

            fn cholesky(a: &mut [$number], n: usize, stack: &mut [MaybeUninit<u8>]) -> bool {
                let (matrix, stack) = (MatMut::from_column_major_slice_mut(a, n, n), MemStack::new(stack));
                cholesky_in_place(matrix, Default::default(), Par::Seq, stack, Default::default()).is_ok()
            }

            fn solve_triangular(pool: &Pool, a: &[$number], n: usize, triangle: Triangle, b: &mut [$number]) {
                solve_triangular(pool, a, n, triangle, b);
            }

            fn lu(pool: &Pool, a: &mut [$number], [m, n]: [usize; 2], pivots: &mut [usize]) {
                assert_eq!(pivots.len(), m.min(n), "pivots");
                lu::lu(pool, MatMut::from_column_major_slice_mut(a, m, n), pivots);
            }

            fn qr(a: &mut [$number], [m, n]: [usize; 2], taus: &mut [$number], work: &mut Work<'_, $number>) {
                assert!(taus.len() <= m.min(n), "at most min(m, n) factors of reflectors");
                qr::factorize(MatMut::from_column_major_slice_mut(a, m, n), taus, work);
            }

            fn product_of_reflectors(
                packed: &[$number],
                [m, n]: [usize; 2],
                taus: &[$number],
                q: &mut [$number],
                work: &mut Work<'_, $number>,
            ) {
                assert!(taus.len() <= m.min(n), "at most min(m, n) factors of reflectors");
                let columns = q.len().checked_div(m).unwrap_or(0);
                let packed = MatRef::from_column_major_slice(packed, m, n);
                qr::product(packed, taus, MatMut::from_column_major_slice_mut(q, m, columns), work);
            }

            fn eigh_bytes(n: usize) -> usize {
                <$number>::eigh_scratch(n).unaligned_bytes_required()
            }

            fn eigh(
                on: (Cpu, &Pool),
                a: &mut [$number],
                n: usize,
                (values, vectors): (&mut [$number], &mut [$number]),
                stack: &mut [MaybeUninit<u8>],
            ) {
                assert_eq!([a.len(), values.len(), vectors.len()], [n * n, n, n * n], "a matrix of order {n}");
                spectrum::eigh(on, a, n, (values, vectors), MemStack::new(stack));
            }

            fn svd_bytes([m, n]: [usize; 2], full: bool) -> usize {
                <$number>::svd_scratch(m, n, full).unaligned_bytes_required()
            }

            fn svd(
                on: (Cpu, &Pool),
                a: &mut [$number],
                [m, n]: [usize; 2],
                (u, s, v): (&mut [$number], &mut [$number], &mut [$number]),
                stack: &mut [MaybeUninit<u8>],
            ) {
                let least = m.min(n);
                assert_eq!([a.len(), s.len()], [m * n, least], "a matrix of {m} rows and {n} columns");
                let vectors = [u.len(), v.len()];
                assert!(vectors == [m * m, n * n] || vectors == [m * least, n * least], "vectors");
                spectrum::singular(on, a, [m, n], (u, s, v), MemStack::new(stack));
            }
        })*
    };
}
factorize!(f32 f64 c64);

fn solve_triangular<T: Number>(pool: &Pool, a: &[T], n: usize, triangle: Triangle, b: &mut [T]) {
    let Triangle { lower, unit_diagonal, transposed, conjugated } = triangle;
    let given = MatRef::from_row_major_slice(a, n, n);
    let matrix = if transposed { given.transpose() } else { given };
    let conj = if conjugated { Conj::Yes } else { Conj::No };
    let systems = b.len().checked_div(n).unwrap_or(0);
    let x = MatMut::from_row_major_slice_mut(b, n, systems);
    share::by_columns(pool, x, |_, x| match (lower != transposed, unit_diagonal) {
        (true, false) => solve::solve_lower_triangular_in_place_with_conj(matrix, conj, x, Par::Seq),
        (true, true) => solve::solve_unit_lower_triangular_in_place_with_conj(matrix, conj, x, Par::Seq),
        (false, false) => solve::solve_upper_triangular_in_place_with_conj(matrix, conj, x, Par::Seq),
        (false, true) => solve::solve_unit_upper_triangular_in_place_with_conj(matrix, conj, x, Par::Seq),
    });
}
