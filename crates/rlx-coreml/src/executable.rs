//! An instance of a program by CoreML: a package with the values of the parameters, written and loaded when it first runs.

use crate::backend::CoremlOptions;
use crate::border::recast;
use crate::engine::{Engine, EngineError, GivenArray, LoadOptions, LoadedModel, WantedArray};
use crate::model::ModelBuilder;
use rlx_compile::buffer::HostBuffer;
use rlx_compile::{Arguments, BackendError, BindError, Buffer, Executable, Lowered, Param, Queue, Value};
use rlx_driver::{Device, LINE};
use rlx_ir::{Bindings, DType, Shape};
use rlx_mil::blob::Blobs;
use rlx_mil::emit::{Dialect, Feature};
use rlx_mil::package::Package;
use sha2::{Digest, Sha256};
use std::any::Any;
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
    inputs: Vec<GraphValue>,
    outputs: Vec<GraphValue>,
    arena_bytes: usize,
}

/// An input or output of the graph.
struct GraphValue {
    shape: Shape,
    bytes: usize,
    /// Where an output lies in the memory on the host.
    offset: usize,
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
    /// What the model gives, in the types that it has; kept for the next run.
    results: Vec<(DType, HostBuffer)>,
    /// The outputs of the last run.
    arena: Option<HostBuffer>,
    /// For each output whether the last run left it in the arena.
    inside: Vec<bool>,
}

impl CoremlProgram {
    pub(crate) fn new(
        engine: Arc<dyn Engine>,
        dialect: Dialect,
        lowered: Lowered,
    ) -> Result<CoremlProgram, BackendError> {
        if !lowered.is_static() {
            let symbols: Vec<String> = lowered.graph().symbols().iter().map(|s| format!("`{s}`")).collect();
            let message = format!("a package has fixed sizes; without one: {}", symbols.join(", "));
            return Err(BackendError::Unsupported(message));
        }
        let mut end = 0usize;
        let mut slot = |shape: &Shape| {
            let bytes = shape.num_bytes()?;
            let offset = end;
            end = offset.checked_add(bytes)?.checked_next_multiple_of(LINE)?;
            Some(GraphValue { shape: shape.clone(), bytes, offset })
        };
        let too_large = || BackendError::Unsupported("an output has more bytes than there can be".into());
        let graph = lowered.graph();
        let outputs =
            graph.output_shapes().iter().map(&mut slot).collect::<Option<_>>().ok_or_else(too_large)?;
        let arena_bytes = end;
        let slot =
            |shape: &Shape| Some(GraphValue { shape: shape.clone(), bytes: shape.num_bytes()?, offset: 0 });
        let inputs =
            graph.inputs().map(|node| slot(node.shape())).collect::<Option<_>>().ok_or_else(too_large)?;
        let options = lowered.options().backend.get::<CoremlOptions>().cloned().unwrap_or_default();
        let params = vec![None; graph.params().count()];
        let shared = StaticProgram { engine, dialect, lowered, options, inputs, outputs, arena_bytes };
        Ok(Self::instance(Arc::new(shared), params, None))
    }

    fn instance(
        shared: Arc<StaticProgram>,
        params: Vec<Option<Param>>,
        loaded: Option<Arc<Loaded>>,
    ) -> CoremlProgram {
        let inside = vec![false; shared.outputs.len()];
        CoremlProgram { shared, params, loaded, results: Vec::new(), arena: None, inside }
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

    /// Fails unless the arguments are what the program takes.
    fn check(&self, arguments: &Arguments<'_, '_>) -> Result<(), BackendError> {
        let StaticProgram { inputs, outputs, lowered, .. } = &*self.shared;
        let counts = (arguments.inputs.len(), arguments.state.len());
        if counts != (inputs.len(), lowered.aliases().len()) || arguments.outputs.len() > outputs.len() {
            return Err(BackendError::Argument(format!(
                "the program has {} inputs, {} state buffers and {} outputs; got {}, {} and {}",
                inputs.len(),
                lowered.aliases().len(),
                outputs.len(),
                counts.0,
                counts.1,
                arguments.outputs.len()
            )));
        }
        let wrong = |what: &str, index: usize, slot: &GraphValue, got: usize| {
            let (shape, bytes) = (&slot.shape, slot.bytes);
            BackendError::Argument(format!("{what} {index} is {shape}, which has {bytes} bytes; got {got}"))
        };
        for (index, (slot, value)) in inputs.iter().zip(arguments.inputs).enumerate() {
            let got = match value {
                Value::Host(bytes) => bytes.len(),
                Value::Buffer(buffer) => buffer.num_bytes(),
                Value::State(pair) => arguments.state.get(*pair).map_or(0, Buffer::num_bytes),
            };
            if got != slot.bytes {
                return Err(wrong("input", index, slot, got));
            }
        }
        for (index, (slot, place)) in outputs.iter().zip(&*arguments.outputs).enumerate() {
            if let Some(place) = place.as_ref().filter(|place| place.len() != slot.bytes) {
                return Err(wrong("output", index, slot, place.len()));
            }
        }
        Ok(())
    }

    /// Puts outputs where they are wanted: into state buffers, the caller's memory, or the arena.
    fn deliver(
        &mut self,
        results: &[(DType, HostBuffer)],
        arguments: Arguments<'_, '_>,
    ) -> Result<(), BackendError> {
        let shared = self.shared.clone();
        let arena = match &mut self.arena {
            Some(arena) => arena,
            none => none.insert(HostBuffer::zeroed(shared.arena_bytes)?),
        };
        let aliases = shared.lowered.aliases();
        let places = arguments.outputs.iter_mut().map(Option::as_mut).chain(std::iter::repeat_with(|| None));
        for (index, ((slot, (dtype, bytes)), place)) in
            shared.outputs.iter().zip(results).zip(places).enumerate()
        {
            let given =
                recast(bytes, *dtype, slot.shape.dtype()).map_err(|message| run_error(index, &message))?;
            let pair = aliases.iter().position(|alias| alias.output == index);
            self.inside[index] = place.is_none() && pair.is_none();
            match (place, pair) {
                (Some(place), _) => place.copy_from_slice(&given),
                (None, Some(_)) => {}
                (None, None) => arena[slot.offset..slot.offset + slot.bytes].copy_from_slice(&given),
            }
            if let Some(pair) = pair {
                arguments.state[pair].host_mut()?.copy_from_slice(&given);
            }
        }
        Ok(())
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

impl Executable for CoremlProgram {
    fn clone_on(&self, _: &Arc<dyn Queue>) -> Box<dyn Executable> {
        Box::new(Self::instance(self.shared.clone(), self.params.clone(), self.loaded.clone()))
    }

    fn set_param(&mut self, index: usize, value: Param) {
        if let Some(param) = self.params.get_mut(index) {
            *param = Some(value);
        }
        self.loaded = None;
    }

    /// The program is static: it is the same at all sizes.
    fn bind(&mut self, _: &Bindings) -> Result<(), BindError> {
        Ok(())
    }

    fn prepack(&mut self) -> Result<(), BackendError> {
        if self.params.iter().all(Option::is_some) {
            self.loaded()?;
        }
        Ok(())
    }

    fn run(&mut self, arguments: Arguments<'_, '_>) -> Result<(), BackendError> {
        self.check(&arguments)?;
        let loaded = self.loaded()?;
        let shared = self.shared.clone();
        let mut downloaded: Vec<Option<HostBuffer>> = Vec::with_capacity(shared.inputs.len());
        for value in arguments.inputs {
            let buffer = match value {
                Value::Host(_) => None,
                Value::Buffer(buffer) => Some(*buffer),
                Value::State(pair) => arguments.state.get(*pair),
            };
            let copy = match buffer {
                Some(Buffer::Device(device)) => {
                    let mut bytes = HostBuffer::zeroed(device.num_bytes())?;
                    device.download(&mut bytes)?;
                    Some(bytes)
                }
                _ => None,
            };
            downloaded.push(copy);
        }
        let mut given: Vec<Cow<'_, [u8]>> = Vec::with_capacity(shared.inputs.len());
        for (index, (value, slot)) in arguments.inputs.iter().zip(&shared.inputs).enumerate() {
            let bytes = match (value, &downloaded[index]) {
                (_, Some(copy)) => &copy[..],
                (Value::Host(bytes), None) => bytes,
                (Value::Buffer(buffer), None) => buffer.host().unwrap_or_default(),
                (Value::State(pair), None) => arguments.state[*pair].host().unwrap_or_default(),
            };
            let recast = recast(bytes, slot.shape.dtype(), loaded.inputs[index].dtype);
            given
                .push(recast.map_err(|message| BackendError::Argument(format!("input {index}: {message}")))?);
        }
        let inputs: Vec<GivenArray<'_>> = loaded
            .inputs
            .iter()
            .zip(&given)
            .map(|(f, bytes)| GivenArray { name: &f.name, dtype: f.dtype, dims: &f.dims, bytes })
            .collect();
        let mut results = std::mem::take(&mut self.results);
        for feature in loaded.outputs.iter().skip(results.len()) {
            let bytes = feature.dims.iter().try_fold(feature.dtype.size(), |n, &d| n.checked_mul(d));
            results.push((feature.dtype, HostBuffer::zeroed(bytes.unwrap_or(usize::MAX))?));
        }
        let mut outputs: Vec<WantedArray<'_>> = loaded
            .outputs
            .iter()
            .zip(&mut results)
            .map(|(f, (_, bytes))| WantedArray { name: &f.name, dtype: f.dtype, dims: &f.dims, bytes })
            .collect();
        // A panic in a run leaves the model as it was: runs keep nothing.
        loaded
            .model
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .predict(&inputs, &mut outputs)
            .map_err(failed)?;
        self.deliver(&results, arguments)?;
        self.results = results;
        Ok(())
    }

    fn output(&self, index: usize) -> Result<&[u8], BackendError> {
        let (Some(true), Some(slot), Some(arena)) =
            (self.inside.get(index), self.shared.outputs.get(index), &self.arena)
        else {
            return Ok(&[]);
        };
        Ok(&arena[slot.offset..slot.offset + slot.bytes])
    }

    fn arena(&self) -> (*const u8, usize) {
        self.arena.as_ref().map_or((std::ptr::null(), 0), |arena| (arena.as_ptr(), arena.len()))
    }

    fn output_offset(&self, index: usize) -> Option<usize> {
        let is_state = self.shared.lowered.aliases().iter().any(|alias| alias.output == index);
        self.shared.outputs.get(index).filter(|_| !is_state).map(|slot| slot.offset)
    }

    fn describe(&self) -> String {
        let units = self.shared.options.units.unwrap_or_default();
        let loaded = if self.loaded.is_some() { "loaded" } else { "not loaded yet" };
        format!("CoreML, {} on {units}: a package, {loaded}\n", self.shared.dialect.opset.name())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
