//! A pointer that the tasks of a job share: each reads what nobody writes, or writes a part of its own.

/// An address that threads share. Sharing it gives access to nothing: who reads or writes there vouches that no two threads meet.
#[derive(Debug)]
pub struct SharedPtr<T>(*mut T);

impl<T> SharedPtr<T> {
    /// The address, for threads to share.
    #[inline]
    pub fn new(start: *mut T) -> SharedPtr<T> {
        SharedPtr(start)
    }

    /// The address.
    #[inline]
    pub fn get(self) -> *mut T {
        self.0
    }

    /// The address `count` elements on. Any count will do: only who uses what is there must know that it exists.
    #[inline]
    // As pointers have it.
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

// SAFETY: a thread that has the address reaches elements only through `unsafe` code, which vouches for them; elements that go from one
// thread to another are `Send`.
unsafe impl<T: Send> Send for SharedPtr<T> {}
// SAFETY: a shared reference gives a copy of the address and no more.
unsafe impl<T: Send> Sync for SharedPtr<T> {}
