//! What happens when the system has no memory left: a message and exit code 1 instead of an abort.
//!
//! Whoever asks for much memory is told that there is none, and says so in an error of its own. Nobody does so for small pieces, and without
//! those the process cannot go on: it ends here.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::output;

/// Bytes from which on a request is one that may fail.
const LARGE: usize = 1 << 20;

/// The last large request that failed, in bytes.
static REFUSED: AtomicUsize = AtomicUsize::new(0);

/// The system's allocator, asked by everything in this process.
struct CheckedAllocator;

#[global_allocator]
static ALLOCATOR: CheckedAllocator = CheckedAllocator;

// SAFETY: every request is passed on to the system's allocator as it is, which keeps the contract of the trait; what it gives is passed back.
unsafe impl GlobalAlloc for CheckedAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of the trait.
        checked(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of the trait.
        checked(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller keeps the contract of the trait.
        checked(unsafe { System.realloc(ptr, layout, size) }, size)
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of the trait.
        unsafe { System.dealloc(ptr, layout) }
    }
}

/// Passes a pointer on; ends the process where there is none for a small request.
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

/// Sees to it that an abort after a request that failed ends as a small one does: that of a large request for which nobody has an error.
pub fn watch() {
    let aborted = || match REFUSED.load(Ordering::Relaxed) {
        0 => _ = signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGABRT),
        bytes => end(bytes),
    };
    // SAFETY: the handler writes to standard error and ends the process. It takes no lock but that of standard error, which is reentrant,
    // and allocates nothing.
    let registered = unsafe { signal_hook::low_level::register(signal_hook::consts::SIGABRT, aborted) };
    // Without it, an abort is one.
    drop(registered);
}
