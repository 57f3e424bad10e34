//! A pool of threads for fork-join loops.
//!
//! This module owns the threads and the protocol by which they share a loop. It knows nothing of what a task
//! does, and it decides nothing about results: which thread runs which task may change from run to run, so tasks must
//! not depend on it. Each thread begins with a share of its own, the same in each run of as many tasks, so that it finds in
//! its caches what it used before; who is done with that helps the others.
//!
//! The protocol. The caller of [`Pool::run`] publishes a job and works on it itself; a worker that is awake
//! enters the job, one that comes late finds the gate closed. So the caller never waits for a thread to wake
//! up, only for tasks that were begun: with small jobs more threads cost next to nothing.

use std::any::Any;
use std::cell::UnsafeCell;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use thiserror::Error;

/// How long a worker looks for the next job before it sleeps: longer than the gap between two kernels of a
/// model, short enough not to be seen in an idle process.
const SPIN: Duration = Duration::from_micros(50);

/// The work, in nanoseconds of one thread, below which waking other threads costs more than it saves.
pub const WORTH_SPLITTING: u64 = 15_000;

/// Why a pool could not be made.
#[derive(Debug, Error)]
pub enum PoolError {
    /// A pool of no threads was asked for.
    #[error("a thread pool needs at least 1 thread, 0 were asked for")]
    NoThreads,
    /// The operating system refused a thread.
    #[error("could not start thread {started} of {wanted}; ask for fewer threads")]
    Spawn {
        /// Threads wanted, the caller's included.
        wanted: usize,
        /// The thread that could not be started.
        started: usize,
        /// The system's reason.
        #[source]
        source: std::io::Error,
    },
}

/// One task of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Task {
    /// Which task, from 0.
    pub index: usize,
    /// Which thread of this job runs it, below [`Pool::threads`]: no two tasks run at once under one number,
    /// so it may select scratch memory.
    pub worker: usize,
}

/// Threads that share loops. Put it in an [`Arc`] to use it from several places; a call that comes while
/// another is running, from another thread or from inside a task, runs its tasks on its own thread.
#[derive(Debug)]
pub struct Pool {
    shared: Arc<Shared>,
    workers: Vec<JoinHandle<()>>,
    eager: bool,
}

impl Pool {
    /// A pool of `threads` threads, of which the caller of [`run`](Pool::run) is one.
    pub fn new(threads: usize) -> Result<Pool, PoolError> {
        if threads == 0 {
            return Err(PoolError::NoThreads);
        }
        let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
        // Spinning threads without a core of their own would only slow the others down.
        let spin = if threads <= cores { SPIN } else { Duration::ZERO };
        let mut pool =
            Pool { shared: Arc::new(Shared::new(spin, threads)), workers: Vec::new(), eager: false };
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

    /// A pool that shares even the smallest job: slower, but what depends on threads shows on small operands too.
    pub fn eager(threads: usize) -> Result<Pool, PoolError> {
        let mut pool = Pool::new(threads)?;
        pool.eager = true;
        Ok(pool)
    }

    /// In how many parts it pays to cut a job that takes one thread so long.
    pub(crate) fn worthwhile_parts(&self, nanoseconds: u64) -> usize {
        if self.eager {
            return usize::MAX;
        }
        usize::try_from(nanoseconds / (WORTH_SPLITTING / 2)).unwrap_or(usize::MAX)
    }

    /// Threads that a job may use, the caller's included.
    pub fn threads(&self) -> usize {
        self.workers.len() + 1
    }

    /// Calls `body` once for each of `tasks` tasks, on any threads and in any order, and returns when all are
    /// done. Allocates nothing.
    ///
    /// # Panics
    /// If a task panics, tasks not yet begun are dropped and the panic goes on in the caller.
    pub fn run<F: Fn(Task) + Sync>(&self, tasks: usize, body: F) {
        let claim = if tasks > 1 && !self.workers.is_empty() { self.shared.claim() } else { None };
        match claim {
            Some(claim) => claim.run(tasks, &body),
            None => (0..tasks).for_each(|index| body(Task { index, worker: 0 })),
        }
    }

    /// [`run`](Pool::run), but on the caller's thread alone if, by the caller's estimate, one thread does the
    /// whole job in less than [`WORTH_SPLITTING`] nanoseconds.
    pub fn run_if_worth<F: Fn(Task) + Sync>(&self, nanoseconds: u64, tasks: usize, body: F) {
        if nanoseconds < WORTH_SPLITTING && !self.eager {
            (0..tasks).for_each(|index| body(Task { index, worker: 0 }));
        } else {
            self.run(tasks, body);
        }
    }

    /// Splits `0..len` into ranges of a multiple of `grain` (but for the last), a few for each thread, and
    /// calls `body` for each. `nanoseconds` is the estimated work of one thread on the whole.
    pub fn run_ranges<F: Fn(Range<usize>) + Sync>(
        &self,
        nanoseconds: u64,
        len: usize,
        grain: usize,
        body: F,
    ) {
        let grains = len.div_ceil(grain.max(1));
        let worth = self.worthwhile_parts(nanoseconds).max(1);
        let ranges = if self.workers.is_empty() { 1 } else { grains.min(4 * self.threads()).min(worth) };
        if ranges <= 1 {
            if len > 0 {
                body(0..len);
            }
            return;
        }
        self.run_if_worth(nanoseconds, ranges, |task| {
            let bound = |index: usize| (index * grains / ranges * grain).min(len);
            body(bound(task.index)..bound(task.index + 1));
        });
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::SeqCst);
        drop(self.shared.lock());
        self.shared.work.notify_all();
        for worker in self.workers.drain(..) {
            // A worker catches the panics of its tasks and has no other.
            let _ = worker.join();
        }
    }
}

/// The gate word: the number of the job, whether it may be entered, whether its caller sleeps until the last
/// worker leaves, and how many workers are inside.
mod gate {
    pub(super) const EPOCH: u32 = 32;
    pub(super) const OPEN: u64 = 1 << 31;
    pub(super) const WAITING: u64 = 1 << 30;
    pub(super) const INSIDE: u64 = WAITING - 1;

    pub(super) fn epoch(gate: u64) -> u64 {
        gate >> EPOCH
    }
}

/// A value on cache lines of its own, so that writes to its neighbours do not slow its readers.
#[repr(align(128))]
#[derive(Debug, Default)]
struct Apart<T>(T);

#[derive(Debug)]
struct Shared {
    gate: Apart<AtomicU64>,
    /// Of each thread's share of the tasks the next to hand out.
    next: Box<[Apart<AtomicUsize>]>,
    /// Whether a caller is using the pool.
    busy: AtomicBool,
    stop: AtomicBool,
    spin: Duration,
    job: UnsafeCell<Job>,
    /// Workers asleep, or about to be.
    sleeping: AtomicUsize,
    /// Held around every sleep, and taken before every wake-up call, so that none is missed. It guards the
    /// panic that a worker caught.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
    /// Signals sleeping workers.
    work: Condvar,
    /// Signals a caller that waits for the last worker.
    left: Condvar,
}

// SAFETY: `job` is the only field that is not `Sync`. It is written by the caller that holds `busy`, while the
// gate is closed and nobody is inside, and read by those inside.
unsafe impl Sync for Shared {}
// SAFETY: the pointers in `job` are used only while the call that they belong to is running.
unsafe impl Send for Shared {}

/// A job with the type of its body erased.
#[derive(Clone, Copy, Debug)]
struct Job {
    tasks: usize,
    body: *const (),
    call: unsafe fn(*const (), Task),
}

/// # Safety
/// `body` points to an `F` that outlives the call.
unsafe fn call_body<F: Fn(Task) + Sync>(body: *const (), task: Task) {
    // SAFETY: the caller vouches for the pointer.
    unsafe { (*body.cast::<F>())(task) }
}

/// The right to publish a job.
struct Claim<'a>(&'a Shared);

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        self.0.busy.store(false, Ordering::Release);
    }
}

impl Claim<'_> {
    fn run<F: Fn(Task) + Sync>(&self, tasks: usize, body: &F) {
        let shared = self.0;
        let job = Job { tasks, body: std::ptr::from_ref(body).cast(), call: call_body::<F> };
        // SAFETY: this claim is the only one, the gate is closed and nobody is inside (see `close`).
        unsafe { *shared.job.get() = job };
        for (thread, next) in shared.next.iter().enumerate() {
            next.0.store(shared.share(tasks, thread).start, Ordering::Relaxed);
        }
        let epoch = gate::epoch(shared.gate.0.load(Ordering::Relaxed)).wrapping_add(1);
        shared.gate.0.store(epoch << gate::EPOCH | gate::OPEN, Ordering::SeqCst);
        shared.wake(tasks - 1);

        // SAFETY: `body` lives until this function returns, and `close` waits for everyone who may call it.
        let outcome = catch_unwind(AssertUnwindSafe(|| unsafe { shared.take_tasks(job, 0) }));
        if outcome.is_err() {
            shared.drop_tasks();
        }
        shared.close();
        let panic = shared.lock().take();
        if let Some(payload) = outcome.err().or(panic) {
            resume_unwind(payload);
        }
    }
}

impl Shared {
    fn new(spin: Duration, threads: usize) -> Shared {
        let idle = Job { tasks: 0, body: std::ptr::null(), call: |_, _| {} };
        Shared {
            gate: Apart::default(),
            next: (0..threads).map(|_| Apart::default()).collect(),
            busy: AtomicBool::new(false),
            stop: AtomicBool::new(false),
            spin,
            job: UnsafeCell::new(idle),
            sleeping: AtomicUsize::new(0),
            panic: Mutex::new(None),
            work: Condvar::new(),
            left: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Box<dyn Any + Send>>> {
        // Nothing panics while it holds the lock, and the value is whole at any time.
        self.panic.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn claim(&self) -> Option<Claim<'_>> {
        // Lazily: a claim that is made and dropped gives up what another holds.
        (!self.busy.swap(true, Ordering::Acquire)).then(|| Claim(self))
    }

    /// Wakes up to `wanted` sleeping workers.
    fn wake(&self, wanted: usize) {
        // Sequentially consistent, like the store to the gate before it: either this sees the sleeper, or the
        // sleeper, which counts itself before it looks at the gate, sees the job.
        let sleeping = self.sleeping.load(Ordering::SeqCst);
        if sleeping > 0 {
            drop(self.lock());
            (0..sleeping.min(wanted)).for_each(|_| self.work.notify_one());
        }
    }

    /// The tasks that a thread begins with.
    fn share(&self, tasks: usize, thread: usize) -> Range<usize> {
        let (each, more) = (tasks / self.next.len(), tasks % self.next.len());
        let start = thread * each + thread.min(more);
        start..start + each + usize::from(thread < more)
    }

    /// Hands out no more tasks.
    fn drop_tasks(&self) {
        // Far above any count of tasks, and far from wrapping around.
        self.next.iter().for_each(|next| next.0.store(usize::MAX / 2, Ordering::Relaxed));
    }

    /// Runs tasks of `job` until none is left to begin: the thread's own, then those of the others.
    ///
    /// # Safety
    /// The body of `job` is alive.
    unsafe fn take_tasks(&self, job: Job, worker: usize) {
        let threads = self.next.len();
        for thread in (worker..threads).chain(0..worker) {
            let end = self.share(job.tasks, thread).end;
            loop {
                let index = self.next[thread].0.fetch_add(1, Ordering::Relaxed);
                if index >= end {
                    break;
                }
                // SAFETY: the caller vouches for the body.
                unsafe { (job.call)(job.body, Task { index, worker }) };
            }
        }
    }

    /// Closes the gate and waits until everyone inside has left.
    fn close(&self) {
        let mut gate = self.gate.0.fetch_and(!gate::OPEN, Ordering::AcqRel);
        let mut spin = Spin::new(self.spin);
        while gate & gate::INSIDE != 0 && spin.once() {
            gate = self.gate.0.load(Ordering::Acquire);
        }
        if gate & gate::INSIDE == 0 {
            return;
        }
        let mut guard = self.lock();
        gate = self.gate.0.fetch_or(gate::WAITING, Ordering::AcqRel);
        while gate & gate::INSIDE != 0 {
            guard = self.left.wait(guard).unwrap_or_else(PoisonError::into_inner);
            gate = self.gate.0.load(Ordering::Acquire);
        }
    }

    /// The life of a worker.
    fn serve(&self, worker: usize) {
        let mut seen = 0;
        while let Some(epoch) = self.enter(seen) {
            seen = epoch;
            // SAFETY: inside the gate `job` is not written, and its body outlives our stay.
            let outcome = catch_unwind(AssertUnwindSafe(|| unsafe {
                let job = *self.job.get();
                self.take_tasks(job, worker);
            }));
            if let Err(payload) = outcome {
                self.drop_tasks();
                self.lock().get_or_insert(payload);
            }
            self.leave();
        }
    }

    /// Waits for a job other than `seen`, enters it and returns its number; `None` when the pool stops.
    fn enter(&self, mut seen: u64) -> Option<u64> {
        let mut spin = Spin::new(self.spin);
        loop {
            if self.stop.load(Ordering::Relaxed) {
                return None;
            }
            let gate = self.gate.0.load(Ordering::Acquire);
            let epoch = gate::epoch(gate);
            if epoch == seen {
                if !spin.once() {
                    self.sleep(seen);
                    spin = Spin::new(self.spin);
                }
            } else if gate & gate::OPEN == 0 {
                // Missed it; but the pool is in use, so stay awake.
                seen = epoch;
                spin = Spin::new(self.spin);
            } else if self
                .gate
                .0
                .compare_exchange_weak(gate, gate + 1, Ordering::AcqRel, Ordering::Relaxed)
                .is_ok()
            {
                return Some(epoch);
            }
        }
    }

    fn leave(&self) {
        let before = self.gate.0.fetch_sub(1, Ordering::AcqRel);
        if before & gate::WAITING != 0 && before & gate::INSIDE == 1 {
            drop(self.lock());
            self.left.notify_one();
        }
    }

    /// Sleeps until there is a job other than `seen`, or the pool stops.
    fn sleep(&self, seen: u64) {
        let mut guard = self.lock();
        self.sleeping.fetch_add(1, Ordering::SeqCst);
        while gate::epoch(self.gate.0.load(Ordering::SeqCst)) == seen && !self.stop.load(Ordering::SeqCst) {
            guard = self.work.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
        self.sleeping.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A bounded busy wait.
struct Spin {
    limit: Duration,
    turns: u32,
    start: Option<Instant>,
}

impl Spin {
    fn new(limit: Duration) -> Spin {
        Spin { limit, turns: 0, start: None }
    }

    /// Waits a moment; false when the time is up.
    fn once(&mut self) -> bool {
        std::hint::spin_loop();
        self.turns += 1;
        // The clock is read now and then only: it costs as much as several turns.
        if !self.turns.is_multiple_of(16) && !self.limit.is_zero() {
            return true;
        }
        self.start.get_or_insert_with(Instant::now).elapsed() < self.limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_send_sync<T: Send + Sync>() {}

    fn count_runs(pool: &Pool, tasks: usize) {
        let runs: Vec<AtomicUsize> = (0..tasks).map(|_| AtomicUsize::new(0)).collect();
        pool.run(tasks, |task| {
            assert!(task.worker < pool.threads());
            runs[task.index].fetch_add(1, Ordering::Relaxed);
        });
        assert!(runs.iter().all(|runs| runs.load(Ordering::Relaxed) == 1), "{runs:?}");
    }

    #[test]
    fn every_task_runs_once() {
        assert_send_sync::<Pool>();
        for threads in [1, 2, 3, 8] {
            let pool = Pool::new(threads).unwrap();
            assert_eq!(pool.threads(), threads);
            for round in 0..300 {
                count_runs(&pool, round % 40);
                if round % 100 == 0 {
                    // Long enough for the workers to fall asleep.
                    std::thread::sleep(Duration::from_millis(1));
                }
            }
        }
    }

    #[test]
    fn a_pool_of_one_spawns_nothing_and_of_none_is_refused() {
        assert!(Pool::new(1).unwrap().workers.is_empty());
        assert!(matches!(Pool::new(0), Err(PoolError::NoThreads)));
    }

    #[test]
    fn both_threads_work_and_have_numbers_of_their_own() {
        let pool = Pool::new(2).unwrap();
        let barrier = std::sync::Barrier::new(2);
        let workers = Mutex::new(Vec::new());
        pool.run(2, |task| {
            // Passes only if the two tasks run at once.
            barrier.wait();
            workers.lock().unwrap().push(task.worker);
        });
        let mut workers = workers.into_inner().unwrap();
        workers.sort_unstable();
        assert_eq!(workers, [0, 1]);
    }

    #[test]
    fn a_panic_reaches_the_caller_and_the_pool_goes_on() {
        let pool = Pool::new(2).unwrap();
        for culprit in 0..2 {
            let barrier = std::sync::Barrier::new(2);
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                pool.run(2, |task| {
                    barrier.wait();
                    assert!(task.worker != culprit, "task of worker {culprit}");
                });
            }));
            let payload = outcome.unwrap_err();
            let message = payload.downcast_ref::<String>().unwrap();
            assert_eq!(message, &format!("task of worker {culprit}"));
            count_runs(&pool, 100);
        }
    }

    #[test]
    fn callers_at_once_and_nested_calls_all_finish() {
        let pool = Arc::new(Pool::new(3).unwrap());
        let total = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        pool.run(5, |_| {
                            pool.run(3, |_| {
                                total.fetch_add(1, Ordering::Relaxed);
                            });
                        });
                    }
                });
            }
        });
        assert_eq!(total.into_inner(), 3 * 200 * 15);
    }

    #[test]
    fn small_work_stays_with_the_caller() {
        let pool = Pool::new(2).unwrap();
        let caller = std::thread::current().id();
        pool.run_if_worth(WORTH_SPLITTING - 1, 64, |_| {
            assert_eq!(std::thread::current().id(), caller);
            std::thread::yield_now();
        });
    }

    #[test]
    fn ranges_cover_everything_once() {
        let pool = Pool::new(2).unwrap();
        for len in [0, 1, 63, 64, 65, 1000, 4097] {
            let covered: Vec<AtomicUsize> = (0..len).map(|_| AtomicUsize::new(0)).collect();
            for nanoseconds in [0, 1_000_000] {
                pool.run_ranges(nanoseconds, len, 64, |range| {
                    assert!(range.start % 64 == 0 && (range.end % 64 == 0 || range.end == len));
                    covered[range].iter().for_each(|runs| {
                        runs.fetch_add(1, Ordering::Relaxed);
                    });
                });
            }
            assert!(covered.iter().all(|runs| runs.load(Ordering::Relaxed) == 2));
        }
    }
}
