//! Zeroed host memory, aligned to a cache line, and in huge pages if it is large and the system supports them. Tiles of
//! a matrix touch one page per row, and walking page tables takes twice as long in a virtual machine.

use crate::machine_memory;
use memmap2::MmapMut;
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes in a cache line and in the widest vector. Every [`HostBuffer`] starts on such a boundary.
pub const LINE: usize = 64;

/// Bytes in a huge page on x86-64, and on aarch64 with pages of 4 KiB.
const HUGE: usize = 2 << 20;

/// Bytes of all buffers of the process, and their peak.
static IN_USE: AtomicU64 = AtomicU64::new(0);
static PEAK: AtomicU64 = AtomicU64::new(0);

/// This many bytes of memory could not be allocated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("out of memory: {0} bytes could not be allocated")]
pub struct OutOfMemory(pub usize);

/// Bytes in host memory, initially zero, aligned to [`LINE`]. Their address does not change until the buffer is dropped.
pub struct HostBuffer {
    start: NonNull<u8>,
    len: usize,
    /// The pages that contain it, possibly shared with other buffers, if it is not on the heap.
    pages: Option<Arc<MmapMut>>,
}

/// Places buffers with similar lifetimes next to each other in huge pages. The memory of a chunk is freed when its last
/// buffer is dropped.
#[derive(Default)]
pub struct SharedPages(Mutex<Option<Chunk>>);

/// The unused rest of the pages that buffers are allocated from.
struct Chunk {
    pages: Arc<MmapMut>,
    next: NonNull<u8>,
    left: usize,
}

// SAFETY: it owns the unused rest, and no one else has an address in it.
unsafe impl Send for Chunk {}

/// Bytes of the pages that small buffers are allocated from. Pages that are never used take no memory.
const CHUNK: usize = 32 << 20;

/// Buffers of at least this many bytes are placed in shared pages; smaller ones are on the heap.
const SHARED: usize = 16 << 10;

impl SharedPages {
    /// Allocates `len` bytes, like [`HostBuffer::zeroed`]; an error if there is not enough memory.
    pub fn zeroed(&self, len: usize) -> Result<HostBuffer, OutOfMemory> {
        if cfg!(miri) || !(SHARED..HUGE).contains(&len) {
            return HostBuffer::zeroed(len);
        }
        HostBuffer::made(len, || {
            let whole = len.next_multiple_of(LINE);
            let mut chunk = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let chunk = match chunk.as_mut().filter(|chunk| chunk.left >= whole) {
                Some(_) => chunk.as_mut()?,
                None => {
                    let (start, pages) = HostBuffer::paged(CHUNK)?;
                    chunk.insert(Chunk { pages: Arc::new(pages), next: start, left: CHUNK })
                }
            };
            let start = chunk.next;
            // SAFETY: this many bytes are left, and no other buffer uses them.
            chunk.next = unsafe { start.add(whole) };
            chunk.left -= whole;
            Some(HostBuffer { start, len, pages: Some(chunk.pages.clone()) })
        })
    }
}

// SAFETY: the buffer owns its memory and has the only access to it.
unsafe impl Send for HostBuffer {}
// SAFETY: a shared buffer is only read.
unsafe impl Sync for HostBuffer {}

impl HostBuffer {
    /// Allocates `len` bytes; an error if there is not enough memory.
    pub fn zeroed(len: usize) -> Result<HostBuffer, OutOfMemory> {
        Self::made(len, || match len {
            0 => Some(HostBuffer { start: NonNull::<OnLine>::dangling().cast(), len, pages: None }),
            // Miri does not support huge pages.
            HUGE.. if !cfg!(miri) => {
                let (start, pages) = Self::paged(len)?;
                Some(HostBuffer { start, len, pages: Some(Arc::new(pages)) })
            }
            _ => Self::allocated(len),
        })
    }

    /// Counts the bytes of the buffer that `make` allocates.
    fn made(len: usize, make: impl FnOnce() -> Option<HostBuffer>) -> Result<HostBuffer, OutOfMemory> {
        let machine = machine_memory().map_or(u64::MAX, |memory| memory.0);
        // The system may promise more memory than it has.
        let made = if len as u64 > machine { None } else { make() };
        let made = made.ok_or(OutOfMemory(len))?;
        // The counters are only reported, and nothing depends on them, so relaxed ordering is enough.
        let in_use = IN_USE.fetch_add(len as u64, Ordering::Relaxed).saturating_add(len as u64);
        PEAK.fetch_max(in_use, Ordering::Relaxed);
        Ok(made)
    }

    /// The bytes of all buffers of the process: working memory of programs, state and packed weights. Memory of
    /// callers, such as weights in mapped files, is not counted.
    pub fn bytes_in_use() -> u64 {
        IN_USE.load(Ordering::Relaxed)
    }

    /// The peak of [`bytes_in_use`](HostBuffer::bytes_in_use).
    pub fn peak_bytes() -> u64 {
        PEAK.load(Ordering::Relaxed).max(HostBuffer::bytes_in_use())
    }

    /// A copy of `bytes`.
    pub fn from_bytes(bytes: &[u8]) -> Result<HostBuffer, OutOfMemory> {
        let mut buffer = HostBuffer::zeroed(bytes.len())?;
        buffer.copy_from_slice(bytes);
        Ok(buffer)
    }

    fn allocated(len: usize) -> Option<HostBuffer> {
        let layout = Self::layout(len)?;
        // SAFETY: `zeroed` allocates only sizes above 0.
        let start = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        Some(HostBuffer { start, len, pages: None })
    }

    /// Maps pages, and returns the start of the first huge one, which `len` bytes follow.
    fn paged(len: usize) -> Option<(NonNull<u8>, MmapMut)> {
        let mut pages = MmapMut::map_anon(len.checked_add(HUGE)?).ok()?;
        let offset = pages.as_ptr().align_offset(HUGE);
        // Everything works without huge pages as well. Only whole ones are requested, so that none is partly empty.
        #[cfg(target_os = "linux")]
        let _ = pages.advise_range(memmap2::Advice::HugePage, offset, len / HUGE * HUGE);
        let start = NonNull::new(pages.as_mut_ptr().wrapping_add(offset))?;
        Some((start, pages))
    }

    fn layout(len: usize) -> Option<Layout> {
        Layout::from_size_align(len, LINE).ok()
    }

    /// The first byte, for code that upholds the rules of references itself. To write through the pointer, no one else
    /// may hold a reference to the bytes.
    pub fn as_mut_ptr(&self) -> *mut u8 {
        self.start.as_ptr()
    }
}

impl Deref for HostBuffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: `len` bytes were allocated at `start` and initialized with zeros.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

impl DerefMut for HostBuffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: there are `len` initialized bytes at `start`, and `&mut self` is the only access to them.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }
}

impl Clone for HostBuffer {
    /// Copies the buffer. Aborts like any allocation of the standard library if there is not enough memory.
    fn clone(&self) -> HostBuffer {
        match HostBuffer::from_bytes(self) {
            Ok(copy) => copy,
            Err(_) => std::alloc::handle_alloc_error(Layout::for_value::<[u8]>(self)),
        }
    }
}

#[repr(align(64))]
struct OnLine(#[allow(dead_code)] [u8; LINE]);

impl Drop for HostBuffer {
    fn drop(&mut self) {
        IN_USE.fetch_sub(self.len as u64, Ordering::Relaxed);
        let is_allocated = self.len > 0 && self.pages.is_none();
        if let (true, Some(layout)) = (is_allocated, Self::layout(self.len)) {
            // SAFETY: memory that is not in pages was allocated in `allocated` with this layout, and is freed once, here.
            unsafe { dealloc(self.start.as_ptr(), layout) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_side_by_side_do_not_overlap_and_outlive_what_they_were_cut_from() {
        let shared = SharedPages::default();
        let lens = [1, SHARED, SHARED + 1, HUGE - 1, HUGE, 3 * HUGE + 5, 0];
        let rounds = if cfg!(miri) { 1 } else { 40 };
        let mut all: Vec<HostBuffer> =
            lens.repeat(rounds).iter().map(|&len| shared.zeroed(len).unwrap()).collect();
        drop(shared);
        for (i, buffer) in all.iter_mut().enumerate() {
            assert_eq!(buffer.as_ptr().align_offset(LINE), 0);
            assert!(buffer.iter().step_by(499).all(|&byte| byte == 0));
            buffer.fill(i as u8);
        }
        all.remove(1);
        for (i, buffer) in all.iter().enumerate().skip(1) {
            assert!(buffer.iter().all(|&byte| byte == (i + 1) as u8), "{i}");
        }
        assert!(SharedPages::default().zeroed(usize::MAX).is_err());
    }

    #[test]
    fn memory_of_every_size_is_zero_and_on_a_line() {
        // Miri would take minutes to check every byte.
        let all = |memory: &HostBuffer, value: u8| {
            memory.iter().step_by(if cfg!(miri) { 4093 } else { 1 }).all(|&byte| byte == value)
        };
        for len in [0, 1, LINE, HUGE - 1, HUGE, HUGE + 1, 3 * HUGE + 5] {
            let mut memory = HostBuffer::zeroed(len).unwrap();
            assert_eq!((memory.len(), memory.as_ptr().align_offset(LINE)), (len, 0));
            assert!(all(&memory, 0));
            memory.fill(1);
            assert!(all(&memory.clone(), 1));
        }
        assert!(HostBuffer::zeroed(usize::MAX).is_err());
        assert!(HostBuffer::zeroed(isize::MAX as usize).is_err());
    }
}
