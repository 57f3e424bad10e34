//! Weights in panels.

use crate::lanes::dispatch;
use crate::layout::{PanelFormat, ROWS};
use crate::pack::PackPanel;
use rlx_driver::{HostBuffer, OutOfMemory};
use rlx_pool::{Pool, SharedPtr};
use rlx_quant::QuantScheme;
use rlx_simd::isa::Cpu;

/// A matrix `[n, k]` of quantized blocks as stored in a file, row by row.
#[derive(Clone, Copy)]
pub struct Blocks<'a> {
    pub(crate) scheme: QuantScheme,
    bytes: &'a [u8],
    pub(crate) rows: usize,
    pub(crate) depth: usize,
}

impl<'a> Blocks<'a> {
    /// Creates a matrix of `rows` rows of blocks, one after the other. Returns `None` if the bytes are not whole blocks of that many rows.
    pub fn new(scheme: QuantScheme, bytes: &'a [u8], rows: usize) -> Option<Blocks<'a>> {
        let row_bytes = bytes.len().checked_div(rows)?;
        let blocks = row_bytes / scheme.block_bytes();
        if row_bytes * rows != bytes.len() || blocks * scheme.block_bytes() != row_bytes {
            return None;
        }
        Some(Blocks { scheme, bytes, rows, depth: blocks * scheme.block_len() })
    }

    /// Returns the format of the blocks.
    pub fn scheme(&self) -> QuantScheme {
        self.scheme
    }

    /// Number of rows, n.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of values in a row, k.
    pub fn depth(&self) -> usize {
        self.depth
    }

    pub(crate) fn layout(&self) -> &'static PanelFormat {
        PanelFormat::of(self.scheme)
    }

    /// Returns the work that packs a panel to `out`, which must have its size.
    pub(crate) fn panel<'o>(&self, panel: usize, out: &'o mut [u8]) -> PackPanel<'o>
    where
        'a: 'o,
    {
        let row_bytes = self.bytes.len() / self.rows;
        let from = panel * ROWS * row_bytes;
        let rows = &self.bytes[from..self.bytes.len().min(from + ROWS * row_bytes)];
        PackPanel { scheme: self.scheme, rows, row_bytes, out }
    }
}

/// A matrix `[n, k]` of quantized blocks, in the order in which products read them.
pub struct PackedWeights {
    pub(crate) scheme: QuantScheme,
    pub(crate) layout: &'static PanelFormat,
    pub(crate) rows: usize,
    pub(crate) depth: usize,
    memory: HostBuffer,
}

impl PackedWeights {
    /// Packs `rows` rows of blocks, one after the other, on the threads of the pool, into memory from `allocate`. Returns `None` if the
    /// bytes are not whole blocks of that many rows, or if there is no memory.
    pub fn pack(
        cpu: Cpu,
        scheme: QuantScheme,
        bytes: &[u8],
        rows: usize,
        pool: &Pool,
        allocate: impl FnOnce(usize) -> Result<HostBuffer, OutOfMemory>,
    ) -> Option<PackedWeights> {
        let blocks = Blocks::new(scheme, bytes, rows)?;
        let panel_bytes = blocks.layout().panel_bytes(blocks.depth);
        let panels = rows.div_ceil(ROWS);
        let memory_bytes = panels.checked_mul(panel_bytes)?;
        let memory = allocate(memory_bytes).ok().filter(|memory| memory.len() == memory_bytes)?;
        let target = SharedPtr::new(memory.as_mut_ptr());
        pool.run(panels, |task| {
            // SAFETY: the panel, which no other task writes, is inside the memory.
            let out =
                unsafe { std::slice::from_raw_parts_mut(target.add(task.index * panel_bytes), panel_bytes) };
            dispatch(cpu, blocks.panel(task.index, out));
        });
        Some(PackedWeights { scheme, layout: blocks.layout(), rows, depth: blocks.depth, memory })
    }

    /// Number of rows, n.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of values in a row, k.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Size in memory, in bytes.
    pub fn bytes(&self) -> usize {
        self.rows.div_ceil(ROWS) * self.panel_bytes()
    }

    pub(crate) fn panel_bytes(&self) -> usize {
        self.layout.panel_bytes(self.depth)
    }

    /// Returns a pointer to the first byte of a panel.
    pub(crate) fn panel(&self, panel: usize) -> *const u8 {
        self.memory.as_ptr().wrapping_add(panel * self.panel_bytes())
    }
}
