//! Attention of f32 on slices, forward and backward, without the whole matrix of scores.
//!
//! The query rows of all heads that share a key head form one list, and a task takes a block of that list (`tiling`). It packs keys and
//! values as panels. Then it goes through its rows in groups. For each group it computes the scores, the weights of each row (`weights`),
//! and the weighted sum of the values (`block`), all with the register tile of matrix products (`matrices`). If all keys fit in one chunk,
//! a group is one tile of rows, and its scores stay in the first-level cache. If few query rows share a key head, as when a sequence grows
//! by one position, keys and values are read in place, and their rows are divided among tasks too (`few`). Sums over very many keys are
//! computed in stretches (`stretch`). Keys and values may be stored in other types (`stored`).
//!
//! In all cases an element is computed with the same operations in the same order. So the result of a query row depends neither on the
//! number of threads nor on the other rows.
//!
//! This crate owns the algorithm on strided operands. It knows nothing of graphs or ops.

mod backward;
mod block;
mod few;
mod mask;
mod matrices;
mod stored;
mod stretch;
mod tiling;
mod weights;

pub use backward::{AttentionBackward, BackwardPlaces};
pub use mask::{Operand, OperandKind, Visible};
pub use stored::Storage;

use block::{Block, Task};
use rlx_gemm::buffer::Carver;
use rlx_pool::{Pool, SharedPtr};
use rlx_simd::isa::Cpu;
use std::ops::Range;
use tiling::{Memory, Tiling};

/// Returns how many keys of each sequence of the batch count.
pub type Keys<'a> = &'a (dyn Fn(usize) -> usize + Sync);

/// Strides, in elements, of an operand `[batch, heads, seq, d]`. The elements along `d` are contiguous.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Steps {
    /// From one sequence to the next.
    pub batch: usize,
    /// From one head to the next.
    pub head: usize,
    /// From one row to the next.
    pub seq: usize,
}

/// An attention: its sizes, the layout of its operands, and which keys count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attention {
    /// Number of sequences.
    pub batch: usize,
    /// Number of heads of keys and values.
    pub kv_heads: usize,
    /// Number of query heads per key head.
    pub group: usize,
    /// Number of queries per head.
    pub seq_q: usize,
    /// Number of keys that count. If runs say how many keys count, this is the capacity.
    pub seq_k: usize,
    /// Whether runs say how many keys count. If so, the result for a query that sees no key is zeros.
    pub is_limited: bool,
    /// Size of a query and of a key.
    pub d: usize,
    /// Size of a value.
    pub dv: usize,
    /// Strides of queries.
    pub q: Steps,
    /// Strides of keys, in stored elements.
    pub k: Steps,
    /// Strides of values, in stored elements.
    pub v: Steps,
    /// How keys are stored.
    pub k_storage: Storage,
    /// How values are stored.
    pub v_storage: Storage,
    /// Strides of results.
    pub out: Steps,
    /// The factor that scores are multiplied by.
    pub scale: f32,
    /// The soft cap `c`: scores become `c · tanh(score / c)`.
    pub softcap: Option<f32>,
    /// Which keys a query sees by its position.
    pub visible: Visible,
    /// A mask or bias.
    pub operand: Option<Operand>,
}

/// Pointers to the first elements of the operands and the result.
#[derive(Clone, Copy, Debug)]
pub struct Places {
    /// Queries.
    pub q: *const f32,
    /// Keys.
    pub k: *const u8,
    /// Values.
    pub v: *const u8,
    /// The mask or bias; not read if there is none.
    pub operand: *const u8,
    /// Results.
    pub out: *mut f32,
}

// SAFETY: only the pointers keep it from being `Send`; the caller of `run` vouches for what they point to.
unsafe impl Send for Places {}
// SAFETY: threads that share it only copy the pointers; the caller of `run` vouches that operands are only read and that each part of `out`
// is written by one task.
unsafe impl Sync for Places {}

/// Approximate multiply-adds per nanosecond on one thread.
const RATE: usize = 40;

impl Attention {
    /// Number of query rows that share keys.
    fn rows(&self) -> usize {
        self.group * self.seq_q
    }

    /// Query head and position of a row.
    #[inline(always)]
    fn position(&self, kv_head: usize, row: usize) -> (usize, usize) {
        (kv_head * self.group + row / self.seq_q, row % self.seq_q)
    }

    /// The keys that any of these rows sees.
    #[inline(always)]
    fn keys(&self, rows: Range<usize>) -> Range<usize> {
        if self.visible == Visible::All {
            return 0..self.seq_k;
        }
        let (mut start, mut end, mut row) = (usize::MAX, 0, rows.start);
        while row < rows.end {
            // Within one query head, later rows see later keys.
            let last = ((row / self.seq_q + 1) * self.seq_q).min(rows.end) - 1;
            let own = |row: usize| self.visible.keys(row % self.seq_q, self.seq_q, self.seq_k);
            let (of_first, of_last) = (own(row), own(last));
            if !of_last.is_empty() {
                // If the first row sees no key, the first row after it that sees any sees the first key.
                let from = if of_first.is_empty() { 0 } else { of_first.start };
                (start, end) = (start.min(from), end.max(of_last.end));
            }
            row = last + 1;
        }
        start.min(end)..end
    }

    /// Scratch memory in bytes that a run on `threads` threads needs.
    pub fn scratch_bytes(&self, cpu: Cpu, threads: usize) -> usize {
        if self.is_few() {
            return self.few_bytes(cpu, threads);
        }
        Tiling::new(self, cpu).bytes(self).saturating_mul(threads)
    }

    /// Whether the result for a query that sees no key is zeros rather than NaN.
    fn zero_if_empty(&self) -> bool {
        self.is_limited || self.visible != Visible::All || self.operand.is_some()
    }

    /// The attention for a sequence of which only the first `keys` keys count.
    fn of_length(&self, keys: usize) -> Attention {
        Attention { seq_k: keys.min(self.seq_k), ..*self }
    }

    fn nanoseconds(&self, keys: Keys<'_>) -> u64 {
        let keys = (0..self.batch).map(|batch| keys(batch).min(self.seq_k) as u64).sum::<u64>();
        let scores = keys.saturating_mul((self.kv_heads * self.rows()) as u64);
        scores.saturating_mul((self.d + self.dv + 32) as u64) / RATE as u64
    }

    /// Runs the attention. `keys` returns how many keys of a sequence of the batch count; none after them is read.
    ///
    /// # Errors
    /// If `scratch` has fewer bytes than [`scratch_bytes`](Attention::scratch_bytes) returns for the threads of the pool.
    ///
    /// # Safety
    /// The pointers are valid for everything that sizes and steps reach and are aligned to their elements. `out` overlaps nothing else.
    /// `scratch` begins on a cache line.
    pub unsafe fn run(
        &self,
        cpu: Cpu,
        pool: &Pool,
        places: Places,
        keys: Keys<'_>,
        scratch: &mut [u8],
    ) -> Result<(), String> {
        let rows = self.rows();
        if self.batch * self.kv_heads * rows == 0 || self.dv == 0 {
            return Ok(());
        }
        if self.is_few() {
            // SAFETY: the caller vouches for the pointers and for scratch memory of `scratch_bytes`, which takes few queries into account.
            return unsafe { self.run_few(cpu, pool, places, keys, scratch) };
        }
        let tiling = Tiling::new(self, cpu);
        let blocks = rows.div_ceil(tiling.block.max(1));
        let tasks = self.batch * self.kv_heads * blocks;
        let each = tiling.bytes(self);
        if scratch.len() < pool.threads() * each {
            return Err(format!("scratch memory of attention is too small for {} threads", pool.threads()));
        }
        let scratch = SharedPtr::new(scratch.as_mut_ptr());
        pool.run_if_worth(self.nanoseconds(keys), tasks, |task| {
            let (head, index) = (task.index / blocks, task.index % blocks);
            // SAFETY: there is scratch memory for each thread, and no two tasks run with the same number at the same time.
            let memory =
                unsafe { Memory::new(&tiling, self, &mut Carver::new(scratch.add(task.worker * each))) };
            let (batch, kv_head) = (head / self.kv_heads, head % self.kv_heads);
            let plan = self.of_length(keys(batch));
            let block = Block { plan: &plan, tiling: &tiling, places, batch, kv_head };
            cpu.dispatch(Task { block, rows: rlx_gemm::part(rows, blocks, index), memory });
        });
        Ok(())
    }
}
