//! The programs of a session as graphs: the loss with its gradients, the update, and both in one. This module owns the names of inputs that
//! are not the user's. A value that persists from step to step is an input `out{i}`, replaced by output i.

use crate::config::TrainSettings;
use crate::error::TrainError;
use rlx_autodiff::{Options, value_and_grad_with};
use rlx_compile::precision::apply_precision;
use rlx_ir::{Builder, DType, Graph, NodeIds, Op, Shape, Tensor};
use rlx_optim::{Operands, Optimizer, Param, Slot, accumulate, clip_by_global_norm, global_norm, hutchinson};
use rlx_session::{CompileOptions, Device, legalize_graph_for_device_with_options};
use std::collections::HashMap;

/// The factor that the loss is multiplied by.
pub(crate) const SCALE: &str = "train.scale";
/// The factor that gradients are multiplied by before anything else.
pub(crate) const INVERSE: &str = "train.inverse";
/// Whether gradients are added to the accumulated ones: 1 or 0.
pub(crate) const KEEP: &str = "train.keep";
/// The number of updates made before.
pub(crate) const STEP: &str = "train.step";
/// The learning rate.
pub(crate) const RATE: &str = "train.lr";

/// The factor that turns a sum of estimates into their mean.
pub(crate) const SHARE: &str = "train.share";
/// The random key of an estimate of the Hessian: `u32[2]`.
pub(crate) const KEY: &str = "hutchinson.key";

/// Returns the name of the input for the optimizer's state of the estimates for parameter `index`.
pub(crate) fn estimated_name(index: usize) -> String {
    format!("train.h{index}")
}

/// Returns the name of the input whose value output `index` replaces.
pub(crate) fn kept_name(index: usize) -> String {
    format!("out{index}")
}

/// The model to train.
pub(crate) struct Model {
    /// The loss, with the trained parameters as its last inputs.
    pub(crate) graph: Graph,
    /// The number of the user's inputs.
    pub(crate) inputs: usize,
    /// The trained parameters.
    pub(crate) params: Vec<Param>,
    /// The state of each parameter.
    pub(crate) slots: Vec<Vec<Slot>>,
}

impl Model {
    /// Returns the names and shapes of the values that persist from step to step: the parameters, then all state.
    pub(crate) fn values(&self) -> Vec<(String, Shape)> {
        let params = self.params.iter().map(|p| (p.name().to_string(), p.shape().clone()));
        let slot = |(param, slots): (&Param, &Vec<Slot>)| {
            let of = |s: &Slot| (format!("{}.{}", param.name(), s.name), s.shape.clone());
            slots.iter().map(of).collect::<Vec<_>>()
        };
        params.chain(self.params.iter().zip(&self.slots).flat_map(slot)).collect()
    }

    /// Returns the number of outputs of the user's graph.
    pub(crate) fn outputs(&self) -> usize {
        self.graph.outputs().len()
    }
}

/// Returns the graph with the named parameters as inputs after its own inputs.
pub(crate) fn with_inputs(graph: &Graph, names: &[&str]) -> Graph {
    let mut new = Graph::new(graph.name());
    let mut map: Vec<Option<rlx_ir::NodeId>> = vec![None; graph.nodes().len()];
    for node in graph.inputs() {
        map[node.id().index()] = Some(new.push_copy(node, NodeIds::default()));
    }
    for name in names {
        let found: Vec<_> = graph.params().filter(|n| n.name() == Some(name)).collect();
        if let Some(first) = found.first() {
            let id = new.input(*name, first.shape().clone());
            found.iter().for_each(|n| map[n.id().index()] = Some(id));
        }
    }
    for node in graph.nodes() {
        if map[node.id().index()].is_none() {
            // INVARIANT: operands precede their node.
            let inputs = node.inputs().iter().filter_map(|i| map[i.index()]).collect();
            map[node.id().index()] = Some(new.push_copy(node, inputs));
        }
    }
    new.set_outputs(graph.outputs().iter().filter_map(|o| map[o.index()]).collect());
    new
}

/// Returns a graph from the inputs, the trained parameters, the other parameters (and the loss scale, if there is one) to the outputs and
/// one gradient per parameter, in the precision of the settings.
fn differentiated(model: &Model, device: Device, settings: &TrainSettings) -> Result<Graph, TrainError> {
    let names: Vec<String> = model.params.iter().map(|p| p.name().to_string()).collect();
    let scaled = settings.scale().is_some();
    let others: Vec<(String, Shape)> = untrained(&model.graph);
    let others: Vec<&str> = others.iter().map(|(name, _)| name.as_str()).collect();
    let graph = with_inputs(&model.graph, &others);
    let graph = if scaled {
        let b = Builder::new(graph.name());
        let args = inputs_of(&b, &graph, usize::MAX);
        let outputs = b.inline(&graph, &args)?;
        let scale = b.input(SCALE, Shape::scalar(DType::F32));
        let loss = &outputs[0] * scale.convert(outputs[0].dtype());
        let all: Vec<&Tensor> = std::iter::once(&loss).chain(&outputs).collect();
        b.finish(&all)?
    } else {
        graph
    };
    let mut both = value_and_grad_with(&graph, names, &Options::new())?;
    if scaled {
        both.set_outputs(both.outputs()[1..].to_vec());
    }
    let policy = settings.precision;
    if policy.is_mixed() {
        // The contractions in composites become visible only when those are decomposed.
        both = legalize_graph_for_device_with_options(both, device, &settings.compile)?.0;
    }
    Ok(apply_precision(&both, policy)?.unwrap_or(both))
}

/// Returns the names and shapes of the parameters that remain in a model's graph.
fn untrained(graph: &Graph) -> Vec<(String, Shape)> {
    graph.named_params().map(|(name, shape)| (name.to_string(), shape.clone())).collect()
}

/// Adds these parameters to a graph.
fn params_of(b: &Builder, graph: &Graph) -> Vec<Tensor> {
    untrained(graph).into_iter().map(|(name, shape)| b.param(name, shape)).collect()
}

/// Adds inputs like the first `count` inputs of a graph to another.
fn inputs_of(b: &Builder, graph: &Graph, count: usize) -> Vec<Tensor> {
    let input = |n: &rlx_ir::Node| match n.op() {
        Op::Input { name } => Some(b.input(name, n.shape().clone())),
        _ => None,
    };
    graph.inputs().take(count).filter_map(input).collect()
}

/// Returns the program that computes gradients. Inputs: the user's, the parameters, the scale if there is one, whether to keep the
/// accumulated gradients, and the sums of gradients. Outputs: the user's, then the new sums.
pub(crate) fn gradient_graph(
    model: &Model,
    device: Device,
    settings: &TrainSettings,
) -> Result<Graph, TrainError> {
    let body = differentiated(model, device, settings)?;
    let b = Builder::new(format!("{}.gradient", model.graph.name()));
    let mut args = inputs_of(&b, &model.graph, usize::MAX);
    args.extend(params_of(&b, &model.graph));
    if settings.scale().is_some() {
        args.push(b.input(SCALE, Shape::scalar(DType::F32)));
    }
    let results = b.inline(&body, &args)?;
    let (values, gradients) = results.split_at(model.outputs());
    let keep = b.input(KEEP, Shape::scalar(DType::F32));
    let mut outputs: Vec<Tensor> = values.to_vec();
    for (i, gradient) in gradients.iter().enumerate() {
        let shape = gradient.shape();
        let sum = b.input(kept_name(values.len() + i), shape.clone());
        let keeps = keep.greater(&keep.scalar_like(0.0)).broadcast_to(shape.dims());
        let zero = gradient.scalar_like(0.0).broadcast_to(shape.dims());
        outputs.push(accumulate(&keeps.select(&sum, &zero), gradient));
    }
    Ok(b.finish(&outputs.iter().collect::<Vec<_>>())?)
}

/// Returns the program that performs the update. Inputs: `grad{i}`, the scalars of an update, then the values that persist from step to
/// step. Outputs: the norm of the gradients, whether the update was made, then the new values.
pub(crate) fn update_program(
    model: &Model,
    optimizer: &Optimizer,
    settings: &TrainSettings,
) -> Result<Graph, TrainError> {
    let b = Builder::new(format!("{}.update", model.graph.name()));
    let gradient = |(i, p): (usize, &Param)| b.input(format!("grad{i}"), p.shape().clone());
    let gradients: Vec<Tensor> = model.params.iter().enumerate().map(gradient).collect();
    let inverse = b.input(INVERSE, Shape::scalar(DType::F32));
    let values = kept(&b, model, UPDATE_OUTPUTS);
    let operands = UpdateOperands { gradients: &gradients, inverse: Some(&inverse), values: &values };
    let outputs = update(&b, model, optimizer, settings, &operands, None)?;
    Ok(b.finish(&outputs.iter().collect::<Vec<_>>())?)
}

/// The number of outputs of the update before the new values.
pub(crate) const UPDATE_OUTPUTS: usize = 2;

/// Returns gradients and update in one program. Inputs: the user's, the values that persist from step to step, the scale and its inverse if
/// there is one, the scalars of an update. Outputs: the user's, then those of the update.
pub(crate) fn fused_graph(
    model: &Model,
    device: Device,
    optimizer: &Optimizer,
    settings: &TrainSettings,
    estimates: bool,
) -> Result<Graph, TrainError> {
    let body = differentiated(model, device, settings)?;
    let b = Builder::new(format!("{}.step", model.graph.name()));
    let mut args = inputs_of(&b, &model.graph, model.inputs);
    let values = kept(&b, model, model.outputs() + UPDATE_OUTPUTS);
    args.extend(values[..model.params.len()].iter().cloned());
    let estimates = if estimates { Some(estimated(&b, model, args.clone())?) } else { None };
    args.extend(params_of(&b, &model.graph));
    let scaled = settings.scale().is_some();
    let scalar = |name: &str| b.input(name, Shape::scalar(DType::F32));
    let inverse = scaled.then(|| {
        args.push(scalar(SCALE));
        scalar(INVERSE)
    });
    let mut outputs = b.inline(&body, &args)?;
    let gradients = outputs.split_off(model.outputs());
    let operands = UpdateOperands { gradients: &gradients, inverse: inverse.as_ref(), values: &values };
    outputs.extend(update(&b, model, optimizer, settings, &operands, estimates.as_deref())?);
    Ok(b.finish(&outputs.iter().collect::<Vec<_>>())?)
}

/// Returns a graph in which the inputs for the values that persist from step to step, which the outputs from `first` on replace, have the
/// names of the values.
pub(crate) fn named(graph: &Graph, model: &Model, first: usize) -> Result<Graph, TrainError> {
    let own: HashMap<String, String> =
        model.values().into_iter().enumerate().map(|(i, (name, _))| (kept_name(first + i), name)).collect();
    let b = Builder::new(graph.name());
    let input = |n: &rlx_ir::Node| match n.op() {
        Op::Input { name } => Some(b.input(own.get(name).unwrap_or(name), n.shape().clone())),
        _ => None,
    };
    let args: Vec<Tensor> = graph.inputs().filter_map(input).collect();
    let outputs = b.inline(graph, &args)?;
    Ok(b.finish(&outputs.iter().collect::<Vec<_>>())?)
}

/// Adds inputs for the values that persist from step to step, which the outputs from `first` on replace.
fn kept(b: &Builder, model: &Model, first: usize) -> Vec<Tensor> {
    let values = model.values().into_iter().enumerate();
    values.map(|(i, (_, shape))| b.input(kept_name(first + i), shape)).collect()
}

/// The operands of an update.
struct UpdateOperands<'a> {
    gradients: &'a [Tensor],
    /// The factor that gradients are multiplied by before anything else.
    inverse: Option<&'a Tensor>,
    /// The values that persist from step to step.
    values: &'a [Tensor],
}

/// Computes estimates of the Hessian's diagonal, one per trained parameter, from the user's inputs, the parameters and a key.
fn estimated(b: &Builder, model: &Model, mut args: Vec<Tensor>) -> Result<Vec<Tensor>, TrainError> {
    let names: Vec<&str> = model.params.iter().map(Param::name).collect();
    let body = hutchinson(&model.graph, &names)?;
    args.push(b.input(KEY, Shape::new(&[2], DType::U32)));
    Ok(b.inline(&body, &args)?)
}

/// Returns the program that estimates the Hessian's diagonal, in the types that the graph declares, or `None` for optimizers that need no
/// estimates. Inputs: the user's, the parameters, a key, whether to keep the sums of earlier estimates, the inverse of the number of
/// estimates including this one, the optimizer's state of the estimates of earlier updates, and the sums. Outputs: whether the estimate is
/// finite, the optimizer's state updated with the mean of the sums, and the new sums. An estimate that is not finite affects neither,
/// unless such values are allowed.
pub(crate) fn estimate_graph(
    model: &Model,
    optimizer: &Optimizer,
    settings: &TrainSettings,
) -> Result<Option<Graph>, TrainError> {
    if optimizer.estimate_slot().is_none() {
        return Ok(None);
    }
    let b = Builder::new(format!("{}.estimate", model.graph.name()));
    let args = inputs_of(&b, &model.graph, usize::MAX);
    let estimates: Vec<Tensor> = estimated(&b, model, args)?.iter().map(Tensor::widened).collect();
    let norm = global_norm(&estimates).unwrap_or_else(|| b.scalar(0.0, DType::F32));
    let finite = norm.less(&norm.scalar_like(f64::INFINITY));
    let keep = b.input(KEEP, Shape::scalar(DType::F32));
    let share = b.input(SHARE, Shape::scalar(DType::F32));
    let keeps = keep.greater(&keep.scalar_like(0.0));
    let (mut means, mut sums) = (Vec::new(), Vec::new());
    for (i, estimate) in estimates.iter().enumerate() {
        let shape = estimate.shape();
        let all = |flag: &Tensor| flag.broadcast_to(shape.dims());
        let old = b.input(estimated_name(i), shape.clone());
        let sum = b.input(kept_name(1 + estimates.len() + i), shape.clone());
        let sum = all(&keeps).select(&sum, &estimate.scalar_like(0.0).broadcast_to(shape.dims()));
        let mut new = &sum + estimate;
        if !settings.allows_all() {
            new = all(&finite).select(&new, &sum);
        }
        let mean = optimizer.with_estimate(&old, &(&new * share.convert(shape.dtype())));
        means.extend(mean);
        sums.push(new);
    }
    let outputs: Vec<Tensor> = [finite.convert(DType::F32)].into_iter().chain(means).chain(sums).collect();
    Ok(Some(b.finish(&outputs.iter().collect::<Vec<_>>())?))
}

/// Returns the norm of all gradients, whether they are finite, the new parameters and the new state.
fn update(
    b: &Builder,
    model: &Model,
    optimizer: &Optimizer,
    settings: &TrainSettings,
    &UpdateOperands { gradients, inverse, values }: &UpdateOperands<'_>,
    estimates: Option<&[Tensor]>,
) -> Result<Vec<Tensor>, TrainError> {
    let step = b.input(STEP, Shape::scalar(DType::I32));
    let rate = b.input(RATE, Shape::scalar(DType::F32));
    let unscaled = |g: &Tensor| {
        let wide = g.widened();
        match inverse {
            Some(inverse) => &wide * inverse.convert(wide.dtype()),
            None => wide,
        }
    };
    let gradients: Vec<Tensor> = gradients.iter().map(unscaled).collect();
    let norm = global_norm(&gradients).map(|norm| norm.convert(DType::F32));
    let norm = norm.unwrap_or_else(|| b.scalar(0.0, DType::F32));
    let finite = norm.less(&norm.scalar_like(f64::INFINITY));
    let gradients = match settings.clip_norm {
        Some(limit) => clip_by_global_norm(&gradients, f64::from(limit)),
        None => gradients,
    };
    let (params, state) = values.split_at(model.params.len());
    let mut state = state.iter();
    let (mut new_params, mut new_state) = (Vec::new(), Vec::new());
    for (i, param) in model.params.iter().enumerate() {
        let own: Vec<Tensor> = state.by_ref().take(model.slots[i].len()).cloned().collect();
        let operands = Operands {
            parameter: &params[i],
            gradient: &gradients[i],
            state: &own,
            step: &step,
            learning_rate: &rate,
            hessian: estimates.map(|estimates| &estimates[i]),
        };
        let updated = b.scoped(param.name(), || optimizer.update(param, &operands))?;
        let guarded = |new: &Tensor, old: &Tensor| match settings.nan {
            _ if settings.allows_all() => new.clone(),
            _ => finite.broadcast_to(&new.dims()).select(new, old),
        };
        new_params.push(guarded(&updated.parameter, &params[i]));
        new_state.extend(updated.state.iter().zip(&own).map(|(new, old)| guarded(new, old)));
    }
    let mut outputs = vec![norm, finite.convert(DType::F32)];
    outputs.extend(new_params);
    outputs.extend(new_state);
    Ok(outputs)
}

/// Returns the options with which all programs of a session are compiled.
pub(crate) fn compile_options(settings: &TrainSettings) -> CompileOptions {
    settings.compile.clone().donate_handles(true)
}
