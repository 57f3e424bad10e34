//! The Cholesky factorization (Golub & Van Loan, "Matrix Computations", 4th ed., section 4.2).

use super::Field;

/// The lower triangular `L` with `L Lᴴ = A` for a Hermitian positive definite `n × n` matrix.
///
/// Only the lower triangle of `a` and the real part of its diagonal are read. The upper triangle of the result is zero; the lower
/// one is all NaN if `A` is not positive definite, or if a pivot is NaN.
pub fn cholesky<T: Field>(a: &[T], n: usize) -> Vec<T> {
    let mut l = vec![T::ZERO; n * n];
    cholesky_into(a, n, &mut l);
    l
}

/// [`cholesky`] into a given matrix.
pub fn cholesky_into<T: Field>(a: &[T], n: usize, l: &mut [T]) {
    l[..n * n].fill(T::ZERO);
    for i in 0..n {
        for j in 0..i {
            let (row_i, row_j) = (&l[i * n..i * n + j], &l[j * n..j * n + j]);
            // The rows' product is Σ l_ik conj(l_jk).
            let known = super::dot(row_j, row_i);
            l[i * n + j] = (a[i * n + j] - known).div_real(l[j * n + j].re());
        }
        let known: f64 = l[i * n..i * n + i].iter().map(|v| v.norm_squared()).sum();
        let pivot = a[i * n + i].re() - known;
        if pivot.is_nan() || pivot <= 0.0 {
            (0..n * n).for_each(|k| l[k] = if k % n <= k / n { T::nan() } else { T::ZERO });
            return;
        }
        l[i * n + i] = T::from(pivot.sqrt());
    }
}
