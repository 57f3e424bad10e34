//! LU factorization with partial pivoting (Golub & Van Loan, section 3.4).

use super::Field;

/// `P A = L U`, in the form of `jax.lax.linalg.lu`.
#[derive(Clone, PartialEq, Debug)]
pub struct Lu<T> {
    /// `m × n`: `U` in the upper triangle, and `L` below it without its unit diagonal.
    pub lu: Vec<T>,
    /// For each of the `min(m, n)` steps, the index of the row that was exchanged with it.
    pub pivots: Vec<usize>,
    /// For each of the `m` rows of `P A`, the index of the row of `A`.
    pub permutation: Vec<usize>,
}

/// Factorizes an `m × n` matrix. A zero pivot column is left alone, so a singular matrix gives a `U` with a zero on its diagonal.
///
/// The pivot is the first entry with the largest `|re| + |im|`, as in LAPACK.
pub fn lu<T: Field>(a: &[T], m: usize, n: usize) -> Lu<T> {
    let (mut lu, mut pivots, mut permutation) = (a[..m * n].to_vec(), vec![0; m.min(n)], vec![0; m]);
    lu_in_place(&mut lu, &mut pivots, &mut permutation, m, n);
    Lu { lu, pivots, permutation }
}

/// [`lu`] in place, into slices of the documented lengths.
pub fn lu_in_place<T: Field>(
    lu: &mut [T],
    pivots: &mut [usize],
    permutation: &mut [usize],
    m: usize,
    n: usize,
) {
    (0..m).for_each(|i| permutation[i] = i);
    for k in 0..m.min(n) {
        let pivot = pivot_row(lu, k, m, n);
        pivots[k] = pivot;
        if pivot != k {
            permutation.swap(k, pivot);
            (0..n).for_each(|j| lu.swap(k * n + j, pivot * n + j));
        }
        if lu[k * n + k] != T::ZERO {
            eliminate(lu, k, m, n);
        }
    }
}

/// The row from `k` on with the largest entry of column `k`.
fn pivot_row<T: Field>(lu: &[T], k: usize, m: usize, n: usize) -> usize {
    (k + 1..m).fold(k, |best, i| if lu[i * n + k].abs1() > lu[best * n + k].abs1() { i } else { best })
}

/// Subtracts multiples of row `k` from the rows below it, and stores the multiples.
fn eliminate<T: Field>(lu: &mut [T], k: usize, m: usize, n: usize) {
    let (above, below) = lu.split_at_mut((k + 1) * n);
    let pivot_row = &above[k * n..];
    for row in below.chunks_exact_mut(n).take(m - k - 1) {
        let multiple = row[k] / pivot_row[k];
        row[k] = multiple;
        for (value, above) in row[k + 1..].iter_mut().zip(&pivot_row[k + 1..]) {
            *value -= multiple * *above;
        }
    }
}
