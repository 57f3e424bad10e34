//! Divides a product into blocks that fit the caches, and into tasks for threads.
//!
//! Where rows and columns are divided never changes a result (CPU-1). Where K is divided depends only on its length, and so does how the
//! sums of its parts are added (see [`Onto`](super::tile::Onto)).

use rlx_pool::WORTH_SPLITTING;
use rlx_simd::isa::{Cpu, Isa};

use super::buffer::{LINE, whole_lines};
use super::packed::PanelLayout;
use super::shape::{GemmShape, RhsForm};
use super::tile::{A_STEP, K_RUN, TileSize};

/// A K up to this length stays in registers from beginning to end. A longer K is split, and the sums are kept in scratch memory between the
/// parts. (Parts of 256, for which the panel of B fits the first-level cache, were 5 to 15 % slower with 2 MB of second-level cache.)
pub(super) const MAX_K_PART: usize = 2048;

/// Number of panels whose sums are in scratch memory together if K is split; a block of A is packed once for them.
const GROUP: usize = 8;

/// Number of tasks per thread, enough to even out threads that other programs slow down.
const TASKS_PER_THREAD: usize = 8;
/// The same for the matrix unit, where each task begins with a block of B that nothing else overlaps.
const UNIT_TASKS_PER_THREAD: usize = 2;

/// The maximum scratch memory in bytes for a whole packed B. A larger B is packed panel by panel for each block of rows.
const MAX_WHOLE_B: usize = 64 << 20;

/// The blocks and tasks of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Blocking {
    pub tile: TileSize,
    /// Number of products in the batch.
    pub batches: usize,
    /// Number of blocks of rows, which have nearly equal heights.
    pub blocks: usize,
    /// Length of the parts of K, and whether there are several.
    pub k_part: usize,
    pub cut: bool,
    /// Number of chunks of panels, which have nearly equal lengths.
    pub chunks: usize,
    /// Total number of panels.
    pub panels: usize,
    /// Number of panels whose sums are kept together.
    pub group: usize,
    /// Whether a B that is not packed yet is packed as a whole before the product, because several blocks of rows read it.
    pub whole_b: bool,
    /// Whether the matrix unit computes the product.
    pub unit: bool,
    /// Estimated time on one thread, in nanoseconds.
    pub nanoseconds: u64,
}

/// Number of elements in each part of a thread's scratch memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ScratchParts {
    /// A packed block of A.
    pub a: usize,
    /// A packed panel of B.
    pub b: usize,
    /// Sums that wait for the next part of K, with their errors, or for the epilogue.
    pub sums: usize,
}

impl Blocking {
    pub(super) fn new(
        cpu: Cpu,
        shape: &GemmShape,
        tile: TileSize,
        batches: usize,
        size: usize,
        threads: usize,
        unit: bool,
    ) -> Self {
        let (m, n, k) = (shape.m, shape.n, shape.k);
        let panels = PanelLayout { k, n, tile }.panels();
        let parts = k.div_ceil(MAX_K_PART).max(1);
        let k_part = if parts == 1 { k } else { k.div_ceil(parts).next_multiple_of(K_RUN) };
        let (bytes_per_row, fewest) = if unit {
            (super::unit::bytes_per_row(k_part), super::unit::FEWEST_ROWS_OF_BLOCK)
        } else {
            (k_part.div_ceil(K_RUN).max(1) * A_STEP * size, 4 * tile.rows)
        };
        let blocks = row_blocks(cpu, m, bytes_per_row, fewest, threads);
        let per_nanosecond = if unit { super::unit::MULTIPLY_ADDS } else { multiply_adds(cpu.isa()) };
        let nanoseconds = estimate(per_nanosecond, batches, shape, size);
        let base = batches.saturating_mul(blocks).max(1);
        // Rounded to nearest: work worth nearly two tasks becomes two.
        let worth = (nanoseconds + WORTH_SPLITTING / 2) / WORTH_SPLITTING;
        let worth = usize::try_from(worth).unwrap_or(usize::MAX);
        let per_thread = if unit { UNIT_TASKS_PER_THREAD } else { TASKS_PER_THREAD };
        let wanted = if threads == 1 { 1 } else { (threads * per_thread).min(worth) };
        let chunks = wanted.div_ceil(base);
        // Makes the number of chunks a multiple of the threads, so that they get equal parts.
        let chunks = if chunks > 1 { chunks.next_multiple_of(threads) } else { 1 };
        let chunks = chunks.clamp(1, panels.max(1));
        let group = if parts == 1 { 1 } else { GROUP.min(panels.max(1)) };
        let whole_b = blocks > 1 && batches == 1 && shape.b != RhsForm::Packed && {
            let bytes = PanelLayout { k, n, tile }.len().and_then(|len| len.checked_mul(size));
            bytes.is_some_and(|bytes| bytes <= MAX_WHOLE_B)
        };
        Blocking {
            tile,
            batches,
            blocks,
            k_part,
            cut: parts > 1,
            chunks,
            panels,
            group,
            whole_b,
            unit,
            nanoseconds,
        }
    }

    pub(super) fn tasks(&self) -> usize {
        // If C is empty, its batches times its blocks may overflow.
        if self.panels == 0 { 0 } else { self.batches * self.blocks * self.chunks }
    }

    /// Returns the height of the tallest block of rows.
    pub(super) fn block_rows(&self, m: usize) -> usize {
        m.div_ceil(self.blocks.max(1))
    }

    pub(super) fn scratch_parts(&self, m: usize) -> ScratchParts {
        let rows = self.block_rows(m);
        ScratchParts {
            a: rows * self.k_part.div_ceil(K_RUN) * A_STEP,
            b: self.k_part * self.tile.width,
            sums: self.sums(rows) * if self.cut { 2 } else { 1 },
        }
    }

    /// Number of sums that are kept together for a block of `rows` rows. If K is split, the same number of errors follows them.
    pub(super) fn sums(&self, rows: usize) -> usize {
        rows.max(self.tile.rows) * self.group * self.tile.width
    }

    /// Bytes of scratch memory per thread: a cache line that says what is packed, then the parts.
    pub(super) fn bytes_per_thread(&self, m: usize, size: usize) -> usize {
        let parts = self.scratch_parts(m);
        [parts.a, parts.b, parts.sums].into_iter().map(|len| whole_lines(len * size)).sum::<usize>() + LINE
    }
}

/// Returns part `index` of `0..len` when it is divided into `parts` parts of nearly equal length.
#[inline]
pub fn part(len: usize, parts: usize, index: usize) -> std::ops::Range<usize> {
    let (short, longer) = (len / parts, len % parts);
    let start = index * short + index.min(longer);
    start..start + short + usize::from(index < longer)
}

/// Number of blocks of rows, such that a packed block takes half of the second-level cache and threads get whole blocks if there are
/// several.
fn row_blocks(cpu: Cpu, m: usize, bytes_per_row: usize, fewest: usize, threads: usize) -> usize {
    let rows = (cpu.caches().l2 / 2 / bytes_per_row.max(1)).max(fewest);
    let blocks = m.div_ceil(rows);
    if blocks > 1 { blocks.next_multiple_of(threads) } else { blocks }
}

/// Bytes of B per nanosecond that one thread reads if they are not in its own caches.
const STREAM: f64 = 20.0;

/// Typical multiply-adds per nanosecond of one thread with vectors.
fn multiply_adds(isa: Isa) -> f64 {
    match isa {
        Isa::Avx512 | Isa::Amx => 50.0,
        Isa::Avx2 => 30.0,
        Isa::Neon => 15.0,
        Isa::Baseline => 8.0,
    }
}

/// Estimates the time on one thread in nanoseconds: the time to multiply, or to read B if that takes longer.
fn estimate(per_nanosecond: f64, batches: usize, shape: &GemmShape, size: usize) -> u64 {
    let product = |lens: &[usize]| lens.iter().map(|&len| len as f64).product::<f64>();
    let multiplying = product(&[batches, shape.m, shape.n, shape.k.max(4)]) / per_nanosecond;
    let reading = product(&[batches, shape.n, shape.k, size, usize::from(shape.m > 0)]) / STREAM;
    multiplying.max(reading) as u64
}
