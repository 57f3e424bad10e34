//! Positions of the windows of a gather or scatter, planned from dimension numbers and computed at run time.

use crate::kernels::movement::strided::CopyAxis;
use crate::kernels::movement::{byte_strides, read_index};
use crate::kernels::space::{self, Axis};
use rlx_ir::{DType, WindowAxes};

/// One item of an index vector.
struct Item {
    /// Bytes from the vector's first item.
    offset: isize,
    /// The last position along its axis of x at which a window still fits; negative if it fits nowhere.
    last: i64,
    /// Distance in bytes between neighbors along that axis.
    stride: isize,
}

/// The positions of all windows.
pub(crate) struct Windows {
    /// The axes that enumerate windows, with steps in bytes in the indices, in the windows' tensor, and in x if it is a batch axis.
    counted: Vec<Axis<[isize; 3]>>,
    items: Vec<Item>,
    index: DType,
    /// Number of windows.
    pub(crate) count: usize,
}

/// The sizes that the plan is made from.
pub(crate) struct Sizes<'a> {
    pub(crate) x: &'a [usize],
    pub(crate) indices: &'a [usize],
    /// Sizes of the windows' tensor.
    pub(crate) windows: &'a [usize],
    /// Widths of a window, one for each axis of x.
    pub(crate) widths: &'a [usize],
}

impl Windows {
    /// Plans windows for indices of type `index` and elements of `size` bytes.
    pub(crate) fn new(axes: &WindowAxes<'_>, sizes: &Sizes<'_>, index: DType, size: usize) -> Windows {
        let (x, of_indices) = (byte_strides(sizes.x, size), byte_strides(sizes.indices, index.size()));
        let of_windows = byte_strides(sizes.windows, size);
        let counting = axes.counting(sizes.windows.len());
        let vectors = axes.index_axes(sizes.indices.len());
        let counted = vectors.into_iter().zip(counting).map(|(axis, place)| {
            let batch = axes.indices_batch.iter().position(|&a| a == axis);
            let x = batch.map_or(0, |i| x[axes.x_batch[i]]);
            Axis { size: sizes.indices[axis], steps: [of_indices[axis], of_windows[place], x] }
        });
        let counted = space::merged(counted);
        let step = of_indices.get(axes.vector_dim).copied().unwrap_or(0);
        let item = |(i, &axis): (usize, &usize)| Item {
            offset: i as isize * step,
            last: sizes.x[axis] as i64 - sizes.widths[axis] as i64,
            stride: x[axis],
        };
        let items = axes.map.iter().enumerate().map(item).collect();
        Windows { count: space::count(&counted), counted, items, index }
    }

    /// Returns the offsets in bytes of window `which` in x and in the windows' tensor. A window that extends beyond x is moved inside.
    ///
    /// # Safety
    /// `indices` points to the indices that were planned for; `which` is less than the number of windows.
    pub(super) unsafe fn inside(&self, which: usize, indices: *const u8) -> (isize, isize) {
        let [first, windows, mut x] = space::offsets(&self.counted, which);
        for item in &self.items {
            // SAFETY: `which` is a window, as the caller vouches, and so its index vector lies in the indices.
            let at = unsafe { read_index(self.index, indices.wrapping_offset(first + item.offset)) };
            x += at.clamp(0, item.last.max(0)) as isize * item.stride;
        }
        (x, windows)
    }

    /// Like [`inside`](Windows::inside), but returns `None` for a window that extends beyond x.
    ///
    /// # Safety
    /// As for `inside`.
    pub(crate) unsafe fn fitting(&self, which: usize, indices: *const u8) -> Option<(isize, isize)> {
        let [first, windows, mut x] = space::offsets(&self.counted, which);
        for item in &self.items {
            // SAFETY: `which` is a window, as the caller vouches, and so its index vector lies in the indices.
            let at = unsafe { read_index(self.index, indices.wrapping_offset(first + item.offset)) };
            if !(0..=item.last).contains(&at) {
                return None;
            }
            x += at as isize * item.stride;
        }
        Some((x, windows))
    }
}

/// Returns the axes of a window: sizes, with byte strides in x (`from`) and in the windows' tensor (`to`).
pub(crate) fn window(axes: &WindowAxes<'_>, sizes: &Sizes<'_>, size: usize) -> Vec<CopyAxis> {
    let (x, windows) = (byte_strides(sizes.x, size), byte_strides(sizes.windows, size));
    let pair = |(&place, axis): (&usize, usize)| CopyAxis::new(sizes.windows[place], x[axis], windows[place]);
    axes.window.iter().zip(axes.x_window(sizes.x.len())).map(pair).collect()
}
