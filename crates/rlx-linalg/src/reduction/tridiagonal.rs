//! Reduces symmetric matrices to tridiagonal form.

use super::columns::{Add, Columns, Dots, PAD, Symmetric, padded};
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
        97..=192 => 16,
        _ => 24,
    }
}

/// Returns the number of elements of the working memory.
pub(in super::super) fn work_len(n: usize) -> usize {
    let width = panel(n);
    (3 * width + STRIPES) * padded(n) + 4 * width
}

/// Computes `A = Q T Qᵀ`. A has padded columns, both triangles, and zeros after its columns. Below the diagonal it is overwritten with the
/// reflectors of Q; reflector k begins in row k + 1. The diagonal of T has `n` elements; the one next to it and the factors of the
/// reflectors have n - 1.
pub(in super::super) fn reduce<R: Real>(
    (cpu, pool): (Cpu, &Pool),
    a: &mut [R],
    n: usize,
    (diagonal, off, taus): (&mut [R], &mut [R], &mut [R]),
    work: &mut [R],
) {
    let (stride, width) = (padded(n), panel(n));
    let (panels, rest) = work.split_at_mut(3 * width * stride);
    let (sums, lists) = rest.split_at_mut(STRIPES * stride);
    let mut panel = Panel { cpu, pool, n, stride, width, panels, sums, lists };
    for first in (0..n).step_by(width) {
        let last = n.min(first + width);
        for k in first..last {
            diagonal[k] = panel.column(a, k, k - first);
            if k + 1 < n {
                (taus[k], off[k]) = panel.reflect(a, k, k - first);
            }
        }
        if last < n {
            panel.update(a, last..n);
        }
    }
}

/// The reflectors V that are applied together, and the matching W: A becomes `A - V Wᵀ - W Vᵀ`.
struct Panel<'a, R> {
    cpu: Cpu,
    pool: &'a Pool,
    n: usize,
    stride: usize,
    width: usize,
    /// V, W, and V again, so that both `[V W]` and `[W V]` are contiguous.
    panels: &'a mut [R],
    /// What each task of a product adds to the product.
    sums: &'a mut [R],
    /// Two lists with one number per column of V, and two with one per column of W.
    lists: &'a mut [R],
}

impl<R: Real> Panel<'_, R> {
    /// Applies the previous `j` reflectors to column k, and returns the element on the diagonal.
    fn column(&mut self, a: &mut [R], k: usize, j: usize) -> R {
        let Panel { stride, width, .. } = *self;
        for i in 0..j {
            self.lists[i] = -self.panels[(width + i) * stride + k];
            self.lists[width + i] = -self.panels[i * stride + k];
        }
        let y = &mut a[k * stride..][..stride];
        let panels = Columns::new(self.panels, stride);
        for columns in [0..j, width..width + j] {
            self.cpu.dispatch(Add { a: panels, columns, first: k, factors: self.lists, y });
        }
        y[k]
    }

    /// Makes the reflector of column k, number `j` of the panel, and its column of W. Returns its factor and the element next to the
    /// diagonal.
    fn reflect(&mut self, a: &mut [R], k: usize, j: usize) -> (R, R) {
        let Panel { cpu, n, stride, width, .. } = *self;
        let column = &mut a[k * stride..][..stride];
        let (tau, beta) = reflector(&mut column[k + 1..n]);
        column[k + 1] = R::ONE;
        let (v, rest) = self.panels.split_at_mut(width * stride);
        let (w, again) = rest.split_at_mut(width * stride);
        for list in [v, &mut *again] {
            let list = &mut list[j * stride..][..stride];
            list.fill(R::ZERO);
            list[k + 1..n].copy_from_slice(&column[k + 1..n]);
        }
        let (w, wj) = w.split_at_mut(j * stride);
        let (v, w, wj) = (Columns::new(again, stride), Columns::new(w, stride), &mut wj[..stride]);
        let vj = v.column(j);
        // W = τ (A - V Wᵀ - W Vᵀ) v, minus a multiple of v.
        multiply((cpu, self.pool), Columns::new(a, stride), k + 1..n, vj, (wj, self.sums));
        let first = k + 1;
        let (of_v, of_w) = self.lists.split_at_mut(width);
        cpu.dispatch(Dots { a: v, columns: 0..j, first, x: vj, out: of_v });
        cpu.dispatch(Dots { a: w, columns: 0..j, first, x: vj, out: of_w });
        self.lists.iter_mut().for_each(|x| *x = -*x);
        let (of_v, of_w) = self.lists.split_at(width);
        cpu.dispatch(Add { a: v, columns: 0..j, first, factors: of_w, y: wj });
        cpu.dispatch(Add { a: w, columns: 0..j, first, factors: of_v, y: wj });
        let mut along = [R::ZERO];
        cpu.dispatch(Dots { a: Columns::new(wj, stride), columns: 0..1, first, x: vj, out: &mut along });
        let half = R::from_parts(-0.5, 0.0) * tau * tau * along[0];
        wj[..first].fill(R::ZERO);
        wj[first..n].iter_mut().zip(&vj[first..]).for_each(|(w, &v)| *w = tau * *w + half * v);
        wj[n..].fill(R::ZERO);
        (tau, beta)
    }

    /// Computes `A - V Wᵀ - W Vᵀ` in these rows and columns, which are the last ones, on and below the groups of rows at the diagonal.
    fn update(&self, a: &mut [R], last: Range<usize>) {
        let Panel { n, stride, width, .. } = *self;
        let begin = last.start / PAD * PAD;
        let panels = MatRef::from_column_major_slice(self.panels, stride, 3 * width);
        assert!(n * stride <= a.len(), "columns must be padded");
        let at = SharedPtr::new(a.as_mut_ptr());
        let block = |i: usize| {
            let top = begin + i * BLOCK;
            let columns = top.max(last.start)..n.min(top + BLOCK);
            let (start, len) = (columns.start * stride, columns.len() * stride);
            // SAFETY: `a` has that many columns, and each task uses its own.
            let block = unsafe { std::slice::from_raw_parts_mut(at.add(start), len) };
            let block = MatMut::from_column_major_slice_mut(block, stride, columns.len());
            let (vw, wv) = (panels.get(top..n, ..2 * width), panels.get(columns, width..));
            matmul(block.get_mut(top..n, ..), Accum::Add, vw, wv.transpose(), -R::ONE, Par::Seq);
        };
        let blocks = (n - begin).div_ceil(BLOCK);
        if last.len() < ALONE {
            (0..blocks).for_each(block);
        } else {
            self.pool.run(blocks, |task| block(task.index));
        }
    }
}

/// Computes `y = A x` in these rows, which are the last ones.
fn multiply<R: Real>(
    (cpu, pool): (Cpu, &Pool),
    a: Columns<'_, R>,
    rows: Range<usize>,
    x: &[R],
    (y, sums): (&mut [R], &mut [R]),
) {
    let (stride, end) = (x.len(), rows.end);
    let (begin, count) = (rows.start / PAD, stripes(rows.len()));
    if count == 1 {
        y[begin * PAD..].fill(R::ZERO);
        return cpu.dispatch(Symmetric { a, columns: begin * PAD..end, x, y });
    }
    // Divides into stripes of equal area.
    let groups = (end.div_ceil(PAD) - begin) as f64;
    let bound = |i: usize| {
        let share = 1.0 - (1.0 - i as f64 / count as f64).sqrt();
        if i == count { end } else { (begin + (share * groups) as usize) * PAD }
    };
    assert!(count * stride <= sums.len(), "each task needs a list");
    let lists = SharedPtr::new(sums.as_mut_ptr());
    pool.run(count, |task| {
        // SAFETY: each task has its own list.
        let y = unsafe { std::slice::from_raw_parts_mut(lists.add(task.index * stride), stride) };
        let columns = bound(task.index)..bound(task.index + 1);
        y[columns.start..].fill(R::ZERO);
        cpu.dispatch(Symmetric { a, columns, x, y });
    });
    y[begin * PAD..].copy_from_slice(&sums[begin * PAD..stride]);
    for i in 1..count {
        let list = &sums[i * stride..][..stride];
        y.iter_mut().zip(list).skip(bound(i)).for_each(|(y, &more)| *y += more);
    }
}
