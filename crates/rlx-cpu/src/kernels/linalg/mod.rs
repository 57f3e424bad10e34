//! Kernels of factorizations and triangular systems, one matrix at a time in planned memory.
//!
//! With the feature `linalg` they are the blocked algorithms of `rlx-linalg` ([`blocked`]), in the precision of the element type. Without it they are the evaluator's plain algorithms in
//! f64 ([`plain`]): right, but many times slower from some ten rows on, and no check of the evaluator. Some are plain in both.

#[cfg(feature = "linalg")]
mod blocked;
#[cfg(feature = "linalg")]
mod elements;
mod plain;

use super::elementwise::threads;
use super::{PrepareContext, missing};
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

/// Whether the family runs the op.
pub(crate) const fn claims(kind: OpKind) -> bool {
    use OpKind::*;
    matches!(
        kind,
        Cholesky
            | TriangularSolve
            | TridiagonalSolve
            | Lu
            | Qr
            | Geqrf
            | Geqp3
            | HouseholderProduct
            | Eigh
            | Eig
            | Svd
    )
}

/// What the op does, with so many reflectors where it multiplies them.
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

/// The kernel of an op on matrices.
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

/// Matrices that the same is done to.
#[derive(Clone, Copy, Debug)]
struct Batch {
    task: Task,
    dtype: DType,
    count: usize,
    threads: usize,
}

/// What is done to one matrix of a batch.
trait OneMatrix: Send + Sync + 'static {
    /// Picoseconds of a multiplication, about.
    const FLOP_PICOSECONDS: u64;
    /// Nanoseconds of what each matrix costs besides, about.
    const MATRIX_NANOSECONDS: u64;

    /// Works on matrix `which`.
    ///
    /// # Safety
    /// `which` is below the number of matrices, and no other task writes its results; `scratch` is this task's, of as many bytes
    /// as the kernel was given.
    unsafe fn one(&self, batch: &Batch, cx: &LaunchContext<'_>, which: usize, scratch: *mut u8);
}

/// The kernel that does it to all of them.
struct Matrices<F> {
    batch: Batch,
    task_bytes: usize,
    scratch_bytes: usize,
    family: F,
}

impl<F: OneMatrix> Matrices<F> {
    /// `task_bytes` is the scratch memory of one thread; `None` if that of all of them cannot be addressed.
    fn kernel(batch: Batch, task_bytes: usize, family: F) -> Option<Box<dyn OpKernel>> {
        let scratch_bytes = task_bytes.checked_mul(if batch.count > 1 { batch.threads } else { 1 })?;
        Some(Box::new(Matrices { batch, task_bytes, scratch_bytes, family }))
    }

    /// Nanoseconds that all matrices take on one thread, about.
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
            // SAFETY: a matrix's results are written by the task that has it alone.
            range.for_each(|which| unsafe { self.family.one(&self.batch, cx, which, scratch) });
        };
        // SAFETY: tasks have ranges without a matrix in common, and write the results of theirs alone.
        unsafe { threads::for_ranges(cx, self.task_bytes, self.nanoseconds(), self.batch.count, 1, body) };
        Ok(())
    }
}

/// A place for lists, one after the other.
struct Carver(*mut u8);

impl Carver {
    /// The next list.
    ///
    /// # Safety
    /// The memory has room for it; any bytes are a `T`.
    unsafe fn next<'a, T>(&mut self, len: usize) -> &'a mut [T] {
        // SAFETY: the caller's promise; offsets are multiples of the alignment.
        let list = unsafe { std::slice::from_raw_parts_mut(self.0.cast::<T>(), len) };
        self.0 = self.0.wrapping_add((len * size_of::<T>()).next_multiple_of(ALIGNMENT));
        list
    }
}

/// Bytes that [`Carver`] takes for a list.
fn bytes_of<T>(len: usize) -> Option<usize> {
    len.checked_mul(size_of::<T>())?.checked_next_multiple_of(ALIGNMENT)
}
