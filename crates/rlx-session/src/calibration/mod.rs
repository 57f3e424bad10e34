//! The measured speed of devices: figures from this process, and from earlier processes, which left them on disk.
//!
//! A device is measured only when a caller asks for it ([`calibrate`], `rlx devices --calibrate`), never by `pick_best_device`: a choice
//! that occasionally takes half a second and disturbs whatever else is running is worse than one based on what backends assume. Figures are
//! stored in the user's cache together with everything that they depend on (RLX and its build, machine, processor, device, threads); a file
//! written under other conditions is ignored. If only one device can run a graph, nothing is estimated or read.

mod conditions;
mod file;
mod measure;

use crate::error::RuntimeError;
use crate::registry::backend_for;
use crate::variables;
use conditions::conditions;
use rlx_compile::{BackendError, Rates};
use rlx_driver::{Device, Env};
use rlx_exec::{Availability, Backend};
use rlx_files::files::FileError;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock, PoisonError};

/// A device that was measured.
#[derive(Debug)]
pub struct Calibration {
    /// The device.
    pub device: Device,
    /// The work that it does per second.
    pub rates: Rates,
    /// The file from which other processes read the rates, or why there is none.
    pub kept: Result<PathBuf, NotKept>,
}

/// Why figures are valid in this process only.
#[derive(Debug, thiserror::Error)]
pub enum NotKept {
    /// There is no folder to store them in.
    #[error(
        "there is no folder to store it in: set RLX_CACHE_DIR to one (an empty value disables the cache), \
         XDG_CACHE_HOME or HOME"
    )]
    NoFolder,
    /// They could not be written.
    #[error(transparent)]
    File(#[from] FileError),
}

/// Measures a device through its backend: products of matrices, reads of more memory than fits in caches, and runs that do next to nothing.
/// It takes a few tenths of a second, during which the device should have nothing else to do.
///
/// From then on, [`pick_best_device`](crate::pick_best_device) uses the figures in this process. If they can be stored in the user's cache
/// ([`rlx_files::cache_dir`]), it also uses them in other processes that run under the same conditions: this version of RLX, this machine,
/// processor and device, and this number of threads.
///
/// # Errors
/// Returns [`RuntimeError::NotBuiltIn`], [`RuntimeError::NotSupported`] or [`BackendError::Unavailable`] if the device cannot be used, and
/// any error of its backend for the programs that are timed. Failing to store the figures is not an error: see [`Calibration::kept`].
pub fn calibrate(device: Device) -> Result<Calibration, RuntimeError> {
    // Two measurements at the same time would compete for the machine.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _only = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let backend = backend_for(device)?;
    let env = variables::checked_env()?;
    let conditions = match backend.availability() {
        Availability::Present(description) => conditions(device, &description, &env)?,
        Availability::Missing(reason) => return Err(BackendError::Unavailable { device, reason }.into()),
    };
    let rates = measure::rates(&backend, &env)?;
    Ok(Calibration { device, rates, kept: known().keep(device, conditions, rates) })
}

/// Returns the figures of a device, if it was measured under the conditions of this process.
pub fn calibrated_rates(device: Device) -> Option<Rates> {
    known().rates(&*backend_for(device).ok()?)
}

/// The figures known on this machine.
pub(crate) fn known() -> &'static Calibrations {
    static KNOWN: OnceLock<Calibrations> = OnceLock::new();
    let folder = || rlx_files::cache_dir().map(|cache| cache.join("calibration"));
    rlx_pool::once(&KNOWN, || Calibrations::kept_in(folder()))
}

/// Figures by the conditions under which they hold.
pub(crate) struct Calibrations {
    folder: Option<PathBuf>,
    /// Figures that were measured or looked up on disk; `None` if none were found.
    rates: Mutex<HashMap<String, Option<Rates>>>,
}

impl Calibrations {
    fn kept_in(folder: Option<PathBuf>) -> Self {
        Calibrations { folder, rates: Mutex::default() }
    }

    /// Returns the figures of the backend's device under the current conditions, if the device can be used.
    pub(crate) fn rates(&self, backend: &dyn Backend) -> Option<Rates> {
        let Availability::Present(description) = backend.availability() else { return None };
        let device = backend.device();
        let conditions = conditions(device, &description, &Env::process()).ok()?;
        let mut rates = rlx_pool::lock(&self.rates);
        if let Some(known) = rates.get(&conditions) {
            return *known;
        }
        let folder = self.folder.as_ref();
        let found = folder.and_then(|f| file::read(&file::path(f, device, &conditions), &conditions));
        rates.insert(conditions, found);
        found
    }

    /// Remembers figures, and returns the file that they were written to.
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
