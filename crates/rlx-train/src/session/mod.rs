//! The training session: what it holds, and queries about it. Steps are in `steps`, programs in `programs`.

mod build;
mod estimates;
mod programs;
mod snapshot;
mod steps;

use crate::config::{TrainConfig, TrainSettings};
use crate::eligibility::MlUpdateEligibility;
use crate::error::TrainError;
use crate::graphs::Model;
use crate::report::UpdatePath;
use crate::scale::LossScale;
use crate::state::{Copies, State};
use programs::Programs;
use rlx_ir::{Graph, Literal};
use rlx_optim::Schedule;
use rlx_session::Device;
use std::borrow::Cow;
use std::marker::PhantomData;
use std::sync::Arc;

pub use snapshot::{Saved, Snapshot};

/// The device of sessions that are not told one.
pub trait DefaultDevice {
    /// The device.
    const DEVICE: Device;
}

/// Sessions on the CPU.
#[derive(Clone, Copy, Debug)]
pub struct OnCpu;

impl DefaultDevice for OnCpu {
    const DEVICE: Device = Device::Cpu;
}

/// Sessions on the Apple Neural Engine.
#[derive(Clone, Copy, Debug)]
pub struct OnNeuralEngine;

impl DefaultDevice for OnNeuralEngine {
    const DEVICE: Device = Device::Ane;
}

/// Trains parameters of a graph whose first output is the loss.
pub type TrainingSession = SessionOn<OnCpu>;

/// A [`TrainingSession`] whose device, if none is named, is the Apple Neural Engine.
pub type CoremlTrainingSession = SessionOn<OnNeuralEngine>;

/// A training session; `D` is the device of [`SessionOn::new`].
///
/// Output 0 of the graph is the loss, a scalar; other outputs are metrics. Parameters that are not named stay as they are.
pub struct SessionOn<D> {
    /// The graph as it was given.
    graph: Graph,
    model: Model,
    config: TrainConfig,
    settings: TrainSettings,
    device: Device,
    schedule: Option<Schedule>,
    /// Parameters that are not trained.
    fixed: Vec<(String, Arc<Literal>)>,
    state: State,
    /// Copies of parameters that were asked for since the last step.
    copies: Copies,
    programs: Programs,
    scale: Option<LossScale>,
    /// Updates made.
    step: u64,
    /// Steps in a row whose update was left out.
    skipped: u32,
    /// Losses of what is accumulated and not yet used.
    pending: Vec<f32>,
    /// How many estimates of the Hessian wait with them.
    estimates: u32,
    default: PhantomData<D>,
}

impl<D> SessionOn<D> {
    /// The device.
    pub fn device(&self) -> Device {
        self.device
    }

    /// Updates made so far.
    pub fn steps(&self) -> u64 {
        self.step
    }

    /// The names of the trained parameters, in the order given.
    pub fn param_names(&self) -> impl Iterator<Item = &str> {
        self.model.params.iter().map(rlx_optim::Param::name)
    }

    /// The values of a parameter, trained or not, as f32; `None` where the graph has no parameter of this name.
    ///
    /// The values are borrowed from the session. Where they are on a device, or of another element type, the session keeps a copy of
    /// them as f32 on the host until its next step.
    ///
    /// # Panics
    /// With the full message where [`try_param`](SessionOn::try_param) fails for another reason: the values were lost with the device.
    pub fn param(&self, name: &str) -> Option<&[f32]> {
        match self.try_param(name) {
            Ok(values) => Some(values),
            Err(TrainError::UnknownParam { .. }) => None,
            Err(e) => panic!("{e}"),
        }
    }

    /// [`param`](SessionOn::param) with its errors.
    pub fn try_param(&self, name: &str) -> Result<&[f32], TrainError> {
        let trained = self.model.params.len();
        if let Some(at) = self.fixed.iter().position(|(n, _)| n == name) {
            let value = &self.fixed[at].1;
            return Ok(self.copies.floats(trained + at, Cow::Borrowed(value.bytes()), value.dtype()));
        }
        let Some(index) = self.state.position(name).filter(|&i| i < trained) else {
            return Err(TrainError::UnknownParam {
                name: name.into(),
                known: build::known_params(&self.graph),
            });
        };
        if let Some(copy) = self.copies.get(index) {
            return Ok(copy);
        }
        Ok(self.copies.floats(index, self.value(index)?, self.state.values[index].shape.dtype()))
    }

    /// Whether gradients and update run as one program.
    pub fn fused_active(&self) -> bool {
        self.settings.fused
    }

    /// Who updates parameters.
    pub fn update_path(&self) -> UpdatePath {
        UpdatePath::Gradient
    }

    /// How many gradients are accumulated and not yet used.
    pub fn pending_accumulation(&self) -> usize {
        self.pending.len()
    }

    /// The factor of the loss, if it is scaled, as the next step uses it.
    pub fn loss_scale(&self) -> Option<LossScale> {
        self.scale
    }

    /// Whether CoreML itself could make the updates, and if not why.
    pub fn mlupdatetask_eligibility(&self) -> MlUpdateEligibility {
        MlUpdateEligibility::of(&self.graph, &self.config.optimizer, self.device)
    }

    /// Working memory of the compiled programs in bytes, the values of the session included.
    pub fn memory_bytes(&self) -> usize {
        let Programs { fused, gradient, update, estimate, eval } = &self.programs;
        [fused, gradient, update, estimate, eval].into_iter().flatten().map(|p| p.arena_bytes()).sum()
    }

    /// The learning rate of the next step.
    pub fn learning_rate(&self) -> Result<f32, TrainError> {
        match &self.schedule {
            Some(schedule) => Ok(schedule.at(self.step)? as f32),
            None => Ok(self.config.lr),
        }
    }
}

impl<D> std::fmt::Debug for SessionOn<D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (name, path) = (self.graph.name(), self.update_path());
        write!(f, "TrainingSession({name:?} on {}, {path}, {} step(s))", self.device, self.step)
    }
}
