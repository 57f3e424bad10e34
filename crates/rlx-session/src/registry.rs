//! The registry of backends in this program, their pairs, and the choice of a device.

use crate::calibration;
use crate::error::RuntimeError;
use rlx_driver::env::AnyVariable;
use rlx_driver::{Device, DeviceId};
use rlx_exec::{Availability, Backend, MemoryUse};
use rlx_hybrid::HybridBackend;
use rlx_ir::Graph;
use std::sync::{Arc, OnceLock, RwLock};

/// The backends of this program.
struct Registry {
    /// The backends of single devices, and pairs that were registered from outside.
    backends: Vec<Arc<dyn Backend>>,
    /// The pairs that were made of them, which remember answers about ops.
    pairs: Vec<Arc<dyn Backend>>,
}

fn registry() -> &'static RwLock<Registry> {
    static REGISTRY: OnceLock<RwLock<Registry>> = OnceLock::new();
    rlx_pool::once(&REGISTRY, || RwLock::new(Registry { backends: built_in(), pairs: Vec::new() }))
}

/// The devices that do not run every graph, each with the device that runs the rest. A user who names the first gets both. Other pairs are
/// named as such (`mlx,cpu`).
const COMPLETED: [(Device, Device); 1] = [(Device::Ane, Device::Cpu)];

/// Returns the built-in backends; each is one line here.
fn built_in() -> Vec<Arc<dyn Backend>> {
    vec![
        #[cfg(feature = "cpu")]
        Arc::new(rlx_cpu::CpuBackend),
        #[cfg(feature = "tpu")]
        Arc::new(rlx_tpu::TpuBackend::new()),
        #[cfg(feature = "mlx")]
        Arc::new(rlx_mlx::MlxBackend::new()),
        #[cfg(feature = "coreml")]
        Arc::new(rlx_coreml::AneBackend::new()),
        #[cfg(feature = "interpreter")]
        Arc::new(rlx_interpreter::InterpreterBackend),
    ]
}

impl Registry {
    fn find(&self, device: Device) -> Option<&Arc<dyn Backend>> {
        self.backends.iter().find(|backend| backend.device() == device)
    }

    /// Returns the backend that was registered for a device.
    fn registered(&self, device: Device) -> Result<&Arc<dyn Backend>, RuntimeError> {
        self.find(device).ok_or_else(|| {
            let present: Vec<&str> = self.backends.iter().map(|b| b.device().name()).collect();
            let present = present.join(", ");
            match device.feature() {
                Some(feature) => RuntimeError::NotBuiltIn { device, feature, present },
                None => RuntimeError::NotSupported { device, present },
            }
        })
    }

    /// Returns the two backends of a device if it is a pair, or is completed by another device that is built in.
    fn parts(&self, device: Device) -> Result<Option<[&Arc<dyn Backend>; 2]>, RuntimeError> {
        let (first, second) = match device {
            Device::Pair(_) if self.find(device).is_some() => return Ok(None),
            Device::Pair(pair) => (pair.first(), self.registered(pair.second())?),
            _ => {
                let completed = COMPLETED.iter().find(|(first, _)| *first == device);
                let Some(second) = completed.and_then(|(_, second)| self.find(*second)) else {
                    return Ok(None);
                };
                (device, second)
            }
        };
        Ok(Some([self.registered(first)?, second]))
    }
}

/// Registers a backend from outside, which replaces an existing one for the same device. Pairs with this device use it from now on.
pub fn register_backend(backend: Arc<dyn Backend>) {
    let mut registry = rlx_pool::write(registry());
    registry.backends.retain(|b| b.device() != backend.device());
    registry.backends.push(backend);
    registry.pairs.clear();
}

/// Returns the environment variables of all backends.
pub(crate) fn variables() -> Vec<&'static dyn AnyVariable> {
    let registry = rlx_pool::read(registry());
    registry.backends.iter().flat_map(|backend| backend.variables()).copied().collect()
}

/// Returns the backend of a device or of a pair of devices, whether or not it is present.
///
/// # Errors
/// Returns [`RuntimeError::NotBuiltIn`] or [`RuntimeError::NotSupported`] if the device, or one of the pair, has no backend.
pub fn backend_for(device: Device) -> Result<Arc<dyn Backend>, RuntimeError> {
    let known = |registry: &Registry| registry.pairs.iter().find(|pair| pair.device() == device).cloned();
    {
        let registry = rlx_pool::read(registry());
        if let Some(pair) = known(&registry) {
            return Ok(pair);
        }
        if registry.parts(device)?.is_none() {
            return registry.registered(device).cloned();
        }
    }
    let mut registry = rlx_pool::write(registry());
    if let Some(pair) = known(&registry) {
        return Ok(pair);
    }
    // The backends may have changed since the registry was read.
    let Some([first, second]) = registry.parts(device)? else { return registry.registered(device).cloned() };
    let pair = HybridBackend::new(first.clone(), second.clone()).named(device);
    let pair: Arc<dyn Backend> = Arc::new(pair);
    registry.pairs.push(pair.clone());
    Ok(pair)
}

/// Returns whether a device can be used now, and if not, why.
pub fn device_status(device: Device) -> Availability {
    let why_not = |device: Device| match device.feature() {
        Some(feature) => format!("not built in (feature `{feature}` of crate `rlx`)"),
        None => "not supported by this version yet".into(),
    };
    match (backend_for(device), device) {
        (Ok(backend), _) => backend.availability(),
        (Err(_), Device::Pair(pair)) => {
            let missing = if backend_for(pair.first()).is_err() { pair.first() } else { pair.second() };
            Availability::Missing(format!("`{missing}` is missing: {}", why_not(missing)))
        }
        (Err(_), device) => Availability::Missing(why_not(device)),
    }
}

/// Returns the number of devices of this kind; they are numbered from 0.
pub fn device_count(device: Device) -> usize {
    backend_for(device).map_or(0, |backend| backend.device_count())
}

/// Returns the memory use of a device, as far as it is known. For the CPU, this is what this process has allocated in buffers of programs:
/// working memory, state and packed weights, but not weights that the caller owns.
pub fn device_memory(device: impl Into<DeviceId>) -> Option<MemoryUse> {
    let DeviceId { device, ordinal } = device.into();
    backend_for(device).ok()?.memory(ordinal)
}

/// Whether a device can be used now.
pub fn is_available(device: Device) -> bool {
    device_status(device).is_present()
}

/// Returns the devices that can be used now.
pub fn available_devices() -> Vec<Device> {
    Device::ALL.into_iter().filter(|&d| is_available(d)).collect()
}

/// Returns the device with the lowest estimated time, among the devices that can be used and that run the whole graph.
///
/// Estimates use the measured rates of a device ([`calibrate`](crate::calibrate), in this process or an earlier one), or if there are none,
/// the rates that its backend assumes. This function measures nothing.
pub fn pick_best_device(graph: &Graph) -> Result<Device, RuntimeError> {
    let runs_it = |backend: &Arc<dyn Backend>| {
        matches!(crate::report::supports_graph(graph, backend.device()), Ok(true))
    };
    let backends = available_devices().into_iter().filter_map(|device| backend_for(device).ok());
    let candidates: Vec<Arc<dyn Backend>> = backends.filter(runs_it).collect();
    let seconds = |backend: &Arc<dyn Backend>| {
        let rates = calibration::known().rates(&**backend).unwrap_or_else(|| backend.rates());
        backend.cost(graph, &rates).seconds
    };
    match &candidates[..] {
        // With one candidate, there is nothing to estimate, and no file to look for.
        [only] => Ok(only.device()),
        several => {
            let estimates = several.iter().map(|backend| (backend.device(), seconds(backend)));
            match estimates.min_by(|a, b| a.1.total_cmp(&b.1)) {
                Some((best, _)) => Ok(best),
                // The CPU is always available, and its error says which op has no kernel.
                None => {
                    crate::report::legalize_graph_for_device(graph.clone(), Device::Cpu).map(|_| Device::Cpu)
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the names of the features in a manifest.
    fn features(manifest: &str) -> Vec<String> {
        let table: toml::Table = manifest.parse().expect("a manifest");
        let features = table["features"].as_table().expect("a table of features");
        features.keys().cloned().collect()
    }

    #[test]
    fn a_device_names_the_feature_of_its_backend_where_there_is_one() {
        for manifest in [include_str!("../Cargo.toml"), include_str!("../../rlx/Cargo.toml")] {
            let features = features(manifest);
            for device in Device::ALL {
                // One feature is named after the library that it uses instead of the device.
                let name = if device == Device::Ane { "coreml" } else { device.name() };
                let feature = features.iter().map(String::as_str).find(|feature| *feature == name);
                assert_eq!(device.feature(), feature, "{device}: {features:?}");
            }
        }
    }

    #[test]
    fn every_backend_that_is_built_in_has_a_feature() {
        for backend in built_in() {
            assert!(backend.device().feature().is_some(), "{}", backend.device());
        }
    }

    #[test]
    fn a_pair_is_made_once_of_the_backends_of_its_devices() {
        let name = |device: Device| backend_for(device).map(|_| ()).map_err(|error| error.to_string());
        let pair = Device::Cuda.with(Device::Cpu).expect("a pair");
        let error = name(pair).expect_err("one device has no backend");
        assert!(error.starts_with("cuda is not supported by this version yet; use one of: "), "{error}");
        let why = "`cuda` is missing: not supported by this version yet".to_string();
        assert_eq!(device_status(pair), Availability::Missing(why));
        let pair = Device::Cpu.with(Device::Rocm).expect("a pair");
        assert!(name(pair).expect_err("one device has no backend").starts_with("rocm is not supported"));
        let why = "`rocm` is missing: not supported by this version yet".to_string();
        assert_eq!((device_status(pair), device_count(pair)), (Availability::Missing(why), 0));
        if cfg!(feature = "coreml") {
            for device in [Device::Ane, Device::Ane.with(Device::Cpu).expect("a pair")] {
                let backend = backend_for(device).expect("both are built in");
                assert_eq!(backend.device(), device);
                assert!(Arc::ptr_eq(&backend, &backend_for(device).expect("both are built in")));
                assert_eq!(backend.claims_key().expect("a key").matches(" beside ").count(), 1);
            }
        }
    }

    #[test]
    fn a_device_without_a_backend_is_not_said_to_need_a_feature() {
        let error = backend_for(Device::Cuda).map(|_| ()).expect_err("there is no such backend").to_string();
        assert!(error.starts_with("cuda is not supported by this version yet; use one of: "), "{error}");
        let why = "not supported by this version yet".to_string();
        assert_eq!(device_status(Device::Cuda), Availability::Missing(why));
        if cfg!(not(feature = "tpu")) {
            let error = backend_for(Device::Tpu).map(|_| ()).expect_err("it is not built in").to_string();
            assert!(error.contains("build with the feature `tpu` of crate `rlx`"), "{error}");
        }
    }
}
