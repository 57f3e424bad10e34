//! Measured speed of devices: figures from this process, and those that earlier processes left on disk.
//!
//! A device is measured only when a caller asks for it ([`calibrate`], `rlx devices --calibrate`), never by
//! `pick_best_device`: a choice that occasionally takes half a second, and disturbs whatever else is running,
//! is worse than one based on what backends assume. Figures are kept in the user's cache under everything that
//! they depend on (RLX and its build, machine, processor, device, threads); a file that was written under any
//! other condition is ignored. If only one device can run a graph, nothing is estimated or read.

mod conditions;
mod file;
mod measure;

use crate::error::RuntimeError;
use crate::registry::backend_for;
use conditions::conditions;
use rlx_compile::{Availability, Backend, BackendError, Rates};
use rlx_driver::{Device, Env};
use rlx_files::files::FileError;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock, PoisonError};

/// A device that was measured.
#[derive(Debug)]
pub struct Calibration {
    /// The device.
    pub device: Device,
    /// What it does in a second.
    pub rates: Rates,
    /// The file in which other processes find that, or why there is none.
    pub kept: Result<PathBuf, NotKept>,
}

/// Why figures hold for this process alone.
#[derive(Debug, thiserror::Error)]
pub enum NotKept {
    /// There is nowhere to keep them.
    #[error(
        "no folder is known to keep it in: set RLX_CACHE_DIR to one (set to nothing, it forbids to keep anything), \
         XDG_CACHE_HOME or HOME"
    )]
    NoFolder,
    /// They could not be written.
    #[error(transparent)]
    File(#[from] FileError),
}

/// Measures a device through its backend: products of matrices, passes over more memory than caches hold, and runs that do next to
/// nothing. It takes a few tenths of a second, in which the device should have nothing else to do.
///
/// [`pick_best_device`](crate::pick_best_device) goes by the figures from now on, in this process and, where they could be kept in the
/// user's cache ([`rlx_files::cache_dir`]), in others that run under the same conditions: this version of RLX, this machine,
/// processor and device, and this number of threads.
///
/// # Errors
/// [`RuntimeError::NotBuiltIn`], [`RuntimeError::NotSupported`] and [`BackendError::Unavailable`] for a device that
/// cannot be used, and whatever its backend reports of the programs that are timed. That figures could not be kept is no
/// error: see [`Calibration::kept`].
pub fn calibrate(device: Device) -> Result<Calibration, RuntimeError> {
    // Two measurements at once would each find half a machine.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _only = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let backend = backend_for(device)?;
    let env = Env::read()?;
    let conditions = match backend.availability() {
        Availability::Present(description) => conditions(device, &description, &env),
        Availability::Missing(reason) => return Err(BackendError::Unavailable { device, reason }.into()),
    };
    let rates = measure::rates(&backend, &env)?;
    Ok(Calibration { device, rates, kept: known().keep(device, conditions, rates) })
}

/// The figures of a device, if it was measured under the conditions that this process runs under.
pub fn calibrated_rates(device: Device) -> Option<Rates> {
    known().rates(&*backend_for(device).ok()?)
}

/// What is known on this machine.
pub(crate) fn known() -> &'static Calibrations {
    static KNOWN: OnceLock<Calibrations> = OnceLock::new();
    let folder = || rlx_files::cache_dir().map(|cache| cache.join("calibration"));
    rlx_pool::once(&KNOWN, || Calibrations::kept_in(folder()))
}

/// Figures by the conditions under which they hold.
pub(crate) struct Calibrations {
    folder: Option<PathBuf>,
    /// What was measured or looked for on disk; `None` where nothing was found.
    rates: Mutex<HashMap<String, Option<Rates>>>,
}

impl Calibrations {
    fn kept_in(folder: Option<PathBuf>) -> Self {
        Calibrations { folder, rates: Mutex::default() }
    }

    /// The figures of the backend's device, if it can be used, under the conditions that it runs under now.
    pub(crate) fn rates(&self, backend: &dyn Backend) -> Option<Rates> {
        let Availability::Present(description) = backend.availability() else { return None };
        let device = backend.device();
        let conditions = conditions(device, &description, &Env::read().ok()?);
        let mut rates = rlx_pool::lock(&self.rates);
        if let Some(known) = rates.get(&conditions) {
            return *known;
        }
        let folder = self.folder.as_ref();
        let found = folder.and_then(|f| file::read(&file::path(f, device, &conditions), &conditions));
        rates.insert(conditions, found);
        found
    }

    /// Remembers figures; gives the file that they are in.
    fn keep(&self, device: Device, conditions: String, measured: Rates) -> Result<PathBuf, NotKept> {
        let folder = self.folder.as_ref().ok_or(NotKept::NoFolder);
        let path = folder.map(|folder| file::path(folder, device, &conditions));
        let kept = path.and_then(|path| {
            file::write(&path, &conditions, measured)?;
            Ok(path)
        });
        rlx_pool::lock(&self.rates).insert(conditions, Some(measured));
        kept
    }
}
