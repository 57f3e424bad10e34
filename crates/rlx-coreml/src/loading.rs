//! Writes a graph with the values of its parameters as a package, and loads it into an engine.

use crate::backend::CoremlOptions;
use crate::engine::{Engine, EngineError, LoadOptions};
use crate::model::{ModelBuilder, ModelError};
use crate::states::StatefulModel;
use rlx_compile::{BackendError, Param};
use rlx_driver::Device;
use rlx_ir::{Graph, QuantScheme};
use rlx_mil::blob::Blobs;
use rlx_mil::emit::{
    Dialect, EmittedFunction, Feature, PackedValue, ParamBytes, ParamValue, StatePair, packed_params,
};
use rlx_mil::package::Package;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};

/// The function of the packages written here.
pub(crate) const MAIN: &str = "main";

/// A loaded package, with its inputs and outputs.
#[derive(Clone)]
pub(crate) struct Loaded {
    pub(crate) model: Arc<StatefulModel>,
    pub(crate) inputs: Vec<Feature>,
    pub(crate) outputs: Vec<Feature>,
    /// Packed parameters that are not packed in the package, and why.
    pub(crate) unpacked: Vec<(String, String)>,
}

/// How packages of a graph are made, whatever its parameters are.
#[derive(Clone)]
pub(crate) struct Packaging {
    pub(crate) engine: Arc<dyn Engine>,
    pub(crate) dialect: Dialect,
    pub(crate) options: CoremlOptions,
    /// The parameters that are packed blocks, with their formats.
    pub(crate) packed: BTreeMap<String, QuantScheme>,
    /// The pairs of inputs and outputs that are states of the model.
    pub(crate) states: Vec<StatePair>,
}

impl Packaging {
    pub(crate) fn new(
        engine: Arc<dyn Engine>,
        dialect: Dialect,
        options: CoremlOptions,
        graph: &Graph,
        states: Vec<StatePair>,
    ) -> Packaging {
        Packaging { engine, dialect, options, packed: packed_params(graph), states }
    }

    /// Writes a package with the function that `write` adds, for a graph with these parameters, and loads it.
    ///
    /// # Errors
    /// Returns [`LoadError::Model`] if the graph cannot be a function. Otherwise, fails if the parameters are wrong, files cannot be
    /// written, or the engine fails.
    pub(crate) fn load<'p>(
        &self,
        graph: &Graph,
        params: &'p [Option<Param>],
        write: impl FnOnce(&mut ModelBuilder, &ParamBytes<'_, 'p>, &mut Blobs<'p>) -> Result<(), ModelError>,
    ) -> Result<Loaded, LoadError> {
        let named = named(graph, params)?;
        let unpacks = self.options.host_dequant == Some(true);
        let value = |name: &str| {
            let bytes = named.get(name)?.bytes();
            Some(match self.packed.get(name).filter(|_| unpacks) {
                Some(&scheme) => ParamValue::Unpacked(PackedValue::Blocks(scheme, bytes)),
                None => bytes.into(),
            })
        };
        let (mut builder, mut weights) = (ModelBuilder::new(self.dialect), Blobs::new());
        write(&mut builder, &value, &mut weights)?;
        let Some(emitted) = builder.functions().next().cloned() else {
            return Err(ModelError::Unsupported(vec!["no function was added".into()]).into());
        };
        let EmittedFunction { inputs, outputs, states: features, unpacked, .. } = emitted;
        let model = builder.finish()?;
        let unsupported = |e: &dyn std::error::Error| BackendError::Unsupported(e.to_string());
        let folder = tempfile::tempdir().map_err(|e| unsupported(&e))?;
        let package = folder.path().join("model.mlpackage");
        Package::write(&package, &model, &weights).map_err(|e| unsupported(&e))?;
        let load = LoadOptions {
            function: MAIN,
            units: self.options.units.unwrap_or_default(),
            cache: self.options.cache.as_deref(),
            content: &content(&model, params.iter().flatten()),
        };
        let model = Mutex::new(self.engine.load(&package, load).map_err(failed)?);
        // A function has its states in the order of the inputs.
        let feature = |state: &StatePair| {
            let before = self.states.iter().filter(|other| other.input < state.input).count();
            features.get(before).cloned()
        };
        let states = self.states.iter().filter_map(feature).collect();
        Ok(Loaded { model: Arc::new(StatefulModel { model, states }), inputs, outputs, unpacked })
    }
}

/// Why a package was not loaded.
pub(crate) enum LoadError {
    /// The graph cannot be a function.
    Model(ModelError),
    /// Anything else.
    Backend(BackendError),
}

impl From<ModelError> for LoadError {
    fn from(error: ModelError) -> LoadError {
        LoadError::Model(error)
    }
}

impl From<BackendError> for LoadError {
    fn from(error: BackendError) -> LoadError {
        LoadError::Backend(error)
    }
}

impl From<LoadError> for BackendError {
    fn from(error: LoadError) -> BackendError {
        match error {
            LoadError::Model(error) => BackendError::Unsupported(error.to_string()),
            LoadError::Backend(error) => error,
        }
    }
}

/// Returns the parameters by name. All must be set, with the sizes of their shapes.
fn named<'g, 'p>(
    graph: &'g Graph,
    params: &'p [Option<Param>],
) -> Result<HashMap<&'g str, &'p Param>, BackendError> {
    let mut named = HashMap::new();
    for (index, (name, shape)) in graph.named_params().enumerate() {
        let Some(param) = params.get(index).and_then(Option::as_ref) else {
            return Err(BackendError::Argument(format!("parameter `{name}` is not set")));
        };
        let (expected, got) = (shape.num_bytes(), param.bytes().len());
        if expected != Some(got) {
            let message = format!("parameter `{name}` is {shape}, which {got} bytes do not match");
            return Err(BackendError::Argument(message));
        }
        named.insert(name, param);
    }
    Ok(named)
}

/// Returns the name of a package by content: a hash of the model and of its parameters.
fn content<'p>(model: &[u8], params: impl Iterator<Item = &'p Param>) -> String {
    let mut hash = Sha256::new_with_prefix(model);
    for param in params {
        hash.update((param.bytes().len() as u64).to_le_bytes());
        hash.update(param.bytes());
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(crate) fn failed(error: EngineError) -> BackendError {
    match error {
        EngineError::Missing(reason) => BackendError::Unavailable { device: Device::Ane, reason },
        error => BackendError::Run { op: "CoreML".into(), label: String::new(), message: error.to_string() },
    }
}
