//! The reports of a step and of an evaluation.

use std::fmt;

/// How parameters are updated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum UpdatePath {
    /// RLX computes the gradients and the optimizer's update.
    Gradient,
}

impl UpdatePath {
    /// Returns the name.
    pub const fn name(self) -> &'static str {
        match self {
            UpdatePath::Gradient => "gradient",
        }
    }
}

impl fmt::Display for UpdatePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The programs that perform a step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum StepKind {
    /// One program for gradients, clipping and update.
    Fused,
    /// One program for the gradients, and one for the update.
    Separate,
    /// Only the update program, with accumulated gradients.
    Accumulated,
}

impl StepKind {
    /// Returns the name.
    pub const fn name(self) -> &'static str {
        match self {
            StepKind::Fused => "fused",
            StepKind::Separate => "separate",
            StepKind::Accumulated => "accumulated",
        }
    }
}

impl fmt::Display for StepKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The report of a step.
#[derive(Clone, PartialEq, Debug)]
pub struct StepReport {
    /// The loss before the update; for an accumulated step, the mean loss.
    pub loss: f32,
    /// How the parameters were updated.
    pub path: UpdatePath,
    /// The programs that performed the step.
    pub kind: StepKind,
    /// The number of batches whose gradients were averaged.
    pub batches: usize,
    /// The number of updates so far, including this one.
    pub step: u64,
    /// The learning rate of this step.
    pub learning_rate: f32,
    /// The Euclidean norm of all gradients together, before clipping.
    pub grad_norm: f32,
    /// Whether the update was skipped because a gradient was not finite.
    pub skipped: bool,
    /// The loss scale of this step; 1 if the loss is not scaled.
    pub loss_scale: f32,
    /// The other outputs of the graph; empty for an accumulated step.
    pub metrics: Vec<Vec<f32>>,
}

/// The result of an evaluation.
#[derive(Clone, PartialEq, Debug)]
pub struct EvalReport {
    /// The loss.
    pub loss: f32,
    /// The other outputs of the graph.
    pub metrics: Vec<Vec<f32>>,
}

impl fmt::Display for StepReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let StepReport { loss, step, learning_rate, grad_norm, skipped, .. } = self;
        write!(f, "step {step}: loss {loss}, gradient norm {grad_norm}, learning rate {learning_rate}")?;
        if *skipped { f.write_str(", update skipped") } else { Ok(()) }
    }
}

impl fmt::Display for EvalReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "loss {}", self.loss)?;
        self.metrics.iter().try_for_each(|metric| match metric[..] {
            [value] => write!(f, ", {value}"),
            _ => write!(f, ", {} numbers", metric.len()),
        })
    }
}
