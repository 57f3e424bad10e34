//! Graphs and models as CoreML packages.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rlx_coreml::{Conversion, Converted, Dialect, ImportedModel, Model, OpenDim, Opset, decode};
use rlx_ir::{Bindings, Graph, Literal, Shape, Symbol};
use rlx_models::bert;
use rlx_models::files::write_atomically;
use rlx_models::model::SentenceModel;
use rlx_models::weights::{StoredType, Tensor, save};
use rlx_runtime::{CompileOptions, Param, ParamValues, PrecisionPolicy, StoredTensor};
use rlx_stablehlo::ExportOptions;

use super::graphs::param_values;
use crate::arrays::Given;
use crate::failure::Failure;
use crate::program::{self, Language};

/// Writes the function of a package that runs where none is named as a graph to the file `to`, and its constants beside it to a .safetensors
/// file, whose path it gives. Sizes that the package leaves open are those that it says itself.
pub fn unpackage(from: &Path, to: &Path) -> Result<Option<PathBuf>, Failure> {
    let model = ImportedModel::open(from)?;
    let name = model.default_function();
    let function = model.function_at(name, &model.default_sizes(name))?;
    // What the language of the file cannot say is known before anything is written.
    let text = program::text(Language::of(to)?, &function.graph, &ExportOptions::default())?;
    let beside = to.with_extension("safetensors");
    let shapes: HashMap<&str, &Shape> = function.graph.named_params().collect();
    let mut tensors = Vec::new();
    for (name, bytes) in &function.params {
        let shape = shapes.get(name.as_str()).copied();
        let (stored, dims) = shape
            .and_then(|shape| Some((StoredType::of(shape.dtype())?, shape.static_dims()?)))
            .ok_or_else(|| {
                Failure::Failed(
                    format!("{}: a .safetensors file cannot hold the constant {name}", from.display()).into(),
                )
            })?;
        tensors.push((name, stored, dims, bytes));
    }
    let tensors: Vec<Tensor<'_>> = tensors
        .iter()
        .map(|(name, stored, dims, bytes)| Tensor { name, stored: *stored, shape: dims, bytes })
        .collect();
    if !tensors.is_empty() {
        save(&beside, &tensors, &BTreeMap::new())?;
    }
    write_atomically(to, |file| file.write_all(text.as_bytes()))?;
    Ok((!tensors.is_empty()).then_some(beside))
}

/// How something becomes a package.
pub struct Packaging<'a> {
    pub opset: Opset,
    pub precision: PrecisionPolicy,
    /// Sizes of symbolic dimensions.
    pub dims: &'a [(String, usize)],
    /// Symbolic dimensions whose sizes the run decides.
    pub open: &'a [OpenDim],
}

/// What becomes a package: a graph, all of whose symbols are open dimensions, and the values of its parameters.
pub struct Packaged {
    conversion: Conversion,
    graph: Graph,
    open: Vec<OpenDim>,
    values: ParamValues,
}

impl Packaged {
    /// Writes the package.
    pub fn write(&self, to: &Path) -> Result<Converted, Failure> {
        Ok(match &self.open[..] {
            [] => self.conversion.write(&self.graph, &self.values, to)?,
            open => self.conversion.write_open(&self.graph, open, &self.values, to)?,
        })
    }

    /// The model without its weights.
    pub fn model(&self) -> Result<Model, Failure> {
        let prepared = match &self.open[..] {
            [] => self.conversion.prepare(&self.graph, &self.values)?,
            open => self.conversion.prepare_open(&self.graph, open, &self.values)?,
        };
        Ok(decode(&prepared.model)?)
    }
}

/// Sizes of an encoder's dimensions that nobody gave.
const USUAL: [(&str, usize); 2] = [("batch", 1), ("seq", 128)];

impl Packaging<'_> {
    /// The graph in the file `path`.
    pub fn graph(&self, path: &Path, params: &[Given]) -> Result<Packaged, Failure> {
        let graph = program::read(path)?.graph;
        let values = param_values(&graph, params)?;
        self.package(&graph, values, &[])
    }

    /// The encoder of the model in the folder `dir`: from tokens to the vectors of texts. Weights stay in their file until they
    /// are written.
    pub fn encoder(&self, dir: &Path) -> Result<Packaged, Failure> {
        let SentenceModel { encoder, sentence, weights, names, .. } = SentenceModel::load(dir)?;
        let graph = bert::sentence_graph(&encoder, &sentence)?;
        let shapes: HashMap<&str, _> = graph.named_params().collect();
        let weights = Arc::new(weights);
        let mut values = ParamValues::new();
        for (param, tensor) in bert::parameters(&names) {
            let view = weights.tensor(tensor)?;
            let is_declared = shapes
                .get(param.as_str())
                .is_some_and(|shape| view.stored_type().dtype() == Some(shape.dtype()));
            let value = if is_declared {
                Param::new(Arc::new(StoredTensor::new(weights.clone(), tensor)?))
            } else {
                let numbers = view.to_f32()?;
                Param::new(Arc::new(Literal::new(&[numbers.len()], &numbers)?))
            };
            values.insert(param, value);
        }
        self.package(&graph, values, &USUAL)
    }

    fn package(
        &self,
        graph: &Graph,
        values: ParamValues,
        usual: &[(&str, usize)],
    ) -> Result<Packaged, Failure> {
        let symbols = graph.symbols();
        let fixed = self.dims.iter().map(|(name, _)| Symbol::new(name));
        let unknown =
            fixed.chain(self.open.iter().map(|dim| dim.symbol.clone())).find(|s| !symbols.contains(s));
        if let Some(name) = unknown {
            return Err(Failure::usage(format!("--dim {name}: the graph has no dimension of this name")));
        }
        let mut sizes: Bindings = usual.iter().map(|&(name, size)| (Symbol::new(name), size)).collect();
        sizes.extend(self.dims.iter().map(|(name, size)| (Symbol::new(name), *size)));
        self.open.iter().for_each(|dim| _ = sizes.remove(&dim.symbol));
        let is_open = |symbol: &&Symbol| self.open.iter().any(|dim| dim.symbol == **symbol);
        let open: Vec<String> = symbols
            .iter()
            .filter(|s| !is_open(s))
            .filter(|s| !sizes.contains_key(*s))
            .map(|s| format!("--dim {s}=SIZE"))
            .collect();
        if !open.is_empty() {
            return Err(Failure::usage(format!(
                "a package needs a size for every dimension: {}",
                open.join(" ")
            )));
        }
        let options = CompileOptions { precision: self.precision, ..CompileOptions::new() };
        // Who asks for f16 wants what the Neural Engine computes.
        let half_scores = self.precision == PrecisionPolicy::AlwaysF16;
        let conversion = Conversion { dialect: Dialect { half_scores, ..self.opset.into() }, options };
        Ok(Packaged { conversion, graph: graph.bind(&sizes), open: self.open.to_vec(), values })
    }
}
