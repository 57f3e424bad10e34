//! Factorizations with the blocked algorithms of `rlx-linalg`. They run in the precision of the element type (`f32`, `f64` and complex
//! numbers of two `f64`); narrower floats are computed in `f32`, and complex numbers of two `f32` in `f64`. The matrices of a batch are
//! divided among threads, and so is a single large matrix.

use super::elements::{Elements, read, read_transposed, write, write_transposed};
use super::{Batch, Carver, Matrices, OneMatrix, bytes_of};
use crate::exec::{LaunchContext, OpKernel};
use crate::isa::Cpu;
use crate::pool::Pool;
use rlx_elementwise::numbers::store;
use rlx_ir::DType;
use rlx_ir::eval::Scalar;
use rlx_ir::math::linalg::{Factorization, Task, Transpose, TriangularSolve};
use rlx_linalg::{PANEL, Triangle, Work, c64};
use std::marker::PhantomData;
use std::mem::MaybeUninit;

/// Prepares the kernel; returns `None` if its working memory cannot be addressed.
pub(super) fn kernel(batch: Batch) -> Option<Box<dyn OpKernel>> {
    if is_plain(batch.task.factorization) {
        return super::plain::kernel(batch);
    }
    match batch.dtype {
        DType::F64 => of::<f64>(batch),
        dtype if dtype.is_complex() => of::<c64>(batch),
        _ => of::<f32>(batch),
    }
}

/// Returns whether the factorization has no blocked algorithm here.
fn is_plain(factorization: Factorization) -> bool {
    matches!(
        factorization,
        Factorization::TridiagonalSolve | Factorization::Geqp3 | Factorization::Eig { .. }
    )
}

fn of<T: Elements>(batch: Batch) -> Option<Box<dyn OpKernel>> {
    let lists = Lists::of::<T>(&batch.task)?;
    Matrices::kernel(batch, lists.task_bytes, Blocked::<T> { lists, number: PhantomData })
}

/// Numbers of elements in the lists of a thread.
#[derive(Clone, Copy, Debug)]
struct Lists {
    numbers: [usize; 6],
    indices: [usize; 2],
    /// Size of the working memory in bytes.
    stack: usize,
    task_bytes: usize,
}

impl Lists {
    /// Returns `None` if they cannot be addressed.
    fn of<T: Elements>(task: &Task) -> Option<Lists> {
        let &Task { m, n, factorization } = task;
        // If the square of the sizes fits many times over, nothing that is computed below overflows.
        m.max(n).max(PANEL).checked_pow(2)?.checked_mul(64 * size_of::<T>())?;
        let least = m.min(n);
        let (numbers, indices, stack) = match factorization {
            Factorization::Cholesky { .. } => ([n * n, 0, 0, 0, 0, 0], [0, 0], T::cholesky_bytes(n)),
            Factorization::TriangularSolve(TriangularSolve { left_side, .. }) => {
                let order = if left_side { m } else { n };
                ([order * order, m * n, 0, 0, 0, 0], [0, 0], 0)
            }
            Factorization::Lu => ([m * n, 0, 0, 0, 0, 0], [least, m], 0),
            Factorization::Qr { .. } | Factorization::Geqrf | Factorization::HouseholderProduct { .. } => {
                let (taus, q) = match factorization {
                    Factorization::Qr { full_matrices: true } => (least, m),
                    Factorization::Qr { full_matrices: false } => (least, least),
                    Factorization::HouseholderProduct { reflectors } => (reflectors, n),
                    _ => (least, 0),
                };
                let [v, products, s] = Work::<T>::lengths(m, n.max(q));
                ([m * n, taus, m * q, v, products, s], [0, 0], 0)
            }
            Factorization::TridiagonalSolve | Factorization::Geqp3 | Factorization::Eig { .. } => {
                ([0; 6], [0, 0], 0)
            }
            Factorization::Eigh { .. } => ([n * n, n, n * n, 0, 0, 0], [0, 0], T::eigh_bytes(n)),
            Factorization::Svd { full_matrices } => {
                let (left, right) = if full_matrices { (m, n) } else { (least, least) };
                let stack = T::svd_bytes([m, n], full_matrices);
                ([m * n, least, m * left, n * right, 0, 0], [0, 0], stack)
            }
        };
        let bytes = numbers.map(bytes_of::<T>).into_iter().chain(indices.map(bytes_of::<usize>));
        let task_bytes =
            bytes.chain([bytes_of::<u8>(stack)]).try_fold(0usize, |sum, bytes| sum.checked_add(bytes?))?;
        Some(Lists { numbers, indices, stack, task_bytes })
    }
}

struct Blocked<T> {
    lists: Lists,
    number: PhantomData<T>,
}

/// The lists of a thread.
struct Scratch<'a, T> {
    numbers: [&'a mut [T]; 6],
    indices: [&'a mut [usize]; 2],
    stack: &'a mut [MaybeUninit<u8>],
}

impl<T: Elements> OneMatrix for Blocked<T> {
    const FLOP_PICOSECONDS: u64 = 100;
    const MATRIX_NANOSECONDS: u64 = 1_000;

    unsafe fn one(&self, batch: &Batch, cx: &LaunchContext<'_>, which: usize, scratch: *mut u8) {
        let mut carver = Carver(scratch);
        // SAFETY: the plan gave a thread memory for these lists, of plain numbers.
        let scratch = unsafe {
            Scratch {
                numbers: self.lists.numbers.map(|len| carver.next::<T>(len)),
                indices: self.lists.indices.map(|len| carver.next::<usize>(len)),
                stack: carver.next::<MaybeUninit<u8>>(self.lists.stack),
            }
        };
        let Batch { task: Task { m, n, factorization }, dtype, .. } = *batch;
        let place = MatrixSlot { cx, which, dtype };
        // SAFETY: operands and results hold matrices of these sizes, including matrix `which`, and only this task writes there.
        unsafe {
            match factorization {
                Factorization::Cholesky { lower } => cholesky(place, n, lower, scratch),
                Factorization::TriangularSolve(options) => triangular(place, [m, n], options, scratch),
                Factorization::Lu => lower_upper(place, [m, n], scratch),
                Factorization::Qr { .. }
                | Factorization::Geqrf
                | Factorization::HouseholderProduct { .. } => {
                    reflectors(place, [m, n], factorization, scratch)
                }
                Factorization::Eigh { lower } => eigenvalues(place, n, lower, scratch),
                Factorization::Svd { .. } => singular_values(place, [m, n], scratch),
                Factorization::TridiagonalSolve | Factorization::Geqp3 | Factorization::Eig { .. } => {
                    unreachable!("factorizations without a blocked algorithm are plain")
                }
            }
        }
    }
}

/// The operands and results of one matrix.
#[derive(Clone, Copy)]
struct MatrixSlot<'a> {
    cx: &'a LaunchContext<'a>,
    which: usize,
    dtype: DType,
}

impl<'a> MatrixSlot<'a> {
    /// Returns the processor and the pool to compute with.
    fn on(&self) -> (Cpu, &'a Pool) {
        (self.cx.cpu, self.cx.pool)
    }

    /// Returns a pointer to the matrix's part of operand `i`, which has `len` elements.
    fn operand(&self, i: usize, len: usize) -> *const u8 {
        self.cx.input_ptr(i).wrapping_add(self.which * len * self.dtype.size())
    }

    /// Returns a pointer to the matrix's part of result `i`, which has `len` elements of type `dtype`.
    fn result(&self, i: usize, len: usize, dtype: DType) -> *mut u8 {
        self.cx.output_ptr(i).wrapping_add(self.which * len * dtype.size())
    }
}

/// # Safety
/// `place` holds `n × n` matrices, and no other task writes this one's result.
unsafe fn cholesky<T: Elements>(place: MatrixSlot<'_>, n: usize, lower: bool, scratch: Scratch<'_, T>) {
    let [a, ..] = scratch.numbers;
    let (from, to) = (place.operand(0, n * n), place.result(0, n * n, place.dtype));
    // The upper triangle in row-major order is the lower triangle of the conjugate in column-major order; the same is true of the result.
    // SAFETY: the caller's promise.
    unsafe { if lower { read_transposed(place.dtype, from, [n, n], a) } else { read(place.dtype, from, a) } };
    // Only the real part of the diagonal is used.
    a.iter_mut().step_by(n + 1).for_each(|x| *x = T::from_parts(x.parts().0, 0.0));
    let is_definite = T::cholesky(a, n, scratch.stack);
    for (j, column) in a.chunks_exact_mut(n.max(1)).enumerate() {
        column[..j].fill(T::ZERO);
        if !is_definite {
            column[j..].fill(T::nan());
        }
    }
    // SAFETY: the caller's promise.
    unsafe {
        if lower {
            write_transposed(place.dtype, (a, n), [n, n], to, |_, _, x| x);
        } else {
            write(place.dtype, a, to);
        }
    }
}

/// # Safety
/// `place` holds triangular matrices and `m × n` right-hand sides, and no other task writes this one's result.
unsafe fn triangular<T: Elements>(
    place: MatrixSlot<'_>,
    [m, n]: [usize; 2],
    options: TriangularSolve,
    scratch: Scratch<'_, T>,
) {
    let TriangularSolve { left_side, lower, unit_diagonal, transpose } = options;
    let [a, b, ..] = scratch.numbers;
    let order = if left_side { m } else { n };
    // Unknowns with the same index are neighbors: X or, if X op(A) = B, which is op(A)ᵀ Xᵀ = Bᵀ, Xᵀ.
    // SAFETY: the caller's promise.
    unsafe {
        read(place.dtype, place.operand(0, order * order), a);
        let from = place.operand(1, m * n);
        if left_side { read(place.dtype, from, b) } else { read_transposed(place.dtype, from, [m, n], b) }
    }
    let transposed = (transpose == Transpose::No) != left_side;
    let conjugated = transpose == Transpose::Adjoint;
    let triangle = Triangle { lower, unit_diagonal, transposed, conjugated };
    T::solve_triangular(place.cx.pool, a, order, triangle, b);
    let to = place.result(0, m * n, place.dtype);
    // SAFETY: the caller's promise.
    unsafe {
        if left_side {
            write(place.dtype, b, to);
        } else {
            write_transposed(place.dtype, (b, m), [m, n], to, |_, _, x| x);
        }
    }
}

/// # Safety
/// `place` holds `m × n` matrices, and no other task writes this one's results.
unsafe fn lower_upper<T: Elements>(place: MatrixSlot<'_>, [m, n]: [usize; 2], scratch: Scratch<'_, T>) {
    let ([a, ..], [pivots, permutation]) = (scratch.numbers, scratch.indices);
    // SAFETY: the caller's promise.
    unsafe { read_transposed(place.dtype, place.operand(0, m * n), [m, n], a) };
    T::lu(place.cx.pool, a, [m, n], pivots);
    permutation.iter_mut().enumerate().for_each(|(i, row)| *row = i);
    pivots.iter().enumerate().for_each(|(k, &pivot)| permutation.swap(k, pivot));
    // SAFETY: the caller's promise.
    unsafe {
        write_transposed(place.dtype, (a, m), [m, n], place.result(0, m * n, place.dtype), |_, _, x| x);
        for (i, list) in [(1, pivots), (2, permutation)] {
            let to = place.result(i, list.len(), DType::I32);
            for (k, &x) in list.iter().enumerate() {
                store(DType::I32, Scalar::Int(x as i128), to.add(k * size_of::<i32>()));
            }
        }
    }
}

/// Factorizes into reflectors, or multiplies reflectors.
///
/// # Safety
/// `place` holds `m × n` matrices, and no other task writes this one's results.
unsafe fn reflectors<T: Elements>(
    place: MatrixSlot<'_>,
    [m, n]: [usize; 2],
    factorization: Factorization,
    scratch: Scratch<'_, T>,
) {
    let dtype = place.dtype;
    let [a, taus, q, v, products, s] = scratch.numbers;
    let mut work = Work { pool: place.cx.pool, v, products, s };
    // SAFETY: the caller's promise.
    unsafe { read_transposed(dtype, place.operand(0, m * n), [m, n], a) };
    if let Factorization::HouseholderProduct { reflectors } = factorization {
        // SAFETY: the caller's promise; the second operand holds that many factors per matrix.
        unsafe { read(dtype, place.operand(1, reflectors), taus) };
    } else {
        T::qr(a, [m, n], taus, &mut work);
    }
    let columns = q.len().checked_div(m).unwrap_or(0);
    if !matches!(factorization, Factorization::Geqrf) {
        T::product_of_reflectors(a, [m, n], taus, q, &mut work);
    }
    // SAFETY: the caller's promise.
    unsafe {
        if matches!(factorization, Factorization::Geqrf) {
            write_transposed(dtype, (a, m), [m, n], place.result(0, m * n, dtype), |_, _, x| x);
            return write(dtype, taus, place.result(1, taus.len(), dtype));
        }
        write_transposed(dtype, (q, m), [m, columns], place.result(0, m * columns, dtype), |_, _, x| x);
        if let Factorization::Qr { .. } = factorization {
            let upper = |i: usize, j: usize, x: T| if i <= j { x } else { T::ZERO };
            write_transposed(dtype, (a, m), [columns, n], place.result(1, columns * n, dtype), upper);
        }
    }
}

/// # Safety
/// `place` holds `n × n` matrices, and no other task writes this one's results.
unsafe fn eigenvalues<T: Elements>(place: MatrixSlot<'_>, n: usize, lower: bool, scratch: Scratch<'_, T>) {
    let (dtype, [a, values, vectors, ..]) = (place.dtype, scratch.numbers);
    let from = place.operand(0, n * n);
    // The upper triangle in row-major order is the lower triangle of the conjugate in column-major order.
    // SAFETY: the caller's promise.
    unsafe { if lower { read_transposed(dtype, from, [n, n], a) } else { read(dtype, from, a) } };
    T::eigh(place.on(), a, n, (values, vectors), scratch.stack);
    let vector = |_, _, x: T| if lower { x } else { x.conj() };
    // SAFETY: the caller's promise.
    unsafe {
        write_reals(place, 0, values);
        write_transposed(dtype, (vectors, n), [n, n], place.result(1, n * n, dtype), vector);
    }
}

/// # Safety
/// `place` holds `m × n` matrices, and no other task writes this one's results.
unsafe fn singular_values<T: Elements>(place: MatrixSlot<'_>, [m, n]: [usize; 2], scratch: Scratch<'_, T>) {
    let (dtype, [a, s, u, v, ..]) = (place.dtype, scratch.numbers);
    // SAFETY: the caller's promise.
    unsafe { read_transposed(dtype, place.operand(0, m * n), [m, n], a) };
    T::svd(place.on(), a, [m, n], (u, s, v), scratch.stack);
    let left = u.len().checked_div(m).unwrap_or(0);
    // The conjugated columns of V are the rows of Vᴴ.
    v.iter_mut().for_each(|x| *x = x.conj());
    // SAFETY: the caller's promise.
    unsafe {
        write_transposed(dtype, (u, m), [m, left], place.result(0, m * left, dtype), |_, _, x| x);
        write_reals(place, 1, s);
        write(dtype, v, place.result(2, v.len(), dtype));
    }
}

/// Writes real numbers to result `i`.
///
/// # Safety
/// The result holds lists of that many numbers, and no other task writes this one.
unsafe fn write_reals<T: Elements>(place: MatrixSlot<'_>, i: usize, list: &[T]) {
    let dtype = place.dtype.real();
    let to = place.result(i, list.len(), dtype);
    for (k, x) in list.iter().enumerate() {
        // SAFETY: the caller's promise.
        unsafe { store(dtype, Scalar::Float(x.parts().0), to.add(k * dtype.size())) };
    }
}
