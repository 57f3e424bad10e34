//! Locks between processes. The system frees a lock when its owner dies, however it dies, so no lock is left behind.

use std::fmt;
use std::fs::{File, TryLockError};
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::files::{FileError, read_text};

/// The maximum length of the text in a lock file, in bytes.
const MAX_OWNER: u64 = 256;

/// A lock that one process at a time can hold. Dropping it, or the death of the process, frees it. The file stays:
/// removing it could remove the lock of a process that takes it at that moment.
#[derive(Debug)]
pub struct Lock {
    file: File,
    exclusive: bool,
}

/// The holder of a lock, as far as its file says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Owner {
    /// The process.
    pub pid: Option<u32>,
    /// When that process took the lock.
    pub since: Option<SystemTime>,
}

/// The result of trying to take a lock.
#[derive(Debug)]
pub enum Attempt {
    /// The lock is ours.
    Taken(Lock),
    /// Another process has it; [`Waiting::wait`] waits until it is free.
    Held(Waiting),
}

/// A lock that another process has.
#[derive(Debug)]
pub struct Waiting {
    file: File,
    path: PathBuf,
    /// The process that has it.
    pub owner: Owner,
}

impl Lock {
    /// Tries to take the lock of the file at `path`, which is created if it does not exist. Does not wait.
    ///
    /// Some network file systems have no locks. There, the owner named in the file has the lock for as long as that
    /// process lives on this machine.
    ///
    /// # Errors
    /// Returns a [`FileError`] if the file cannot be created, locked or written.
    pub fn attempt(path: &Path) -> Result<Attempt, FileError> {
        let file = File::options().create(true).truncate(false).read(true).write(true).open(path);
        let file = file.map_err(|e| FileError::creating(path, "making the lock", e))?;
        let path = path.to_path_buf();
        match file.try_lock() {
            Ok(()) => Lock::taken(file, true, &path).map(Attempt::Taken),
            Err(TryLockError::WouldBlock) => {
                Ok(Attempt::Held(Waiting { owner: Owner::read(&path), file, path }))
            }
            Err(TryLockError::Error(e)) if e.kind() == io::ErrorKind::Unsupported => {
                let owner = Owner::read(&path);
                match owner.pid.filter(|&pid| pid != std::process::id() && is_alive(pid)) {
                    Some(_) => Ok(Attempt::Held(Waiting { owner, file, path })),
                    None => Lock::taken(file, false, &path).map(Attempt::Taken),
                }
            }
            Err(TryLockError::Error(e)) => Err(FileError::io(&path, "locking it", e)),
        }
    }

    /// Whether the system keeps other processes out, so that leftovers of unfinished work may be removed.
    pub fn is_exclusive(&self) -> bool {
        self.exclusive
    }

    /// Writes the owner to the file.
    fn taken(mut file: File, exclusive: bool, path: &Path) -> Result<Lock, FileError> {
        let text = Owner { pid: Some(std::process::id()), since: Some(SystemTime::now()) }.text();
        let write = |file: &mut File| {
            file.set_len(0)?;
            file.rewind()?;
            file.write_all(text.as_bytes())
        };
        write(&mut file).map_err(|e| FileError::io(path, "writing it", e))?;
        Ok(Lock { file, exclusive })
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // If the file cannot be cleared, it names a process that no longer has the lock, which nobody asks about
        // then.
        let _ = self.file.set_len(0);
    }
}

impl Waiting {
    /// Waits until the owner frees the lock, and takes it.
    ///
    /// # Errors
    /// Returns a [`FileError`] if the file cannot be locked or written.
    pub fn wait(self) -> Result<Lock, FileError> {
        match self.file.lock() {
            Ok(()) => Lock::taken(self.file, true, &self.path),
            Err(e) if e.kind() == io::ErrorKind::Unsupported => Lock::taken(self.file, false, &self.path),
            Err(e) => Err(FileError::io(&self.path, "locking it", e)),
        }
    }
}

impl Owner {
    fn text(self) -> String {
        let since = self.since.and_then(|since| since.duration_since(UNIX_EPOCH).ok());
        let (pid, since) = (self.pid.unwrap_or(0), since.map_or(0, |since| since.as_secs()));
        format!("process {pid}\nsince {since}\n")
    }

    /// Reads the owner from a file. It is unknown if the file contains something else, or cannot be read while it is
    /// locked.
    fn read(path: &Path) -> Owner {
        let text = read_text(path, MAX_OWNER).unwrap_or_default();
        let number = |word: &str| text.lines().find_map(|line| line.strip_prefix(word)?.trim().parse().ok());
        let pid = number("process ").and_then(|pid: u64| u32::try_from(pid).ok());
        let since = number("since ").and_then(|s| UNIX_EPOCH.checked_add(Duration::from_secs(s)));
        Owner { pid, since }
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.pid {
            Some(pid) => write!(f, "process {pid}")?,
            None => f.write_str("another process")?,
        }
        match self.since.and_then(|since| since.elapsed().ok()).map(|age| age.as_secs()) {
            None => Ok(()),
            Some(s @ 0..120) => write!(f, ", for {s} s"),
            Some(s @ 120..7200) => write!(f, ", for {} min", s / 60),
            Some(s) => write!(f, ", for {} h", s / 3600),
        }
    }
}

/// Whether a process is alive, on systems with a folder that says so. On other systems, no process counts as alive.
fn is_alive(pid: u32) -> bool {
    Path::new("/proc").join(pid.to_string()).exists()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_lock_names_its_owner_and_is_free_when_dropped() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(".lock");
        // What a killed process left behind.
        fs::write(&path, "process 4194304999\nsince 1\n").unwrap();
        let Attempt::Taken(lock) = Lock::attempt(&path).unwrap() else { panic!("nobody holds it") };
        assert!(lock.is_exclusive());
        let Attempt::Held(waiting) = Lock::attempt(&path).unwrap() else { panic!("it is held") };
        assert_eq!(waiting.owner.pid, Some(std::process::id()));
        let shown = waiting.owner.to_string();
        assert!(shown.starts_with(&format!("process {}, for ", std::process::id())), "{shown}");
        drop(lock);
        drop(waiting.wait().unwrap());
        assert!(matches!(Lock::attempt(&path).unwrap(), Attempt::Taken(_)));
        assert_eq!(fs::read_to_string(&path).unwrap(), "");
    }

    #[test]
    fn what_is_no_lock_file_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let error = Lock::attempt(dir.path()).unwrap_err();
        assert!(error.to_string().contains(&dir.path().display().to_string()), "{error}");
        let error = Lock::attempt(&dir.path().join("no/.lock")).unwrap_err();
        assert!(error.to_string().contains("no/.lock"), "{error}");
        let path = dir.path().join("text");
        for text in ["process x\nsince -3\n", "process 99999999999\n", "\u{0}"] {
            fs::write(&path, text).unwrap();
            assert_eq!(Owner::read(&path), Owner::default(), "{text:?}");
        }
    }
}
