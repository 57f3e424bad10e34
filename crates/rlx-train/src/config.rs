//! What a caller may choose about training.

use crate::error::TrainError;
use crate::scale::LossScale;
use rlx_optim::{Mask, Optimizer};
use rlx_session::{CompileOptions, PrecisionPolicy};

/// What every training needs.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TrainConfig {
    /// The learning rate, where no schedule gives it.
    pub lr: f32,
    /// How parameters follow their gradients.
    pub optimizer: Optimizer,
}

impl Default for TrainConfig {
    /// Adam with the learning rate 0.001, as in the paper that it comes from (Kingma and Ba, 2015).
    fn default() -> TrainConfig {
        TrainConfig { lr: 1e-3, optimizer: Optimizer::adam() }
    }
}

/// What happens when the loss or a gradient is infinite or no number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum NanPolicy {
    /// The step is an error, and the parameters stay as they were.
    #[default]
    Error,
    /// The update is left out, and the report says so.
    Skip,
    /// The update is made with what there is.
    Allow,
}

/// Everything else that may be chosen; the defaults suit most programs.
#[derive(Clone, PartialEq, Debug, Default)]
#[non_exhaustive]
pub struct TrainSettings {
    /// Whether gradients and update are one program.
    pub fused: bool,
    /// The types that the loss and its gradients are computed in. Parameters and the optimiser's state keep theirs.
    pub precision: PrecisionPolicy,
    /// The largest norm of all gradients together; larger ones are scaled down to it.
    pub clip_norm: Option<f32>,
    /// Which parameters weight decay applies to.
    pub decay: Mask,
    /// How the loss is scaled. Policies that compute in f16 have the dynamic scale by default.
    pub loss_scale: Option<LossScale>,
    /// What a value that is not finite means.
    pub nan: NanPolicy,
    /// Threads and the like.
    pub compile: CompileOptions,
}

impl TrainSettings {
    /// The scale of the loss, if it is scaled.
    pub(crate) fn scale(&self) -> Option<LossScale> {
        let narrow = matches!(self.precision, PrecisionPolicy::AlwaysF16 | PrecisionPolicy::AutoMixed);
        self.loss_scale.or(narrow.then(LossScale::dynamic))
    }

    pub(crate) fn check(&self) -> Result<(), TrainError> {
        let positive = |setting, value: f32| match value > 0.0 && value.is_finite() {
            true => Ok(()),
            false => Err(TrainError::Setting { setting, problem: format!("is {value}; it must be above 0") }),
        };
        if let Some(clip) = self.clip_norm {
            positive("clip_norm", clip)?;
        }
        if let Some(scale) = self.loss_scale {
            positive("loss_scale.scale", scale.scale)?;
            positive("loss_scale.growth", scale.growth)?;
            positive("loss_scale.backoff", scale.backoff)?;
        }
        Ok(())
    }
}
