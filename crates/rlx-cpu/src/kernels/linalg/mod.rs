//! Factorisations and triangular systems, a matrix at a time in planned memory, matrices shared between threads.
//!
//! With the feature `linalg` they are blocked algorithms on [`faer`](https://docs.rs/faer)'s products, solvers and
//! decompositions ([`blocked`]), in the precision of the element type. Without it they are the evaluator's plain algorithms in
//! f64 ([`plain`]): right, but many times slower from some ten rows on, and no check of the evaluator.

#[cfg(feature = "linalg")]
mod blocked;
#[cfg(not(feature = "linalg"))]
mod plain;

use super::{Site, missing};
use crate::exec::OpKernel;
use rlx_compile::BackendError;
use rlx_compile::memory::ALIGNMENT;
use rlx_ir::math::linalg::{Factorisation, Task, TriangularSolve};
use rlx_ir::{DType, Op};

#[cfg(feature = "linalg")]
use blocked as family;
#[cfg(not(feature = "linalg"))]
use plain as family;

/// Whether the family runs the op.
pub(crate) fn claims(op: &Op) -> bool {
    factorisation(op, 0).is_some()
}

/// What the op does, with so many reflectors where it multiplies them.
fn factorisation(op: &Op, reflectors: usize) -> Option<Factorisation> {
    Some(match *op {
        Op::Cholesky { lower } => Factorisation::Cholesky { lower },
        Op::TriangularSolve { left_side, lower, unit_diagonal, transpose } => {
            let transpose = transpose.form();
            Factorisation::TriangularSolve(TriangularSolve { left_side, lower, unit_diagonal, transpose })
        }
        Op::Lu {} => Factorisation::Lu,
        Op::Qr { full_matrices } => Factorisation::Qr { full_matrices },
        Op::Geqrf {} => Factorisation::Geqrf,
        Op::HouseholderProduct {} => Factorisation::HouseholderProduct { reflectors },
        Op::Eigh { lower } => Factorisation::Eigh { lower },
        Op::Svd { full_matrices } => Factorisation::Svd { full_matrices },
        _ => return None,
    })
}

/// The kernel of an op on matrices.
pub(crate) fn prepare(site: &Site<'_>) -> Result<Box<dyn OpKernel>, BackendError> {
    let op = site.node.op();
    let dims = site.dims(usize::from(matches!(op, Op::TriangularSolve { .. })));
    let reflectors = match op {
        Op::HouseholderProduct {} => site.dims(1).last().copied().unwrap_or(0),
        _ => 0,
    };
    let (Some(factorisation), [batch @ .., m, n]) = (factorisation(op, reflectors), &dims[..]) else {
        return missing(site);
    };
    let task = Task { factorisation, m: *m, n: *n };
    let wanted = site.node.results().iter().any(|r| r.num_elements() != Some(0));
    let count = if wanted { batch.iter().product() } else { 0 };
    let batch = Batch { task, dtype: site.operand(0).dtype(), count, threads: site.threads };
    family::kernel(batch).ok_or_else(|| {
        BackendError::Unsupported(format!(
            "`{}` of {} needs more working memory than can be addressed",
            op.mnemonic(),
            site.operand(0)
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

impl Batch {
    /// Scratch bytes of all threads that may work, if each needs so many.
    fn scratch_bytes(&self, each: usize) -> Option<usize> {
        each.checked_mul(if self.count > 1 { self.threads } else { 1 })
    }

    /// Nanoseconds that all matrices take on one thread, about.
    fn nanoseconds(&self, matrix_nanoseconds: u64, flop_picoseconds: u64) -> u64 {
        let each =
            matrix_nanoseconds.saturating_add(self.task.flops().saturating_mul(flop_picoseconds) / 1_000);
        (self.count as u64).saturating_mul(each)
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
