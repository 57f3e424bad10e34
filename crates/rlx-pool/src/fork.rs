//! Which process a pool belongs to. `fork` copies the memory of a pool and none of its threads: the copy must not wait
//! for them, nor for a lock that one of them held.

use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many forks lie between the process that loaded this code and this one.
static FORKS: AtomicUsize = AtomicUsize::new(0);

/// The process that a pool was made in, as far as pools can tell: a child differs from its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Process(usize);

impl Process {
    /// This process. Costs one load, so that every job can ask.
    #[inline]
    pub fn current() -> Process {
        Process(FORKS.load(Ordering::Relaxed))
    }

    /// This process; from now on forks are counted.
    pub(crate) fn watched() -> Process {
        static WATCH: Once = Once::new();
        WATCH.call_once(watch);
        Process::current()
    }
}

#[cfg(all(unix, not(miri)))]
fn watch() {
    type Handler = Option<unsafe extern "C" fn()>;
    unsafe extern "C" {
        fn pthread_atfork(prepare: Handler, parent: Handler, child: Handler) -> std::ffi::c_int;
    }
    unsafe extern "C" fn count() {
        FORKS.fetch_add(1, Ordering::Relaxed);
    }
    // SAFETY: the signature is that of POSIX; the handler adds to an atomic, which a child may do before anything else. It
    // fails only without memory: children then are what they were without it.
    unsafe { pthread_atfork(None, None, Some(count)) };
}

/// There is no `fork`.
#[cfg(not(all(unix, not(miri))))]
fn watch() {}
