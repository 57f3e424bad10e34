//! Kernels of ops that combine or compare elements with a graph over single elements. [`combine`] runs such a graph one element at a time;
//! reductions run as kernels of the kernel language if possible.

pub(crate) mod combine;
mod scalar;
mod scatter;
mod sort;

use super::{PrepareContext, missing};
use crate::exec::{OpKernel, RunError};
use rlx_compile::BackendError;
use rlx_ir::Op;
use std::sync::{Mutex, PoisonError};

/// Prepares the kernel of an op that has a graph over elements.
pub(crate) fn prepare(cx: &PrepareContext<'_>) -> Result<Box<dyn OpKernel>, BackendError> {
    match cx.node.op() {
        Op::ReduceGraph { body, axes } => match super::lowered::prepare_reduction(cx) {
            Some(kernel) => Ok(kernel),
            None => super::window::graph::of_axes(cx, body, axes),
        },
        Op::ScatterGraph { body, .. } => scatter::prepare(cx, body),
        Op::SortGraph { axis, comparator, .. } => sort::prepare(cx, *axis, comparator),
        _ => missing(cx),
    }
}

/// The first error of several tasks.
#[derive(Default)]
pub(crate) struct Failure(Mutex<Option<RunError>>);

impl Failure {
    /// Records the error of a task.
    pub(crate) fn note(&self, outcome: Result<(), RunError>) {
        if let Err(error) = outcome {
            // Nothing panics while holding the lock.
            self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        }
    }

    /// Returns the first error that was recorded.
    pub(crate) fn outcome(self) -> Result<(), RunError> {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }
}
