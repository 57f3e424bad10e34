//! Zeroed host memory, aligned to a cache line, in huge pages if it is large and the system has them. Tiles of
//! a matrix touch one page per row, and walking page tables takes twice as long in a virtual machine.

use crate::machine_memory;
use memmap2::MmapMut;
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes of a cache line, and of the widest vector: every [`HostBuffer`] starts on such a boundary.
pub const LINE: usize = 64;

/// Bytes of a huge page of x86-64, and of aarch64 with pages of 4 KiB.
const HUGE: usize = 2 << 20;

/// Bytes of all buffers of the process, and the most that they ever were.
static IN_USE: AtomicU64 = AtomicU64::new(0);
static PEAK: AtomicU64 = AtomicU64::new(0);

/// So many bytes of memory cannot be had.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("out of memory: {0} bytes could not be allocated")]
pub struct OutOfMemory(pub usize);

/// Bytes in host memory, zero at first, aligned to [`LINE`]. They keep their address until the buffer is dropped.
pub struct HostBuffer {
    start: NonNull<u8>,
    len: usize,
    /// The pages that it lies in, beside others or alone, if it does not lie in the heap.
    pages: Option<Arc<MmapMut>>,
}

/// Buffers that live about as long as each other, side by side in huge pages. Memory is given back when the last buffer of a chunk
/// is dropped.
#[derive(Default)]
pub struct SharedPages(Mutex<Option<Chunk>>);

/// What is left of the pages that buffers are cut from.
struct Chunk {
    pages: Arc<MmapMut>,
    next: NonNull<u8>,
    left: usize,
}

// SAFETY: it owns what is left, which nobody else has an address of.
unsafe impl Send for Chunk {}

/// Bytes of the pages that small buffers are cut from. Those that nothing was cut from take no memory.
const CHUNK: usize = 32 << 20;

/// Bytes from which on a buffer has a place among shared pages; smaller ones are in the heap.
const SHARED: usize = 16 << 10;

impl SharedPages {
    /// Memory of `len` bytes, as of [`HostBuffer::zeroed`]; an error if it cannot be had.
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
            // SAFETY: as many bytes are left, and were not given to anybody.
            chunk.next = unsafe { start.add(whole) };
            chunk.left -= whole;
            Some(HostBuffer { start, len, pages: Some(chunk.pages.clone()) })
        })
    }
}

// SAFETY: the memory is owned: whoever has the buffer has the only access to it.
unsafe impl Send for HostBuffer {}
// SAFETY: a shared buffer is only read.
unsafe impl Sync for HostBuffer {}

impl HostBuffer {
    /// Memory of `len` bytes; an error if it cannot be had.
    pub fn zeroed(len: usize) -> Result<HostBuffer, OutOfMemory> {
        Self::made(len, || match len {
            0 => Some(HostBuffer { start: NonNull::<OnLine>::dangling().cast(), len, pages: None }),
            // Miri knows no page tables.
            HUGE.. if !cfg!(miri) => {
                let (start, pages) = Self::paged(len)?;
                Some(HostBuffer { start, len, pages: Some(Arc::new(pages)) })
            }
            _ => Self::allocated(len),
        })
    }

    /// What `make` makes of so many bytes, counted.
    fn made(len: usize, make: impl FnOnce() -> Option<HostBuffer>) -> Result<HostBuffer, OutOfMemory> {
        let machine = machine_memory().map_or(u64::MAX, |memory| memory.0);
        // The system may promise what it has not.
        let made = if len as u64 > machine { None } else { make() };
        let made = made.ok_or(OutOfMemory(len))?;
        // The figures are told, and nothing follows from them: no order of memory is needed.
        let in_use = IN_USE.fetch_add(len as u64, Ordering::Relaxed).saturating_add(len as u64);
        PEAK.fetch_max(in_use, Ordering::Relaxed);
        Ok(made)
    }

    /// The bytes of all buffers of the process: working memory of programs, state and packed weights, and not what callers hold, as
    /// weights in mapped files.
    pub fn bytes_in_use() -> u64 {
        IN_USE.load(Ordering::Relaxed)
    }

    /// The most that [`bytes_in_use`](HostBuffer::bytes_in_use) ever was.
    pub fn peak_bytes() -> u64 {
        PEAK.load(Ordering::Relaxed).max(HostBuffer::bytes_in_use())
    }

    /// A copy of bytes.
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

    /// Pages, and where in them the first huge one begins, from which on there are `len` bytes.
    fn paged(len: usize) -> Option<(NonNull<u8>, MmapMut)> {
        let mut pages = MmapMut::map_anon(len.checked_add(HUGE)?).ok()?;
        let offset = pages.as_ptr().align_offset(HUGE);
        // Without huge pages everything works as well. Only whole ones are asked for, so that none is part empty.
        #[cfg(target_os = "linux")]
        let _ = pages.advise_range(memmap2::Advice::HugePage, offset, len / HUGE * HUGE);
        let start = NonNull::new(pages.as_mut_ptr().wrapping_add(offset))?;
        Some((start, pages))
    }

    fn layout(len: usize) -> Option<Layout> {
        Layout::from_size_align(len, LINE).ok()
    }

    /// The first byte, for code that keeps the rules of references itself: to write through it nobody else may have a reference
    /// to the bytes.
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
        // SAFETY: `len` initialized bytes lie at `start`, and `&mut self` is the only access to them.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }
}

impl Clone for HostBuffer {
    /// A copy. Aborts like any allocation of the standard library where there is no memory for it.
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
            // SAFETY: memory without pages of its own is allocated in `allocated` with this layout, and freed once, here.
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
        // Miri would take minutes for every byte.
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
