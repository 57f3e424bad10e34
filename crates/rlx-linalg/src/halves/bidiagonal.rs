//! Computes singular values and vectors of bidiagonal matrices by divide and conquer. See M. Gu and S. C. Eisenstat, "A divide-and-conquer
//! algorithm for the bidiagonal SVD", 1995. A row in the middle couples the rows above it, which have one more column than rows, to the
//! rows below it, which also do unless they are the last.

use super::merge::{
    BOTH, Basis, Destination, LOWER, PADDING, Packed, ROOTS, Slots, UPPER, block, by_ranges, by_subtrees,
    pack, parts, permute, roots, sorted, tolerance, workers,
};
use super::secular::{Secular, normalize, vector};
use super::sweep::{self, identity, rotation};
use super::threads::{SharedList, Threads};
use super::tridiagonal::contiguous;
use super::{Work, scale};
use crate::number::Real;
use faer::MatMut;

/// Maximum number of rows that are not divided further, chosen so that their columns are at most [`sweep::LEAF`].
const LEAF: usize = sweep::LEAF - 1;

/// Number of lists of numbers whose length is the order.
const REALS: usize = 6;

/// Number of lists of indices whose length is the order.
const INDICES: usize = 4;

/// Returns how many numbers and indices of working memory a matrix of order n needs.
pub(in super::super) fn lengths(n: usize) -> [usize; 2] {
    [n * (3 * n + 2 * PADDING + n / ROOTS + 1 + REALS), INDICES * n]
}

/// All data of a matrix. Each of its parts owns a part of every list.
struct Tree<'a, R> {
    on: Threads<'a>,
    n: usize,
    d: SharedList<'a, R>,
    e: SharedList<'a, R>,
    u: SharedList<'a, R>,
    v: SharedList<'a, R>,
    s: SharedList<'a, R>,
    packed: [SharedList<'a, R>; 2],
    products: SharedList<'a, R>,
    reals: SharedList<'a, R>,
    indices: SharedList<'a, usize>,
}

/// Some rows of the matrix, and the data that belongs to them.
struct Part<'a, R> {
    d: &'a mut [R],
    e: &'a mut [R],
    u: Basis<'a, R>,
    v: Basis<'a, R>,
    s: &'a mut [R],
    packed: [&'a mut [R]; 2],
    products: &'a mut [R],
    reals: &'a mut [R],
    indices: &'a mut [usize],
}

/// Number of rows above the one in the middle.
fn above(count: usize) -> usize {
    (count - 1) / 2
}

impl<'a, R: Real> Tree<'a, R> {
    fn new(
        d: &'a mut [R],
        e: &'a mut [R],
        [u, v]: [&'a mut [R]; 2],
        work: Work<'a, R>,
        on: Threads<'a>,
    ) -> Self {
        let n = d.len();
        let [reals, indices] = lengths(n);
        let (s, rest) = work.reals[..reals].split_at_mut(n * n);
        let (left, rest) = rest.split_at_mut(n * (n + PADDING));
        let (right, rest) = rest.split_at_mut(n * (n + PADDING));
        let (products, reals) = rest.split_at_mut(n * (n / ROOTS + 1));
        Tree {
            on,
            n,
            d: SharedList::new(d),
            e: SharedList::new(e),
            u: SharedList::new(u),
            v: SharedList::new(v),
            s: SharedList::new(s),
            packed: [SharedList::new(left), SharedList::new(right)],
            products: SharedList::new(products),
            reals: SharedList::new(reals),
            indices: SharedList::new(&mut work.indices[..indices]),
        }
    }

    /// Returns the data of some rows, and of one more column unless the rows are the last.
    ///
    /// # Safety
    /// No part that is in use includes one of the rows.
    unsafe fn part(&self, first: usize, count: usize) -> Part<'_, R> {
        let (n, last, half) = (self.n, first + count, above(count));
        let (each, wide, end) = (n / ROOTS + 1, n + PADDING, (last + 1).min(n));
        let (lower, below) = (count - 1 - half, end - first - 1 - half);
        // SAFETY: the data of different rows does not overlap, nor do the columns, because parts are at least a row apart.
        unsafe {
            let u = self.u.part(first * n..last * n);
            let v = self.v.part(first * n..end * n);
            Part {
                d: self.d.part(first..last),
                e: self.e.part(first..last.min(n - 1)),
                u: Basis { columns: u, stride: n, top: first, rows: [half, 1, lower] },
                v: Basis { columns: v, stride: n, top: first, rows: [half + 1, 0, below] },
                s: self.s.part(first * n..last * n),
                packed: [
                    self.packed[0].part(first * wide..last * wide),
                    self.packed[1].part(first * wide..end * wide),
                ],
                products: self.products.part(first * each..last * each),
                reals: self.reals.part(first * REALS..last * REALS),
                indices: self.indices.part(first * INDICES..last * INDICES),
            }
        }
    }

    /// Computes singular values and vectors of some rows on one thread.
    ///
    /// # Safety
    /// No part that is in use includes one of the rows or the column after them.
    unsafe fn solve(&self, first: usize, count: usize) -> bool {
        // SAFETY: the caller's promise; the parts of the halves are released before the whole part is taken.
        unsafe {
            if count <= LEAF {
                return leaf(&mut self.part(first, count), self.on);
            }
            let half = above(count);
            if !self.solve(first, half) || !self.solve(first + half + 1, count - half - 1) {
                return false;
            }
            merge(&mut self.part(first, count), self.on.alone());
        }
        true
    }

    /// Computes singular values and vectors of subtree number `task` of the rows that are left after `levels` divisions.
    ///
    /// # Safety
    /// No part that is in use includes one of these rows or the column after them.
    unsafe fn solve_task(&self, levels: u32, task: usize) -> bool {
        let (mut first, mut count) = (0, self.n);
        for level in (0..levels).rev() {
            let half = above(count);
            let upper = task >> level & 1 == 0;
            (first, count) = if upper { (first, half) } else { (first + half + 1, count - half - 1) };
        }
        // SAFETY: the caller's promise.
        unsafe { self.solve(first, count) }
    }

    /// Merges what single tasks have computed.
    fn join(&self, first: usize, count: usize, levels: u32, on: Threads<'_>) {
        if levels == 0 {
            return;
        }
        let half = above(count);
        self.join(first, half, levels - 1, on);
        self.join(first + half + 1, count - half - 1, levels - 1, on);
        // SAFETY: the tasks have ended, and no part is in use.
        unsafe { merge(&mut self.part(first, count), on) };
    }
}

/// Computes singular values and vectors of a few rows.
fn leaf<R: Real>(part: &mut Part<'_, R>, on: Threads<'_>) -> bool {
    let (mut u, mut v) = (identity(), identity());
    let done = on.wide(
        #[inline(always)]
        || sweep::bidiagonal(part.d, part.e, [&mut u, &mut v]),
    );
    for (basis, from) in [(&mut part.u, &u), (&mut part.v, &v)] {
        let count = basis.columns.len() / basis.stride;
        for (j, from) in from[..count].iter().enumerate() {
            let to = basis.column(j);
            let height = to.len();
            to.copy_from_slice(&from[..height]);
        }
    }
    done
}

/// Expresses the row in the middle in terms of the right vectors, as a list z; the pole of its own element is zero. The null vectors of the
/// halves are combined into one that this row meets and one that it does not.
fn middle_row<R: Real>(part: &mut Part<'_, R>, z: &mut [R], on: Threads<'_>) {
    let (count, half) = (part.d.len(), above(part.d.len()));
    let (a, b) = (part.d[half], part.e[half]);
    for (j, z) in z.iter_mut().enumerate() {
        let column = part.v.column(j);
        *z = if j <= half { a * column[half] } else { b * column[half + 1] };
    }
    let more = part.v.columns.len() > count * part.v.stride;
    let below = if more { b * part.v.column(count)[half + 1] } else { R::ZERO };
    let (c, s, r) = rotation(z[half], below);
    if more {
        part.v.rotate(on, [half, count], [UPPER, LOWER], [c, s]);
    } else {
        part.v.complete(half, UPPER);
        part.v.column(half).iter_mut().for_each(|x| *x *= c);
    }
    (z[half], part.d[half]) = (r, R::ZERO);
    part.u.column(half).fill(R::ZERO);
}

/// Rotates those elements of z whose values are nearly zero into the element of the row in the middle. That element is kept from becoming
/// equally small.
fn deflate_zeros<R: Real>(
    part: &mut Part<'_, R>,
    z: &mut [R],
    kinds: &mut [usize],
    tolerance: R,
    on: Threads<'_>,
) {
    let half = above(part.d.len());
    for i in (0..z.len()).filter(|&i| i != half) {
        if part.d[i] > tolerance || z[i].abs() <= tolerance {
            continue;
        }
        let (c, s, r) = rotation(z[half], z[i]);
        part.v.rotate(on, [half, i], [BOTH, kinds[i]], [c, s]);
        part.u.complete(i, kinds[i]);
        (z[half], z[i]) = (r, R::ZERO);
        (part.d[i], kinds[i]) = (R::ZERO, BOTH);
    }
    z[half] = z[half].larger(tolerance);
}

/// Merges the rows above and below the one in the middle.
fn merge<R: Real>(part: &mut Part<'_, R>, on: Threads<'_>) {
    let (n, half) = (part.d.len(), above(part.d.len()));
    let reals = std::mem::take(&mut part.reals);
    let [z, poles, weights, values, slot_z, factors] = parts(reals);
    let [kinds, order, ascending, source] = parts(std::mem::take(&mut part.indices));
    middle_row(part, z, on);
    for (j, kind) in kinds.iter_mut().enumerate() {
        *kind = if j < half { UPPER } else { LOWER };
    }
    kinds[half] = BOTH;
    let element = tolerance(part.d, z);
    deflate_zeros(part, z, kinds, element, on);
    let mut slots = Slots { kinds, order, ascending, source, counts: [0; 3] };
    slots.sort(part.d, Some(half));
    slots.deflate(part.d, z, [element, element], 1, |columns, kinds, rotation| {
        part.u.rotate(on, columns, kinds, rotation);
        part.v.rotate(on, columns, kinds, rotation);
    });
    let k = slots.survivors();
    slots.distribute(part.d, z, [&mut *poles, &mut *slot_z, &mut *weights, &mut *values]);
    let (poles, weights, slot_z) = (&poles[..k], &weights[..k], &mut slot_z[..k]);
    let secular =
        Secular { poles, weights, ascending: &slots.ascending[..k], constant: R::ONE, squared: true };
    roots(&secular, &mut values[..k], &mut part.s[..k * k], part.products, slot_z, on);
    part.d[..n].copy_from_slice(values);
    let [left, right] = &mut part.packed;
    let packed = [pack(&part.u, &slots, left, on), pack(&part.v, &slots, right, on)];
    let destinations = [Destination::new(&mut part.u), Destination::new(&mut part.v)];
    vectors(&destinations, &packed, [poles, slot_z], [&mut part.s[..k * k], &mut factors[..k]], on);
    // SAFETY: the tasks have ended.
    unsafe {
        destinations[0].finish(&packed[0]);
        destinations[1].finish(&packed[1]);
    }
}

/// Multiplies the bases by the vectors expressed in them. Right vectors are `zᵢ / (pᵢ² - σ²)`; left vectors are the same times the poles,
/// and -1 for the pole at zero. All are scaled to length one (Gu and Eisenstat).
fn vectors<R: Real>(
    destinations: &[Destination<'_, R>; 2],
    packed: &[Packed<'_, R>; 2],
    [poles, z]: [&[R]; 2],
    [s, factors]: [&mut [R]; 2],
    on: Threads<'_>,
) {
    let (k, zero) = (poles.len(), packed[0].first_of_both());
    let (s, factors) = (SharedList::new(s), SharedList::new(factors));
    by_ranges(k, block(k), on, &|_, range| {
        // SAFETY: each task has its own columns.
        let (s, factors) = unsafe { (s.part(range.start * k..range.end * k), factors.part(range.clone())) };
        on.wide(
            #[inline(always)]
            || {
                for (column, to) in s.chunks_exact_mut(k).zip(&mut *factors) {
                    *to = vector(z, column);
                }
            },
        );
        // SAFETY: as above.
        unsafe { destinations[1].multiply(range.clone(), &packed[1], s) };
        on.wide(
            #[inline(always)]
            || {
                for (column, &factor) in s.chunks_exact_mut(k).zip(&*factors) {
                    for (x, &pole) in column.iter_mut().zip(poles) {
                        *x *= pole;
                    }
                    column[zero] = -factor;
                    normalize(column);
                }
            },
        );
        // SAFETY: the same.
        unsafe { destinations[0].multiply(range, &packed[0], s) };
    });
}

/// Computes the singular values of the square matrix with this diagonal and these elements above it, in descending order and in place of
/// the diagonal, and the left and right singular vectors as the columns of `u` and `v`, which are contiguous. Returns false if an element
/// is not finite or the iteration did not converge; then the contents of all of them are unspecified.
pub(in super::super) fn singular<R: Real>(
    diagonal: &mut [R],
    superdiagonal: &mut [R],
    u: MatMut<'_, R>,
    v: MatMut<'_, R>,
    work: Work<'_, R>,
    on: Threads<'_>,
) -> bool {
    let n = diagonal.len();
    assert!([u.nrows(), u.ncols(), v.nrows(), v.ncols()] == [n; 4] && superdiagonal.len() + 1 == n.max(1));
    if n == 0 {
        return true;
    }
    let Some(factor) = scale(diagonal.iter().chain(&*superdiagonal)) else { return false };
    let factor = R::real(factor);
    diagonal.iter_mut().chain(&mut *superdiagonal).for_each(|x| *x *= factor);
    let (u, v) = (contiguous(u), contiguous(v));
    if diagonal.iter().chain(&*superdiagonal).all(|&x| x == R::ZERO) {
        for matrix in [u, v] {
            matrix.fill(R::ZERO);
            matrix.iter_mut().step_by(n + 1).for_each(|x| *x = R::ONE);
        }
        return true;
    }
    let Work { reals, indices } = work;
    let tree_work = Work { reals: &mut *reals, indices: &mut *indices };
    let tree = Tree::new(diagonal, superdiagonal, [&mut *u, &mut *v], tree_work, on);
    let on = workers(n, on);
    // SAFETY: each task has its own rows, and other rows lie between them.
    let Some(levels) = by_subtrees(n, on, &|levels, task| unsafe { tree.solve_task(levels, task) }) else {
        return false;
    };
    tree.join(0, n, levels, on);
    let (order, spare) = (&mut indices[..n], &mut reals[..n]);
    sorted(diagonal, order);
    order.reverse();
    spare.iter_mut().zip(&*order).for_each(|(to, &i)| *to = diagonal[i] / factor);
    diagonal.copy_from_slice(spare);
    permute(&mut [u, v], n, order, spare);
    diagonal.iter().all(|x| x.is_finite())
}
