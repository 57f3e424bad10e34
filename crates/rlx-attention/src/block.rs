//! Computes a block of query rows: scores, weights, and weighted sums of values.

use super::matrices::{Panels, Product, Rows};
use super::stored::{Storage, Stored};
use super::stretch::{STRETCH, add_stretch};
use super::tiling::{Memory, PanelCache, Tiling};
use super::weights::{self, Edit, Extra};
use super::{Attention, OperandKind, Places, Steps};
use rlx_gemm as gemm;
use rlx_gemm::tile::{A_STEP, K_RUN};
use rlx_simd::simd::{Kernel, Simd, Vector};
use std::ops::Range;

/// One task: some of the query rows of a batch and key head.
pub(super) struct Task<'a> {
    pub(super) block: Block<'a>,
    pub(super) rows: Range<usize>,
    pub(super) memory: Memory,
}

impl Kernel for Task<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, token: S) {
        let Task { block, rows, mut memory } = self;
        let keys = block.plan.keys(rows.clone());
        let keys = Block::first_of(&keys)..keys.end;
        let groups = rows.len().div_ceil(block.tiling.group.max(1));
        for group in 0..groups {
            let part = gemm::part(rows.len(), groups, group);
            let rows = rows.start + part.start..rows.start + part.end;
            // SAFETY: `run` vouches for the operands, and for memory of the size that the tiling returns.
            unsafe {
                block.scores(token, &keys, rows.clone(), &mut memory.keys, memory.queries, memory.scores);
                let factors = Some(memory.factors);
                block.weights(token, &keys, rows.clone(), memory.scores, memory.mask, factors);
                block.values(token, &keys, rows.clone(), &mut memory.values, memory.scores, memory.sums);
                block.store(token, rows, memory.sums, factors, 0..block.plan.dv);
            }
        }
    }
}

/// A batch and key head whose query rows are computed part by part.
#[derive(Clone, Copy)]
pub(super) struct Block<'a> {
    pub(super) plan: &'a Attention,
    pub(super) tiling: &'a Tiling,
    pub(super) places: Places,
    pub(super) batch: usize,
    pub(super) kv_head: usize,
}

impl Block<'_> {
    /// Returns the first key whose scores are stored. A run begins there, so the weights of a row are summed in the same order whatever
    /// other rows see.
    #[inline(always)]
    pub(super) fn first_of(keys: &Range<usize>) -> usize {
        keys.start / K_RUN * K_RUN
    }

    /// Returns the offset of the first element of a query row.
    #[inline(always)]
    pub(super) fn offset(&self, steps: &Steps, row: usize) -> usize {
        let (head, at) = self.plan.position(self.kv_head, row);
        self.batch * steps.batch + head * steps.head + at * steps.seq
    }

    /// Returns the offset of the first element of a key.
    #[inline(always)]
    pub(super) fn of_key(&self, steps: &Steps, key: usize) -> usize {
        self.batch * steps.batch + self.kv_head * steps.head + key * steps.seq
    }

    /// Divides rows into tiles.
    #[inline(always)]
    fn tiles(&self, rows: Range<usize>) -> impl Iterator<Item = Range<usize>> {
        let tiles = rows.len().div_ceil(self.tiling.tile.rows);
        (0..tiles).map(move |tile| {
            let part = gemm::part(rows.len(), tiles, tile);
            rows.start + part.start..rows.start + part.end
        })
    }

    /// Splits rows where a query head ends: the rows of one head are equally spaced.
    #[inline(always)]
    pub(super) fn same_head(&self, rows: Range<usize>) -> impl Iterator<Item = Range<usize>> {
        let (seq, mut next) = (self.plan.seq_q, rows.start);
        std::iter::from_fn(move || {
            let start = next;
            next = ((start / seq + 1) * seq).min(rows.end);
            (start < rows.end).then_some(start..next)
        })
    }

    /// Divides keys into chunks, each within one stretch, as distances from the first key.
    #[inline(always)]
    fn chunks(&self, keys: &Range<usize>) -> impl Iterator<Item = Range<usize>> {
        let (first, count, step) = (keys.start, keys.len(), self.tiling.chunk.max(1));
        let mut next = 0;
        std::iter::from_fn(move || {
            let start = next;
            next = count.min(start + step).min(stretch_of(first + start).end - first);
            (start < count).then_some(start..next)
        })
    }

    /// The keys that a tile of rows sees, as distances from the first of `keys`.
    #[inline(always)]
    pub(super) fn seen(&self, keys: &Range<usize>, rows: Range<usize>) -> Range<usize> {
        let seen = self.plan.keys(rows);
        seen.start.saturating_sub(keys.start)..seen.end.saturating_sub(keys.start)
    }

    /// The keys of the head.
    #[inline(always)]
    pub(super) fn stored_keys(&self) -> Stored {
        let plan = self.plan;
        Stored::new(self.places.k, self.of_key(&plan.k, 0), plan.k.seq, plan.k_storage, plan.d)
    }

    /// The values of the head.
    #[inline(always)]
    pub(super) fn stored_values(&self) -> Stored {
        let plan = self.plan;
        Stored::new(self.places.v, self.of_key(&plan.v, 0), plan.v.seq, plan.v_storage, plan.dv)
    }

    /// Returns the panels of a chunk of keys, transposed: a column per key.
    ///
    /// # Safety
    /// The keys exist, and `held` has room for them.
    #[inline(always)]
    unsafe fn keys<S: Simd>(&self, token: S, chunk: Range<usize>, held: &mut PanelCache) -> Panels {
        let (plan, tile) = (self.plan, self.tiling.tile);
        let panels = Panels::new(held.start, plan.d, chunk.len(), tile);
        if held.lacks(&chunk) {
            let stored = self.stored_keys();
            for panel in 0..panels.layout.panels() {
                let first = chunk.start + panel * tile.width;
                // SAFETY: the caller vouches that the keys exist and that `held` has room for their panels; the stage has room for the keys
                // of one panel.
                unsafe {
                    let count = panels.layout.columns(panel);
                    let (from, step) = stored.rows(token, first..first + count, held.stage);
                    panels.fill_panel(token, panel, 0..plan.d, from, gemm::Steps { row: 1, col: step });
                }
            }
        }
        panels
    }

    /// Returns the panels of a chunk of values: a row per key.
    ///
    /// # Safety
    /// As for [`keys`](Block::keys).
    #[inline(always)]
    unsafe fn value_panels<S: Simd>(&self, token: S, chunk: Range<usize>, held: &mut PanelCache) -> Panels {
        let (plan, tile) = (self.plan, self.tiling.tile);
        let panels = Panels::new(held.start, chunk.len(), plan.dv, tile);
        if held.lacks(&chunk) {
            let stored = self.stored_values();
            let most = if stored.storage == Storage::Single { chunk.len() } else { tile.width };
            for first in (0..chunk.len()).step_by(most.max(1)) {
                let rows = first..(first + most).min(chunk.len());
                // SAFETY: the caller vouches that the values exist and that `held` has room for their panels; the stage has room for as
                // many values as a panel is wide.
                unsafe {
                    let own = chunk.start + rows.start..chunk.start + rows.end;
                    let (from, step) = stored.rows(token, own, held.stage);
                    panels.fill(token, rows, from, gemm::Steps { row: step, col: 1 });
                }
            }
        }
        panels
    }

    /// Computes q·kᵀ of `rows` and `keys`, unscaled, where rows see keys and possibly elsewhere.
    ///
    /// # Safety
    /// Rows and keys exist, and the memory has the size that the tiling returns.
    #[inline(always)]
    pub(super) unsafe fn scores<S: Simd>(
        &self,
        token: S,
        keys: &Range<usize>,
        rows: Range<usize>,
        held: &mut PanelCache,
        queries: Rows,
        scores: Rows,
    ) {
        let plan = self.plan;
        for chunk in self.chunks(keys) {
            // SAFETY: the caller vouches for keys and memory.
            let panels = unsafe { self.keys(token, keys.start + chunk.start..keys.start + chunk.end, held) };
            for tile in self.tiles(rows.clone()) {
                let seen = self.seen(keys, tile.clone());
                let (from, to) = (seen.start.max(chunk.start), seen.end.min(chunk.end));
                if from >= to {
                    continue;
                }
                let first = tile.start - rows.start;
                let product = Product {
                    rows: tile.len(),
                    left: queries.at(0, 0),
                    run_step: queries.run_step(),
                    right: panels,
                    from: 0,
                    k: plan.d,
                    step: A_STEP,
                    resume: false,
                };
                let width = self.tiling.tile.width;
                let wanted = (from - chunk.start) / width..(to - chunk.start).div_ceil(width);
                // SAFETY: the rows exist; a panel of scores lies in one run, which has room for whole vectors.
                unsafe {
                    for part in self.same_head(tile.clone()) {
                        let q = self.places.q.add(self.offset(&plan.q, part.start));
                        queries.fill(token, part.start - tile.start, q, (part.len(), plan.q.seq, plan.d));
                    }
                    product.run::<S, false>(token, wanted, |column| scores.at(first, chunk.start + column));
                }
            }
        }
    }

    /// Converts scores to weights, row by row. If `factors` is given, the weights of a row must still be multiplied by the factor that is
    /// written there.
    ///
    /// # Safety
    /// `scores` holds the output of [`scores`](Block::scores), `mask` has room for a row, and `factors` has room for the rows.
    #[inline(always)]
    pub(super) unsafe fn weights<S: Simd>(
        &self,
        token: S,
        keys: &Range<usize>,
        rows: Range<usize>,
        scores: Rows,
        mask: *mut f32,
        factors: Option<*mut f32>,
    ) {
        let mut ready = usize::MAX;
        for (index, row) in rows.enumerate() {
            // SAFETY: the caller vouches that the rows exist and that scores and mask have room for them; runs have room for whole vectors
            // starting at any of their keys.
            unsafe {
                let (row, edit) = self.row(keys, index, row, scores, mask, &mut ready);
                let factor = row.weights::<S::F32>(token, &edit, factors.is_none());
                if let Some(factors) = factors {
                    *factors.add(index) = factor;
                }
            }
        }
    }

    /// Returns the `index`th row of `scores` and how it is edited. `ready` is the offset of the mask row that `mask` contains; it is
    /// updated from row to row.
    ///
    /// # Safety
    /// `mask` has room for a row.
    #[inline(always)]
    pub(super) unsafe fn row(
        &self,
        keys: &Range<usize>,
        index: usize,
        row: usize,
        scores: Rows,
        mask: *mut f32,
        ready: &mut usize,
    ) -> (weights::Row, Edit) {
        let plan = self.plan;
        let (head, at) = plan.position(self.kv_head, row);
        let extra = match &plan.operand {
            None => Extra::None,
            Some(operand) => {
                let offset = operand.offset(self.batch, head, at, keys.start);
                // SAFETY: the operand has elements for each position, by its steps; a row has room for the keys.
                let values =
                    unsafe { operand.row(self.places.operand, offset, keys.len(), mask, *ready == offset) };
                *ready = offset;
                match operand.kind {
                    OperandKind::Bias => Extra::Bias(values),
                    OperandKind::Mask { .. } => Extra::Mask(values),
                }
            }
        };
        let own = plan.visible.keys(at, plan.seq_q, plan.seq_k);
        let edit =
            Edit { scale: plan.scale, softcap: plan.softcap, extra, zero_if_empty: plan.zero_if_empty() };
        let from = own.start.clamp(keys.start, keys.end) - keys.start;
        let to = own.end.clamp(keys.start, keys.end) - keys.start;
        (weights::Row { scores, row: index, from, to, width: keys.len() }, edit)
    }

    /// Computes weights · v for the rows; each row of results goes to its place in `sums`.
    ///
    /// # Safety
    /// `weights` holds the weights of `keys`; rows and keys exist, and the memory has the size that the tiling returns.
    #[inline(always)]
    pub(super) unsafe fn values<S: Simd>(
        &self,
        token: S,
        keys: &Range<usize>,
        rows: Range<usize>,
        held: &mut PanelCache,
        weights: Rows,
        sums: *mut f32,
    ) {
        let step = self.tiling.padded(self.plan.dv);
        for tile in self.tiles(rows.clone()) {
            let first = tile.start - rows.start;
            if self.seen(keys, tile.clone()).is_empty() {
                // SAFETY: the rows lie in `sums`.
                unsafe { sums.add(first * step).write_bytes(0, tile.len() * step) };
            }
        }
        for chunk in self.chunks(keys) {
            // SAFETY: the caller vouches for keys and memory.
            let panels =
                unsafe { self.value_panels(token, keys.start + chunk.start..keys.start + chunk.end, held) };
            let stretch = stretch_of(keys.start + chunk.start);
            let stretch = stretch.start.saturating_sub(keys.start)..stretch.end - keys.start;
            for tile in self.tiles(rows.clone()) {
                let seen = self.seen(keys, tile.clone());
                if seen.is_empty() || seen.end <= chunk.start || seen.start >= chunk.end {
                    continue;
                }
                // Weights of keys that are not seen are 0; the left side begins with a run.
                let skipped = seen.start.saturating_sub(chunk.start) / K_RUN * K_RUN;
                let (first, from) = (tile.start - rows.start, chunk.start + skipped);
                let product = Product {
                    rows: tile.len(),
                    left: weights.at(first, from),
                    run_step: weights.run_step(),
                    right: panels,
                    from: skipped,
                    k: seen.end.min(chunk.end) - from,
                    step,
                    resume: seen.start.max(stretch.start) < chunk.start,
                };
                // SAFETY: the rows lie in `sums`, which has room for whole vectors.
                unsafe {
                    product.run::<S, false>(token, 0..panels.layout.panels(), |column| {
                        sums.wrapping_add(first * step + column)
                    });
                }
                if chunk.end == stretch.end || seen.end <= chunk.end {
                    let behind = self.tiling.group * step;
                    let ends = [seen.start >= stretch.start, seen.end <= stretch.end];
                    // SAFETY: the rows lie in `sums`; if they see several stretches, the totals and errors of a group follow them.
                    unsafe {
                        add_stretch::<S::F32>(token, sums.add(first * step), behind, tile.len() * step, ends)
                    };
                }
            }
        }
    }

    /// Writes columns of the rows of results, multiplied by their factors.
    ///
    /// # Safety
    /// `sums` and `factors` hold the rows, and the result has them.
    #[inline(always)]
    pub(super) unsafe fn store<S: Simd>(
        &self,
        token: S,
        rows: Range<usize>,
        sums: *const f32,
        factors: Option<*mut f32>,
        columns: Range<usize>,
    ) {
        let lanes = S::F32::LANES;
        for (index, row) in rows.enumerate() {
            // SAFETY: the caller vouches for all of it; rows of sums are whole vectors.
            unsafe {
                let factor = S::F32::splat(token, factors.map_or(1.0, |f| *f.add(index)));
                let from = sums.add(index * self.tiling.padded(self.plan.dv));
                let to = self.places.out.add(self.offset(&self.plan.out, row));
                let mut at = columns.start;
                while at + lanes <= columns.end {
                    (S::F32::load(token, from.add(at)) * factor).store(to.add(at));
                    at += lanes;
                }
                if at < columns.end {
                    (S::F32::load(token, from.add(at)) * factor).store_partial(to.add(at), columns.end - at);
                }
            }
        }
    }
}

/// Returns the stretch of keys that contains a key.
#[inline(always)]
fn stretch_of(key: usize) -> Range<usize> {
    let first = key / STRETCH * STRETCH;
    first..first + STRETCH
}
