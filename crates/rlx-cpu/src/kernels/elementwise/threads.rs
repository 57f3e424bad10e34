//! Divides the indices of a kernel among threads, each with its own scratch memory.

use crate::exec::LaunchContext;
use crate::pool::cut;
use std::ops::Range;

/// What the tasks of a step share.
struct SharedContext<'a>(&'a LaunchContext<'a>);

// SAFETY: tasks write disjoint parts of the results and their own scratch memory, and only read operands.
unsafe impl Sync for SharedContext<'_> {}

impl<'a> SharedContext<'a> {
    fn cx(&self) -> &'a LaunchContext<'a> {
        self.0
    }
}

/// Calls `body` for ranges that together are `0..len`. The length of each range except the last is a multiple of `grain`. Uses the pool's
/// threads if `nanoseconds`, an estimate for one thread, make that worthwhile. Along with the range, `body` gets `scratch_bytes` of scratch
/// memory for this call only.
///
/// # Safety
/// `body` may be called on several threads at the same time: what it writes other than its scratch memory belongs to its range.
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
/// As for [`for_ranges`].
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
    // SAFETY: the caller vouches that `body` writes what belongs to its range, and its scratch memory: a thread's scratch memory is part of
    // the step's, or there is only one range, on one thread.
    unsafe {
        with_workers(cx, nanoseconds, (len, grain), &|cx, range, worker| {
            body(cx, range, cx.scratch_ptr().wrapping_add(worker * scratch_bytes));
        });
    }
}

/// Like [`for_ranges`], but along with the range `body` gets the number of the thread that it runs on, which is less than the number of the
/// pool's threads.
///
/// # Safety
/// `body` may be called on several threads at the same time: what it writes belongs to its range or to its thread.
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
/// As for [`for_workers`].
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
