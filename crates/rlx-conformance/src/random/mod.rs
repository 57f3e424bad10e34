//! Random graphs that are valid by construction, with inputs for which results stay finite, and with expected results.
//!
//! For each value, the generator tracks the interval of its elements, so that a logarithm gets no negative number and
//! nothing overflows, and whether its bits are certain. Ops that jump (comparisons, conversions to integers,
//! remainders, sorts with companions) only take certain operands, since a rounded operand could legitimately fall on
//! either side. Sums and products of small multiples of a power of two stay certain as long as they fit into the
//! significand. Everything else is judged by the error bound of [`crate::bound`].
//!
//! Ops come from four sources: functions and moves of single values, composites, groups that a fusion pass takes
//! (`pattern`), and for every op of the table its conformance cases (`tabled`).

pub mod campaign;
mod composite;
mod elementwise;
mod pattern;
mod state;
mod structure;
pub mod symbolic;
mod tabled;
mod ways;

pub use ways::Variant;

use crate::bound::{Allowance, BoundError, Freedom, Known, Reference, Verdict};
use crate::case::{Inputs, borrowed};
use crate::compare::{Agreement, Mismatch};
use crate::stream::Stream;
use crate::target::{Target, TargetError};
use rlx_ir::Graph;
use state::State;

/// A graph with values for its inputs and parameters.
#[derive(Clone, Debug)]
pub struct RandomGraph {
    /// The seed that it was made from.
    pub seed: u64,
    /// The graph.
    pub graph: Graph,
    /// Values by name.
    pub inputs: Inputs,
    /// What is known about the rounding of each node.
    known: Vec<Known>,
}

/// Why a target failed on a random graph.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The target gave different results. The message includes the graph.
    #[error("seed {seed}: {mismatch}\n{graph}")]
    Mismatch {
        /// The seed.
        seed: u64,
        /// The first difference.
        mismatch: Mismatch,
        /// The graph in its text form.
        graph: String,
    },
    /// The target did not run the graph.
    #[error("seed {seed}: {source}\n{graph}")]
    Target {
        /// The seed.
        seed: u64,
        /// The target's error.
        source: TargetError,
        /// The graph in its text form.
        graph: String,
    },
    /// The graph has no error bound, which is a bug in the generator.
    #[error("seed {seed}: {source}\n{graph}")]
    Bound {
        /// The seed.
        seed: u64,
        /// The error of the analysis.
        source: BoundError,
        /// The graph in its text form.
        graph: String,
    },
}

/// Returns the graph of a seed. The same seed gives the same graph and the same inputs on every platform.
pub fn generate(seed: u64) -> RandomGraph {
    let mut state = State::new(Stream::new(seed));
    state.add_inputs();
    let nodes = 5 + state.stream.below(26);
    // Some attempts fit none of the available values. Their number is bounded, so that the time is too.
    for _ in 0..4 * nodes {
        if state.computed() >= nodes {
            break;
        }
        match state.stream.below(100) {
            0..34 => elementwise::add(&mut state),
            34..66 => structure::add(&mut state),
            66..78 => composite::add(&mut state),
            78..90 => pattern::add(&mut state),
            _ => tabled::add(&mut state),
        };
    }
    state.finish(seed)
}

impl RandomGraph {
    /// Returns the results of every correct implementation whose functions stay within the allowances.
    pub fn reference(&self, allowances: &[Allowance]) -> Result<Reference, BoundError> {
        let known = |id: rlx_ir::NodeId| self.known.get(id.index()).copied().unwrap_or(Known::Nothing);
        let inputs = borrowed(&self.inputs);
        Reference::with_allowances(&self.graph, &inputs, Freedom::Contract, &known, allowances)
    }

    /// Runs a target on the graph and compares it with `reference`, which may be used for several targets.
    pub fn check(&self, target: &dyn Target, reference: &Reference) -> Result<Verdict, Failure> {
        let graph = || self.graph.to_string();
        let outputs = target.run(&self.graph, &borrowed(&self.inputs)).map_err(|source| Failure::Target {
            seed: self.seed,
            source,
            graph: graph(),
        })?;
        // A sum of zeros of both signs may have either sign.
        reference.check(&outputs, Agreement::AnyZeros).map_err(|mismatch| Failure::Mismatch {
            seed: self.seed,
            mismatch,
            graph: graph(),
        })
    }
}

/// Runs a target on the graph of a seed.
pub fn compare(target: &dyn Target, seed: u64) -> Result<Verdict, Failure> {
    let random = generate(seed);
    let reference = random.reference(&[]).map_err(|source| Failure::Bound {
        seed,
        source,
        graph: random.graph.to_string(),
    })?;
    random.check(target, &reference)
}
