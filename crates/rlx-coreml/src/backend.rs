//! CoreML as a backend: what it claims with its host, and whether it is there.

use crate::claims::CoremlClaims;
use crate::engine::{ComputeUnits, Engine, UnknownUnits, system_engine};
use crate::executable::CoremlProgram;
use rlx_compile::{
    Availability, Backend, BackendError, Claims, CompileOptions, Executable, HostExecutable, Lowered, Queue,
    Rates,
};
use rlx_cpu::CpuBackend;
use rlx_driver::{Device, Env};
use rlx_hybrid::{HybridBackend, HybridClaims};
use rlx_mil::emit::{Dialect, has_values, is_kept, refused};
use std::path::PathBuf;
use std::sync::Arc;

/// Options of the device `ane`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CoremlOptions {
    /// The units that CoreML may use; the CPU and the Neural Engine where nothing is said.
    pub units: Option<ComputeUnits>,
    /// Where what CoreML compiled is kept; in `coreml/` of the cache folder where nothing is said.
    pub cache: Option<PathBuf>,
    /// Whether packed parameters are unpacked before they are written; they stay packed where nothing is said.
    pub host_dequant: Option<bool>,
}

impl CoremlOptions {
    /// The defaults.
    pub fn new() -> CoremlOptions {
        CoremlOptions::default()
    }

    /// These options with units.
    pub fn units(mut self, units: ComputeUnits) -> CoremlOptions {
        self.units = Some(units);
        self
    }

    /// These options with a folder for what CoreML compiled.
    pub fn cache(mut self, folder: impl Into<PathBuf>) -> CoremlOptions {
        self.cache = Some(folder.into());
        self
    }

    /// These options, with packed parameters unpacked before they are written or not.
    pub fn host_dequant(mut self, unpacks: bool) -> CoremlOptions {
        self.host_dequant = Some(unpacks);
        self
    }
}

/// The device `ane`: packages that CoreML runs, and what programs cannot say on the host between them.
pub struct AneBackend {
    engine: Arc<dyn Engine>,
    claims: HybridClaims<CoremlClaims, CpuBackend>,
}

impl Default for AneBackend {
    fn default() -> AneBackend {
        AneBackend::new()
    }
}

impl AneBackend {
    /// By this machine's CoreML.
    pub fn new() -> AneBackend {
        AneBackend::with_engine(system_engine())
    }

    /// By what the program chooses.
    pub fn with_engine(engine: Arc<dyn Engine>) -> AneBackend {
        let claims = CoremlClaims { dialect: engine.opset().into() };
        AneBackend { engine, claims: HybridClaims::new(Device::Ane.name(), claims, CpuBackend) }
    }

    fn dialect(&self) -> Dialect {
        self.claims.device().dialect
    }
}

impl Backend for AneBackend {
    fn device(&self) -> Device {
        Device::Ane
    }

    fn availability(&self) -> Availability {
        self.engine.availability()
    }

    fn claims(&self) -> &dyn Claims {
        &self.claims
    }

    fn claims_key(&self) -> Option<String> {
        Some(format!("{} beside {}", self.dialect().opset.name(), CpuBackend.claims_key()?))
    }

    fn apply_env(&self, options: &mut CompileOptions, env: &Env) -> Result<(), BackendError> {
        let mut own = options.backend.get::<CoremlOptions>().cloned().unwrap_or_default();
        if let (None, Some(name)) = (own.units, &env.coreml_units) {
            own.units =
                Some(name.parse().map_err(|e: UnknownUnits| BackendError::Unsupported(e.to_string()))?);
        }
        own.cache = own.cache.or_else(|| Some(rlx_files::cache_dir()?.join("coreml")));
        own.host_dequant = own.host_dequant.or(env.coreml_host_dequant.then_some(true));
        options.backend.set(own);
        CpuBackend.apply_env(options, env)
    }

    fn prepare(&self, lowered: Lowered, _: &Arc<dyn Queue>) -> Result<Box<dyn Executable>, BackendError> {
        let (engine, dialect) = (&self.engine, self.dialect());
        let prepare = |lowered: Lowered| {
            let program = CoremlProgram::new(engine.clone(), dialect, lowered.clone());
            let executable: Box<dyn Executable> = Box::new(HostExecutable::new(&lowered, program)?);
            Ok(executable)
        };
        let hybrid = HybridBackend {
            claims: &self.claims,
            rates: self.rates(),
            host: &CpuBackend,
            holds: &has_values,
            keeps: &|shape| is_kept(shape, dialect),
            refused: &|graph| refused(graph, dialect),
            prepare: &prepare,
        };
        hybrid.prepare(lowered)
    }

    // Apple states 11 to 38 trillion operations a second, of 8-bit numbers; a graph of f16 has been seen to reach a tenth of that. A call
    // takes a part of a millisecond.
    fn rates(&self) -> Rates {
        Rates { flops: 1e12, bytes: 60e9, transfer: 10e9, run: 3e-4 }
    }
}
