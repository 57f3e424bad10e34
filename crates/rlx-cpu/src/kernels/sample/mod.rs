//! Kernel of `sample`: draws the next tokens. Each row of logits is processed separately, by one thread. The candidates that matter are
//! found with the maxima of blocks of adjacent tokens, so that a vocabulary of which few tokens are kept is never sorted.

mod draw;
mod largest;
mod nucleus;
mod row;

use super::elementwise::threads;
use super::{PrepareContext, lines_of, missing};
use crate::exec::{LaunchContext, OpKernel, RunError};
use largest::{Search, blocks};
use rlx_compile::BackendError;
use rlx_compile::memory::Needs;
use rlx_ir::{DType, LogitFilter, Op, Shape};
use row::{Given, Memory, RowCandidates};
use std::ops::Range;

/// Approximate picoseconds per token.
const PICOSECONDS: u64 = 500;

/// Returns whether the op has a kernel for these operands.
pub(crate) fn claims(_: &Op, operands: &[Shape]) -> bool {
    operands.iter().skip(1).all(|operand| operand.dtype() == DType::F32)
}

/// Prepares the kernel of a draw.
pub(crate) fn prepare(cx: &PrepareContext<'_>) -> Result<Box<dyn OpKernel>, BackendError> {
    let (dims, left) = (cx.dims(1), super::sizes(&cx.node.results()[1]));
    match (cx.node.op(), dims.split_last(), left.last()) {
        (Op::Sample { filters, greedy }, Some((&vocab, rows)), Some(&count)) => Ok(Box::new(Sample {
            filters: filters.clone(),
            greedy: *greedy,
            rows: rows.iter().product(),
            vocab,
            count,
            reads_counts: filters.iter().any(reads_counts),
            reads_bias: filters.contains(&LogitFilter::Bias),
            threads: cx.threads,
        })),
        _ => missing(cx),
    }
}

fn reads_counts(filter: &LogitFilter) -> bool {
    matches!(filter, LogitFilter::Repetition(_) | LogitFilter::Frequency(_) | LogitFilter::Presence(_))
}

struct Sample {
    filters: Vec<LogitFilter>,
    greedy: bool,
    rows: usize,
    vocab: usize,
    /// Number of candidates that are left of a row.
    count: usize,
    /// Whether a filter reads counts, and whether one reads a bias. An operand that no filter reads may have any dimensions.
    reads_counts: bool,
    reads_bias: bool,
    threads: usize,
}

impl Sample {
    /// Returns the counts of numbers in scratch memory for shares and for ranks.
    fn normalized(&self) -> [usize; 2] {
        let typical = self.filters.iter().any(|f| matches!(f, LogitFilter::Typical(_)));
        let shares = typical || self.filters.iter().any(|f| matches!(f, LogitFilter::TopP(_)));
        [shares, typical].map(|needed| if needed { self.vocab } else { 0 })
    }

    /// Returns the bytes of scratch memory for words, for f32 logits, shares, ranks and two numbers per block, and for token ids.
    fn parts(&self) -> [usize; 7] {
        let ([shares, ranks], blocks) = (self.normalized(), lines_of::<f32>(blocks(self.vocab)));
        [
            lines_of::<u64>(self.vocab),
            lines_of::<f32>(self.vocab),
            lines_of::<f32>(shares),
            lines_of::<f32>(ranks),
            blocks,
            blocks,
            lines_of::<u32>(self.vocab),
        ]
    }

    fn scratch_bytes(&self) -> usize {
        self.parts().into_iter().fold(0, usize::saturating_add)
    }

    /// # Safety
    /// `scratch` has `scratch_bytes` bytes, is aligned to a cache line, and is used by this task only.
    unsafe fn memory<'m>(&self, scratch: *mut u8) -> Memory<'m> {
        let ([shares, ranks], blocks, mut next) = (self.normalized(), blocks(self.vocab), scratch);
        let starts = self.parts().map(|bytes| {
            let start = next;
            next = start.wrapping_add(bytes);
            start
        });
        // SAFETY: the parts have the lengths that `parts` returns and are next to each other on cache lines; any bytes are valid numbers.
        unsafe {
            let numbers = |part: usize, len| std::slice::from_raw_parts_mut(starts[part].cast::<f32>(), len);
            Memory {
                search: Search {
                    words: std::slice::from_raw_parts_mut(starts[0].cast(), self.vocab),
                    blocks: [numbers(4, blocks), numbers(5, blocks)],
                },
                logits: numbers(1, self.vocab),
                shares: numbers(2, shares),
                ranks: numbers(3, ranks),
                ids: std::slice::from_raw_parts_mut(starts[6].cast(), self.vocab),
            }
        }
    }

    /// # Safety
    /// `which` is a row that no other task has, and `scratch` is as [`memory`](Self::memory) requires.
    unsafe fn row(&self, cx: &LaunchContext<'_>, which: usize, scratch: *mut u8) {
        let part = |operand: usize| &cx.input::<f32>(operand)[which * self.vocab..][..self.vocab];
        let given = Given {
            logits: part(1),
            counts: if self.reads_counts { part(2) } else { &[] },
            bias: if self.reads_bias { cx.input(3) } else { &[] },
        };
        // SAFETY: the caller's promise.
        let mut row = RowCandidates::new(cx.cpu, given, unsafe { self.memory(scratch) });
        self.filters.iter().for_each(|filter| row.filter(*filter));
        let logits = row.logits();
        let place = if self.greedy {
            draw::most_likely(cx.cpu, logits)
        } else {
            let key = cx.input::<u32>(0);
            draw::drawn(cx.cpu, logits, [key[0], key[1]], which as u64 * self.count as u64)
        };
        // SAFETY: results have a token and `count` candidates for each row, and only this task writes them.
        let [kept, ids] = unsafe {
            cx.output_ptr(0).cast::<i32>().add(which).write(row.token(place) as i32);
            let at = which * self.count;
            [cx.output_ptr(1).cast::<u32>().add(at), cx.output_ptr(2).cast::<u32>().add(at)]
                .map(|start| std::slice::from_raw_parts_mut(start, self.count))
        };
        let (front, behind) = kept.split_at_mut(logits.len());
        front.iter_mut().zip(logits).for_each(|(to, x)| *to = x.to_bits());
        behind.fill(f32::NEG_INFINITY.to_bits());
        let (front, behind) = ids.split_at_mut(logits.len());
        for (place, (id, x)) in front.iter_mut().zip(logits).enumerate() {
            *id = if *x == f32::NEG_INFINITY { u32::MAX } else { row.token(place) };
        }
        behind.fill(u32::MAX);
    }
}

impl OpKernel for Sample {
    fn needs(&self) -> Needs {
        Needs { scratch_bytes: self.scratch_bytes().saturating_mul(self.threads), in_place: Vec::new() }
    }

    fn run(&self, cx: &mut LaunchContext<'_>) -> Result<(), RunError> {
        let tokens = (self.rows as u64).saturating_mul(self.vocab as u64);
        let nanoseconds = tokens.saturating_mul(PICOSECONDS) / 1_000;
        let body = |cx: &LaunchContext<'_>, rows: Range<usize>, scratch: *mut u8| {
            // SAFETY: the rows of the range belong to this call, and so does the scratch memory.
            rows.for_each(|which| unsafe { self.row(cx, which, scratch) });
        };
        // SAFETY: each row belongs to one range, which alone writes its results.
        unsafe { threads::for_ranges(cx, self.scratch_bytes(), nanoseconds, self.rows, 1, body) };
        Ok(())
    }
}
