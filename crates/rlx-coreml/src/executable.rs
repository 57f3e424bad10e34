//! A static program as a package that CoreML runs, written and loaded when it first runs, with the values of the parameters.

use crate::backend::CoremlOptions;
use crate::border::recast;
use crate::engine::{Engine, EngineError, GivenArray, LoadOptions, WantedArray};
use crate::model::ModelBuilder;
use crate::states::{StateSet, StatefulModel};
use rlx_compile::buffer::HostBuffer;
use rlx_compile::{Alias, BackendError, Buffer, HostProgram, Lowered, Param, Queue};
use rlx_driver::Device;
use rlx_ir::{DType, QuantScheme, Shape};
use rlx_mil::blob::Blobs;
use rlx_mil::emit::{
    Dialect, EmittedFunction, Feature, PackedValue, ParamValue, StatePair, is_kept, packed_params,
};
use rlx_mil::package::Package;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

/// The function of the packages that are written here.
const MAIN: &str = "main";

/// What all clones share.
struct StaticProgram {
    engine: Arc<dyn Engine>,
    dialect: Dialect,
    lowered: Lowered,
    options: CoremlOptions,
    /// The inputs and outputs that are no states which the model keeps: their numbers and types.
    inputs: Vec<(usize, DType)>,
    outputs: Vec<(usize, DType)>,
    /// The alias pairs whose states the model keeps, and these, in the same order.
    kept: Vec<usize>,
    states: Vec<StatePair>,
    /// The parameters that are packed blocks, and their formats.
    packed: BTreeMap<String, QuantScheme>,
}

/// A package that was loaded, with what it takes and gives.
struct Loaded {
    model: Arc<StatefulModel>,
    inputs: Vec<Feature>,
    outputs: Vec<Feature>,
    /// Packed parameters that are not packed in the package, and why.
    unpacked: Vec<(String, String)>,
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
        let (given, given_back) = (graph.input_shapes(), graph.output_shapes());
        let aliases = lowered.aliases().iter().enumerate();
        let (kept, states): (Vec<usize>, Vec<StatePair>) = aliases
            .filter(|(_, alias)| is_kept(&given[alias.input], dialect))
            .map(|(pair, &Alias { input, output })| (pair, StatePair { input, output }))
            .unzip();
        let others = |shapes: &[Shape], is_state: &dyn Fn(&StatePair, usize) -> bool| {
            let all = shapes.iter().map(Shape::dtype).enumerate();
            all.filter(|(i, _)| !states.iter().any(|state| is_state(state, *i))).collect()
        };
        let inputs = others(&given, &|state, i| state.input == i);
        let outputs = others(&given_back, &|state, i| state.output == i);
        let options = lowered.options().backend.get::<CoremlOptions>().cloned().unwrap_or_default();
        let params = vec![None; graph.params().count()];
        let packed = packed_params(graph);
        let shared =
            StaticProgram { engine, dialect, lowered, options, inputs, outputs, kept, states, packed };
        let shared = Arc::new(shared);
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
        let StaticProgram { engine, dialect, lowered, options, packed, states, .. } = &*self.shared;
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
        let value = |name: &str| {
            let bytes = named.get(name)?.bytes();
            let Some(&scheme) = packed.get(name) else { return Some(bytes.into()) };
            let blocks = PackedValue::Blocks(scheme, bytes);
            Some(match options.host_dequant {
                Some(true) => ParamValue::Unpacked(blocks),
                _ => ParamValue::Packed(blocks),
            })
        };
        let (mut builder, mut weights) = (ModelBuilder::new(*dialect), Blobs::new());
        let emitted = builder.function_with(MAIN, lowered.graph(), states, &value, &mut weights);
        let emitted = emitted.map_err(|e| unsupported(&e))?;
        let EmittedFunction { inputs, outputs, states: features, unpacked, .. } = emitted.clone();
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
        // A function has them in the order of the inputs.
        let feature = |state: &StatePair| {
            let before = states.iter().filter(|other| other.input < state.input).count();
            features.get(before).cloned()
        };
        let states = states.iter().filter_map(feature).collect();
        let model = Arc::new(StatefulModel { model: Mutex::new(model), states });
        Ok(Loaded { model, inputs, outputs, unpacked })
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

pub(crate) fn failed(error: EngineError) -> BackendError {
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

    fn kept(&self) -> &[usize] {
        &self.shared.kept
    }

    fn run(&mut self, inputs: &[&[u8]], outputs: &mut [&mut [u8]]) -> Result<(), BackendError> {
        self.run_keeping(inputs, &mut [], outputs)
    }

    fn run_keeping(
        &mut self,
        inputs: &[&[u8]],
        kept: &mut [Buffer],
        outputs: &mut [&mut [u8]],
    ) -> Result<(), BackendError> {
        let loaded = self.loaded()?;
        let shared = self.shared.clone();
        let mut given: Vec<Cow<'_, [u8]>> = Vec::with_capacity(loaded.inputs.len());
        for (feature, &(index, dtype)) in loaded.inputs.iter().zip(&shared.inputs) {
            let recast = recast(inputs[index], dtype, feature.dtype);
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
        for (feature, &(_, dtype)) in loaded.outputs.iter().zip(&shared.outputs).skip(self.results.len()) {
            let bytes = feature.dims.iter().try_fold(feature.dtype.size(), |n, &d| n.checked_mul(d));
            let memory = || HostBuffer::zeroed(bytes.unwrap_or(usize::MAX));
            self.results.push(if feature.dtype == dtype { None } else { Some(memory()?) });
        }
        let is_state = |index: usize| shared.states.iter().any(|state| state.output == index);
        let places = outputs.iter_mut().enumerate().filter(|(index, _)| !is_state(*index));
        let mut places: Vec<&mut &mut [u8]> = places.map(|(_, place)| place).collect();
        {
            let places = places.iter_mut().zip(&mut self.results);
            let mut wanted: Vec<WantedArray<'_>> = loaded
                .outputs
                .iter()
                .zip(places)
                .map(|(f, (place, own))| {
                    let bytes = own.as_mut().map_or(&mut ***place, |own| &mut own[..]);
                    WantedArray { name: &f.name, dtype: f.dtype, dims: &f.dims, bytes }
                })
                .collect();
            if kept.is_empty() {
                // A panic in a run leaves the model as it was: what a run changes is not the model's.
                let mut model = loaded.model.model.lock().unwrap_or_else(PoisonError::into_inner);
                model.predict(&given, None, &mut wanted).map_err(failed)?;
            } else {
                let set = StateSet::of(kept, &loaded.model)?;
                set.run(|model, values| model.predict(&given, Some(values), &mut wanted))?;
                set.keep(kept);
            }
        }
        for (number, (place, own)) in places.into_iter().zip(&self.results).enumerate() {
            let Some(own) = own else { continue };
            let (index, dtype) = shared.outputs[number];
            let given = recast(own, loaded.outputs[number].dtype, dtype);
            place.copy_from_slice(&given.map_err(|message| run_error(index, &message))?);
        }
        Ok(())
    }

    fn describe(&self) -> String {
        let units = self.shared.options.units.unwrap_or_default();
        let loaded = if self.loaded.is_some() { "loaded" } else { "not loaded yet" };
        let mut text = format!("CoreML, {} on {units}: a package, {loaded}\n", self.shared.dialect.opset.name());
        if !self.shared.kept.is_empty() {
            text += &format!("{} states stay with the model\n", self.shared.kept.len());
        }
        let packed = self.shared.packed.len();
        if packed > 0 && self.shared.options.host_dequant == Some(true) {
            text += &format!("{packed} packed parameters, unpacked as they are written\n");
        } else if packed > 0 {
            text += &format!("{packed} packed parameters\n");
        }
        for (name, reason) in self.loaded.iter().flat_map(|loaded| &loaded.unpacked) {
            text += &format!("`{name}` is unpacked in the package: {reason}\n");
        }
        text
    }
}
