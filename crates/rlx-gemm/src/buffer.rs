//! Owned memory that begins on a cache line, and parts of borrowed scratch memory.

use rlx_driver::HostBuffer;
use std::marker::PhantomData;

pub use rlx_driver::LINE;

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
// SAFETY: 0.
unsafe impl Zeroed for u8 {}

/// A fixed number of elements that begin on a cache line.
pub(crate) struct AlignedBuffer<T> {
    memory: HostBuffer,
    len: usize,
    owned: PhantomData<T>,
}

impl<T: Zeroed> AlignedBuffer<T> {
    /// Allocates `len` zeros; returns `None` if there is not enough memory.
    pub(crate) fn zeroed(len: usize) -> Option<AlignedBuffer<T>> {
        let memory = HostBuffer::zeroed(len.checked_mul(size_of::<T>())?).ok()?;
        Some(AlignedBuffer { memory, len, owned: PhantomData })
    }

    pub(crate) fn as_ptr(&self) -> *const T {
        self.memory.as_ptr().cast()
    }

    pub(crate) fn as_mut_slice(&mut self) -> &mut [T] {
        // SAFETY: the memory has `len` elements, is zero when allocated, and is borrowed with `self`.
        unsafe { std::slice::from_raw_parts_mut(self.memory.as_mut_ptr().cast(), self.len) }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }
}

/// Rounds a number of bytes up to whole cache lines.
#[inline]
pub const fn whole_lines(bytes: usize) -> usize {
    bytes.next_multiple_of(LINE)
}

/// Scratch memory that is handed out from the front, in whole cache lines.
#[derive(Clone, Copy, Debug)]
pub struct Carver {
    next: *mut u8,
}

impl Carver {
    /// Creates a carver for the memory that begins at `start`.
    ///
    /// # Safety
    /// `start` is on a cache-line boundary and valid for everything that will be taken.
    #[inline]
    pub unsafe fn new(start: *mut u8) -> Carver {
        Carver { next: start }
    }

    /// Takes room for `len` elements.
    ///
    /// # Safety
    /// At least that much is left.
    #[inline]
    pub unsafe fn take<T: Zeroed>(&mut self, len: usize) -> *mut T {
        let part = self.next.cast();
        // SAFETY: the caller vouches for the room.
        self.next = unsafe { self.next.add(whole_lines(len * size_of::<T>())) };
        part
    }
}
