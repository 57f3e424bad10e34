//! Programs compiled ahead of time, to Rust crates.

mod embed;

use std::path::Path;
use std::sync::Arc;

use rlx_aot::RustEmitter;
use rlx_ir::{Bindings, Graph, Literal, Symbol};
use rlx_models::bert;
use rlx_models::model::SentenceModel;
use rlx_runtime::{CompileOptions, Emitter, Param, ParamValues, PrecisionPolicy, emit_to};

use super::graphs::param_values;
use crate::arrays::Given;
use crate::failure::Failure;
use crate::program;
use embed::WithExample;

/// How a program is compiled ahead of time.
pub struct Ahead<'a> {
    pub emitter: RustEmitter,
    /// Sizes of symbolic dimensions.
    pub dims: &'a [(String, usize)],
    /// Sizes of the symbols that `dims` does not name. Every symbol needs a size.
    pub usual_dims: &'a [(&'a str, usize)],
    pub precision: PrecisionPolicy,
    /// The new folder of the crate.
    pub into: &'a Path,
}

impl Ahead<'_> {
    /// Writes the graph in the file `path` as a crate.
    pub fn graph(&self, path: &Path, params: &[Given]) -> Result<(), Failure> {
        let graph = program::read(path)?.graph;
        let values = param_values(&graph, params)?;
        self.sized(&graph, &values)
    }

    /// Writes the encoder of the model in the folder `dir` as a crate: from tokens to the vectors of texts.
    pub fn encoder(&self, dir: &Path) -> Result<(), Failure> {
        let model = SentenceModel::load(dir)?;
        let graph = bert::sentence_graph(&model.encoder, &model.sentence)?;
        let sizes = self.sizes(&graph)?;
        let size = |name: &str| sizes.get(&Symbol::new(name)).copied().unwrap_or(1);
        let crate_name = rlx_aot::crate_name(&graph);
        let emitter = WithExample::new(self.emitter, &model, [size("batch"), size("seq")], &crate_name)?;
        self.emit(&emitter, &graph.bind(&sizes), &literals(model.values()?)?)
    }

    /// Writes a model with the values of its parameters as a crate.
    pub fn model(&self, graph: &Graph, params: Vec<(String, Vec<f32>)>) -> Result<(), Failure> {
        self.sized(graph, &literals(params)?)
    }

    fn sized(&self, graph: &Graph, values: &ParamValues) -> Result<(), Failure> {
        self.emit(&self.emitter, &graph.bind(&self.sizes(graph)?), values)
    }

    /// A size for every symbol of a graph.
    fn sizes(&self, graph: &Graph) -> Result<Bindings, Failure> {
        let symbols = graph.symbols();
        if let Some((name, _)) = self.dims.iter().find(|(name, _)| !symbols.contains(&Symbol::new(name))) {
            return Err(Failure::usage(format!("--dim {name}: the graph has no dimension of this name")));
        }
        let usual = self.usual_dims.iter().copied();
        let given = self.dims.iter().map(|(name, size)| (name.as_str(), *size));
        let sizes: Bindings = usual.chain(given).map(|(name, size)| (Symbol::new(name), size)).collect();
        let open: Vec<String> =
            symbols.iter().filter(|s| !sizes.contains_key(s)).map(|s| format!("--dim {s}=SIZE")).collect();
        if !open.is_empty() {
            return Err(Failure::usage(format!(
                "the crate has one size for every dimension: {}",
                open.join(" ")
            )));
        }
        Ok(sizes)
    }

    fn emit(&self, emitter: &dyn Emitter, graph: &Graph, values: &ParamValues) -> Result<(), Failure> {
        let options = CompileOptions { precision: self.precision, ..CompileOptions::new() };
        Ok(emit_to(emitter, graph, values, &options, self.into)?)
    }
}

fn literals(params: impl IntoIterator<Item = (String, Vec<f32>)>) -> Result<ParamValues, Failure> {
    let literal = |(name, value): (String, Vec<f32>)| {
        Ok((name, Param::new(Arc::new(Literal::new(&[value.len()], &value)?))))
    };
    params.into_iter().map(literal).collect()
}
