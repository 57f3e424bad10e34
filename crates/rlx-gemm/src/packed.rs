//! A right-hand side that is packed once and multiplied many times, such as the weights of a model.

use std::fmt;

use rlx_pool::Pool;
use rlx_simd::isa::{Cpu, Isa};

use super::buffer::{AlignedBuffer, Zeroed};
use super::execute::{RhsSource, pack_narrow_panels, pack_panels};
use super::shape::{GemmShape, RhsForm, Steps};
use super::tile::TileSize;
use super::{Element, GemmError, Narrow};

/// A k×n matrix in the order in which the kernels of one instruction set read it. Put it in an [`Arc`](std::sync::Arc) to share it.
///
/// The elements are stored as `E`, or in 16 bits and widened exactly when they are used. Products are summed in `E` either way.
pub struct PackedB<E: Element> {
    k: usize,
    n: usize,
    isa: Isa,
    storage: Storage<E>,
}

enum Storage<E> {
    Native(AlignedBuffer<E>),
    Narrow(Narrow, AlignedBuffer<u16>),
}

/// The elements of a packed matrix, panel by panel; see [`PanelLayout`].
#[derive(Clone, Copy, Debug)]
pub(super) enum Panels<E> {
    Native(*const E),
    Narrow(Narrow, *const u16),
}

/// Where the columns of a packed matrix are: in panels that are as wide as a tile. The last panel is as wide as the vectors that its
/// columns need. A panel contains its columns side by side, row by row.
#[derive(Clone, Copy, Debug)]
pub struct PanelLayout {
    /// Rows of B.
    pub k: usize,
    /// Columns of B.
    pub n: usize,
    /// The tile that reads it.
    pub tile: TileSize,
}

impl PanelLayout {
    /// Number of panels.
    #[inline]
    pub fn panels(self) -> usize {
        self.n.div_ceil(self.tile.width)
    }

    /// Number of columns of B in a panel.
    #[inline]
    pub fn columns(self, panel: usize) -> usize {
        (self.n - panel * self.tile.width).min(self.tile.width)
    }

    /// Number of columns that a panel has room for.
    #[inline]
    pub fn width(self, panel: usize) -> usize {
        self.columns(panel).next_multiple_of(self.tile.lanes)
    }

    /// Index of the first element of a panel.
    #[inline]
    pub fn start(self, panel: usize) -> usize {
        panel * self.tile.width * self.k
    }

    /// Estimates how long one thread takes to pack elements `E`: a quarter of a nanosecond per byte.
    pub(crate) fn nanoseconds<E>(self) -> u64 {
        self.len().map_or(u64::MAX, |len| (len as u64).saturating_mul(size_of::<E>() as u64) / 4)
    }

    /// Number of elements in all panels.
    #[inline]
    pub(crate) fn len(self) -> Option<usize> {
        self.n.checked_next_multiple_of(self.tile.lanes)?.checked_mul(self.k)
    }
}

impl<E: Element> PackedB<E> {
    /// Packs the k×n matrix in `data`, whose elements lie at `steps`, on the threads of `pool`.
    pub fn pack(
        pool: &Pool,
        cpu: Cpu,
        k: usize,
        n: usize,
        steps: Steps,
        data: &[E],
    ) -> Result<PackedB<E>, GemmError> {
        check_length(k, n, steps, data.len())?;
        let layout = PanelLayout { k, n, tile: TileSize::of::<E>(cpu) };
        let mut buffer = allocate(layout)?;
        let source = RhsSource::Strided(data.as_ptr(), steps);
        // SAFETY: `data` holds the matrix, and the buffer was made for the layout.
        unsafe { pack_panels(pool, cpu, source, layout, buffer.as_mut_slice().as_mut_ptr()) };
        Ok(PackedB { k, n, isa: cpu.isa(), storage: Storage::Native(buffer) })
    }

    /// Packs the k×n matrix of 16-bit floats in `data`, whose elements lie at `steps`, on the threads of `pool`, and
    /// keeps it in 16 bits.
    pub fn pack_narrow(
        pool: &Pool,
        cpu: Cpu,
        k: usize,
        n: usize,
        steps: Steps,
        form: Narrow,
        data: &[u16],
    ) -> Result<PackedB<E>, GemmError> {
        check_length(k, n, steps, data.len())?;
        let layout = PanelLayout { k, n, tile: TileSize::of::<E>(cpu) };
        let mut buffer: AlignedBuffer<u16> = allocate(layout)?;
        // SAFETY: `data` holds the matrix, and the buffer was made for the layout.
        unsafe {
            pack_narrow_panels(pool, cpu, data.as_ptr(), steps, layout, buffer.as_mut_slice().as_mut_ptr());
        }
        Ok(PackedB { k, n, isa: cpu.isa(), storage: Storage::Narrow(form, buffer) })
    }

    /// Number of rows.
    pub fn k(&self) -> usize {
        self.k
    }

    /// Number of columns.
    pub fn n(&self) -> usize {
        self.n
    }

    /// Size of the packed matrix in bytes.
    pub fn bytes(&self) -> usize {
        match &self.storage {
            Storage::Native(buffer) => buffer.len() * size_of::<E>(),
            Storage::Narrow(_, buffer) => buffer.len() * size_of::<u16>(),
        }
    }

    /// Returns the elements, if the matrix is what a product of `shape` needs.
    pub(super) fn panels(&self, shape: &GemmShape, cpu: Cpu) -> Result<Panels<E>, GemmError> {
        if (self.k, self.n, self.isa) != (shape.k, shape.n, cpu.isa()) {
            return Err(GemmError::PackedMismatch {
                k: shape.k,
                n: shape.n,
                isa: cpu.isa(),
                got_k: self.k,
                got_n: self.n,
                got_isa: self.isa,
            });
        }
        Ok(match &self.storage {
            Storage::Native(buffer) => Panels::Native(buffer.as_ptr()),
            Storage::Narrow(form, buffer) => Panels::Narrow(*form, buffer.as_ptr()),
        })
    }
}

impl<E: Element> fmt::Debug for PackedB<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PackedB({}×{} for {}, {} bytes)", self.k, self.n, self.isa, self.bytes())
    }
}

fn check_length(k: usize, n: usize, steps: Steps, got: usize) -> Result<(), GemmError> {
    let shape = GemmShape { b: RhsForm::Strided(steps), ..GemmShape::row_major(1, n, k) };
    let needed = shape.extents()?.b;
    if got < needed {
        return Err(GemmError::TooShort { operand: "B", needed, got });
    }
    Ok(())
}

fn allocate<T: Zeroed>(layout: PanelLayout) -> Result<AlignedBuffer<T>, GemmError> {
    layout.len().and_then(AlignedBuffer::zeroed).ok_or(GemmError::OutOfMemory { k: layout.k, n: layout.n })
}
