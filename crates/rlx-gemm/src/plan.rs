//! How a product is divided into blocks that fit the caches, and into tasks for threads.
//!
//! Where rows and columns are divided never changes a result (CPU-1). Where K is divided depends only on its
//! length, and so does how the sums of its parts are added (see [`Onto`](super::tile::Onto)).

use rlx_pool::WORTH_SPLITTING;
use rlx_simd::isa::{Cpu, Isa};

use super::buffer::{LINE, whole_lines};
use super::packed::PanelLayout;
use super::shape::{GemmShape, RhsForm};
use super::tile::{A_STEP, K_RUN, TileSize};

/// K up to this length stays in registers from beginning to end. A longer K is cut, and the sums between the
/// parts rest in scratch memory. (Parts of 256, whose panel of B fits the first-level cache, were 5 to 15 % slower with 2 MB of
/// second-level cache.)
const MAX_K_PART: usize = 2048;

/// Panels whose sums rest in scratch memory together, where K is cut: a block of A is packed once for them.
const GROUP: usize = 8;

/// Tasks for each thread: enough to even out threads that other programs slow down.
const TASKS_PER_THREAD: usize = 8;
/// The same for the matrix unit, where a task begins with a block of B that nothing else overlaps.
const UNIT_TASKS_PER_THREAD: usize = 2;

/// The most scratch memory that a whole packed B may take, in bytes. A larger one is packed panel by panel for
/// each block of rows.
const MAX_WHOLE_B: usize = 64 << 20;

/// The blocks and tasks of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Blocking {
    pub tile: TileSize,
    /// Products of the batch.
    pub batches: usize,
    /// Blocks of rows, of nearly equal height.
    pub blocks: usize,
    /// Length of the parts of K, and whether there are several.
    pub k_part: usize,
    pub cut: bool,
    /// Chunks of panels, of nearly equal length.
    pub chunks: usize,
    /// Panels in all.
    pub panels: usize,
    /// Panels whose sums rest together.
    pub group: usize,
    /// Whether a B that is not packed yet is packed as a whole before the product, because several blocks of rows read it.
    pub whole_b: bool,
    /// Whether the matrix unit computes the product.
    pub unit: bool,
    /// Estimated time of one thread, in nanoseconds.
    pub nanoseconds: u64,
}

/// Elements of each part of a thread's scratch memory.
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
        // Rounded: what is worth nearly two tasks is two.
        let worth = (nanoseconds + WORTH_SPLITTING / 2) / WORTH_SPLITTING;
        let worth = usize::try_from(worth).unwrap_or(usize::MAX);
        let per_thread = if unit { UNIT_TASKS_PER_THREAD } else { TASKS_PER_THREAD };
        let wanted = if threads == 1 { 1 } else { (threads * per_thread).min(worth) };
        let chunks = wanted.div_ceil(base);
        // Threads that get equal parts.
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
        // Of an empty C there may be more batches than can be counted with blocks.
        if self.panels == 0 { 0 } else { self.batches * self.blocks * self.chunks }
    }

    /// The longest block of rows.
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

    /// Sums of a block of `rows` rows that rest together. Where K is cut, as many errors follow them.
    pub(super) fn sums(&self, rows: usize) -> usize {
        rows.max(self.tile.rows) * self.group * self.tile.width
    }

    /// Bytes of scratch memory of one thread: a line that says what is packed, then the parts.
    pub(super) fn bytes_per_thread(&self, m: usize, size: usize) -> usize {
        let parts = self.scratch_parts(m);
        [parts.a, parts.b, parts.sums].into_iter().map(|len| whole_lines(len * size)).sum::<usize>() + LINE
    }
}

/// Part `index` of `0..len` cut into `parts` of nearly equal length.
#[inline]
pub fn part(len: usize, parts: usize, index: usize) -> std::ops::Range<usize> {
    let (short, longer) = (len / parts, len % parts);
    let start = index * short + index.min(longer);
    start..start + short + usize::from(index < longer)
}

/// Blocks of rows such that a packed block takes half of the second-level cache, and such that threads get
/// whole blocks where there are several.
fn row_blocks(cpu: Cpu, m: usize, bytes_per_row: usize, fewest: usize, threads: usize) -> usize {
    let rows = (cpu.caches().l2 / 2 / bytes_per_row.max(1)).max(fewest);
    let blocks = m.div_ceil(rows);
    if blocks > 1 { blocks.next_multiple_of(threads) } else { blocks }
}

/// Bytes of B in a nanosecond that one thread reads where they are not in its own caches.
const STREAM: f64 = 20.0;

/// Multiply-adds in a nanosecond, typically, of one thread on vectors.
fn multiply_adds(isa: Isa) -> f64 {
    match isa {
        Isa::Avx512 | Isa::Amx => 50.0,
        Isa::Avx2 => 30.0,
        Isa::Neon => 15.0,
        Isa::Baseline => 8.0,
    }
}

/// The time of one thread, in nanoseconds: to multiply, or to read B if that is more.
fn estimate(per_nanosecond: f64, batches: usize, shape: &GemmShape, size: usize) -> u64 {
    let product = |lens: &[usize]| lens.iter().map(|&len| len as f64).product::<f64>();
    let multiplying = product(&[batches, shape.m, shape.n, shape.k.max(4)]) / per_nanosecond;
    let reading = product(&[batches, shape.n, shape.k, size, usize::from(shape.m > 0)]) / STREAM;
    multiplying.max(reading) as u64
}
