//! Computes eigenvalues and eigenvectors of symmetric tridiagonal matrices by divide and conquer. A matrix is split into two tridiagonal
//! matrices on its diagonal plus a matrix of rank one (J. J. M. Cuppen, "A divide and conquer method for the symmetric tridiagonal
//! eigenproblem", 1981). The vectors are orthogonal because they belong exactly to a nearby matrix (M. Gu and S. C. Eisenstat, 1995).

use super::merge::{
    Basis, Destination, LOWER, PADDING, ROOTS, Slots, UPPER, block, by_ranges, by_subtrees, pack, parts,
    permute, roots, sorted, tolerance, workers,
};
use super::secular::{Secular, vector};
use super::sweep::{LEAF, identity, tridiagonal};
use super::threads::{SharedList, Threads};
use super::{Work, scale};
use crate::number::Real;
use faer::MatMut;

/// Number of lists of numbers whose length is the order.
const REALS: usize = 5;

/// Number of lists of indices whose length is the order.
const INDICES: usize = 4;

/// Returns how many numbers and indices of working memory a matrix of order n needs.
pub(in super::super) fn lengths(n: usize) -> [usize; 2] {
    [n * (2 * n + PADDING + n / ROOTS + 1 + REALS), INDICES * n]
}

/// All data of a matrix. Each of its parts owns a part of every list.
struct Tree<'a, R> {
    on: Threads<'a>,
    n: usize,
    d: SharedList<'a, R>,
    e: SharedList<'a, R>,
    vectors: SharedList<'a, R>,
    s: SharedList<'a, R>,
    packed: SharedList<'a, R>,
    products: SharedList<'a, R>,
    reals: SharedList<'a, R>,
    indices: SharedList<'a, usize>,
}

/// Some rows of the matrix, and the data that belongs to them.
struct Part<'a, R> {
    d: &'a mut [R],
    e: &'a mut [R],
    basis: Basis<'a, R>,
    s: &'a mut [R],
    packed: &'a mut [R],
    products: &'a mut [R],
    reals: &'a mut [R],
    indices: &'a mut [usize],
}

impl<'a, R: Real> Tree<'a, R> {
    fn new(d: &'a mut [R], e: &'a mut [R], vectors: &'a mut [R], work: Work<'a, R>, on: Threads<'a>) -> Self {
        let n = d.len();
        let [reals, indices] = lengths(n);
        let (s, rest) = work.reals[..reals].split_at_mut(n * n);
        let (packed, rest) = rest.split_at_mut(n * (n + PADDING));
        let (products, reals) = rest.split_at_mut(n * (n / ROOTS + 1));
        Tree {
            on,
            n,
            d: SharedList::new(d),
            e: SharedList::new(e),
            vectors: SharedList::new(vectors),
            s: SharedList::new(s),
            packed: SharedList::new(packed),
            products: SharedList::new(products),
            reals: SharedList::new(reals),
            indices: SharedList::new(&mut work.indices[..indices]),
        }
    }

    /// Returns the data of some rows.
    ///
    /// # Safety
    /// No part that is in use includes one of the rows.
    unsafe fn part(&self, first: usize, count: usize) -> Part<'_, R> {
        let (n, last) = (self.n, first + count);
        let (each, wide) = (n / ROOTS + 1, n + PADDING);
        // SAFETY: the data of different rows does not overlap.
        unsafe {
            Part {
                d: self.d.part(first..last),
                e: self.e.part(first..last - 1),
                basis: Basis {
                    columns: self.vectors.part(first * n..last * n),
                    stride: n,
                    top: first,
                    rows: [count / 2, 0, count - count / 2],
                },
                s: self.s.part(first * n..last * n),
                packed: self.packed.part(first * wide..last * wide),
                products: self.products.part(first * each..last * each),
                reals: self.reals.part(first * REALS..last * REALS),
                indices: self.indices.part(first * INDICES..last * INDICES),
            }
        }
    }

    /// Returns the coupling of the halves of some rows.
    ///
    /// # Safety
    /// No part that is in use includes all of the rows.
    unsafe fn coupling(&self, first: usize, count: usize) -> R {
        let at = first + count / 2 - 1;
        // SAFETY: the caller's promise.
        unsafe { self.e.part(at..at + 1)[0] }
    }

    /// Subtracts the couplings of the halves, of their halves and so on from the diagonal.
    fn tear(&self, first: usize, count: usize) {
        if count <= LEAF {
            return;
        }
        let middle = first + count / 2;
        // SAFETY: no part is in use.
        unsafe {
            let coupling = self.coupling(first, count).abs();
            self.d.part(middle - 1..middle + 1).iter_mut().for_each(|x| *x -= coupling);
        }
        self.tear(first, count / 2);
        self.tear(middle, count - count / 2);
    }

    /// Computes eigenvalues and vectors of some rows on one thread.
    ///
    /// # Safety
    /// No part that is in use includes one of the rows.
    unsafe fn solve(&self, first: usize, count: usize) -> bool {
        // SAFETY: the caller's promise; the parts of the halves are released before the whole part is taken.
        unsafe {
            if count <= LEAF {
                return leaf(&mut self.part(first, count), self.on);
            }
            let half = count / 2;
            if !self.solve(first, half) || !self.solve(first + half, count - half) {
                return false;
            }
            let coupling = self.coupling(first, count);
            merge(&mut self.part(first, count), coupling, self.on.alone());
        }
        true
    }

    /// Computes eigenvalues and vectors of subtree number `task` of the rows that are left after `levels` halvings.
    ///
    /// # Safety
    /// No part that is in use includes one of these rows.
    unsafe fn solve_task(&self, levels: u32, task: usize) -> bool {
        let (mut first, mut count) = (0, self.n);
        for level in (0..levels).rev() {
            let half = count / 2;
            (first, count) =
                if task >> level & 1 == 0 { (first, half) } else { (first + half, count - half) };
        }
        // SAFETY: the caller's promise.
        unsafe { self.solve(first, count) }
    }

    /// Merges what single tasks have computed.
    fn join(&self, first: usize, count: usize, levels: u32, on: Threads<'_>) {
        if levels == 0 {
            return;
        }
        let half = count / 2;
        self.join(first, half, levels - 1, on);
        self.join(first + half, count - half, levels - 1, on);
        // SAFETY: the tasks have ended, and no part is in use.
        unsafe {
            let coupling = self.coupling(first, count);
            merge(&mut self.part(first, count), coupling, on);
        }
    }
}

/// Computes eigenvalues and vectors of a few rows.
fn leaf<R: Real>(part: &mut Part<'_, R>, on: Threads<'_>) -> bool {
    let mut q = identity();
    let done = on.wide(
        #[inline(always)]
        || tridiagonal(part.d, part.e, &mut q),
    );
    for (j, column) in q[..part.d.len()].iter().enumerate() {
        let height = part.d.len();
        part.basis.column(j).copy_from_slice(&column[..height]);
    }
    done
}

/// Merges two halves with the given coupling. Their eigenvalues D and vectors Q become those of `Q (D + ρ z zᵀ) Qᵀ`, where z consists of
/// the rows of Q next to the coupling.
fn merge<R: Real>(part: &mut Part<'_, R>, coupling: R, on: Threads<'_>) {
    let half = part.d.len() / 2;
    let [z, poles, weights, values, slot_z] = parts(part.reals);
    let [kinds, order, ascending, source] = parts(part.indices);
    let root = std::f64::consts::FRAC_1_SQRT_2;
    let sign = R::real(if coupling < R::ZERO { -root } else { root });
    for (j, z) in z.iter_mut().enumerate() {
        let column = part.basis.column(j);
        *z = if j < half { column[half - 1] * sign.abs() } else { column[half] * sign };
        kinds[j] = if j < half { UPPER } else { LOWER };
    }
    let rho = coupling.abs() * R::real(2.0);
    let mut slots = Slots { kinds, order, ascending, source, counts: [0; 3] };
    slots.sort(part.d, None);
    let element = tolerance(part.d, z);
    let small = if rho > R::ZERO { element / rho } else { R::INFINITY };
    slots.deflate(part.d, z, [small, element], 0, |columns, kinds, rotation| {
        part.basis.rotate(on, columns, kinds, rotation)
    });
    let k = slots.survivors();
    slots.distribute(part.d, z, [&mut *poles, &mut *slot_z, &mut *weights, &mut *values]);
    let (poles, weights, slot_z) = (&poles[..k], &weights[..k], &mut slot_z[..k]);
    if k > 0 {
        let secular = Secular {
            poles,
            weights,
            ascending: &slots.ascending[..k],
            constant: R::ONE / rho,
            squared: false,
        };
        roots(&secular, &mut values[..k], &mut part.s[..k * k], part.products, slot_z, on);
    }
    part.d.copy_from_slice(values);
    let packed = pack(&part.basis, &slots, part.packed, on);
    let destination = Destination::new(&mut part.basis);
    let s = SharedList::new(&mut part.s[..k * k]);
    by_ranges(k, block(k), on, &|_, range| {
        // SAFETY: each task has its own columns.
        let s = unsafe { s.part(range.start * k..range.end * k) };
        on.wide(
            #[inline(always)]
            || {
                for column in s.chunks_exact_mut(k) {
                    vector(slot_z, column);
                }
            },
        );
        // SAFETY: as above.
        unsafe { destination.multiply(range, &packed, s) };
    });
    // SAFETY: the tasks have ended.
    unsafe { destination.finish(&packed) };
}

/// Computes the eigenvalues of the symmetric matrix with this diagonal and these elements next to it, in ascending order and in place of
/// the diagonal, and its eigenvectors as the columns of `vectors`, which is contiguous. Returns false if an element is not finite or the
/// iteration did not converge; then the contents of all of them are unspecified.
pub(in super::super) fn eigen<R: Real>(
    diagonal: &mut [R],
    off: &mut [R],
    vectors: MatMut<'_, R>,
    work: Work<'_, R>,
    on: Threads<'_>,
) -> bool {
    let n = diagonal.len();
    assert!(vectors.nrows() == n && vectors.ncols() == n && off.len() + 1 == n.max(1));
    if n == 0 {
        return true;
    }
    let Some(factor) = scale(diagonal.iter().chain(&*off)) else { return false };
    let factor = R::real(factor);
    diagonal.iter_mut().chain(&mut *off).for_each(|x| *x *= factor);
    let vectors = contiguous(vectors);
    let Work { reals, indices } = work;
    let tree = Tree::new(diagonal, off, vectors, Work { reals: &mut *reals, indices: &mut *indices }, on);
    tree.tear(0, n);
    let on = workers(n, on);
    // SAFETY: each task has its own rows.
    let Some(levels) = by_subtrees(n, on, &|levels, task| unsafe { tree.solve_task(levels, task) }) else {
        return false;
    };
    tree.join(0, n, levels, on);
    let (order, spare) = (&mut indices[..n], &mut reals[..n]);
    sorted(diagonal, order);
    spare.iter_mut().zip(&*order).for_each(|(to, &i)| *to = diagonal[i] / factor);
    diagonal.copy_from_slice(spare);
    permute(&mut [vectors], n, order, spare);
    diagonal.iter().all(|x| x.is_finite())
}

/// Returns the elements of a square matrix that is stored column by column.
pub(super) fn contiguous<R: Real>(matrix: MatMut<'_, R>) -> &mut [R] {
    let n = matrix.nrows();
    assert!(matrix.row_stride() == 1 || n <= 1);
    assert!(matrix.col_stride() == n as isize || n <= 1);
    // SAFETY: the matrix is borrowed exclusively, and its columns follow one another without gaps.
    unsafe { std::slice::from_raw_parts_mut(matrix.as_ptr_mut(), n * matrix.ncols()) }
}
