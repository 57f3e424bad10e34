//! The bytes of a whole file, mapped or read into memory, whatever its format.
//!
//! # What memory mapping means
//! Opening a mapped file does not read it: opening is instant, memory is shared between processes, and bytes only
//! take up memory once they are touched. In return, the file must not change while it is open. These are the
//! guarantees:
//!
//! - The length is checked when the file is opened, and every position in a header is checked against that length.
//!   RLX never touches memory outside of the mapping.
//! - If another process then shortens the file, touching a page after the new end raises SIGBUS on Unix, which ends
//!   the process. No wrong bytes are returned, except that bytes after the new end, within the last remaining page,
//!   read as 0. [`explain_lost_files`] makes the process name the file before it ends; the `rlx` command calls it.
//!   Windows does not allow a mapped file to be shortened.
//! - If another process overwrites the file in place, bytes change under the reader. Values may then come from either
//!   version; a header that was read is not read again. Text in a header (names, metadata of GGUF files) is checked
//!   again or copied, so that it stays UTF-8.
//! - Rust guarantees that bytes behind a shared reference do not change. A process that changes a mapped file breaks
//!   this guarantee, so the compiler may rely on something that is not true. If others can write to a file that you
//!   open, do not map it.
//!
//! Replace a file by renaming a new one over it (as [`write_atomically`](crate::files::write_atomically) and all
//! package managers do): processes that have the old one open keep it. If a file may change in other ways, read it:
//! with [`Access::Read`], or for all files of the process with [`never_map`], `RLX_NO_MMAP=1` or `rlx --no-mmap`. If
//! the file changes while it is opened, the error is [`FileError::Changed`]; later changes have no effect.
//!
//! All readers in the workspace that map files do so here: weights and adapters in safetensors, GGUF files,
//! importance matrices, and the model and weights of CoreML packages. Checkpoints, optimizer states, prompt caches,
//! `.npy` files, settings, tokenizers and texts are always read.

use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use memmap2::Mmap;
use rlx_driver::Env;

use crate::files::{FileError, open_regular};
use crate::mappings::Mapped;
pub use crate::mappings::explain_lost_files;
use crate::variables::NO_MMAP;

/// Whether the program has asked not to map files.
static NEVER: AtomicBool = AtomicBool::new(false);

/// Makes the whole process read files instead of mapping them. This affects files that are opened later, and cannot
/// be undone. `RLX_NO_MMAP=1` has the same effect from the start.
pub fn never_map() {
    NEVER.store(true, Ordering::Relaxed);
}

/// Whether files may be mapped. An invalid value of `RLX_NO_MMAP` also forbids it; sessions report that.
fn may_map() -> bool {
    !NEVER.load(Ordering::Relaxed) && Env::process().is_on(&NO_MMAP) == Ok(false)
}

/// How the bytes of a file get into the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// By mapping the file, unless the process must not map files ([`never_map`]); see the [module](self) for what
    /// that means.
    Map,
    /// By copying the file.
    Read,
}

/// The bytes of a file.
#[derive(Debug)]
pub enum Contents {
    /// Pages of the file.
    Mapped(Mapped),
    /// A copy.
    Owned(Vec<u8>),
}

impl Contents {
    /// Opens the regular file at `path`.
    ///
    /// # Errors
    /// The same as [`open_regular`]; also [`FileError::Io`] if the file cannot be mapped or read, and
    /// [`FileError::Changed`].
    pub fn open(path: &Path, access: Access) -> Result<Self, FileError> {
        let (file, len) = open_regular(path)?;
        let contents = match access {
            Access::Map if len > 0 && may_map() => Contents::Mapped(map(path, &file)?),
            _ => Contents::Owned(read_all(path, &file, len)?),
        };
        let after = file.metadata().map_err(|e| FileError::io(path, "looking at it", e))?.len();
        let present = contents.as_slice().len() as u64;
        if present != len || after != len {
            let after = if after == len { present } else { after };
            return Err(FileError::Changed { path: path.to_path_buf(), before: len, after });
        }
        Ok(contents)
    }

    /// Returns the bytes.
    pub fn as_slice(&self) -> &[u8] {
        match self {
            Contents::Mapped(map) => map.as_slice(),
            Contents::Owned(bytes) => bytes,
        }
    }

    /// Returns the memory of mapped bytes, and of everything else on their pages, to the system. Reading them later
    /// reads the file again. Does nothing if the bytes are a copy, and on systems without such a call.
    pub fn release(&self, range: Range<usize>) {
        #[cfg(unix)]
        if let Contents::Mapped(map) = self
            && !range.is_empty()
        {
            // SAFETY: the mapping is of a file, shared and never written to. A dropped page is read from the file
            // again, with the same bytes, when it is next touched.
            let advised = unsafe {
                map.pages().unchecked_advise_range(
                    memmap2::UncheckedAdvice::DontNeed,
                    range.start,
                    range.len(),
                )
            };
            // If the system keeps the pages, that only costs memory.
            let _ = advised;
        }
        #[cfg(not(unix))]
        let _ = range;
    }
}

fn map(path: &Path, file: &File) -> Result<Mapped, FileError> {
    // SAFETY: the mapping is read-only and never handed out mutably. That nobody else changes the file is the
    // contract of `Access::Map`, which the module's documentation states together with the consequences otherwise;
    // `Access::Read` is for files that may change.
    let map = unsafe { Mmap::map(file) }.map_err(|e| FileError::io(path, "mapping it into memory", e))?;
    Ok(Mapped::new(map, path))
}

fn read_all(path: &Path, file: &File, len: u64) -> Result<Vec<u8>, FileError> {
    let mut bytes = Vec::new();
    let fits = usize::try_from(len).is_ok_and(|len| bytes.try_reserve_exact(len).is_ok());
    if !fits {
        let source = std::io::ErrorKind::OutOfMemory.into();
        return Err(FileError::io(path, "reading it into memory", source));
    }
    file.take(len).read_to_end(&mut bytes).map_err(|e| FileError::io(path, "reading it into memory", e))?;
    Ok(bytes)
}
