//! Kernel of `if` and `case`: runs one of several graphs, depending on the value of the first operand.

use super::Body;
use crate::exec::{LaunchContext, OpKernel, RunError};
use crate::kernels::PrepareContext;
use rlx_compile::BackendError;
use rlx_compile::memory::Needs;
use rlx_ir::{Graph, SubGraph};

struct Branch {
    /// Whether the operand is a boolean rather than an index.
    boolean: bool,
    bodies: Vec<Body>,
}

fn bodies<'g>(
    cx: &PrepareContext<'_>,
    graphs: impl Iterator<Item = &'g Graph>,
) -> Result<Vec<Body>, BackendError> {
    graphs.map(|graph| Body::new(cx, graph, &[])).collect()
}

/// Prepares a branch on a boolean, with two graphs.
pub(super) fn of_two(
    cx: &PrepareContext<'_>,
    on_true: &Graph,
    on_false: &Graph,
) -> Result<Box<dyn OpKernel>, BackendError> {
    Ok(Box::new(Branch { boolean: true, bodies: bodies(cx, [on_false, on_true].into_iter())? }))
}

/// Prepares a branch on an index, with any number of graphs.
pub(super) fn of_many(
    cx: &PrepareContext<'_>,
    graphs: &[SubGraph],
) -> Result<Box<dyn OpKernel>, BackendError> {
    Ok(Box::new(Branch { boolean: false, bodies: bodies(cx, graphs.iter().map(|g| &**g))? }))
}

impl Branch {
    fn chosen(&self, cx: &LaunchContext<'_>) -> Option<&Body> {
        if self.boolean {
            return self.bodies.get(usize::from(cx.input::<u8>(0).first() == Some(&1)));
        }
        let index = cx.input::<i32>(0).first().and_then(|&i| usize::try_from(i).ok());
        index.and_then(|i| self.bodies.get(i)).or(self.bodies.last())
    }
}

impl OpKernel for Branch {
    fn needs(&self) -> Needs {
        let scratch_bytes = self.bodies.iter().map(Body::scratch_bytes).max().unwrap_or(0);
        Needs { scratch_bytes, in_place: Vec::new() }
    }

    fn run(&self, cx: &mut LaunchContext<'_>) -> Result<(), RunError> {
        let Some(body) = self.chosen(cx) else { return Ok(()) };
        // SAFETY: a branch takes the operands after the first and computes the results.
        unsafe { body.run(cx, cx.scratch_ptr(), &|i| cx.input_ptr(i + 1), &|i| cx.output_ptr(i)) }
    }
}
