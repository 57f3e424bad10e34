//! Files and folders that are still being written: their names, their locks, and the removal of what killed processes
//! left behind.
//!
//! A lock ends with its process, however the process ends. A new file or folder is not locked from the start, so
//! another process may mistake it for an abandoned one and remove it before it is locked. After locking, its creator
//! therefore checks whether it still exists, and creates another one if not. If a file system has no locks, and on
//! systems other than Unix, nothing is removed.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// The prefix of the names of files and folders that are not complete yet.
pub(crate) const UNFINISHED: &str = ".rlx-";
/// The number of letters and digits that follow, which make the name unique.
const LETTERS: usize = 6;
/// The maximum number of attempts to create something that other processes mistake for abandoned.
const ATTEMPTS: usize = 16;

/// Returns a builder of temporary files and folders with such names.
pub(crate) fn builder() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(UNFINISHED).rand_bytes(LETTERS);
    builder
}

/// Creates something unfinished in a folder, after removing what was abandoned there, and holds its lock until the
/// returned file is closed. `make` returns what it created, and its path.
pub(crate) fn held<T>(
    folder: &Path,
    mut make: impl FnMut() -> io::Result<(T, PathBuf)>,
) -> io::Result<(T, Option<File>)> {
    sweep(folder);
    let (mut made, mut path) = make()?;
    for _ in 1..ATTEMPTS {
        match hold(&path) {
            Hold::Held(file) => return Ok((made, Some(file))),
            Hold::Unknown => break,
            Hold::Removed => (made, path) = make()?,
        }
    }
    Ok((made, None))
}

/// The result of locking something that was just created.
enum Hold {
    Held(File),
    /// Another process has removed it.
    Removed,
    /// Locks are not available here.
    Unknown,
}

#[cfg(unix)]
fn hold(path: &Path) -> Hold {
    use std::os::unix::fs::MetadataExt;

    let file = match File::open(path) {
        Ok(file) => file,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Hold::Removed,
        Err(_) => return Hold::Unknown,
    };
    if file.lock().is_err() {
        return Hold::Unknown;
    }
    let same = |there: fs::Metadata| {
        file.metadata().is_ok_and(|own| (own.dev(), own.ino()) == (there.dev(), there.ino()))
    };
    if fs::symlink_metadata(path).is_ok_and(same) { Hold::Held(file) } else { Hold::Removed }
}

#[cfg(not(unix))]
fn hold(_path: &Path) -> Hold {
    Hold::Unknown
}

/// Removes what killed processes left in a folder; once per process and folder.
fn sweep(folder: &Path) {
    static SWEPT: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    if !cfg!(unix) || !rlx_pool::lock(&SWEPT).insert(folder.to_path_buf()) {
        return;
    }
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if is_name(&entry.file_name().to_string_lossy()) {
            remove_abandoned(&entry.path());
        }
    }
}

/// Whether [`builder`] could have produced a name.
fn is_name(name: &str) -> bool {
    name.strip_prefix(UNFINISHED)
        .is_some_and(|rest| rest.len() == LETTERS && rest.bytes().all(|b| b.is_ascii_alphanumeric()))
}

/// Removes a file or folder that nobody has locked. If it cannot be removed, or is not ours, it stays.
fn remove_abandoned(path: &Path) {
    let Ok(meta) = fs::symlink_metadata(path) else { return };
    if !meta.is_file() && !meta.is_dir() {
        return;
    }
    let Ok(file) = File::open(path) else { return };
    if file.try_lock().is_ok() {
        let _ = if meta.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_from_others() {
        for name in [".rlx-a1B2c3", ".rlx-ZZZZZZ"] {
            assert!(is_name(name), "{name}");
        }
        for name in [".rlx-pins.json", ".rlx-a1B2c", ".rlx-a1B2c3d", "rlx-a1B2c3", ".rlx-a1B2c."] {
            assert!(!is_name(name), "{name}");
        }
    }

    #[test]
    fn what_a_killed_process_left_is_removed_and_what_is_held_stays() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::write(at(".rlx-aaaaaa"), b"left").unwrap();
        fs::create_dir(at(".rlx-bbbbbb")).unwrap();
        fs::write(at(".rlx-bbbbbb").join("part"), b"left").unwrap();
        fs::write(at(".rlx-cccccc"), b"held").unwrap();
        fs::create_dir(at(".rlx-dddddd")).unwrap();
        fs::write(at(".rlx-pins.json"), b"{}").unwrap();
        std::os::unix::fs::symlink(at("nowhere"), at(".rlx-eeeeee")).unwrap();
        let held: Vec<File> = [".rlx-cccccc", ".rlx-dddddd"].map(|name| File::open(at(name)).unwrap()).into();
        held.iter().for_each(|file| file.lock().unwrap());
        crate::files::write_atomically(&at("whole"), |out| out.write_all(b"a")).unwrap();
        let mut left: Vec<String> = fs::read_dir(dir.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        left.sort();
        assert_eq!(left, [".rlx-cccccc", ".rlx-dddddd", ".rlx-eeeeee", ".rlx-pins.json", "whole"]);
    }

    #[test]
    fn what_was_taken_for_abandoned_is_made_again() {
        let dir = tempfile::tempdir().unwrap();
        let mut count = 0;
        let (name, file) = held(dir.path(), || {
            count += 1;
            let path = dir.path().join(format!(".rlx-00000{count}"));
            // The first one is removed before it can be locked.
            if count > 1 {
                fs::write(&path, b"")?;
            }
            Ok((count, path))
        })
        .unwrap();
        assert_eq!(name, 2);
        // Locked until the file is closed.
        let other = File::open(dir.path().join(".rlx-000002")).unwrap();
        assert!(other.try_lock().is_err());
        drop(file);
        assert!(other.try_lock().is_ok());
    }
}
