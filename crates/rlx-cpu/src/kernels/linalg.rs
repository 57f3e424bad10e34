//! Factorisations and triangular systems: the evaluator's own algorithms in f64, a matrix at a time, in planned memory.

use super::elementwise::threads;
use super::numbers::{load, store};
use super::{Site, missing};
use crate::exec::{Cx, OpKernel, RunError};
use rlx_compile::BackendError;
use rlx_compile::memory::{ALIGNMENT, Needs};
use rlx_ir::eval::Scalar;
use rlx_ir::math::Complex64;
use rlx_ir::math::linalg::{Buffers, Factorisation, Field, Task, TriangularSolve};
use rlx_ir::{DType, Op};
use std::marker::PhantomData;
use std::ops::Range;

/// Picoseconds of a multiplication, and nanoseconds of what each matrix costs besides.
const FLOP_PICOSECONDS: u64 = 1_000;
const MATRIX_NANOSECONDS: u64 = 500;

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
    let dtype = site.operand(0).dtype();
    if dtype.is_complex() {
        Ok(Box::new(Linalg::<Complex64> { task, dtype, count, threads: site.threads, field: PhantomData }))
    } else {
        Ok(Box::new(Linalg::<f64> { task, dtype, count, threads: site.threads, field: PhantomData }))
    }
}

/// The numbers that kernels compute in.
trait Element: Field + Send + Sync + 'static {
    fn of(x: Scalar) -> Self;
    fn scalar(self) -> Scalar;
}

impl Element for f64 {
    fn of(x: Scalar) -> f64 {
        x.to_f64()
    }
    fn scalar(self) -> Scalar {
        Scalar::Float(self)
    }
}

impl Element for Complex64 {
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
    task: Task,
    dtype: DType,
    count: usize,
    threads: usize,
    field: PhantomData<T>,
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
        self.0 = self.0.wrapping_add(bytes_of::<T>(len));
        list
    }
}

fn bytes_of<T>(len: usize) -> usize {
    (len * size_of::<T>()).next_multiple_of(ALIGNMENT)
}

impl<T: Element> Linalg<T> {
    fn scratch_bytes(&self) -> usize {
        let (task, work) = (&self.task, self.task.work());
        let field = task.operands().into_iter().chain(task.field()).chain([work.field]).map(bytes_of::<T>);
        let real = [task.real(), work.real].map(bytes_of::<f64>);
        let index = task.index().into_iter().chain([work.index]).map(bytes_of::<usize>);
        field.sum::<usize>() + real.iter().sum::<usize>() + index.sum::<usize>()
    }

    /// Works on matrix `which`.
    ///
    /// # Safety
    /// `which` is below the number of matrices, and no other task writes its results; `scratch` is this task's.
    unsafe fn one(&self, cx: &Cx<'_>, which: usize, scratch: *mut u8) {
        let (task, work, mut carver) = (&self.task, self.task.work(), Carver(scratch));
        let [a_len, b_len] = task.operands();
        let [first_len, second_len] = task.field();
        let [pivots_len, permutation_len] = task.index();
        // SAFETY: the scratch memory has room for all of these lists, of plain numbers; operands and results hold
        // `count` matrices.
        unsafe {
            let operands: [&mut [T]; 2] = [carver.next(a_len), carver.next(b_len)];
            for (i, operand) in operands.iter().enumerate().filter(|(_, o)| !o.is_empty()) {
                let size = self.dtype.size();
                let from = cx.input_ptr(i).add(which * operand.len() * size);
                let to = operand.as_ptr().cast_mut();
                (0..operand.len()).for_each(|k| to.add(k).write(T::of(load(self.dtype, from.add(k * size)))));
            }
            let [a, b] = operands;
            let field: [&mut [T]; 2] = [carver.next(first_len), carver.next(second_len)];
            let real: &mut [f64] = carver.next(task.real());
            let index: [&mut [usize]; 2] = [carver.next(pivots_len), carver.next(permutation_len)];
            let work = (carver.next(work.field), carver.next(work.real), carver.next(work.index));
            let ([first, second], [pivots, permutation]) = (field, index);
            task.run(Buffers {
                operands: [a, b],
                field: [&mut *first, &mut *second],
                real: &mut *real,
                index: [&mut *pivots, &mut *permutation],
                work,
            });
            let number = |i: usize, list: &[T]| self.write(cx, i, which, self.dtype, list, |x| x.scalar());
            let reals =
                |i: usize| self.write(cx, i, which, self.dtype.real(), real, |x: f64| Scalar::Float(x));
            let indices = |i: usize, list: &[usize]| {
                self.write(cx, i, which, DType::I32, list, |x| Scalar::Int(x as i128))
            };
            match task.factorisation {
                Factorisation::Cholesky { .. }
                | Factorisation::TriangularSolve(_)
                | Factorisation::HouseholderProduct { .. } => number(0, first),
                Factorisation::Qr { .. } | Factorisation::Geqrf => (number(0, first), number(1, second)).0,
                Factorisation::Lu => (number(0, first), indices(1, pivots), indices(2, permutation)).0,
                Factorisation::Eigh { .. } => (reals(0), number(1, first)).0,
                Factorisation::Svd { .. } => (number(0, first), reals(1), number(2, second)).0,
            }
        }
    }

    /// Rounds a list to its place in a result.
    ///
    /// # Safety
    /// Result `i` holds lists of this length and element type, of which this task writes list `which`.
    unsafe fn write<E: Copy>(
        &self,
        cx: &Cx<'_>,
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
}

impl<T: Element> OpKernel for Linalg<T> {
    fn needs(&self) -> Needs {
        Needs {
            scratch_bytes: self.scratch_bytes() * self.threads.min(self.count.max(1)),
            in_place: Vec::new(),
        }
    }

    fn run(&self, cx: &mut Cx<'_>) -> Result<(), RunError> {
        let each = MATRIX_NANOSECONDS + self.task.flops().saturating_mul(FLOP_PICOSECONDS) / 1_000;
        let nanoseconds = (self.count as u64).saturating_mul(each);
        let body = |cx: &Cx<'_>, range: Range<usize>, scratch: *mut u8| {
            // SAFETY: a matrix's results are written by the task that has it alone.
            range.for_each(|which| unsafe { self.one(cx, which, scratch) });
        };
        // SAFETY: results of a matrix are written by the range that has it alone.
        unsafe { threads::for_ranges(cx, self.scratch_bytes(), nanoseconds, self.count, 1, body) };
        Ok(())
    }
}
