//! LU factorization with partial pivoting, by halves (Toledo, "Locality of reference in LU decomposition with partial pivoting", 1997).
//! `faer` has one too, but a column of zeros makes its results NaN; this one leaves such a column unchanged.

use super::column;
use super::number::Number;
use super::share::by_columns;
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::solve_unit_lower_triangular_in_place;
use faer::prelude::*;
use faer::{Accum, MatMut, Par};
use rlx_pool::Pool;

/// Maximum number of columns that are eliminated one at a time.
const FEW: usize = 8;

/// Factorizes a matrix with contiguous columns in place. For each step, `pivots` receives the row that is exchanged with the row of that
/// step.
pub(super) fn lu<T: Number>(pool: &Pool, mut a: MatMut<'_, T>, pivots: &mut [usize]) {
    let (m, n) = (a.nrows(), a.ncols());
    if n > m {
        let (mut left, right) = a.split_at_col_mut(m);
        lu(pool, left.rb_mut(), pivots);
        let (left, pivots) = (left.rb(), &*pivots);
        return by_columns(pool, right, |_, mut block| {
            exchange(block.rb_mut(), pivots);
            solve_unit_lower_triangular_in_place(left, block, Par::Seq);
        });
    }
    if n <= FEW {
        return eliminate(a, pivots);
    }
    let half = if n >= 32 { (n / 2).next_multiple_of(16) } else { (n / 2).next_multiple_of(4) };
    let (first, second) = pivots.split_at_mut(half);
    {
        let (mut left, mut right) = a.rb_mut().split_at_col_mut(half);
        lu(pool, left.rb_mut(), first);
        let ((unit, below), first) = (left.rb().split_at_row(half), &*first);
        by_columns(pool, right.rb_mut(), |_, mut block| {
            exchange(block.rb_mut(), first);
            let (mut top, bottom) = block.split_at_row_mut(half);
            solve_unit_lower_triangular_in_place(unit, top.rb_mut(), Par::Seq);
            matmul(bottom, Accum::Add, below, top.rb(), -T::ONE, Par::Seq);
        });
        lu(pool, right.get_mut(half.., ..), second);
    }
    exchange(a.get_mut(half.., ..half), second);
    second.iter_mut().for_each(|pivot| *pivot += half);
}

/// Exchanges the first rows with the rows in `pivots`, in order.
fn exchange<T: Number>(mut a: MatMut<'_, T>, pivots: &[usize]) {
    for j in 0..a.ncols() {
        let column = column(a.rb_mut(), j);
        pivots.iter().enumerate().for_each(|(k, &pivot)| column.swap(k, pivot));
    }
}

fn eliminate<T: Number>(mut a: MatMut<'_, T>, pivots: &mut [usize]) {
    let n = a.ncols();
    for k in 0..n {
        let current = column(a.rb_mut(), k);
        // LAPACK's choice: the first element with the largest |re| + |im|.
        let larger = |best: usize, i: usize| if current[i].abs1() > current[best].abs1() { i } else { best };
        let pivot = (k + 1..current.len()).fold(k, larger);
        pivots[k] = pivot;
        (0..n).filter(|_| pivot != k).for_each(|j| column(a.rb_mut(), j).swap(k, pivot));
        let (left, mut right) = a.rb_mut().split_at_col_mut(k + 1);
        let current = column(left, k);
        let value = current[k];
        // NaN is not equal to zero, so it is used as a pivot and spreads.
        if value == T::ZERO {
            continue;
        }
        current[k + 1..].iter_mut().for_each(|x| *x /= value);
        for j in 0..right.ncols() {
            let other = column(right.rb_mut(), j);
            let factor = other[k];
            other[k + 1..].iter_mut().zip(&current[k + 1..]).for_each(|(x, &l)| *x -= l * factor);
        }
    }
}
