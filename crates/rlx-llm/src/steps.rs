//! A model as graphs of fixed sizes with the values of their parameters, for programs that run elsewhere and
//! keep its states.

use crate::adapter::{AdapterSource, ModelUpdates, Update};
use crate::checkpoint::Checkpoint;
use crate::error::LlmError;
use crate::families::Family;
use crate::graph::{CacheType, ModelState, tabled_decoder_graph};
use crate::parameters::{self, TensorsFound};
use crate::spec::DecoderSpec;
use rlx_ir::rewrite::{remove_dead, rewrite};
use rlx_ir::{Bindings, Graph, Literal, Op, OpError, Symbol};
use rlx_session::{Param, ParamValues};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The most tokens of a cache whose size nobody says.
const DEFAULT_CAPACITY: usize = 1024;

/// A model that runs one sequence, some tokens at a time.
pub struct ModelSteps {
    path: PathBuf,
    checkpoint: Arc<Checkpoint>,
    /// Adapters that are part of the model.
    adapters: Vec<AdapterSource>,
    /// The parameters of them.
    added: Vec<String>,
    spec: DecoderSpec,
    graph: Graph,
    states: Vec<ModelState>,
    values: ParamValues,
    capacity: usize,
}

/// A run of a fixed number of tokens.
#[derive(Clone, Debug)]
pub struct StepGraph {
    /// The graph: `tokens`, `i32[1,n]`, and `start`, `i32[1]`, how many tokens came before; where there are several tokens also `rows`,
    /// `i32[1,1]`, the place of the one after which logits are wanted, and where a state is a summary of all tokens `count`, `i32[1]`,
    /// how many of the tokens count; then the states. Output 0 is the logits, `f32[1,1,vocab]`; the others are the next states.
    pub graph: Graph,
    /// The inputs that are states, each with the output that is its next value. All begin as zeros.
    pub states: Vec<(String, usize)>,
}

impl ModelSteps {
    /// The model at `path`, as [`LanguageModel::open`](crate::LanguageModel::open) finds it, with a cache of so many tokens, of f16 numbers: of as many as the model was
    /// made for, at most 1,024, where it does not say. Values of parameters are those of the mapped files where nothing is changed about them.
    ///
    /// # Errors
    /// An [`LlmError`] that names the file, and what is wrong with it; [`LlmError::AnglesChange`] for a cache that holds texts of lengths with
    /// different angles (LongRoPE, dynamic NTK).
    pub fn open(path: &Path, capacity: Option<usize>) -> Result<ModelSteps, LlmError> {
        Self::with_adapters(path, capacity, &[])
    }

    /// The same with adapters that run beside the weights. What several of them say of one matrix is added up.
    ///
    /// # Errors
    /// As [`ModelSteps::open`], and [`LlmError::Adapter`] for an adapter that is none of this model.
    pub fn with_adapters(
        path: &Path,
        capacity: Option<usize>,
        adapters: &[AdapterSource],
    ) -> Result<ModelSteps, LlmError> {
        let checkpoint = Arc::new(Checkpoint::open(path)?);
        Self::of(path, &checkpoint, capacity, adapters, &ParamValues::new())
    }

    /// The same model with more adapters. Parameters that the other one has are those of it, so that both are written once where they are parts of one program;
    /// what the adapters add is in parameters whose names begin with `name` and a dot.
    ///
    /// # Errors
    /// As [`ModelSteps::with_adapters`].
    pub fn adapted(&self, name: &str, adapters: &[AdapterSource]) -> Result<ModelSteps, LlmError> {
        let adapters = [&self.adapters, adapters].concat();
        let mut steps = Self::of(&self.path, &self.checkpoint, Some(self.capacity), &adapters, &self.values)?;
        let own: HashMap<String, String> =
            steps.added.iter().map(|param| (param.clone(), format!("{name}.{param}"))).collect();
        steps.graph = renamed(&steps.graph, &own)?;
        steps.values = steps
            .values
            .into_iter()
            .map(|(param, value)| (own.get(&param).cloned().unwrap_or(param), value))
            .collect();
        Ok(steps)
    }

    /// The model in a checkpoint, with the values of `known` where it has them.
    fn of(
        path: &Path,
        checkpoint: &Arc<Checkpoint>,
        capacity: Option<usize>,
        adapters: &[AdapterSource],
        known: &ParamValues,
    ) -> Result<ModelSteps, LlmError> {
        let (spec, names) = Family::load(path, checkpoint)?;
        let limit = spec.angle_limit().unwrap_or(usize::MAX);
        let capacity = capacity.unwrap_or(spec.context.min(DEFAULT_CAPACITY).min(limit));
        if capacity > limit {
            return Err(LlmError::AnglesChange { capacity, limit });
        }
        let model_updates = ModelUpdates::open(adapters, path, checkpoint)?;
        let parameters = model_updates.with(TensorsFound::new(checkpoint, names), &spec);
        let graph = tabled_decoder_graph(&spec, &parameters, CacheType::F16, capacity);
        let (tensors, updates) = parameters.finish()?;
        let sources = tensors.finish()?;
        let (graph, states) = graph?;
        let mut values = ParamValues::new();
        for source in &sources {
            let value = known.get(&source.param).cloned();
            let value = value.map_or_else(|| parameters::value(source, checkpoint), Ok)?;
            values.insert(source.param.clone(), value);
        }
        let mut added = Vec::new();
        for (name, numbers) in updates.iter().flat_map(Update::parameters) {
            added.push(name.clone());
            let literal =
                Literal::new(&[numbers.len()], numbers).map_err(|e| OpError::shape(e.to_string()))?;
            values.insert(name, Param::new(Arc::new(literal)));
        }
        let (path, checkpoint, adapters) = (path.to_path_buf(), checkpoint.clone(), adapters.to_vec());
        Ok(ModelSteps { path, checkpoint, adapters, added, spec, graph, states, values, capacity })
    }

    /// What the model computes.
    pub fn spec(&self) -> &DecoderSpec {
        &self.spec
    }

    /// The values of the parameters of all of its graphs.
    pub fn values(&self) -> &ParamValues {
        &self.values
    }

    /// Tokens that the cache holds. A run of several tokens needs room for all of them behind those that came before, also where it is
    /// filled up.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// A run of so many tokens. Numbers are not rounded before they are multiplied by packed weights: that makes products fast where a
    /// processor multiplies bytes, and here a program decides.
    ///
    /// # Errors
    /// [`LlmError::Full`] where the cache does not hold them.
    pub fn step(&self, tokens: usize) -> Result<StepGraph, LlmError> {
        if tokens == 0 || tokens > self.capacity {
            return Err(LlmError::Full { tokens, used: 0, capacity: self.capacity });
        }
        let sizes = [("batch", 1), ("seq", tokens), ("outputs", 1), ("capacity", self.capacity)];
        let sizes: Bindings = sizes.into_iter().map(|(name, size)| (Symbol::new(name), size)).collect();
        let graph = fixed(&self.graph.bind(&sizes), tokens)?;
        let states = self.states.iter().map(|state| (state.name.clone(), state.output)).collect();
        Ok(StepGraph { graph, states })
    }
}

/// The graph with other names for some parameters.
fn renamed(graph: &Graph, names: &HashMap<String, String>) -> Result<Graph, OpError> {
    let renamed = rewrite(graph, |rw, node, _| {
        Ok::<_, OpError>(match node.op() {
            Op::Param { name } => names.get(name.as_str()).map(|name| {
                let op = Op::Param { name: name.clone() };
                vec![rw.graph().push(op, Vec::new(), vec![node.shape().clone()])]
            }),
            _ => None,
        })
    })?;
    Ok(renamed.unwrap_or_else(|| graph.clone()))
}

/// The graph of one sequence without what it is not to be told.
fn fixed(graph: &Graph, tokens: usize) -> Result<Graph, OpError> {
    let is_read = |name: &str| {
        let input = graph.inputs().find(|node| node.name() == Some(name)).map(|node| node.id());
        input.is_some_and(|id| graph.nodes().iter().any(|node| node.inputs().contains(&id)))
    };
    let (counts, chooses) = (tokens > 1 && is_read("count"), tokens > 1);
    let number =
        |n: usize, dims: &[usize]| Literal::new(dims, &[n as i32]).map_err(|e| OpError::shape(e.to_string()));
    let fixed = rewrite(graph, |rw, node, inputs| {
        Ok::<_, OpError>(match (node.op(), inputs) {
            (Op::Input { name }, _) if name == "count" && !counts => {
                Some(vec![rw.add(Op::Constant { value: number(tokens, &[1])? }, &[])?])
            }
            (Op::Input { name }, _) if name == "rows" && !chooses => {
                Some(vec![rw.add(Op::Constant { value: number(0, &[1, 1])? }, &[])?])
            }
            (Op::DequantMatMul { scheme, round_x: true }, _) => {
                Some(vec![rw.add(Op::DequantMatMul { scheme: *scheme, round_x: false }, inputs)?])
            }
            (Op::DequantGroupedMatMul { scheme, round_x: true }, _) => {
                Some(vec![rw.add(Op::DequantGroupedMatMul { scheme: *scheme, round_x: false }, inputs)?])
            }
            // Of one sequence there is one position.
            (Op::KvAppend { axis }, &[cache, new, position]) if rw.shape(position).rank() == 1 => {
                let position = rw.add(Op::Reshape { dims: Vec::new() }, &[position])?;
                Some(vec![rw.add(Op::KvAppend { axis: *axis }, &[cache, new, position])?])
            }
            _ => None,
        })
    })?;
    Ok(fixed.as_ref().map_or_else(|| graph.clone(), remove_dead))
}
