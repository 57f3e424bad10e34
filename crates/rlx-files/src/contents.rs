//! The bytes of a whole file: mapped into memory, or read into it. Knows no format.
//!
//! # What memory mapping means
//! A file that is mapped is not read when it is opened: opening is instant, memory is shared between processes, and bytes cost
//! their pages only when they are touched. In return the file must not be changed while it is open. Its length is checked when it
//! is opened; if another process then shortens it, touching the lost part ends the process with a bus error, and if it is
//! overwritten in place, the bytes change under the reader. Replace a file by renaming a new one over it (as
//! [`write_atomically`](crate::files::write_atomically) and every package manager do), or read it ([`Access::Read`]), where neither
//! can happen.

use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::Path;

use memmap2::Mmap;

use crate::files::{FileError, open_regular};

/// How the bytes of a file come to the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// By mapping it; see the [module](self) for what that means.
    Map,
    /// By copying it.
    Read,
}

/// The bytes of a file.
#[derive(Debug)]
pub enum Contents {
    /// Pages of the file.
    Mapped(Mmap),
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
            Access::Map if len > 0 => Contents::Mapped(map(path, &file)?),
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
            Contents::Mapped(map) => map,
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
                map.unchecked_advise_range(memmap2::UncheckedAdvice::DontNeed, range.start, range.len())
            };
            // A system that keeps the pages costs memory, and nothing else.
            let _ = advised;
        }
        #[cfg(not(unix))]
        let _ = range;
    }
}

fn map(path: &Path, file: &File) -> Result<Mmap, FileError> {
    // SAFETY: the mapping is read-only and never handed out mutably. That nobody else changes the file is the
    // contract of `Access::Map`, stated in the module's documentation together with what happens otherwise;
    // `Access::Read` is there for files that cannot be trusted to stay as they are.
    unsafe { Mmap::map(file) }.map_err(|e| FileError::io(path, "mapping it into memory", e))
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
