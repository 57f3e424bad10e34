//! Kernels of factorizations and triangular systems, one matrix at a time in planned memory.
//!
//! With the feature `linalg` they are the blocked algorithms of `rlx-linalg` ([`blocked`]), in the precision of the element type. Without
//! it they are the evaluator's plain algorithms in f64 ([`plain`]). Those are correct, but many times slower for more than about ten rows,
//! and do not check the evaluator independently. Some factorizations are plain in both cases.

#[cfg(feature = "linalg")]
mod blocked;
#[cfg(feature = "linalg")]
mod elements;
mod plain;

use super::elementwise::threads;
use super::{PrepareContext, Way, missing};
use crate::exec::{LaunchContext, OpKernel, RunError};
use rlx_compile::BackendError;
use rlx_compile::memory::{ALIGNMENT, Needs};
use rlx_ir::math::linalg::{Factorization, Task, TriangularSolve};
use rlx_ir::{DType, Op, OpKind};
use std::ops::Range;

#[cfg(feature = "linalg")]
use blocked as family;
#[cfg(not(feature = "linalg"))]
use plain as family;

/// Returns how an op of the family is handled.
pub(super) const fn way(kind: OpKind) -> Option<Way> {
    use OpKind::*;
    Some(match kind {
        Cholesky | TriangularSolve | TridiagonalSolve | Lu | Qr | Geqrf | Geqp3 | HouseholderProduct
        | Eigh | Eig | Svd => Way::Kernel(prepare),
        _ => return None,
    })
}

/// Returns what the op computes, with `reflectors` reflectors if it multiplies them.
fn factorization(op: &Op, reflectors: usize) -> Option<Factorization> {
    Some(match *op {
        Op::Cholesky { lower } => Factorization::Cholesky { lower },
        Op::TriangularSolve { left_side, lower, unit_diagonal, transpose } => {
            let transpose = transpose.form();
            Factorization::TriangularSolve(TriangularSolve { left_side, lower, unit_diagonal, transpose })
        }
        Op::TridiagonalSolve {} => Factorization::TridiagonalSolve,
        Op::Lu {} => Factorization::Lu,
        Op::Qr { full_matrices } => Factorization::Qr { full_matrices },
        Op::Geqrf {} => Factorization::Geqrf,
        Op::Geqp3 {} => Factorization::Geqp3,
        Op::HouseholderProduct {} => Factorization::HouseholderProduct { reflectors },
        Op::Eigh { lower } => Factorization::Eigh { lower },
        Op::Eig { left, right } => Factorization::Eig { left, right },
        Op::Svd { full_matrices } => Factorization::Svd { full_matrices },
        _ => return None,
    })
}

/// Prepares the kernel of an op on matrices.
pub(crate) fn prepare(cx: &PrepareContext<'_>) -> Result<Box<dyn OpKernel>, BackendError> {
    let op = cx.node.op();
    let reflectors = match op {
        Op::HouseholderProduct {} => cx.dims(1).last().copied().unwrap_or(0),
        _ => 0,
    };
    let Some(factorization) = factorization(op, reflectors) else { return missing(cx) };
    let dims = cx.dims(factorization.sized());
    let [batch @ .., m, n] = &dims[..] else { return missing(cx) };
    let task = Task { factorization, m: *m, n: *n };
    let wanted = cx.node.results().iter().any(|r| r.num_elements() != Some(0));
    let count = if wanted { batch.iter().product() } else { 0 };
    let batch = Batch { task, dtype: cx.operand(0).dtype(), count, threads: cx.threads };
    family::kernel(batch).ok_or_else(|| {
        BackendError::Unsupported(format!(
            "`{}` of {} needs more working memory than can be addressed",
            op.mnemonic(),
            cx.operand(0)
        ))
    })
}

/// Matrices that are all processed in the same way.
#[derive(Clone, Copy, Debug)]
struct Batch {
    task: Task,
    dtype: DType,
    count: usize,
    threads: usize,
}

/// How one matrix of a batch is processed.
trait OneMatrix: Send + Sync + 'static {
    /// Approximate picoseconds per multiplication.
    const FLOP_PICOSECONDS: u64;
    /// Approximate additional nanoseconds per matrix.
    const MATRIX_NANOSECONDS: u64;

    /// Processes matrix `which`.
    ///
    /// # Safety
    /// `which` is less than the number of matrices, and no other task writes its results; `scratch` belongs to this task and has as many
    /// bytes as the kernel was created with.
    unsafe fn one(&self, batch: &Batch, cx: &LaunchContext<'_>, which: usize, scratch: *mut u8);
}

/// The kernel that processes all matrices.
struct Matrices<F> {
    batch: Batch,
    task_bytes: usize,
    scratch_bytes: usize,
    family: F,
}

impl<F: OneMatrix> Matrices<F> {
    /// `task_bytes` is the scratch memory of one thread; returns `None` if that of all threads cannot be addressed.
    fn kernel(batch: Batch, task_bytes: usize, family: F) -> Option<Box<dyn OpKernel>> {
        let scratch_bytes = task_bytes.checked_mul(if batch.count > 1 { batch.threads } else { 1 })?;
        Some(Box::new(Matrices { batch, task_bytes, scratch_bytes, family }))
    }

    /// Returns the approximate nanoseconds for all matrices on one thread.
    fn nanoseconds(&self) -> u64 {
        let flops = self.batch.task.flops();
        let each = F::MATRIX_NANOSECONDS.saturating_add(flops.saturating_mul(F::FLOP_PICOSECONDS) / 1_000);
        (self.batch.count as u64).saturating_mul(each)
    }
}

impl<F: OneMatrix> OpKernel for Matrices<F> {
    fn needs(&self) -> Needs {
        Needs { scratch_bytes: self.scratch_bytes, in_place: Vec::new() }
    }

    fn run(&self, cx: &mut LaunchContext<'_>) -> Result<(), RunError> {
        let body = |cx: &LaunchContext<'_>, range: Range<usize>, scratch: *mut u8| {
            // SAFETY: each matrix belongs to one task, which alone writes its results.
            range.for_each(|which| unsafe { self.family.one(&self.batch, cx, which, scratch) });
        };
        // SAFETY: the ranges of tasks have no matrix in common, and only the task of a range writes the results of its matrices.
        unsafe { threads::for_ranges(cx, self.task_bytes, self.nanoseconds(), self.batch.count, 1, body) };
        Ok(())
    }
}

/// Memory for lists, which are taken one after the other.
struct Carver(*mut u8);

impl Carver {
    /// Takes the next list.
    ///
    /// # Safety
    /// The memory has room for it, and any bytes are a valid `T`.
    unsafe fn next<'a, T>(&mut self, len: usize) -> &'a mut [T] {
        // SAFETY: the caller's promise; offsets are multiples of the alignment.
        let list = unsafe { std::slice::from_raw_parts_mut(self.0.cast::<T>(), len) };
        self.0 = self.0.wrapping_add((len * size_of::<T>()).next_multiple_of(ALIGNMENT));
        list
    }
}

/// Returns the bytes that [`Carver`] takes for a list.
fn bytes_of<T>(len: usize) -> Option<usize> {
    len.checked_mul(size_of::<T>())?.checked_next_multiple_of(ALIGNMENT)
}
