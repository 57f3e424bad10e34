//! Models: lowered graphs as functions of a program, with what they take and give.

use prost::Message;
use rlx_ir::{DType, Graph};
use rlx_mil::blob::Blobs;
use rlx_mil::emit::{Dialect, EmittedFunction, Feature, Opset, ParamBytes, StatePair, function};
use rlx_mil::message::{
    ArrayDataType, ArrayFeatureType, FeatureDescription, FeatureType, FunctionDescription, Model,
    ModelDescription, Program, StateFeatureType,
};
use std::collections::BTreeMap;

/// Why a graph is no model.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ModelError {
    /// Ops, types and sizes that programs have not, one message each.
    #[error("the graph cannot be written as an ML Program:{}", .0.iter().map(|p| format!("\n  {p}")).collect::<String>())]
    Unsupported(Vec<String>),
    /// Several functions, which older systems have not.
    #[error("packages have several functions from iOS 18 on: {}", .0.join(", "))]
    Functions(Vec<String>),
    /// The program without its weights is longer than what a protobuf may be.
    #[error("the program has {0} bytes without its weights; CoreML reads up to {MOST_BYTES}")]
    TooLong(usize),
}

/// The longest protobuf.
const MOST_BYTES: usize = i32::MAX as usize;

/// Builds a model of lowered graphs.
pub struct ModelBuilder {
    dialect: Dialect,
    functions: Vec<(String, EmittedFunction)>,
}

impl ModelBuilder {
    /// A model without functions.
    pub fn new(dialect: Dialect) -> ModelBuilder {
        ModelBuilder { dialect, functions: Vec::new() }
    }

    /// Adds a lowered graph, whose parameters become constants, as a function.
    ///
    /// # Errors
    /// [`ModelError::Unsupported`] with everything that programs have not.
    pub fn function<'p>(
        &mut self,
        name: &str,
        graph: &Graph,
        params: &ParamBytes<'_, 'p>,
        weights: &mut Blobs<'p>,
    ) -> Result<&EmittedFunction, ModelError> {
        self.function_with(name, graph, &[], params, weights)
    }

    /// The same with states: inputs whose next values are outputs.
    ///
    /// # Errors
    /// As [`ModelBuilder::function`].
    pub fn function_with<'p>(
        &mut self,
        name: &str,
        graph: &Graph,
        states: &[StatePair],
        params: &ParamBytes<'_, 'p>,
        weights: &mut Blobs<'p>,
    ) -> Result<&EmittedFunction, ModelError> {
        let emitted =
            function(graph, self.dialect, states, params, weights).map_err(ModelError::Unsupported)?;
        self.functions.push((name.into(), emitted));
        Ok(&self.functions[self.functions.len() - 1].1)
    }

    /// The functions so far.
    pub fn functions(&self) -> impl Iterator<Item = &EmittedFunction> + Clone {
        self.functions.iter().map(|(_, emitted)| emitted)
    }

    /// The model's bytes; its weights are in the file that its functions were given. Where it has several functions, the first is that
    /// which runs if none is named.
    ///
    /// # Errors
    /// [`ModelError::TooLong`], and [`ModelError::Functions`] of several before iOS 18.
    pub fn finish(self) -> Result<Vec<u8>, ModelError> {
        let names = || self.functions.iter().map(|(name, _)| name.clone());
        let description = match &self.functions[..] {
            [(name, only)] if name == "main" => ModelDescription {
                input: described(&only.inputs),
                output: described(&only.outputs),
                state: states(&only.states),
                ..ModelDescription::default()
            },
            _ if self.dialect.opset < Opset::Ios18 => return Err(ModelError::Functions(names().collect())),
            several => ModelDescription {
                functions: several.iter().map(|(name, emitted)| described_function(name, emitted)).collect(),
                default_function_name: names().next().unwrap_or_default(),
                ..ModelDescription::default()
            },
        };
        let functions: BTreeMap<String, _> =
            self.functions.into_iter().map(|(name, emitted)| (name, emitted.function)).collect();
        let program = Program { version: 1, functions, ..Program::default() };
        let model = Model {
            specification_version: self.dialect.opset.specification_version(),
            description: Some(description),
            is_updatable: false,
            ml_program: Some(program),
        };
        match model.encoded_len() {
            bytes if bytes > MOST_BYTES => Err(ModelError::TooLong(bytes)),
            _ => Ok(model.encode_to_vec()),
        }
    }
}

fn described_function(name: &str, emitted: &EmittedFunction) -> FunctionDescription {
    FunctionDescription {
        name: name.into(),
        input: described(&emitted.inputs),
        output: described(&emitted.outputs),
        state: states(&emitted.states),
    }
}

/// What a model takes or gives.
fn described(features: &[Feature]) -> Vec<FeatureDescription> {
    let ty = |feature| FeatureType { multi_array_type: Some(array(feature)), ..FeatureType::default() };
    features.iter().map(|feature| named(feature, ty(feature))).collect()
}

/// What it keeps between runs.
fn states(features: &[Feature]) -> Vec<FeatureDescription> {
    let ty = |feature| {
        let state = StateFeatureType { array_type: Some(array(feature)) };
        FeatureType { state_type: Some(state), ..FeatureType::default() }
    };
    features.iter().map(|feature| named(feature, ty(feature))).collect()
}

fn named(feature: &Feature, ty: FeatureType) -> FeatureDescription {
    FeatureDescription { name: feature.name.clone(), short_description: String::new(), r#type: Some(ty) }
}

fn array(feature: &Feature) -> ArrayFeatureType {
    let data_type = match feature.dtype {
        DType::F16 => ArrayDataType::Float16,
        DType::F32 => ArrayDataType::Float32,
        _ => ArrayDataType::Int32,
    };
    ArrayFeatureType {
        shape: feature.dims.iter().map(|&n| n as i64).collect(),
        data_type: data_type.into(),
        ..ArrayFeatureType::default()
    }
}
