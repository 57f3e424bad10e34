//! Writes graphs and models as CoreML packages.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rlx_coreml::{
    Conversion, Converted, Dialect, GraphFunction, ImportedModel, Model, OpenDim, Opset, WeightOptions,
    decode,
};
use rlx_ir::{Bindings, Graph, Literal, Op, Shape, Symbol};
use rlx_llm::{AdapterSource, ModelSteps};
use rlx_models::bert;
use rlx_models::files::write_atomically;
use rlx_models::model::SentenceModel;
use rlx_models::weights::{StoredType, Tensor, save};
use rlx_runtime::{CompileOptions, Param, ParamValues, PrecisionPolicy, StoredTensor};
use rlx_stablehlo::ExportOptions;

use super::graphs::param_values;
use super::llm::NamedAdapters;
use super::no_dimension;
use crate::arrays::Given;
use crate::failure::Failure;
use crate::program::{self, Language};

/// Writes the default function of a package as a graph to the file `to`, and its constants to a .safetensors file next
/// to it. Returns the path of that file. Dimensions without a fixed size get the default size that the package states.
pub fn unpackage(from: &Path, to: &Path) -> Result<Option<PathBuf>, Failure> {
    let model = ImportedModel::open(from)?;
    let name = model.default_function();
    let function = model.function_at(name, &model.default_sizes(name))?;
    // Check that the format of the file can express the graph before anything is written.
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

/// Options for writing a package.
pub struct Packaging<'a> {
    /// The oldest systems that must run it. By default iOS 17; iOS 18 for language models, which have states.
    pub opset: Option<Opset>,
    /// The precision to compute with. By default as declared; f16 for language models.
    pub precision: Option<PrecisionPolicy>,
    /// Sizes of symbolic dimensions.
    pub dims: &'a [(String, usize)],
    /// Symbolic dimensions whose sizes are chosen at run time.
    pub open: &'a [OpenDim],
    /// Inputs that are states, each with the output that is its next value.
    pub states: &'a [(String, usize)],
    /// How to store parameters.
    pub weights: WeightOptions,
}

/// Graphs for a package, with the values of their parameters. Symbols that remain are open dimensions of the only graph.
pub struct Packaged {
    conversion: Conversion,
    functions: Vec<GraphFunction>,
    open: Vec<OpenDim>,
    values: ParamValues,
    /// Notes about settings of the model that are not recognized.
    unknown_settings: Vec<String>,
}

impl Packaged {
    /// A sentence for each setting of the model that is not recognized and has no effect.
    pub fn unknown_settings(&self) -> &[String] {
        &self.unknown_settings
    }

    /// Writes the package.
    pub fn write(&self, to: &Path) -> Result<Converted, Failure> {
        Ok(match (&self.open[..], &self.functions[..]) {
            ([], functions) => self.conversion.write_functions(functions, &self.values, to)?,
            (open, [only]) => self.conversion.write_open(&only.graph, open, &self.values, to)?,
            _ => return Err(several_open()),
        })
    }

    /// The model without its weights.
    pub fn model(&self) -> Result<Model, Failure> {
        let prepared = match (&self.open[..], &self.functions[..]) {
            ([], functions) => self.conversion.prepare_functions(functions, &self.values)?,
            (open, [only]) => self.conversion.prepare_open(&only.graph, open, &self.values)?,
            _ => return Err(several_open()),
        };
        Ok(decode(&prepared.model)?)
    }
}

/// Tokens that the prompt function of a language model takes at a time, by default.
const CHUNK: usize = 64;

/// Default sizes of an encoder's dimensions.
const USUAL: [(&str, usize); 2] = [("batch", 1), ("seq", 128)];

impl Packaging<'_> {
    /// The graphs in these files, each as a function with the given name.
    pub fn graphs(&self, files: &[(String, PathBuf)], params: &[Given]) -> Result<Packaged, Failure> {
        let mut values = ParamValues::new();
        let mut functions = Vec::new();
        let mut whole: Option<Graph> = None;
        for (name, path) in files {
            let graph = program::read(path)?.graph;
            whole = Some(match whole {
                None => graph.clone(),
                Some(whole) => together(&whole, &graph),
            });
            let input = |name: &str| graph.inputs().any(|node| node.name() == Some(name));
            let states = self.states.iter().filter(|(name, _)| input(name)).cloned().collect();
            functions.push(GraphFunction { name: name.clone(), graph, states });
        }
        if let Some(whole) = &whole {
            values = param_values(whole, params)?;
        }
        let is_input = |name: &str| whole.iter().any(|g| g.inputs().any(|node| node.name() == Some(name)));
        if let Some((name, _)) = self.states.iter().find(|(name, _)| !is_input(name)) {
            return Err(Failure::usage(format!("--state {name}: no graph has an input of this name")));
        }
        self.package(functions, values, &[])
    }

    /// The language model at `path`, with one function for a part of a prompt and one for a single token, which share
    /// weights and states. Each adapter name adds two more functions, which also have the adapters that all functions
    /// have.
    pub fn language_model(
        &self,
        path: &Path,
        (always, named): &(Vec<AdapterSource>, NamedAdapters),
    ) -> Result<Packaged, Failure> {
        let size = |name: &str| self.dims.iter().find(|(dim, _)| dim == name).map(|(_, size)| *size);
        if let Some((name, _)) = self.dims.iter().find(|(dim, _)| dim != "seq" && dim != "capacity") {
            return Err(Failure::usage(format!(
                "--dim {name}: the dimensions of a language model are seq, prompt tokens per run, and capacity, tokens in its cache"
            )));
        }
        if !self.open.is_empty() {
            return Err(several_open());
        }
        let model = ModelSteps::with_adapters(path, size("capacity"), always)?;
        let chunk = size("seq").unwrap_or(CHUNK.min(model.capacity()));
        let mut values = model.values().clone();
        let mut functions = steps(&model, chunk, "")?;
        let mut unknown_settings = model.unknown_settings().to_vec();
        for (name, adapters) in named {
            let adapted = model.adapted(name, adapters)?;
            let is_new = |text: &&String| !unknown_settings.contains(text);
            let more: Vec<String> = adapted.unknown_settings().iter().filter(is_new).cloned().collect();
            unknown_settings.extend(more);
            functions.extend(steps(&adapted, chunk, &format!("_{name}"))?);
            values.extend(adapted.values().clone());
        }
        let packaging = Packaging {
            opset: self.opset.or(Some(Opset::Ios18)),
            precision: self.precision.or(Some(PrecisionPolicy::AlwaysF16)),
            dims: &[],
            ..*self
        };
        Ok(Packaged { unknown_settings, ..packaging.package(functions, values, &[])? })
    }

    /// The encoder of the model in the folder `dir`, from tokens to the vectors of texts. Weights are not read until
    /// they are written.
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
        let function = GraphFunction { name: "main".into(), graph, states: Vec::new() };
        self.package(vec![function], values, &USUAL)
    }

    fn package(
        &self,
        mut functions: Vec<GraphFunction>,
        values: ParamValues,
        usual: &[(&str, usize)],
    ) -> Result<Packaged, Failure> {
        let symbols: BTreeSet<Symbol> =
            functions.iter().flat_map(|function| function.graph.symbols()).collect();
        let fixed = self.dims.iter().map(|(name, _)| Symbol::new(name));
        let unknown =
            fixed.chain(self.open.iter().map(|dim| dim.symbol.clone())).find(|s| !symbols.contains(s));
        if let Some(name) = unknown {
            return Err(no_dimension("--dim", name.name(), &symbols));
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
        let precision = self.precision.unwrap_or_default();
        let options = CompileOptions { precision, ..CompileOptions::new() };
        // f16 is for the Neural Engine, so attention scores are computed in f16 as well.
        let half_scores = precision == PrecisionPolicy::AlwaysF16;
        let opset = self.opset.unwrap_or(Opset::Ios17);
        let dialect = Dialect { half_scores, ..opset.into() };
        let conversion = Conversion { weights: self.weights, ..Conversion::new(dialect, options) };
        let has_states = functions.iter().any(|function| !function.states.is_empty());
        if !self.open.is_empty() && (functions.len() > 1 || has_states) {
            return Err(several_open());
        }
        for function in &mut functions {
            function.graph = function.graph.bind(&sizes);
        }
        let (open, unknown_settings) = (self.open.to_vec(), Vec::new());
        Ok(Packaged { conversion, functions, open, values, unknown_settings })
    }
}

/// The functions of a language model for parts of a prompt and for a single token. Their names end in `suffix`.
fn steps(model: &ModelSteps, chunk: usize, suffix: &str) -> Result<Vec<GraphFunction>, Failure> {
    let function = |(name, tokens): (&str, usize)| -> Result<GraphFunction, Failure> {
        let step = model.step(tokens)?;
        Ok(GraphFunction { name: format!("{name}{suffix}"), graph: step.graph, states: step.states })
    };
    let prompts = (chunk > 1).then_some(("prefill", chunk));
    prompts.into_iter().chain([("decode", 1)]).map(function).collect()
}

fn several_open() -> Failure {
    Failure::usage(
        "open sizes, such as LEAST..MOST and SIZE,…, need a package with one function and no states",
    )
}

/// A graph that has the parameters of both.
fn together(a: &Graph, b: &Graph) -> Graph {
    let mut both = a.clone();
    for (name, shape) in b.named_params() {
        if !a.named_params().any(|(known, _)| known == name) {
            both.push(Op::Param { name: name.into() }, Vec::new(), vec![shape.clone()]);
        }
    }
    for node in b.inputs() {
        if let (Op::Input { name }, false) = (node.op(), a.inputs().any(|known| known.name() == node.name()))
        {
            both.push(Op::Input { name: name.clone() }, Vec::new(), vec![node.shape().clone()]);
        }
    }
    both
}
