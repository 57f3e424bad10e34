//! Shares work between threads, with memory in which each task uses its own part.

use rlx_pool::{Pool, SharedPtr};
use rlx_simd::isa::Cpu;
use rlx_simd::simd::{Kernel, Simd};
use std::marker::PhantomData;
use std::ops::Range;

/// The threads to use: those of a pool, or only the caller's.
#[derive(Clone, Copy)]
pub(in super::super) struct Threads<'a> {
    cpu: Cpu,
    pool: Option<&'a Pool>,
}

impl<'a> Threads<'a> {
    pub(in super::super) fn new((cpu, pool): (Cpu, &'a Pool)) -> Threads<'a> {
        Threads { cpu, pool: Some(pool) }
    }

    /// Returns only the caller's thread.
    pub(super) fn alone(self) -> Threads<'a> {
        Threads { pool: None, ..self }
    }

    /// Calls `body` for all numbers below `tasks`, and returns when all calls have returned.
    pub(super) fn run(self, tasks: usize, body: &(dyn Fn(usize) + Sync)) {
        match self.pool {
            Some(pool) => pool.run(tasks, |task| body(task.index)),
            None => (0..tasks).for_each(body),
        }
    }

    /// Calls `body`, compiled for wide vectors as far as it is inlined.
    #[inline(always)]
    pub(super) fn wide<T>(self, body: impl FnOnce() -> T) -> T {
        self.cpu.dispatch(Wide(body))
    }
}

/// Code that is compiled for each instruction set.
struct Wide<F>(F);

impl<T, F: FnOnce() -> T> Kernel for Wide<F> {
    type Output = T;

    #[inline(always)]
    fn run<S: Simd>(self, _: S) -> T {
        (self.0)()
    }
}

/// A list of which tasks take parts that do not overlap.
pub(super) struct SharedList<'a, T> {
    first: SharedPtr<T>,
    len: usize,
    list: PhantomData<&'a mut [T]>,
}

impl<'a, T> SharedList<'a, T> {
    pub(super) fn new(list: &'a mut [T]) -> Self {
        SharedList { first: SharedPtr::new(list.as_mut_ptr()), len: list.len(), list: PhantomData }
    }

    /// Returns a part of the list.
    ///
    /// # Safety
    /// No part that is in use overlaps another.
    #[allow(clippy::mut_from_ref)]
    pub(super) unsafe fn part(&self, range: Range<usize>) -> &mut [T] {
        assert!(range.start <= range.end && range.end <= self.len);
        // SAFETY: the range lies in the list, which is borrowed exclusively, and by the caller's promise no other part that is in use
        // contains it.
        unsafe { std::slice::from_raw_parts_mut(self.first.add(range.start), range.len()) }
    }
}
