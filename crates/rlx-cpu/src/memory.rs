//! Zeroed memory on a cache line, in huge pages where it is large and the system has them: tiles of a matrix touch a page a
//! row, and page tables are walked twice as far in a virtual machine.

use memmap2::MmapMut;
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;

/// Bytes of a cache line, and of the widest vector.
pub(crate) const LINE: usize = 64;

/// Bytes of a huge page of x86-64, and of aarch64 with pages of 4 KiB.
const HUGE: usize = 2 << 20;

/// Bytes, zero at first.
pub(crate) struct Memory {
    start: NonNull<u8>,
    bytes: usize,
    /// The pages that it lies in, if it has pages of its own.
    pages: Option<MmapMut>,
}

// SAFETY: the memory is owned, and handed out by address only; who uses it keeps the rules of references.
unsafe impl Send for Memory {}
// SAFETY: a shared `Memory` gives its address and size alone, which do not change.
unsafe impl Sync for Memory {}

impl Memory {
    /// Memory of `bytes` bytes; `None` if it cannot be had.
    pub(crate) fn zeroed(bytes: usize) -> Option<Memory> {
        if bytes == 0 {
            return Some(Memory { start: NonNull::<OnLine>::dangling().cast(), bytes, pages: None });
        }
        // Miri knows no page tables.
        if bytes >= HUGE && !cfg!(miri) {
            return Self::paged(bytes);
        }
        let layout = Self::layout(bytes)?;
        // SAFETY: the layout is not of size 0.
        let start = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        Some(Memory { start, bytes, pages: None })
    }

    fn paged(bytes: usize) -> Option<Memory> {
        let mut pages = MmapMut::map_anon(bytes.checked_add(HUGE)?).ok()?;
        let offset = pages.as_ptr().align_offset(HUGE);
        // Without huge pages everything works as well. Only whole ones are asked for, so that none is part empty.
        #[cfg(target_os = "linux")]
        let _ = pages.advise_range(memmap2::Advice::HugePage, offset, bytes / HUGE * HUGE);
        let start = NonNull::new(pages.as_mut_ptr().wrapping_add(offset))?;
        Some(Memory { start, bytes, pages: Some(pages) })
    }

    fn layout(bytes: usize) -> Option<Layout> {
        Layout::from_size_align(bytes, LINE).ok()
    }

    /// The first byte.
    pub(crate) fn as_ptr(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// The size.
    pub(crate) fn len(&self) -> usize {
        self.bytes
    }
}

#[repr(align(64))]
struct OnLine(#[allow(dead_code)] [u8; LINE]);

impl Drop for Memory {
    fn drop(&mut self) {
        let is_allocated = self.bytes > 0 && self.pages.is_none();
        if let (true, Some(layout)) = (is_allocated, Self::layout(self.bytes)) {
            // SAFETY: allocated in `zeroed` with this layout.
            unsafe { dealloc(self.start.as_ptr(), layout) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_of_every_size_is_zero_and_on_a_line() {
        for bytes in [0, 1, LINE, HUGE - 1, HUGE, HUGE + 1, 3 * HUGE + 5] {
            let memory = Memory::zeroed(bytes).unwrap();
            assert_eq!((memory.len(), memory.as_ptr().align_offset(LINE)), (bytes, 0));
            // SAFETY: the memory has so many bytes, and nobody else uses it.
            let slice = unsafe { std::slice::from_raw_parts_mut(memory.as_ptr(), bytes) };
            assert!(slice.iter().all(|&byte| byte == 0));
            slice.fill(1);
        }
        assert!(Memory::zeroed(usize::MAX).is_none());
        assert!(Memory::zeroed(isize::MAX as usize).is_none());
    }
}
