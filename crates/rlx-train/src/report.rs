//! What a step and an evaluation report.

use std::fmt;

/// Who updates parameters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum UpdatePath {
    /// Programs of this system: gradients by its derivatives, and the optimizer's update.
    Gradient,
}

impl UpdatePath {
    /// The name.
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

/// Which programs make a step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum StepKind {
    /// Gradients, clipping and update in one program.
    Fused,
    /// A program for the gradients, and one for the update.
    Separate,
    /// The update alone, with gradients that were accumulated.
    Accumulated,
}

impl StepKind {
    /// The name.
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

/// What a step did.
#[derive(Clone, PartialEq, Debug)]
pub struct StepReport {
    /// The loss before the update; the mean of an accumulated step's.
    pub loss: f32,
    /// Who updated the parameters.
    pub path: UpdatePath,
    /// Which programs did.
    pub kind: StepKind,
    /// Batches whose gradients were averaged.
    pub batches: usize,
    /// Updates made so far, this one included.
    pub step: u64,
    /// The learning rate of this step.
    pub learning_rate: f32,
    /// The Euclidean norm of all gradients together, before clipping.
    pub grad_norm: f32,
    /// Whether the update was left out because a gradient was not finite.
    pub skipped: bool,
    /// The factor of the loss in this step; 1 where losses are not scaled.
    pub loss_scale: f32,
    /// The other outputs of the graph; none of an accumulated step.
    pub metrics: Vec<Vec<f32>>,
}

/// What an evaluation gave.
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
        if *skipped { f.write_str(", update left out") } else { Ok(()) }
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
