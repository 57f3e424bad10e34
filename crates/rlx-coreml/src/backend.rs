//! CoreML as a backend: what it runs, whether it is available, and how graphs of many sizes are prepared.

use crate::claims::CoremlClaims;
use crate::engine::{ComputeUnits, Engine, system_engine};
use crate::executable::{CoremlProgram, packaging};
use crate::sizes::{ModelSizes, OpenGraphs, OpenModels, RecentOfSizes, SharedModels, SizedPrograms};
use crate::variables::{FLEXIBLE_INPUTS, HOST_DEQUANT, NATIVE_FLEX, UNITS, VARIABLES};
use rlx_compile::{BackendError, Claim, Claims, CompileOptions, Lowered, Rates};
use rlx_driver::env::Variables;
use rlx_driver::{Device, Env, Topic};
use rlx_exec::{Availability, Backend, Executable, GraphLimits, HostEngine, HostProgram, Instance, Queue};
use rlx_ir::{Bindings, Graph, Node, NodeId, OpClass, Shape};
use rlx_mil::emit::{Dialect, has_values, is_kept, refused};
use std::collections::HashMap;
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

/// The device `ane` by itself: runs graphs that programs can express, as packages, with CoreML. As the first of a pair of backends
/// (`rlx-hybrid`), it is completed by a host.
pub struct AneBackend {
    engine: Arc<dyn Engine>,
    claims: CoremlClaims,
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
        AneBackend { engine, claims }
    }

    fn dialect(&self) -> Dialect {
        self.claims.dialect
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
            match self.why_not(at.graph()) {
                None => Ok(at.graph().clone()),
                Some(reason) => Err(format!("part of it runs on the host: {reason}")),
            }
        };
        OpenModels::new(packaging, lowered, has_end, at)
    }

    /// Returns why programs cannot express a lowered graph of static sizes, if they cannot.
    fn why_not(&self, graph: &Graph) -> Option<String> {
        let refused = refused(graph, self.dialect());
        let of_node = |node: &Node| {
            if node.is_projection() || node.op().kind().class() == OpClass::Leaf {
                return None;
            }
            let operands: Vec<Shape> = node.inputs().iter().map(|&id| graph.shape(id).clone()).collect();
            let claim = self.claims.claim(node.op(), &operands, node.results());
            let declined = match claim {
                Claim::No(why) => Some(why.unwrap_or_else(|| "the device does not have it".into())),
                Claim::Native | Claim::Host(_) => None,
            };
            let why = declined.or_else(|| refused.get(&node.id()).cloned())?;
            Some(format!("`{}`: {why}", node.op().mnemonic()))
        };
        graph.nodes().iter().find_map(of_node).or_else(|| {
            let ends = graph.inputs().map(Node::id).chain(graph.outputs().iter().copied());
            let shape = ends.map(|id| graph.shape(id)).find(|shape| !has_values(shape))?;
            Some(format!("the device does not support values that are {shape}"))
        })
    }

    /// Makes the program of a lowered graph of static sizes, with models that it shares with other sizes.
    pub(crate) fn prepared(&self, lowered: Lowered, models: Option<SharedModels>) -> Box<dyn HostProgram> {
        Box::new(CoremlProgram::new(&self.engine, self.dialect(), lowered, models))
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

    fn limits(&self) -> Option<&dyn GraphLimits> {
        Some(self)
    }

    fn claims_key(&self) -> Option<String> {
        Some(self.dialect().opset.name().into())
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
        Ok(())
    }

    fn share_between_sizes(&self, options: &mut CompileOptions) {
        options.backend.set(RecentOfSizes::default());
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
            true => SizedPrograms::of_one_size(self.engine.clone(), lowered.options()),
            false => SizedPrograms::new(self.engine.clone(), graphs),
        };
        let engine = HostEngine::new("CoreML", move |lowered, _| Ok(programs.prepared(lowered.clone())));
        Ok(Box::new(Instance::new(engine, lowered, self.claims(), queue)?))
    }

    // Apple states 11 to 38 trillion operations per second for 8-bit numbers; an f16 graph has been observed to reach a tenth of that. A
    // call takes a fraction of a millisecond.
    fn rates(&self) -> Rates {
        Rates { flops: 1e12, bytes: 60e9, transfer: 10e9, run: 3e-4 }
    }
}

impl GraphLimits for AneBackend {
    fn has_values(&self, shape: &Shape) -> bool {
        has_values(shape)
    }

    fn keeps_state(&self, shape: &Shape) -> bool {
        is_kept(shape, self.dialect())
    }

    fn refused(&self, graph: &Graph) -> HashMap<NodeId, String> {
        refused(graph, self.dialect())
    }
}
