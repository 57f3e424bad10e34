//! Where the boxes of a gather or scatter lie: planned from dimension numbers, then asked for each box at run time.

use crate::kernels::movement::strided::Axis;
use crate::kernels::movement::{byte_strides, read_index};
use rlx_ir::{DType, ScatterDims};

/// The dimension numbers, by the names that gather and scatter share. The boxes' tensor is gather's result, scatter's
/// updates.
pub(crate) struct Numbers<'a> {
    /// Axes of the boxes' tensor that run inside a box.
    pub(crate) window: &'a [usize],
    /// Axes of x that the boxes' tensor leaves out.
    pub(crate) dropped: &'a [usize],
    /// Axes of x that run with axes of the indices.
    pub(crate) x_batch: &'a [usize],
    /// Those axes of the indices.
    pub(crate) indices_batch: &'a [usize],
    /// The axis of x for each item of an index vector.
    pub(crate) map: &'a [usize],
    /// The axis of the indices that runs inside a vector.
    pub(crate) vector_dim: usize,
}

impl<'a> Numbers<'a> {
    /// Those of a scatter.
    pub(crate) fn of_scatter(dims: &'a ScatterDims) -> Self {
        Numbers {
            window: &dims.update_window_dims,
            dropped: &dims.inserted_window_dims,
            x_batch: &dims.input_batching_dims,
            indices_batch: &dims.scatter_indices_batching_dims,
            map: &dims.scatter_dims_to_operand_dims,
            vector_dim: dims.index_vector_dim,
        }
    }
}

/// One item of an index vector.
struct Item {
    /// Bytes from the vector's first item.
    offset: isize,
    /// The last place along its axis of x at which a box still fits; negative if it fits nowhere.
    last: i64,
    /// Bytes between neighbours along that axis.
    stride: isize,
}

/// An axis that counts boxes.
struct Counted {
    size: usize,
    /// Bytes between neighbours in the indices, in the boxes' tensor, and in x where it is a batch axis.
    indices: isize,
    boxes: isize,
    x: isize,
}

/// The places of all boxes.
pub(crate) struct Boxes {
    counted: Vec<Counted>,
    items: Vec<Item>,
    index: DType,
    /// Number of boxes.
    pub(crate) count: usize,
}

/// The sizes that the plan is made from.
pub(crate) struct Sizes<'a> {
    pub(crate) x: &'a [usize],
    pub(crate) indices: &'a [usize],
    /// The boxes' tensor.
    pub(crate) boxes: &'a [usize],
    /// Widths of a box, one for each axis of x.
    pub(crate) widths: &'a [usize],
}

impl Boxes {
    /// The plan for indices of type `index` and elements of `size` bytes.
    pub(crate) fn new(numbers: &Numbers<'_>, sizes: &Sizes<'_>, index: DType, size: usize) -> Boxes {
        let (x, of_indices) = (byte_strides(sizes.x, size), byte_strides(sizes.indices, index.size()));
        let of_boxes = byte_strides(sizes.boxes, size);
        let counting = (0..sizes.boxes.len()).filter(|a| !numbers.window.contains(a));
        let vectors = (0..sizes.indices.len()).filter(|&a| a != numbers.vector_dim);
        let counted: Vec<Counted> = vectors
            .zip(counting)
            .map(|(axis, place)| {
                let batch = numbers.indices_batch.iter().position(|&a| a == axis);
                let x = batch.map_or(0, |i| x[numbers.x_batch[i]]);
                Counted { size: sizes.indices[axis], indices: of_indices[axis], boxes: of_boxes[place], x }
            })
            .collect();
        let step = of_indices.get(numbers.vector_dim).copied().unwrap_or(0);
        let item = |(i, &axis): (usize, &usize)| Item {
            offset: i as isize * step,
            last: sizes.x[axis] as i64 - sizes.widths[axis] as i64,
            stride: x[axis],
        };
        let items = numbers.map.iter().enumerate().map(item).collect();
        let empty = counted.iter().any(|c| c.size == 0);
        let count = if empty { 0 } else { counted.iter().map(|c| c.size).product() };
        Boxes { counted, items, index, count }
    }

    /// The offsets in bytes of box `which` in x and in the boxes' tensor; the box is moved inside where it sticks out.
    ///
    /// # Safety
    /// `indices` points to the indices that were planned for; `which` is below the number of boxes.
    pub(super) unsafe fn inside(&self, which: usize, indices: *const u8) -> (isize, isize) {
        let (first, boxes, mut x) = self.place(which);
        for item in &self.items {
            // SAFETY: `place` and the item's offset stay inside the indices.
            let at = unsafe { read_index(self.index, indices.wrapping_offset(first + item.offset)) };
            x += at.clamp(0, item.last.max(0)) as isize * item.stride;
        }
        (x, boxes)
    }

    /// As [`inside`](Boxes::inside), but `None` for a box that sticks out.
    ///
    /// # Safety
    /// As for `inside`.
    pub(crate) unsafe fn fitting(&self, which: usize, indices: *const u8) -> Option<(isize, isize)> {
        let (first, boxes, mut x) = self.place(which);
        for item in &self.items {
            // SAFETY: `which` is a box, as the caller vouches, and so its index vector lies in the indices.
            let at = unsafe { read_index(self.index, indices.wrapping_offset(first + item.offset)) };
            if !(0..=item.last).contains(&at) {
                return None;
            }
            x += at as isize * item.stride;
        }
        Some((x, boxes))
    }

    /// Where the index vector, the box in its tensor, and the batch part of its place in x are.
    fn place(&self, which: usize) -> (isize, isize, isize) {
        let (mut rest, mut indices, mut boxes, mut x) = (which, 0, 0, 0);
        for axis in self.counted.iter().rev() {
            let i = (rest % axis.size) as isize;
            rest /= axis.size;
            indices += i * axis.indices;
            boxes += i * axis.boxes;
            x += i * axis.x;
        }
        (indices, boxes, x)
    }
}

/// The axes of a box: sizes, with byte strides in x (`from`) and in the boxes' tensor (`to`).
pub(crate) fn window(numbers: &Numbers<'_>, sizes: &Sizes<'_>, size: usize) -> Vec<Axis> {
    let (x, boxes) = (byte_strides(sizes.x, size), byte_strides(sizes.boxes, size));
    let own = (0..sizes.x.len()).filter(|a| !numbers.dropped.contains(a) && !numbers.x_batch.contains(a));
    let pair =
        |(&place, axis): (&usize, usize)| Axis { size: sizes.boxes[place], from: x[axis], to: boxes[place] };
    numbers.window.iter().zip(own).map(pair).collect()
}
