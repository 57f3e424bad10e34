//! The training session: its data, and queries about it. Steps are in `steps`, programs in `programs`.

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

/// The default device of a kind of session.
pub trait DefaultDevice {
    /// The device.
    const DEVICE: Device;
}

/// Marks sessions that run on the CPU by default.
#[derive(Clone, Copy, Debug)]
pub struct OnCpu;

impl DefaultDevice for OnCpu {
    const DEVICE: Device = Device::Cpu;
}

/// Marks sessions that run on the Apple Neural Engine by default.
#[derive(Clone, Copy, Debug)]
pub struct OnNeuralEngine;

impl DefaultDevice for OnNeuralEngine {
    const DEVICE: Device = Device::Ane;
}

/// Trains parameters of a graph whose first output is the loss.
pub type TrainingSession = SessionOn<OnCpu>;

/// A [`TrainingSession`] whose default device is the Apple Neural Engine.
pub type CoremlTrainingSession = SessionOn<OnNeuralEngine>;

/// A training session; `D` determines the device of [`SessionOn::new`].
///
/// Output 0 of the graph is the loss, a scalar; other outputs are metrics. Parameters that are not named do not change.
pub struct SessionOn<D> {
    /// The user's graph.
    graph: Graph,
    model: Model,
    config: TrainConfig,
    settings: TrainSettings,
    device: Device,
    schedule: Option<Schedule>,
    /// Parameters that are not trained.
    fixed: Vec<(String, Arc<Literal>)>,
    state: State,
    /// Copies of parameters that were requested since the last step.
    copies: Copies,
    programs: Programs,
    scale: Option<LossScale>,
    /// The number of updates made.
    step: u64,
    /// The number of consecutive steps whose update was skipped.
    skipped: u32,
    /// The losses of the accumulated batches that no step has used yet.
    pending: Vec<f32>,
    /// The number of estimates of the Hessian that are pending with them.
    estimates: u32,
    default: PhantomData<D>,
}

impl<D> SessionOn<D> {
    /// Returns the device.
    pub fn device(&self) -> Device {
        self.device
    }

    /// Returns the number of updates made so far.
    pub fn steps(&self) -> u64 {
        self.step
    }

    /// Returns the names of the trained parameters, in the order given.
    pub fn param_names(&self) -> impl Iterator<Item = &str> {
        self.model.params.iter().map(rlx_optim::Param::name)
    }

    /// Returns the values of a parameter, trained or not, as f32, or `None` if the graph has no parameter of this name.
    ///
    /// The values are borrowed from the session. If they are on a device or have another element type, the session keeps a copy as f32 on
    /// the host until its next step.
    ///
    /// # Panics
    /// Panics with the full message if [`try_param`](SessionOn::try_param) fails for another reason, which is that the values were lost
    /// with the device.
    pub fn param(&self, name: &str) -> Option<&[f32]> {
        match self.try_param(name) {
            Ok(values) => Some(values),
            Err(TrainError::UnknownParam { .. }) => None,
            Err(e) => panic!("{e}"),
        }
    }

    /// Like [`param`](SessionOn::param), but returns errors.
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

    /// Returns how parameters are updated.
    pub fn update_path(&self) -> UpdatePath {
        UpdatePath::Gradient
    }

    /// Returns the number of accumulated gradients that no step has used yet.
    pub fn pending_accumulation(&self) -> usize {
        self.pending.len()
    }

    /// Returns the loss scale that the next step uses, if there is one.
    pub fn loss_scale(&self) -> Option<LossScale> {
        self.scale
    }

    /// Whether CoreML itself could perform the updates, and if not, why.
    pub fn mlupdatetask_eligibility(&self) -> MlUpdateEligibility {
        MlUpdateEligibility::of(&self.graph, &self.config.optimizer, self.device)
    }

    /// Returns the working memory of the compiled programs in bytes, including the values of the session.
    pub fn memory_bytes(&self) -> usize {
        let Programs { fused, gradient, update, estimate, eval } = &self.programs;
        [fused, gradient, update, estimate, eval].into_iter().flatten().map(|p| p.arena_bytes()).sum()
    }

    /// Returns the learning rate of the next step.
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
