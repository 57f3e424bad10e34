//! An engine that reads packages back as graphs and evaluates them: what CoreML would compute, on any machine, and slowly.

use super::{Engine, EngineError, GivenArray, LoadOptions, LoadedModel, WantedArray};
use crate::import::ImportedModel;
use rlx_compile::Availability;
use rlx_ir::{Graph, Literal, Shape};
use rlx_mil::emit::Opset;
use std::path::Path;

/// Runs packages by what RLX reads in them: for tests of whatever uses an [`Engine`].
#[derive(Clone, Copy, Debug)]
pub struct InterpretedEngine {
    /// The operations that it takes.
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
        let read = model.function(options.function).map_err(|e| failed(&e))?;
        if let Some(state) = read.states.first() {
            return Err(EngineError::Load(format!(
                "its state {} cannot be kept by an interpreter",
                state.name
            )));
        }
        let mut params = Vec::with_capacity(read.params.len());
        for (name, bytes) in &read.params {
            let shape = read.graph.named_params().find(|(param, _)| param == name);
            let (_, shape) =
                shape.ok_or_else(|| EngineError::Load(format!("there is no parameter {name}")))?;
            params.push((name.clone(), Literal::from_bytes(shape, bytes).map_err(|e| failed(&e))?));
        }
        let outputs = read.outputs.iter().map(|(name, _)| name.clone()).collect();
        Ok(Box::new(InterpretedModel { graph: read.graph, params, outputs }))
    }
}

struct InterpretedModel {
    graph: Graph,
    params: Vec<(String, Literal)>,
    /// The names of the outputs, in the order of the graph's.
    outputs: Vec<String>,
}

impl LoadedModel for InterpretedModel {
    fn predict(
        &mut self,
        inputs: &[GivenArray<'_>],
        outputs: &mut [WantedArray<'_>],
    ) -> Result<(), EngineError> {
        let mut values = Vec::with_capacity(inputs.len());
        for input in inputs {
            let value = Literal::from_bytes(&Shape::new(input.dims, input.dtype), input.bytes);
            values.push(value.map_err(|e| EngineError::Run(format!("input {}: {e}", input.name)))?);
        }
        let given = inputs.iter().map(|input| input.name).zip(&values);
        let params = self.params.iter().map(|(name, value)| (name.as_str(), value));
        let given: Vec<(&str, &Literal)> = given.chain(params).collect();
        let results = rlx_ir::eval(&self.graph, &given).map_err(|e| EngineError::Run(e.to_string()))?;
        for wanted in outputs {
            let found = self.outputs.iter().position(|name| name == wanted.name);
            let result = found.and_then(|at| results.get(at));
            let result =
                result.ok_or_else(|| EngineError::Run(format!("there is no output {}", wanted.name)))?;
            if (result.dtype(), &result.dims()[..]) != (wanted.dtype, wanted.dims)
                || result.bytes().len() != wanted.bytes.len()
            {
                let (dtype, dims) = (result.dtype(), result.dims());
                return Err(EngineError::Run(format!("output {} is {dtype}{dims:?}", wanted.name)));
            }
            wanted.bytes.copy_from_slice(result.bytes());
        }
        Ok(())
    }
}
