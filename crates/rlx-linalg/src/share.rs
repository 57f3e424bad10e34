//! Shares the columns of a matrix between threads.

use super::number::Number;
use faer::MatMut;
use rlx_pool::{Pool, SharedPtr};

/// Number of columns in a task. What is computed depends only on the columns, not on the number of threads.
const BLOCK: usize = 128;

/// Number of elements from which on it pays to wake other threads.
const SHARED: usize = 384 * 384;

/// Calls `body` for blocks of columns, with the index of the first column of each.
pub(super) fn by_columns<T: Number>(
    pool: &Pool,
    a: MatMut<'_, T>,
    body: impl Fn(usize, MatMut<'_, T>) + Sync,
) {
    let (m, n) = (a.nrows(), a.ncols());
    let (row, column, at) = (a.row_stride(), a.col_stride(), SharedPtr::new(a.as_ptr_mut()));
    let some = |task: usize| {
        let (first, end) = (task * BLOCK, n.min((task + 1) * BLOCK));
        // SAFETY: each task has its own columns, of a matrix that only this function uses.
        let block = unsafe {
            let start = at.get().offset(first as isize * column);
            MatMut::from_raw_parts_mut(start, m, end - first, row, column)
        };
        body(first, block);
    };
    let tasks = n.div_ceil(BLOCK);
    if m * n < SHARED {
        (0..tasks).for_each(some);
    } else {
        pool.run(tasks, |task| some(task.index));
    }
}
