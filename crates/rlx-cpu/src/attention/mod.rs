//! Attention of f32 that never holds the whole matrix of scores.
//!
//! The query rows of the heads that share a key head are one list; a task takes a block of that list, with all its
//! scores, in scratch memory: products with transposed tiles of keys ([`product`]), the weights of each row
//! ([`weights`]), products with the values. Nothing is summed across tasks, and blocks do not depend on the number of
//! threads, so neither do results.
//!
//! This module owns the algorithm on strided operands; it knows nothing of graphs or ops.

mod backward;
mod mask;
mod product;
mod weights;

pub(crate) use backward::{AttentionBackward, BackwardPlaces};
pub(crate) use mask::{Operand, OperandKind, Visible};

use crate::isa::Cpu;
use crate::pool::Pool;
use crate::simd::{Kernel, Simd};
use product::ROWS;
use std::ops::Range;
use weights::{Edit, Extra};

/// Distances, in elements, of an operand `[batch, heads, seq, d]` whose `d` are contiguous.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Steps {
    pub(crate) batch: usize,
    pub(crate) head: usize,
    pub(crate) seq: usize,
}

/// An attention: sizes, where operands lie, and which keys count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Attention {
    pub(crate) batch: usize,
    pub(crate) kv_heads: usize,
    /// Query heads a key head.
    pub(crate) group: usize,
    pub(crate) seq_q: usize,
    pub(crate) seq_k: usize,
    /// Size of a query and of a key; of a value.
    pub(crate) d: usize,
    pub(crate) dv: usize,
    pub(crate) q: Steps,
    pub(crate) k: Steps,
    pub(crate) v: Steps,
    pub(crate) out: Steps,
    pub(crate) scale: f32,
    pub(crate) softcap: Option<f32>,
    pub(crate) visible: Visible,
    /// A mask or bias.
    pub(crate) operand: Option<Operand>,
}

/// Where the operands begin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Places {
    pub(crate) q: *const f32,
    pub(crate) k: *const f32,
    pub(crate) v: *const f32,
    /// The mask or bias; not read if there is none.
    pub(crate) operand: *const u8,
    pub(crate) out: *mut f32,
}

// SAFETY: only pointers stand against it; who calls `run` vouches for what they point to.
unsafe impl Send for Places {}
// SAFETY: as above.
unsafe impl Sync for Places {}

/// Scores of a block, about: they stay in the second-level cache.
const BLOCK_SCORES: usize = 1 << 16;
/// Query rows of a block at most, and at least where the keys are few enough.
const BLOCK_ROWS: (usize, usize) = (64, 16);
/// Scores of a block at most, where that leaves any choice.
const MOST_SCORES: usize = 1 << 20;
/// Elements of a tile of keys, about.
const TILE: usize = 1 << 13;
/// Keys are padded to a multiple of this: the widest step of the products.
const KEY_STEP: usize = 64;
/// Values that are summed in registers before the sum goes to the result.
const VALUE_RUN: usize = 256;
/// Multiply-adds of one thread in a nanosecond, about.
const RATE: usize = 20;

impl Attention {
    /// Query rows that share keys.
    fn rows(&self) -> usize {
        self.group * self.seq_q
    }

    /// Elements from one row of scores to the next: room for whole vectors from any key on.
    fn score_step(&self) -> usize {
        self.seq_k.next_multiple_of(KEY_STEP) + 16
    }

    fn block_rows(&self) -> usize {
        let step = self.score_step();
        let rows = (BLOCK_SCORES / step).clamp(BLOCK_ROWS.1, BLOCK_ROWS.0).min((MOST_SCORES / step).max(1));
        rows.next_multiple_of(ROWS).min(self.rows().next_multiple_of(ROWS))
    }

    fn tile_keys(&self) -> usize {
        let keys = (TILE / self.d.max(1)).clamp(KEY_STEP, 4 * KEY_STEP) / KEY_STEP * KEY_STEP;
        keys.min(self.seq_k.next_multiple_of(KEY_STEP))
    }

    /// Scratch elements of one thread: a tile of keys, scores, a row of the mask.
    fn thread_scratch(&self) -> usize {
        let tile = (self.d * self.tile_keys()).next_multiple_of(16);
        tile + (self.block_rows() + 1) * self.score_step()
    }

    /// Scratch bytes that a run on so many threads needs.
    pub(crate) fn scratch_bytes(&self, threads: usize) -> usize {
        threads * self.thread_scratch() * size_of::<f32>()
    }

    fn nanoseconds(&self) -> u64 {
        let scores = self.batch * self.kv_heads * self.rows() * self.seq_k;
        (scores as u64).saturating_mul((self.d + self.dv + 16) as u64) / RATE as u64
    }

    /// Runs the attention. Scratch memory for as many threads as fit is used.
    ///
    /// # Safety
    /// The places are valid for all that sizes and steps reach, are aligned to their elements, and `out` overlaps
    /// nothing else.
    pub(crate) unsafe fn run(
        &self,
        cpu: Cpu,
        pool: &Pool,
        places: Places,
        scratch: &mut [f32],
    ) -> Result<(), String> {
        let rows = self.rows();
        let blocks = rows.div_ceil(self.block_rows().max(1));
        let tasks = self.batch * self.kv_heads * blocks;
        if tasks == 0 || self.dv == 0 {
            return Ok(());
        }
        if scratch.len() < pool.threads() * self.thread_scratch() {
            return Err(format!("attention has scratch memory for fewer than {} threads", pool.threads()));
        }
        let scratch = Shared(scratch.as_mut_ptr());
        pool.run_if_worth(self.nanoseconds(), tasks, |task| {
            let (head, block) = (task.index / blocks, task.index % blocks);
            let first = block * self.block_rows();
            cpu.dispatch(Block {
                plan: self,
                places,
                batch: head / self.kv_heads,
                kv_head: head % self.kv_heads,
                rows: first..(first + self.block_rows()).min(rows),
                // SAFETY: there is scratch memory for each thread, and no two tasks run under one number at once.
                scratch: unsafe { scratch.at(task.worker * self.thread_scratch()) },
            });
        });
        Ok(())
    }
}

/// Scratch memory that the threads divide among them.
#[derive(Clone, Copy)]
struct Shared(*mut f32);

// SAFETY: each thread uses a part of its own.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}

impl Shared {
    /// # Safety
    /// The offset lies within the scratch memory.
    unsafe fn at(&self, offset: usize) -> *mut f32 {
        // SAFETY: the caller vouches for the offset.
        unsafe { self.0.add(offset) }
    }
}

/// One task: query rows `rows` of a batch and key head.
struct Block<'a> {
    plan: &'a Attention,
    places: Places,
    batch: usize,
    kv_head: usize,
    rows: Range<usize>,
    scratch: *mut f32,
}

impl Block<'_> {
    /// Query head and position of a row.
    #[inline(always)]
    fn position(&self, row: usize) -> (usize, usize) {
        (self.kv_head * self.plan.group + row / self.plan.seq_q, row % self.plan.seq_q)
    }

    #[inline(always)]
    fn offset(&self, steps: &Steps, row: usize) -> usize {
        let (head, at) = self.position(row);
        self.batch * steps.batch + head * steps.head + at * steps.seq
    }

    /// Four rows from `first` on; the last stands for those that there are not.
    #[inline(always)]
    fn four(&self, first: usize) -> [usize; ROWS] {
        let last = self.rows.end - 1;
        [first, (first + 1).min(last), (first + 2).min(last), (first + 3).min(last)]
    }

    /// Keys that any row of the block sees.
    #[inline(always)]
    fn keys(&self) -> Range<usize> {
        let (mut start, mut end) = (usize::MAX, 0);
        for row in self.rows.clone() {
            let own = self.plan.visible.keys(self.position(row).1, self.plan.seq_q, self.plan.seq_k);
            if own.start < own.end {
                (start, end) = (start.min(own.start), end.max(own.end));
            }
        }
        start..end
    }
}

impl Kernel for Block<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, token: S) {
        let keys = self.keys();
        if keys.start >= keys.end {
            for row in self.rows.clone() {
                // SAFETY: the row exists.
                unsafe { self.places.out.add(self.offset(&self.plan.out, row)).write_bytes(0, self.plan.dv) };
            }
            return;
        }
        let tile = (self.plan.d * self.plan.tile_keys()).next_multiple_of(16);
        // SAFETY: `run` vouches for operands, and for scratch memory of the size that `thread_scratch` says.
        unsafe {
            let scores = self.scratch.add(tile);
            let mask = scores.add(self.plan.block_rows() * self.plan.score_step());
            self.scores(token, &keys, self.scratch, scores);
            self.weights(token, &keys, scores, mask);
            self.values(token, &keys, scores);
        }
    }
}

impl Block<'_> {
    /// q·kᵀ of all rows and `keys`, unscaled.
    ///
    /// # Safety
    /// `tile` and `scores` are the scratch memory for them.
    #[inline(always)]
    unsafe fn scores<S: Simd>(&self, token: S, keys: &Range<usize>, tile: *mut f32, scores: *mut f32) {
        let plan = self.plan;
        let (step, most) = (plan.score_step(), plan.tile_keys());
        let mut at = keys.start;
        while at < keys.end {
            let count = most.min(keys.end - at);
            // SAFETY: keys and rows exist; the products write whole key steps, for which a row of scores has room.
            unsafe {
                let k = self
                    .places
                    .k
                    .add(self.batch * plan.k.batch + self.kv_head * plan.k.head + at * plan.k.seq);
                let padded = product::transposed::<S>(token, k, plan.k.seq, count, plan.d, tile, most);
                let mut row = self.rows.start;
                while row < self.rows.end {
                    let q = self.four(row);
                    let q = [
                        self.places.q.add(self.offset(&plan.q, q[0])),
                        self.places.q.add(self.offset(&plan.q, q[1])),
                        self.places.q.add(self.offset(&plan.q, q[2])),
                        self.places.q.add(self.offset(&plan.q, q[3])),
                    ];
                    let to = scores.add((row - self.rows.start) * step + (at - keys.start));
                    product::scores::<S>(token, q, plan.d, tile, most, padded, to, step);
                    row += ROWS;
                }
            }
            at += count;
        }
    }

    /// Turns scores into weights, row by row.
    ///
    /// # Safety
    /// `scores` is the scratch memory that [`scores`](Block::scores) filled, `mask` has room for a row.
    #[inline(always)]
    unsafe fn weights<S: Simd>(&self, token: S, keys: &Range<usize>, scores: *mut f32, mask: *mut f32) {
        let plan = self.plan;
        let mut ready = usize::MAX;
        for row in self.rows.clone() {
            let (head, at) = self.position(row);
            // SAFETY: the mask has elements for each position, by its steps; a row has room for the keys.
            let extra = unsafe {
                match &plan.operand {
                    None => Extra::None,
                    Some(operand) => {
                        let offset = operand.offset(self.batch, head, at, keys.start);
                        let values =
                            operand.row(self.places.operand, offset, keys.len(), mask, ready == offset);
                        ready = offset;
                        if operand.kind == OperandKind::Bias {
                            Extra::Bias(values)
                        } else {
                            Extra::Mask(values)
                        }
                    }
                }
            };
            let own = plan.visible.keys(at, plan.seq_q, plan.seq_k);
            let edit = Edit {
                scale: plan.scale,
                softcap: plan.softcap,
                extra,
                zero_if_empty: plan.visible != Visible::All || plan.operand.is_some(),
            };
            let from = own.start.clamp(keys.start, keys.end) - keys.start;
            let to = own.end.clamp(keys.start, keys.end) - keys.start;
            // SAFETY: the row has room for whole vectors from any of its keys on.
            unsafe {
                let row = scores.add((row - self.rows.start) * plan.score_step());
                weights::weights::<S::F32>(token, row, from, to, keys.len(), &edit);
            }
        }
    }

    /// weights · v of all rows.
    ///
    /// # Safety
    /// `scores` holds the weights of `keys`.
    #[inline(always)]
    unsafe fn values<S: Simd>(&self, token: S, keys: &Range<usize>, scores: *const f32) {
        let plan = self.plan;
        let mut at = keys.start;
        while at < keys.end {
            let count = VALUE_RUN.min(keys.end - at);
            let mut row = self.rows.start;
            while row < self.rows.end {
                let rows = self.four(row);
                // SAFETY: rows and keys exist.
                unsafe {
                    let v = self
                        .places
                        .v
                        .add(self.batch * plan.v.batch + self.kv_head * plan.v.head + at * plan.v.seq);
                    let first = scores.add(at - keys.start);
                    let (start, step) = (self.rows.start, plan.score_step());
                    let p = [
                        first.add((rows[0] - start) * step),
                        first.add((rows[1] - start) * step),
                        first.add((rows[2] - start) * step),
                        first.add((rows[3] - start) * step),
                    ];
                    let out = [
                        self.places.out.add(self.offset(&plan.out, rows[0])),
                        self.places.out.add(self.offset(&plan.out, rows[1])),
                        self.places.out.add(self.offset(&plan.out, rows[2])),
                        self.places.out.add(self.offset(&plan.out, rows[3])),
                    ];
                    product::values::<S>(token, p, count, v, plan.v.seq, plan.dv, out, at > keys.start);
                }
                row += ROWS;
            }
            at += count;
        }
    }
}
