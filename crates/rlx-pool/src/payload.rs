//! Reads and discards the payload of a panic. The payload belongs to the code that panicked: its destructor may panic in turn, which must
//! not end a thread that others wait for.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The payload of a panic, as `catch_unwind` and `JoinHandle::join` return it.
pub type Payload = Box<dyn Any + Send>;

/// Drops a payload. If that panics, the payload of the second panic is leaked. Does not unwind.
pub fn discard(payload: Payload) {
    if let Err(second) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        std::mem::forget(second);
    }
}

/// Returns the message of a panic if its payload is one.
pub fn message(payload: &Payload) -> Option<&str> {
    payload.downcast_ref::<&str>().copied().or_else(|| payload.downcast_ref::<String>().map(String::as_str))
}
