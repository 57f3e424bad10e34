//! A static program as a package that CoreML runs, written and loaded when it first runs, with the values of the parameters.

use crate::backend::CoremlOptions;
use crate::border::recast;
use crate::engine::{Engine, EngineError, GivenArray, LoadOptions, LoadedModel, WantedArray};
use crate::model::ModelBuilder;
use rlx_compile::buffer::HostBuffer;
use rlx_compile::{BackendError, HostProgram, Lowered, Param, Queue};
use rlx_driver::Device;
use rlx_ir::DType;
use rlx_mil::blob::Blobs;
use rlx_mil::emit::{Dialect, Feature};
use rlx_mil::package::Package;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The function of the packages that are written here.
const MAIN: &str = "main";

/// What all clones share.
struct StaticProgram {
    engine: Arc<dyn Engine>,
    dialect: Dialect,
    lowered: Lowered,
    options: CoremlOptions,
    /// The types of the inputs and of the outputs.
    inputs: Vec<DType>,
    outputs: Vec<DType>,
}

/// A package that was loaded, with what it takes and gives.
struct Loaded {
    model: Mutex<Box<dyn LoadedModel>>,
    inputs: Vec<Feature>,
    outputs: Vec<Feature>,
}

/// A static program as a package. Values of parameters are part of it: the first run after one is set writes and loads a new one.
pub struct CoremlProgram {
    shared: Arc<StaticProgram>,
    params: Vec<Option<Param>>,
    /// For the parameters as they are.
    loaded: Option<Arc<Loaded>>,
    /// For each output that the model gives in another type memory for that, kept for the next run.
    results: Vec<Option<HostBuffer>>,
}

impl CoremlProgram {
    pub(crate) fn new(engine: Arc<dyn Engine>, dialect: Dialect, lowered: Lowered) -> CoremlProgram {
        let graph = lowered.graph();
        let outputs = graph.output_shapes().iter().map(rlx_ir::Shape::dtype).collect();
        let inputs = graph.inputs().map(|node| node.shape().dtype()).collect();
        let options = lowered.options().backend.get::<CoremlOptions>().cloned().unwrap_or_default();
        let params = vec![None; graph.params().count()];
        let shared = Arc::new(StaticProgram { engine, dialect, lowered, options, inputs, outputs });
        CoremlProgram { shared, params, loaded: None, results: Vec::new() }
    }

    /// The package for the parameters as they are.
    fn loaded(&mut self) -> Result<Arc<Loaded>, BackendError> {
        if let Some(loaded) = &self.loaded {
            return Ok(loaded.clone());
        }
        let loaded = Arc::new(self.load()?);
        self.loaded = Some(loaded.clone());
        Ok(loaded)
    }

    fn load(&self) -> Result<Loaded, BackendError> {
        let StaticProgram { engine, dialect, lowered, options, .. } = &*self.shared;
        for (index, (name, shape)) in lowered.graph().named_params().enumerate() {
            let Some(param) = self.params.get(index).and_then(Option::as_ref) else {
                return Err(BackendError::Argument(format!("parameter `{name}` is not set")));
            };
            let (expected, got) = (shape.num_bytes(), param.bytes().len());
            if expected != Some(got) {
                let message = format!("parameter `{name}` is {shape}, which {got} bytes do not make");
                return Err(BackendError::Argument(message));
            }
        }
        let unsupported = |e: &dyn std::error::Error| BackendError::Unsupported(e.to_string());
        let named = lowered.graph().named_params().map(|(name, _)| name).zip(self.params.iter().flatten());
        let named: HashMap<&str, &Param> = named.collect();
        let value = |name: &str| named.get(name).map(|param| param.bytes().into());
        let (mut builder, mut weights) = (ModelBuilder::new(*dialect), Blobs::new());
        let emitted = builder.function(MAIN, lowered.graph(), &value, &mut weights);
        let emitted = emitted.map_err(|e| unsupported(&e))?;
        let (inputs, outputs) = (emitted.inputs.clone(), emitted.outputs.clone());
        let model = builder.finish().map_err(|e| unsupported(&e))?;
        let folder = tempfile::tempdir().map_err(|e| unsupported(&e))?;
        let package = folder.path().join("model.mlpackage");
        Package::write(&package, &model, &weights).map_err(|e| unsupported(&e))?;
        let load = LoadOptions {
            function: MAIN,
            units: options.units.unwrap_or_default(),
            cache: options.cache.as_deref(),
            content: &content(&model, self.params.iter().flatten()),
        };
        let model = engine.load(&package, load).map_err(failed)?;
        Ok(Loaded { model: Mutex::new(model), inputs, outputs })
    }
}

/// What names a package by its content: a hash of the model and of its parameters.
fn content<'p>(model: &[u8], params: impl Iterator<Item = &'p Param>) -> String {
    let mut hash = Sha256::new_with_prefix(model);
    for param in params {
        hash.update((param.bytes().len() as u64).to_le_bytes());
        hash.update(param.bytes());
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn run_error(output: usize, message: &str) -> BackendError {
    BackendError::Run {
        op: "CoreML".into(),
        label: String::new(),
        message: format!("output {output}: {message}"),
    }
}

fn failed(error: EngineError) -> BackendError {
    match error {
        EngineError::Missing(reason) => BackendError::Unavailable { device: Device::Ane, reason },
        error => BackendError::Run { op: "CoreML".into(), label: String::new(), message: error.to_string() },
    }
}

impl HostProgram for CoremlProgram {
    fn clone_on(&self, _: &Arc<dyn Queue>) -> CoremlProgram {
        let (params, loaded) = (self.params.clone(), self.loaded.clone());
        CoremlProgram { shared: self.shared.clone(), params, loaded, results: Vec::new() }
    }

    fn set_param(&mut self, index: usize, value: Param) {
        if let Some(param) = self.params.get_mut(index) {
            *param = Some(value);
        }
        self.loaded = None;
    }

    fn prepack(&mut self) -> Result<(), BackendError> {
        if self.params.iter().all(Option::is_some) {
            self.loaded()?;
        }
        Ok(())
    }

    fn run(&mut self, inputs: &[&[u8]], outputs: &mut [&mut [u8]]) -> Result<(), BackendError> {
        let loaded = self.loaded()?;
        let shared = self.shared.clone();
        let mut given: Vec<Cow<'_, [u8]>> = Vec::with_capacity(inputs.len());
        for (index, (bytes, &dtype)) in inputs.iter().zip(&shared.inputs).enumerate() {
            let recast = recast(bytes, dtype, loaded.inputs[index].dtype);
            given
                .push(recast.map_err(|message| BackendError::Argument(format!("input {index}: {message}")))?);
        }
        let given: Vec<GivenArray<'_>> = loaded
            .inputs
            .iter()
            .zip(&given)
            .map(|(f, bytes)| GivenArray { name: &f.name, dtype: f.dtype, dims: &f.dims, bytes })
            .collect();
        // What comes in the type that is wanted is written where it is wanted.
        for (feature, &dtype) in loaded.outputs.iter().zip(&shared.outputs).skip(self.results.len()) {
            let bytes = feature.dims.iter().try_fold(feature.dtype.size(), |n, &d| n.checked_mul(d));
            let memory = || HostBuffer::zeroed(bytes.unwrap_or(usize::MAX));
            self.results.push(if feature.dtype == dtype { None } else { Some(memory()?) });
        }
        {
            let places = outputs.iter_mut().zip(&mut self.results);
            let mut wanted: Vec<WantedArray<'_>> = loaded
                .outputs
                .iter()
                .zip(places)
                .map(|(f, (place, own))| {
                    let bytes = own.as_mut().map_or(&mut **place, |own| &mut own[..]);
                    WantedArray { name: &f.name, dtype: f.dtype, dims: &f.dims, bytes }
                })
                .collect();
            // A panic in a run leaves the model as it was: runs keep nothing.
            let mut model = loaded.model.lock().unwrap_or_else(PoisonError::into_inner);
            model.predict(&given, &mut wanted).map_err(failed)?;
        }
        for (index, (place, own)) in outputs.iter_mut().zip(&self.results).enumerate() {
            let Some(own) = own else { continue };
            let given = recast(own, loaded.outputs[index].dtype, shared.outputs[index]);
            place.copy_from_slice(&given.map_err(|message| run_error(index, &message))?);
        }
        Ok(())
    }

    fn describe(&self) -> String {
        let units = self.shared.options.units.unwrap_or_default();
        let loaded = if self.loaded.is_some() { "loaded" } else { "not loaded yet" };
        format!("CoreML, {} on {units}: a package, {loaded}\n", self.shared.dialect.opset.name())
    }
}
