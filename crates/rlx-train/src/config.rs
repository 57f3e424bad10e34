//! Options of training.

use crate::error::TrainError;
use crate::scale::LossScale;
use rlx_optim::{Mask, MatrixLayout, Optimizer, Param};
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
    /// The types that the loss and its gradients are computed in. Parameters and the optimizer's state keep theirs.
    pub precision: PrecisionPolicy,
    /// The largest norm of all gradients together; larger ones are scaled down to it.
    pub clip_norm: Option<f32>,
    /// Which parameters weight decay applies to.
    pub decay: Mask,
    /// How matrices are laid out, for optimizers to which that matters (Muon): of each the layout of the first mask that chooses it, and
    /// `[in, out]`, that of x·W, where none does.
    pub layouts: Vec<(Mask, MatrixLayout)>,
    /// What the signs are drawn from by which Sophia estimates the Hessian; those of an update follow from this and its number.
    pub seed: u64,
    /// How the loss is scaled. Policies that compute in f16 have the dynamic scale by default.
    pub loss_scale: Option<LossScale>,
    /// What a value that is not finite means.
    pub nan: NanPolicy,
    /// After how many skipped steps in a row a further one is the error [`TrainError::NoProgress`]; `None` for
    /// [`MAX_SKIPPED`](Self::MAX_SKIPPED).
    pub max_skipped: Option<u32>,
    /// Threads and the like.
    pub compile: CompileOptions,
}

impl TrainSettings {
    /// How many steps in a row may be skipped where nothing else is said.
    pub const MAX_SKIPPED: u32 = 200;

    /// How many steps in a row may be skipped.
    pub(crate) fn most_skipped(&self) -> u32 {
        self.max_skipped.unwrap_or(Self::MAX_SKIPPED)
    }

    /// The scale of the loss, if it is scaled.
    pub(crate) fn scale(&self) -> Option<LossScale> {
        let narrow = matches!(self.precision, PrecisionPolicy::AlwaysF16 | PrecisionPolicy::AutoMixed);
        self.loss_scale.or(narrow.then(LossScale::dynamic))
    }

    /// How a parameter is laid out.
    pub(crate) fn layout(&self, param: &Param) -> MatrixLayout {
        let chosen = self.layouts.iter().find(|(mask, _)| mask.chooses(param.name(), param.shape()));
        chosen.map_or(MatrixLayout::InOut, |(_, layout)| *layout)
    }

    /// Whether updates are made with what is not finite.
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
