//! Errors: why an update cannot be built.

use rlx_ir::{LiteralError, Shape, Violations};

/// Why an optimizer rejects its settings, a parameter or operands.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A name of an optimizer or schedule that does not exist.
    #[error("there is no {what} {name:?}; there are {known}")]
    Unknown {
        /// What the name should be of.
        what: &'static str,
        /// The given name.
        name: String,
        /// The names that exist.
        known: String,
    },
    /// Text that is not of the form `name(setting=value, …)`.
    #[error("{text:?} is not of the form `name(setting=value, …)`: {problem}")]
    Syntax {
        /// The text.
        text: String,
        /// What is wrong.
        problem: String,
    },
    /// A setting that does not exist or has a value that is not allowed.
    #[error("{of}: `{setting}` {problem}")]
    Setting {
        /// The optimizer or schedule.
        of: String,
        /// The setting.
        setting: String,
        /// What is wrong, and what is expected.
        problem: String,
    },
    /// A parameter that cannot be optimized.
    #[error("parameter {name:?} is {shape}: only floating point tensors of static sizes are optimized")]
    Parameter {
        /// Its name.
        name: String,
        /// Its shape.
        shape: Shape,
    },
    /// An operand whose shape or type does not match the parameter.
    #[error("{operand} of parameter {name:?} is {got}, expected {expected}")]
    Operand {
        /// The parameter.
        name: String,
        /// The operand.
        operand: String,
        /// The expected shape or type.
        expected: String,
        /// Its shape.
        got: Shape,
    },
    /// The number of state tensors differs from the optimizer's.
    #[error("{optimizer} keeps {expected} state tensor(s) for parameter {name:?}, got {got}")]
    State {
        /// The optimizer.
        optimizer: &'static str,
        /// The parameter.
        name: String,
        /// The number of state tensors of the optimizer.
        expected: usize,
        /// The number given.
        got: usize,
    },
    /// An initial value cannot be made into a tensor.
    #[error("the initial state of parameter {name:?}: {source}")]
    Initial {
        /// The parameter.
        name: String,
        /// Why.
        source: LiteralError,
    },
    /// The Hessian of the loss cannot be estimated.
    #[error(transparent)]
    Hessian(#[from] rlx_autodiff::Error),
    /// The graph that was built is not valid.
    #[error(transparent)]
    Invalid(#[from] Violations),
}
