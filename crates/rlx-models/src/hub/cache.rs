//! The cache of models on this machine: `<cache>/models/<name>/<revision>/`. Next to it are a lock and the
//! record of what was checked; here is also the step by which a fetched folder becomes a model.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::checked::{self, FileState};
use super::error::LocalError;
use super::{HubError, HubOptions, ModelPin, Progress};
use crate::files::{make_folder, remove_unfinished, sync_folder};
use crate::lock::{Attempt, Lock};

/// Folders that are being filled, or were when their process died.
const INCOMING: &str = ".incoming-";

/// The files that a model lacks.
pub(super) struct Wanting {
    /// Those that are not there, or not with their length.
    pub(super) missing: Vec<&'static str>,
    /// Those that have other bytes than were published.
    pub(super) damaged: Vec<&'static str>,
}

impl Wanting {
    pub(super) fn is_nothing(&self) -> bool {
        self.missing.is_empty() && self.damaged.is_empty()
    }
}

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

    /// What keeps the folder from being the model: every file is there with its length, and its bytes were checked since it was
    /// last changed.
    pub(super) fn wanting(&self) -> Result<Wanting, HubError> {
        let states = checked::states(self.pin, &self.model, &self.record())
            .map_err(|e| HubError::of_file(self.pin, &self.model, e))?;
        let with = |wanted: FileState| {
            let files = self.pin.files.iter().zip(&states).filter(move |(_, state)| **state == wanted);
            files.map(|(file, _)| file.path).collect()
        };
        Ok(Wanting { missing: with(FileState::Missing), damaged: with(FileState::Damaged) })
    }

    /// The record of what was checked.
    fn record(&self) -> PathBuf {
        self.folder.join(format!("{}.checked", self.pin.revision))
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
            let _ = remove_unfinished(&self.folder);
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
        sync_folder(&self.folder).map_err(|e| self.error(&self.folder, "writing", e))?;
        // The bytes were checked as they came.
        checked::keep(self.pin, &self.model, &self.record());
        Ok(())
    }
}
