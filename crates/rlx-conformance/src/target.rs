//! The trait of the things that are tested: anything that runs a graph.

use crate::bound::Allowance;
use rlx_ir::{DType, Graph, Literal};

/// Why a target returned no result.
#[derive(Clone, Debug, thiserror::Error)]
pub enum TargetError {
    /// The target reports that it cannot run the graph. The case counts as skipped, and is listed.
    #[error("unsupported: {0}")]
    Unsupported(String),
    /// The run failed. The case counts as failed.
    #[error("{0}")]
    Failed(String),
}

/// A backend, a device or a way of compiling, as the conformance table sees it.
pub trait Target {
    /// Returns the name in reports, which is unique among the targets of a run.
    fn name(&self) -> &str;

    /// Returns whether the target flushes subnormal numbers to zero in operands and results, as XLA does on the CPU.
    /// Cases then run without subnormal operands, and a zero passes for a subnormal result.
    fn flushes_subnormals(&self) -> bool {
        false
    }

    /// Returns the functions that the target computes less accurately than backends should. Cases that need a row are listed with it.
    fn allowances(&self) -> &[Allowance] {
        &[]
    }

    /// Returns why the target has no values of a type, if it has none. In graphs with such values there is nothing to judge.
    fn refused_type(&self, _dtype: DType) -> Option<String> {
        None
    }

    /// Runs `graph` with named values for its inputs and parameters. Returns one literal per output.
    fn run(&self, graph: &Graph, inputs: &[(&str, &Literal)]) -> Result<Vec<Literal>, TargetError>;
}

/// Returns why the target lacks an element type of the graph, if it does.
pub(crate) fn refused_type(target: &dyn Target, graph: &Graph) -> Option<String> {
    let mut types = graph.nodes().iter().flat_map(|node| node.results()).map(rlx_ir::Shape::dtype);
    types.find_map(|dtype| target.refused_type(dtype))
}

/// The reference evaluator.
#[derive(Clone, Copy, Debug, Default)]
pub struct Evaluator;

impl Target for Evaluator {
    fn name(&self) -> &str {
        "evaluator"
    }

    fn run(&self, graph: &Graph, inputs: &[(&str, &Literal)]) -> Result<Vec<Literal>, TargetError> {
        rlx_ir::eval(graph, inputs).map_err(|e| TargetError::Failed(e.to_string()))
    }
}
