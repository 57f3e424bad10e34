//! Host memory of a fixed size in whole cache lines.

use bytemuck::{Pod, Zeroable};
use rlx_compile::BackendError;
use rlx_compile::memory::ALIGNMENT;

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(64))]
struct Line([u8; ALIGNMENT]);

/// Zero-initialised bytes at a cache line's alignment.
pub(super) struct Arena(Vec<Line>);

impl Arena {
    /// Memory of at least `bytes` bytes.
    pub(super) fn new(bytes: usize) -> Result<Arena, BackendError> {
        let count = bytes.div_ceil(ALIGNMENT);
        let mut lines = Vec::new();
        lines.try_reserve_exact(count).map_err(|_| BackendError::OutOfMemory(bytes))?;
        lines.resize(count, Line::zeroed());
        Ok(Arena(lines))
    }

    /// All bytes.
    pub(super) fn bytes(&self) -> &[u8] {
        bytemuck::cast_slice(&self.0)
    }

    /// All bytes, to write.
    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        bytemuck::cast_slice_mut(&mut self.0)
    }
}
