//! Aligned, zero-initialised memory of a fixed size.

use rlx_compile::BackendError;
use rlx_compile::memory::ALIGNMENT;
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;

/// Bytes at a cache line's alignment.
pub(crate) struct Arena {
    start: NonNull<u8>,
    bytes: usize,
}

// SAFETY: the arena owns its memory, and hands out references only by the rules of `&self` and `&mut self`.
unsafe impl Send for Arena {}
// SAFETY: as above.
unsafe impl Sync for Arena {}

impl Arena {
    /// Zeroed memory of `bytes` bytes.
    pub(crate) fn new(bytes: usize) -> Result<Arena, BackendError> {
        if bytes == 0 {
            return Ok(Arena { start: NonNull::<Aligned>::dangling().cast(), bytes });
        }
        let layout = Self::layout(bytes).ok_or(BackendError::OutOfMemory(bytes))?;
        // SAFETY: the layout has a size above zero.
        let start = unsafe { alloc_zeroed(layout) };
        NonNull::new(start).map(|start| Arena { start, bytes }).ok_or(BackendError::OutOfMemory(bytes))
    }

    fn layout(bytes: usize) -> Option<Layout> {
        Layout::from_size_align(bytes, ALIGNMENT).ok()
    }

    /// The first byte.
    pub(crate) fn as_ptr(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// The size.
    pub(crate) fn len(&self) -> usize {
        self.bytes
    }

    /// The bytes `at..at + len`. Panics if they are not inside.
    pub(crate) fn slice(&self, at: usize, len: usize) -> &[u8] {
        assert!(
            at.checked_add(len).is_some_and(|end| end <= self.bytes),
            "a planned value lies inside the arena"
        );
        // SAFETY: the range is inside the allocation, which is initialised and not written while `self` is borrowed.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr().add(at), len) }
    }

    /// Writes bytes from `at` on. Panics if they do not fit.
    pub(crate) fn write(&mut self, at: usize, from: &[u8]) {
        assert!(
            at.checked_add(from.len()).is_some_and(|end| end <= self.bytes),
            "a planned value lies inside the arena"
        );
        // SAFETY: the range is inside the allocation, and `&mut self` keeps others away.
        unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), self.start.as_ptr().add(at), from.len()) }
    }
}

#[repr(align(64))]
struct Aligned(#[allow(dead_code)] [u8; 64]);

impl Drop for Arena {
    fn drop(&mut self) {
        if let (true, Some(layout)) = (self.bytes > 0, Self::layout(self.bytes)) {
            // SAFETY: allocated in `new` with this layout.
            unsafe { dealloc(self.start.as_ptr(), layout) }
        }
    }
}
