//! Imports functions of other tools' packages as graphs, with the values of their parameters.

use crate::decode::{DecodeError, decode};
use rlx_ir::{Graph, Shape};
use rlx_mil::import::{ImportedState, ParamSource, function_at};
use rlx_mil::message::{FeatureDescription, Function, Model, Program, SizeRange};
use rlx_mil::package::{Package, PackageError};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Why a package, or a function in it, cannot be imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The folder is not a package, or is damaged.
    #[error(transparent)]
    Package(#[from] PackageError),
    /// The model cannot be decoded.
    #[error("{}: {source}", path.display())]
    Damaged {
        /// The package.
        path: PathBuf,
        /// What is wrong with it.
        source: DecodeError,
    },
    /// The model is of another kind.
    #[error("{}: {kind}, not an ML Program. Convert the model again with convert_to=\"mlprogram\"", path.display())]
    NoProgram {
        /// The package.
        path: PathBuf,
        /// The kind of model.
        kind: String,
    },
    /// The program has no function of this name.
    #[error("the program has no function {name}; it has {}", found.join(", "))]
    NoFunction {
        /// The name.
        name: String,
        /// The names that exist.
        found: Vec<String>,
    },
    /// The function has inputs with sizes that are known only at run time.
    #[error("the function {function} has inputs without fixed sizes: {}. Specify their sizes", inputs.join(", "))]
    OpenSizes {
        /// The function.
        function: String,
        /// The inputs, with what is known about their sizes.
        inputs: Vec<String>,
    },
    /// The function has operations, types or sizes that graphs do not support, with one message for each.
    #[error("the function {function} cannot be read:{}", problems.iter().map(|p| format!("\n  {p}")).collect::<String>())]
    Unread {
        /// The function.
        function: String,
        /// The messages.
        problems: Vec<String>,
    },
}

/// An opened package: a program and its mapped weights.
#[derive(Debug)]
pub struct ImportedModel {
    package: Package,
    model: Model,
}

/// A function as a graph.
#[derive(Debug)]
pub struct ImportedGraph<'m> {
    /// The graph. Its inputs are those of the function, including states; its outputs are those of the function, then the next values of
    /// states.
    pub graph: Graph,
    /// The parameters of the graph by name, as bytes of their types. They are borrowed from the file if the program stores them in that
    /// form.
    pub params: Vec<(String, Cow<'m, [u8]>)>,
    /// The inputs without the states.
    pub inputs: Vec<(String, Shape)>,
    /// The outputs without the states.
    pub outputs: Vec<(String, Shape)>,
    /// The states.
    pub states: Vec<ImportedState>,
}

impl ImportedModel {
    /// Opens a package.
    ///
    /// # Errors
    /// Returns [`ImportError::Package`], [`ImportError::Damaged`] or [`ImportError::NoProgram`].
    pub fn open(path: &Path) -> Result<ImportedModel, ImportError> {
        let package = Package::open(path)?;
        let model = decode(package.model());
        let model = model.map_err(|source| ImportError::Damaged { path: path.into(), source })?;
        if model.ml_program.is_none() {
            return Err(ImportError::NoProgram { path: path.into(), kind: kind_of(package.model()).into() });
        }
        Ok(ImportedModel { package, model })
    }

    /// Returns the version of CoreML's specification that the model was written for.
    pub fn specification_version(&self) -> i32 {
        self.model.specification_version
    }

    /// Returns the names of the functions, in order.
    pub fn functions(&self) -> impl Iterator<Item = &str> {
        self.program().into_iter().flat_map(|program| program.functions.keys().map(String::as_str))
    }

    /// Returns the function that runs by default, which is `main` if the model does not specify one.
    pub fn default_function(&self) -> &str {
        let named =
            self.model.description.as_ref().map(|description| description.default_function_name.as_str());
        named.filter(|name| !name.is_empty()).unwrap_or("main")
    }

    /// Returns the model's default sizes for inputs of a function without fixed sizes.
    pub fn default_sizes(&self, name: &str) -> BTreeMap<String, Vec<usize>> {
        let sizes = |input: &FeatureDescription| {
            let array = input.r#type.as_ref()?.multi_array_type.as_ref()?;
            let sizes: Option<Vec<usize>> = array.shape.iter().map(|&n| usize::try_from(n).ok()).collect();
            Some((input.name.clone(), sizes?))
        };
        self.inputs(name).iter().filter_map(sizes).collect()
    }

    /// Returns the model's descriptions of the inputs of a function.
    fn inputs(&self, name: &str) -> &[FeatureDescription] {
        let Some(description) = &self.model.description else { return &[] };
        let own = description.functions.iter().find(|function| function.name == name);
        own.map_or(&description.input, |function| &function.input)
    }

    /// Whether runs decide sizes of a function.
    pub(crate) fn has_open_sizes(&self, name: &str) -> bool {
        self.named(name).is_ok_and(|function| !open_inputs(function).is_empty())
    }

    /// Fails if the model does not accept inputs of these sizes.
    pub(crate) fn check_sizes(&self, name: &str, sizes: &BTreeMap<String, Vec<usize>>) -> Result<(), String> {
        for input in self.inputs(name) {
            let array = input.r#type.as_ref().and_then(|ty| ty.multi_array_type.as_ref());
            let range = array.and_then(|array| array.shape_range.as_ref());
            let (Some(range), Some(sizes)) = (range, sizes.get(&input.name)) else { continue };
            let is_inside = |(range, &size): (&SizeRange, &usize)| {
                let most = u64::try_from(range.upper_bound).unwrap_or(u64::MAX);
                (range.lower_bound..=most).contains(&(size as u64))
            };
            let ranges = &range.size_ranges;
            if ranges.len() != sizes.len() || !ranges.iter().zip(sizes).all(is_inside) {
                return Err(format!("{sizes:?} is not among the sizes of {}", input.name));
            }
        }
        Ok(())
    }

    /// Imports a function with static sizes as a graph.
    ///
    /// # Errors
    /// Returns [`ImportError::NoFunction`], [`ImportError::OpenSizes`] or [`ImportError::Unread`].
    pub fn function(&self, name: &str) -> Result<ImportedGraph<'_>, ImportError> {
        let open = open_inputs(self.named(name)?);
        match open.is_empty() {
            true => self.function_at(name, &BTreeMap::new()),
            false => Err(ImportError::OpenSizes { function: name.into(), inputs: open }),
        }
    }

    /// Imports a function as a graph, with sizes for inputs by name.
    ///
    /// # Errors
    /// Returns [`ImportError::NoFunction`] or [`ImportError::Unread`].
    pub fn function_at(
        &self,
        name: &str,
        sizes: &BTreeMap<String, Vec<usize>>,
    ) -> Result<ImportedGraph<'_>, ImportError> {
        let unread = |problems| ImportError::Unread { function: name.into(), problems };
        let records = |file: &str, record: u64| self.record(file, record);
        let read = function_at(self.named(name)?, name, sizes, &records).map_err(unread)?;
        let mut params = Vec::new();
        for param in read.params {
            let bytes = match param.source {
                ParamSource::Record { file, offset } => {
                    Cow::Borrowed(self.record(&file, offset).map_err(|problem| unread(vec![problem]))?)
                }
                ParamSource::Made(literal) => Cow::Owned(literal.bytes().to_vec()),
            };
            params.push((param.name, bytes));
        }
        let is_state = |name: &str| read.states.iter().any(|state| state.name == name);
        let named = |node: &rlx_ir::Node| Some((node.name()?.to_string(), node.shape().clone()));
        let inputs = read.graph.inputs().filter_map(named).filter(|(name, _)| !is_state(name)).collect();
        let outputs = read.outputs.into_iter().zip(read.graph.output_shapes()).collect();
        Ok(ImportedGraph { graph: read.graph, params, inputs, outputs, states: read.states })
    }

    fn program(&self) -> Option<&Program> {
        self.model.ml_program.as_ref()
    }

    fn named(&self, name: &str) -> Result<&Function, ImportError> {
        let function = self.program().and_then(|program| program.functions.get(name));
        function.ok_or_else(|| {
            let found = self.functions().map(String::from).collect();
            ImportError::NoFunction { name: name.into(), found }
        })
    }

    fn record(&self, file: &str, record: u64) -> Result<&[u8], String> {
        let file = self.package.weights(file).map_err(|e| chain(&e))?;
        file.get(record).map(|blob| blob.bytes).map_err(|e| e.to_string())
    }
}

/// Returns the message of an error, with its causes.
fn chain(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {}", chain(source)),
        None => error.to_string(),
    }
}

/// Returns descriptions of the inputs without fixed sizes.
fn open_inputs(function: &Function) -> Vec<String> {
    let text = |size: &Option<usize>| size.map_or("?".into(), |size| size.to_string());
    let open = |name: &str, sizes: Vec<Option<usize>>| {
        let sizes: Vec<String> = sizes.iter().map(text).collect();
        format!("{name} [{}]", sizes.join(", "))
    };
    let inputs =
        function.inputs.iter().filter_map(|input| Some((&input.name, input.r#type.as_ref()?.sizes()?)));
    inputs.filter(|(_, sizes)| sizes.contains(&None)).map(|(name, sizes)| open(name, sizes)).collect()
}

/// Returns the kind of a model, from the field that its message has.
fn kind_of(mut model: &[u8]) -> &'static str {
    let buffer = &mut model;
    while let Ok((field, wire)) = prost::encoding::decode_key(buffer) {
        match field {
            200..=202 => return "a pipeline of models",
            303 | 403 | 500 => return "a neural network",
            300..=502 => return "a classical machine-learning model",
            503..3000 => return "a model with built-in layers",
            _ => {}
        }
        let context = prost::encoding::DecodeContext::default();
        if prost::encoding::skip_field(wire, field, buffer, context).is_err() {
            break;
        }
    }
    "a model without a program"
}
