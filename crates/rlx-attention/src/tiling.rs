//! Divides an attention into tasks, and computes how much memory a task needs. The tiling does not depend on the number of threads.

use super::matrices::{Panels, Rows, tile_size};
use super::stretch::{STRETCH, room};
use super::{Attention, Storage};
use rlx_gemm::buffer::{Carver, whole_lines};
use rlx_gemm::tile::{K_RUN, TileSize};
use rlx_simd::isa::Cpu;
use std::ops::Range;

/// Approximate number of scores in a block; they stay in the second-level cache.
const BLOCK_SCORES: usize = 1 << 17;
/// Maximum number of query rows in a block.
const BLOCK_ROWS: usize = 128;
/// Maximum number of scores in a block, unless a single row has more.
const MOST_SCORES: usize = 1 << 20;
/// Approximate number of elements in the panels of a chunk of keys.
const CHUNK: usize = 1 << 16;

/// The tiling of an attention.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Tiling {
    pub(super) tile: TileSize,
    /// Maximum number of query rows in a task.
    pub(super) block: usize,
    /// Number of query rows whose scores are kept together: a tile if one chunk contains all keys, otherwise the block.
    pub(super) group: usize,
    /// Number of keys whose panels are kept together.
    pub(super) chunk: usize,
}

impl Tiling {
    pub(super) fn new(plan: &Attention, cpu: Cpu) -> Tiling {
        let tile = tile_size(cpu);
        let step = Rows::elements(1, plan.seq_k).max(1);
        let least = (2 * tile.rows).min(BLOCK_ROWS);
        let block = (BLOCK_SCORES / step).clamp(least, BLOCK_ROWS).min((MOST_SCORES / step).max(1));
        let block = block.min(plan.rows().max(1));
        let runs = (CHUNK / plan.d.max(plan.dv).max(1) / K_RUN).max(1);
        let chunk = (runs * K_RUN).min(plan.seq_k);
        let group = if chunk == plan.seq_k { tile.rows.min(block) } else { block };
        Tiling { tile, block, group, chunk }
    }

    /// Number of elements that a row of results takes in scratch memory.
    pub(super) fn padded(&self, width: usize) -> usize {
        width.next_multiple_of(self.tile.lanes)
    }

    /// Number of elements in each part of a task's memory.
    fn parts(&self, plan: &Attention) -> [usize; 8] {
        [
            Rows::elements(self.tile.rows, plan.d),
            Panels::elements(plan.d, self.chunk, self.tile),
            Panels::elements(self.chunk, plan.dv, self.tile),
            Rows::elements(self.group, plan.seq_k),
            room(self.group * self.padded(plan.dv), plan.seq_k > STRETCH),
            self.group,
            plan.seq_k,
            self.stage(plan),
        ]
    }

    /// Number of elements needed to stage as many keys or values as a panel is wide, if they are not stored as f32.
    fn stage(&self, plan: &Attention) -> usize {
        if [plan.k_storage, plan.v_storage] == [Storage::Single; 2] {
            return 0;
        }
        self.tile.width * self.padded(plan.d.max(plan.dv))
    }

    /// Size of a task's memory in bytes.
    pub(super) fn bytes(&self, plan: &Attention) -> usize {
        self.parts(plan).iter().map(|len| whole_lines(len * size_of::<f32>())).sum()
    }
}

/// The memory of a task.
pub(super) struct Memory {
    /// A tile of query rows.
    pub(super) queries: Rows,
    /// A chunk of keys and a chunk of values.
    pub(super) keys: PanelCache,
    pub(super) values: PanelCache,
    /// Scores of a group of rows, which become weights.
    pub(super) scores: Rows,
    /// Results of a group of rows. If there are several stretches of keys, totals and errors follow them.
    pub(super) sums: *mut f32,
    /// The factor of the results of each row of a group.
    pub(super) factors: *mut f32,
    /// A row of the mask.
    pub(super) mask: *mut f32,
}

/// Panels of one chunk of keys at a time.
pub(super) struct PanelCache {
    pub(super) start: *mut f32,
    /// Room for rows that are not stored as f32.
    pub(super) stage: *mut f32,
    /// The keys of the chunk that the panels contain.
    chunk: Option<Range<usize>>,
}

impl PanelCache {
    /// Creates panels that contain no chunk yet.
    pub(super) fn new(start: *mut f32, stage: *mut f32) -> PanelCache {
        PanelCache { start, stage, chunk: None }
    }

    /// Returns whether the panels must be filled with a chunk, which they are then assumed to contain.
    #[inline(always)]
    pub(super) fn lacks(&mut self, chunk: &Range<usize>) -> bool {
        let lacks = self.chunk.as_ref() != Some(chunk);
        if lacks {
            self.chunk = Some(chunk.clone());
        }
        lacks
    }
}

impl Memory {
    /// # Safety
    /// `carver` has as many bytes left as [`Tiling::bytes`] returns.
    pub(super) unsafe fn new(tiling: &Tiling, plan: &Attention, carver: &mut Carver) -> Memory {
        // SAFETY: the caller vouches for the room.
        let [queries, keys, values, scores, sums, factors, mask, stage] =
            tiling.parts(plan).map(|len| unsafe { carver.take::<f32>(len) });
        Memory {
            queries: Rows::new(queries, tiling.tile.rows),
            keys: PanelCache::new(keys, stage),
            values: PanelCache::new(values, stage),
            scores: Rows::new(scores, tiling.group),
            sums,
            factors,
            mask,
        }
    }
}
