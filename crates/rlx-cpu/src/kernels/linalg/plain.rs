//! Factorizations with the evaluator's own algorithms in f64.

use super::{Batch, Carver, Matrices, OneMatrix, bytes_of};
use crate::exec::{LaunchContext, OpKernel};
use rlx_elementwise::numbers::{load, store};
use rlx_ir::DType;
use rlx_ir::eval::Scalar;
use rlx_ir::math::Complex64;
use rlx_ir::math::linalg::Spectral;
use rlx_ir::math::linalg::batch::{Buffers, Factorization, WorkMemory};
use std::marker::PhantomData;

/// Prepares the kernel; returns `None` if its working memory cannot be addressed.
pub(super) fn kernel(batch: Batch) -> Option<Box<dyn OpKernel>> {
    if batch.dtype.is_complex() { of::<Complex64>(batch) } else { of::<f64>(batch) }
}

fn of<T: MatrixElement>(batch: Batch) -> Option<Box<dyn OpKernel>> {
    Matrices::kernel(batch, task_bytes::<T>(&batch)?, Linalg::<T> { field: PhantomData })
}

/// Returns the scratch memory of a thread in bytes.
fn task_bytes<T>(batch: &Batch) -> Option<usize> {
    // If the square of the sizes fits many times over, nothing that is computed below overflows.
    batch.task.m.max(batch.task.n).checked_pow(2)?.checked_mul(64 * size_of::<T>())?;
    let (task, work) = (&batch.task, batch.task.work());
    let field = task.operands().into_iter().chain(task.field()).chain([work.field]).map(bytes_of::<T>);
    let complex = task.complex().into_iter().chain([work.complex]).map(bytes_of::<Complex64>);
    let real = [task.real(), work.real].into_iter().map(bytes_of::<f64>);
    let index = task.index().into_iter().chain([work.index]).map(bytes_of::<usize>);
    field.chain(complex).chain(real).chain(index).try_fold(0usize, |sum, bytes| sum.checked_add(bytes?))
}

/// The numbers that kernels compute with.
trait MatrixElement: Spectral + Send + Sync + 'static {
    fn of(x: Scalar) -> Self;
    fn scalar(self) -> Scalar;
}

impl MatrixElement for f64 {
    fn of(x: Scalar) -> f64 {
        x.to_f64()
    }
    fn scalar(self) -> Scalar {
        Scalar::Float(self)
    }
}

impl MatrixElement for Complex64 {
    fn of(x: Scalar) -> Complex64 {
        match x {
            Scalar::Complex(z) => z,
            x => Complex64::new(x.to_f64(), 0.0),
        }
    }
    fn scalar(self) -> Scalar {
        Scalar::Complex(self)
    }
}

struct Linalg<T> {
    field: PhantomData<T>,
}

impl<T: MatrixElement> OneMatrix for Linalg<T> {
    const FLOP_PICOSECONDS: u64 = 1_000;
    const MATRIX_NANOSECONDS: u64 = 500;

    unsafe fn one(&self, batch: &Batch, cx: &LaunchContext<'_>, which: usize, scratch: *mut u8) {
        let Batch { task, dtype, .. } = *batch;
        let (work, mut carver) = (task.work(), Carver(scratch));
        let [first_len, second_len] = task.field();
        let [pivots_len, permutation_len] = task.index();
        // SAFETY: the scratch memory has room for all of these lists, of plain numbers; operands and results hold
        // `count` matrices.
        unsafe {
            let operands = task.operands().map(|len| carver.next::<T>(len));
            for (i, operand) in operands.iter().enumerate().filter(|(_, o)| !o.is_empty()) {
                // The operand that selects leading columns consists of integers.
                let of_columns = i == 1 && task.factorization == Factorization::Geqp3;
                let dtype = if of_columns { DType::I32 } else { dtype };
                let size = dtype.size();
                let from = cx.input_ptr(i).add(which * operand.len() * size);
                let to = operand.as_ptr().cast_mut();
                (0..operand.len()).for_each(|k| to.add(k).write(T::of(load(dtype, from.add(k * size)))));
            }
            let field: [&mut [T]; 2] = [carver.next(first_len), carver.next(second_len)];
            let complex = task.complex().map(|len| carver.next::<Complex64>(len));
            let real: &mut [f64] = carver.next(task.real());
            let index: [&mut [usize]; 2] = [carver.next(pivots_len), carver.next(permutation_len)];
            let work = WorkMemory {
                field: carver.next(work.field),
                complex: carver.next(work.complex),
                real: carver.next(work.real),
                index: carver.next(work.index),
            };
            let ([first, second], [pivots, permutation]) = (field, index);
            let [values, left_vectors, right_vectors] = complex;
            task.run(Buffers {
                operands: operands.map(|operand| &*operand),
                field: [&mut *first, &mut *second],
                complex: [&mut *values, &mut *left_vectors, &mut *right_vectors],
                real: &mut *real,
                index: [&mut *pivots, &mut *permutation],
                work,
            });
            let complex_type = if dtype.real() == DType::F64 { DType::C128 } else { DType::C64 };
            let complex =
                |i: usize, list: &[Complex64]| write(cx, i, which, complex_type, list, Scalar::Complex);
            let number = |i: usize, list: &[T]| write(cx, i, which, dtype, list, |x| x.scalar());
            let reals = |i: usize| write(cx, i, which, dtype.real(), real, |x: f64| Scalar::Float(x));
            let indices =
                |i: usize, list: &[usize]| write(cx, i, which, DType::I32, list, |x| Scalar::Int(x as i128));
            match task.factorization {
                Factorization::Cholesky { .. }
                | Factorization::TriangularSolve(_)
                | Factorization::TridiagonalSolve
                | Factorization::HouseholderProduct { .. } => number(0, first),
                Factorization::Qr { .. } | Factorization::Geqrf => (number(0, first), number(1, second)).0,
                Factorization::Lu => (number(0, first), indices(1, pivots), indices(2, permutation)).0,
                Factorization::Geqp3 => (number(0, first), number(1, second), indices(2, permutation)).0,
                Factorization::Eig { left, right } => {
                    complex(0, values);
                    if left {
                        complex(1, left_vectors);
                    }
                    if right {
                        complex(1 + usize::from(left), right_vectors);
                    }
                }
                Factorization::Eigh { .. } => (reals(0), number(1, first)).0,
                Factorization::Svd { .. } => (number(0, first), reals(1), number(2, second)).0,
            }
        }
    }
}

/// Rounds a list and writes it to its place in a result.
///
/// # Safety
/// Result `i` holds lists of this length and element type; only this task writes list `which`.
unsafe fn write<E: Copy>(
    cx: &LaunchContext<'_>,
    i: usize,
    which: usize,
    dtype: DType,
    list: &[E],
    number: impl Fn(E) -> Scalar,
) {
    let size = dtype.size();
    let to = cx.output_ptr(i).wrapping_add(which * list.len() * size);
    for (k, &x) in list.iter().enumerate() {
        // SAFETY: the caller's promise.
        unsafe { store(dtype, number(x), to.add(k * size)) };
    }
}
