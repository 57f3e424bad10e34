//! Eigenvalues and singular values of complex matrices, which `faer` reduces to few diagonals. Eigenvalues are then found by its divide and
//! conquer. A bidiagonal matrix is made real with diagonal matrices of phases, and its singular values are found as those of real matrices.
//! (`faer` 0.24's own divide and conquer of bidiagonal matrices has errors of a millionth for matrices as ordinary as permutations.)

use super::{is_tall, list, multiply, reflectors_scratch, request, with_work};
use crate::halves::{self, Threads, Work as HalvesWork};
use crate::number::Number;
use crate::qr;
use faer::diag::DiagMut;
use faer::dyn_stack::{MemStack, StackReq};
use faer::linalg::evd::{
    ComputeEigenvectors, SelfAdjointEvdParams, self_adjoint_evd, self_adjoint_evd_scratch,
};
use faer::linalg::householder::{
    apply_block_householder_sequence_on_the_left_in_place_scratch as sequence_scratch,
    apply_block_householder_sequence_on_the_left_in_place_with_conj as apply_sequence,
};
use faer::linalg::qr::no_pivoting::factor::recommended_block_size;
use faer::linalg::svd::bidiag::{bidiag_in_place, bidiag_in_place_scratch};
use faer::prelude::*;
use faer::{Conj, MatMut, MatRef, Par, Spec, c64};
use rlx_driver::LINE;
use rlx_pool::Pool;
use rlx_simd::isa::Cpu;

/// Up to this order, a tridiagonal matrix is solved by sweeps of rotations rather than by merging halves. The errors of `faer`'s rotations
/// grow with their number, to tens of units of rounding at the order of 128 that it sweeps by default.
const SWEPT: usize = 8;

/// Returns the parameters for finding eigenvalues.
fn eigenvalues<T: Number>() -> Spec<SelfAdjointEvdParams, T> {
    let mut options = Spec::<SelfAdjointEvdParams, T>::default();
    options.recursion_threshold = SWEPT;
    options
}

pub(super) fn eigh_scratch<T: Number>(n: usize) -> StackReq {
    if n == 0 {
        return StackReq::EMPTY;
    }
    self_adjoint_evd_scratch::<T>(n, ComputeEigenvectors::Yes, Par::Seq, eigenvalues::<T>())
}

pub(super) fn eigh<T: Number>(
    _: (Cpu, &Pool),
    a: &mut [T],
    n: usize,
    (values, vectors): (&mut [T], &mut [T]),
    stack: &mut MemStack,
) -> bool {
    self_adjoint_evd::<T>(
        MatRef::from_column_major_slice(a, n, n),
        DiagMut::from_slice_mut(values),
        Some(MatMut::from_column_major_slice_mut(vectors, n, n)),
        Par::Seq,
        stack,
        eigenvalues::<T>(),
    )
    .is_ok()
}

/// Returns the working memory that [`svd`] needs for matrices of this size.
pub(super) fn svd_scratch<T: Number>(m: usize, n: usize, full: bool) -> StackReq {
    let (m, n, adjoint) = if m < n { (n, m, m * n) } else { (m, n, 0) };
    if n == 0 {
        return StackReq::EMPTY;
    }
    let rows = if is_tall(m, n) { n } else { m };
    let (block, columns) = (recommended_block_size::<T>(rows, n), if full { m } else { n });
    let [reals, indices] = halves::bidiagonal::lengths(n);
    StackReq::all_of(&[
        request::<T>(adjoint),
        request::<T>(rows * n),
        request::<T>(block * n),
        request::<T>(block * n),
        StackReq::all_of(&[request::<T>(n); 3]),
        StackReq::all_of(&[request::<f64>(n); 2]),
        StackReq::all_of(&[request::<f64>(n * n); 2]),
        StackReq::any_of(&[
            bidiag_in_place_scratch::<T>(rows, n, Par::Seq, Spec::default()),
            request::<f64>(reals).and(request::<usize>(indices)),
            sequence_scratch::<T>(rows, block, columns),
            reflectors_scratch::<T>(m, columns),
        ]),
    ])
}

/// See [`Spectrum::singular_values`](super::Spectrum::singular_values).
pub(super) fn svd(
    on: (Cpu, &Pool),
    a: &mut [c64],
    [m, n]: [usize; 2],
    (u, s, v): (&mut [c64], &mut [c64], &mut [c64]),
    mut stack: &mut MemStack,
) -> bool {
    if m >= n {
        return of_tall(on, a, [m, n], (u, s, v), stack);
    }
    let mut adjoint = list!(stack, c64, m * n);
    for (j, column) in a.chunks_exact(m.max(1)).enumerate() {
        column.iter().enumerate().for_each(|(i, x)| adjoint[i * n + j] = x.conj());
    }
    of_tall(on, &mut adjoint, [n, m], (v, s, u), stack)
}

/// Writes the diagonal and the elements above it as real numbers, and the phases that turn the real matrix into the given one: `B = L |B|
/// Rᴴ`.
fn phases(bidiagonal: MatRef<'_, c64>, [d, e]: [&mut [f64]; 2], [left, right]: [&mut [c64]; 2]) {
    let phase = |x: c64| {
        let norm = x.re.hypot(x.im);
        if norm == 0.0 { (0.0, c64::ONE) } else { (norm, c64::new(x.re / norm, x.im / norm)) }
    };
    let mut turned = c64::ONE;
    for k in 0..d.len() {
        right[k] = turned;
        (d[k], left[k]) = phase(bidiagonal[(k, k)] * turned);
        if k + 1 < d.len() {
            let above;
            (e[k], above) = phase(left[k].conj() * bidiagonal[(k, k + 1)]);
            turned = above.conj();
        }
    }
}

/// Writes an `n × n` real matrix, with rows multiplied by phases, to the upper left corner of the identity, whose columns have `rows`
/// elements.
fn write(real: &[f64], phases: &[c64], to: &mut [c64], rows: usize) {
    let n = phases.len();
    to.fill(c64::ZERO);
    for (j, column) in to.chunks_exact_mut(rows).enumerate() {
        match real.get(j * n..(j + 1) * n) {
            Some(from) => {
                for ((to, &x), &phase) in column.iter_mut().zip(from).zip(phases) {
                    *to = phase.scaled(x);
                }
            }
            None => column[j] = c64::ONE,
        }
    }
}

/// [`svd`] of a matrix that has at least as many rows as columns.
fn of_tall(
    on: (Cpu, &Pool),
    a: &mut [c64],
    [m, n]: [usize; 2],
    (u, s, v): (&mut [c64], &mut [c64], &mut [c64]),
    mut stack: &mut MemStack,
) -> bool {
    if n == 0 {
        write(&[], &[], u, m.max(1));
        return true;
    }
    let tall = is_tall(m, n);
    let rows = if tall { n } else { m };
    let block = recommended_block_size::<c64>(rows, n);
    let mut full = list!(stack, c64, rows * n);
    let (mut left_blocks, mut right_blocks) = (list!(stack, c64, block * n), list!(stack, c64, block * n));
    let (mut left, mut right, mut taus) = (list!(stack, c64, n), list!(stack, c64, n), list!(stack, c64, n));
    let (mut d, mut e) = (list!(stack, f64, n), list!(stack, f64, n));
    let (mut real_u, mut real_v) = (list!(stack, f64, n * n), list!(stack, f64, n * n));
    if tall {
        let a = MatMut::from_column_major_slice_mut(a, m, n);
        with_work(on.1, [m, n], stack, |work| qr::factorize(a, &mut taus, work));
    }
    for j in 0..n {
        let len = if tall { j + 1 } else { m };
        full[j * rows..][..len].copy_from_slice(&a[j * m..][..len]);
    }
    let mut full = MatMut::from_column_major_slice_mut(&mut full, rows, n);
    let mut left_blocks = MatMut::from_column_major_slice_mut(&mut left_blocks, block, n);
    let right_blocks = &mut right_blocks[..block * (n - 1)];
    let mut right_blocks = MatMut::from_column_major_slice_mut(right_blocks, block, n - 1);
    let (h, g) = (left_blocks.rb_mut(), right_blocks.rb_mut());
    bidiag_in_place(full.rb_mut(), h, g, Par::Seq, stack, Spec::default());
    phases(full.rb(), [&mut d, &mut e], [&mut left, &mut right]);
    {
        let mut stack = &mut *stack;
        let [reals, indices] = halves::bidiagonal::lengths(n);
        let (mut reals, mut indices) = (list!(stack, f64, reals), list!(stack, usize, indices));
        let _ = stack;
        let work = HalvesWork { reals: &mut reals, indices: &mut indices };
        let [u, v] = [&mut *real_u, &mut *real_v].map(|list| MatMut::from_column_major_slice_mut(list, n, n));
        if !halves::bidiagonal::singular(&mut d, &mut e[..n - 1], u, v, work, Threads::new(on)) {
            return false;
        }
    }
    s.iter_mut().zip(&*d).for_each(|(to, &x)| *to = c64::new(x, 0.0));
    write(&real_u, &left, u, m);
    write(&real_v, &right, v, n);
    let columns = u.len() / m;
    let mut u = MatMut::from_column_major_slice_mut(u, m, columns);
    let reflected = u.rb_mut().get_mut(..rows, ..if tall { n } else { columns });
    apply_sequence(full.rb(), left_blocks.rb(), Conj::No, reflected, Par::Seq, stack);
    if tall {
        multiply(on.1, MatRef::from_column_major_slice(&*a, m, n), &taus, u, stack);
    }
    if n > 1 {
        // Reflectors of rows are stored in rows but applied as columns.
        for j in 1..n {
            (0..j).for_each(|i| full[(j, i)] = full[(i, j)]);
        }
        let v = MatMut::from_column_major_slice_mut(v, n, n).get_mut(1.., ..);
        apply_sequence(full.rb().get(1..n, ..n - 1), right_blocks.rb(), Conj::Yes, v, Par::Seq, stack);
    }
    true
}
