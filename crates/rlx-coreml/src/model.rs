//! Models: lowered graphs as functions of a program, with their inputs, outputs and states.

use crate::open::{Axes, OpenSizes};
use prost::Message;
use rlx_ir::{DType, Graph};
use rlx_mil::blob::Blobs;
use rlx_mil::emit::{
    Dialect, EmittedFunction, Feature, OpenGraph, Opset, ParamBytes, StatePair, function, open_function,
};
use rlx_mil::message::{
    ArrayDataType, ArrayFeatureType, EnumeratedShapes, FeatureDescription, FeatureType, FunctionDescription,
    Model, ModelDescription, Program, Shape, ShapeRange, SizeRange, StateFeatureType,
};
use std::collections::BTreeMap;

/// Why a graph cannot be written as a model.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ModelError {
    /// The graph has ops, types or sizes that programs do not support, with one message for each.
    #[error("the graph cannot be written as an ML Program:{}", .0.iter().map(|p| format!("\n  {p}")).collect::<String>())]
    Unsupported(Vec<String>),
    /// There are several functions, which older systems do not support.
    #[error("packages have several functions from iOS 18 on: {}", .0.join(", "))]
    Functions(Vec<String>),
    /// The program without its weights is larger than a protobuf may be.
    #[error("the program has {0} bytes without its weights; CoreML reads up to {MOST_BYTES}")]
    TooLong(usize),
}

/// Maximum size of a protobuf in bytes.
const MOST_BYTES: usize = i32::MAX as usize;

/// Builds a model from lowered graphs.
pub struct ModelBuilder {
    dialect: Dialect,
    functions: Vec<(String, EmittedFunction)>,
    /// The descriptions of the inputs of the only function, if it has open sizes.
    open: Vec<FeatureDescription>,
}

impl ModelBuilder {
    /// Creates a model without functions.
    pub fn new(dialect: Dialect) -> ModelBuilder {
        ModelBuilder { dialect, functions: Vec::new(), open: Vec::new() }
    }

    /// Adds a lowered graph as a function. Its parameters become constants.
    ///
    /// # Errors
    /// Returns [`ModelError::Unsupported`] with everything that programs do not support.
    pub fn function<'p>(
        &mut self,
        name: &str,
        graph: &Graph,
        params: &ParamBytes<'_, 'p>,
        weights: &mut Blobs<'p>,
    ) -> Result<&EmittedFunction, ModelError> {
        self.function_with(name, graph, &[], params, weights)
    }

    /// Adds a lowered graph as a function with states: inputs with next values that are outputs.
    ///
    /// # Errors
    /// Fails as [`ModelBuilder::function`] does.
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

    /// Adds a graph that was lowered at several sizes; `axes` are the sizes that its inputs may have.
    pub(crate) fn open_function<'p>(
        &mut self,
        name: &str,
        open: OpenGraph<'_>,
        axes: Vec<Axes<'_>>,
        params: &ParamBytes<'_, 'p>,
        weights: &mut Blobs<'p>,
    ) -> Result<&EmittedFunction, ModelError> {
        let emitted = open_function(open, self.dialect, params, weights);
        let emitted = emitted.map_err(ModelError::Unsupported)?;
        self.open =
            emitted.inputs.iter().zip(&axes).map(|(feature, axes)| described_open(feature, axes)).collect();
        self.functions.push((name.into(), emitted));
        Ok(&self.functions[self.functions.len() - 1].1)
    }

    /// Returns the functions added so far.
    pub fn functions(&self) -> impl Iterator<Item = &EmittedFunction> + Clone {
        self.functions.iter().map(|(_, emitted)| emitted)
    }

    /// Returns the model's bytes. Its weights are in the file that was passed to its functions. If there are several functions, the first
    /// one runs by default.
    ///
    /// # Errors
    /// Returns [`ModelError::TooLong`], or [`ModelError::Functions`] for several functions before iOS 18.
    pub fn finish(self) -> Result<Vec<u8>, ModelError> {
        let names = || self.functions.iter().map(|(name, _)| name.clone());
        let description = match &self.functions[..] {
            [(name, only)] if name == "main" => ModelDescription {
                input: if self.open.is_empty() { described(&only.inputs) } else { self.open.clone() },
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

/// Describes inputs or outputs of a model.
fn described(features: &[Feature]) -> Vec<FeatureDescription> {
    features.iter().map(array_feature).collect()
}

fn array_feature(feature: &Feature) -> FeatureDescription {
    let ty = FeatureType { multi_array_type: Some(array(feature)), ..FeatureType::default() };
    named(feature, ty)
}

/// Describes the states of a model.
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
    // A shape that is not known is left out.
    let is_open = feature.dims.contains(&Feature::OPEN);
    ArrayFeatureType {
        shape: if is_open { Vec::new() } else { feature.dims.iter().map(|&n| n as i64).collect() },
        data_type: data_type.into(),
        ..ArrayFeatureType::default()
    }
}

/// Describes an input of a model with sizes that the run decides.
fn described_open(feature: &Feature, axes: &Axes<'_>) -> FeatureDescription {
    let mut description = array_feature(feature);
    let array = description.r#type.as_mut().and_then(|ty| ty.multi_array_type.as_mut());
    let Some(array) = array.filter(|_| feature.dims.contains(&Feature::OPEN)) else { return description };
    let lists: Option<Vec<Vec<usize>>> = axes
        .iter()
        .map(|axis| match axis {
            Ok(size) => Some(vec![*size]),
            Err(OpenSizes::List(list)) => Some(list.clone()),
            Err(OpenSizes::Range(..)) => None,
        })
        .collect();
    if let Some(lists) = lists {
        let mut shapes = vec![Vec::new()];
        for list in &lists {
            shapes = shapes
                .iter()
                .flat_map(|shape: &Vec<i64>| list.iter().map(move |&n| [&shape[..], &[n as i64]].concat()))
                .collect();
        }
        array.shape.clone_from(&shapes[0]);
        array.enumerated_shapes =
            Some(EnumeratedShapes { shapes: shapes.into_iter().map(|shape| Shape { shape }).collect() });
        return description;
    }
    let bounds = |axis: &Result<usize, &OpenSizes>| axis.map_or_else(OpenSizes::bounds, |size| (size, size));
    array.shape = axes.iter().map(|axis| bounds(axis).0 as i64).collect();
    let range = |axis| {
        let (least, most) = bounds(axis);
        SizeRange { lower_bound: least as u64, upper_bound: most as i64 }
    };
    array.shape_range = Some(ShapeRange { size_ranges: axes.iter().map(range).collect() });
    description
}
