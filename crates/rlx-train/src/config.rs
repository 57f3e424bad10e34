//! Options of training.

use crate::error::TrainError;
use crate::scale::LossScale;
use rlx_optim::{Mask, MatrixLayout, Optimizer, Param};
use rlx_session::{CompileOptions, PrecisionPolicy};

/// The configuration that every training run needs.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TrainConfig {
    /// The learning rate, if there is no schedule.
    pub lr: f32,
    /// The update rule.
    pub optimizer: Optimizer,
}

impl Default for TrainConfig {
    /// Adam with learning rate 0.001, as in the paper that introduced it (Kingma and Ba, 2015).
    fn default() -> TrainConfig {
        TrainConfig { lr: 1e-3, optimizer: Optimizer::adam() }
    }
}

/// What happens if the loss or a gradient is infinite or NaN.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum NanPolicy {
    /// The step is an error, and the parameters do not change.
    #[default]
    Error,
    /// The update is skipped, and the report says so.
    Skip,
    /// The update uses the values as they are.
    Allow,
}

/// All other settings; the defaults suit most programs.
#[derive(Clone, PartialEq, Debug, Default)]
#[non_exhaustive]
pub struct TrainSettings {
    /// Whether gradients and update are computed by one program.
    pub fused: bool,
    /// The types in which the loss and its gradients are computed. Parameters and the optimizer's state keep their types.
    pub precision: PrecisionPolicy,
    /// The maximum norm of all gradients together; larger gradients are scaled down to it.
    pub clip_norm: Option<f32>,
    /// The parameters that weight decay applies to.
    pub decay: Mask,
    /// The layouts of matrices, for optimizers that depend on them (Muon). A matrix has the layout of the first mask that selects it, and
    /// `[in, out]`, the layout for x·W, if none does.
    pub layouts: Vec<(Mask, MatrixLayout)>,
    /// The seed of the random signs with which Sophia estimates the Hessian. The signs of an update follow from the seed and the update's
    /// number.
    pub seed: u64,
    /// How the loss is scaled. The default is the dynamic scale for policies that compute in f16.
    pub loss_scale: Option<LossScale>,
    /// What happens if a value is not finite.
    pub nan: NanPolicy,
    /// The maximum number of consecutive skipped steps; one more is the error [`TrainError::NoProgress`]. `None` means
    /// [`MAX_SKIPPED`](Self::MAX_SKIPPED).
    pub max_skipped: Option<u32>,
    /// Compile options, such as the number of threads.
    pub compile: CompileOptions,
}

impl TrainSettings {
    /// The default maximum number of consecutive skipped steps.
    pub const MAX_SKIPPED: u32 = 200;

    /// Returns the maximum number of consecutive skipped steps.
    pub(crate) fn most_skipped(&self) -> u32 {
        self.max_skipped.unwrap_or(Self::MAX_SKIPPED)
    }

    /// Returns the loss scale, if the loss is scaled.
    pub(crate) fn scale(&self) -> Option<LossScale> {
        let narrow = matches!(self.precision, PrecisionPolicy::AlwaysF16 | PrecisionPolicy::AutoMixed);
        self.loss_scale.or(narrow.then(LossScale::dynamic))
    }

    /// Returns the layout of a parameter.
    pub(crate) fn layout(&self, param: &Param) -> MatrixLayout {
        let chosen = self.layouts.iter().find(|(mask, _)| mask.chooses(param.name(), param.shape()));
        chosen.map_or(MatrixLayout::InOut, |(_, layout)| *layout)
    }

    /// Whether updates use values that are not finite.
    pub(crate) fn allows_all(&self) -> bool {
        self.nan == NanPolicy::Allow && self.scale().is_none()
    }

    pub(crate) fn check(&self) -> Result<(), TrainError> {
        let within = |setting, value: f32, fits: bool, expected: &str| match fits {
            true => Ok(()),
            false => {
                Err(TrainError::Setting { setting, problem: format!("is {value}; it must be {expected}") })
            }
        };
        let positive = |setting, value: f32| {
            within(setting, value, value > 0.0 && value.is_finite(), "a finite number above 0")
        };
        if let Some(clip) = self.clip_norm {
            positive("clip_norm", clip)?;
        }
        if let Some(scale) = self.loss_scale {
            positive("loss_scale.scale", scale.scale)?;
            let (growth, backoff) = (scale.growth, scale.backoff);
            let grows = growth >= 1.0 && growth.is_finite();
            within("loss_scale.growth", growth, grows, "a finite number of at least 1")?;
            let shrinks = backoff > 0.0 && backoff <= 1.0;
            within("loss_scale.backoff", backoff, shrinks, "above 0 and at most 1")?;
        }
        Ok(())
    }
}
