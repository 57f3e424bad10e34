//! Creates a session: checks its arguments and reports everything that is wrong before the first step.

use super::programs::Programs;
use super::{DefaultDevice, SessionOn};
use crate::config::{NanPolicy, TrainConfig, TrainSettings};
use crate::error::TrainError;
use crate::graphs::{Model, STEP, estimate_graph, gradient_graph, with_inputs};
use crate::scale::LossScale;
use crate::state::{Copies, Home, State, Value, elements};
use rlx_ir::{DType, Graph, Literal, Op, Shape};
use rlx_optim::{Mask, MatrixLayout, Param, Schedule};
use rlx_session::feeding_output;
use rlx_session::{BackendOptions, Device, PrecisionPolicy, RuntimeError, backend_for, device_status};
use std::collections::HashMap;
use std::marker::PhantomData;
use std::sync::Arc;

impl<D: DefaultDevice> SessionOn<D> {
    /// Creates a session that trains the parameters `names` of a graph whose first output is the loss. `init` has an initial value for each
    /// parameter of the graph.
    ///
    /// # Panics
    /// Panics with the full message if [`try_new`](SessionOn::try_new) fails.
    pub fn new(graph: Graph, names: &[&str], init: HashMap<String, Vec<f32>>, config: TrainConfig) -> Self {
        Self::try_new(graph, names, init, config).unwrap_or_else(|e| panic!("{e}"))
    }

    /// Creates a session like [`new`](SessionOn::new), but returns errors.
    ///
    /// # Errors
    /// Fails if names or values do not fit the graph, the loss cannot be differentiated, or the device is not available.
    pub fn try_new(
        graph: Graph,
        names: &[&str],
        init: HashMap<String, Vec<f32>>,
        config: TrainConfig,
    ) -> Result<Self, TrainError> {
        Self::try_new_on(graph, names, init, config, D::DEVICE)
    }
}

impl<D> SessionOn<D> {
    /// Creates a session on a device.
    ///
    /// # Panics
    /// Panics with the full message if [`try_new_on`](SessionOn::try_new_on) fails.
    pub fn new_on(
        graph: Graph,
        names: &[&str],
        init: HashMap<String, Vec<f32>>,
        config: TrainConfig,
        device: Device,
    ) -> Self {
        Self::try_new_on(graph, names, init, config, device).unwrap_or_else(|e| panic!("{e}"))
    }

    /// Creates a session on a device, or fails as [`try_new`](SessionOn::try_new) does.
    pub fn try_new_on(
        graph: Graph,
        names: &[&str],
        mut init: HashMap<String, Vec<f32>>,
        config: TrainConfig,
        device: Device,
    ) -> Result<Self, TrainError> {
        present(device)?;
        rlx_ir::verify(&graph)?;
        let rate = config.lr;
        if !rate.is_finite() || rate < 0.0 {
            let problem = format!("is {rate}; it must be finite and not negative");
            return Err(TrainError::Setting { setting: "lr", problem });
        }
        let params = trained(&graph, names)?;
        check_inputs(&graph)?;
        let known = known_params(&graph);
        let shapes = param_shapes(&graph);
        if let Some(name) = init.keys().find(|name| !shapes.iter().any(|(n, _)| n == *name)) {
            return Err(TrainError::UnknownInit { name: name.clone(), known });
        }
        let mut fixed = Vec::new();
        for (name, shape) in shapes.iter().filter(|(n, _)| !names.contains(&n.as_str())) {
            let literal = initial(name, shape, &mut init)?;
            fixed.push((name.clone(), Arc::new(literal)));
        }
        let slots = params.iter().map(|p| config.optimizer.slots(p)).collect::<Result<Vec<_>, _>>()?;
        let inputs = graph.inputs().count();
        let model = Model { graph: with_inputs(&graph, names), inputs, params, slots };
        let state = initial_state(&model, &mut init)?;
        let model_params = model.params.len();
        let settings = TrainSettings::default();
        // Reports now what cannot be differentiated.
        gradient_graph(&model, device, &settings)?;
        estimate_graph(&model, &config.optimizer, &settings)?;
        Ok(SessionOn {
            graph,
            model,
            config,
            settings,
            device,
            schedule: None,
            copies: Copies::of(model_params + fixed.len()),
            fixed,
            state,
            programs: Programs::default(),
            scale: None,
            step: 0,
            skipped: 0,
            pending: Vec::new(),
            estimates: 0,
            default: PhantomData,
        })
    }

    /// Returns this session with other settings. Values are kept; accumulated gradients are dropped.
    pub fn with_settings(mut self, settings: TrainSettings) -> Self {
        self.change(|s| *s = settings);
        self
    }

    /// Computes gradients and update in one program.
    pub fn with_fused_optimizer(mut self) -> Self {
        self.change(|s| s.fused = true);
        self
    }

    /// Computes the loss and its gradients in another precision. Parameters and the optimizer's state keep their types. If the policy
    /// computes in f16, the loss is scaled dynamically unless [`with_loss_scale`](SessionOn::with_loss_scale) sets another scale.
    pub fn with_precision_policy(mut self, policy: PrecisionPolicy) -> Self {
        self.change(|s| s.precision = policy);
        self
    }

    /// Scales gradients down if their common norm exceeds `norm`, so that it becomes `norm`.
    pub fn with_clip_norm(mut self, norm: f32) -> Self {
        self.change(|s| s.clip_norm = Some(norm));
        self
    }

    /// Applies weight decay only to the selected parameters.
    pub fn with_decay_mask(mut self, mask: Mask) -> Self {
        self.change(|s| s.decay = mask);
        self
    }

    /// Sets the layout of the matrices that `mask` selects and no earlier call selected; all others are `[in, out]`. Only Muon depends on
    /// it. Linear layers of `rlx-flow`'s blocks and of models from files are `[out, in]`.
    pub fn with_layout(mut self, mask: Mask, layout: MatrixLayout) -> Self {
        self.change(|s| s.layouts.push((mask, layout)));
        self
    }

    /// Sets the seed of Sophia's estimates of the Hessian.
    pub fn with_seed(mut self, seed: u64) -> Self {
        self.change(|s| s.seed = seed);
        self
    }

    /// Multiplies the loss by a scale before it is differentiated.
    pub fn with_loss_scale(mut self, scale: LossScale) -> Self {
        self.change(|s| s.loss_scale = Some(scale));
        self
    }

    /// Sets what happens if the loss or a gradient is not finite.
    pub fn with_nan_policy(mut self, policy: NanPolicy) -> Self {
        self.change(|s| s.nan = policy);
        self
    }

    /// Sets the maximum number of consecutive skipped steps; one more is the error [`TrainError::NoProgress`].
    pub fn with_max_skipped(mut self, steps: u32) -> Self {
        self.change(|s| s.max_skipped = Some(steps));
        self
    }

    /// Sets options of one backend, such as the number of threads in `CpuOptions`.
    pub fn with_backend_options(mut self, block: impl BackendOptions) -> Self {
        self.change(|s| s.compile.backend.set(block));
        self
    }

    /// Sets a learning rate that depends on the step, in place of the configured one.
    pub fn with_schedule(mut self, schedule: Schedule) -> Self {
        self.schedule = Some(schedule);
        self
    }

    /// Changes settings. Programs are compiled again when they are next needed.
    fn change(&mut self, change: impl FnOnce(&mut TrainSettings)) {
        // Values lost in a failed run cannot be copied out; the next step reports that.
        let _ = self.bring_out();
        self.copies.clear();
        self.programs = Programs::default();
        (self.skipped, self.estimates) = (0, 0);
        self.pending.clear();
        change(&mut self.settings);
        for param in &mut self.model.params {
            let decays = self.settings.decay.chooses(param.name(), param.shape());
            let layout = self.settings.layout(param);
            *param = param.clone().with_decay(decays).with_layout(layout);
        }
        self.scale = self.settings.scale();
    }
}

/// Fails unless the device is available.
fn present(device: Device) -> Result<(), TrainError> {
    backend_for(device)?;
    match device_status(device) {
        rlx_exec::Availability::Present(_) => Ok(()),
        rlx_exec::Availability::Missing(reason) => {
            Err(RuntimeError::Backend(rlx_compile::BackendError::Unavailable { device, reason }).into())
        }
    }
}

fn param_shapes(graph: &Graph) -> Vec<(String, Shape)> {
    graph.named_params().map(|(name, shape)| (name.to_string(), shape.clone())).collect()
}

/// Lists the parameters of a graph, for messages.
pub(super) fn known_params(graph: &Graph) -> String {
    let names: Vec<String> = graph.named_params().map(|(name, _)| format!("`{name}`")).collect();
    if names.is_empty() { "none".into() } else { names.join(", ") }
}

/// Returns the parameters to train.
fn trained(graph: &Graph, names: &[&str]) -> Result<Vec<Param>, TrainError> {
    let known = known_params(graph);
    if names.is_empty() {
        return Err(TrainError::NothingToTrain(known));
    }
    let shapes = param_shapes(graph);
    let mut params: Vec<Param> = Vec::with_capacity(names.len());
    for name in names {
        let Some((_, shape)) = shapes.iter().find(|(n, _)| n == name) else {
            return Err(TrainError::UnknownParam { name: (*name).into(), known });
        };
        if params.iter().any(|p| p.name() == *name) {
            return Err(TrainError::Repeated((*name).into()));
        }
        if shape.num_elements().is_none() || !shape.dtype().is_float() {
            return Err(TrainError::Untrainable { name: (*name).into(), shape: shape.clone() });
        }
        params.push(Param::new(*name, shape.clone()));
    }
    Ok(params)
}

/// Fails if an input has a name that a step reserves.
fn check_inputs(graph: &Graph) -> Result<(), TrainError> {
    let prefix = STEP.split('.').next().unwrap_or_default();
    for node in graph.inputs() {
        let Op::Input { name } = node.op() else { continue };
        if feeding_output(name).is_some() || name.split_once('.').is_some_and(|(first, _)| first == prefix) {
            return Err(TrainError::NameTaken(name.clone()));
        }
    }
    Ok(())
}

/// Takes the initial value of a parameter from `init`.
fn initial(name: &str, shape: &Shape, init: &mut HashMap<String, Vec<f32>>) -> Result<Literal, TrainError> {
    let expected = elements(shape);
    let Some(values) = init.remove(name) else {
        return Err(TrainError::MissingInit { name: name.into(), shape: shape.clone(), elements: expected });
    };
    if values.len() != expected {
        let (name, shape, got) = (name.into(), shape.clone(), values.len());
        return Err(TrainError::WrongLength { name, shape, expected, got });
    }
    let wide = shape.with_dtype(DType::F32);
    let literal = Literal::from_bytes(&wide, bytemuck::cast_slice(&values)).map_err(RuntimeError::from)?;
    Ok(literal.convert(shape.dtype()))
}

/// Returns the values of the parameters, and the optimizer's state before the first update.
fn initial_state(model: &Model, init: &mut HashMap<String, Vec<f32>>) -> Result<State, TrainError> {
    let mut outside: Vec<Vec<u8>> = Vec::new();
    let mut of_slots: Vec<Vec<u8>> = Vec::new();
    for (param, slots) in model.params.iter().zip(&model.slots) {
        let value = initial(param.name(), param.shape(), init)?;
        for slot in slots {
            of_slots.push(slot.initial_value(&value)?.bytes().to_vec());
        }
        outside.push(value.bytes().to_vec());
    }
    outside.append(&mut of_slots);
    let values = model.values().into_iter().map(|(name, shape)| Value { name, shape }).collect();
    Ok(State { values, home: Home::Outside, outside })
}
