//! The trait of what is tested: anything that runs a graph.

use crate::bound::Allowance;
use rlx_ir::{DType, Graph, Literal};

/// Why a target gave no result.
#[derive(Clone, Debug, thiserror::Error)]
pub enum TargetError {
    /// The target says that it cannot run the graph. The case counts as skipped, and is listed.
    #[error("unsupported: {0}")]
    Unsupported(String),
    /// Running failed. The case counts as failed.
    #[error("{0}")]
    Failed(String),
}

/// A backend, a device or a way of compiling, as the conformance table sees it.
pub trait Target {
    /// Its name in reports, unique among the targets of a run.
    fn name(&self) -> &str;

    /// Whether the target takes subnormal numbers for zeros, and gives zeros in their place, as XLA does on the CPU. Cases then run
    /// without subnormal operands, and a zero passes for a subnormal result.
    fn flushes_subnormals(&self) -> bool {
        false
    }

    /// Functions that the target computes less exactly than backends should. Cases that need a row are listed with it.
    fn allowances(&self) -> &[Allowance] {
        &[]
    }

    /// Why the target has no values of a type, where it has none. Of graphs with such values there is nothing to judge.
    fn refused_type(&self, _dtype: DType) -> Option<String> {
        None
    }

    /// Runs `graph` with values by name for its inputs and parameters; one literal per output.
    fn run(&self, graph: &Graph, inputs: &[(&str, &Literal)]) -> Result<Vec<Literal>, TargetError>;
}

/// Why the target has no values of a type of the graph, where it has none.
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
