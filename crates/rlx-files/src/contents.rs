//! The bytes of a whole file, mapped or read into memory. Knows no format.
//!
//! # What memory mapping means
//! A file that is mapped is not read when it is opened: opening is instant, memory is shared between processes, and bytes cost
//! their pages only when they are touched. In return the file must not change while it is open. What is promised:
//!
//! - The length is checked when the file is opened, and every place in a header is checked against that length. RLX never touches
//!   memory outside of the mapping.
//! - If another process then shortens the file, touching a page behind the new end raises SIGBUS on Unix, which ends the process. No wrong
//!   bytes are returned, but within the last page that is left, bytes behind the new end read as 0. [`explain_lost_files`] makes the process
//!   say which file it was before it ends; the `rlx` command calls it. Windows does not let a mapped file be shortened.
//! - If another process overwrites the file in place, bytes change under the reader. Values may then be of either file; a header that was
//!   read is not read again. Text in a header (names, metadata of GGUF files) is checked again or copied, so that it stays UTF-8.
//! - Rust says that bytes behind a shared reference do not change. A process that changes a mapped file breaks that rule, so
//!   that the compiler may assume what is not true. Where others can write to a file that you open, do not map it.
//!
//! Replace a file by renaming a new one over it (as [`write_atomically`](crate::files::write_atomically) and every package manager do):
//! whoever has the old one open keeps it. Where a file may change otherwise, read it: with [`Access::Read`], or for all files of the process
//! with [`never_map`], `RLX_NO_MMAP=1` or `rlx --no-mmap`. Then a file that changes while it is opened is [`FileError::Changed`], and
//! nothing can happen afterwards.
//!
//! All readers of the workspace that map do so here: weights and adapters in safetensors, GGUF files, importance matrices, and the model and
//! the weights of CoreML packages. Checkpoints, states of optimizers, prompt caches, `.npy` files, settings, tokenizers and texts are always
//! read.

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

/// Whether a program said that nothing is to be mapped.
static NEVER: AtomicBool = AtomicBool::new(false);

/// Reads files from now on where readers would map them, in the whole process. It holds for files that are opened later, and cannot be taken back.
/// `RLX_NO_MMAP=1` does the same from the beginning.
pub fn never_map() {
    NEVER.store(true, Ordering::Relaxed);
}

/// Whether files may be mapped. A variable of the environment with a wrong value forbids it too; whoever compiles reports that.
fn may_map() -> bool {
    !NEVER.load(Ordering::Relaxed) && Env::read().is_ok_and(|env| !env.no_mmap)
}

/// How the bytes of a file come to the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// By mapping it, unless the process is not to map files ([`never_map`]); see the [module](self) for what that means.
    Map,
    /// By copying it.
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
    /// The bytes of the regular file at `path`.
    ///
    /// # Errors
    /// As [`open_regular`], [`FileError::Io`] when it cannot be mapped or read, and [`FileError::Changed`].
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

    /// The bytes.
    pub fn as_slice(&self) -> &[u8] {
        match self {
            Contents::Mapped(map) => map.as_slice(),
            Contents::Owned(bytes) => bytes,
        }
    }

    /// Gives the memory of mapped bytes back to the system, with what else is on their pages: whoever reads them later reads the file
    /// again. Nothing happens where the bytes are a copy, and on systems without such a call.
    pub fn release(&self, range: Range<usize>) {
        #[cfg(unix)]
        if let Contents::Mapped(map) = self
            && !range.is_empty()
        {
            // SAFETY: the mapping is of a file, shared and never written to: a page that is dropped comes back from the file, with the
            // same bytes, when it is next read.
            let advised = unsafe {
                map.pages().unchecked_advise_range(
                    memmap2::UncheckedAdvice::DontNeed,
                    range.start,
                    range.len(),
                )
            };
            // A system that keeps the pages costs memory, and nothing else.
            let _ = advised;
        }
        #[cfg(not(unix))]
        let _ = range;
    }
}

fn map(path: &Path, file: &File) -> Result<Mapped, FileError> {
    // SAFETY: the mapping is read-only and never handed out mutably. That nobody else changes the file is the
    // contract of `Access::Map`, stated in the module's documentation together with what happens otherwise;
    // `Access::Read` is there for files that cannot be trusted to stay as they are.
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
