//! Models: lowered graphs as functions of a program, with what they take and give.

use prost::Message;
use rlx_ir::{DType, Graph};
use rlx_mil::blob::Blobs;
use rlx_mil::emit::{Dialect, EmittedFunction, Feature, ParamBytes, function};
use rlx_mil::message::{
    ArrayDataType, ArrayFeatureType, FeatureDescription, FeatureType, Model, ModelDescription, Program,
};
use std::collections::BTreeMap;

/// Why a graph is no model.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ModelError {
    /// Ops, types and sizes that programs have not, one message each.
    #[error("the graph cannot be written as an ML Program:{}", .0.iter().map(|p| format!("\n  {p}")).collect::<String>())]
    Unsupported(Vec<String>),
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
        params: &ParamBytes<'p>,
        weights: &mut Blobs<'p>,
    ) -> Result<&EmittedFunction, ModelError> {
        let emitted = function(graph, self.dialect, params, weights).map_err(ModelError::Unsupported)?;
        self.functions.push((name.into(), emitted));
        Ok(&self.functions[self.functions.len() - 1].1)
    }

    /// The model's bytes; its weights are in the file that its functions were given.
    ///
    /// # Errors
    /// [`ModelError::TooLong`].
    pub fn finish(self) -> Result<Vec<u8>, ModelError> {
        let description = match &self.functions[..] {
            [(_, only)] => ModelDescription {
                input: only.inputs.iter().map(described).collect(),
                output: only.outputs.iter().map(described).collect(),
                ..ModelDescription::default()
            },
            _ => ModelDescription::default(),
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

/// What a model takes or gives.
fn described(feature: &Feature) -> FeatureDescription {
    let data_type = match feature.dtype {
        DType::F16 => ArrayDataType::Float16,
        DType::F32 => ArrayDataType::Float32,
        _ => ArrayDataType::Int32,
    };
    let array = ArrayFeatureType {
        shape: feature.dims.iter().map(|&n| n as i64).collect(),
        data_type: data_type.into(),
        ..ArrayFeatureType::default()
    };
    let ty = FeatureType { multi_array_type: Some(array), ..FeatureType::default() };
    FeatureDescription { name: feature.name.clone(), short_description: String::new(), r#type: Some(ty) }
}
