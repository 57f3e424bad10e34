//! Errors: why a training session cannot be made, or a step not be taken.

use rlx_ir::{OpError, Shape, Violations};
use rlx_session::{CompileError, RuntimeError};

/// What went wrong in training.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrainError {
    /// A name in the list of trained parameters that the graph does not have, or a question about one.
    #[error("the graph has no parameter `{name}`; it has {known}")]
    UnknownParam {
        /// The name.
        name: String,
        /// The parameters of the graph.
        known: String,
    },
    /// A parameter named twice in the list of trained ones.
    #[error("parameter `{0}` is listed twice")]
    Repeated(String),
    /// No parameter to train.
    #[error("name at least one parameter to train; the graph has {0}")]
    NothingToTrain(String),
    /// A parameter without an initial value.
    #[error("parameter `{name}` ({shape}) has no initial value; put {elements} number(s) for it into `init`")]
    MissingInit {
        /// The parameter.
        name: String,
        /// Its shape.
        shape: Shape,
        /// The number of its elements.
        elements: usize,
    },
    /// An initial value of another length than the parameter.
    #[error("the initial value of `{name}` has {got} number(s), {shape} takes {expected}")]
    WrongLength {
        /// The parameter.
        name: String,
        /// Its shape.
        shape: Shape,
        /// The number of its elements.
        expected: usize,
        /// The number given.
        got: usize,
    },
    /// An initial value for something that the graph does not have.
    #[error("`init` has a value for `{name}`, which is no parameter of the graph; it has {known}")]
    UnknownInit {
        /// The name.
        name: String,
        /// The parameters of the graph.
        known: String,
    },
    /// A parameter whose shape is not known before a run.
    #[error("parameter `{name}` is {shape}: trained parameters have static shapes of floats")]
    Untrainable {
        /// The parameter.
        name: String,
        /// Its shape.
        shape: Shape,
    },
    /// An input of the graph with a name that the step needs for itself.
    #[error("the graph's input `{0}` has a name that training uses; rename it")]
    NameTaken(String),
    /// A setting with a value that it cannot have.
    #[error("`{setting}` {problem}")]
    Setting {
        /// The setting.
        setting: &'static str,
        /// What is wrong, and what is expected.
        problem: String,
    },
    /// The loss or a gradient is infinite or no number. The parameters are as before the step.
    ///
    /// With [`NanPolicy::Skip`](crate::NanPolicy::Skip) such steps are skipped instead.
    #[error(
        "step {step}: the {what} is {value}; the parameters are as before the step. Lower the learning rate, or clip gradients"
    )]
    NotFinite {
        /// The step, counted from 1.
        step: u64,
        /// `loss`, `gradient norm` or `estimate of the Hessian`.
        what: &'static str,
        /// Its value.
        value: f32,
    },
    /// Step after step was skipped, because the loss or a gradient is infinite or no number: training would go on for ever without
    /// an update. The parameters are as before the step.
    #[error(
        "step {step}: {skipped} step(s) in a row were skipped, since the loss or a gradient is not finite{}; the parameters are as \
         before. Lower the learning rate, clip gradients, or compute in more precision",
        scale.map(|scale| format!(", and the loss scale is {scale} by now")).unwrap_or_default()
    )]
    NoProgress {
        /// The step that is not made, counted from 1.
        step: u64,
        /// How many steps in a row were skipped, this one included.
        skipped: u32,
        /// The factor of the loss, if it is scaled.
        scale: Option<f32>,
    },
    /// A step while accumulated gradients wait.
    #[error("{0} accumulated gradient(s) wait; call `step_accumulated` or `discard_accumulated` first")]
    Pending(usize),
    /// An accumulated step with nothing accumulated.
    #[error("nothing is accumulated; call `accumulate` first")]
    NothingAccumulated,
    /// A value of a checkpoint that the session does not have, or of another size.
    #[error("{0}")]
    State(String),
    /// The loss cannot be differentiated.
    #[error(transparent)]
    Derivative(#[from] rlx_autodiff::Error),
    /// The optimizer refuses its settings or a parameter.
    #[error(transparent)]
    Optimizer(#[from] rlx_optim::Error),
    /// A graph could not be built.
    #[error(transparent)]
    Graph(#[from] Violations),
    /// A graph could not be put into another.
    #[error(transparent)]
    Op(#[from] OpError),
    /// Compiling or running failed.
    #[error(transparent)]
    Runtime(#[from] RuntimeError),
}

impl From<CompileError> for TrainError {
    fn from(error: CompileError) -> Self {
        TrainError::Runtime(error.into())
    }
}
