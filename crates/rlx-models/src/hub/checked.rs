//! Records which files of a model were checked against their pinned SHA-256, so that they need not be read again each
//! time.
//!
//! A file whose size or times differ from the record is read again. The record only saves time: if it is missing,
//! damaged or cannot be written, files are hashed.

use std::fs::{self, Metadata};
use std::io::{self, Read};
use std::path::Path;

use sha2::{Digest, Sha256};

use super::copy::hex;
use super::{ModelPin, PinnedFile};
use crate::files::{FileError, open_regular, read_text, write_atomically};

/// The first line of a record, which includes the version of its format.
const MAGIC: &str = "rlx-checked-1";
/// The maximum size of a record that is read, in bytes.
const MAX_RECORD: u64 = 1 << 20;

/// The state of a file in the cache.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FileState {
    /// It is the pinned file.
    Whole,
    /// It does not exist, or has the wrong length.
    Missing,
    /// It has the length of the pinned file but different bytes.
    Damaged,
}

/// Returns the state of each pinned file in the folder `model`, in the order of the pin. `record` is the path of the
/// record.
///
/// # Errors
/// Fails if a file has the right length but cannot be read.
pub(super) fn states(pin: &ModelPin, model: &Path, record: &Path) -> Result<Vec<FileState>, FileError> {
    let known = read_text(record, MAX_RECORD).unwrap_or_default();
    // The last line of a truncated record may be incomplete.
    let known: Vec<&str> = known.strip_suffix('\n').unwrap_or_default().split('\n').collect();
    let known = if known[0] == MAGIC { &known[1..] } else { &[] };
    let mut lines = Vec::new();
    let mut states = Vec::new();
    for file in pin.files {
        let (state, line) = state(file, &model.join(file.path), known)?;
        states.push(state);
        lines.extend(line);
    }
    if lines != known {
        write(record, &lines);
    }
    Ok(states)
}

/// Records that every file in the folder `model` was checked in its current state.
pub(super) fn keep(pin: &ModelPin, model: &Path, record: &Path) {
    let line = |file: &PinnedFile| line(file, &fs::metadata(model.join(file.path)).ok()?);
    write(record, &pin.files.iter().filter_map(line).collect::<Vec<_>>());
}

/// Returns the state of a file. Also returns its line for the record, if it is whole and did not change while it was
/// checked.
fn state(pin: &PinnedFile, path: &Path, known: &[&str]) -> Result<(FileState, Option<String>), FileError> {
    let looks = || fs::metadata(path).ok().filter(|meta| meta.is_file() && meta.len() == pin.len);
    let Some(meta) = looks() else { return Ok((FileState::Missing, None)) };
    let before = line(pin, &meta);
    if before.as_deref().is_some_and(|line| known.contains(&line)) {
        return Ok((FileState::Whole, before));
    }
    if sha256(path, pin.len)? != pin.sha256 {
        return Ok((FileState::Damaged, None));
    }
    let after = looks().and_then(|meta| line(pin, &meta));
    Ok((FileState::Whole, after.filter(|after| before.as_ref() == Some(after))))
}

/// Returns the SHA-256 of the first `len` bytes of a file, and of one more byte if the file is longer.
fn sha256(path: &Path, len: u64) -> Result<String, FileError> {
    let failed = |e| FileError::io(path, "reading it", e);
    let (file, _) = open_regular(path)?;
    let mut file = file.take(len.saturating_add(1));
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 17];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(hex(&hash.finalize())),
            Ok(n) => hash.update(&buffer[..n]),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(failed(e)),
        }
    }
}

/// Returns the line of the record for a file with this metadata, or `None` if the system does not say when the file
/// was changed.
fn line(pin: &PinnedFile, meta: &Metadata) -> Option<String> {
    Some(format!("{} {} {} {}", pin.sha256, meta.len(), changed(meta)?, pin.path))
}

/// Returns device and inode of a file, and when its bytes and its inode were changed. Writing to a file always
/// changes the latter time, even if the writer resets the former.
#[cfg(unix)]
fn changed(meta: &Metadata) -> Option<String> {
    use std::os::unix::fs::MetadataExt;
    let (bytes, inode) = ((meta.mtime(), meta.mtime_nsec()), (meta.ctime(), meta.ctime_nsec()));
    Some(format!("{} {} {}.{} {}.{}", meta.dev(), meta.ino(), bytes.0, bytes.1, inode.0, inode.1))
}

/// Returns when the bytes of a file were changed, and when the file was created.
#[cfg(not(unix))]
fn changed(meta: &Metadata) -> Option<String> {
    let since = |time: io::Result<std::time::SystemTime>| {
        Some(time.ok()?.duration_since(std::time::UNIX_EPOCH).ok()?.as_nanos())
    };
    Some(format!("{} {}", since(meta.modified())?, since(meta.created()).unwrap_or_default()))
}

/// Writes the record. If that fails, for example in a cache owned by another user, the next process hashes the files
/// again.
fn write(record: &Path, lines: &[String]) {
    let _ = write_atomically(record, |out| {
        writeln!(out, "{MAGIC}")?;
        lines.iter().try_for_each(|line| writeln!(out, "{line}"))
    });
}
