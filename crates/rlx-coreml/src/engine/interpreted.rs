//! An engine that imports packages as graphs and evaluates them: slow, but available on any machine.

use super::{Engine, EngineError, GivenArray, LoadOptions, LoadedModel, ModelState, WantedArray};
use crate::import::ImportedModel;
use rlx_compile::BackendError;
use rlx_exec::Availability;
use rlx_exec::buffer::HostBuffer;
use rlx_ir::{Graph, Literal, Shape};
use rlx_mil::emit::Opset;
use rlx_mil::import::ImportedState;
use std::any::Any;
use std::collections::BTreeMap;
use std::path::Path;

/// Runs packages as RLX imports them, for tests of code that uses an [`Engine`].
#[derive(Clone, Copy, Debug)]
pub struct InterpretedEngine {
    /// The operations that it accepts.
    pub opset: Opset,
}

impl Default for InterpretedEngine {
    fn default() -> InterpretedEngine {
        InterpretedEngine { opset: Opset::Ios18 }
    }
}

impl Engine for InterpretedEngine {
    fn availability(&self) -> Availability {
        Availability::Present("packages are read back and evaluated".into())
    }

    fn opset(&self) -> Opset {
        self.opset
    }

    fn load(&self, package: &Path, options: LoadOptions<'_>) -> Result<Box<dyn LoadedModel>, EngineError> {
        let failed = |e: &dyn std::error::Error| EngineError::Load(e.to_string());
        let model = ImportedModel::open(package).map_err(|e| failed(&e))?;
        let sizes = model.default_sizes(options.function);
        let read = ReadFunction::of(&model, options.function, sizes).map_err(EngineError::Load)?;
        let open = model.has_open_sizes(options.function).then(|| (model, options.function.to_string()));
        Ok(Box::new(InterpretedModel { read, open }))
    }
}

/// A function, imported at certain sizes.
struct ReadFunction {
    /// The sizes of the inputs.
    sizes: BTreeMap<String, Vec<usize>>,
    graph: Graph,
    params: Vec<(String, Literal)>,
    /// The names of the outputs, in the graph's order.
    outputs: Vec<String>,
    states: Vec<ImportedState>,
}

impl ReadFunction {
    fn of(
        model: &ImportedModel,
        function: &str,
        sizes: BTreeMap<String, Vec<usize>>,
    ) -> Result<ReadFunction, String> {
        let read = model.function_at(function, &sizes).map_err(|e| e.to_string())?;
        let mut params = Vec::with_capacity(read.params.len());
        for (name, bytes) in &read.params {
            let shape = read.graph.named_params().find(|(param, _)| param == name);
            let (_, shape) = shape.ok_or_else(|| format!("there is no parameter {name}"))?;
            params.push((name.clone(), Literal::from_bytes(shape, bytes).map_err(|e| e.to_string())?));
        }
        let outputs = read.outputs.iter().map(|(name, _)| name.clone()).collect();
        Ok(ReadFunction { sizes, graph: read.graph, params, outputs, states: read.states })
    }
}

struct InterpretedModel {
    /// The function as last imported.
    read: ReadFunction,
    /// The model and the function's name, if runs decide sizes.
    open: Option<(ImportedModel, String)>,
}

impl InterpretedModel {
    /// Imports the function at the sizes of these inputs.
    fn read_at(&mut self, inputs: &[GivenArray<'_>]) -> Result<(), String> {
        let Some((model, function)) = &self.open else { return Ok(()) };
        let sizes: BTreeMap<String, Vec<usize>> =
            inputs.iter().map(|input| (input.name.to_string(), input.dims.to_vec())).collect();
        if sizes == self.read.sizes {
            return Ok(());
        }
        model.check_sizes(function, &sizes)?;
        self.read = ReadFunction::of(model, function, sizes)?;
        Ok(())
    }
}

/// The values of states, by name.
struct InterpretedState(BTreeMap<String, Literal>);

impl InterpretedState {
    fn of(&mut self, name: &str) -> Result<&mut Literal, EngineError> {
        self.0.get_mut(name).ok_or_else(|| EngineError::Run(format!("there is no state {name}")))
    }
}

impl ModelState for InterpretedState {
    fn read(&mut self, name: &str, into: &mut [u8]) -> Result<(), EngineError> {
        let value = self.of(name)?;
        let (expected, got) = (value.bytes().len(), into.len());
        if expected != got {
            return Err(EngineError::Run(format!("the state {name} has {expected} bytes, got {got}")));
        }
        into.copy_from_slice(value.bytes());
        Ok(())
    }

    fn write(&mut self, name: &str, bytes: &[u8]) -> Result<(), EngineError> {
        let value = self.of(name)?;
        let next = Literal::from_bytes(value.shape(), bytes);
        *value = next.map_err(|e| EngineError::Run(format!("the state {name}: {e}")))?;
        Ok(())
    }

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

impl LoadedModel for InterpretedModel {
    fn predict(
        &mut self,
        inputs: &[GivenArray<'_>],
        state: Option<&mut dyn ModelState>,
        outputs: &mut [WantedArray<'_>],
    ) -> Result<(), EngineError> {
        let failed = |e: String| EngineError::Run(e);
        self.read_at(inputs).map_err(failed)?;
        let ReadFunction { graph, params, outputs: names, states: own, .. } = &self.read;
        let mut values = Vec::with_capacity(inputs.len());
        for input in inputs {
            let value = Literal::from_bytes(&Shape::new(input.dims, input.dtype), input.bytes);
            values.push(value.map_err(|e| failed(format!("input {}: {e}", input.name)))?);
        }
        let mut none = InterpretedState(BTreeMap::new());
        let state = match state {
            None => &mut none,
            Some(state) => {
                let own = state.as_any().downcast_mut::<InterpretedState>();
                own.ok_or_else(|| failed("its states belong to another engine".into()))?
            }
        };
        let given = inputs.iter().map(|input| input.name).zip(&values);
        let params = params.iter().map(|(name, value)| (name.as_str(), value));
        let states = state.0.iter().map(|(name, value)| (name.as_str(), value));
        let given: Vec<(&str, &Literal)> = given.chain(params).chain(states).collect();
        let results = rlx_ir::eval(graph, &given).map_err(|e| failed(e.to_string()))?;
        for wanted in outputs {
            let found = names.iter().position(|name| name == wanted.name);
            let result = found.and_then(|at| results.get(at));
            let result = result.ok_or_else(|| failed(format!("there is no output {}", wanted.name)))?;
            if (result.dtype(), &result.dims()[..]) != (wanted.dtype, wanted.dims)
                || result.bytes().len() != wanted.bytes.len()
            {
                let (dtype, dims) = (result.dtype(), result.dims());
                return Err(failed(format!("output {} is {dtype}{dims:?}", wanted.name)));
            }
            wanted.bytes.copy_from_slice(result.bytes());
        }
        for kept in own {
            if let Some(next) = kept.output.and_then(|output| results.get(output)) {
                *state.of(&kept.name)? = next.clone();
            }
        }
        Ok(())
    }

    fn new_state(&mut self) -> Result<Box<dyn ModelState>, EngineError> {
        let zeros = |state: &ImportedState| {
            let failed =
                |e: &dyn std::error::Error| EngineError::Run(format!("the state {}: {e}", state.name));
            let bytes = state.shape.num_bytes().unwrap_or(usize::MAX);
            let bytes = HostBuffer::zeroed(bytes).map_err(|e| failed(&BackendError::from(e)))?;
            let value = Literal::from_bytes(&state.shape, &bytes).map_err(|e| failed(&e))?;
            Ok((state.name.clone(), value))
        };
        Ok(Box::new(InterpretedState(self.read.states.iter().map(zeros).collect::<Result<_, _>>()?)))
    }
}
