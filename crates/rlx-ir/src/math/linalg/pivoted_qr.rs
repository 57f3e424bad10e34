//! Householder QR with column pivoting (Golub & Van Loan, section 5.4.2), as LAPACK's geqp3 packs it.

use super::qr::eliminate;
use super::{Field, norm};

/// Factorizes an `m × n` matrix in place: stores R and the reflectors of `A P = Q R`, the `min(m, n)` factors `τ`, and for each
/// column of `A P` the column of A.
///
/// Columns for which `leading` is not zero come first. Of the others, each step takes the column with the largest remaining norm;
/// if several have it, the first. `work` has `m + n` elements.
pub fn geqp3_in_place<T: Field>(
    packed: &mut [T],
    leading: &[T],
    (taus, permutation): (&mut [T], &mut [usize]),
    [m, n]: [usize; 2],
    work: &mut [T],
) {
    let (v, products) = work.split_at_mut(m);
    permutation.iter_mut().enumerate().for_each(|(j, column)| *column = j);
    for k in 0..n {
        let leads = |j: &usize| leading[permutation[*j]] != T::ZERO;
        let pivot = (k..n).find(leads).unwrap_or_else(|| longest(packed, [m, n], k, v));
        if pivot != k {
            permutation.swap(k, pivot);
            (0..m).for_each(|i| packed.swap(i * n + k, i * n + pivot));
        }
        if let Some(tau) = taus.get_mut(k) {
            *tau = eliminate(packed, [m, n], k, v, products);
        }
    }
}

/// The column from `k` on that is longest below row `k`.
fn longest<T: Field>(packed: &[T], [m, n]: [usize; 2], k: usize, v: &mut [T]) -> usize {
    let mut best = (k, f64::NEG_INFINITY);
    for j in k..n {
        let rest = &mut v[..m.saturating_sub(k)];
        rest.iter_mut().zip(k..m).for_each(|(value, i)| *value = packed[i * n + j]);
        let length = norm(rest);
        if length > best.1 {
            best = (j, length);
        }
    }
    best.0
}
