//! Merges the halves of a tridiagonal or bidiagonal matrix: deflation, roots, and products with bases. A vector of a basis often lies in
//! one half only. See J. J. M. Cuppen, 1981; M. Gu and S. C. Eisenstat, 1995; F. Tisseur and J. Dongarra, 1999.

use super::secular::Secular;
use super::sweep::{WHOLE, rotation};
use super::threads::{SharedList, Threads};
use crate::number::Real;
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

/// Below this order, no work is shared.
pub(super) const ALONE: usize = 96;

/// Subtrees of up to this order are solved by one task.
pub(super) const SUBTREE: usize = 128;

/// Number of roots that a task finds.
pub(super) const ROOTS: usize = 32;

/// Number of columns that a task packs.
const PACKED: usize = 64;

/// The kinds of columns: which halves of a column of a basis are not zero.
pub(super) const UPPER: usize = 0;
pub(super) const BOTH: usize = 1;
pub(super) const LOWER: usize = 2;

/// Returns the threads that work on a matrix of this order.
pub(super) fn workers(n: usize, on: Threads<'_>) -> Threads<'_> {
    if n < ALONE { on.alone() } else { on }
}

/// Returns how many times a matrix is halved until each of its parts is solved by a single task.
fn shared_levels(n: usize) -> u32 {
    n.div_ceil(SUBTREE).next_power_of_two().trailing_zeros()
}

/// Calls `body` for ranges of `each` numbers below `count`.
pub(super) fn by_ranges(
    count: usize,
    each: usize,
    on: Threads<'_>,
    body: &(dyn Fn(usize, Range<usize>) + Sync),
) {
    let task = |task: usize| body(task, task * each..count.min((task + 1) * each));
    match count.div_ceil(each) {
        0 => {}
        1 => task(0),
        tasks => on.run(tasks, &task),
    }
}

/// Solves the subtrees that are left after some halvings, each as a task. `solve` is called with the number of halvings and the index of a
/// subtree. Returns the number of halvings, or `None` if a subtree was not solved.
pub(super) fn by_subtrees(
    n: usize,
    on: Threads<'_>,
    solve: &(dyn Fn(u32, usize) -> bool + Sync),
) -> Option<u32> {
    let (levels, done) = (shared_levels(n), AtomicBool::new(true));
    by_ranges(1 << levels, 1, on, &|task, _| {
        if !solve(levels, task) {
            done.store(false, Ordering::Relaxed);
        }
    });
    done.into_inner().then_some(levels)
}

/// Columns of a matrix in which some rows hold a basis: upper rows, in some cases one in the middle, and lower rows.
pub(super) struct Basis<'a, R> {
    pub(super) columns: &'a mut [R],
    pub(super) stride: usize,
    pub(super) top: usize,
    pub(super) rows: [usize; 3],
}

impl<R: Real> Basis<'_, R> {
    pub(super) fn height(&self) -> usize {
        self.rows.iter().sum()
    }

    pub(super) fn column(&mut self, which: usize) -> &mut [R] {
        let (first, height) = (which * self.stride + self.top, self.height());
        &mut self.columns[first..first + height]
    }

    /// Writes the zeros of a column, which are not stored before.
    pub(super) fn complete(&mut self, which: usize, kind: usize) {
        let [upper, middle, _] = self.rows;
        match kind {
            UPPER => self.column(which)[upper..].fill(R::ZERO),
            LOWER => self.column(which)[..upper + middle].fill(R::ZERO),
            _ => {}
        }
    }

    /// Replaces columns a and b, of the given kinds, by `c a + s b` and `c b - s a`.
    pub(super) fn rotate(&mut self, on: Threads<'_>, [a, b]: [usize; 2], kinds: [usize; 2], [c, s]: [R; 2]) {
        self.complete(a, kinds[0]);
        self.complete(b, kinds[1]);
        let (low, high) = (a.min(b), a.max(b));
        let (height, stride) = (self.height(), self.stride);
        let (left, right) = self.columns[self.top..].split_at_mut(high * stride);
        let (x, y) = (&mut left[low * stride..][..height], &mut right[..height]);
        let s = if a < b { s } else { -s };
        on.wide(
            #[inline(always)]
            || {
                for (x, y) in x.iter_mut().zip(y) {
                    (*x, *y) = (c * *x + s * *y, c * *y - s * *x);
                }
            },
        );
    }
}

/// The columns of a basis, sorted: first those whose vectors enter the product, by their kinds, then those that remain.
pub(super) struct Slots<'a> {
    /// The kind of each column.
    pub(super) kinds: &'a mut [usize],
    /// Columns in ascending order of their values; later the columns that enter the product, and from the end those that remain.
    pub(super) order: &'a mut [usize],
    /// The slots of the columns that enter the product, in that order.
    pub(super) ascending: &'a mut [usize],
    /// The column of each slot.
    pub(super) source: &'a mut [usize],
    /// For each kind, the number of columns that enter the product.
    pub(super) counts: [usize; 3],
}

/// Returns the size below which parts of a matrix with these values and elements of z are ignored: a few units of rounding of the largest,
/// or less than one unit of the whole matrix, whose norm is near one (Gu and Eisenstat).
pub(super) fn tolerance<R: Real>(d: &[R], z: &[R]) -> R {
    let largest = d.iter().chain(z).fold(R::ZERO, |m, x| m.larger(x.abs()));
    (R::real(4.0) * largest).larger(R::real(WHOLE)) * R::EPSILON
}

/// Writes the indices of values in ascending order of the values.
pub(super) fn sorted<R: Real>(d: &[R], order: &mut [usize]) {
    order.iter_mut().enumerate().for_each(|(i, to)| *to = i);
    order.sort_unstable_by(|&a, &b| d[a].order(&d[b]).then(a.cmp(&b)));
}

/// Splits a list into `N` lists of equal length.
pub(super) fn parts<T, const N: usize>(list: &mut [T]) -> [&mut [T]; N] {
    let len = list.len() / N;
    let mut lists = list.chunks_exact_mut(len.max(1));
    std::array::from_fn(|_| lists.next().unwrap_or_default())
}

impl Slots<'_> {
    /// Number of columns that enter the product.
    pub(super) fn survivors(&self) -> usize {
        self.counts.iter().sum()
    }

    /// Sorts the columns by their values, and moves `pinned` to the front if there is one.
    pub(super) fn sort<R: Real>(&mut self, d: &[R], pinned: Option<usize>) {
        sorted(d, self.order);
        if let Some(at) = self.order.iter().position(|&i| Some(i) == pinned) {
            self.order[..=at].rotate_right(1);
        }
    }

    /// Writes values, elements of z and their squares to the slots of the product, and values to the other slots.
    pub(super) fn distribute<R: Real>(
        &self,
        d: &[R],
        z: &[R],
        [poles, slot_z, weights, values]: [&mut [R]; 4],
    ) {
        let k = self.survivors();
        for (slot, &column) in self.source.iter().enumerate() {
            if slot < k {
                (poles[slot], slot_z[slot], weights[slot]) = (d[column], z[column], z[column] * z[column]);
            } else {
                values[slot] = d[column];
            }
        }
    }

    /// Leaves out columns without weight, and rotates two columns of nearly equal values so that one has no weight (J. Dongarra and D.
    /// Sorensen, 1987). Ignores elements of z up to `small`, and elements of the matrix up to `element`. The first `pinned` columns are not
    /// changed.
    pub(super) fn deflate<R: Real>(
        &mut self,
        d: &mut [R],
        z: &mut [R],
        [small, element]: [R; 2],
        pinned: usize,
        mut rotate: impl FnMut([usize; 2], [usize; 2], [R; 2]),
    ) {
        let (mut kept, mut left) = (pinned, 0);
        let n = d.len();
        self.source[..pinned].copy_from_slice(&self.order[..pinned]);
        for at in pinned..n {
            let i = self.order[at];
            if z[i].abs() <= small {
                left += 1;
                self.source[n - left] = i;
                continue;
            }
            if kept > pinned {
                let p = self.source[kept - 1];
                let gap = d[i] - d[p];
                // The rotation creates an element of the matrix, which is the gap times sine and cosine.
                if gap.abs() * (z[i] * z[p]).abs() <= element * (z[i] * z[i] + z[p] * z[p]) {
                    let (c, s, r) = rotation(z[i], z[p]);
                    rotate([i, p], [self.kinds[i], self.kinds[p]], [c, s]);
                    if self.kinds[i] != self.kinds[p] {
                        (self.kinds[i], self.kinds[p]) = (BOTH, BOTH);
                    }
                    (z[i], z[p]) = (r, R::ZERO);
                    (d[i], d[p]) = (d[i] - gap * s * s, d[p] + gap * s * s);
                    self.source[kept - 1] = i;
                    left += 1;
                    self.source[n - left] = p;
                    continue;
                }
            }
            self.source[kept] = i;
            kept += 1;
        }
        self.order.copy_from_slice(self.source);
        self.group(kept);
    }

    /// Assigns slots to the columns that enter the product, by their kinds.
    fn group(&mut self, kept: usize) {
        self.counts = [0; 3];
        self.order[..kept].iter().for_each(|&column| self.counts[self.kinds[column]] += 1);
        let mut next = [0, self.counts[UPPER], self.counts[UPPER] + self.counts[BOTH]];
        for (at, &column) in self.order[..kept].iter().enumerate() {
            let slot = &mut next[self.kinds[column]];
            self.ascending[at] = *slot;
            self.source[*slot] = column;
            *slot += 1;
        }
    }
}

/// Computes the roots, the differences between the poles and the roots (in the columns of `s`), and the elements of z for which the roots
/// are exact (Gu and Eisenstat), with the signs of `z`.
pub(super) fn roots<R: Real>(
    secular: &Secular<'_, R>,
    roots: &mut [R],
    s: &mut [R],
    products: &mut [R],
    z: &mut [R],
    on: Threads<'_>,
) {
    let k = roots.len();
    let used = k.div_ceil(ROOTS) * k;
    let (roots, s, shared) =
        (SharedList::new(roots), SharedList::new(s), SharedList::new(&mut products[..used]));
    by_ranges(k, ROOTS, on, &|task, range| {
        // SAFETY: each task has its own range of roots.
        let (roots, columns, products) = unsafe {
            (
                roots.part(range.clone()),
                s.part(range.start * k..range.end * k),
                shared.part(task * k..(task + 1) * k),
            )
        };
        on.wide(
            #[inline(always)]
            || secular.roots(range.start, roots, columns, products),
        );
    });
    on.wide(
        #[inline(always)]
        || {
            let (first, others) = products[..used].split_at_mut(k);
            for other in others.chunks_exact(k) {
                for (x, &y) in first.iter_mut().zip(other) {
                    *x *= y;
                }
            }
            for (z, product) in z.iter_mut().zip(first) {
                let root = product.abs().sqrt();
                *z = if *z < R::ZERO { -root } else { root };
            }
        },
    );
}

/// Maximum padding of a column. It keeps the distance between columns from being a multiple of a large power of two, because caches cannot
/// hold such columns together.
pub(super) const PADDING: usize = 32;

/// Distance from one packed column to the next.
fn padded(rows: usize) -> usize {
    let even = rows.next_multiple_of(8);
    if even.is_multiple_of(64) { even + 8 } else { even }
}

/// A basis, divided as the product needs it: the upper rows of columns that have them, the lower rows, and the whole columns that remain.
pub(super) struct Packed<'a, R> {
    upper: &'a [R],
    lower: &'a [R],
    remaining: &'a [R],
    /// Distances from one column to the next in the upper and in the lower part.
    strides: [usize; 2],
    counts: [usize; 3],
}

impl<R> Packed<'_, R> {
    /// Returns the first slot of vectors that lie in both halves.
    pub(super) fn first_of_both(&self) -> usize {
        self.counts[UPPER]
    }
}

/// Divides a basis as the product needs it.
pub(super) fn pack<'a, R: Real>(
    basis: &Basis<'_, R>,
    slots: &Slots<'_>,
    memory: &'a mut [R],
    on: Threads<'_>,
) -> Packed<'a, R> {
    let ([n1, middle, n2], [k1, both, k2], k) = (basis.rows, slots.counts, slots.survivors());
    let (count, height) = (slots.order.len(), basis.height());
    let strides = [padded(n1), padded(n2)];
    let (upper, memory) = memory.split_at_mut(strides[0] * (k1 + both));
    let (lower, memory) = memory.split_at_mut(strides[1] * (both + k2));
    let remaining = &mut memory[..height * (count - k)];
    let (up, low, rest) = (SharedList::new(upper), SharedList::new(lower), SharedList::new(remaining));
    by_ranges(count, PACKED, on, &|_, range| {
        for slot in range {
            let column = slots.source[slot];
            let from = &basis.columns[column * basis.stride + basis.top..][..height];
            // SAFETY: each slot has its own columns.
            let part = |list: &SharedList<'_, R>, first: usize, from: &[R]| unsafe {
                list.part(first..first + from.len()).copy_from_slice(from)
            };
            if slot >= k {
                // SAFETY: each slot has its own column.
                let to = unsafe { rest.part((slot - k) * height..(slot - k + 1) * height) };
                copy(from, to, slots.kinds[column], basis.rows);
                continue;
            }
            if slot < k1 + both {
                part(&up, slot * strides[0], &from[..n1]);
            }
            if slot >= k1 {
                part(&low, (slot - k1) * strides[1], &from[n1 + middle..]);
            }
        }
    });
    Packed { upper, lower, remaining, strides, counts: slots.counts }
}

/// Copies a column and writes its zeros, which are not stored.
fn copy<R: Real>(from: &[R], to: &mut [R], kind: usize, [upper, middle, _]: [usize; 3]) {
    let used = match kind {
        UPPER => 0..upper,
        LOWER => upper + middle..from.len(),
        _ => 0..from.len(),
    };
    to[..used.start].fill(R::ZERO);
    to[used.end..].fill(R::ZERO);
    to[used.clone()].copy_from_slice(&from[used]);
}

/// Where products are written: the columns of a basis. Each task has its own columns.
pub(super) struct Destination<'a, R> {
    columns: SharedList<'a, R>,
    stride: usize,
    top: usize,
    rows: [usize; 3],
}

impl<'a, R: Real> Destination<'a, R> {
    pub(super) fn new(basis: &'a mut Basis<'_, R>) -> Self {
        let Basis { ref mut columns, stride, top, rows } = *basis;
        Destination { columns: SharedList::new(columns), stride, top, rows }
    }

    /// Writes a range of columns: the basis times the columns `s`. If there is a row in the middle, only the first column of kind `BOTH` is
    /// nonzero there.
    ///
    /// # Safety
    /// No other task uses these columns.
    pub(super) unsafe fn multiply(&self, range: Range<usize>, packed: &Packed<'_, R>, s: &[R]) {
        let ([n1, middle, n2], [k1, both, k2]) = (self.rows, packed.counts);
        let (k, width, stride) = (k1 + both + k2, range.len(), self.stride);
        // SAFETY: the caller's promise.
        let columns = unsafe { self.columns.part(range.start * stride..range.end * stride) };
        let s = MatRef::from_column_major_slice(s, k, width);
        let product = |to: &mut [R], rows: usize, (basis, step): (&[R], usize), s: MatRef<'_, R>| {
            let to = MatMut::from_column_major_slice_with_stride_mut(to, rows, width, stride);
            let basis = MatRef::from_column_major_slice_with_stride(basis, rows, s.nrows(), step);
            matmul(to, Accum::Replace, basis, s, R::ONE, Par::Seq);
        };
        product(&mut columns[self.top..], n1, (packed.upper, packed.strides[0]), s.get(..k1 + both, ..));
        product(
            &mut columns[self.top + n1 + middle..],
            n2,
            (packed.lower, packed.strides[1]),
            s.get(k1.., ..),
        );
        if middle > 0 {
            (0..width).for_each(|j| columns[j * stride + self.top + n1] = s[(k1, j)]);
        }
    }

    /// Writes the columns that remain, after those of the product.
    ///
    /// # Safety
    /// No task uses these columns.
    pub(super) unsafe fn finish(&self, packed: &Packed<'_, R>) {
        let (k, height) = (packed.counts.iter().sum::<usize>(), self.rows.iter().sum::<usize>());
        for (at, from) in packed.remaining.chunks_exact(height).enumerate() {
            let first = (k + at) * self.stride + self.top;
            // SAFETY: the caller's promise.
            unsafe { self.columns.part(first..first + height) }.copy_from_slice(from);
        }
    }
}

/// Returns the number of columns of vectors that a task computes.
pub(super) fn block(k: usize) -> usize {
    (k / 4).next_multiple_of(32).clamp(64, 256)
}

/// Permutes the columns of matrices so that column i becomes the former column `source[i]`. Overwrites `source`.
pub(super) fn permute<R: Real>(matrices: &mut [&mut [R]], n: usize, source: &mut [usize], spare: &mut [R]) {
    for start in 0..n {
        if source[start] == start {
            continue;
        }
        for matrix in &mut *matrices {
            spare[..n].copy_from_slice(&matrix[start * n..(start + 1) * n]);
            let mut to = start;
            while source[to] != start {
                let from = source[to];
                matrix.copy_within(from * n..(from + 1) * n, to * n);
                to = from;
            }
            matrix[to * n..(to + 1) * n].copy_from_slice(&spare[..n]);
        }
        let mut at = start;
        while source[at] != at {
            let next = std::mem::replace(&mut source[at], at);
            at = next;
        }
    }
}
