//! Attention of f32 that never holds the whole matrix of scores.
//!
//! The query rows of the heads that share a key head are one list; a task takes a block of that list ([`cut`]). It packs
//! keys and values as panels, and for a group of rows after the other computes scores, the weights of each row ([`weights`]),
//! and the sum of the values by these weights ([`block`]), all by the register tile of matrix products ([`matrices`]). Where one
//! chunk holds all keys a group is one tile of rows, whose scores stay in the first-level cache. Nothing is summed across
//! tasks, and blocks do not depend on the number of threads, so neither do results.
//!
//! This module owns the algorithm on strided operands; it knows nothing of graphs or ops.

mod backward;
mod block;
mod cut;
mod mask;
mod matrices;
mod weights;

pub(crate) use backward::{AttentionBackward, BackwardPlaces};
pub(crate) use mask::{Operand, OperandKind, Visible};

use crate::gemm::buffer::Carver;
use crate::isa::Cpu;
use crate::pool::Pool;
use block::{Block, Task};
use cut::{Cut, Memory};
use std::ops::Range;

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
// SAFETY: the pointers are only copied by those who share it; who calls `run` vouches that operands are read and parts
// of `out` written by one task each.
unsafe impl Sync for Places {}

/// Multiply-adds of one thread in a nanosecond, about.
const RATE: usize = 40;

impl Attention {
    /// Query rows that share keys.
    fn rows(&self) -> usize {
        self.group * self.seq_q
    }

    /// Query head and position of a row.
    #[inline(always)]
    fn position(&self, kv_head: usize, row: usize) -> (usize, usize) {
        (kv_head * self.group + row / self.seq_q, row % self.seq_q)
    }

    /// Keys that any of these rows sees.
    #[inline(always)]
    fn keys(&self, rows: Range<usize>) -> Range<usize> {
        if self.visible == Visible::All {
            return 0..self.seq_k;
        }
        let (mut start, mut end, mut row) = (usize::MAX, 0, rows.start);
        while row < rows.end {
            // Of one query head later rows see later keys.
            let last = ((row / self.seq_q + 1) * self.seq_q).min(rows.end) - 1;
            let own = |row: usize| self.visible.keys(row % self.seq_q, self.seq_q, self.seq_k);
            let (of_first, of_last) = (own(row), own(last));
            if !of_last.is_empty() {
                // Where the first row sees no key, the next one that sees any sees the first key.
                let from = if of_first.is_empty() { 0 } else { of_first.start };
                (start, end) = (start.min(from), end.max(of_last.end));
            }
            row = last + 1;
        }
        start.min(end)..end
    }

    /// Scratch bytes that a run on so many threads needs.
    pub(crate) fn scratch_bytes(&self, cpu: Cpu, threads: usize) -> usize {
        Cut::new(self, cpu).bytes(self).saturating_mul(threads)
    }

    fn nanoseconds(&self) -> u64 {
        let scores = self.batch * self.kv_heads * self.rows() * self.seq_k;
        (scores as u64).saturating_mul((self.d + self.dv + 32) as u64) / RATE as u64
    }

    /// Runs the attention. `scratch` is on a cache line.
    ///
    /// # Safety
    /// The places are valid for all that sizes and steps reach, are aligned to their elements, and `out` overlaps
    /// nothing else.
    pub(crate) unsafe fn run(
        &self,
        cpu: Cpu,
        pool: &Pool,
        places: Places,
        scratch: &mut [u8],
    ) -> Result<(), String> {
        let (rows, cut) = (self.rows(), Cut::new(self, cpu));
        let blocks = rows.div_ceil(cut.block.max(1));
        let tasks = self.batch * self.kv_heads * blocks;
        if tasks == 0 || self.dv == 0 {
            return Ok(());
        }
        let each = cut.bytes(self);
        if scratch.len() < pool.threads() * each {
            return Err(format!("attention has scratch memory for fewer than {} threads", pool.threads()));
        }
        let scratch = Shared(scratch.as_mut_ptr());
        pool.run_if_worth(self.nanoseconds(), tasks, |task| {
            let (head, index) = (task.index / blocks, task.index % blocks);
            // SAFETY: there is scratch memory for each thread, and no two tasks run under one number at once.
            let memory = unsafe { Memory::new(&cut, self, &mut Carver::new(scratch.at(task.worker * each))) };
            let (batch, kv_head) = (head / self.kv_heads, head % self.kv_heads);
            let block = Block { plan: self, cut: &cut, places, batch, kv_head };
            cpu.dispatch(Task { block, rows: crate::gemm::part(rows, blocks, index), memory });
        });
        Ok(())
    }
}

/// Scratch memory that the threads divide among them.
#[derive(Clone, Copy)]
struct Shared(*mut u8);

// SAFETY: each thread uses a part of its own.
unsafe impl Send for Shared {}
// SAFETY: threads that share it copy the address, and use the part of their own number.
unsafe impl Sync for Shared {}

impl Shared {
    /// # Safety
    /// The offset lies within the scratch memory.
    unsafe fn at(&self, offset: usize) -> *mut u8 {
        // SAFETY: the caller vouches for the offset.
        unsafe { self.0.add(offset) }
    }
}
