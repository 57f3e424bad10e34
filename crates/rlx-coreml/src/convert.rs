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

/// Why a graph did not become a package. Nothing was written then.
#[derive(Debug, thiserror::Error)]
pub enum ConversionError {
    /// It cannot be lowered to what programs have.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// It cannot be written as a program.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The package cannot be written.
    #[error(transparent)]
    Package(#[from] PackageError),
    /// A value of another length than its parameter.
    #[error("parameter `{name}` needs {expected} bytes, got {got}")]
    ParamLength {
        /// The parameter.
        name: String,
        /// Bytes of its shape.
        expected: usize,
        /// Bytes given.
        got: usize,
    },
    /// Values that no parameter takes.
    #[error("the graph has no parameters {}", .0.join(", "))]
    UnknownParams(Vec<String>),
    /// A packed parameter is used in a way that its op does not allow.
    #[error("packed parameters: {0}")]
    Packed(#[from] OpError),
    /// A state that is no input.
    #[error("the graph has no input {0}, which is to be a state")]
    NoState(String),
    /// A graph as two functions of one name, or no function at all.
    #[error("a package has one function at least, and each under a name of its own: [{}]", .0.join(", "))]
    Functions(Vec<String>),
    /// Too few sizes to tell how a graph depends on them.
    #[error(
        "dimension {0}: fewer than three primes are among its sizes and between them; write a package for each size"
    )]
    FewSizes(String),
    /// Lists of sizes for several inputs.
    #[error(
        "several inputs with lists of sizes need iOS 18: give a range of sizes, as NAME=1..512, or --target ios18"
    )]
    ListedInputs,
    /// Sizes are symbols.
    #[error("a package needs a size for {}", .0.join(", "))]
    Symbols(Vec<String>),
}

/// How a graph becomes a package.
#[derive(Clone, Debug)]
pub struct Conversion {
    /// The oldest systems that run it, and what may be computed in f16.
    pub dialect: Dialect,
    /// Passes, precision, and which inputs are states with which outputs as their next values: for the function `main`.
    pub options: CompileOptions,
    /// How parameters are stored.
    pub weights: WeightOptions,
}

/// A graph of static sizes that becomes a function of a package.
#[derive(Clone, Debug)]
pub struct GraphFunction {
    /// Its name.
    pub name: String,
    /// The graph.
    pub graph: Graph,
    /// The inputs that are states, each with the output that is its next value.
    pub states: Vec<(String, usize)>,
}

/// What was written.
#[derive(Clone, Debug)]
pub struct Converted {
    /// What the first function takes, in the order of the graph's inputs that are no states.
    pub inputs: Vec<Feature>,
    /// What it gives, in the order of the graph's outputs that are not the next values of states.
    pub outputs: Vec<Feature>,
    /// What it keeps between runs.
    pub states: Vec<Feature>,
    /// Parameters that are packed, or were to be compressed, and are stored whole in the package, and why.
    pub unpacked: Vec<(String, String)>,
    /// Bytes of the program without its weights, and of the file of weights.
    pub bytes: (u64, u64),
}

/// A model that is not written yet, whose weights are where the values are.
pub struct Prepared<'v> {
    /// What the model takes, and what it gives.
    pub converted: Converted,
    /// The bytes of the model.
    pub model: Vec<u8>,
    /// Its weights.
    pub weights: Blobs<'v>,
}

impl Conversion {
    /// Parameters as they are, in this dialect.
    pub fn new(dialect: Dialect, options: CompileOptions) -> Conversion {
        Conversion { dialect, options, weights: WeightOptions::default() }
    }

    /// A graph of static sizes, whose parameters have these values, as a model with one function, `main`, in memory but for its weights.
    ///
    /// # Errors
    /// A [`ConversionError`] with everything that programs have not.
    pub fn prepare<'v>(
        &self,
        graph: &Graph,
        values: &'v ParamValues,
    ) -> Result<Prepared<'v>, ConversionError> {
        self.prepare_functions(&[self.main(graph)], values)
    }

    /// Graphs as functions of a model, of which the first runs where none is named. They share the values of parameters of one name.
    ///
    /// # Errors
    /// As [`Conversion::prepare`]; values that no graph has are unknown.
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

    /// The same as a package, which is there whole or not at all; one that was there before is replaced.
    ///
    /// # Errors
    /// As [`Conversion::prepare`], and what is wrong with the files.
    pub fn write(
        &self,
        graph: &Graph,
        values: &ParamValues,
        to: &Path,
    ) -> Result<Converted, ConversionError> {
        self.write_functions(&[self.main(graph)], values, to)
    }

    /// Graphs as functions of a package.
    ///
    /// # Errors
    /// As [`Conversion::prepare_functions`], and what is wrong with the files.
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

/// The parameters that are neither packed nor compressed in the program although they were to be, each once: those that emitting the
/// functions left unpacked, and `more`.
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

/// States as pairs of numbers.
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
