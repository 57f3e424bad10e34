//! Products of vectors with columns of a matrix, which are most of the work of reductions to few diagonals.
//!
//! Columns are padded: they begin at multiples of [`PAD`] elements, and the elements after their ends are finite. Vectors have the same
//! length, with zeros where they have no element, so that loops run over whole groups of `PAD` rows.

use crate::number::Real;
use rlx_simd::simd::{Kernel, Simd, Vector};
use std::ops::Range;

/// Number of rows that are processed together; no vector has more lanes.
pub(in super::super) const PAD: usize = 16;

/// Number of columns that are read together.
const TOGETHER: usize = 4;

/// Returns the length of padded columns of `n` elements.
pub(in super::super) fn padded(n: usize) -> usize {
    n.next_multiple_of(PAD)
}

/// Padded columns that are `stride` elements apart.
pub(super) struct Columns<'a, R> {
    data: &'a [R],
    stride: usize,
}

impl<R> Clone for Columns<'_, R> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<R> Copy for Columns<'_, R> {}

impl<'a, R> Columns<'a, R> {
    pub(super) fn new(data: &'a [R], stride: usize) -> Columns<'a, R> {
        assert!(stride.is_multiple_of(PAD) && stride > 0, "columns must be padded");
        Columns { data, stride }
    }

    /// Returns the elements of a column in these rows.
    #[inline(always)]
    pub(super) fn column(self, j: usize) -> &'a [R] {
        &self.data[j * self.stride..][..self.stride]
    }

    #[inline(always)]
    fn some<const C: usize>(self, first: usize) -> [&'a [R]; C] {
        std::array::from_fn(|c| self.column(first + c))
    }
}

/// Returns the rows starting at `first`, widened to whole groups.
#[inline(always)]
fn groups(first: usize, stride: usize) -> Range<usize> {
    first / PAD * PAD..stride
}

/// Returns vectors that each contain one number in every lane.
#[inline(always)]
fn splats<R: Real, S: Simd, const C: usize>(token: S, numbers: [R; C]) -> [R::Vector<S>; C] {
    let mut vectors = [R::Vector::<S>::splat(token, R::ZERO); C];
    let mut c = 0;
    while c < C {
        vectors[c] = R::Vector::<S>::splat(token, numbers[c]);
        c += 1;
    }
    vectors
}

/// Computes `Σᵢ aᵢ xᵢ` of each column over these rows, which are whole groups.
#[inline(always)]
fn dot<R: Real, S: Simd, const C: usize>(token: S, a: [&[R]; C], x: &[R], rows: Range<usize>) -> [R; C] {
    assert!(rows.end <= x.len() && a.iter().all(|a| rows.end <= a.len()) && rows.end.is_multiple_of(PAD));
    assert!(rows.start.is_multiple_of(PAD));
    let lanes = R::Vector::<S>::LANES;
    let mut sums = [[R::Vector::<S>::splat(token, R::ZERO); 2]; C];
    let mut i = rows.start;
    while i < rows.end {
        let mut at = 0;
        while at < PAD {
            // SAFETY: groups are whole and end within the lists.
            unsafe {
                let x = R::Vector::<S>::load(token, x.as_ptr().add(i + at));
                let mut c = 0;
                while c < C {
                    let half = (at / lanes) % 2;
                    let a = R::Vector::<S>::load(token, a[c].as_ptr().add(i + at));
                    sums[c][half] = a.mul_add(x, sums[c][half]);
                    c += 1;
                }
            }
            at += lanes;
        }
        i += PAD;
    }
    let mut out = [R::ZERO; C];
    let mut c = 0;
    while c < C {
        out[c] = (sums[c][0] + sums[c][1]).sum_lanes();
        c += 1;
    }
    out
}

/// Computes `y += Σ aⱼ fⱼ` in these rows, which are whole groups.
#[inline(always)]
fn add<R: Real, S: Simd, const C: usize>(
    token: S,
    a: [&[R]; C],
    factors: [R; C],
    y: &mut [R],
    rows: Range<usize>,
) {
    assert!(rows.end <= y.len() && a.iter().all(|a| rows.end <= a.len()) && rows.end.is_multiple_of(PAD));
    assert!(rows.start.is_multiple_of(PAD));
    let lanes = R::Vector::<S>::LANES;
    let factor = splats::<R, S, C>(token, factors);
    let mut i = rows.start;
    while i < rows.end {
        // SAFETY: groups are whole, and end within the lists.
        unsafe {
            let mut sum = R::Vector::<S>::load(token, y.as_ptr().add(i));
            let mut c = 0;
            while c < C {
                sum = R::Vector::<S>::load(token, a[c].as_ptr().add(i)).mul_add(factor[c], sum);
                c += 1;
            }
            sum.store(y.as_mut_ptr().add(i));
        }
        i += lanes;
    }
}

/// [`add`] and [`dot`] in one pass over the columns.
#[inline(always)]
fn add_dot<R: Real, S: Simd, const C: usize>(
    token: S,
    a: [&[R]; C],
    (factors, y): ([R; C], &mut [R]),
    x: &[R],
    rows: Range<usize>,
) -> [R; C] {
    assert!(rows.end <= y.len() && a.iter().all(|a| rows.end <= a.len()) && rows.end.is_multiple_of(PAD));
    assert!(rows.start.is_multiple_of(PAD) && rows.end <= x.len());
    let lanes = R::Vector::<S>::LANES;
    let factor = splats::<R, S, C>(token, factors);
    let mut sums = splats::<R, S, C>(token, [R::ZERO; C]);
    let mut i = rows.start;
    while i < rows.end {
        // SAFETY: groups are whole, and end within the lists.
        unsafe {
            let mut sum = R::Vector::<S>::load(token, y.as_ptr().add(i));
            let x = R::Vector::<S>::load(token, x.as_ptr().add(i));
            let mut c = 0;
            while c < C {
                let a = R::Vector::<S>::load(token, a[c].as_ptr().add(i));
                sum = a.mul_add(factor[c], sum);
                sums[c] = a.mul_add(x, sums[c]);
                c += 1;
            }
            sum.store(y.as_mut_ptr().add(i));
        }
        i += lanes;
    }
    let mut out = [R::ZERO; C];
    let mut c = 0;
    while c < C {
        out[c] = sums[c].sum_lanes();
        c += 1;
    }
    out
}

/// Computes `out[j] = Σᵢ a[i, j] x[i]` for some columns, over the rows starting at `first`.
pub(super) struct Dots<'a, R> {
    pub(super) a: Columns<'a, R>,
    pub(super) columns: Range<usize>,
    pub(super) first: usize,
    pub(super) x: &'a [R],
    pub(super) out: &'a mut [R],
}

impl<R: Real> Kernel for Dots<'_, R> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self, token: S) {
        let rows = groups(self.first, self.a.stride);
        let mut j = self.columns.start;
        while j + TOGETHER <= self.columns.end {
            let sums = dot::<R, S, TOGETHER>(token, self.a.some(j), self.x, rows.clone());
            self.out[j..j + TOGETHER].copy_from_slice(&sums);
            j += TOGETHER;
        }
        while j < self.columns.end {
            let [sum] = dot::<R, S, 1>(token, self.a.some(j), self.x, rows.clone());
            self.out[j] = sum;
            j += 1;
        }
    }
}

/// Computes `y[i] += Σⱼ a[i, j] factors[j]` over some columns, in the rows starting at `first`. Earlier rows may be overwritten and must
/// not be used.
pub(super) struct Add<'a, R> {
    pub(super) a: Columns<'a, R>,
    pub(super) columns: Range<usize>,
    pub(super) first: usize,
    pub(super) factors: &'a [R],
    pub(super) y: &'a mut [R],
}

impl<R: Real> Kernel for Add<'_, R> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self, token: S) {
        let rows = groups(self.first, self.a.stride);
        let mut j = self.columns.start;
        while j + TOGETHER <= self.columns.end {
            let f = std::array::from_fn(|c| self.factors[j + c]);
            add::<R, S, TOGETHER>(token, self.a.some(j), f, self.y, rows.clone());
            j += TOGETHER;
        }
        while j < self.columns.end {
            add::<R, S, 1>(token, self.a.some(j), [self.factors[j]], self.y, rows.clone());
            j += 1;
        }
    }
}

/// Computes what some columns, starting at a whole group, add to the product of a symmetric matrix and a vector. In groups of rows at the
/// diagonal both triangles are read, in the others only the lower one.
pub(super) struct Symmetric<'a, R> {
    pub(super) a: Columns<'a, R>,
    pub(super) columns: Range<usize>,
    pub(super) x: &'a [R],
    pub(super) y: &'a mut [R],
}

impl<R: Real> Kernel for Symmetric<'_, R> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self, token: S) {
        let mut j = self.columns.start;
        while j + TOGETHER <= self.columns.end {
            symmetric::<R, S, TOGETHER>(token, self.a, j, self.x, self.y);
            j += TOGETHER;
        }
        while j < self.columns.end {
            symmetric::<R, S, 1>(token, self.a, j, self.x, self.y);
            j += 1;
        }
    }
}

#[inline(always)]
fn symmetric<R: Real, S: Simd, const C: usize>(token: S, a: Columns<'_, R>, j: usize, x: &[R], y: &mut [R]) {
    let columns = a.some::<C>(j);
    let factors = std::array::from_fn(|c| x[j + c]);
    let diagonal = j / PAD * PAD;
    add::<R, S, C>(token, columns, factors, y, diagonal..diagonal + PAD);
    let sums = add_dot::<R, S, C>(token, columns, (factors, &mut *y), x, diagonal + PAD..a.stride);
    let mut c = 0;
    while c < C {
        y[j + c] += sums[c];
        c += 1;
    }
}

/// Computes both products of a step of bidiagonalization in one pass over the columns of a matrix: for each column j, with `y[j] = τ (Σᵢ
/// a[i, j] u[i] - less[j])` and `s[j] = a[k, j] - row[j] - y[j]`, the sum `x += a[., j] s[j]`.
///
/// (Howell, Demmel, Fulton, Hammarling and Marmol, "Cache efficient bidiagonalization using BLAS 2.5 operators", 2008.)
pub(super) struct BothProducts<'a, R> {
    pub(super) a: Columns<'a, R>,
    pub(super) columns: Range<usize>,
    pub(super) k: usize,
    pub(super) u: &'a [R],
    pub(super) tau: R,
    pub(super) less: &'a [R],
    pub(super) row: &'a [R],
    /// Starts at the first of the columns.
    pub(super) y: &'a mut [R],
    /// Starts at the first of the columns.
    pub(super) s: &'a mut [R],
    pub(super) x: &'a mut [R],
}

impl<R: Real> Kernel for BothProducts<'_, R> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(mut self, token: S) {
        let mut j = self.columns.start;
        while j + TOGETHER <= self.columns.end {
            self.some::<S, TOGETHER>(token, j);
            j += TOGETHER;
        }
        while j < self.columns.end {
            self.some::<S, 1>(token, j);
            j += 1;
        }
    }
}

impl<R: Real> BothProducts<'_, R> {
    #[inline(always)]
    fn some<S: Simd, const C: usize>(&mut self, token: S, j: usize) {
        let rows = groups(self.k, self.a.stride);
        let columns = self.a.some::<C>(j);
        let sums = dot::<R, S, C>(token, columns, self.u, rows.clone());
        let mut s = [R::ZERO; C];
        let mut c = 0;
        while c < C {
            let y = self.tau * (sums[c] - self.less[j + c]);
            s[c] = columns[c][self.k] - self.row[j + c] - y;
            let at = j + c - self.columns.start;
            (self.y[at], self.s[at]) = (y, s[c]);
            c += 1;
        }
        add::<R, S, C>(token, columns, s, self.x, rows);
    }
}
