//! Detects `fork`, and controls what state of the process is consistent when `fork` copies it. The child has the memory of all threads but
//! only one of the threads, so it must not wait for the others, nor for a lock that one of them held.

use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Number of forks between the process that loaded this code and this one.
static FORKS: AtomicUsize = AtomicUsize::new(0);
/// Number of [`undivided`] guards that exist now, on all threads.
static GUARDS: AtomicUsize = AtomicUsize::new(0);
/// Whether a thread is about to fork. Meanwhile, threads that have no guard do not take one.
static FORKING: AtomicBool = AtomicBool::new(false);

/// How long a fork waits for the guards of other threads. The holder of a guard that lives longer may be waiting for the forking thread.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long a thread waits before it looks again.
const NAP: Duration = Duration::from_micros(50);

thread_local! {
    /// Number of guards of this thread; its own guards never keep it from forking.
    static OWN: Cell<usize> = const { Cell::new(0) };
}

/// Identifies the process that a pool was made in, as far as pools need to know: a child differs from its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Process(usize);

impl Process {
    /// Returns this process. Costs one load, so every job can ask.
    #[inline]
    pub fn current() -> Process {
        Process(FORKS.load(Ordering::Relaxed))
    }

    /// Returns this process, and counts forks from now on.
    pub fn watched() -> Process {
        // Other threads do not wait for the first one to finish: a child that was forked meanwhile would wait forever.
        static WATCHED: AtomicBool = AtomicBool::new(false);
        if !WATCHED.load(Ordering::Relaxed) && !WATCHED.swap(true, Ordering::Relaxed) {
            watch();
        }
        Process::current()
    }
}

/// While it lives, no other thread forks; see [`undivided`].
#[derive(Debug)]
pub struct Undivided(PhantomData<*const ()>);

/// Keeps the process from forking for a moment. A lock that is only ever held under such a guard is free in every child, and the data that
/// it guards is consistent there. A fork in another thread waits for the guard, for at most two seconds. A thread that has a guard itself
/// may fork.
pub fn undivided() -> Undivided {
    Process::watched();
    loop {
        GUARDS.fetch_add(1, Ordering::SeqCst);
        // Sequentially consistent, like the store to the flag before a fork: either this load sees the flag, or the fork sees the guard.
        if !FORKING.load(Ordering::SeqCst) || own() > 0 {
            let _ = OWN.try_with(|own| own.set(own.get() + 1));
            return Undivided(PhantomData);
        }
        GUARDS.fetch_sub(1, Ordering::SeqCst);
        std::thread::sleep(NAP);
    }
}

impl Drop for Undivided {
    fn drop(&mut self) {
        let _ = OWN.try_with(|own| own.set(own.get().saturating_sub(1)));
        GUARDS.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Returns the number of guards of this thread.
fn own() -> usize {
    OWN.try_with(Cell::get).unwrap_or(0)
}

#[cfg(all(unix, not(miri)))]
fn watch() {
    type Handler = Option<unsafe extern "C" fn()>;
    unsafe extern "C" {
        fn pthread_atfork(prepare: Handler, parent: Handler, child: Handler) -> std::ffi::c_int;
    }
    unsafe extern "C" fn before() {
        let begin = Instant::now();
        // Threads that fork at the same time take turns.
        while FORKING.swap(true, Ordering::SeqCst) && begin.elapsed() < PATIENCE {
            std::thread::sleep(NAP);
        }
        while GUARDS.load(Ordering::SeqCst) > own() && begin.elapsed() < PATIENCE {
            std::thread::sleep(NAP);
        }
    }
    unsafe extern "C" fn in_parent() {
        FORKING.store(false, Ordering::SeqCst);
    }
    unsafe extern "C" fn in_child() {
        FORKS.fetch_add(1, Ordering::Relaxed);
        GUARDS.store(own(), Ordering::SeqCst);
        FORKING.store(false, Ordering::SeqCst);
    }
    // SAFETY: the signature is that of POSIX. The handlers use atomics, a thread's own cell, the clock and sleep, and do not unwind. The
    // call fails only if there is no memory; then children behave as if it had not been made.
    unsafe { pthread_atfork(Some(before), Some(in_parent), Some(in_child)) };
}

/// This platform has no `fork`.
#[cfg(not(all(unix, not(miri))))]
fn watch() {}

// Used only by the handlers, which do not exist here.
#[cfg(not(all(unix, not(miri))))]
const _: (Duration, fn() -> Instant) = (PATIENCE, Instant::now);
