//! Tridiagonal systems by elimination with partial pivoting, as in LAPACK's gtsv.

use super::Field;

/// Solves `A X = B` for an `n × columns` matrix in place of `b`. The diagonals have `n` elements each: `d[i] = A[i, i]`,
/// `lower[i] = A[i, i - 1]`, `upper[i] = A[i, i + 1]`; `lower[0]` and `upper[n - 1]` are not read. If a pivot is zero, all of X
/// is NaN. `work` has room for `3 n` elements.
pub fn tridiagonal_solve<T: Field>(
    [lower, d, upper]: [&[T]; 3],
    b: &mut [T],
    n: usize,
    columns: usize,
    work: &mut [T],
) {
    // U has two diagonals above the main one, because row exchanges fill the second.
    let (diagonal, rest) = work.split_at_mut(n);
    let (above, second) = rest.split_at_mut(n);
    diagonal.copy_from_slice(&d[..n]);
    above.copy_from_slice(&upper[..n]);
    second[..n].fill(T::ZERO);
    let mut singular = false;
    for k in 0..n.saturating_sub(1) {
        let below = lower[k + 1];
        let (top, bottom) = b[k * columns..(k + 2) * columns].split_at_mut(columns);
        if diagonal[k].abs1() < below.abs1() {
            // The row below is the pivot's.
            let multiple = diagonal[k] / below;
            let (next, after) = (diagonal[k + 1], if k + 2 < n { above[k + 1] } else { T::ZERO });
            diagonal[k + 1] = above[k] - multiple * next;
            (diagonal[k], above[k], second[k]) = (below, next, after);
            above[k + 1] = -(multiple * after);
            for (x, y) in top.iter_mut().zip(bottom) {
                (*x, *y) = (*y, *x - multiple * *y);
            }
        } else if diagonal[k] == T::ZERO {
            singular = true;
        } else {
            let multiple = below / diagonal[k];
            diagonal[k + 1] -= multiple * above[k];
            top.iter().zip(bottom).for_each(|(x, y)| *y -= multiple * *x);
        }
    }
    singular |= n > 0 && diagonal[n - 1] == T::ZERO;
    if singular {
        b[..n * columns].fill(T::nan());
        return;
    }
    for k in (0..n).rev() {
        for j in 0..columns {
            let mut value = b[k * columns + j];
            if k + 1 < n {
                value -= above[k] * b[(k + 1) * columns + j];
            }
            if k + 2 < n {
                value -= second[k] * b[(k + 2) * columns + j];
            }
            b[k * columns + j] = value / diagonal[k];
        }
    }
}
