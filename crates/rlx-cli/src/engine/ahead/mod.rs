//! Compiles models and graphs ahead of time to Rust crates.

mod embed;

use std::path::Path;
use std::sync::Arc;

use rlx_aot::RustEmitter;
use rlx_ir::{Bindings, Graph, Literal, Symbol};
use rlx_models::bert;
use rlx_models::model::SentenceModel;
use rlx_runtime::{CompileOptions, Emitter, Param, ParamValues, PrecisionPolicy, emit_to};

use super::graphs::param_values;
use super::no_dimension;
use crate::arrays::Given;
use crate::failure::Failure;
use crate::program;
use embed::WithExample;

/// Options for compiling a program ahead of time.
pub struct Ahead<'a> {
    pub emitter: RustEmitter,
    /// Sizes of symbolic dimensions.
    pub dims: &'a [(String, usize)],
    /// Maximum sizes of dimensions that stay symbolic.
    pub largest: &'a [(String, usize)],
    /// Default sizes of symbols that are in neither list.
    pub usual_dims: &'a [(&'a str, usize)],
    pub precision: PrecisionPolicy,
    /// The new folder of the crate.
    pub into: &'a Path,
}

/// The sizes of a graph's symbols.
struct GraphSizes {
    known: Bindings,
    /// Maximum sizes of the other symbols.
    largest: Bindings,
}

/// The size of a dimension.
#[derive(Clone, Copy)]
pub enum SizeOf {
    /// A single size.
    One(usize),
    /// Any size up to a maximum.
    UpTo(usize),
}

impl GraphSizes {
    fn of(&self, symbol: &Symbol) -> SizeOf {
        match self.largest.get(symbol) {
            Some(&most) => SizeOf::UpTo(most),
            None => SizeOf::One(self.known.get(symbol).copied().unwrap_or(1)),
        }
    }
}

impl Ahead<'_> {
    /// Writes the graph in the file `path` as a crate.
    pub fn graph(&self, path: &Path, params: &[Given]) -> Result<(), Failure> {
        let graph = program::read(path)?.graph;
        let values = param_values(&graph, params)?;
        self.sized(&graph, &values)
    }

    /// Writes the encoder of the model in the folder `dir` as a crate, from tokens to the vectors of texts.
    pub fn encoder(&self, dir: &Path) -> Result<(), Failure> {
        let model = SentenceModel::load(dir)?;
        let graph = bert::sentence_graph(&model.encoder, &model.sentence)?;
        let sizes = self.sizes(&graph)?;
        let crate_name = rlx_aot::crate_name(&graph);
        let sizes_of = ["batch", "seq"].map(|name| sizes.of(&Symbol::new(name)));
        let emitter = WithExample::new(self.emitter_for(&sizes), &model, sizes_of, &crate_name)?;
        self.emit(&emitter, &graph.bind(&sizes.known), &literals(model.values()?)?)
    }

    /// Writes a model, with the values of its parameters, as a crate.
    pub fn model(&self, graph: &Graph, params: Vec<(String, Vec<f32>)>) -> Result<(), Failure> {
        self.sized(graph, &literals(params)?)
    }

    fn sized(&self, graph: &Graph, values: &ParamValues) -> Result<(), Failure> {
        let sizes = self.sizes(graph)?;
        self.emit(&self.emitter_for(&sizes), &graph.bind(&sizes.known), values)
    }

    fn emitter_for(&self, sizes: &GraphSizes) -> RustEmitter {
        RustEmitter { largest: sizes.largest.clone(), ..self.emitter.clone() }
    }

    /// A size, or a maximum, for every symbol of a graph.
    fn sizes(&self, graph: &Graph) -> Result<GraphSizes, Failure> {
        let symbols = graph.symbols();
        for (option, given) in [("--dim", self.dims), ("--max", self.largest)] {
            if let Some((name, _)) = given.iter().find(|(name, _)| !symbols.contains(&Symbol::new(name))) {
                return Err(no_dimension(option, name, &symbols.iter().cloned().collect()));
            }
        }
        let bindings = |given: &[(String, usize)]| -> Bindings {
            given.iter().map(|(name, size)| (Symbol::new(name), *size)).collect()
        };
        let (mut known, largest) = (bindings(self.dims), bindings(self.largest));
        if let Some(symbol) = known.keys().find(|symbol| largest.contains_key(symbol)) {
            return Err(Failure::usage(format!(
                "{symbol} needs either a size (--dim) or a maximum (--max), not both"
            )));
        }
        for &(name, size) in
            self.usual_dims.iter().filter(|(name, _)| !largest.contains_key(&Symbol::new(name)))
        {
            known.entry(Symbol::new(name)).or_insert(size);
        }
        let is_open = |symbol: &&Symbol| !known.contains_key(symbol) && !largest.contains_key(symbol);
        let open: Vec<String> =
            symbols.iter().filter(is_open).map(|s| format!("--dim {s}=SIZE or --max {s}=SIZE")).collect();
        if !open.is_empty() {
            let text = "the crate needs a size or a maximum for every dimension";
            return Err(Failure::usage(format!("{text}: {}", open.join(", "))));
        }
        Ok(GraphSizes { known, largest })
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
