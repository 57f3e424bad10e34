//! Where models lie on this machine: `<cache>/models/<name>/<revision>/`, a lock beside it, and the step by which
//! a fetched folder becomes a model.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::error::LocalError;
use super::{HubError, HubOptions, ModelPin, PinnedFile, Progress};
use crate::files::sync_folder;

/// Folders that are being filled, or were when their process died.
const INCOMING: &str = ".incoming-";

/// The place of one model.
pub(super) struct Cache<'a> {
    pin: &'a ModelPin,
    /// `<cache>/models/<name>`.
    folder: PathBuf,
    /// `<folder>/<revision>`.
    model: PathBuf,
}

/// Held while a model is fetched. Dropping it, or the death of the process, frees it.
pub(super) struct Lock(Option<File>);

impl<'a> Cache<'a> {
    pub(super) fn of(pin: &'a ModelPin, options: &HubOptions) -> Result<Self, HubError> {
        let root = options.cache.as_ref().ok_or(HubError::NoCacheFolder)?;
        let folder = root.join("models").join(pin.name);
        let model = folder.join(pin.revision);
        Ok(Cache { pin, folder, model })
    }

    /// Whether every file is there with its length. Their hashes were checked before they came here.
    pub(super) fn is_complete(&self, pin: &ModelPin) -> bool {
        self.missing(pin).next().is_none()
    }

    /// The files that are not there, or not with their length.
    pub(super) fn missing(&self, pin: &ModelPin) -> impl Iterator<Item = &'static str> {
        let is_there = |file: &&PinnedFile| {
            fs::metadata(self.model.join(file.path))
                .is_ok_and(|meta| meta.is_file() && meta.len() == file.len)
        };
        pin.files.iter().filter(move |file| !is_there(file)).map(|file| file.path)
    }

    pub(super) fn into_model_dir(self) -> PathBuf {
        self.model
    }

    fn error(&self, path: &Path, action: &'static str, source: io::Error) -> HubError {
        LocalError::new(path, action, source).into_hub_error(self.pin)
    }

    /// Makes the folder and waits until no other process fetches this model.
    pub(super) fn lock(&self, progress: &mut dyn Progress) -> Result<Lock, HubError> {
        fs::create_dir_all(&self.folder).map_err(|e| self.error(&self.folder, "creating", e))?;
        let path = self.folder.join(".lock");
        let file = File::options().create(true).truncate(false).write(true).open(&path);
        let file = file.map_err(|e| self.error(&path, "opening", e))?;
        match file.try_lock() {
            Ok(()) => return Ok(Lock(Some(file))),
            Err(TryLockError::WouldBlock) => {}
            // Some network file systems have no locks. The folder is still installed in one step, so the worst
            // is that two processes fetch the same files.
            Err(TryLockError::Error(e)) if e.kind() == io::ErrorKind::Unsupported => return Ok(Lock(None)),
            Err(TryLockError::Error(e)) => return Err(self.error(&path, "locking", e)),
        }
        progress.message(&format!("waiting for another process that fetches the model {}", self.pin.name));
        file.lock().map_err(|e| self.error(&path, "locking", e))?;
        Ok(Lock(Some(file)))
    }

    /// A fresh folder to fetch into, after removing those that dead processes left.
    pub(super) fn incoming(&self, lock: &Lock) -> Result<TempDir, HubError> {
        if lock.0.is_some() {
            // Under the lock nobody else fills one. What cannot be removed harms nobody.
            for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
                if entry.file_name().to_string_lossy().starts_with(INCOMING) {
                    let _ = fs::remove_dir_all(entry.path());
                }
            }
        }
        let dir = tempfile::Builder::new().prefix(INCOMING).tempdir_in(&self.folder);
        dir.map_err(|e| self.error(&self.folder, "creating a folder in", e))
    }

    /// Gives the folder `files` within `incoming` the model's name. Whatever stood there, an incomplete model,
    /// goes away first.
    pub(super) fn install(&self, files: &Path) -> Result<(), HubError> {
        let subfolders =
            self.pin.files.iter().filter_map(|f| files.join(f.path).parent().map(Path::to_path_buf));
        for folder in subfolders.chain([files.to_path_buf()]) {
            sync_folder(&folder).map_err(|e| self.error(&folder, "writing", e))?;
        }
        if self.model.symlink_metadata().is_ok() {
            let aside = tempfile::Builder::new().prefix(INCOMING).tempdir_in(&self.folder);
            let aside = aside.map_err(|e| self.error(&self.folder, "creating a folder in", e))?;
            fs::rename(&self.model, aside.path().join("old"))
                .map_err(|e| self.error(&self.model, "replacing", e))?;
        }
        fs::rename(files, &self.model).map_err(|e| self.error(&self.model, "installing", e))?;
        sync_folder(&self.folder).map_err(|e| self.error(&self.folder, "writing", e))
    }
}
