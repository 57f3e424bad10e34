//! Discards and reads the payload of a panic. It is a value of the code that panicked: its destructor may panic in
//! turn, which must end no thread that others wait for.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What a panic carries, as `catch_unwind` and `JoinHandle::join` give it.
pub type Payload = Box<dyn Any + Send>;

/// Drops what a panic carries. Where that panics, what the second panic carries is leaked. Does not unwind.
pub fn discard(payload: Payload) {
    if let Err(second) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        std::mem::forget(second);
    }
}

/// The message of a panic, where it carries one.
pub fn message(payload: &Payload) -> Option<&str> {
    payload.downcast_ref::<&str>().copied().or_else(|| payload.downcast_ref::<String>().map(String::as_str))
}
