//! A fork-join pool of threads for loops over tasks.
//!
//! This crate owns the threads and the protocol by which they share a loop. It does not know what a task does,
//! and tasks must not depend on which thread runs them, because that may change from run to run. Each thread
//! starts with its own share of the tasks, the same share in every run of the same number of tasks, so that it
//! finds in its caches what it used before. A thread that has finished its share helps the others.
//!
//! The caller of [`Pool::run`] publishes a job and works on it as well. A worker that is awake joins the job;
//! one that wakes up late finds it closed. So the caller waits only for tasks that have begun, never for a
//! thread to wake up, and additional threads cost almost nothing for small jobs. Several callers have a job
//! each, and the workers divide themselves among them. If there are as many callers as the pool has threads,
//! workers leave the processor to the callers.

mod fork;
mod lock;
mod payload;
mod shared_ptr;
mod slots;

pub use fork::{Process, Undivided, undivided};
pub use lock::{Held, lock, once, read, write};
pub use payload::{Payload, discard, message};
pub use shared_ptr::SharedPtr;
use slots::Shared;
use std::ops::Range;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;
use thiserror::Error;

/// How long a worker looks for the next job before it sleeps: longer than the gap between two kernels of a
/// model, and short enough that an idle process uses no noticeable time.
const SPIN: Duration = Duration::from_micros(50);

/// The work, in nanoseconds on one thread, below which waking other threads costs more than it saves.
pub const WORTH_SPLITTING: u64 = 15_000;

/// The maximum number of threads in a pool: more than any machine has cores, and few enough that their memory is small.
pub const MAX_THREADS: usize = 4096;

/// Why a pool could not be made.
#[derive(Debug, Error)]
pub enum PoolError {
    /// A pool of no threads was requested.
    #[error("a thread pool needs at least 1 thread, but 0 were requested")]
    NoThreads,
    /// More threads than a pool can have were requested.
    #[error("a thread pool can have at most {MAX_THREADS} threads, but {0} were requested")]
    TooManyThreads(usize),
    /// The operating system refused a thread.
    #[error("could not start thread {started} of {wanted}; ask for fewer threads")]
    Spawn {
        /// Number of threads requested, including the caller.
        wanted: usize,
        /// The thread that could not be started.
        started: usize,
        /// The operating system's reason.
        #[source]
        source: std::io::Error,
    },
}

/// One task of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Task {
    /// Which task, from 0.
    pub index: usize,
    /// Which thread of this job runs it; less than [`Pool::threads`]. No two tasks run at the same time with the same number, so it can
    /// select scratch memory.
    pub worker: usize,
}

/// The function called for each task of a job. Jobs take it by reference, so that their code is compiled once and not once per body.
type Body<'a> = &'a (dyn Fn(Task) + Sync);

/// Threads that share the work of loops. Put it in an [`Arc`] to use it from several places: calls that run at the same time divide the
/// workers among themselves. A call from inside a task runs its tasks on its own thread, and so does every call in a child of `fork`, which
/// has none of the pool's threads.
#[derive(Debug)]
pub struct Pool {
    shared: Arc<Shared>,
    workers: Vec<JoinHandle<()>>,
    eager: bool,
    /// The process whose threads the workers are.
    process: Process,
}

impl Pool {
    /// Creates a pool of `threads` threads, one of which is the caller of [`run`](Pool::run).
    pub fn new(threads: usize) -> Result<Pool, PoolError> {
        if threads == 0 {
            return Err(PoolError::NoThreads);
        }
        if threads > MAX_THREADS {
            return Err(PoolError::TooManyThreads(threads));
        }
        let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
        // Threads that spin without having their own core would only slow the others down.
        let spin = if threads <= cores { SPIN } else { Duration::ZERO };
        let mut pool = Pool {
            shared: Arc::new(Shared::new(spin, threads)),
            workers: Vec::new(),
            eager: false,
            process: Process::watched(),
        };
        for worker in 1..threads {
            let shared = Arc::clone(&pool.shared);
            let handle = std::thread::Builder::new()
                .name(format!("rlx-cpu-{worker}"))
                .spawn(move || shared.serve(worker))
                .map_err(|source| PoolError::Spawn { wanted: threads, started: worker, source })?;
            pool.workers.push(handle);
        }
        Ok(pool)
    }

    /// Creates a pool that shares even the smallest job. That is slower, but shows on small operands what depends on threads.
    pub fn eager(threads: usize) -> Result<Pool, PoolError> {
        let mut pool = Pool::new(threads)?;
        pool.eager = true;
        Ok(pool)
    }

    /// Returns the number of parts into which it pays to split a job that takes one thread `nanoseconds`.
    pub fn worthwhile_parts(&self, nanoseconds: u64) -> usize {
        if self.eager {
            return usize::MAX;
        }
        usize::try_from(nanoseconds / (WORTH_SPLITTING / 2)).unwrap_or(usize::MAX)
    }

    /// Returns the number of threads that a job may use, including the caller.
    #[inline]
    pub fn threads(&self) -> usize {
        self.workers.len() + 1
    }

    /// Calls `body` once for each of `tasks` tasks, on any threads and in any order, and returns when all are done. Allocates nothing.
    ///
    /// # Panics
    /// If a task panics, tasks that have not begun are dropped and the panic continues in the caller. If several tasks panic, it is the
    /// caller's own panic, or else the first one. The payloads of the others are dropped, or leaked if their destructors panic.
    pub fn run(&self, tasks: usize, body: impl Fn(Task) + Sync) {
        self.share(tasks, &body);
    }

    fn share(&self, tasks: usize, body: Body<'_>) {
        let shared = tasks > 1 && !self.workers.is_empty() && self.process == Process::current();
        let claim = if shared { self.shared.claim() } else { None };
        match claim {
            Some(claim) => claim.run(tasks, body),
            None => alone(tasks, body),
        }
    }

    /// Like [`run`](Pool::run), but runs on the caller's thread alone if, by the caller's estimate, one thread does the whole job in less
    /// than [`WORTH_SPLITTING`] nanoseconds.
    pub fn run_if_worth(&self, nanoseconds: u64, tasks: usize, body: impl Fn(Task) + Sync) {
        self.share_if_worth(nanoseconds, tasks, &body);
    }

    fn share_if_worth(&self, nanoseconds: u64, tasks: usize, body: Body<'_>) {
        if nanoseconds < WORTH_SPLITTING && !self.eager {
            alone(tasks, body)
        } else {
            self.share(tasks, body)
        }
    }

    /// Splits `0..len` into ranges, a few for each thread, and calls `body` for each. The length of every range except the last is a
    /// multiple of `grain`. `nanoseconds` is the estimated time that one thread needs for all of them.
    pub fn run_ranges(&self, nanoseconds: u64, len: usize, grain: usize, body: impl Fn(Range<usize>) + Sync) {
        self.share_ranges(nanoseconds, len, grain, &body);
    }

    fn share_ranges(&self, nanoseconds: u64, len: usize, grain: usize, body: &(dyn Fn(Range<usize>) + Sync)) {
        let grains = len.div_ceil(grain.max(1));
        let worth = self.worthwhile_parts(nanoseconds).max(1);
        let ranges = if self.workers.is_empty() { 1 } else { grains.min(4 * self.threads()).min(worth) };
        if ranges <= 1 {
            if len > 0 {
                body(0..len);
            }
            return;
        }
        self.run_if_worth(nanoseconds, ranges, |task| body(cut(len, grain, ranges, task.index)));
    }
}

/// Runs all tasks on the caller's thread.
fn alone(tasks: usize, body: Body<'_>) {
    (0..tasks).for_each(|index| body(Task { index, worker: 0 }));
}

/// Returns range `index` when `0..len` is split into `ranges` ranges at multiples of `grain`.
#[inline]
pub fn cut(len: usize, grain: usize, ranges: usize, index: usize) -> Range<usize> {
    let grain = grain.max(1);
    // In 128 bits nothing overflows, whatever the length.
    let (grains, wide) = (len.div_ceil(grain) as u128, len as u128);
    let bound = |i: usize| (i as u128 * grains / ranges.max(1) as u128 * grain as u128).min(wide) as usize;
    bound(index)..bound(index + 1)
}

impl Drop for Pool {
    fn drop(&mut self) {
        if self.process != Process::current() {
            // The threads belong to the parent process. This process has nothing to stop and must not use their handles.
            return std::mem::forget(std::mem::take(&mut self.workers));
        }
        self.shared.stop();
        for worker in self.workers.drain(..) {
            // A worker catches the panics of its tasks, and nothing else in it panics.
            if let Err(payload) = worker.join() {
                discard(payload);
            }
        }
    }
}

#[cfg(test)]
mod tests;
