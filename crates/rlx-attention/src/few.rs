//! Attention of few query rows, as when a sequence grows by one position. Its speed is limited by reading keys and values, not by products.
//! Both are read in place, once for all rows that share them. If there are many heads, each is one task. If there are few, three steps
//! follow each other, each divided further: scores by spans of keys, weights by rows, and sums of values by columns (as in Dao et al.,
//! "Flash-Decoding", 2023, except for how sums are divided).
//!
//! Every number is computed with the same operations in the same order as in a block of rows (`block`), so the result of a row does not
//! depend on how many rows it is computed with.

use super::block::Block;
use super::matrices::Rows;
use super::stretch::{STRETCH, add_stretch, room};
use super::tiling::Tiling;
use super::{Attention, Keys, Places, Storage};
use rlx_gemm::buffer::{Carver, whole_lines};
use rlx_gemm::tile::K_RUN;
use rlx_pool::{Pool, SharedPtr};
use rlx_simd::isa::Cpu;
use rlx_simd::simd::{Kernel, MAX_LANES, Simd, Vector};
use std::ops::Range;

/// The maximum number of query rows per key head for which keys and values are read in place.
const MOST_ROWS: usize = 8;
/// Number of keys in a task that computes scores. It is a whole number of runs, so no two tasks write to the same run.
const SPAN: usize = 2 * K_RUN;
/// The number of heads per thread from which on each head is one task.
const FEWEST_HEADS: usize = 4;
/// Distance in keys between what is multiplied and what is prefetched.
const AHEAD: usize = 24;
/// Number of keys that are read together: whole vectors of scores, all in one run.
const PIECE: usize = 32;

/// How an attention of few rows is divided.
struct FewPlan {
    tiling: Tiling,
    rows: usize,
    /// Elements of a row of results, rounded up to whole vectors.
    padded: usize,
    /// Elements that each head has: scores, which become weights; and the factors of sums.
    of_head: [usize; 2],
    /// Elements that each thread has: room for keys or values that are not f32, sums of values (followed by what `stretch` stores after
    /// them), sums of one run of keys, a row of the mask.
    of_thread: [usize; 4],
}

/// Returns the bytes of parts with these numbers of elements.
fn bytes(parts: &[usize]) -> usize {
    parts.iter().map(|len| whole_lines(len * size_of::<f32>())).sum()
}

impl FewPlan {
    fn new(attention: &Attention, cpu: Cpu) -> FewPlan {
        let tiling = Tiling::new(attention, cpu);
        let rows = attention.rows();
        let padded = tiling.padded(attention.dv);
        let in_place = [attention.k_storage, attention.v_storage] == [Storage::Single; 2];
        let stage = if in_place { 0 } else { PIECE * tiling.padded(attention.d.max(attention.dv)) };
        let of_head = [Rows::elements(rows, attention.seq_k), rows];
        FewPlan {
            tiling,
            rows,
            padded,
            of_head,
            of_thread: [
                stage,
                room(rows * padded, attention.seq_k > STRETCH),
                rows * padded,
                attention.seq_k,
            ],
        }
    }
}

impl Attention {
    /// Whether so few query rows share a key head that keys and values are read in place.
    pub(super) fn is_few(&self) -> bool {
        self.rows() <= MOST_ROWS
    }

    /// Scratch memory for few rows, in bytes.
    pub(super) fn few_bytes(&self, cpu: Cpu, threads: usize) -> usize {
        let plan = FewPlan::new(self, cpu);
        let of_heads = bytes(&plan.of_head).saturating_mul(self.batch * self.kv_heads);
        of_heads.saturating_add(bytes(&plan.of_thread).saturating_mul(threads))
    }

    /// Runs an attention of at least one and at most a few rows.
    ///
    /// # Safety
    /// As for [`run`](Attention::run).
    pub(super) unsafe fn run_few(
        &self,
        cpu: Cpu,
        pool: &Pool,
        places: Places,
        keys: Keys<'_>,
        scratch: &mut [u8],
    ) -> Result<(), String> {
        if scratch.len() < self.few_bytes(cpu, pool.threads()) {
            return Err(format!("scratch memory of attention is too small for {} threads", pool.threads()));
        }
        let plan = &FewPlan::new(self, cpu);
        let heads = self.batch * self.kv_heads;
        let shared = SharedPtr::new(scratch.as_mut_ptr());
        let [of_head, of_thread] = [bytes(&plan.of_head), bytes(&plan.of_thread)];
        let run = |head: usize, worker: usize, step: HeadStep| {
            let (batch, kv_head) = (head / self.kv_heads, head % self.kv_heads);
            let own = self.of_length(keys(batch));
            let block = Block { plan: &own, tiling: &plan.tiling, places, batch, kv_head };
            // SAFETY: there is memory for each head, and its tasks write parts that no other task of the same step writes; after it there
            // is memory for each thread, and no two tasks run with the same number at the same time.
            let (mut head, mut thread) = unsafe {
                let of_threads = shared.add(heads * of_head + worker * of_thread);
                (Carver::new(shared.add(head * of_head)), Carver::new(of_threads))
            };
            // SAFETY: the sizes are those that the memory was planned with.
            let ([scores, factors], [stage, sums, of_run, mask]) = unsafe {
                (
                    plan.of_head.map(|len| head.take::<f32>(len)),
                    plan.of_thread.map(|len| thread.take::<f32>(len)),
                )
            };
            let scores = Rows::new(scores, plan.rows);
            cpu.dispatch(HeadTask { plan, block, step, scores, factors, stage, sums, of_run, mask });
        };
        let nanoseconds = self.nanoseconds(keys);
        let most = (0..self.batch).map(|batch| keys(batch).min(self.seq_k)).max().unwrap_or(0);
        if heads >= FEWEST_HEADS * pool.threads() || most <= SPAN {
            pool.run_if_worth(nanoseconds, heads, |task| run(task.index, task.worker, HeadStep::All));
            return Ok(());
        }
        let parts = |tasks: usize, step: &(dyn Fn(usize) -> HeadStep + Sync)| {
            pool.run_if_worth(nanoseconds / 2, heads * tasks, |task| {
                run(task.index / tasks, task.worker, step(task.index % tasks));
            });
        };
        parts(most.div_ceil(SPAN), &|span| HeadStep::Scores(span * SPAN..(span + 1) * SPAN));
        parts(plan.rows, &|row| HeadStep::Weights(row..row + 1));
        let columns = TOGETHER * plan.tiling.tile.lanes;
        parts(self.dv.div_ceil(columns), &|part| {
            HeadStep::Values(part * columns..self.dv.min((part + 1) * columns))
        });
        Ok(())
    }
}

/// What a task computes for its head.
enum HeadStep {
    All,
    /// Scores of these keys, as far as they count.
    Scores(Range<usize>),
    /// Weights of these rows, from their scores.
    Weights(Range<usize>),
    /// These columns of the result.
    Values(Range<usize>),
}

/// One task with its memory.
struct HeadTask<'a> {
    plan: &'a FewPlan,
    block: Block<'a>,
    step: HeadStep,
    /// Scores of the head, which become weights.
    scores: Rows,
    /// The factors of the sums of values.
    factors: *mut f32,
    /// Room for keys or values that are not stored as f32.
    stage: *mut f32,
    /// Sums of values, a row for each query row. If there are several stretches of keys, totals and errors follow them.
    sums: *mut f32,
    /// Sums of one run of keys.
    of_run: *mut f32,
    /// A row of the mask.
    mask: *mut f32,
}

impl Kernel for HeadTask<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, token: S) {
        let keys = self.block.plan.keys(0..self.plan.rows);
        // SAFETY: `run` vouches for the operands, and for memory of the sizes in the plan; steps follow each other.
        unsafe {
            match &self.step {
                HeadStep::All => {
                    self.compute_scores(token, &keys, 0..keys.end);
                    self.weights(token, &keys, 0..self.plan.rows);
                    self.values(token, &keys, 0..self.block.plan.dv);
                }
                HeadStep::Scores(span) => self.compute_scores(token, &keys, span.clone()),
                HeadStep::Weights(rows) => self.weights(token, &keys, rows.clone()),
                HeadStep::Values(columns) => self.values(token, &keys, columns.clone()),
            }
        }
    }
}

/// Divides keys into pieces that are read together, each within one run.
#[inline(always)]
fn pieces(keys: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let (mut next, end) = (keys.start, keys.end);
    std::iter::from_fn(move || {
        let start = next;
        next = ((start / PIECE + 1) * PIECE).min(end);
        (start < end).then_some(start..next)
    })
}

impl HeadTask<'_> {
    /// Computes q·k of all rows and those of the keys that lie in `span`.
    ///
    /// # Safety
    /// Operands and memory are those that `run` vouches for.
    #[inline(always)]
    unsafe fn compute_scores<S: Simd>(&self, token: S, keys: &Range<usize>, span: Range<usize>) {
        let (block, attention) = (&self.block, self.block.plan);
        let (stored, first) = (block.stored_keys(), Block::first_of(keys));
        for piece in pieces(keys.start.max(span.start)..keys.end.min(span.end)) {
            // SAFETY: the keys exist; a piece of scores lies in one run, which has room for whole vectors.
            unsafe {
                let (from, step) = stored.rows(token, piece.clone(), self.stage);
                let q = |row| block.places.q.add(block.offset(&attention.q, row));
                let to = |row| self.scores.at(row, piece.start - first);
                dots(token, (q, self.plan.rows, attention.d), (from, step, piece.len()), to);
            }
        }
    }

    /// Converts scores to weights.
    ///
    /// # Safety
    /// As for [`compute_scores`](HeadTask::compute_scores), which has run for all keys.
    #[inline(always)]
    unsafe fn weights<S: Simd>(&self, token: S, keys: &Range<usize>, rows: Range<usize>) {
        let keys = &(Block::first_of(keys)..keys.end);
        let mut ready = usize::MAX;
        for row in rows {
            // SAFETY: the caller vouches that the keys exist and that their scores were computed into this memory, which has
            // room for all rows of the plan.
            unsafe {
                let (of_row, edit) = self.block.row(keys, row, row, self.scores, self.mask, &mut ready);
                *self.factors.add(row) = of_row.weights::<S::F32>(token, &edit, false);
            }
        }
    }

    /// Computes columns of the result: the sums of values, weighted.
    ///
    /// # Safety
    /// As for [`compute_scores`](HeadTask::compute_scores), whose scores are weights now.
    #[inline(always)]
    unsafe fn values<S: Simd>(&self, token: S, keys: &Range<usize>, columns: Range<usize>) {
        let (rows, padded) = (self.plan.rows, self.plan.padded);
        let (stored, first) = (self.block.stored_values(), Block::first_of(keys));
        // SAFETY: the values exist, rows of sums are whole vectors, and a piece of weights lies in one run.
        unsafe {
            self.sums.write_bytes(0, rows * padded);
            self.of_run.write_bytes(0, rows * padded);
            let (mut runs, mut stretches) = (0, 0);
            for piece in pieces(keys.clone()) {
                let (from, step) = stored.rows(token, piece.clone(), self.stage);
                for row in 0..rows {
                    let weights = self.scores.at(row, piece.start - first);
                    let sums = self.of_run.add(row * padded);
                    add_values(token, (weights, piece.len()), from, step, sums, columns.clone());
                }
                if piece.end == keys.end || (piece.end - first).is_multiple_of(K_RUN) {
                    self.add_run(token, runs == 0, columns.clone());
                    runs += 1;
                }
                if piece.end == keys.end || piece.end.is_multiple_of(STRETCH) {
                    let (behind, len) = (rows * padded, columns.len().next_multiple_of(S::F32::LANES));
                    let ends = [stretches == 0, piece.end == keys.end];
                    for row in 0..rows {
                        let sums = self.sums.add(row * padded + columns.start);
                        add_stretch::<S::F32>(token, sums, behind, len, ends);
                    }
                    (runs, stretches) = (0, stretches + 1);
                }
            }
            self.block.store(token, 0..rows, self.sums, Some(self.factors), columns);
        }
    }
}

impl HeadTask<'_> {
    /// Adds columns of the sums of a run of keys to the sums of the previous runs, or stores them if the run is the `first`, and clears
    /// them for the next run.
    ///
    /// # Safety
    /// The memory has rows of whole vectors for all rows of the plan.
    #[inline(always)]
    unsafe fn add_run<S: Simd>(&self, token: S, first: bool, columns: Range<usize>) {
        for row in 0..self.plan.rows {
            for column in columns.clone().step_by(S::F32::LANES) {
                let at = row * self.plan.padded + column;
                // SAFETY: the caller vouches for the memory.
                unsafe {
                    let (sums, of_run) = (self.sums.add(at), self.of_run.add(at));
                    let run = S::F32::load(token, of_run);
                    let sum = if first { run } else { S::F32::load(token, sums) + run };
                    sum.store(sums);
                    S::F32::splat(token, 0.0).store(of_run);
                }
            }
        }
    }
}

/// Computes the products of rows q, of `d` elements, with each of `count` rows k, which are `step` apart. Each sum adds one element after
/// the other, in chains of [`K_RUN`] elements whose sums are then added, as the register tile of products does.
///
/// # Safety
/// The rows have their elements, and `to` returns room for whole vectors.
#[inline(always)]
unsafe fn dots<S: Simd>(
    token: S,
    (q, rows, d): (impl Fn(usize) -> *const f32, usize, usize),
    (k, step, count): (*const f32, usize, usize),
    to: impl Fn(usize) -> *mut f32,
) {
    let lanes = S::F32::LANES;
    let mut by_key = [0f32; MAX_LANES * MAX_LANES];
    let mut by_lane = [0f32; MAX_LANES * MAX_LANES];
    // Squares of keys go down the rows, which hardware does not predict, so what comes next is prefetched row by row.
    let (mut ahead, mut ahead_column) = (k.wrapping_add(AHEAD * step), 0);
    for group in (0..count).step_by(lanes) {
        let keys = lanes.min(count - group);
        let zero = S::F32::splat(token, 0.0);
        let (mut totals, mut before) = ([zero; MOST_ROWS], [zero; MOST_ROWS]);
        for at in (0..d).step_by(lanes) {
            let columns = lanes.min(d - at);
            if at > 0 && at.is_multiple_of(K_RUN) {
                for (total, before) in totals.iter_mut().zip(&mut before).take(rows) {
                    *before = if at == K_RUN { *total } else { *before + *total };
                    *total = zero;
                }
            }
            for _ in 0..lanes {
                token.prefetch(ahead.wrapping_add(ahead_column));
                ahead_column += lanes;
                if ahead_column >= d {
                    (ahead, ahead_column) = (ahead.wrapping_add(step), 0);
                }
            }
            // SAFETY: the caller vouches for rows and room; the arrays hold a square of lanes.
            unsafe {
                let mut square = (k.add(group * step + at), step);
                if keys.min(columns) < lanes {
                    for key in 0..keys {
                        let to = by_key.as_mut_ptr().add(key * lanes);
                        to.copy_from_nonoverlapping(square.0.add(key * step), columns);
                    }
                    square = (by_key.as_ptr(), lanes);
                }
                S::F32::transpose(token, square.0, square.1, by_lane.as_mut_ptr(), lanes);
                for (row, total) in totals.iter_mut().enumerate().take(rows) {
                    let q = q(row).add(at);
                    for column in 0..columns {
                        let k = S::F32::load(token, by_lane.as_ptr().add(column * lanes));
                        *total = k.mul_add(S::F32::splat(token, *q.add(column)), *total);
                    }
                }
            }
        }
        for (row, (&total, &before)) in totals.iter().zip(&before).enumerate().take(rows) {
            let total = if d > K_RUN { before + total } else { total };
            // SAFETY: the caller vouches for the room.
            unsafe { total.store(to(row).add(group)) };
        }
    }
}

/// Number of vectors of a row of sums that are kept in registers together.
const TOGETHER: usize = 4;

/// Adds `count` rows of values, which are `step` apart, to these columns of `sums`, each multiplied by its weight.
///
/// # Safety
/// The rows have their elements, and `sums` consists of whole vectors.
#[inline(always)]
unsafe fn add_values<S: Simd>(
    token: S,
    (weights, count): (*const f32, usize),
    values: *const f32,
    step: usize,
    sums: *mut f32,
    columns: Range<usize>,
) {
    let lanes = S::F32::LANES;
    let (mut column, width) = (columns.start, columns.end);
    // SAFETY: the caller vouches for rows and sums.
    unsafe {
        while column + TOGETHER * lanes <= width {
            let mut total = [S::F32::splat(token, 0.0); TOGETHER];
            for (i, total) in total.iter_mut().enumerate() {
                *total = S::F32::load(token, sums.add(column + i * lanes));
            }
            for j in 0..count {
                let weight = S::F32::splat(token, *weights.add(j));
                let from = values.add(j * step + column);
                for (i, total) in total.iter_mut().enumerate() {
                    *total = S::F32::load(token, from.add(i * lanes)).mul_add(weight, *total);
                }
            }
            for (i, total) in total.iter().enumerate() {
                total.store(sums.add(column + i * lanes));
            }
            column += TOGETHER * lanes;
        }
        while column < width {
            let rest = lanes.min(width - column);
            let mut total = S::F32::load(token, sums.add(column));
            for j in 0..count {
                let from = values.add(j * step + column);
                let row = if rest == lanes {
                    S::F32::load(token, from)
                } else {
                    S::F32::load_partial(token, from, rest)
                };
                total = row.mul_add(S::F32::splat(token, *weights.add(j)), total);
            }
            total.store(sums.add(column));
            column += lanes;
        }
    }
}
