//! Where models lie on this machine: `<cache>/models/<name>/<revision>/`, a lock beside it, and the step by which
//! a fetched folder becomes a model.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::error::LocalError;
use super::{HubError, HubOptions, ModelPin, PinnedFile, Progress};
use crate::files::{make_folder, sync_folder};
use crate::lock::{Attempt, Lock};

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

    /// Makes the folder and waits until no other process fetches this model. Where the file system has no locks, the folder is
    /// still installed in one step: the worst is that two processes fetch the same files.
    pub(super) fn lock(&self, progress: &mut dyn Progress) -> Result<Lock, HubError> {
        let failed = |e| HubError::of_file(self.pin, &self.folder, e);
        make_folder(&self.folder).map_err(failed)?;
        match Lock::attempt(&self.folder.join(".lock")).map_err(failed)? {
            Attempt::Taken(lock) => Ok(lock),
            Attempt::Held(other) => {
                let (owner, model) = (other.owner, self.pin.name);
                progress.message(&format!("waiting for {owner}, which fetches the model {model}"));
                other.wait().map_err(failed)
            }
        }
    }

    /// A fresh folder to fetch into, after removing those that dead processes left.
    pub(super) fn incoming(&self, lock: &Lock) -> Result<TempDir, HubError> {
        if lock.is_exclusive() {
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
