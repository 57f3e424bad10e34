//! Eigenvalues and singular values of real matrices, on all threads. Matrices are reduced in panels and solved by halves, and the vectors
//! are multiplied by the reflectors of the reduction.

use super::{is_tall, list, multiply, reflectors_scratch, request, with_work};
use crate::halves::{self, Threads, Work as HalvesWork};
use crate::number::Real;
use crate::qr;
use crate::reduction::{PAD, bidiagonal, padded, tridiagonal};
use faer::dyn_stack::{MemStack, StackReq};
use faer::{MatMut, MatRef};
use rlx_driver::LINE;
use rlx_pool::Pool;
use rlx_simd::isa::Cpu;

/// Returns the working memory that [`eigh`] needs for matrices of this order.
pub(super) fn eigh_scratch<R: Real>(n: usize) -> StackReq {
    let [reals, indices] = halves::tridiagonal::lengths(n);
    let solved = request::<R>(reals).and(request::<usize>(indices));
    StackReq::all_of(&[
        request::<R>(padded(n) * n),
        request::<R>(n),
        request::<R>(n),
        StackReq::any_of(&[request::<R>(tridiagonal::work_len(n)), solved, reflectors_scratch::<R>(n, n)]),
    ])
}

/// See [`Spectrum::eigenvalues`](super::Spectrum::eigenvalues).
pub(super) fn eigh<R: Real>(
    on: (Cpu, &Pool),
    a: &mut [R],
    n: usize,
    (values, vectors): (&mut [R], &mut [R]),
    mut stack: &mut MemStack,
) -> bool {
    let stride = padded(n);
    let mut full = list!(stack, R, stride * n);
    let (mut off, mut taus) = (list!(stack, R, n), list!(stack, R, n));
    for (j, column) in a.chunks_exact(n).enumerate() {
        full[j * stride..][j..n].copy_from_slice(&column[j..]);
        for (i, &x) in (j..n.min(j / PAD * PAD + PAD)).zip(&column[j..]) {
            full[i * stride + j] = x;
        }
    }
    {
        let mut stack = &mut *stack;
        let mut work = list!(stack, R, tridiagonal::work_len(n));
        let _ = stack;
        tridiagonal::reduce(on, &mut full, n, (values, &mut off, &mut taus), &mut work);
    }
    let mut vectors = MatMut::from_column_major_slice_mut(vectors, n, n);
    {
        let mut stack = &mut *stack;
        let [reals, indices] = halves::tridiagonal::lengths(n);
        let (mut reals, mut indices) = (list!(stack, R, reals), list!(stack, usize, indices));
        let _ = stack;
        let work = HalvesWork { reals: &mut reals, indices: &mut indices };
        if !halves::tridiagonal::eigen(values, &mut off[..n - 1], vectors.as_mut(), work, Threads::new(on)) {
            return false;
        }
    }
    let packed = MatRef::from_column_major_slice_with_stride(&full, n, n, stride).get(1.., ..n - 1);
    multiply(on.1, packed, &taus[..n - 1], vectors.get_mut(1.., ..), stack);
    true
}

/// Returns the working memory that [`svd`] needs for matrices of this size.
pub(super) fn svd_scratch<R: Real>(m: usize, n: usize, full: bool) -> StackReq {
    let (m, n, transposed) = if m < n { (n, m, m * n) } else { (m, n, 0) };
    let [reals, indices] = halves::bidiagonal::lengths(n);
    let solved = request::<R>(reals).and(request::<usize>(indices));
    let rows = if is_tall(m, n) { n } else { m };
    StackReq::all_of(&[
        request::<R>(transposed),
        request::<R>(padded(rows) * n),
        request::<R>(n * n),
        StackReq::all_of(&[request::<R>(n); 4]),
        request::<R>(if m == n { 0 } else { n * n }),
        StackReq::any_of(&[
            request::<R>(bidiagonal::work_len(rows, n)),
            solved,
            reflectors_scratch::<R>(m, if full { m } else { n }),
        ]),
    ])
}

/// See [`Spectrum::singular_values`](super::Spectrum::singular_values).
pub(super) fn svd<R: Real>(
    on: (Cpu, &Pool),
    a: &mut [R],
    [m, n]: [usize; 2],
    (u, s, v): (&mut [R], &mut [R], &mut [R]),
    mut stack: &mut MemStack,
) -> bool {
    if m >= n {
        return of_tall(on, a, [m, n], (u, s, v), stack);
    }
    let mut transposed = list!(stack, R, m * n);
    MatMut::from_column_major_slice_mut(&mut transposed, n, m)
        .copy_from(MatRef::from_column_major_slice(&*a, m, n).transpose());
    of_tall(on, &mut transposed, [n, m], (v, s, u), stack)
}

/// [`svd`] of a matrix that has at least as many rows as columns.
fn of_tall<R: Real>(
    on: (Cpu, &Pool),
    a: &mut [R],
    [m, n]: [usize; 2],
    (u, s, v): (&mut [R], &mut [R], &mut [R]),
    mut stack: &mut MemStack,
) -> bool {
    if n == 0 {
        complete(&[], n, u, m);
        return true;
    }
    let tall = is_tall(m, n);
    let rows = if tall { n } else { m };
    let stride = padded(rows);
    let mut full = list!(stack, R, stride * n);
    let mut right = list!(stack, R, n * n);
    let (mut off, mut taus) = (list!(stack, R, n), list!(stack, R, n));
    let (mut left_taus, mut right_taus) = (list!(stack, R, n), list!(stack, R, n));
    let mut square = list!(stack, R, if m == n { 0 } else { n * n });
    if tall {
        let a = MatMut::from_column_major_slice_mut(a, m, n);
        with_work(on.1, [m, n], stack, |work| qr::factorize(a, &mut taus, work));
    }
    for j in 0..n {
        let len = if tall { j + 1 } else { m };
        full[j * stride..][..len].copy_from_slice(&a[j * m..][..len]);
    }
    {
        let mut stack = &mut *stack;
        let mut work = list!(stack, R, bidiagonal::work_len(rows, n));
        let _ = stack;
        let taus: [&mut [R]; 2] = [&mut left_taus, &mut right_taus];
        bidiagonal::reduce(on, (&mut full, &mut right), [rows, n], (s, &mut off), taus, &mut work);
    }
    let mut v = MatMut::from_column_major_slice_mut(v, n, n);
    let behind = n - 1;
    {
        let mut stack = &mut *stack;
        let [reals, indices] = halves::bidiagonal::lengths(n);
        let (mut reals, mut indices) = (list!(stack, R, reals), list!(stack, usize, indices));
        let _ = stack;
        let work = HalvesWork { reals: &mut reals, indices: &mut indices };
        let u = MatMut::from_column_major_slice_mut(if m == n { &mut *u } else { &mut square }, n, n);
        if !halves::bidiagonal::singular(s, &mut off[..behind], u, v.as_mut(), work, Threads::new(on)) {
            return false;
        }
    }
    if m > n {
        complete(&square, n, u, m);
    }
    let left = u.len().checked_div(m).unwrap_or(0);
    let mut u = MatMut::from_column_major_slice_mut(u, m, left);
    let packed = MatRef::from_column_major_slice_with_stride(&full, rows, n, stride);
    let columns = if tall { n } else { left };
    multiply(on.1, packed, &left_taus, u.as_mut().get_mut(..rows, ..columns), stack);
    if tall {
        multiply(on.1, MatRef::from_column_major_slice(&*a, m, n), &taus, u, stack);
    }
    let packed = MatRef::from_column_major_slice(&right, n, n).get(1.., ..behind);
    multiply(on.1, packed, &right_taus[..behind], v.get_mut(1.., ..), stack);
    true
}

/// Writes the `n × n` matrix `square` to the upper left corner of the identity, whose columns have `m` elements.
fn complete<R: Real>(square: &[R], n: usize, u: &mut [R], m: usize) {
    u.fill(R::ZERO);
    for (j, column) in u.chunks_exact_mut(m.max(1)).enumerate() {
        match square.get(j * n..(j + 1) * n).filter(|_| j < n) {
            Some(from) => column[..n].copy_from_slice(from),
            None => column[j] = R::ONE,
        }
    }
}
