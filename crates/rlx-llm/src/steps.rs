//! A model as graphs of fixed sizes with the values of their parameters, for programs that run elsewhere and keep the
//! states.

use crate::adapter::{AdapterSource, ModelUpdates, Update};
use crate::checkpoint::Checkpoint;
use crate::error::LlmError;
use crate::families::Family;
use crate::graph::{CacheType, ModelState, tabled_decoder_graph};
use crate::parameters::{self, TensorsFound};
use crate::spec::DecoderSpec;
use rlx_gguf::ModelFiles;
use rlx_ir::rewrite::{remove_dead, rewrite};
use rlx_ir::{Bindings, Graph, Literal, Op, OpError, Symbol};
use rlx_session::{Param, ParamValues};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The maximum capacity of a cache, in tokens, if the caller does not choose one.
const DEFAULT_CAPACITY: usize = 1024;

/// A model that runs one sequence, a fixed number of tokens at a time.
pub struct ModelSteps {
    path: PathBuf,
    checkpoint: Arc<Checkpoint>,
    /// Adapters that are part of the model.
    adapters: Vec<AdapterSource>,
    /// The names of the adapters' parameters.
    added: Vec<String>,
    spec: DecoderSpec,
    graph: Graph,
    states: Vec<ModelState>,
    values: ParamValues,
    capacity: usize,
    /// Notes about settings that are not recognized.
    unknown_settings: Vec<String>,
}

/// The graph of a run with a fixed number of tokens.
#[derive(Clone, Debug)]
pub struct StepGraph {
    /// The graph. Its inputs are `tokens`, `i32[1,n]`, and `start`, `i32[1]`, the number of earlier tokens. If n is
    /// greater than 1, there is also `rows`, `i32[1,1]`, the index of the token whose logits are returned, and, if a
    /// state is a summary of all tokens, `count`, `i32[1]`, the number of tokens that are not padding. The states
    /// follow. Output 0 is the logits, `f32[1,1,vocab]`; the others are the next states.
    pub graph: Graph,
    /// The inputs that are states, each with the index of the output that is its next value. All states start as
    /// zeros.
    pub states: Vec<(String, usize)>,
}

impl ModelSteps {
    /// Opens the model at `path`, like [`LanguageModel::open`](crate::LanguageModel::open), with an f16 cache of
    /// `capacity` tokens. The default capacity is the context length of the model, at most 1,024 and at most the
    /// length at which its angles change. The values of parameters are bytes of the mapped files, unless they have to
    /// be changed.
    ///
    /// # Errors
    /// Returns an [`LlmError`] that names the file and the problem, and [`LlmError::AnglesChange`] if the cache has
    /// room for texts long enough to change the angles (LongRoPE, dynamic NTK).
    pub fn open(path: &Path, capacity: Option<usize>) -> Result<ModelSteps, LlmError> {
        Self::with_adapters(path, capacity, &[])
    }

    /// Does the same as [`open`](Self::open), with adapters that are applied while the model runs. Updates of the same
    /// matrix are added up.
    ///
    /// # Errors
    /// The same as [`ModelSteps::open`], and [`LlmError::Adapter`] for an adapter that does not fit the model.
    pub fn with_adapters(
        path: &Path,
        capacity: Option<usize>,
        adapters: &[AdapterSource],
    ) -> Result<ModelSteps, LlmError> {
        Self::from_files(&ModelFiles::open(path)?, capacity, adapters)
    }

    /// Does the same as [`with_adapters`](Self::with_adapters) for files that are already open.
    ///
    /// # Errors
    /// The same as [`ModelSteps::with_adapters`].
    pub fn from_files(
        files: &ModelFiles,
        capacity: Option<usize>,
        adapters: &[AdapterSource],
    ) -> Result<ModelSteps, LlmError> {
        let checkpoint = Arc::new(Checkpoint::new(files)?);
        Self::of(files.path(), &checkpoint, capacity, adapters, &ParamValues::new())
    }

    /// Returns the same model with more adapters. Parameters that both models have share their values, so a program
    /// that contains both stores them once. The names of the adapters' parameters begin with `name` and a dot.
    ///
    /// # Errors
    /// The same as [`ModelSteps::with_adapters`].
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

    /// Opens the model in a checkpoint; parameters in `known` take their values from there.
    fn of(
        path: &Path,
        checkpoint: &Arc<Checkpoint>,
        capacity: Option<usize>,
        adapters: &[AdapterSource],
        known: &ParamValues,
    ) -> Result<ModelSteps, LlmError> {
        let (spec, names) = Family::load(path, checkpoint)?;
        let mut unknown_settings = Family::unknown_settings(path, checkpoint)?;
        let limit = spec.angle_limit().unwrap_or(usize::MAX);
        let capacity = capacity.unwrap_or(spec.context.min(DEFAULT_CAPACITY).min(limit));
        if capacity > limit {
            return Err(LlmError::AnglesChange { capacity, limit });
        }
        let model_updates = ModelUpdates::open(adapters, path, checkpoint)?;
        unknown_settings.extend(model_updates.unknown_settings().cloned());
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
        Ok(ModelSteps {
            path,
            checkpoint,
            adapters,
            added,
            spec,
            graph,
            states,
            values,
            capacity,
            unknown_settings,
        })
    }

    /// Returns what the model computes.
    pub fn spec(&self) -> &DecoderSpec {
        &self.spec
    }

    /// Returns a sentence for each setting in the files of the model and its adapters that is not recognized and
    /// therefore has no effect.
    pub fn unknown_settings(&self) -> &[String] {
        &self.unknown_settings
    }

    /// Returns the values of the parameters of all graphs.
    pub fn values(&self) -> &ParamValues {
        &self.values
    }

    /// Returns how many tokens the cache holds. A run of n tokens needs room for n tokens after the earlier ones,
    /// even if some of the n are padding.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Returns the graph of a run of `tokens` tokens. It does not round activations before products with packed
    /// weights: rounding makes such products fast on a processor that multiplies bytes, but here the program decides
    /// how to multiply.
    ///
    /// # Errors
    /// Returns [`LlmError::Full`] if `tokens` is 0 or greater than the capacity of the cache.
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

/// Returns the graph with some parameters renamed.
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

/// Returns the graph for one sequence, without the inputs that are constant for this number of tokens.
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
            // One sequence has one position, so it becomes a scalar.
            (Op::KvAppend { axis }, &[cache, new, position]) if rw.shape(position).rank() == 1 => {
                let position = rw.add(Op::Reshape { dims: Vec::new() }, &[position])?;
                Some(vec![rw.add(Op::KvAppend { axis: *axis }, &[cache, new, position])?])
            }
            _ => None,
        })
    })?;
    Ok(fixed.as_ref().map_or_else(|| graph.clone(), remove_dead))
}
