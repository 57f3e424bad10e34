//! The derivative of attention of f32 in reverse mode, without the whole matrix of scores.
//!
//! A task takes a batch and key head. It goes through blocks of the query rows that share the head, as attention itself
//! does; of a block it computes the weights again and their cotangents, then the block's rows of dq, and what the block
//! adds to dk and dv. Those sums are in the order of the blocks, in one task, so results do not depend on the number of
//! threads.

use super::product::{self, ROWS};
use super::{Attention, Block, KEY_STEP, Places, RATE, Shared, Steps};
use crate::isa::Cpu;
use crate::norm::keep_first;
use crate::pool::Pool;
use crate::simd::{F32Vector, Kernel, Simd};
use crate::vector;
use std::ops::Range;

/// The derivative of an attention, whose `out` says where the cotangent of the result lies. Cotangents lie as their operands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct AttentionBackward(pub(crate) Attention);

/// Where operands and results begin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BackwardPlaces {
    pub(crate) q: *const f32,
    pub(crate) k: *const f32,
    pub(crate) v: *const f32,
    pub(crate) d_out: *const f32,
    /// The mask; not read if there is none.
    pub(crate) operand: *const u8,
    pub(crate) dq: *mut f32,
    pub(crate) dk: *mut f32,
    pub(crate) dv: *mut f32,
}

// SAFETY: only pointers stand against it; who calls `run` vouches for what they point to.
unsafe impl Send for BackwardPlaces {}
// SAFETY: as above.
unsafe impl Sync for BackwardPlaces {}

impl AttentionBackward {
    /// d_out·vᵀ as the scores of an attention.
    fn of_weights(&self) -> Attention {
        Attention { d: self.0.dv, q: self.0.out, k: self.0.v, ..self.0 }
    }

    /// dq as the result of an attention that takes keys for values.
    fn of_queries(&self) -> Attention {
        Attention { dv: self.0.d, v: self.0.k, out: self.0.q, ..self.0 }
    }

    /// Elements from one key to the next where weights stand by key.
    fn turned_step(&self) -> usize {
        self.0.block_rows().next_multiple_of(KEY_STEP)
    }

    /// Elements of a tile of keys or of values.
    fn tile(&self) -> usize {
        let of = |plan: &Attention| plan.d * plan.tile_keys();
        of(&self.0).max(of(&self.of_weights())).next_multiple_of(16)
    }

    /// Elements of the scores of a block.
    fn block(&self) -> usize {
        self.0.block_rows() * self.0.score_step()
    }

    /// Scratch elements of one thread: a tile; weights and their cotangents, with a soft cap also scores; weights by key;
    /// a row of the mask.
    fn thread_scratch(&self) -> usize {
        let blocks = 2 + usize::from(self.0.softcap.is_some());
        self.tile() + blocks * self.block() + self.0.seq_k * self.turned_step() + self.0.score_step()
    }

    /// Scratch bytes that a run on so many threads needs.
    pub(crate) fn scratch_bytes(&self, threads: usize) -> usize {
        threads * self.thread_scratch() * size_of::<f32>()
    }

    fn nanoseconds(&self) -> u64 {
        let Attention { batch, kv_heads, seq_k, d, dv, .. } = self.0;
        let scores = batch * kv_heads * self.0.rows() * seq_k;
        (scores as u64).saturating_mul((3 * d + 2 * dv + 24) as u64) / RATE as u64
    }

    /// Runs it. Scratch memory for as many threads as fit is used.
    ///
    /// # Safety
    /// The places are valid for all that sizes and steps reach, are aligned to their elements, and results overlap nothing
    /// else.
    pub(crate) unsafe fn run(
        &self,
        cpu: Cpu,
        pool: &Pool,
        places: BackwardPlaces,
        scratch: &mut [f32],
    ) -> Result<(), String> {
        if scratch.len() < pool.threads() * self.thread_scratch() {
            let threads = pool.threads();
            return Err(format!("attention_backward has scratch memory for fewer than {threads} threads"));
        }
        let scratch = Shared(scratch.as_mut_ptr());
        pool.run_if_worth(self.nanoseconds(), self.0.batch * self.0.kv_heads, |task| {
            cpu.dispatch(Head {
                plan: self,
                places,
                batch: task.index / self.0.kv_heads,
                kv_head: task.index % self.0.kv_heads,
                // SAFETY: there is scratch memory for each thread, and no two tasks run under one number at once.
                scratch: unsafe { scratch.at(task.worker * self.thread_scratch()) },
            });
        });
        Ok(())
    }
}

/// One task: a batch and key head.
struct Head<'a> {
    plan: &'a AttentionBackward,
    places: BackwardPlaces,
    batch: usize,
    kv_head: usize,
    scratch: *mut f32,
}

impl Kernel for Head<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, token: S) {
        let plan = &self.plan.0;
        for (to, steps, width) in [(self.places.dk, plan.k, plan.d), (self.places.dv, plan.v, plan.dv)] {
            for key in 0..plan.seq_k {
                // SAFETY: the key exists.
                unsafe { self.of_key(to, &steps, key).write_bytes(0, width) };
            }
        }
        let (rows, most) = (plan.rows(), plan.block_rows().max(1));
        for first in (0..rows).step_by(most) {
            // SAFETY: `run` vouches for operands, and for scratch memory of the size that `thread_scratch` says.
            unsafe { self.block(token, first..(first + most).min(rows)) };
        }
    }
}

impl Head<'_> {
    /// Where the elements of a key begin.
    #[inline(always)]
    fn of_key(&self, start: *mut f32, steps: &Steps, key: usize) -> *mut f32 {
        start.wrapping_add(self.batch * steps.batch + self.kv_head * steps.head + key * steps.seq)
    }

    /// The rows of the task's head as a block of an attention on other operands.
    #[inline(always)]
    fn block_of<'a>(
        &self,
        plan: &'a Attention,
        rows: Range<usize>,
        [q, k, v]: [*const f32; 3],
        out: *mut f32,
    ) -> Block<'a> {
        let places = Places { q, k, v, operand: self.places.operand, out };
        Block { plan, places, batch: self.batch, kv_head: self.kv_head, rows, scratch: self.scratch }
    }

    /// What a block of query rows gives.
    ///
    /// # Safety
    /// As for [`AttentionBackward::run`].
    #[inline(always)]
    unsafe fn block<S: Simd>(&self, token: S, rows: Range<usize>) {
        let (plan, places) = (&self.plan.0, &self.places);
        let (of_weights, of_queries) = (self.plan.of_weights(), self.plan.of_queries());
        let nowhere = std::ptr::null_mut();
        let own = self.block_of(plan, rows.clone(), [places.q, places.k, places.v], nowhere);
        let cotangent = self.block_of(&of_weights, rows.clone(), [places.d_out, places.v, places.v], nowhere);
        let queries = self.block_of(&of_queries, rows.clone(), [places.q, places.k, places.k], places.dq);
        let keys = own.keys();
        if keys.start >= keys.end {
            for row in rows {
                // SAFETY: the row exists.
                unsafe { places.dq.add(queries.offset(&plan.q, row)).write_bytes(0, plan.d) };
            }
            return;
        }
        let tile = self.scratch;
        // SAFETY: the parts of the scratch memory follow one another; the caller vouches for the operands.
        unsafe {
            let weights = tile.add(self.plan.tile());
            let cotangents = weights.add(self.plan.block());
            let turned = cotangents.add(self.plan.block());
            let mask = turned.add(plan.seq_k * self.plan.turned_step());
            let raw = mask.add(plan.score_step());
            own.scores(token, &keys, tile, weights);
            if plan.softcap.is_some() {
                raw.copy_from_nonoverlapping(weights, self.plan.block());
            }
            own.weights(token, &keys, weights, mask);
            cotangent.scores(token, &keys, tile, cotangents);
            self.to_keys(
                token,
                &own,
                &keys,
                weights,
                turned,
                (places.d_out, &plan.out),
                (places.dv, &plan.v),
                plan.dv,
            );
            for row in 0..rows.len() {
                let at = row * plan.score_step();
                let cap = plan.softcap.map(|cap| (cap, raw.add(at).cast_const()));
                of_scores::<S::F32>(token, weights.add(at), cotangents.add(at), keys.len(), plan.scale, cap);
            }
            queries.values(token, &keys, cotangents);
            self.to_keys(
                token,
                &own,
                &keys,
                cotangents,
                turned,
                (places.q, &plan.q),
                (places.dk, &plan.k),
                plan.d,
            );
        }
    }

    /// Adds to each key the rows of `from`, by the block's weights of that key.
    ///
    /// # Safety
    /// `weights` are those of `keys`, `turned` is the scratch memory for them by key; rows and keys exist.
    #[inline(always)]
    #[allow(clippy::too_many_arguments)]
    unsafe fn to_keys<S: Simd>(
        &self,
        token: S,
        block: &Block<'_>,
        keys: &Range<usize>,
        weights: *const f32,
        turned: *mut f32,
        (from, from_steps): (*const f32, &Steps),
        (to, to_steps): (*mut f32, &Steps),
        width: usize,
    ) {
        let (plan, rows, step) = (&self.plan.0, &block.rows, self.plan.turned_step());
        // SAFETY: the caller vouches for weights and memory; a key has room for whole steps of rows.
        unsafe {
            product::transposed::<S>(token, weights, plan.score_step(), rows.len(), keys.len(), turned, step);
        }
        let last = keys.len() - 1;
        let mut row = rows.start;
        while row < rows.end {
            // Rows of one query head lie at equal distances.
            let end = ((row / plan.seq_q + 1) * plan.seq_q).min(rows.end);
            let values = from.wrapping_add(block.offset(from_steps, row));
            for first in (0..keys.len()).step_by(ROWS) {
                let four = [first, (first + 1).min(last), (first + 2).min(last), (first + 3).min(last)];
                let p = four.map(|key| turned.wrapping_add(key * step + row - rows.start).cast_const());
                let out = four.map(|key| self.of_key(to, to_steps, keys.start + key));
                // SAFETY: rows and keys exist; keys that stand twice have the same weights.
                unsafe {
                    product::values::<S>(token, p, end - row, values, from_steps.seq, width, out, true);
                }
            }
            row = end;
        }
    }
}

/// Turns the cotangents of a row of weights into those of its products q·k: weights · (cotangents − Σ weights · cotangents) ·
/// scale, and with a soft cap times the slope of that at the products.
///
/// # Safety
/// Weights, cotangents and products are valid for `width` elements and a vector.
#[inline(always)]
unsafe fn of_scores<V: F32Vector>(
    token: V::Token,
    weights: *const f32,
    cotangents: *mut f32,
    width: usize,
    scale: f32,
    cap: Option<(f32, *const f32)>,
) {
    let zero = V::splat(token, 0.0);
    let mut sum = zero;
    let mut j = 0;
    // SAFETY: the caller vouches for the row and a vector.
    unsafe {
        while j < width {
            let product = V::load(token, weights.add(j)) * V::load(token, cotangents.add(j));
            sum = sum + keep_first(token, product, width - j, zero);
            j += V::LANES;
        }
        let shared = V::splat(token, sum.sum_lanes());
        let factor = V::splat(token, scale);
        j = 0;
        while j < width {
            let centred = V::load(token, cotangents.add(j)) - shared;
            let mut x = V::load(token, weights.add(j)) * centred * factor;
            if let Some((cap, products)) = cap {
                let t = vector::tanh(V::load(token, products.add(j)) * factor / V::splat(token, cap));
                x = x * (V::splat(token, 1.0) - t * t);
            }
            x.store(cotangents.add(j));
            j += V::LANES;
        }
    }
}
