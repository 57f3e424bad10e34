//! The protocol by which callers and workers share jobs; each slot holds the job of one caller.
//!
//! A caller claims a slot, publishes its job there and works on it. Workers enter through the slot's gate. The gates of all slots share one
//! cache line, so a worker that looks for work reads only that line, and publishing a job is one write to it, however many callers there
//! are.
//!
//! How many workers help which caller affects only speed. Each worker decides for itself from what it sees on the gates: callers and
//! helpers together do not exceed the pool's threads, and no job has more than its fair share of them. A caller counts while its job is
//! open and for a moment longer, because it also works between two jobs.

use super::{Body, Payload, Task, discard};
use std::cell::{Cell, UnsafeCell};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The number of callers that can have help at the same time; further callers run alone.
pub(super) const SLOTS: usize = 8;

/// The shortest and the longest rest of a worker that finds all of the pool's threads in use.
const RESTS: (Duration, Duration) = (Duration::from_micros(50), Duration::from_millis(1));

/// The gate word: the number of the slot's job, whether workers may enter, whether a task panicked, whether the caller sleeps until the
/// last worker leaves, and how many workers are inside.
mod gate {
    pub(super) const EPOCH: u32 = 32;
    pub(super) const OPEN: u64 = 1 << 31;
    pub(super) const WAITING: u64 = 1 << 30;
    pub(super) const INSIDE: u64 = WAITING - 1;

    pub(super) fn epoch(gate: u64) -> u64 {
        gate >> EPOCH
    }

    pub(super) fn is_open(gate: u64) -> bool {
        gate & OPEN != 0
    }

    pub(super) fn inside(gate: u64) -> usize {
        (gate & INSIDE) as usize
    }
}

thread_local! {
    /// The pool that this thread is running a task of.
    static INSIDE: Cell<*const Shared> = const { Cell::new(std::ptr::null()) };
    /// The slot that this thread tries first, so that callers do not collide and can be told apart.
    static FIRST: Cell<Option<usize>> = const { Cell::new(None) };
}

/// The slot that this thread tries first.
fn first_slot() -> usize {
    static CALLERS: AtomicUsize = AtomicUsize::new(0);
    FIRST.get().unwrap_or_else(|| {
        let slot = CALLERS.fetch_add(1, Ordering::Relaxed) % SLOTS;
        FIRST.set(Some(slot));
        slot
    })
}

/// A value on cache lines of its own, so that writes to its neighbors do not slow down its readers.
#[repr(align(128))]
#[derive(Debug, Default)]
struct Apart<T>(T);

/// What the threads of a pool share.
#[derive(Debug)]
pub(super) struct Shared {
    gates: Apart<[AtomicU64; SLOTS]>,
    slots: [Apart<Slot>; SLOTS],
    threads: usize,
    spin: Duration,
    stop: AtomicBool,
    /// Number of workers that are asleep or about to be.
    sleeping: AtomicUsize,
    /// Held while a worker falls asleep, and taken before every wake-up, so that no wake-up is missed.
    lock: Mutex<()>,
    /// Signals workers that sleep until there is a job.
    work: Condvar,
    /// Signals workers that rest for a while.
    rest: Condvar,
}

/// The job of one caller.
#[derive(Debug)]
struct Slot {
    /// Whether a caller has claimed the slot.
    busy: AtomicBool,
    job: UnsafeCell<Job>,
    /// For each thread's share of the tasks, the next task to hand out.
    next: Box<[Apart<AtomicUsize>]>,
    /// The first panic that a worker caught.
    panic: Mutex<Option<Payload>>,
    /// Signals a caller that waits for the last worker to leave.
    left: Condvar,
}

// SAFETY: `job` is the only field that is not `Sync`. It is written by the caller that holds `busy`, while the gate is
// closed and nobody is inside, and read by those inside.
unsafe impl Sync for Slot {}
// SAFETY: the pointers in `job` are used only while the call that they belong to is running.
unsafe impl Send for Slot {}

/// A job with the lifetime of its body erased.
#[derive(Clone, Copy, Debug)]
struct Job {
    tasks: usize,
    /// Points to a [`Body`], which may be gone once the call that published it has returned.
    body: *const (),
}

impl Slot {
    fn new(threads: usize) -> Slot {
        Slot {
            busy: AtomicBool::new(false),
            job: UnsafeCell::new(Job { tasks: 0, body: std::ptr::null() }),
            next: (0..threads).map(|_| Apart::default()).collect(),
            panic: Mutex::new(None),
            left: Condvar::new(),
        }
    }

    /// Claims the slot if it is free; returns whether it did.
    fn take(&self) -> bool {
        !self.busy.load(Ordering::Relaxed) && !self.busy.swap(true, Ordering::Acquire)
    }

    fn panic(&self) -> MutexGuard<'_, Option<Payload>> {
        // Nothing panics while holding the lock, and the value is valid at any time.
        self.panic.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores a panic for the caller if none is stored yet. Otherwise drops the payload, outside of the lock.
    fn put_panic(&self, payload: Payload) {
        let mut panic = self.panic();
        let more = match &*panic {
            Some(_) => Some(payload),
            None => panic.replace(payload),
        };
        drop(panic);
        more.into_iter().for_each(discard);
    }

    /// Returns the tasks that a thread starts with.
    fn share(&self, tasks: usize, thread: usize) -> Range<usize> {
        let (each, more) = (tasks / self.next.len(), tasks % self.next.len());
        let start = thread * each + thread.min(more);
        start..start + each + usize::from(thread < more)
    }

    /// Makes sure that no more tasks are handed out.
    fn drop_tasks(&self) {
        // Far above any count of tasks, and far from wrapping around.
        self.next.iter().for_each(|next| next.0.store(usize::MAX / 2, Ordering::Relaxed));
    }

    /// Runs tasks of `job` until none is left to begin: first the thread's own tasks, then those of the others. Returns `false` early if
    /// `stay` returns false before a task.
    ///
    /// # Safety
    /// The body of `job` is alive.
    unsafe fn take_tasks(&self, job: Job, worker: usize, stay: impl Fn() -> bool) -> bool {
        // SAFETY: the caller vouches that the body is alive, and jobs point to nothing else.
        let body = unsafe { *job.body.cast::<Body<'_>>() };
        let threads = self.next.len();
        for thread in (worker..threads).chain(0..worker) {
            let end = self.share(job.tasks, thread).end;
            loop {
                if !stay() {
                    return false;
                }
                let index = self.next[thread].0.fetch_add(1, Ordering::Relaxed);
                if index >= end {
                    break;
                }
                body(Task { index, worker });
            }
        }
        true
    }
}

/// The right to publish a job in a slot.
pub(super) struct Claim<'a> {
    shared: &'a Shared,
    slot: usize,
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        self.shared.slots[self.slot].0.busy.store(false, Ordering::Release);
    }
}

impl Claim<'_> {
    /// Runs a job that has several tasks.
    pub(super) fn run(&self, tasks: usize, body: Body<'_>) {
        let (shared, gate) = (self.shared, &self.shared.gates.0[self.slot]);
        let slot = &shared.slots[self.slot].0;
        let job = Job { tasks, body: std::ptr::from_ref(&body).cast() };
        // SAFETY: this claim is the slot's only one, the gate is closed and nobody is inside (see `close`).
        unsafe { *slot.job.get() = job };
        for (thread, next) in slot.next.iter().enumerate() {
            next.0.store(slot.share(tasks, thread).start, Ordering::Relaxed);
        }
        let epoch = gate::epoch(gate.load(Ordering::Relaxed)).wrapping_add(1);
        gate.store(epoch << gate::EPOCH | gate::OPEN, Ordering::SeqCst);
        shared.wake(tasks - 1);

        let around = INSIDE.replace(shared);
        // SAFETY: `body` lives until this function returns, and `close` waits for everyone who may call it.
        let outcome = catch_unwind(AssertUnwindSafe(|| unsafe { slot.take_tasks(job, 0, || true) }));
        INSIDE.set(around);
        if outcome.is_err() {
            slot.drop_tasks();
        }
        shared.close(self.slot);
        let panic = slot.panic().take();
        match (outcome, panic) {
            (Ok(_), None) => {}
            (Ok(_), Some(payload)) => resume_unwind(payload),
            (Err(payload), second) => {
                second.into_iter().for_each(discard);
                resume_unwind(payload)
            }
        }
    }
}

impl Shared {
    pub(super) fn new(spin: Duration, threads: usize) -> Shared {
        Shared {
            gates: Apart::default(),
            slots: std::array::from_fn(|_| Apart(Slot::new(threads))),
            threads,
            spin,
            stop: AtomicBool::new(false),
            sleeping: AtomicUsize::new(0),
            lock: Mutex::new(()),
            work: Condvar::new(),
            rest: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, ()> {
        // The lock guards no data that a panic could leave half changed.
        self.lock.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Claims a slot for a job. Returns `None` if all slots are taken, and inside a task of this pool, whose other threads are in use.
    pub(super) fn claim(&self) -> Option<Claim<'_>> {
        if std::ptr::eq(INSIDE.get(), self) {
            return None;
        }
        let first = first_slot();
        let mut slots = (0..SLOTS).map(|i| (first + i) % SLOTS);
        slots.find(|&slot| self.slots[slot].0.take()).map(|slot| Claim { shared: self, slot })
    }

    /// Tells all workers to stop.
    pub(super) fn stop(&self) {
        self.stop.store(true, Ordering::SeqCst);
        drop(self.lock());
        self.work.notify_all();
        self.rest.notify_all();
    }

    /// Wakes up to `wanted` sleeping workers.
    fn wake(&self, wanted: usize) {
        // Sequentially consistent, like the store to the gate before it: either this load sees the sleeper, or the sleeper, which counts
        // itself before it looks at the gates, sees the job.
        let sleeping = self.sleeping.load(Ordering::SeqCst);
        if sleeping > 0 {
            drop(self.lock());
            (0..sleeping.min(wanted)).for_each(|_| self.work.notify_one());
        }
    }

    /// Closes the gate of a slot and waits until everyone inside has left.
    fn close(&self, slot: usize) {
        let (word, slot) = (&self.gates.0[slot], &self.slots[slot].0);
        let mut gate = word.fetch_and(!gate::OPEN, Ordering::AcqRel);
        let mut spin = Spin::new(self.spin);
        while gate::inside(gate) > 0 && spin.once() {
            gate = word.load(Ordering::Acquire);
        }
        if gate::inside(gate) == 0 {
            return;
        }
        let mut guard = slot.panic();
        gate = word.fetch_or(gate::WAITING, Ordering::AcqRel);
        while gate::inside(gate) > 0 {
            guard = slot.left.wait(guard).unwrap_or_else(PoisonError::into_inner);
            gate = word.load(Ordering::Acquire);
        }
    }

    /// Runs a worker until the pool stops.
    pub(super) fn serve(&self, worker: usize) {
        INSIDE.set(self);
        let mut sight = Sight::new();
        while let Some(at) = self.enter(&mut sight) {
            let slot = &self.slots[at].0;
            let stay = || !self.leaves_for_another(at);
            // SAFETY: inside the gate `job` is not written, and its body outlives our stay.
            let outcome = catch_unwind(AssertUnwindSafe(|| unsafe {
                let job = *slot.job.get();
                slot.take_tasks(job, worker, stay)
            }));
            match outcome {
                // It has left already.
                Ok(false) => continue,
                Ok(true) => {}
                Err(payload) => {
                    slot.drop_tasks();
                    slot.put_panic(payload);
                }
            }
            sight.done[at] = sight.epochs[at];
            let before = self.gates.0[at].fetch_sub(1, Ordering::AcqRel);
            self.left(at, before);
        }
    }

    /// Called after a worker left a slot: wakes the caller if it is waiting and this worker was the last.
    fn left(&self, slot: usize, before: u64) {
        if before & gate::WAITING != 0 && gate::inside(before) == 1 {
            let slot = &self.slots[slot].0;
            drop(slot.panic());
            slot.left.notify_one();
        }
    }

    /// Reads the gates of all slots.
    fn look(&self, order: Ordering) -> [u64; SLOTS] {
        std::array::from_fn(|slot| self.gates.0[slot].load(order))
    }

    /// Leaves a slot that has more than its fair share of helpers, now that there are several callers. Returns whether it left.
    fn leaves_for_another(&self, slot: usize) -> bool {
        let mut gates = self.look(Ordering::Relaxed);
        let callers = gates.iter().filter(|&&gate| gate::is_open(gate)).count();
        while callers > 1 && gate::inside(gates[slot]) > 0 {
            let helpers: usize = gates.iter().map(|&gate| gate::inside(gate)).sum();
            let fair = gate::inside(gates[slot]) <= most_helpers(self.threads, callers);
            if fair && callers + helpers <= self.threads {
                return false;
            }
            let word = &self.gates.0[slot];
            match word.compare_exchange(gates[slot], gates[slot] - 1, Ordering::AcqRel, Ordering::Relaxed) {
                Ok(before) => {
                    self.left(slot, before);
                    return true;
                }
                Err(_) => gates = self.look(Ordering::Relaxed),
            }
        }
        false
    }

    /// Waits for a job that this worker may help, enters it and returns its slot; `None` when the pool stops.
    fn enter(&self, sight: &mut Sight) -> Option<usize> {
        let mut spin = Spin::new(self.spin);
        let mut rest = RESTS.0;
        loop {
            if self.stop.load(Ordering::Relaxed) {
                return None;
            }
            let gates = self.look(Ordering::Acquire);
            if sight.update(&gates) {
                // The pool is in use, so stay awake.
                spin = Spin::new(self.spin);
            }
            match sight.choose(&gates, self.threads, self.spin) {
                Choice::Help(slot) => {
                    let gate = gates[slot];
                    let enters = self.gates.0[slot].compare_exchange_weak(
                        gate,
                        gate + 1,
                        Ordering::AcqRel,
                        Ordering::Relaxed,
                    );
                    if enters.is_ok() {
                        return Some(slot);
                    }
                }
                Choice::Wait | Choice::Later if spin.once() => {}
                Choice::Wait => {
                    self.sleep(&sight.epochs);
                    spin = Spin::new(self.spin);
                }
                Choice::Rest | Choice::Later => {
                    let guard = self.lock();
                    if !self.stop.load(Ordering::SeqCst) {
                        drop(self.rest.wait_timeout(guard, rest));
                    }
                    rest = RESTS.1.min(2 * rest);
                }
            }
        }
    }

    /// Sleeps until there is a job whose number is not among `seen`, or until the pool stops.
    fn sleep(&self, seen: &[u64; SLOTS]) {
        let mut guard = self.lock();
        self.sleeping.fetch_add(1, Ordering::SeqCst);
        while self.look(Ordering::SeqCst).map(gate::epoch) == *seen && !self.stop.load(Ordering::SeqCst) {
            guard = self.work.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
        self.sleeping.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Returns the maximum number of helpers for a job when there are `callers` callers.
fn most_helpers(threads: usize, callers: usize) -> usize {
    threads.div_ceil(callers.max(1)) - 1
}

/// What a worker does next.
enum Choice {
    /// Enter this slot.
    Help(usize),
    /// Stay off the processor: all of the pool's threads are in use.
    Rest,
    /// Wait a moment: there are jobs, but they have enough help for now.
    Later,
    /// Wait for a job.
    Wait,
}

/// What a worker knows about the slots.
struct Sight {
    /// The numbers of the jobs that it saw last.
    epochs: [u64; SLOTS],
    /// The numbers of the jobs whose tasks it has seen run out.
    done: [u64; SLOTS],
    /// When it last saw a new job in each slot.
    changed: [Option<Instant>; SLOTS],
}

impl Sight {
    fn new() -> Sight {
        Sight { epochs: [0; SLOTS], done: [0; SLOTS], changed: [None; SLOTS] }
    }

    /// Records the jobs; returns whether any slot has a new one.
    fn update(&mut self, gates: &[u64; SLOTS]) -> bool {
        let mut news = false;
        for (slot, &gate) in gates.iter().enumerate() {
            let epoch = gate::epoch(gate);
            if epoch != self.epochs[slot] {
                (self.epochs[slot], self.changed[slot]) = (epoch, Some(Instant::now()));
                news = true;
            }
        }
        news
    }

    /// Chooses which of the jobs to help. A caller whose last job came less than `moment` ago is assumed to be still working.
    fn choose(&mut self, gates: &[u64; SLOTS], threads: usize, moment: Duration) -> Choice {
        let (mut callers, mut helpers, mut best) = (0, 0, None);
        // A single caller gets all the help, so the clock need not be read.
        let several = self.changed.iter().flatten().nth(1).is_some();
        for (slot, &gate) in gates.iter().enumerate() {
            let inside = gate::inside(gate);
            helpers += inside;
            if gate::is_open(gate) {
                callers += 1;
                if gate::epoch(gate) != self.done[slot] && best.is_none_or(|(fewest, _)| inside < fewest) {
                    best = Some((inside, slot));
                }
            } else if several && let Some(since) = self.changed[slot] {
                if since.elapsed() < moment { callers += 1 } else { self.changed[slot] = None }
            }
        }
        if callers > 1 && callers + helpers >= threads {
            return Choice::Rest;
        }
        match best {
            None => Choice::Wait,
            Some((inside, slot)) if inside < most_helpers(threads, callers) => Choice::Help(slot),
            Some(_) => Choice::Later,
        }
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

    /// Waits a moment; returns false when the time is up.
    fn once(&mut self) -> bool {
        std::hint::spin_loop();
        self.turns += 1;
        // The clock is read only now and then, because a reading costs as much as several turns.
        if !self.turns.is_multiple_of(16) && !self.limit.is_zero() {
            return true;
        }
        self.start.get_or_insert_with(Instant::now).elapsed() < self.limit
    }
}
