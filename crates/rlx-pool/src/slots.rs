//! The protocol by which callers and workers share jobs: each slot holds the job of one caller.
//!
//! A caller claims a slot, publishes its job there and works on it; workers enter through the slot's gate. The gates of all
//! slots lie on one cache line, so that a worker that looks for work reads that line alone, and a publication is one write
//! to it, however many callers there are.
//!
//! How many workers help whom is a question of speed alone, and each worker answers it for itself by what it sees on the
//! gates: callers and helpers together are not more than the pool's threads, and no job has more than its fair share of
//! them. A caller counts for as long as its job is open and a moment longer, because between two jobs it works as well.

use super::{Body, Payload, Task, discard};
use std::cell::{Cell, UnsafeCell};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Callers that can have help at once; those beyond run alone.
pub(super) const SLOTS: usize = 8;

/// The first and the longest rest of a worker that finds all of the pool's threads in use.
const RESTS: (Duration, Duration) = (Duration::from_micros(50), Duration::from_millis(1));

/// The gate word: the number of the slot's job, whether it may be entered, whether a task of it panicked, whether its caller
/// sleeps until the last worker leaves, and how many workers are inside.
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
    /// The pool of whose task this thread is in the middle.
    static INSIDE: Cell<*const Shared> = const { Cell::new(std::ptr::null()) };
    /// The slot that this thread tries first, so that callers do not meet there and each is told from the others.
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

/// A value on cache lines of its own, so that writes to its neighbors do not slow its readers.
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
    /// Workers asleep, or about to be.
    sleeping: AtomicUsize,
    /// Held around every sleep of a worker, and taken before every wake-up call, so that none is missed.
    lock: Mutex<()>,
    /// Signals workers that sleep until there is a job.
    work: Condvar,
    /// Signals workers that rest for a while.
    rest: Condvar,
}

/// The job of one caller.
#[derive(Debug)]
struct Slot {
    /// Whether a caller has it.
    busy: AtomicBool,
    job: UnsafeCell<Job>,
    /// Of each thread's share of the tasks the next to hand out.
    next: Box<[Apart<AtomicUsize>]>,
    /// The panic that a worker caught.
    panic: Mutex<Option<Payload>>,
    /// Signals a caller that waits for the last worker.
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
    /// Points to a [`Body`], which need not outlive the call that published it.
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

    /// Takes the slot, if it is free.
    fn take(&self) -> bool {
        !self.busy.load(Ordering::Relaxed) && !self.busy.swap(true, Ordering::Acquire)
    }

    fn panic(&self) -> MutexGuard<'_, Option<Payload>> {
        // Nothing panics while it holds the lock, and the value is whole at any time.
        self.panic.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Leaves a panic for the caller, unless there is one: then what it carries is dropped, outside of the lock.
    fn put_panic(&self, payload: Payload) {
        let mut panic = self.panic();
        let more = match &*panic {
            Some(_) => Some(payload),
            None => panic.replace(payload),
        };
        drop(panic);
        more.into_iter().for_each(discard);
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

    /// Runs tasks of `job` until none is left to begin: the thread's own, then those of the others. Returns early, with
    /// `false`, when `stay` says so before a task.
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
    /// Runs a job of several tasks.
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
        // It guards nothing that a panic could leave half done.
        self.lock.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A slot for a job; none inside a task of this pool, whose other threads are in use, and when all are taken.
    pub(super) fn claim(&self) -> Option<Claim<'_>> {
        if std::ptr::eq(INSIDE.get(), self) {
            return None;
        }
        let first = first_slot();
        let mut slots = (0..SLOTS).map(|i| (first + i) % SLOTS);
        slots.find(|&slot| self.slots[slot].0.take()).map(|slot| Claim { shared: self, slot })
    }

    /// Tells all workers to end.
    pub(super) fn stop(&self) {
        self.stop.store(true, Ordering::SeqCst);
        drop(self.lock());
        self.work.notify_all();
        self.rest.notify_all();
    }

    /// Wakes up to `wanted` sleeping workers.
    fn wake(&self, wanted: usize) {
        // Sequentially consistent, like the store to the gate before it: either this sees the sleeper, or the
        // sleeper, which counts itself before it looks at the gates, sees the job.
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

    /// The life of a worker.
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
                // It left already.
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

    /// After a worker left a slot: tells the caller, if it waits and this was the last.
    fn left(&self, slot: usize, before: u64) {
        if before & gate::WAITING != 0 && gate::inside(before) == 1 {
            let slot = &self.slots[slot].0;
            drop(slot.panic());
            slot.left.notify_one();
        }
    }

    /// The gates of all slots.
    fn look(&self, order: Ordering) -> [u64; SLOTS] {
        std::array::from_fn(|slot| self.gates.0[slot].load(order))
    }

    /// Leaves a slot where more help than is fair, now that there are several callers; whether it did.
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

    /// Sleeps until there is a job other than those with these numbers, or the pool stops.
    fn sleep(&self, seen: &[u64; SLOTS]) {
        let mut guard = self.lock();
        self.sleeping.fetch_add(1, Ordering::SeqCst);
        while self.look(Ordering::SeqCst).map(gate::epoch) == *seen && !self.stop.load(Ordering::SeqCst) {
            guard = self.work.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
        self.sleeping.fetch_sub(1, Ordering::SeqCst);
    }
}

/// The helpers that a job may have, of so many callers.
fn most_helpers(threads: usize, callers: usize) -> usize {
    threads.div_ceil(callers.max(1)) - 1
}

/// What a worker does next.
enum Choice {
    /// Enters this slot.
    Help(usize),
    /// Keeps off the processor: all of the pool's threads are in use.
    Rest,
    /// Waits a moment: there are jobs, which have help enough for now.
    Later,
    /// Waits for a job.
    Wait,
}

/// What a worker knows of the slots.
struct Sight {
    /// The jobs that it saw last.
    epochs: [u64; SLOTS],
    /// The jobs of which it ran out of tasks.
    done: [u64; SLOTS],
    /// When it saw a new job in a slot.
    changed: [Option<Instant>; SLOTS],
}

impl Sight {
    fn new() -> Sight {
        Sight { epochs: [0; SLOTS], done: [0; SLOTS], changed: [None; SLOTS] }
    }

    /// Whether there is a new job in any slot.
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

    /// Which of the jobs to help. A caller whose last job came less than `moment` ago is expected to work still.
    fn choose(&mut self, gates: &[u64; SLOTS], threads: usize, moment: Duration) -> Choice {
        let (mut callers, mut helpers, mut best) = (0, 0, None);
        // A single caller has all help, so that the clock need not be read.
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
