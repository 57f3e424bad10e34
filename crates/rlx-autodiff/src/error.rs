//! Errors of transforms: why a graph cannot be transformed.

use rlx_ir::{DType, Node, OpError, Shape, Violations};

/// Why a transform rejects a program.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The gradient of something other than a single number was requested.
    #[error(
        "the gradient needs a loss that is a floating point scalar, but output {output} of {graph:?} is {shape}; reduce it \
         to a scalar first (a sum or a mean), or use vjp or jacrev"
    )]
    NotScalar {
        /// The graph.
        graph: String,
        /// The index of the output.
        output: usize,
        /// Its shape.
        shape: Shape,
    },
    /// An output was requested that the graph does not have.
    #[error("graph {graph:?} has {outputs} output(s), so there is no output {output}")]
    NoOutput {
        /// The graph.
        graph: String,
        /// Number of outputs of the graph.
        outputs: usize,
        /// The index that was requested.
        output: usize,
    },
    /// No input or parameter has this name or position.
    #[error("{what} is not an input or parameter of graph {graph:?}; it has {known}")]
    UnknownInput {
        /// The graph.
        graph: String,
        /// The name or position that was given.
        what: String,
        /// The names that exist.
        known: String,
    },
    /// Integers and booleans have no derivative.
    #[error(
        "`{name}` has element type {dtype}: only floats and complex numbers have derivatives; convert it, or leave it out"
    )]
    Integer {
        /// The input.
        name: String,
        /// Its element type.
        dtype: DType,
    },
    /// The differentiated outputs do not depend on this input.
    #[error(
        "output(s) of graph {graph:?} do not depend on `{name}`, so its gradient is zero everywhere; leave it out, or \
         allow it with `Options::allow_unused`"
    )]
    Unused {
        /// The graph.
        graph: String,
        /// The input.
        name: String,
    },
    /// An op has no rule for this transform.
    #[error("`{op}`{} has no {rule}: {why}", rlx_ir::at_label(.path))]
    NoRule {
        /// `derivative`, `transpose` or `batching rule`.
        rule: &'static str,
        /// The op.
        op: String,
        /// Path of the model block and of the graphs around it, or empty.
        path: String,
        /// Why, and what to do.
        why: String,
    },
    /// The axes or sizes of values to be mapped do not fit each other.
    #[error("{0}")]
    Axis(String),
    /// Arguments do not fit the graph.
    #[error("{0}")]
    Arguments(String),
    /// An op rejected what a rule built.
    #[error("`{op}`{}: {source}", rlx_ir::at_label(.path))]
    Op {
        /// The op that was transformed.
        op: String,
        /// Path of the model block and of the graphs around it, or empty.
        path: String,
        /// The error of the op.
        source: OpError,
    },
    /// The program, or the result of a transform, is not valid.
    #[error(transparent)]
    Invalid(#[from] Violations),
}

impl Error {
    /// The error for an op without a rule. The engine that traverses the graph fills in the op and its path.
    pub(crate) fn no_rule(rule: &'static str, why: impl Into<String>) -> Error {
        Error::NoRule { rule, op: String::new(), path: String::new(), why: why.into() }
    }

    /// Adds to a rule's error the node that the rule was applied to. The innermost op is kept; outer ones extend the path.
    pub(crate) fn at(self, node: &Node) -> Error {
        let outer = |op: String, path: String| {
            if op.is_empty() {
                return (node.op().mnemonic().to_string(), node.label().to_string());
            }
            let own = if node.label().is_empty() { node.op().mnemonic() } else { node.label() };
            (op, if path.is_empty() { own.to_string() } else { format!("{own}/{path}") })
        };
        match self {
            Error::NoRule { rule, op, path, why } => {
                let (op, path) = outer(op, path);
                Error::NoRule { rule, op, path, why }
            }
            Error::Op { op, path, source } => {
                let (op, path) = outer(op, path);
                Error::Op { op, path, source }
            }
            other => other,
        }
    }
}

impl From<OpError> for Error {
    fn from(source: OpError) -> Error {
        Error::Op { op: String::new(), path: String::new(), source }
    }
}
