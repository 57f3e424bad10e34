//! Errors: why a training session cannot be created, or a step cannot be taken.

use rlx_ir::{OpError, Shape, Violations};
use rlx_session::{CompileError, RuntimeError};

/// What went wrong in training.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrainError {
    /// The graph has no parameter of this name, which is in the list of parameters to train or was asked for.
    #[error("the graph has no parameter `{name}`; it has {known}")]
    UnknownParam {
        /// The name.
        name: String,
        /// The parameters of the graph.
        known: String,
    },
    /// A parameter is listed twice among the parameters to train.
    #[error("parameter `{0}` is listed twice")]
    Repeated(String),
    /// There is no parameter to train.
    #[error("name at least one parameter to train; the graph has {0}")]
    NothingToTrain(String),
    /// A parameter has no initial value.
    #[error("parameter `{name}` ({shape}) has no initial value; put {elements} number(s) for it into `init`")]
    MissingInit {
        /// The parameter.
        name: String,
        /// Its shape.
        shape: Shape,
        /// The number of its elements.
        elements: usize,
    },
    /// The length of an initial value differs from the parameter's.
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
    /// An initial value is given for a name that the graph does not have.
    #[error("`init` has a value for `{name}`, which is not a parameter of the graph; it has {known}")]
    UnknownInit {
        /// The name.
        name: String,
        /// The parameters of the graph.
        known: String,
    },
    /// A parameter's shape is not known before a run.
    #[error("parameter `{name}` is {shape}: trained parameters have static shapes of floats")]
    Untrainable {
        /// The parameter.
        name: String,
        /// Its shape.
        shape: Shape,
    },
    /// An input of the graph has a name that the step reserves.
    #[error("the graph's input `{0}` has a name that training uses; rename it")]
    NameTaken(String),
    /// A setting has a value that is not allowed.
    #[error("`{setting}` {problem}")]
    Setting {
        /// The setting.
        setting: &'static str,
        /// What is wrong, and what is expected.
        problem: String,
    },
    /// The loss or a gradient is infinite or NaN. The parameters are unchanged.
    ///
    /// With [`NanPolicy::Skip`](crate::NanPolicy::Skip) such steps are skipped instead.
    #[error(
        "step {step}: the {what} is {value}; the parameters are unchanged. Lower the learning rate, or clip gradients"
    )]
    NotFinite {
        /// The step, counted from 1.
        step: u64,
        /// `loss`, `gradient norm` or `estimate of the Hessian`.
        what: &'static str,
        /// Its value.
        value: f32,
    },
    /// Too many consecutive steps were skipped because the loss or a gradient is infinite or NaN: training would continue forever without
    /// an update. The parameters are unchanged.
    #[error(
        "step {step}: {skipped} step(s) in a row were skipped, since the loss or a gradient is not finite{}; the parameters are \
         unchanged. Lower the learning rate, clip gradients, or compute in a higher precision",
        scale.map(|scale| format!(", and the loss scale has become {scale}")).unwrap_or_default()
    )]
    NoProgress {
        /// The step that was refused, counted from 1.
        step: u64,
        /// The number of consecutive skipped steps, including this one.
        skipped: u32,
        /// The loss scale, if there is one.
        scale: Option<f32>,
    },
    /// A step was requested while accumulated gradients are pending.
    #[error("{0} accumulated gradient(s) are unused; call `step_accumulated` or `discard_accumulated` first")]
    Pending(usize),
    /// An accumulated step was requested, but nothing is accumulated.
    #[error("nothing is accumulated; call `accumulate` first")]
    NothingAccumulated,
    /// A value of a checkpoint is missing in the session or has another size.
    #[error("{0}")]
    State(String),
    /// The loss cannot be differentiated.
    #[error(transparent)]
    Derivative(#[from] rlx_autodiff::Error),
    /// The optimizer does not accept its settings or a parameter.
    #[error(transparent)]
    Optimizer(#[from] rlx_optim::Error),
    /// A graph could not be built.
    #[error(transparent)]
    Graph(#[from] Violations),
    /// A graph could not be inserted into another.
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
