//! Runs a static program as a package, which the first run writes and loads with the values of the parameters.

use crate::backend::CoremlOptions;
use crate::border::{is_wide, recast};
use crate::engine::{Engine, GivenArray, WantedArray};
use crate::loading::{Loaded, MAIN, Packaging, failed};
use crate::sizes::SharedModels;
use crate::states::StateSet;
use rlx_compile::{Alias, BackendError, Lowered, Param};
use rlx_exec::buffer::HostBuffer;
use rlx_exec::{Buffer, HostProgram, Queue};
use rlx_ir::{DType, Shape};
use rlx_mil::emit::{Dialect, StatePair, is_kept};
use std::any::Any;
use std::borrow::Cow;
use std::sync::{Arc, PoisonError};

/// The parts that all clones share.
struct StaticProgram {
    lowered: Lowered,
    packaging: Packaging,
    /// The models that it shares with programs of other sizes, if there are any.
    models: Option<SharedModels>,
    /// The numbers and types of the inputs and outputs, without states that stay with the model.
    inputs: Vec<(usize, DType)>,
    outputs: Vec<(usize, DType)>,
    /// The alias pairs with states that stay with the model.
    kept: Vec<usize>,
}

/// A static program as a package. The values of parameters are part of the package: the first run after one is set writes and loads a new
/// package.
pub struct CoremlProgram {
    shared: Arc<StaticProgram>,
    params: Vec<Option<Param>>,
    /// The package for the current parameters.
    loaded: Option<Arc<Loaded>>,
    /// For each output that the model computes in another type, memory for that type, which is reused by the next run.
    results: Vec<Option<HostBuffer>>,
}

/// Returns how packages of a lowered graph are made, and which of its alias pairs are states that stay with the model.
pub(crate) fn packaging(
    engine: &Arc<dyn Engine>,
    dialect: Dialect,
    lowered: &Lowered,
) -> (Packaging, Vec<usize>) {
    let graph = lowered.graph();
    let shapes = graph.input_shapes();
    let aliases = lowered.aliases().iter().enumerate();
    let (kept, states): (Vec<usize>, Vec<StatePair>) = aliases
        .filter(|(_, alias)| is_kept(&shapes[alias.input], dialect))
        .map(|(pair, &Alias { input, output })| (pair, StatePair { input, output }))
        .unzip();
    let options = lowered.options().backend.get::<CoremlOptions>().cloned().unwrap_or_default();
    (Packaging::new(engine.clone(), dialect, options, graph, states), kept)
}

impl CoremlProgram {
    pub(crate) fn new(
        engine: &Arc<dyn Engine>,
        dialect: Dialect,
        lowered: Lowered,
        models: Option<SharedModels>,
    ) -> CoremlProgram {
        let graph = lowered.graph();
        let (packaging, kept) = packaging(engine, dialect, &lowered);
        let others = |shapes: &[Shape], is_state: &dyn Fn(&StatePair, usize) -> bool| {
            let all = shapes.iter().map(Shape::dtype).enumerate();
            all.filter(|(i, _)| !packaging.states.iter().any(|state| is_state(state, *i))).collect()
        };
        let inputs = others(&graph.input_shapes(), &|state, i| state.input == i);
        let outputs = others(&graph.output_shapes(), &|state, i| state.output == i);
        let params = vec![None; graph.params().count()];
        let shared = Arc::new(StaticProgram { lowered, packaging, models, inputs, outputs, kept });
        CoremlProgram { shared, params, loaded: None, results: Vec::new() }
    }

    /// Returns the package for the current parameters.
    fn loaded(&mut self) -> Result<Arc<Loaded>, BackendError> {
        if let Some(loaded) = &self.loaded {
            return Ok(loaded.clone());
        }
        let loaded = Arc::new(self.load()?);
        self.loaded = Some(loaded.clone());
        Ok(loaded)
    }

    fn load(&self) -> Result<Loaded, BackendError> {
        let StaticProgram { lowered, packaging, models, .. } = &*self.shared;
        let graph = lowered.graph();
        let load = || {
            let loaded = packaging.load(graph, &self.params, |builder, values, weights| {
                builder.function_with(MAIN, graph, &packaging.states, values, weights).map(|_| ())
            });
            Ok(loaded?)
        };
        let Some(models) = models else { return load() };
        if let Some(Ok(open)) = &models.open
            && let Some(loaded) = open.loaded(graph, &self.params)?
        {
            return Ok(loaded);
        }
        let shared: Arc<dyn Any + Send + Sync> = self.shared.clone();
        models.recent.get(Arc::downgrade(&shared), &self.params, load)
    }
}

impl CoremlProgram {
    /// Returns why models cannot represent the current parameters, if they cannot: integers that are too wide.
    fn wide_param(&self) -> Option<String> {
        if self.loaded.is_some() {
            return None;
        }
        let params = self.shared.lowered.graph().named_params().zip(&self.params);
        params.filter(|((_, shape), _)| is_wide(shape.dtype())).find_map(|((name, shape), param)| {
            let wide = recast(param.as_ref()?.bytes(), shape.dtype(), DType::I32).err()?;
            Some(format!("parameter `{name}`: {wide}"))
        })
    }
}

fn run_error(output: usize, message: &str) -> BackendError {
    BackendError::Run {
        op: "CoreML".into(),
        label: String::new(),
        message: format!("output {output}: {message}"),
    }
}

impl HostProgram for CoremlProgram {
    fn clone_on(&self, _: &Arc<dyn Queue>) -> Result<Box<dyn HostProgram>, BackendError> {
        let (params, loaded) = (self.params.clone(), self.loaded.clone());
        let shared = self.shared.clone();
        let results = Vec::new();
        Ok(Box::new(CoremlProgram { shared, params, loaded, results }))
    }

    fn set_param(&mut self, index: usize, value: Param) {
        if let Some(param) = self.params.get_mut(index) {
            *param = Some(value);
        }
        self.loaded = None;
    }

    fn prepack(&mut self) -> Result<(), BackendError> {
        if self.params.iter().all(Option::is_some) && self.wide_param().is_none() {
            self.loaded()?;
        }
        Ok(())
    }

    fn kept(&self) -> &[usize] {
        &self.shared.kept
    }

    fn run(
        &mut self,
        inputs: &[&[u8]],
        kept: &mut [Buffer],
        outputs: &mut [&mut [u8]],
    ) -> Result<(), BackendError> {
        if let Some(wide) = self.wide_param() {
            return Err(BackendError::Unrepresentable(wide));
        }
        let loaded = self.loaded()?;
        let shared = self.shared.clone();
        let mut given: Vec<Cow<'_, [u8]>> = Vec::with_capacity(loaded.inputs.len());
        for (feature, &(index, dtype)) in loaded.inputs.iter().zip(&shared.inputs) {
            let wide = |wide: String| BackendError::Unrepresentable(format!("input {index}: {wide}"));
            given.push(recast(inputs[index], dtype, feature.dtype).map_err(wide)?);
        }
        let given: Vec<GivenArray<'_>> = loaded
            .inputs
            .iter()
            .zip(&given)
            .map(|(f, bytes)| GivenArray { name: &f.name, dtype: f.dtype, dims: &f.dims, bytes })
            .collect();
        // Outputs that already have the requested type are written to their destination.
        for (feature, &(_, dtype)) in loaded.outputs.iter().zip(&shared.outputs).skip(self.results.len()) {
            let bytes = feature.dims.iter().try_fold(feature.dtype.size(), |n, &d| n.checked_mul(d));
            let memory = || HostBuffer::zeroed(bytes.unwrap_or(usize::MAX));
            self.results.push(if feature.dtype == dtype { None } else { Some(memory()?) });
        }
        let is_state = |index: usize| shared.packaging.states.iter().any(|state| state.output == index);
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
                // The lock may be poisoned: a run does not change the model, so a panic leaves it intact.
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
        let StaticProgram { packaging, models, kept, .. } = &*self.shared;
        let (units, opset) = (packaging.options.units.unwrap_or_default(), packaging.dialect.opset.name());
        let loaded = if self.loaded.is_some() { "loaded" } else { "not loaded yet" };
        let mut text = format!("CoreML, {opset} on {units}: a package, {loaded}\n");
        match models.as_ref().and_then(|models| models.open.as_ref()) {
            None => {}
            Some(Ok(open)) => text += &open.describe(),
            Some(Err(reason)) => text += &format!("each size has its own model: {reason}\n"),
        }
        if !kept.is_empty() {
            text += &format!("{} states stay with the model\n", kept.len());
        }
        match (packaging.packed.len(), packaging.options.host_dequant) {
            (0, _) => {}
            (count, Some(true)) => {
                text += &format!("{count} packed parameters, unpacked as they are written\n");
            }
            (count, _) => text += &format!("{count} packed parameters\n"),
        }
        for (name, reason) in self.loaded.iter().flat_map(|loaded| &loaded.unpacked) {
            text += &format!("`{name}` is unpacked in the package: {reason}\n");
        }
        text
    }
}
