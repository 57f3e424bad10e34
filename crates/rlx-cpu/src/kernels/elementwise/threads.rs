//! Shares the indices of a kernel between threads, each with scratch memory of its own.

use crate::exec::LaunchContext;
use crate::pool::cut;
use std::ops::Range;

/// What the tasks of a step share.
struct SharedContext<'a>(&'a LaunchContext<'a>);

// SAFETY: tasks write disjoint parts of the results and scratch memory of their own, and only read operands.
unsafe impl Sync for SharedContext<'_> {}

impl<'a> SharedContext<'a> {
    fn cx(&self) -> &'a LaunchContext<'a> {
        self.0
    }
}

/// Calls `body` for ranges that together are `0..len`, each but the last a multiple of `grain`, on the pool's threads
/// if `nanoseconds`, an estimate for one thread, make that worth while. With the range comes scratch memory of
/// `scratch_bytes` for this call alone.
///
/// # Safety
/// `body` may be called on several threads at once: what it writes besides its scratch memory belongs to its range.
pub(crate) unsafe fn for_ranges(
    cx: &LaunchContext<'_>,
    scratch_bytes: usize,
    nanoseconds: u64,
    len: usize,
    grain: usize,
    body: impl Fn(&LaunchContext<'_>, Range<usize>, *mut u8) + Sync,
) {
    // SAFETY: as the caller vouches.
    unsafe { with_scratch(cx, scratch_bytes, nanoseconds, (len, grain), &body) }
}

/// # Safety
/// As [`for_ranges`].
unsafe fn with_scratch(
    cx: &LaunchContext<'_>,
    scratch_bytes: usize,
    nanoseconds: u64,
    (len, grain): (usize, usize),
    body: &(dyn Fn(&LaunchContext<'_>, Range<usize>, *mut u8) + Sync),
) {
    assert!(scratch_bytes <= cx.scratch_bytes(), "the plan gave scratch memory for one thread at least");
    let fits = scratch_bytes.saturating_mul(cx.pool.threads()) <= cx.scratch_bytes();
    let grain = if fits { grain } else { len };
    // SAFETY: the caller vouches that `body` writes what belongs to its range, and its scratch memory: that of a
    // thread lies in the step's, or there is one range, on one thread.
    unsafe {
        with_workers(cx, nanoseconds, (len, grain), &|cx, range, worker| {
            body(cx, range, cx.scratch_ptr().wrapping_add(worker * scratch_bytes));
        });
    }
}

/// As [`for_ranges`], but with the range comes the number of the thread that it runs on, below the pool's threads.
///
/// # Safety
/// `body` may be called on several threads at once: what it writes belongs to its range, or to its thread.
pub(crate) unsafe fn for_workers(
    cx: &LaunchContext<'_>,
    nanoseconds: u64,
    len: usize,
    grain: usize,
    body: impl Fn(&LaunchContext<'_>, Range<usize>, usize) + Sync,
) {
    // SAFETY: as the caller vouches.
    unsafe { with_workers(cx, nanoseconds, (len, grain), &body) }
}

/// # Safety
/// As [`for_workers`].
unsafe fn with_workers(
    cx: &LaunchContext<'_>,
    nanoseconds: u64,
    (len, grain): (usize, usize),
    body: &(dyn Fn(&LaunchContext<'_>, Range<usize>, usize) + Sync),
) {
    let threads = cx.pool.threads();
    let grains = len.div_ceil(grain.max(1));
    let worth = cx.pool.worthwhile_parts(nanoseconds);
    let ranges = if threads > 1 { grains.min(4 * threads).min(worth) } else { 1 };
    if ranges <= 1 {
        if len > 0 {
            body(cx, 0..len, 0);
        }
        return;
    }
    let shared = SharedContext(cx);
    cx.pool.run_if_worth(nanoseconds, ranges, |task| {
        body(shared.cx(), cut(len, grain, ranges, task.index), task.worker);
    });
}
