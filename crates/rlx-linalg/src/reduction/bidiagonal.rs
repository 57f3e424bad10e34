//! Reduces matrices with at least as many rows as columns to upper bidiagonal form.

use super::columns::{Add, BothProducts, Columns, Dots, padded};
use super::{ALONE, BLOCK, STRIPES, stripes};
use crate::number::Real;
use crate::qr::reflector;
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use rlx_pool::{Pool, SharedPtr};
use rlx_simd::isa::Cpu;
use std::ops::Range;

/// Returns the number of columns whose reflectors are applied together to the columns after them.
fn panel(n: usize) -> usize {
    match n {
        0..=96 => 8,
        97..=512 => 16,
        _ => 24,
    }
}

/// Returns the number of elements of the working memory.
pub(in super::super) fn work_len(m: usize, n: usize) -> usize {
    let width = panel(n);
    (2 * width + STRIPES + 1) * padded(m) + (2 * width + 4) * padded(n) + 2 * width
}

/// Computes `A = Q B Pᵀ`. A has padded columns, followed by zeros. On and below the diagonal it is overwritten with the reflectors of Q; in
/// column k of the `n × n` elements of `right`, reflector k of P is stored from row k + 1 on. The diagonal of B and the factors of Q's
/// reflectors have `n` elements; the diagonal above it and the factors of P's reflectors have n - 1.
pub(in super::super) fn reduce<R: Real>(
    (cpu, pool): (Cpu, &Pool),
    (a, right): (&mut [R], &mut [R]),
    [m, n]: [usize; 2],
    (diagonal, off): (&mut [R], &mut [R]),
    [left_taus, right_taus]: [&mut [R]; 2],
    work: &mut [R],
) {
    let (down, across, width) = (padded(m), padded(n), panel(n));
    let (ux, rest) = work.split_at_mut(2 * width * down);
    let (sums, rest) = rest.split_at_mut(STRIPES * down);
    let (x, rest) = rest.split_at_mut(down);
    let (yv, rest) = rest.split_at_mut(2 * width * across);
    let (rows, lists) = rest.split_at_mut(4 * across);
    let mut panel = Panel { cpu, pool, m, n, down, across, width, ux, yv, sums, x, rows, lists };
    for first in (0..n).step_by(width) {
        let last = n.min(first + width);
        for k in first..last {
            (left_taus[k], diagonal[k]) = panel.reflect_column(a, k, k - first);
            if k + 1 < n {
                let reflector = &mut right[k * n..][k + 1..n];
                (right_taus[k], off[k]) = panel.reflect_row(a, k, k - first, left_taus[k], reflector);
            }
        }
        if last < n {
            panel.update(a, last..n);
        }
    }
}

/// The reflectors of columns, U, and of rows, V, that are applied together, and the matching Y and X: A becomes `A - U Yᵀ - X Vᵀ`.
struct Panel<'a, R> {
    cpu: Cpu,
    pool: &'a Pool,
    m: usize,
    n: usize,
    /// Elements from one column of `m` rows to the next.
    down: usize,
    /// Elements from one column of `n` rows to the next.
    across: usize,
    width: usize,
    /// U and X, which have m rows.
    ux: &'a mut [R],
    /// Y and V, which have n rows.
    yv: &'a mut [R],
    /// What each task of a product adds to the product.
    sums: &'a mut [R],
    /// The product of A and the reflector of a row.
    x: &'a mut [R],
    /// Four lists with one number per column of A.
    rows: &'a mut [R],
    /// Two lists with one number per column of the panel.
    lists: &'a mut [R],
}

impl<R: Real> Panel<'_, R> {
    /// Applies the previous `j` reflectors to column k and makes its reflector, number `j` of the panel. Returns its factor and the element
    /// on the diagonal.
    fn reflect_column(&mut self, a: &mut [R], k: usize, j: usize) -> (R, R) {
        let Panel { m, down, across, width, .. } = *self;
        for i in (0..j).chain(width..width + j) {
            self.lists[i] = -self.yv[i * across + k];
        }
        let column = &mut a[k * down..][..down];
        let ux = Columns::new(self.ux, down);
        for columns in [0..j, width..width + j] {
            self.cpu.dispatch(Add { a: ux, columns, first: k, factors: self.lists, y: column });
        }
        let (tau, beta) = reflector(&mut column[k..m]);
        column[k] = R::ONE;
        let u = &mut self.ux[j * down..][..down];
        u.fill(R::ZERO);
        u[k..m].copy_from_slice(&column[k..m]);
        (tau, beta)
    }

    /// Applies the previous reflectors to row k, where `tau` is the factor of the last one. Makes the row's reflector, and the columns of Y
    /// and X of this step. Returns the reflector's factor and the element next to the diagonal.
    fn reflect_row(&mut self, a: &[R], k: usize, j: usize, tau: R, reflected: &mut [R]) -> (R, R) {
        let Panel { cpu, n, down, across, width, .. } = *self;
        let first = k + 1;
        let both = [0..j, width..width + j];
        let (ux, yv) = (Columns::new(self.ux, down), Columns::new(self.yv, across));
        let u = ux.column(j);
        let (y, rest) = self.rows.split_at_mut(across);
        let (s, rest) = rest.split_at_mut(across);
        let (less, row) = rest.split_at_mut(across);
        // What the previous reflectors subtract from the products with u, and from row k.
        for columns in both.clone() {
            cpu.dispatch(Dots { a: ux, columns, first: k, x: u, out: self.lists });
        }
        less.fill(R::ZERO);
        row.fill(R::ZERO);
        for columns in both.clone() {
            cpu.dispatch(Add { a: yv, columns, first, factors: self.lists, y: less });
        }
        for i in both.iter().cloned().flatten() {
            self.lists[i] = ux.column(i)[k];
        }
        for columns in both {
            cpu.dispatch(Add { a: yv, columns, first, factors: self.lists, y: row });
        }
        let a = Columns::new(a, down);
        let step = Step { k, n, u, tau, less, row };
        step.products((cpu, self.pool), a, (y, s), (self.x, self.sums));
        // Numbers this small would lose their digits in `A s`. They are far below the rounding of the matrix.
        if s[first..n].iter().all(|x| x.abs() < R::LEAST) {
            s[first..n].fill(R::ZERO);
        }
        let ahead = s[first];
        let (tau, beta) = reflector(&mut s[first..n]);
        s[first] = R::ONE;
        reflected.copy_from_slice(&s[first..n]);
        for (which, list) in [(j, &*y), (width + j, &*s)] {
            let to = &mut self.yv[which * across..][..across];
            to.fill(R::ZERO);
            to[first..n].copy_from_slice(&list[first..n]);
        }
        // The sum was computed for A s; v is (s - β e₀) / (s₀ - β).
        let scale = if tau == R::ZERO { R::ZERO } else { R::ONE / (ahead - beta) };
        self.x.iter_mut().zip(a.column(first)).for_each(|(x, &a)| *x = (*x - beta * a) * scale);
        self.finish_row(k, j, tau);
        (tau, beta)
    }

    /// Computes `X = τ (A - U Yᵀ - X Vᵀ) v`, where `A v` is computed already.
    fn finish_row(&mut self, k: usize, j: usize, tau: R) {
        let Panel { cpu, m, down, across, width, .. } = *self;
        let first = k + 1;
        let both = [0..j + 1, width..width + j];
        let yv = Columns::new(self.yv, across);
        let v = yv.column(width + j);
        for columns in both.clone() {
            cpu.dispatch(Dots { a: yv, columns, first, x: v, out: self.lists });
        }
        self.lists.iter_mut().for_each(|x| *x = -*x);
        let ux = Columns::new(self.ux, down);
        for columns in both {
            cpu.dispatch(Add { a: ux, columns, first, factors: self.lists, y: self.x });
        }
        let to = &mut self.ux[(width + j) * down..][..down];
        to.fill(R::ZERO);
        to[first..m].iter_mut().zip(&self.x[first..m]).for_each(|(to, &x)| *to = tau * x);
    }

    /// Computes `A - U Yᵀ - X Vᵀ` in these columns, and in the rows with the same numbers and after them.
    fn update(&self, a: &mut [R], last: Range<usize>) {
        let Panel { m, n, down, across, width, .. } = *self;
        let ux = MatRef::from_column_major_slice(self.ux, down, 2 * width);
        let yv = MatRef::from_column_major_slice(self.yv, across, 2 * width);
        assert!(n * down <= a.len(), "columns must be padded");
        let at = SharedPtr::new(a.as_mut_ptr());
        let block = |i: usize| {
            let columns = last.start + i * BLOCK..n.min(last.start + (i + 1) * BLOCK);
            let (start, len) = (columns.start * down, columns.len() * down);
            // SAFETY: `a` has that many columns, and each task uses its own.
            let block = unsafe { std::slice::from_raw_parts_mut(at.add(start), len) };
            let block = MatMut::from_column_major_slice_mut(block, down, columns.len());
            let (left, right) = (ux.get(last.start..m, ..), yv.get(columns, ..));
            matmul(block.get_mut(last.start..m, ..), Accum::Add, left, right.transpose(), -R::ONE, Par::Seq);
        };
        let blocks = last.len().div_ceil(BLOCK);
        if last.len() < ALONE {
            (0..blocks).for_each(block);
        } else {
            self.pool.run(blocks, |task| block(task.index));
        }
    }
}

/// One step of the reduction.
struct Step<'a, R> {
    k: usize,
    n: usize,
    u: &'a [R],
    tau: R,
    less: &'a [R],
    row: &'a [R],
}

impl<R: Real> Step<'_, R> {
    /// Computes both products of the step; see [`BothProducts`].
    fn products(
        &self,
        (cpu, pool): (Cpu, &Pool),
        a: Columns<'_, R>,
        (y, s): (&mut [R], &mut [R]),
        (x, sums): (&mut [R], &mut [R]),
    ) {
        let Step { k, n, u, tau, less, row } = *self;
        let (down, begin) = (x.len(), k + 1);
        let count = stripes(n - begin);
        let cut = |i: usize| if i == count { n } else { begin + (n - begin) * i / count / 4 * 4 };
        assert!(n <= y.len() && n <= s.len() && count * down <= sums.len(), "each task needs a list");
        let [y, s, lists] = [y, s, sums].map(|list| SharedPtr::new(list.as_mut_ptr()));
        let lists_of = |i: usize| {
            let columns = cut(i)..cut(i + 1);
            // SAFETY: each task has its own columns and its own list.
            let [y, s, x] = unsafe {
                [
                    std::slice::from_raw_parts_mut(y.add(columns.start), columns.len()),
                    std::slice::from_raw_parts_mut(s.add(columns.start), columns.len()),
                    std::slice::from_raw_parts_mut(lists.add(i * down), down),
                ]
            };
            x.fill(R::ZERO);
            cpu.dispatch(BothProducts { a, columns, k, u, tau, less, row, y, s, x });
        };
        pool.run(count, |task| lists_of(task.index));
        // SAFETY: the tasks have ended.
        let sums = unsafe { std::slice::from_raw_parts(lists.get(), count * down) };
        let (first, rest) = sums.split_at(down);
        x.copy_from_slice(first);
        for list in rest.chunks_exact(down) {
            x.iter_mut().zip(list).for_each(|(x, &more)| *x += more);
        }
    }
}
