//! Copies a stream into a file of the cache, with a limit on its length, and hashes and flushes it.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;

use sha2::{Digest, Sha256};

use super::error::LocalError;
use super::{FetchError, PinnedFile, Progress};

/// Copies `input` to its place in `folder` and checks that it is the pinned file. `broken` turns a failure of the
/// stream into the source's own error.
pub(super) fn copy_pinned(
    mut input: impl Read,
    pin: &PinnedFile,
    folder: &Path,
    progress: &mut dyn Progress,
    broken: impl FnOnce(io::Error) -> FetchError,
) -> Result<(), FetchError> {
    let path = folder.join(pin.path);
    let local = |action, e| LocalError::new(&path, action, e);
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(|e| local("creating the folder of", e))?;
    }
    let mut file = File::create(&path).map_err(|e| local("creating", e))?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 17];
    let mut got = 0u64;
    loop {
        let n = match input.read(&mut buffer) {
            Ok(0) => break,
            Ok(n) => n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(e) => return Err(broken(e)),
        };
        got += n as u64;
        if got > pin.len {
            // The rest cannot belong to the file, and must not fill the disk.
            return Err(FetchError::Length { file: pin.path, expected: pin.len, got: pin.len + 1 });
        }
        let chunk = &buffer[..n];
        hash.update(chunk);
        file.write_all(chunk).map_err(|e| local("writing", e))?;
        progress.advance(n as u64);
    }
    if got != pin.len {
        return Err(FetchError::Length { file: pin.path, expected: pin.len, got });
    }
    let got = hex(&hash.finalize());
    if got != pin.sha256 {
        return Err(FetchError::Hash { file: pin.path, expected: pin.sha256, got });
    }
    file.sync_all().map_err(|e| local("writing", e))?;
    Ok(())
}

pub(super) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, b| {
        let _ = write!(text, "{b:02x}");
        text
    })
}
