//! Opens, reads and replaces files safely: regular files of a bounded size, written completely or not at all. This
//! module owns the checks that every format needs: that a file is regular, that its size is bounded, and that a write
//! leaves either the old file or the complete new one. It knows nothing about formats.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use tempfile::TempPath;
use thiserror::Error;

use crate::foreign;
use crate::unfinished::{self, UNFINISHED};

/// Why a file could not be opened, read or written.
#[derive(Debug, Error)]
pub enum FileError {
    /// There is nothing at the path.
    #[error("{}: no such file", path.display())]
    Missing {
        /// The path as passed by the caller.
        path: PathBuf,
    },
    /// There is something at the path, but not a regular file.
    #[error("{}: this is {kind}, not a regular file", path.display())]
    NotRegular {
        /// The path as passed by the caller.
        path: PathBuf,
        /// What is there, for example "a directory".
        kind: &'static str,
    },
    /// There is something other than a folder where a folder is needed.
    #[error("{}: this is {kind}, not a folder", path.display())]
    NotFolder {
        /// The path.
        path: PathBuf,
        /// What is there, for example "a file".
        kind: &'static str,
    },
    /// The length of the file changed while it was being opened.
    #[error("{}: its length changed from {before} to {after} bytes while it was opened", path.display())]
    Changed {
        /// The path as passed by the caller.
        path: PathBuf,
        /// Length when opened.
        before: u64,
        /// Length when read or mapped.
        after: u64,
    },
    /// The file is longer than files of this kind may be.
    #[error("{}: {len} bytes are too many; a file of this kind may have at most {limit}", path.display())]
    TooLarge {
        /// The path as passed by the caller.
        path: PathBuf,
        /// Length of the file in bytes.
        len: u64,
        /// The maximum length.
        limit: u64,
    },
    /// The file is not text.
    #[error("{}: not UTF-8 at byte {at}", path.display())]
    NotText {
        /// The path as passed by the caller.
        path: PathBuf,
        /// The position of the first invalid character.
        at: usize,
    },
    /// The file is empty.
    #[error("{}: it is empty", path.display())]
    Empty {
        /// The path as passed by the caller.
        path: PathBuf,
    },
    /// The file is of another kind; see [`foreign`].
    #[error("{}: this is {what}", path.display())]
    Foreign {
        /// The path as passed by the caller.
        path: PathBuf,
        /// What it is, and what to do.
        what: &'static str,
    },
    /// The file does not contain the expected JSON.
    #[error("{}: not the expected JSON", path.display())]
    Json {
        /// The path as passed by the caller.
        path: PathBuf,
        /// Where and why.
        #[source]
        source: serde_json::Error,
    },
    /// The disk, or the user's quota, is full.
    #[error("{}: no space left on the device while {action}", path.display())]
    DiskFull {
        /// The file that was being written.
        path: PathBuf,
        /// What was being done.
        action: &'static str,
    },
    /// The operating system refused.
    #[error("{}: error while {action}", path.display())]
    Io {
        /// The path as passed by the caller.
        path: PathBuf,
        /// What was being done.
        action: &'static str,
        /// The system's reason.
        #[source]
        source: io::Error,
    },
}

impl FileError {
    /// Wraps a system error. Errors with a separate variant are recognized.
    pub fn io(path: &Path, action: &'static str, source: io::Error) -> Self {
        let path = path.to_path_buf();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::DiskFull { path, action },
            io::ErrorKind::NotFound => Self::Missing { path },
            _ => Self::Io { path, action, source },
        }
    }

    /// Does the same as [`io`](Self::io) for a file or folder that is being created: if something is missing, it is
    /// the parent folder.
    pub fn creating(path: &Path, action: &'static str, source: io::Error) -> Self {
        if source.kind() == io::ErrorKind::NotADirectory
            && let Some(error) = path.parent().and_then(no_folder)
        {
            return error;
        }
        match Self::io(path, action, source) {
            Self::Missing { path } => {
                let source = io::Error::new(io::ErrorKind::NotFound, "its folder does not exist");
                Self::Io { path, action, source }
            }
            other => other,
        }
    }
}

/// Creates a folder and its parents.
///
/// # Errors
/// Returns [`FileError::NotFolder`] if there is something else at the path or at a parent folder,
/// [`FileError::DiskFull`], or [`FileError::Io`].
pub fn make_folder(path: &Path) -> Result<(), FileError> {
    let failed = |e| no_folder(path).unwrap_or_else(|| FileError::creating(path, "making the folder", e));
    fs::create_dir_all(path).map_err(failed)
}

/// A folder that was created to hold something. Dropping it before [`keep`](Self::keep) removes it again, together
/// with the parents that were created for it, as long as they are empty.
#[derive(Debug)]
pub struct NewFolder {
    /// The folders that did not exist before, innermost first.
    made: Vec<PathBuf>,
}

impl NewFolder {
    /// Creates a folder and its parents; existing ones stay as they are.
    ///
    /// # Errors
    /// The same as [`make_folder`].
    pub fn make(path: &Path) -> Result<Self, FileError> {
        let is_missing = |at: &&Path| !at.as_os_str().is_empty() && !at.exists();
        let made = path.ancestors().take_while(is_missing).map(Path::to_path_buf).collect();
        // From here on, the folders that were created are removed if not all can be created.
        let folder = NewFolder { made };
        make_folder(path)?;
        Ok(folder)
    }

    /// Keeps the folder.
    pub fn keep(mut self) {
        self.made.clear();
    }
}

impl Drop for NewFolder {
    fn drop(&mut self) {
        // A folder that is not empty is not removed, and neither are its parents.
        let _ = self.made.iter().try_for_each(fs::remove_dir);
    }
}

/// Returns [`FileError::NotFolder`] if there is something other than a folder at the path or, if nothing is there, at
/// a parent folder.
pub fn no_folder(path: &Path) -> Option<FileError> {
    let (at, meta) = path.ancestors().find_map(|at| Some((at, fs::metadata(at).ok()?)))?;
    (!meta.is_dir()).then(|| FileError::NotFolder { path: at.to_path_buf(), kind: kind_of(&meta) })
}

/// Removes a file, if it exists.
///
/// # Errors
/// Returns [`FileError::Io`].
pub fn remove(path: &Path) -> Result<(), FileError> {
    match fs::remove_file(path) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(FileError::io(path, "removing it", e)),
        _ => Ok(()),
    }
}

/// Opens a regular file and returns it with its length.
///
/// The kind of file is checked before opening, because opening a FIFO for reading blocks until somebody writes, and
/// again on the open handle, because the name may refer to a different file by then.
///
/// # Errors
/// Returns [`FileError::Missing`], [`FileError::NotRegular`] (directory, FIFO, socket, device, dangling link) or
/// [`FileError::Io`].
pub fn open_regular(path: &Path) -> Result<(File, u64), FileError> {
    let not_regular = |kind| FileError::NotRegular { path: path.to_path_buf(), kind };
    let before = match fs::metadata(path) {
        Ok(meta) => meta,
        Err(e) if e.kind() == io::ErrorKind::NotFound && fs::symlink_metadata(path).is_ok() => {
            return Err(not_regular("a link to something that does not exist"));
        }
        Err(e) => return Err(FileError::io(path, "looking at it", e)),
    };
    if !before.is_file() {
        return Err(not_regular(kind_of(&before)));
    }
    let file = File::open(path).map_err(|e| FileError::io(path, "opening it", e))?;
    let meta = file.metadata().map_err(|e| FileError::io(path, "looking at it", e))?;
    if !meta.is_file() {
        return Err(not_regular(kind_of(&meta)));
    }
    Ok((file, meta.len()))
}

fn kind_of(meta: &fs::Metadata) -> &'static str {
    if meta.is_dir() {
        return "a directory";
    }
    if meta.is_file() {
        return "a file";
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        let kind = meta.file_type();
        if kind.is_fifo() {
            return "a FIFO";
        }
        if kind.is_socket() {
            return "a socket";
        }
        if kind.is_block_device() || kind.is_char_device() {
            return "a device";
        }
    }
    "a special file"
}

/// Reads a whole regular file of at most `limit` bytes.
///
/// # Errors
/// The same as [`open_regular`], and [`FileError::TooLarge`].
pub fn read_bounded(path: &Path, limit: u64) -> Result<Vec<u8>, FileError> {
    let (file, len) = open_regular(path)?;
    if len > limit {
        return Err(FileError::TooLarge { path: path.to_path_buf(), len, limit });
    }
    // The file may grow while it is read.
    read_all(path, file, len as usize, limit)
}

/// Reads everything from a reader on the file at `path`: about `expected` bytes, and at most `limit`. A reader may
/// unpack far more than the file contains.
///
/// # Errors
/// Returns [`FileError::TooLarge`] or [`FileError::Io`].
pub fn read_all(path: &Path, reader: impl Read, expected: usize, limit: u64) -> Result<Vec<u8>, FileError> {
    let mut bytes = Vec::with_capacity(expected);
    // One byte beyond the limit is enough to detect that there are more.
    let mut reader = reader.take(limit.saturating_add(1));
    reader.read_to_end(&mut bytes).map_err(|e| FileError::io(path, "reading it", e))?;
    if bytes.len() as u64 > limit {
        return Err(FileError::TooLarge { path: path.to_path_buf(), len: bytes.len() as u64, limit });
    }
    Ok(bytes)
}

/// Converts the bytes of the file at `path` to text.
///
/// # Errors
/// Returns [`FileError::NotText`].
pub fn text_of(path: &Path, bytes: Vec<u8>) -> Result<String, FileError> {
    String::from_utf8(bytes).map_err(|e| {
        let at = e.utf8_error().valid_up_to();
        foreign::refused(path, e.as_bytes())
            .unwrap_or_else(|| FileError::NotText { path: path.to_path_buf(), at })
    })
}

/// Reads a text file of at most `limit` bytes.
///
/// # Errors
/// The same as [`read_bounded`], and [`FileError::NotText`].
pub fn read_text(path: &Path, limit: u64) -> Result<String, FileError> {
    text_of(path, read_bounded(path, limit)?)
}

/// Reads a JSON file of at most `limit` bytes into `T`.
///
/// # Errors
/// The same as [`read_bounded`], and [`FileError::Empty`] and [`FileError::Json`].
pub fn read_json<T: DeserializeOwned>(path: &Path, limit: u64) -> Result<T, FileError> {
    let bytes = read_bounded(path, limit)?;
    if bytes.trim_ascii().is_empty() {
        return Err(FileError::Empty { path: path.to_path_buf() });
    }
    serde_json::from_slice(&bytes).map_err(|source| {
        foreign::refused(path, &bytes).unwrap_or_else(|| FileError::Json { path: path.to_path_buf(), source })
    })
}

/// Writes a file so that `path` afterwards contains either what it contained before, or everything that `fill` wrote.
///
/// The bytes are written to a temporary file in the same folder and flushed to the disk; then the file is renamed in
/// one step. A link at `path` is replaced, not followed.
///
/// # Errors
/// Returns [`FileError::NotRegular`] if there is something other than a file at `path`, [`FileError::DiskFull`], or
/// [`FileError::Io`].
pub fn write_atomically(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), FileError> {
    replace(path, fill, true)
}

/// Does the same as [`write_atomically`] for data that can be computed again: it does not wait for the disk, so after
/// a power failure the file may contain anything. Code that reads it must detect that.
///
/// # Errors
/// The same as [`write_atomically`].
pub fn write_unsynced(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), FileError> {
    replace(path, fill, false)
}

/// Writes a temporary file, flushes it if it must survive a power failure, and renames it.
fn replace(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    durable: bool,
) -> Result<(), FileError> {
    let mut file = UnfinishedFile::create(path)?;
    file.write(fill)?;
    file.put(durable)
}

/// A file that is written in steps and gets its name once it is complete: [`write_atomically`] in steps. Dropping it
/// earlier removes it. If the process is killed, the next process that writes into the folder removes the temporary
/// file, provided that the system has file locks.
#[derive(Debug)]
pub struct UnfinishedFile {
    path: PathBuf,
    out: BufWriter<File>,
    temp: TempPath,
    /// Open for as long as the temporary file is ours.
    _held: Option<File>,
}

impl UnfinishedFile {
    /// Begins to write the file that will be called `path`, in a temporary file in the same folder.
    ///
    /// # Errors
    /// The same as [`write_atomically`].
    pub fn create(path: &Path) -> Result<Self, FileError> {
        if let Ok(meta) = fs::metadata(path)
            && !meta.is_file()
        {
            return Err(FileError::NotRegular { path: path.to_path_buf(), kind: kind_of(&meta) });
        }
        let mut builder = unfinished::builder();
        // Temporary files are private by default, but this becomes an ordinary file, subject to the umask.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let make = || {
            let made = builder.tempfile_in(folder(path))?;
            let at = made.path().to_path_buf();
            Ok((made, at))
        };
        let (made, held) = unfinished::held(folder(path), make).map_err(|e| unwritten(path, e))?;
        let (file, temp) = made.into_parts();
        let out = BufWriter::with_capacity(1 << 20, file);
        Ok(UnfinishedFile { path: path.to_path_buf(), out, temp, _held: held })
    }

    /// Writes more.
    ///
    /// # Errors
    /// Returns [`FileError::DiskFull`] or [`FileError::Io`].
    pub fn write(&mut self, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), FileError> {
        fill(&mut self.out).map_err(|e| unwritten(&self.path, e))
    }

    /// Flushes the file to the disk and renames it.
    ///
    /// # Errors
    /// The same as [`write`](Self::write).
    pub fn finish(self) -> Result<(), FileError> {
        self.put(true)
    }

    fn put(self, durable: bool) -> Result<(), FileError> {
        let UnfinishedFile { path, out, temp, _held } = self;
        let fail = |e| unwritten(&path, e);
        let file = out.into_inner().map_err(|e| fail(e.into_error()))?;
        if durable {
            file.sync_all().map_err(fail)?;
        }
        temp.persist(&path).map_err(|e| fail(e.error))?;
        if durable { sync_folder(folder(&path)).map_err(fail) } else { Ok(()) }
    }
}

/// Returns the folder that contains a path.
pub(crate) fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

fn unwritten(path: &Path, error: io::Error) -> FileError {
    FileError::creating(path, "writing it", error)
}

/// Removes the temporary files and folders that [`write_atomically`] and
/// [`UnfinishedFolder`](crate::folders::UnfinishedFolder) left in a folder when their process was killed. No other
/// process may be writing there. If the folder does not exist, there is nothing to remove.
///
/// # Errors
/// Returns [`FileError::Io`] if the folder cannot be listed, or a file in it cannot be removed.
pub fn remove_unfinished(folder: &Path) -> Result<(), FileError> {
    let entries = match fs::read_dir(folder) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
        other => other.map_err(|e| FileError::io(folder, "listing it", e))?,
    };
    for entry in entries {
        let entry = entry.map_err(|e| FileError::io(folder, "listing it", e))?;
        if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
            let path = entry.path();
            // For a link to a folder, the link itself.
            match entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                true => fs::remove_dir_all(&path).map_err(|e| FileError::io(&path, "removing it", e))?,
                false => remove(&path)?,
            }
        }
    }
    Ok(())
}

/// Makes a rename in `folder` durable, on systems that support this.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    File::open(folder)?.sync_all()?;
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_open() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("f");
        fs::write(&file, b"abc").unwrap();
        assert_eq!(open_regular(&file).unwrap().1, 3);
        assert!(matches!(open_regular(&dir.path().join("none")), Err(FileError::Missing { .. })));
        let e = open_regular(dir.path()).unwrap_err();
        assert!(e.to_string().contains("a directory"), "{e}");
    }

    #[cfg(unix)]
    #[test]
    fn what_stands_in_the_way_of_a_folder_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("file");
        fs::write(&file, b"abc").unwrap();
        for path in [file.clone(), file.join("a"), file.join("a/b")] {
            let error = make_folder(&path).unwrap_err();
            assert_eq!(error.to_string(), format!("{}: this is a file, not a folder", file.display()));
        }
        let error = write_unsynced(&file.join("x"), |out| out.write_all(b"a")).unwrap_err();
        assert_eq!(error.to_string(), format!("{}: this is a file, not a folder", file.display()));
        make_folder(&dir.path().join("a/b")).unwrap();
        make_folder(&dir.path().join("a/b")).unwrap();
        remove(&dir.path().join("none")).unwrap();
        let error = remove(&dir.path().join("a")).unwrap_err().to_string();
        assert!(error.contains(&dir.path().join("a").display().to_string()), "{error}");
    }

    #[test]
    fn a_folder_for_nothing_goes_again() {
        let dir = tempfile::tempdir().unwrap();
        let (outer, inner) = (dir.path().join("a"), dir.path().join("a/b/c"));
        drop(NewFolder::make(&inner).unwrap());
        assert!(!outer.exists() && dir.path().exists());
        let folder = NewFolder::make(&inner).unwrap();
        fs::write(dir.path().join("a/x"), b"").unwrap();
        drop(folder);
        assert!(outer.is_dir() && !dir.path().join("a/b").exists());
        NewFolder::make(&inner).unwrap().keep();
        drop(NewFolder::make(&inner).unwrap());
        assert!(inner.is_dir());
        fs::write(dir.path().join("file"), b"").unwrap();
        assert!(NewFolder::make(&dir.path().join("file/b")).is_err());
    }

    #[test]
    fn a_full_disk_is_named() {
        let path = Path::new("/tmp/x");
        for kind in [io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded] {
            let error = FileError::creating(path, "writing it", kind.into());
            assert_eq!(error.to_string(), "/tmp/x: no space left on the device while writing it");
        }
        let Ok(mut full) = fs::OpenOptions::new().write(true).open("/dev/full") else { return };
        let error = FileError::io(path, "writing it", full.write_all(b"a").unwrap_err());
        assert!(matches!(error, FileError::DiskFull { .. }), "{error:?}");
    }

    #[test]
    fn fifos_and_dangling_links_are_named_and_never_block() {
        let dir = tempfile::tempdir().unwrap();
        let link = dir.path().join("link");
        std::os::unix::fs::symlink(dir.path().join("nowhere"), &link).unwrap();
        let e = open_regular(&link).unwrap_err();
        assert!(e.to_string().contains("does not exist"), "{e}");
        let fifo = dir.path().join("fifo");
        if std::process::Command::new("mkfifo").arg(&fifo).status().is_ok_and(|s| s.success()) {
            let e = open_regular(&fifo).unwrap_err();
            assert!(e.to_string().contains("a FIFO"), "{e}");
            assert!(matches!(write_atomically(&fifo, |_| Ok(())), Err(FileError::NotRegular { .. })));
        }
    }

    #[test]
    fn reading_is_bounded() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("f");
        fs::write(&file, b"12345").unwrap();
        assert_eq!(read_bounded(&file, 5).unwrap(), b"12345");
        assert!(matches!(read_bounded(&file, 4), Err(FileError::TooLarge { len: 5, limit: 4, .. })));
        let e = read_json::<Vec<u8>>(&file, 5).unwrap_err();
        assert!(matches!(e, FileError::Json { .. }), "{e}");
        for empty in ["", " \n"] {
            fs::write(&file, empty).unwrap();
            let e = read_json::<Vec<u8>>(&file, 5).unwrap_err();
            assert_eq!(e.to_string(), format!("{}: it is empty", file.display()));
        }
        fs::write(&file, b"12345").unwrap();
        assert_eq!(read_all(&file, io::repeat(7).take(3), 0, 3).unwrap(), [7; 3]);
        let e = read_all(&file, io::repeat(7), 0, 3).unwrap_err();
        assert!(matches!(e, FileError::TooLarge { len: 4, limit: 3, .. }), "{e}");
        assert_eq!(read_text(&file, 5).unwrap(), "12345");
        fs::write(&file, b"12\xff").unwrap();
        assert!(matches!(read_text(&file, 5), Err(FileError::NotText { at: 2, .. })));
    }

    #[test]
    fn a_failed_write_leaves_the_old_file_and_no_litter() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("f");
        write_atomically(&file, |w| w.write_all(b"old")).unwrap();
        let e = write_atomically(&file, |w| {
            w.write_all(b"half")?;
            Err(io::ErrorKind::StorageFull.into())
        })
        .unwrap_err();
        assert!(matches!(e, FileError::DiskFull { .. }), "{e}");
        assert_eq!(fs::read(&file).unwrap(), b"old");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn an_unfinished_file_has_its_name_when_it_is_whole() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        let names = || fs::read_dir(dir.path()).unwrap().count();
        let begin = || {
            let mut file = UnfinishedFile::create(&path).unwrap();
            file.write(|out| out.write_all(b"a")).unwrap();
            assert!(names() == 1 && !path.exists());
            file
        };
        drop(begin());
        assert_eq!(names(), 0);
        let mut file = begin();
        file.write(|out| out.write_all(b"b")).unwrap();
        file.finish().unwrap();
        assert_eq!((names(), fs::read(&path).unwrap()), (1, b"ab".to_vec()));
    }

    #[test]
    fn a_missing_folder_is_said_to_be_missing() {
        let dir = tempfile::tempdir().unwrap();
        let e = write_atomically(&dir.path().join("no/such"), |_| Ok(())).unwrap_err();
        let FileError::Io { source, .. } = e else { panic!("{e:?}") };
        assert!(source.to_string().contains("folder"), "{source}");
    }
}
