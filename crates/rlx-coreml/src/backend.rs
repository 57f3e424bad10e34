//! CoreML as a backend: the ops that it claims together with its host, and whether it is available.

use crate::claims::CoremlClaims;
use crate::engine::{ComputeUnits, Engine, system_engine};
use crate::executable::{CoremlProgram, packaging};
use crate::sizes::{ModelSizes, OpenGraphs, OpenModels, SharedModels, SizedPrograms};
use crate::variables::{FLEXIBLE_INPUTS, HOST_DEQUANT, NATIVE_FLEX, UNITS, VARIABLES};
use rlx_compile::{BackendError, Claims, CompileOptions, Lowered, Rates};
use rlx_cpu::CpuBackend;
use rlx_driver::env::Variables;
use rlx_driver::{Device, Env, Topic};
use rlx_exec::{Availability, Backend, Executable, HostEngine, HostProgram, Instance, Queue};
use rlx_hybrid::{HybridBackend, HybridClaims};
use rlx_ir::Bindings;
use rlx_mil::emit::{Dialect, has_values, is_kept, refused};
use std::path::PathBuf;
use std::sync::Arc;

/// Options of the device `ane`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CoremlOptions {
    /// The units that CoreML may use; by default, the CPU and the Neural Engine.
    pub units: Option<ComputeUnits>,
    /// The folder for compiled models; by default, `coreml/` in the cache folder.
    pub cache: Option<PathBuf>,
    /// Whether packed parameters are unpacked before they are written; by default, they stay packed.
    pub host_dequant: Option<bool>,
    /// How sizes that are symbols are handled; by default, there is a model for each size.
    pub sizes: Option<ModelSizes>,
}

impl CoremlOptions {
    /// Returns the default options.
    pub fn new() -> CoremlOptions {
        CoremlOptions::default()
    }

    /// Sets the units.
    pub fn units(mut self, units: ComputeUnits) -> CoremlOptions {
        self.units = Some(units);
        self
    }

    /// Sets the folder for compiled models.
    pub fn cache(mut self, folder: impl Into<PathBuf>) -> CoremlOptions {
        self.cache = Some(folder.into());
        self
    }

    /// Sets whether packed parameters are unpacked before they are written.
    pub fn host_dequant(mut self, unpacks: bool) -> CoremlOptions {
        self.host_dequant = Some(unpacks);
        self
    }

    /// Sets whether there is one model for many sizes, or one for each size.
    pub fn sizes(mut self, sizes: ModelSizes) -> CoremlOptions {
        self.sizes = Some(sizes);
        self
    }
}

/// The device `ane`: runs packages with CoreML, and between them runs on the host what programs cannot express.
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
    /// Creates the backend with this machine's CoreML.
    pub fn new() -> AneBackend {
        AneBackend::with_engine(system_engine())
    }

    /// Creates the backend with another engine.
    pub fn with_engine(engine: Arc<dyn Engine>) -> AneBackend {
        let claims = CoremlClaims { dialect: engine.opset().into() };
        AneBackend { engine, claims: HybridClaims::new(Device::Ane.name(), claims, CpuBackend) }
    }

    fn dialect(&self) -> Dialect {
        self.claims.device().dialect
    }

    /// Returns why a lowered graph with symbols has a model for each size although its options ask for one model for many sizes. Returns
    /// `None` if it does not, or if the options do not ask for that.
    pub fn why_each_size(&self, lowered: &Lowered) -> Option<String> {
        self.open_graphs(lowered)?.err()
    }

    /// Returns the graphs for one model for many sizes, or why there cannot be one, if the options of a graph with symbols ask for one.
    fn open_graphs(&self, lowered: &Lowered) -> Option<Result<OpenGraphs, String>> {
        let options = lowered.options().backend.get::<CoremlOptions>()?;
        let has_end = match options.sizes? {
            ModelSizes::Each => return None,
            ModelSizes::Ranges => true,
            ModelSizes::All => false,
        };
        let dialect = self.dialect();
        let graphs = OpenGraphs::new(lowered, has_end, |shape| is_kept(shape, dialect));
        // A graph that works at some sizes usually works at others, so one sample is tried.
        Some(graphs.and_then(|graphs| {
            self.models_of(&graphs.sample()?, has_end)?;
            Ok(graphs)
        }))
    }

    /// Returns the models for many sizes of a lowered graph, or why there can be none.
    pub(crate) fn models_of(&self, lowered: &Lowered, has_end: bool) -> Result<OpenModels, String> {
        let (packaging, _) = packaging(&self.engine, self.dialect(), lowered);
        let at = |bindings: &Bindings| {
            let at = lowered.at(bindings).map_err(|e| e.to_string())?;
            let whole = self.with_hybrid(&|_| Err(BackendError::Unsupported(String::new())), |hybrid| {
                hybrid.why_divided(at.graph())
            });
            match whole {
                None => Ok(at.graph().clone()),
                Some(reason) => Err(format!("part of it runs on the host: {reason}")),
            }
        };
        OpenModels::new(packaging, lowered, has_end, at)
    }

    /// Makes the program of a lowered graph of static sizes, with models that it shares with other sizes.
    pub(crate) fn prepared(
        &self,
        lowered: Lowered,
        models: Option<&SharedModels>,
    ) -> Result<Box<dyn HostProgram>, BackendError> {
        let whole = lowered.clone();
        let prepare = |lowered: Lowered| {
            // Segments do not share models, because they have their own sizes.
            let is_whole = std::ptr::eq(lowered.graph(), whole.graph());
            let models = models.map(|models| SharedModels {
                open: models.open.clone().filter(|_| is_whole),
                recent: models.recent.clone(),
            });
            let program = CoremlProgram::new(&self.engine, self.dialect(), lowered, models);
            Ok(Box::new(program) as Box<dyn HostProgram>)
        };
        self.with_hybrid(&prepare, |hybrid| hybrid.prepare(lowered))
    }

    fn with_hybrid<R>(
        &self,
        prepare: &dyn Fn(Lowered) -> Result<Box<dyn HostProgram>, BackendError>,
        f: impl FnOnce(&HybridBackend<'_, CoremlClaims, CpuBackend>) -> R,
    ) -> R {
        let dialect = self.dialect();
        f(&HybridBackend {
            claims: &self.claims,
            rates: self.rates(),
            host: &CpuBackend,
            holds: &has_values,
            keeps: &|shape| is_kept(shape, dialect),
            refused: &|graph| refused(graph, dialect),
            prepare,
        })
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

    fn variables(&self) -> Variables {
        VARIABLES
    }

    fn apply_env(&self, options: &mut CompileOptions, env: &Env) -> Result<(), BackendError> {
        let mut own = options.backend.get::<CoremlOptions>().cloned().unwrap_or_default();
        own.units = own.units.or(env.get(&UNITS)?);
        own.cache = own.cache.or_else(|| Some(rlx_files::cache_dir()?.join("coreml")));
        own.host_dequant = own.host_dequant.or(env.is_on(&HOST_DEQUANT)?.then_some(true));
        own.sizes = own.sizes.or(match (env.is_on(&NATIVE_FLEX)?, env.is_on(&FLEXIBLE_INPUTS)?) {
            (true, _) => Some(ModelSizes::All),
            (false, true) => Some(ModelSizes::Ranges),
            (false, false) => None,
        });
        options.backend.set(own);
        CpuBackend.apply_env(options, env)
    }

    fn prepare(&self, lowered: Lowered, queue: &Arc<dyn Queue>) -> Result<Box<dyn Executable>, BackendError> {
        let open = if lowered.is_static() { None } else { self.open_graphs(&lowered) };
        let graphs = match open {
            None => None,
            Some(Ok(graphs)) => Some(graphs),
            Some(Err(reason)) => {
                if lowered.options().prints() {
                    let text = format!("on ane: each size has its own model: {reason}\n");
                    rlx_driver::report(Topic::Dispatch, &text);
                }
                None
            }
        };
        let programs = match lowered.is_static() {
            true => SizedPrograms::of_one_size(self.engine.clone()),
            false => SizedPrograms::new(self.engine.clone(), graphs),
        };
        let engine = HostEngine::new("CoreML", move |lowered, _| Ok(programs.prepared(lowered.clone())?));
        Ok(Box::new(Instance::new(engine, lowered, self.claims(), queue)?))
    }

    // Apple states 11 to 38 trillion operations per second for 8-bit numbers; an f16 graph has been observed to reach a tenth of that. A
    // call takes a fraction of a millisecond.
    fn rates(&self) -> Rates {
        Rates { flops: 1e12, bytes: 60e9, transfer: 10e9, run: 3e-4 }
    }
}
