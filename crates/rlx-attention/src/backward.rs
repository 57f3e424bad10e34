//! The reverse-mode derivative of attention, computed without the whole matrix of scores.
//!
//! Each task handles one batch and key head. It goes through blocks of the query rows that share the head, as attention itself does. For
//! each block it recomputes the weights, computes their cotangents, then the block's rows of dq and its contributions to dk and dv. One
//! task adds these in the order of the blocks, so results do not depend on the number of threads.

use super::block::Block;
use super::matrices::{Panels, Product, Rows};
use super::stretch::{RUNS, STRETCH, add_stretch, room};
use super::tiling::{PanelCache, Tiling};
use super::{Attention, Keys, Places, RATE, Steps};
use rlx_gemm as gemm;
use rlx_gemm::buffer::{Carver, whole_lines};
use rlx_gemm::tile::K_RUN;
use rlx_pool::{Pool, SharedPtr};
use rlx_simd::isa::Cpu;
use rlx_simd::norm::keep_first;
use rlx_simd::simd::{F32Vector, Kernel, Simd};
use rlx_simd::sums::Total;
use rlx_simd::vector;
use std::ops::Range;

/// The derivative of an attention. The `out` of the attention says where the cotangent of the result is; the cotangents of operands are
/// laid out like the operands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AttentionBackward(pub Attention);

/// Pointers to the first elements of operands and results.
#[derive(Clone, Copy, Debug)]
pub struct BackwardPlaces {
    /// Queries.
    pub q: *const f32,
    /// Keys.
    pub k: *const f32,
    /// Values.
    pub v: *const f32,
    /// The cotangent of the result.
    pub d_out: *const f32,
    /// The mask; not read if there is none.
    pub operand: *const u8,
    /// The cotangent of queries.
    pub dq: *mut f32,
    /// The cotangent of keys.
    pub dk: *mut f32,
    /// The cotangent of values.
    pub dv: *mut f32,
}

// SAFETY: only the pointers keep it from being `Send`; the caller of `run` vouches for what they point to.
unsafe impl Send for BackwardPlaces {}
// SAFETY: threads that share it only copy the pointers; the caller of `run` vouches that operands are only read and that each part of the
// results is written by one task.
unsafe impl Sync for BackwardPlaces {}

impl AttentionBackward {
    /// d_out·vᵀ, expressed as the scores of an attention.
    fn of_weights(&self) -> Attention {
        Attention { d: self.0.dv, q: self.0.out, k: self.0.v, ..self.0 }
    }

    /// dq, expressed as the result of an attention that uses keys as values.
    fn of_queries(&self) -> Attention {
        Attention { dv: self.0.d, v: self.0.k, out: self.0.q, ..self.0 }
    }

    /// The tiling of attention itself, except that the scores of a whole block are kept together.
    fn cut(&self, cpu: Cpu) -> Tiling {
        let tiling = Tiling::new(&self.0, cpu);
        Tiling { group: tiling.block, ..tiling }
    }

    /// Number of elements in each part of a task's memory.
    fn parts(&self, tiling: &Tiling) -> [usize; 12] {
        let Attention { seq_k, d, dv, softcap, .. } = self.0;
        let scores = Rows::elements(tiling.group, seq_k);
        [
            Rows::elements(tiling.tile.rows, d.max(dv)),
            Panels::elements(d, tiling.chunk, tiling.tile),
            Panels::elements(dv, tiling.chunk, tiling.tile),
            Panels::elements(tiling.chunk, d, tiling.tile),
            scores,
            scores,
            if softcap.is_some() { scores } else { 0 },
            room(tiling.group * tiling.padded(d), seq_k > STRETCH),
            Panels::elements(tiling.group, d.max(dv), tiling.tile),
            room(seq_k * tiling.padded(d), self.stretches(tiling) > 1),
            room(seq_k * tiling.padded(dv), self.stretches(tiling) > 1),
            seq_k,
        ]
    }

    /// Number of stretches of blocks of query rows. Their sums for a key are added as those of stretches of keys are.
    fn stretches(&self, tiling: &Tiling) -> usize {
        self.0.rows().div_ceil(tiling.block.max(1) * RUNS)
    }

    fn bytes(&self, tiling: &Tiling) -> usize {
        self.parts(tiling).iter().map(|len| whole_lines(len * size_of::<f32>())).sum()
    }

    /// Scratch memory in bytes that a run on `threads` threads needs.
    pub fn scratch_bytes(&self, cpu: Cpu, threads: usize) -> usize {
        self.bytes(&self.cut(cpu)).saturating_mul(threads)
    }

    /// The derivative for a sequence of which only the first `keys` keys count.
    fn of_length(&self, keys: usize) -> AttentionBackward {
        AttentionBackward(self.0.of_length(keys))
    }

    fn nanoseconds(&self) -> u64 {
        let Attention { batch, kv_heads, seq_k, d, dv, .. } = self.0;
        let scores = batch * kv_heads * self.0.rows() * seq_k;
        (scores as u64).saturating_mul((3 * d + 2 * dv + 24) as u64) / RATE as u64
    }

    /// Runs the derivative. `keys` returns how many keys of a sequence of the batch count; the cotangents of the others are zeros.
    ///
    /// # Errors
    /// If `scratch` has fewer bytes than [`scratch_bytes`](AttentionBackward::scratch_bytes) returns for the threads of the pool.
    ///
    /// # Safety
    /// The pointers are valid for everything that sizes and steps reach and are aligned to their elements. Results overlap nothing else.
    /// Keys and values are stored as f32. `scratch` begins on a cache line.
    pub unsafe fn run(
        &self,
        cpu: Cpu,
        pool: &Pool,
        places: BackwardPlaces,
        keys: Keys<'_>,
        scratch: &mut [u8],
    ) -> Result<(), String> {
        let tiling = self.cut(cpu);
        let each = self.bytes(&tiling);
        if scratch.len() < pool.threads() * each {
            let threads = pool.threads();
            return Err(format!("scratch memory of attention_backward is too small for {threads} threads"));
        }
        let scratch = SharedPtr::new(scratch.as_mut_ptr());
        pool.run_if_worth(self.nanoseconds(), self.0.batch * self.0.kv_heads, |task| {
            // SAFETY: there is scratch memory for each thread, and no two tasks run with the same number at the same time.
            let memory =
                unsafe { Memory::new(self, &tiling, &mut Carver::new(scratch.add(task.worker * each))) };
            let (batch, kv_head) = (task.index / self.0.kv_heads, task.index % self.0.kv_heads);
            let own = self.of_length(keys(batch));
            let head = Head { plan: &own.0, tiling: &tiling, places, batch, kv_head };
            let (of_weights, of_queries) = (own.of_weights(), own.of_queries());
            cpu.dispatch(Task { of_weights, of_queries, head, capacity: self.0.seq_k, memory });
        });
        Ok(())
    }
}

/// The memory of a task.
struct Memory {
    /// A tile of rows of queries, or of cotangents of results.
    tile: Rows,
    /// A chunk of keys and one of values, with a column per key; and a chunk of keys with a row per key.
    keys: PanelCache,
    values: PanelCache,
    key_rows: PanelCache,
    /// Weights of a block and their cotangents; with a soft cap also the scores.
    weights: Rows,
    cotangents: Rows,
    scores: Rows,
    /// The rows of dq for a block.
    queries: *mut f32,
    /// A block's queries, or cotangents of results, as panels.
    panels: *mut f32,
    /// Sums for dk and dv. If there are several stretches of query rows, totals and errors follow them.
    dk: *mut f32,
    dv: *mut f32,
    /// A row of the mask.
    mask: *mut f32,
}

impl Memory {
    /// # Safety
    /// `carver` has as many bytes left as [`AttentionBackward::bytes`] returns.
    unsafe fn new(plan: &AttentionBackward, tiling: &Tiling, carver: &mut Carver) -> Memory {
        // SAFETY: the caller vouches for the memory.
        let parts = plan.parts(tiling).map(|len| unsafe { carver.take::<f32>(len) });
        let [tile, keys, values, key_rows, weights, cotangents, scores, queries, panels, dk, dv, mask] =
            parts;
        Memory {
            tile: Rows::new(tile, tiling.tile.rows),
            // Operands are f32, so nothing is read into a stage.
            keys: PanelCache::new(keys, std::ptr::null_mut()),
            values: PanelCache::new(values, std::ptr::null_mut()),
            key_rows: PanelCache::new(key_rows, std::ptr::null_mut()),
            weights: Rows::new(weights, tiling.group),
            cotangents: Rows::new(cotangents, tiling.group),
            scores: Rows::new(scores, tiling.group),
            queries,
            panels,
            dk,
            dv,
            mask,
        }
    }
}

/// One task: a batch and key head.
struct Task<'a> {
    of_weights: Attention,
    of_queries: Attention,
    head: Head<'a>,
    /// Number of keys that have cotangents, although only the keys of the plan count.
    capacity: usize,
    memory: Memory,
}

impl Kernel for Task<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(mut self, token: S) {
        let Head { plan, tiling, places, .. } = self.head;
        let (rows, most) = (plan.rows(), tiling.block.max(1));
        // SAFETY: `run` vouches for the operands, and for scratch memory of the size that `parts` returns.
        unsafe {
            for (sums, width) in [(self.memory.dk, plan.d), (self.memory.dv, plan.dv)] {
                sums.write_bytes(0, plan.seq_k * tiling.padded(width));
            }
            for first in (0..rows).step_by(most) {
                let end = (first + most).min(rows);
                self.block(token, first..end);
                if end == rows || end.is_multiple_of(RUNS * most) {
                    self.end_stretch(token, [end <= RUNS * most, end == rows]);
                }
            }
            let own = self.head.block_of(plan, [places.q, places.k, places.v], std::ptr::null_mut());
            for (sums, to, steps, width) in
                [(self.memory.dk, places.dk, plan.k, plan.d), (self.memory.dv, places.dv, plan.v, plan.dv)]
            {
                for key in 0..plan.seq_k {
                    let to = to.add(own.of_key(&steps, key));
                    to.copy_from_nonoverlapping(sums.add(key * tiling.padded(width)), width);
                }
                for key in plan.seq_k..self.capacity {
                    to.add(own.of_key(&steps, key)).write_bytes(0, width);
                }
            }
        }
    }
}

impl Task<'_> {
    /// Adds the sums of a stretch of query rows to those of the previous stretches.
    ///
    /// # Safety
    /// As for [`AttentionBackward::run`].
    #[inline(always)]
    unsafe fn end_stretch<S: Simd>(&self, token: S, ends: [bool; 2]) {
        let Head { plan, tiling, .. } = self.head;
        for (sums, width) in [(self.memory.dk, plan.d), (self.memory.dv, plan.dv)] {
            let padded = tiling.padded(width);
            let (len, behind) = (plan.seq_k * padded, self.capacity * padded);
            // SAFETY: there are sums for all keys and, if there are several stretches, totals and errors after them.
            unsafe {
                add_stretch::<S::F32>(token, sums, behind, len, ends);
                if !ends[1] {
                    sums.write_bytes(0, len);
                }
            }
        }
    }

    /// Computes the contributions of a block of query rows.
    ///
    /// # Safety
    /// As for [`AttentionBackward::run`].
    #[inline(always)]
    unsafe fn block<S: Simd>(&mut self, token: S, rows: Range<usize>) {
        let (plan, places, memory, head) = (self.head.plan, &self.head.places, &mut self.memory, &self.head);
        let nowhere = std::ptr::null_mut();
        let own = head.block_of(plan, [places.q, places.k, places.v], nowhere);
        let cotangent = head.block_of(&self.of_weights, [places.d_out, places.v, places.v], nowhere);
        let queries = head.block_of(&self.of_queries, [places.q, places.k, places.k], places.dq);
        let keys = plan.keys(rows.clone());
        let keys = Block::first_of(&keys)..keys.end;
        let Memory { weights, cotangents, tile, .. } = *memory;
        // SAFETY: the memory has the size that `parts` returns; the caller vouches for the operands.
        unsafe {
            own.scores(token, &keys, rows.clone(), &mut memory.keys, tile, weights);
            if plan.softcap.is_some() {
                memory.scores.copy(weights, keys.len());
            }
            own.weights(token, &keys, rows.clone(), weights, memory.mask, None);
            cotangent.scores(token, &keys, rows.clone(), &mut memory.values, tile, cotangents);
            let panels = own.panels(token, rows.clone(), places.d_out, &plan.out, plan.dv, memory.panels);
            own.to_keys(token, &keys, rows.clone(), weights, panels, memory.dv);
            for (row, at) in rows.clone().enumerate() {
                let seen = own.seen(&keys, at..at + 1);
                let scores = plan.softcap.map(|cap| (cap, memory.scores));
                of_scores::<S::F32>(token, row, seen, keys.len(), weights, cotangents, plan.scale, scores);
            }
            queries.values(token, &keys, rows.clone(), &mut memory.key_rows, cotangents, memory.queries);
            queries.store(token, rows.clone(), memory.queries, None, 0..queries.plan.dv);
            let panels = own.panels(token, rows.clone(), places.q, &plan.q, plan.d, memory.panels);
            own.to_keys(token, &keys, rows, cotangents, panels, memory.dk);
        }
    }
}

/// A batch and key head.
#[derive(Clone, Copy)]
struct Head<'a> {
    plan: &'a Attention,
    tiling: &'a Tiling,
    places: BackwardPlaces,
    batch: usize,
    kv_head: usize,
}

impl Head<'_> {
    /// The head's rows as those of an attention on other operands.
    #[inline(always)]
    fn block_of<'a>(&'a self, plan: &'a Attention, [q, k, v]: [*const f32; 3], out: *mut f32) -> Block<'a> {
        let places = Places { q, k: k.cast(), v: v.cast(), operand: self.places.operand, out };
        Block { plan, tiling: self.tiling, places, batch: self.batch, kv_head: self.kv_head }
    }
}

impl Block<'_> {
    /// Adds the rows of the panels to the sums of each key, weighted with the block's weights of that key.
    ///
    /// # Safety
    /// `weights` are those of `keys`, `panels` hold the block's rows, and rows and keys exist.
    #[inline(always)]
    unsafe fn to_keys<S: Simd>(
        self,
        token: S,
        keys: &Range<usize>,
        rows: Range<usize>,
        weights: Rows,
        panels: Panels,
        sums: *mut f32,
    ) {
        let step = self.tiling.padded(panels.layout.n);
        for run in (0..keys.len()).step_by(K_RUN) {
            let count = K_RUN.min(keys.len() - run);
            let tiles = count.div_ceil(self.tiling.tile.rows);
            for tile in 0..tiles {
                let part = gemm::part(count, tiles, tile);
                let (first, end) = (run + part.start, run + part.end);
                let sees = |row: &usize| {
                    let at = rows.start + row;
                    let seen = self.seen(keys, at..at + 1);
                    seen.start < end && first < seen.end
                };
                let Some(from) = (0..rows.len()).find(sees) else { continue };
                let Some(last) = (from..rows.len()).rfind(sees) else { continue };
                let product = Product {
                    rows: part.len(),
                    left: weights.at(from, first),
                    run_step: 0,
                    right: panels,
                    from,
                    k: last + 1 - from,
                    step,
                    resume: true,
                };
                // SAFETY: the keys lie in `sums`, which has room for whole vectors.
                unsafe {
                    product.run::<S, true>(token, 0..panels.layout.panels(), |column| {
                        sums.wrapping_add((keys.start + first) * step + column)
                    });
                }
            }
        }
    }

    /// Packs query rows of a matrix with these steps as panels.
    ///
    /// # Safety
    /// The matrix has the rows, and `room` has space for a block of them.
    #[inline(always)]
    unsafe fn panels<S: Simd>(
        &self,
        token: S,
        rows: Range<usize>,
        from: *const f32,
        steps: &Steps,
        width: usize,
        room: *mut f32,
    ) -> Panels {
        let panels = Panels::new(room, rows.len(), width, self.tiling.tile);
        let by_row = gemm::Steps { row: steps.seq, col: 1 };
        for part in self.same_head(rows.clone()) {
            // SAFETY: the caller vouches for rows and room.
            unsafe {
                let source = from.add(self.offset(steps, part.start));
                panels.fill(token, part.start - rows.start..part.end - rows.start, source, by_row);
            }
        }
        panels
    }
}

/// Converts the cotangents of a row of weights to those of its products q·k: weights · (cotangents − Σ weights · cotangents) · scale, and
/// with a soft cap times its slope at the products. Only the keys `seen` have cotangents; those of the other keys, up to `width`, are 0.
///
/// # Safety
/// Weights, cotangents and products have the row.
#[inline(always)]
#[allow(clippy::too_many_arguments)]
unsafe fn of_scores<V: F32Vector>(
    token: V::Token,
    row: usize,
    seen: Range<usize>,
    width: usize,
    weights: Rows,
    cotangents: Rows,
    scale: f32,
    cap: Option<(f32, Rows)>,
) {
    let zero = V::splat(token, 0.0);
    let mut sum = Total::new(token);
    // SAFETY: runs have room for whole vectors starting at any key.
    unsafe {
        for (at, len, start) in cotangents.runs(row, seen.start, seen.end) {
            let (weights, mut of_run) = (weights.at(row, at), zero);
            for j in (0..len).step_by(V::LANES) {
                let product = V::load(token, weights.add(j)) * V::load(token, start.add(j));
                of_run = of_run + keep_first(token, product, len - j, zero);
            }
            sum.add([of_run]);
        }
        let [sum] = sum.get();
        let shared = V::splat(token, sum.sum_lanes());
        let factor = V::splat(token, scale);
        for (at, len, start) in cotangents.runs(row, seen.start, seen.end) {
            let weights = weights.at(row, at);
            for j in (0..len).step_by(V::LANES) {
                let centered = V::load(token, start.add(j)) - shared;
                let mut x = V::load(token, weights.add(j)) * centered * factor;
                if let Some((cap, products)) = cap {
                    let products = V::load(token, products.at(row, at).add(j));
                    let t = vector::tanh(products * factor / V::splat(token, cap));
                    x = x * (V::splat(token, 1.0) - t * t);
                }
                x.store(start.add(j));
            }
        }
        cotangents.clear(row, 0, seen.start);
        cotangents.clear(row, seen.end, width);
    }
}
