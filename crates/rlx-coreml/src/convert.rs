//! Graphs with the values of their parameters as packages.

use crate::lowering::lowered;
use crate::model::{ModelBuilder, ModelError};
use rlx_compile::{CompileError, CompileOptions, ParamValues};
use rlx_ir::Graph;
use rlx_mil::blob::Blobs;
use rlx_mil::emit::{Dialect, Feature};
use rlx_mil::package::{Package, PackageError};
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
    /// Passes and precision.
    pub options: CompileOptions,
}

/// What was written.
#[derive(Clone, Debug)]
pub struct Converted {
    /// What the model takes, in the order of the graph's inputs.
    pub inputs: Vec<Feature>,
    /// What it gives, in the order of the graph's outputs.
    pub outputs: Vec<Feature>,
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
    /// A graph of static sizes, whose parameters have these values, as a model with one function, `main`, in memory but for its weights.
    ///
    /// # Errors
    /// A [`ConversionError`] with everything that programs have not.
    pub fn prepare<'v>(
        &self,
        graph: &Graph,
        values: &'v ParamValues,
    ) -> Result<Prepared<'v>, ConversionError> {
        check(graph, values)?;
        let lowered = lowered(graph, self.dialect, &self.options)?;
        let bytes = |name: &str| values.get(name).map(|value| value.bytes());
        let mut weights = Blobs::new();
        let mut builder = ModelBuilder::new(self.dialect);
        let emitted = builder.function("main", lowered.graph(), &bytes, &mut weights)?;
        let (inputs, outputs) = (emitted.inputs.clone(), emitted.outputs.clone());
        let model = builder.finish()?;
        let converted = Converted { inputs, outputs, bytes: (model.len() as u64, weights.file_bytes()) };
        Ok(Prepared { converted, model, weights })
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
        let Prepared { converted, model, weights } = self.prepare(graph, values)?;
        Package::write(to, &model, &weights)?;
        Ok(converted)
    }
}

pub(crate) fn check(graph: &Graph, values: &ParamValues) -> Result<(), ConversionError> {
    let symbols: Vec<String> = graph.symbols().iter().map(ToString::to_string).collect();
    if !symbols.is_empty() {
        return Err(ConversionError::Symbols(symbols));
    }
    let is_known = |name: &&String| graph.named_params().any(|(param, _)| param == *name);
    let unknown: Vec<String> = values.keys().filter(|name| !is_known(name)).cloned().collect();
    if !unknown.is_empty() {
        return Err(ConversionError::UnknownParams(unknown));
    }
    for (name, shape) in graph.named_params() {
        let (Some(value), Some(expected)) = (values.get(name), shape.num_bytes()) else { continue };
        let got = value.bytes().len();
        if got != expected {
            return Err(ConversionError::ParamLength { name: name.into(), expected, got });
        }
    }
    Ok(())
}
