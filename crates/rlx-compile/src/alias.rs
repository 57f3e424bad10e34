//! Alias pairs: which output of a program updates which state buffer.
//!
//! The compiler knows only these pairs. The rule that output `i` may feed an input named `out{i}` belongs to
//! `rlx-session`.

use rlx_ir::{Graph, Shape};
use std::collections::HashSet;

/// An output that updates the state buffer that an input reads. If the memory plan allows it, the output is computed over the
/// input's bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Alias {
    /// Index among the outputs.
    pub output: usize,
    /// Index among the inputs.
    pub input: usize,
}

/// Checks that the pairs name inputs and outputs of the graph, each at most once, with equal shapes.
///
/// # Errors
/// Returns an [`AliasError`] for the first pair that does not fit.
pub fn check_aliases(graph: &Graph, aliases: &[Alias]) -> Result<(), AliasError> {
    let (inputs, outputs) = (graph.input_shapes(), graph.output_shapes());
    let (mut read, mut updating) = (HashSet::new(), HashSet::new());
    for alias in aliases {
        let Alias { input, output } = *alias;
        let (Some(from), Some(to)) = (inputs.get(input), outputs.get(output)) else {
            return Err(AliasError::Missing { alias: *alias, inputs: inputs.len(), outputs: outputs.len() });
        };
        if from != to {
            return Err(AliasError::Shapes { alias: *alias, input: from.clone(), output: to.clone() });
        }
        if !read.insert(input) || !updating.insert(output) {
            return Err(AliasError::Twice(*alias));
        }
    }
    Ok(())
}

/// Why alias pairs do not fit a graph.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum AliasError {
    /// A pair names an input or output that does not exist.
    #[error("output {} cannot update input {}: the graph has {inputs} inputs and {outputs} outputs", alias.output, alias.input)]
    Missing {
        /// The pair.
        alias: Alias,
        /// Number of inputs of the graph.
        inputs: usize,
        /// Number of outputs of the graph.
        outputs: usize,
    },
    /// The shapes of a pair differ.
    #[error("output {} of {output} cannot update input {} of {input}: the shapes must be equal", alias.output, alias.input)]
    Shapes {
        /// The pair.
        alias: Alias,
        /// The input's shape.
        input: Shape,
        /// The output's shape.
        output: Shape,
    },
    /// An input or output is in two pairs.
    #[error("output {} and input {} can each be in only one alias pair", .0.output, .0.input)]
    Twice(Alias),
}
