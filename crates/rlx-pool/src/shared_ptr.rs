//! A pointer that the tasks of a job share; each task reads what nobody writes, or writes its own part.

/// An address that threads share. Sharing it gives access to nothing: code that reads or writes there guarantees that no two threads
/// conflict.
#[derive(Debug)]
pub struct SharedPtr<T>(*mut T);

impl<T> SharedPtr<T> {
    /// Wraps an address for threads to share.
    #[inline]
    pub fn new(start: *mut T) -> SharedPtr<T> {
        SharedPtr(start)
    }

    /// Returns the address.
    #[inline]
    pub fn get(self) -> *mut T {
        self.0
    }

    /// Returns the address `count` elements further. Any count is allowed; only code that uses what is there must know that it exists.
    #[inline]
    // Named as the method of pointers is.
    #[allow(clippy::should_implement_trait)]
    pub fn add(self, count: usize) -> *mut T {
        self.0.wrapping_add(count)
    }
}

impl<T> Clone for SharedPtr<T> {
    fn clone(&self) -> SharedPtr<T> {
        *self
    }
}

impl<T> Copy for SharedPtr<T> {}

// SAFETY: a thread that has the address reaches elements only through `unsafe` code, which vouches for them; elements that move from one
// thread to another are `Send`.
unsafe impl<T: Send> Send for SharedPtr<T> {}
// SAFETY: a shared reference gives a copy of the address and nothing more.
unsafe impl<T: Send> Sync for SharedPtr<T> {}
