//! Models: lowered graphs as functions of a program, with what they take and give.

use crate::open::{Axes, OpenSizes};
use prost::Message;
use rlx_ir::{DType, Graph};
use rlx_mil::blob::Blobs;
use rlx_mil::emit::{Dialect, EmittedFunction, Feature, ParamBytes, function, open_function};
use rlx_mil::message::{
    ArrayDataType, ArrayFeatureType, EnumeratedShapes, FeatureDescription, FeatureType, Model,
    ModelDescription, Program, Shape, ShapeRange, SizeRange,
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
    /// What the inputs of the only function take, where it has open sizes.
    open: Vec<FeatureDescription>,
}

impl ModelBuilder {
    /// A model without functions.
    pub fn new(dialect: Dialect) -> ModelBuilder {
        ModelBuilder { dialect, functions: Vec::new(), open: Vec::new() }
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

    /// Adds a graph that was lowered at several sizes, as [`open_function`] takes it; `axes` says which sizes its inputs have.
    pub(crate) fn open_function<'p>(
        &mut self,
        name: &str,
        graphs: &[Graph],
        (sizes, bounds): (&[Vec<usize>], &[(usize, usize)]),
        axes: Vec<Axes<'_>>,
        params: &ParamBytes<'p>,
        weights: &mut Blobs<'p>,
    ) -> Result<&EmittedFunction, ModelError> {
        let emitted = open_function(graphs, sizes, bounds, self.dialect, params, weights);
        let emitted = emitted.map_err(ModelError::Unsupported)?;
        self.open =
            emitted.inputs.iter().zip(&axes).map(|(feature, axes)| described_open(feature, axes)).collect();
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
                input: match &self.open[..] {
                    [] => only.inputs.iter().map(described).collect(),
                    open => open.to_vec(),
                },
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
    // A shape that is not known is not said.
    let is_open = feature.dims.contains(&Feature::OPEN);
    let array = ArrayFeatureType {
        shape: if is_open { Vec::new() } else { feature.dims.iter().map(|&n| n as i64).collect() },
        data_type: data_type.into(),
        ..ArrayFeatureType::default()
    };
    let ty = FeatureType { multi_array_type: Some(array), ..FeatureType::default() };
    FeatureDescription { name: feature.name.clone(), short_description: String::new(), r#type: Some(ty) }
}

/// What a model takes, of sizes that the run decides.
fn described_open(feature: &Feature, axes: &Axes<'_>) -> FeatureDescription {
    let mut description = described(feature);
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
