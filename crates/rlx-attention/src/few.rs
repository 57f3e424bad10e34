//! Attention of few query rows, as when a sequence grows by one position: bound by reading keys and values, not by products. A task
//! takes a span of the keys of a batch and key head, reads each once for all rows that share it, and leaves for each row the
//! largest score, the sum of powers and the sum of values; then these are joined span after span (Dao et al.,
//! "Flash-Decoding", 2023). Spans begin at multiples of a constant, so results do not depend on the number of threads.

use super::block::Block;
use super::matrices::Rows;
use super::tiling::Tiling;
use super::weights::Edit;
use super::{Attention, Keys, Places, Storage};
use rlx_gemm::buffer::{Carver, LINE, whole_lines};
use rlx_pool::{Pool, SharedPtr};
use rlx_simd::isa::Cpu;
use rlx_simd::simd::{Kernel, MAX_LANES, Simd, Vector};
use rlx_simd::vector;
use std::ops::Range;

/// Query rows of a key head up to which keys and values are read where they lie.
const MOST_ROWS: usize = 8;
/// Keys of a task.
const SPAN: usize = 512;
/// Keys that are read together: whole vectors of scores, all in one run.
const PIECE: usize = 32;
/// Numbers before the sums of a record, of which the first two are the largest score and the sum of powers.
const HEADER: usize = LINE / size_of::<f32>();

/// How such an attention is divided.
struct SpanPlan {
    tiling: Tiling,
    rows: usize,
    /// Spans of the capacity.
    spans: usize,
    /// Elements that a span leaves for a row.
    record: usize,
    /// Elements of each part of a thread's memory.
    parts: [usize; 5],
}

impl SpanPlan {
    fn new(attention: &Attention, cpu: Cpu) -> SpanPlan {
        let tiling = Tiling::new(attention, cpu);
        let rows = attention.rows();
        let padded = tiling.padded(attention.dv);
        let in_place = [attention.k_storage, attention.v_storage] == [Storage::Single; 2];
        let stage = if in_place { 0 } else { PIECE * tiling.padded(attention.d.max(attention.dv)) };
        let width = SPAN.min(attention.seq_k);
        SpanPlan {
            tiling,
            rows,
            spans: attention.seq_k.div_ceil(SPAN).max(1),
            record: HEADER + padded,
            parts: [Rows::elements(rows, width), stage, rows * padded, rows, width],
        }
    }

    /// A batch and key head of the attention to the keys that count.
    fn block<'a>(&'a self, attention: &'a Attention, places: Places, head: usize) -> Block<'a> {
        let (batch, kv_head) = (head / attention.kv_heads, head % attention.kv_heads);
        Block { plan: attention, tiling: &self.tiling, places, batch, kv_head }
    }

    /// Elements that all spans of a head leave.
    fn records(&self) -> usize {
        if self.spans > 1 { self.spans * self.rows * self.record } else { 0 }
    }

    /// Bytes of a thread's memory.
    fn each(&self) -> usize {
        self.parts.iter().map(|len| whole_lines(len * size_of::<f32>())).sum()
    }
}

/// The memory of a task.
struct Memory {
    /// Scores, then weights, of a span.
    scores: Rows,
    /// Room for keys or values that are not stored as f32.
    stage: *mut f32,
    /// Sums of values, a row for each query row.
    sums: *mut f32,
    /// What they are multiplied with.
    factors: *mut f32,
    /// A row of the mask.
    mask: *mut f32,
}

impl Memory {
    /// # Safety
    /// `carver` has as many bytes left as [`SpanPlan::each`] says.
    unsafe fn new(plan: &SpanPlan, carver: &mut Carver) -> Memory {
        // SAFETY: the caller vouches for the room.
        let [scores, stage, sums, factors, mask] = plan.parts.map(|len| unsafe { carver.take::<f32>(len) });
        Memory { scores: Rows::new(scores, plan.rows), stage, sums, factors, mask }
    }
}

impl Attention {
    /// Whether so few query rows share a key head that keys and values are read where they lie.
    pub(super) fn is_few(&self) -> bool {
        self.rows() <= MOST_ROWS
    }

    /// Scratch bytes for few rows.
    pub(super) fn few_bytes(&self, cpu: Cpu, threads: usize) -> usize {
        let plan = SpanPlan::new(self, cpu);
        let records = plan.records() * self.batch * self.kv_heads;
        whole_lines(records * size_of::<f32>()) + threads * plan.each()
    }

    /// Runs an attention of few rows, of which there are some.
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
            return Err(format!("attention has scratch memory for fewer than {} threads", pool.threads()));
        }
        let plan = &SpanPlan::new(self, cpu);
        let heads = self.batch * self.kv_heads;
        let shared = SharedPtr::new(scratch.as_mut_ptr());
        let of_threads = whole_lines(plan.records() * heads * size_of::<f32>());
        let memory = |worker: usize| {
            // SAFETY: there is memory for each thread behind the records, and no two tasks run under one number at once.
            unsafe { Memory::new(plan, &mut Carver::new(shared.add(of_threads + worker * plan.each()))) }
        };
        let records = |head: usize| {
            let offset = head * plan.records() * size_of::<f32>();
            // There are records for each head.
            (plan.spans > 1).then(|| shared.add(offset).cast::<f32>())
        };
        let nanoseconds = self.nanoseconds(keys);
        pool.run_if_worth(nanoseconds, heads * plan.spans, |task| {
            let (head, span) = (task.index / plan.spans, task.index % plan.spans);
            let own = self.of_length(keys(head / self.kv_heads));
            let (block, memory) = (plan.block(&own, places, head), memory(task.worker));
            cpu.dispatch(Span { plan, block, span, memory, records: records(head) });
        });
        if plan.spans > 1 {
            // A record is read for each span of keys that was.
            pool.run_if_worth(nanoseconds / SPAN as u64, heads, |task| {
                let own = self.of_length(keys(task.index / self.kv_heads));
                let block = plan.block(&own, places, task.index);
                let Memory { sums, factors, .. } = memory(task.worker);
                if let Some(records) = records(task.index) {
                    cpu.dispatch(Join { plan, block, records, sums, factors });
                }
            });
        }
        Ok(())
    }
}

/// One task: the rows of a head over a span of keys.
struct Span<'a> {
    plan: &'a SpanPlan,
    block: Block<'a>,
    span: usize,
    memory: Memory,
    /// Where the head's spans leave what they found; without, there is one span, and the result is written.
    records: Option<*mut f32>,
}

impl Kernel for Span<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, token: S) {
        let all = self.block.plan.keys(0..self.plan.rows);
        let end = all.end.min((self.span + 1) * SPAN);
        let keys = all.start.max(self.span * SPAN).min(end)..end;
        // SAFETY: `run` vouches for operands, and for memory of the sizes that the plan says.
        unsafe {
            self.scores(token, &keys);
            self.powers(token, &keys);
            // Of a span without keys the record says so.
            if self.records.is_none() || !keys.is_empty() {
                self.values(token, &keys);
                self.leave(token);
            }
        }
    }
}

impl Span<'_> {
    /// Keys that are read together, one such after the other.
    #[inline(always)]
    fn pieces(keys: &Range<usize>) -> impl Iterator<Item = Range<usize>> {
        let end = keys.end;
        keys.clone().step_by(PIECE).map(move |first| first..(first + PIECE).min(end))
    }

    /// The record of a row.
    #[inline(always)]
    fn record(&self, records: *mut f32, row: usize) -> *mut f32 {
        records.wrapping_add((self.span * self.plan.rows + row) * self.plan.record)
    }

    /// q·k of all rows and keys.
    ///
    /// # Safety
    /// Operands and memory are those that `run` vouches for.
    #[inline(always)]
    unsafe fn scores<S: Simd>(&self, token: S, keys: &Range<usize>) {
        let (block, attention) = (&self.block, self.block.plan);
        let stored = block.stored_keys();
        for piece in Span::pieces(keys) {
            // SAFETY: the keys exist; a piece of scores lies in one run, which has room for whole vectors.
            unsafe {
                let (from, step) = stored.rows(token, piece.clone(), self.memory.stage);
                for row in 0..self.plan.rows {
                    let q = block.places.q.add(block.offset(&attention.q, row));
                    let to = self.memory.scores.at(row, piece.start - keys.start);
                    dots(token, (q, attention.d), from, step, piece.len(), to);
                }
            }
        }
    }

    /// From scores to powers; factors or records say what of.
    ///
    /// # Safety
    /// As for [`scores`](Span::scores), which were computed.
    #[inline(always)]
    unsafe fn powers<S: Simd>(&self, token: S, keys: &Range<usize>) {
        let (mut ready, memory) = (usize::MAX, &self.memory);
        for row in 0..self.plan.rows {
            // SAFETY: the caller vouches that the keys exist and that their scores were computed into this memory, which has
            // room for all rows of the plan.
            unsafe {
                let (of_row, edit) = self.block.row(keys, row, row, memory.scores, memory.mask, &mut ready);
                match self.records {
                    None => {
                        let factor = of_row.weights::<S::F32>(token, &edit, false);
                        *memory.factors.add(row) = factor;
                    }
                    Some(records) => {
                        // Scores of −∞ alone say nothing of the row's other spans.
                        let edit = Edit { zero_if_empty: true, ..edit };
                        let found = of_row.powers::<S::F32>(token, &edit);
                        let (max, sum) = found.unwrap_or((f32::NEG_INFINITY, 0.0));
                        let record = self.record(records, row);
                        *record = max;
                        *record.add(1) = sum;
                    }
                }
            }
        }
    }

    /// The sums of values by the powers.
    ///
    /// # Safety
    /// As for [`scores`](Span::scores), which are powers now.
    #[inline(always)]
    unsafe fn values<S: Simd>(&self, token: S, keys: &Range<usize>) {
        let (width, padded) = (self.block.plan.dv, self.plan.record - HEADER);
        let stored = self.block.stored_values();
        // SAFETY: the values exist, rows of sums are whole vectors, and a piece of powers lies in one run.
        unsafe {
            self.memory.sums.write_bytes(0, self.plan.rows * padded);
            for piece in Span::pieces(keys) {
                let (from, step) = stored.rows(token, piece.clone(), self.memory.stage);
                for row in 0..self.plan.rows {
                    let powers = self.memory.scores.at(row, piece.start - keys.start);
                    let sums = self.memory.sums.add(row * padded);
                    add_values(token, (powers, piece.len()), from, step, sums, width);
                }
            }
        }
    }

    /// Writes the result, or the sums of values to the records.
    ///
    /// # Safety
    /// As for [`scores`](Span::scores); all else was computed.
    #[inline(always)]
    unsafe fn leave<S: Simd>(&self, token: S) {
        let (rows, memory, padded) = (self.plan.rows, &self.memory, self.plan.record - HEADER);
        // SAFETY: the caller vouches that everything before was computed; sums, factors and records have room for all rows
        // of the plan.
        unsafe {
            let Some(records) = self.records else {
                return self.block.store(token, 0..rows, memory.sums, Some(memory.factors));
            };
            for row in 0..rows {
                let (from, to) = (memory.sums.add(row * padded), self.record(records, row).add(HEADER));
                to.copy_from_nonoverlapping(from, padded);
            }
        }
    }
}

/// What the spans of a head left, joined.
struct Join<'a> {
    plan: &'a SpanPlan,
    block: Block<'a>,
    records: *const f32,
    sums: *mut f32,
    factors: *mut f32,
}

impl Kernel for Join<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, token: S) {
        let Join { plan, block, records, sums, factors } = self;
        let padded = plan.record - HEADER;
        for row in 0..plan.rows {
            let record = |span: usize| records.wrapping_add((span * plan.rows + row) * plan.record);
            // SAFETY: each span left a record of each row, whose sums are whole vectors, as those of `sums` are.
            unsafe {
                let max = (0..plan.spans).map(|span| *record(span)).fold(f32::NEG_INFINITY, f32::max);
                sums.write_bytes(0, padded);
                let mut total = 0.0;
                for span in 0..plan.spans {
                    let (own, sum) = (*record(span), *record(span).add(1));
                    if own == f32::NEG_INFINITY && sum == 0.0 {
                        continue;
                    }
                    let factor = vector::exp(S::F32::splat(token, own - max));
                    total += sum * factor.to_array()[0];
                    for at in (0..padded).step_by(S::F32::LANES) {
                        let values = S::F32::load(token, record(span).add(HEADER + at));
                        values.mul_add(factor, S::F32::load(token, sums.add(at))).store(sums.add(at));
                    }
                }
                // No key at all: zeros stay, or 0 / 0.
                let is_empty = max == f32::NEG_INFINITY && total == 0.0;
                *factors = match is_empty {
                    true if block.plan.zero_if_empty() => 1.0,
                    true => f32::NAN,
                    false => 1.0 / total,
                };
                block.store(token, row..row + 1, sums, Some(factors));
            }
        }
    }
}

/// The products of a row q, of `d` elements, with each of `count` rows k, `step` apart.
///
/// # Safety
/// The rows have their elements, and `to` has room for whole vectors.
#[inline(always)]
unsafe fn dots<S: Simd>(
    token: S,
    (q, d): (*const f32, usize),
    k: *const f32,
    step: usize,
    count: usize,
    to: *mut f32,
) {
    let lanes = S::F32::LANES;
    let whole = d - d % lanes;
    let mut by_key = [0f32; MAX_LANES * MAX_LANES];
    let mut by_lane = [0f32; MAX_LANES * MAX_LANES];
    for group in (0..count).step_by(lanes) {
        // SAFETY: the caller vouches for rows and room; the arrays hold a square of lanes.
        unsafe {
            for i in 0..lanes.min(count - group) {
                let k = k.add((group + i) * step);
                let mut sum = S::F32::splat(token, 0.0);
                for at in (0..whole).step_by(lanes) {
                    sum = S::F32::load(token, q.add(at)).mul_add(S::F32::load(token, k.add(at)), sum);
                }
                if whole < d {
                    let rest = d - whole;
                    let (q, k) = (q.add(whole), k.add(whole));
                    let q = S::F32::load_partial(token, q, rest);
                    sum = q.mul_add(S::F32::load_partial(token, k, rest), sum);
                }
                sum.store(by_key.as_mut_ptr().add(i * lanes));
            }
            S::F32::transpose(token, by_key.as_ptr(), lanes, by_lane.as_mut_ptr(), lanes);
            let mut total = S::F32::load(token, by_lane.as_ptr());
            for lane in 1..lanes {
                total = total + S::F32::load(token, by_lane.as_ptr().add(lane * lanes));
            }
            total.store(to.add(group));
        }
    }
}

/// Vectors of a row of sums that are held in registers together.
const TOGETHER: usize = 4;

/// Adds to `sums`, of `width` elements, `count` rows of values, `step` apart, each times its weight.
///
/// # Safety
/// The rows have their elements, and `sums` is of whole vectors.
#[inline(always)]
unsafe fn add_values<S: Simd>(
    token: S,
    (weights, count): (*const f32, usize),
    values: *const f32,
    step: usize,
    sums: *mut f32,
    width: usize,
) {
    let lanes = S::F32::LANES;
    let mut column = 0;
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
