//! Owned memory on a cache-line boundary, and the carving of borrowed scratch memory.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::marker::PhantomData;
use std::ptr::NonNull;

/// Bytes of a cache line, and of the widest vector.
pub(crate) const LINE: usize = 64;

/// Types for which all-zero bytes are a value.
///
/// # Safety
/// All-zero bytes are a valid value, and dropping does nothing.
pub unsafe trait Zeroed: Copy {}
// SAFETY: +0.
unsafe impl Zeroed for f32 {}
// SAFETY: +0.
unsafe impl Zeroed for f64 {}
// SAFETY: 0.
unsafe impl Zeroed for u16 {}

/// A fixed number of elements on a cache-line boundary.
pub(crate) struct AlignedBuffer<T> {
    start: NonNull<T>,
    len: usize,
    owned: PhantomData<T>,
}

impl<T: Zeroed> AlignedBuffer<T> {
    /// `len` zeros; `None` if the memory cannot be had.
    pub(crate) fn zeroed(len: usize) -> Option<AlignedBuffer<T>> {
        if len == 0 {
            return Some(AlignedBuffer { start: NonNull::dangling(), len, owned: PhantomData });
        }
        let layout = Self::layout(len)?;
        // SAFETY: the layout is not of size 0.
        let start = NonNull::new(unsafe { alloc_zeroed(layout) })?.cast();
        Some(AlignedBuffer { start, len, owned: PhantomData })
    }

    pub(crate) fn as_ptr(&self) -> *const T {
        self.start.as_ptr()
    }

    pub(crate) fn as_mut_slice(&mut self) -> &mut [T] {
        // SAFETY: `start` is valid for `len` elements, zeroed when allocated, and borrowed with `self`.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }
}

impl<T> AlignedBuffer<T> {
    fn layout(len: usize) -> Option<Layout> {
        Layout::array::<T>(len).ok()?.align_to(LINE).ok()
    }
}

impl<T> Drop for AlignedBuffer<T> {
    fn drop(&mut self) {
        if let (Some(layout), true) = (Self::layout(self.len), self.len > 0) {
            // SAFETY: `zeroed` allocated with this layout.
            unsafe { dealloc(self.start.as_ptr().cast(), layout) }
        }
    }
}

// SAFETY: the buffer owns its elements, as a `Vec` does.
unsafe impl<T: Send> Send for AlignedBuffer<T> {}
// SAFETY: shared access only reads.
unsafe impl<T: Sync> Sync for AlignedBuffer<T> {}

/// Rounds a number of bytes up to whole cache lines.
pub(crate) const fn whole_lines(bytes: usize) -> usize {
    bytes.next_multiple_of(LINE)
}

/// Scratch memory that is carved from the front, in whole cache lines.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Carver {
    next: *mut u8,
}

impl Carver {
    /// # Safety
    /// `start` is on a cache-line boundary and valid for all that will be carved.
    pub(crate) unsafe fn new(start: *mut u8) -> Carver {
        Carver { next: start }
    }

    /// Room for `len` elements.
    ///
    /// # Safety
    /// That much is left.
    pub(crate) unsafe fn take<T: Zeroed>(&mut self, len: usize) -> *mut T {
        let part = self.next.cast();
        // SAFETY: the caller vouches for the room.
        self.next = unsafe { self.next.add(whole_lines(len * size_of::<T>())) };
        part
    }
}
