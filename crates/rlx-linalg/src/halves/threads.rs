//! Shares work between threads, with memory of which each task takes its own part.

use rlx_pool::{Pool, SharedPtr};
use rlx_simd::isa::Cpu;
use rlx_simd::simd::{Kernel, Simd};
use std::marker::PhantomData;
use std::ops::Range;

/// What to work on: some threads, or the caller's alone.
#[derive(Clone, Copy)]
pub(in super::super) struct Threads<'a> {
    cpu: Cpu,
    pool: Option<&'a Pool>,
}

impl<'a> Threads<'a> {
    pub(in super::super) fn new((cpu, pool): (Cpu, &'a Pool)) -> Threads<'a> {
        Threads { cpu, pool: Some(pool) }
    }

    /// The caller's thread.
    pub(super) fn alone(self) -> Threads<'a> {
        Threads { pool: None, ..self }
    }

    /// Calls `body` for all numbers below `tasks`, and returns when all calls have.
    pub(super) fn run(self, tasks: usize, body: &(dyn Fn(usize) + Sync)) {
        match self.pool {
            Some(pool) => pool.run(tasks, |task| body(task.index)),
            None => (0..tasks).for_each(body),
        }
    }

    /// Calls `body`, which is compiled for wide vectors as far as it is inlined.
    #[inline(always)]
    pub(super) fn wide<T>(self, body: impl FnOnce() -> T) -> T {
        self.cpu.dispatch(Wide(body))
    }
}

/// Code to compile for each instruction set.
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

    /// A part of the list.
    ///
    /// # Safety
    /// No part that is in use overlaps another.
    #[allow(clippy::mut_from_ref)]
    pub(super) unsafe fn part(&self, range: Range<usize>) -> &mut [T] {
        assert!(range.start <= range.end && range.end <= self.len);
        // SAFETY: it lies in the list, which is borrowed exclusively, and by the caller's promise is in no other part in use.
        unsafe { std::slice::from_raw_parts_mut(self.first.add(range.start), range.len()) }
    }
}
