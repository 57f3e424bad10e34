//! Folders that appear completely or not at all, whatever they contain.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Component, Path, PathBuf};

use tempfile::TempDir;

use crate::files::{FileError, folder, no_folder, sync_folder};
use crate::unfinished;

/// A folder that is written file by file and gets its name once it is complete. Dropping it earlier removes it.
///
/// The files are written to a temporary folder next to the final one and flushed to the disk; then the folder is
/// renamed in one step. A folder that already has the name is replaced as a whole: it is moved away, moved back if
/// the new one cannot take its place, and removed at the end. If the process is killed between the two steps, the old
/// folder remains as `.NAME.replaced-…`, and both are complete.
#[derive(Debug)]
pub struct UnfinishedFolder {
    path: PathBuf,
    temp: TempDir,
    /// The folders that were created inside.
    made: BTreeSet<PathBuf>,
    /// Open for as long as the temporary folder is ours.
    _held: Option<File>,
}

impl UnfinishedFolder {
    /// Begins to write the folder that will be called `path`. A link there is replaced, not followed.
    ///
    /// # Errors
    /// Returns [`FileError::NotFolder`] if there is something other than a folder at `path`, [`FileError::DiskFull`],
    /// or [`FileError::Io`].
    pub fn create(path: &Path) -> Result<Self, FileError> {
        let Some(name) = path.file_name() else {
            let source = io::Error::new(io::ErrorKind::InvalidInput, "a folder needs a name");
            return Err(FileError::Io { path: path.to_path_buf(), action: "making the folder", source });
        };
        if let Some(error) = no_folder(path) {
            return Err(error);
        }
        let around = folder(path);
        let mut builder = unfinished::builder();
        // Temporary folders are private by default, but this becomes an ordinary folder, subject to the umask.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o777));
        let make = || {
            let made = builder.tempdir_in(around)?;
            let at = made.path().to_path_buf();
            Ok((made, at))
        };
        let failed = |e| FileError::creating(path, "making the folder", e);
        let (temp, held) = unfinished::held(around, make).map_err(failed)?;
        // Without a trailing slash, which would follow a link.
        Ok(UnfinishedFolder { path: around.join(name), temp, made: BTreeSet::new(), _held: held })
    }

    /// Writes a file in the folder, and creates its parent folders. `name` is its path inside of the folder.
    ///
    /// # Errors
    /// Returns [`FileError::DiskFull`] or [`FileError::Io`]; also if `name` leads out of the folder, or is the name
    /// of a file that was already written.
    pub fn write(
        &mut self,
        name: &str,
        fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), FileError> {
        let inside = Path::new(name);
        let failed = |e| FileError::creating(&self.path.join(inside), "writing it", e);
        if inside.components().any(|part| !matches!(part, Component::Normal(_))) {
            return Err(failed(io::Error::new(
                io::ErrorKind::InvalidInput,
                "its name leads out of the folder",
            )));
        }
        let around = inside.parent().unwrap_or(Path::new(""));
        fs::create_dir_all(self.temp.path().join(around)).map_err(failed)?;
        let file = File::create_new(self.temp.path().join(inside)).map_err(failed)?;
        let mut out = BufWriter::with_capacity(1 << 20, file);
        fill(&mut out).map_err(failed)?;
        let file = out.into_inner().map_err(|e| failed(e.into_error()))?;
        file.sync_all().map_err(failed)?;
        self.made.extend(around.ancestors().map(Path::to_path_buf));
        Ok(())
    }

    /// Flushes the folder to the disk and renames it.
    ///
    /// # Errors
    /// Returns [`FileError::DiskFull`] or [`FileError::Io`]. A folder that had the name before still has it, unless
    /// the error says that it could not be moved back, or that the new folder is in place but the old one could not
    /// be removed.
    pub fn finish(self) -> Result<(), FileError> {
        let UnfinishedFolder { path, temp, made, _held } = self;
        let failed = |e| FileError::creating(&path, "writing it", e);
        for inside in made {
            sync_folder(&temp.path().join(inside)).map_err(failed)?;
        }
        let old = Replaced::take(&path)?;
        if let Err(error) = fs::rename(temp.path(), &path) {
            return Err(old.map_or(Ok(()), |old| old.put_back(&path)).err().unwrap_or_else(|| failed(error)));
        }
        // The temporary folder no longer exists under its old name.
        let _ = temp.keep();
        sync_folder(folder(&path)).map_err(failed)?;
        old.map_or(Ok(()), Replaced::remove)
    }
}

/// The old folder, after it was moved away.
struct Replaced {
    /// A temporary folder that contains it.
    around: TempDir,
    /// Its path in that folder.
    at: PathBuf,
}

impl Replaced {
    /// Moves away what is at a path; returns `None` if there is nothing.
    fn take(path: &Path) -> Result<Option<Replaced>, FileError> {
        let failed = |e| FileError::io(path, "moving away what is to be replaced", e);
        match fs::symlink_metadata(path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            other => other.map_err(failed)?,
        };
        let name = path.file_name().unwrap_or_default();
        let mut prefix = OsString::from(".");
        prefix.push(name);
        prefix.push(".replaced-");
        let around = tempfile::Builder::new().prefix(&prefix).tempdir_in(folder(path)).map_err(failed)?;
        let at = around.path().join(name);
        fs::rename(path, &at).map_err(failed)?;
        Ok(Some(Replaced { around, at }))
    }

    /// Gives the old folder its name back. If that fails, the folder stays where it is, and the error says where.
    fn put_back(self, path: &Path) -> Result<(), FileError> {
        let Replaced { around, at } = self;
        fs::rename(&at, path).map_err(|source| {
            let _ = around.keep();
            FileError::Io { path: at, action: "moving what was to be replaced back to its name", source }
        })
    }

    /// Removes the old folder, or the link that had its name.
    fn remove(self) -> Result<(), FileError> {
        let at = self.at;
        self.around.close().map_err(|e| FileError::io(&at, "removing what has been replaced", e))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::remove_unfinished;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn begin(path: &Path, text: &str) -> UnfinishedFolder {
        let mut folder = UnfinishedFolder::create(path).unwrap();
        folder.write("a", |out| out.write_all(text.as_bytes())).unwrap();
        folder.write("b/c/d", |out| out.write_all(b"deep")).unwrap();
        folder
    }

    #[test]
    fn a_folder_has_its_name_when_it_is_whole() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x");
        drop(begin(&path, "dropped"));
        assert!(names(dir.path()).is_empty());
        let folder = begin(&path, "new");
        assert!(!path.exists() && names(dir.path()).len() == 1);
        folder.finish().unwrap();
        assert_eq!((names(dir.path()), names(&path)), (vec!["x".into()], vec!["a".into(), "b".into()]));
        assert_eq!(fs::read(path.join("b/c/d")).unwrap(), b"deep");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            fs::create_dir(dir.path().join("y")).unwrap();
            let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
            assert_eq!(mode(&path), mode(&dir.path().join("y")));
        }
    }

    #[test]
    fn a_folder_that_is_there_is_replaced_whole() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x");
        fs::create_dir_all(path.join("old/deep")).unwrap();
        fs::write(path.join("old/deep/file"), b"old").unwrap();
        begin(&dir.path().join("x/"), "new").finish().unwrap();
        assert_eq!((names(dir.path()), names(&path)), (vec!["x".into()], vec!["a".into(), "b".into()]));
        assert_eq!(fs::read(path.join("a")).unwrap(), b"new");
    }

    #[test]
    fn a_failed_write_leaves_the_old_folder_and_no_litter() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x");
        begin(&path, "old").finish().unwrap();
        let mut folder = begin(&path, "new");
        let error = folder.write("full", |_| Err(io::ErrorKind::StorageFull.into())).unwrap_err();
        assert!(matches!(error, FileError::DiskFull { .. }), "{error:?}");
        assert!(error.to_string().starts_with(&path.join("full").display().to_string()), "{error}");
        for (name, expected) in [("../y", "leads out"), ("/y", "leads out"), ("a", "exists")] {
            let FileError::Io { source, .. } = folder.write(name, |_| Ok(())).unwrap_err() else {
                panic!("{name}")
            };
            assert!(source.to_string().contains(expected), "{source}");
        }
        drop(folder);
        assert_eq!((names(dir.path()), fs::read(path.join("a")).unwrap()), (vec!["x".into()], b"old".into()));
    }

    #[test]
    fn what_cannot_be_replaced_is_put_back() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x");
        begin(&path, "old").finish().unwrap();
        // What was written is gone, so it cannot be renamed.
        let folder = UnfinishedFolder::create(&path).unwrap();
        fs::remove_dir(folder.temp.path()).unwrap();
        folder.finish().unwrap_err();
        assert_eq!((names(dir.path()), fs::read(path.join("a")).unwrap()), (vec!["x".into()], b"old".into()));
    }

    #[test]
    fn what_a_killed_process_left_is_removed_and_what_was_to_be_replaced_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let _ = begin(&dir.path().join("x"), "left").temp.keep();
        begin(&dir.path().join("x"), "old").finish().unwrap();
        let old = Replaced::take(&dir.path().join("x")).unwrap().unwrap();
        assert_eq!(names(dir.path()).len(), 2);
        remove_unfinished(dir.path()).unwrap();
        assert_eq!(names(dir.path()).len(), 1);
        old.put_back(&dir.path().join("x")).unwrap();
        assert_eq!(fs::read(dir.path().join("x/a")).unwrap(), b"old");
    }

    #[test]
    fn what_is_no_folder_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("file");
        fs::write(&file, b"a").unwrap();
        for path in [file.clone(), file.join("x")] {
            let error = UnfinishedFolder::create(&path).unwrap_err();
            assert_eq!(error.to_string(), format!("{}: this is a file, not a folder", file.display()));
        }
        let FileError::Io { source, .. } = UnfinishedFolder::create(&dir.path().join("no/x")).unwrap_err()
        else {
            panic!("the folder around it is missing")
        };
        assert!(source.to_string().contains("folder does not exist"), "{source}");
        assert!(UnfinishedFolder::create(&dir.path().join("..")).is_err());
        assert_eq!(names(dir.path()), ["file"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_replaced_and_what_it_leads_to_stays() {
        let dir = tempfile::tempdir().unwrap();
        let (path, other) = (dir.path().join("x"), dir.path().join("other"));
        fs::create_dir(&other).unwrap();
        fs::write(other.join("mine"), b"mine").unwrap();
        for to in [&other, &dir.path().join("nowhere")] {
            std::os::unix::fs::symlink(to, &path).unwrap();
            begin(&dir.path().join("x/"), "new").finish().unwrap();
            assert!(fs::symlink_metadata(&path).unwrap().is_dir());
            assert_eq!(
                (names(dir.path()), names(&other)),
                (vec!["other".into(), "x".into()], vec!["mine".into()])
            );
            fs::remove_dir_all(&path).unwrap();
        }
    }
}
