//! Handles running out of memory: a message and exit code 1 instead of an abort.
//!
//! Code that requests a large amount of memory handles a refusal with an error. Small requests have no such handling,
//! and the process cannot continue without them, so it ends here.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::output;

/// Requests of at least this many bytes may fail.
const LARGE: usize = 1 << 20;

/// The last large request that failed, in bytes.
static REFUSED: AtomicUsize = AtomicUsize::new(0);

/// The system's allocator, used by the whole process.
struct CheckedAllocator;

#[global_allocator]
static ALLOCATOR: CheckedAllocator = CheckedAllocator;

// SAFETY: every request is passed to the system's allocator unchanged, which fulfills the contract of the trait, and
// its result is returned.
unsafe impl GlobalAlloc for CheckedAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller fulfills the contract of the trait.
        checked(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller fulfills the contract of the trait.
        checked(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller fulfills the contract of the trait.
        checked(unsafe { System.realloc(ptr, layout, size) }, size)
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: the caller fulfills the contract of the trait.
        unsafe { System.dealloc(ptr, layout) }
    }
}

/// Returns the pointer; ends the process if it is null and the request was small.
fn checked(ptr: *mut u8, bytes: usize) -> *mut u8 {
    if ptr.is_null() {
        REFUSED.store(bytes.max(1), Ordering::Relaxed);
        if bytes < LARGE {
            end(bytes);
        }
    }
    ptr
}

fn end(bytes: usize) -> ! {
    output::out_of_memory(bytes);
    signal_hook::low_level::exit(1)
}

/// Makes an abort after a failed request end the process as a failed small request does. This covers large requests
/// whose failure no code handles.
pub fn watch() {
    let aborted = || match REFUSED.load(Ordering::Relaxed) {
        0 => _ = signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGABRT),
        bytes => end(bytes),
    };
    // SAFETY: the handler writes to standard error and ends the process. The only lock that it takes is that of
    // standard error, which is reentrant, and it does not allocate.
    let registered = unsafe { signal_hook::low_level::register(signal_hook::consts::SIGABRT, aborted) };
    // If registration fails, an abort stays an abort.
    drop(registered);
}
