//! Errors: why an update cannot be built.

use rlx_ir::{LiteralError, Shape, Violations};

/// Why an optimizer refuses its settings, a parameter or operands.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Text that names no optimizer or schedule.
    #[error("there is no {what} {name:?}; there are {known}")]
    Unknown {
        /// What was to be named.
        what: &'static str,
        /// The text.
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
    /// A setting that does not exist, or has a value that it cannot have.
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
    /// An operand of another shape or type than the parameter needs.
    #[error("{operand} of parameter {name:?} is {got}, expected {expected}")]
    Operand {
        /// The parameter.
        name: String,
        /// Which operand.
        operand: String,
        /// What is expected.
        expected: String,
        /// Its shape.
        got: Shape,
    },
    /// Another number of state tensors than the optimizer keeps.
    #[error("{optimizer} keeps {expected} state tensor(s) for parameter {name:?}, got {got}")]
    State {
        /// The optimizer.
        optimizer: &'static str,
        /// The parameter.
        name: String,
        /// How many it keeps.
        expected: usize,
        /// How many were given.
        got: usize,
    },
    /// A value that does not make a tensor.
    #[error("the initial state of parameter {name:?}: {source}")]
    Initial {
        /// The parameter.
        name: String,
        /// Why.
        source: LiteralError,
    },
    /// The loss has no Hessian that could be estimated.
    #[error(transparent)]
    Hessian(#[from] rlx_autodiff::Error),
    /// The graph that was built is not valid.
    #[error(transparent)]
    Invalid(#[from] Violations),
}
