//! Writes a graph with the values of its parameters as a package.

use crate::beyond::with_known;
use crate::lowering::lowered;
use crate::model::{ModelBuilder, ModelError};
use crate::packed;
use crate::weights::{PackageWeights, WeightOptions};
use rlx_compile::{Alias, CompileError, CompileOptions, ParamValues};
use rlx_ir::{Graph, OpError};
use rlx_mil::blob::Blobs;
use rlx_mil::emit::{Dialect, EmittedFunction, Feature, StatePair};
use rlx_mil::package::{Package, PackageError};
use std::collections::BTreeSet;
use std::path::Path;

/// Why a graph could not be converted to a package. In this case, nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum ConversionError {
    /// The graph cannot be lowered to ops that programs support.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// The graph cannot be written as a program.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The package cannot be written.
    #[error(transparent)]
    Package(#[from] PackageError),
    /// The length of a value differs from its parameter's.
    #[error("parameter `{name}` needs {expected} bytes, got {got}")]
    ParamLength {
        /// The parameter.
        name: String,
        /// Bytes of its shape.
        expected: usize,
        /// Bytes given.
        got: usize,
    },
    /// Values are given for names that are not parameters.
    #[error("the graph has no parameters {}", .0.join(", "))]
    UnknownParams(Vec<String>),
    /// A packed parameter is used in a way that its op does not allow.
    #[error("packed parameters: {0}")]
    Packed(#[from] OpError),
    /// A state is not an input of the graph.
    #[error("the graph has no input {0} to use as a state")]
    NoState(String),
    /// There are no functions, or two functions have the same name.
    #[error("a package needs at least one function, and each needs a unique name: [{}]", .0.join(", "))]
    Functions(Vec<String>),
    /// Too few sizes to determine how a graph depends on them.
    #[error(
        "dimension {0} has too few sizes to find how the graph depends on it; write a package for each size"
    )]
    FewSizes(String),
    /// Several inputs have lists of sizes.
    #[error(
        "several inputs with lists of sizes need iOS 18: give a range of sizes, as NAME=1..512, or --target ios18"
    )]
    ListedInputs,
    /// Some sizes are still symbols.
    #[error("a package needs a size for {}", .0.join(", "))]
    Symbols(Vec<String>),
}

/// How graphs are converted to packages.
#[derive(Clone, Debug)]
pub struct Conversion {
    /// The oldest systems that run the package, and what may be computed in f16.
    pub dialect: Dialect,
    /// Passes, precision, and for the function `main`, the inputs that are states, with the outputs that are their next values.
    pub options: CompileOptions,
    /// How parameters are stored.
    pub weights: WeightOptions,
}

/// A graph of static sizes that becomes one function of a package.
#[derive(Clone, Debug)]
pub struct GraphFunction {
    /// Its name.
    pub name: String,
    /// The graph.
    pub graph: Graph,
    /// The inputs that are states, each with the output for its next value.
    pub states: Vec<(String, usize)>,
}

/// A description of the written model.
#[derive(Clone, Debug)]
pub struct Converted {
    /// The inputs of the first function, in the order of the graph's inputs, without states.
    pub inputs: Vec<Feature>,
    /// Its outputs, in the order of the graph's outputs, without the next values of states.
    pub outputs: Vec<Feature>,
    /// Its states, which persist between runs.
    pub states: Vec<Feature>,
    /// Parameters that are packed or should have been compressed, but are stored whole in the package, each with the reason.
    pub unpacked: Vec<(String, String)>,
    /// Bytes of the program without its weights, and of the weights file.
    pub bytes: (u64, u64),
}

/// A model that has not been written yet; its weights refer to the values.
pub struct Prepared<'v> {
    /// A description of the model.
    pub converted: Converted,
    /// The bytes of the model.
    pub model: Vec<u8>,
    /// Its weights.
    pub weights: Blobs<'v>,
}

impl Conversion {
    /// Creates a conversion that stores parameters as they are, in this dialect.
    pub fn new(dialect: Dialect, options: CompileOptions) -> Conversion {
        Conversion { dialect, options, weights: WeightOptions::default() }
    }

    /// Converts a graph of static sizes, with these values of its parameters, to a model with one function, `main`. The model is in memory,
    /// except for its weights.
    ///
    /// # Errors
    /// Returns a [`ConversionError`] that lists everything that programs do not support.
    pub fn prepare<'v>(
        &self,
        graph: &Graph,
        values: &'v ParamValues,
    ) -> Result<Prepared<'v>, ConversionError> {
        self.prepare_functions(&[self.main(graph)], values)
    }

    /// Converts graphs to functions of a model. The first one runs by default. Parameters with the same name share their values.
    ///
    /// # Errors
    /// Fails as [`Conversion::prepare`] does, and for values that no graph has a parameter for.
    pub fn prepare_functions<'v>(
        &self,
        functions: &[GraphFunction],
        values: &'v ParamValues,
    ) -> Result<Prepared<'v>, ConversionError> {
        check(functions, values)?;
        let mut blobs = Blobs::new();
        let mut builder = ModelBuilder::new(self.dialect);
        let mut weights = PackageWeights::new(&self.weights, values);
        let mut graphs = Vec::with_capacity(functions.len());
        let mut left_whole = Vec::new();
        for function in functions {
            let known = with_known(&function.graph, values, self.options.precision)?;
            left_whole.extend(weights.left_whole(&function.graph, known.as_ref()));
            let (graph, formats) = packed::unpacked(known.as_ref().unwrap_or(&function.graph))?;
            weights.declare(&graph, &formats);
            graphs.push(graph);
        }
        let value = |name: &str| weights.value(name);
        for (function, graph) in functions.iter().zip(&graphs) {
            let aliases = aliases(graph, &function.states)?;
            let lowered = lowered(graph, &aliases, self.dialect, &self.options)?;
            let states: Vec<StatePair> =
                aliases.iter().map(|&Alias { input, output }| StatePair { input, output }).collect();
            builder.function_with(&function.name, lowered.graph(), &states, &value, &mut blobs)?;
        }
        let unpacked = unpacked(builder.functions(), left_whole);
        let Some(EmittedFunction { inputs, outputs, states, .. }) = builder.functions().next().cloned()
        else {
            return Err(ConversionError::Functions(Vec::new()));
        };
        let model = builder.finish()?;
        let bytes = (model.len() as u64, blobs.file_bytes());
        let converted = Converted { inputs, outputs, states, unpacked, bytes };
        Ok(Prepared { converted, model, weights: blobs })
    }

    /// Converts a graph as [`Conversion::prepare`] does and writes the package, which appears complete or not at all. An existing one is
    /// replaced.
    ///
    /// # Errors
    /// Fails as [`Conversion::prepare`] does, or if the files cannot be written.
    pub fn write(
        &self,
        graph: &Graph,
        values: &ParamValues,
        to: &Path,
    ) -> Result<Converted, ConversionError> {
        self.write_functions(&[self.main(graph)], values, to)
    }

    /// Converts graphs to functions of a package and writes it.
    ///
    /// # Errors
    /// Fails as [`Conversion::prepare_functions`] does, or if the files cannot be written.
    pub fn write_functions(
        &self,
        functions: &[GraphFunction],
        values: &ParamValues,
        to: &Path,
    ) -> Result<Converted, ConversionError> {
        let Prepared { converted, model, weights } = self.prepare_functions(functions, values)?;
        Package::write(to, &model, &weights)?;
        Ok(converted)
    }

    pub(crate) fn main(&self, graph: &Graph) -> GraphFunction {
        GraphFunction { name: "main".into(), graph: graph.clone(), states: self.options.state.clone() }
    }
}

/// Lists, once each, the parameters that should be packed or compressed in the program but are not: those that emitting the functions left
/// unpacked, and `more`.
pub(crate) fn unpacked<'f>(
    functions: impl Iterator<Item = &'f EmittedFunction>,
    more: Vec<(String, String)>,
) -> Vec<(String, String)> {
    let mut all = more;
    all.extend(functions.flat_map(|function| function.unpacked.clone()));
    all.sort_unstable();
    all.dedup_by(|a, b| a.0 == b.0);
    all
}

/// Returns states as pairs of input and output numbers.
fn aliases(graph: &Graph, states: &[(String, usize)]) -> Result<Vec<Alias>, ConversionError> {
    let input = |name: &str| graph.inputs().position(|node| node.name() == Some(name));
    let alias = |(name, output): &(String, usize)| match input(name) {
        Some(input) => Ok(Alias { input, output: *output }),
        None => Err(ConversionError::NoState(name.clone())),
    };
    states.iter().map(alias).collect()
}

pub(crate) fn check(functions: &[GraphFunction], values: &ParamValues) -> Result<(), ConversionError> {
    let names: BTreeSet<&str> = functions.iter().map(|function| function.name.as_str()).collect();
    if functions.is_empty() || names.len() < functions.len() || names.contains("") {
        let names = functions.iter().map(|function| function.name.clone()).collect();
        return Err(ConversionError::Functions(names));
    }
    let graphs = || functions.iter().map(|function| &function.graph);
    let symbols: BTreeSet<String> =
        graphs().flat_map(Graph::symbols).map(|symbol| symbol.to_string()).collect();
    if !symbols.is_empty() {
        return Err(ConversionError::Symbols(symbols.into_iter().collect()));
    }
    let is_known = |name: &&String| graphs().any(|g| g.named_params().any(|(param, _)| param == *name));
    let unknown: Vec<String> = values.keys().filter(|name| !is_known(name)).cloned().collect();
    if !unknown.is_empty() {
        return Err(ConversionError::UnknownParams(unknown));
    }
    for (name, shape) in graphs().flat_map(Graph::named_params) {
        let (Some(value), Some(expected)) = (values.get(name), shape.num_bytes()) else { continue };
        let got = value.bytes().len();
        if got != expected {
            return Err(ConversionError::ParamLength { name: name.into(), expected, got });
        }
    }
    Ok(())
}
