//! Aligned, zero-initialised memory of a fixed size.

use crate::memory::Memory;
use rlx_compile::BackendError;
use rlx_compile::memory::ALIGNMENT;

/// Bytes at a cache line's alignment.
pub(crate) struct Arena(Memory);

const _: () = assert!(ALIGNMENT <= crate::memory::LINE);

impl Arena {
    /// Zeroed memory of `bytes` bytes.
    pub(crate) fn new(bytes: usize) -> Result<Arena, BackendError> {
        Memory::zeroed(bytes).map(Arena).ok_or(BackendError::OutOfMemory(bytes))
    }

    /// The first byte.
    pub(crate) fn as_ptr(&self) -> *mut u8 {
        self.0.as_ptr()
    }

    /// The size.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The bytes `at..at + len`. Panics if they are not inside.
    pub(crate) fn slice(&self, at: usize, len: usize) -> &[u8] {
        assert!(
            at.checked_add(len).is_some_and(|end| end <= self.len()),
            "a planned value lies inside the arena"
        );
        // SAFETY: the range is inside the allocation, which is initialised and not written while `self` is borrowed.
        unsafe { std::slice::from_raw_parts(self.as_ptr().add(at), len) }
    }

    /// Writes bytes from `at` on. Panics if they do not fit.
    pub(crate) fn write(&mut self, at: usize, from: &[u8]) {
        assert!(
            at.checked_add(from.len()).is_some_and(|end| end <= self.len()),
            "a planned value lies inside the arena"
        );
        // SAFETY: the range is inside the allocation, and `&mut self` keeps others away.
        unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), self.as_ptr().add(at), from.len()) }
    }
}
