//! The cache of models on this machine: `<cache>/models/<name>/<revision>/`. Next to a model are its lock and the
//! record of what was checked. This file also has the step that turns a fetched folder into a model.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::checked::{self, FileState};
use super::error::LocalError;
use super::{HubError, HubOptions, ModelPin, Progress};
use crate::files::{make_folder, remove_unfinished, sync_folder};
use crate::lock::{Attempt, Lock};

/// The prefix of folders that are being filled, or that a dead process left behind.
const INCOMING: &str = ".incoming-";

/// The files that a model still needs.
pub(super) struct Wanting {
    /// Files that do not exist or have the wrong length.
    pub(super) missing: Vec<&'static str>,
    /// Files whose bytes differ from the published ones.
    pub(super) damaged: Vec<&'static str>,
}

impl Wanting {
    pub(super) fn is_nothing(&self) -> bool {
        self.missing.is_empty() && self.damaged.is_empty()
    }
}

/// The location of one model.
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

    /// Returns what is wrong with the folder. Nothing is wrong if every file has its length and its bytes were
    /// checked since it was last changed.
    pub(super) fn wanting(&self) -> Result<Wanting, HubError> {
        let states = checked::states(self.pin, &self.model, &self.record())
            .map_err(|e| HubError::of_file(self.pin, &self.model, e))?;
        let with = |wanted: FileState| {
            let files = self.pin.files.iter().zip(&states).filter(move |(_, state)| **state == wanted);
            files.map(|(file, _)| file.path).collect()
        };
        Ok(Wanting { missing: with(FileState::Missing), damaged: with(FileState::Damaged) })
    }

    /// Returns the path of the record of what was checked.
    fn record(&self) -> PathBuf {
        self.folder.join(format!("{}.checked", self.pin.revision))
    }

    pub(super) fn into_model_dir(self) -> PathBuf {
        self.model
    }

    fn error(&self, path: &Path, action: &'static str, source: io::Error) -> HubError {
        LocalError::new(path, action, source).into_hub_error(self.pin)
    }

    /// Creates the folder, and waits until no other process fetches this model. If the file system has no locks, the
    /// folder is still installed in one step; at worst, two processes fetch the same files.
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

    /// Creates a new folder to fetch into, after removing those that dead processes left behind.
    pub(super) fn incoming(&self, lock: &Lock) -> Result<TempDir, HubError> {
        if lock.is_exclusive() {
            // While this process has the lock, no other process fills such a folder. Folders that cannot be removed
            // do no harm.
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

    /// Renames the folder `files` within `incoming` to the model's folder. An existing incomplete model is moved away
    /// first.
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
        // The bytes were checked while they were fetched.
        checked::keep(self.pin, &self.model, &self.record());
        Ok(())
    }
}
