//! The strided copy on which all ops that only move elements are based. It is planned once for dimensions, strides and an element size, and
//! runs on any pair of pointers. This module knows nothing of ops or element types.

use crate::exec::LaunchContext;
use crate::kernels::elementwise::{BYTE_PICOSECONDS, threads};
use crate::kernels::space::{Axis, count, merged, offsets};
use std::ops::Range;

/// Bytes that one unit of a plain copy moves.
const UNIT_BYTES: usize = 32 << 10;
/// Picoseconds to move a single element.
const ELEMENT_PICOSECONDS: u64 = 800;

/// One dimension of a copy: its size, and the distance in bytes between neighbors in the source and in the destination.
pub(crate) type CopyAxis = Axis<[isize; 2]>;

impl CopyAxis {
    pub(crate) fn new(size: usize, from: isize, to: isize) -> CopyAxis {
        Axis { size, steps: [from, to] }
    }

    pub(crate) fn from(&self) -> isize {
        self.steps[0]
    }

    pub(crate) fn to(&self) -> isize {
        self.steps[1]
    }
}

/// How the elements of a unit are moved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    /// Columns are contiguous on both sides.
    Runs,
    /// Columns are contiguous in the destination, and rows in the source.
    Transposed,
    /// Element by element.
    Strided,
}

/// A copy that can run. It consists of units, which are tiles of the two dimensions that are moved together. Units write disjoint bytes,
/// provided that no two elements of the destination are the same.
#[derive(Clone, Debug)]
pub(crate) struct StridedCopy {
    way: Way,
    /// Size of an element in bytes.
    size: usize,
    /// The other dimensions, outermost first.
    outer: Vec<CopyAxis>,
    rows: CopyAxis,
    cols: CopyAxis,
    /// Number of rows and columns in a unit, and number of such tiles along each.
    tile: [usize; 2],
    tiles: [usize; 2],
    units: usize,
    picoseconds: u64,
}

impl StridedCopy {
    /// Plans a copy of elements of `size` bytes (1, 2, 4, 8 or 16) over these dimensions.
    pub(crate) fn new(size: usize, axes: &[CopyAxis]) -> StridedCopy {
        let total = count(axes);
        let mut axes = by_destination(axes);
        let one = CopyAxis::new(1, 0, 0);
        let near = size as isize;
        let cols = axes.pop().unwrap_or(CopyAxis::new(1, near, near));
        let is_run = cols.from() == near && cols.to() == near;
        let across = axes.iter().rposition(|a| a.from() == near && a.size > 1);
        let (way, rows) = match across {
            _ if is_run => (Way::Runs, axes.pop().unwrap_or(one)),
            Some(across) if cols.to() == near && cols.from() != 0 => (Way::Transposed, axes.remove(across)),
            _ => (Way::Strided, axes.pop().unwrap_or(one)),
        };
        let tile = match way {
            Way::Transposed => [block(size); 2],
            _ => {
                let width = cols.size.clamp(1, UNIT_BYTES / size);
                [(UNIT_BYTES / size / width).clamp(1, rows.size.max(1)), width]
            }
        };
        let tiles = [rows.size.div_ceil(tile[0]), cols.size.div_ceil(tile[1])];
        let units = if total == 0 { 0 } else { count(&axes) * tiles[0] * tiles[1] };
        let picoseconds = match way {
            Way::Runs => (total * size) as u64 * 2 * BYTE_PICOSECONDS,
            _ => total as u64 * ELEMENT_PICOSECONDS,
        };
        StridedCopy { way, size, outer: axes, rows, cols, tile, tiles, units, picoseconds }
    }

    /// Plans a copy of consecutive bytes.
    pub(crate) fn plain(bytes: usize) -> StridedCopy {
        StridedCopy::new(1, &[CopyAxis::new(bytes, 1, 1)])
    }

    /// Number of units.
    pub(crate) fn units(&self) -> usize {
        self.units
    }

    /// Returns the estimated time on one thread.
    pub(crate) fn picoseconds(&self) -> u64 {
        self.picoseconds
    }

    /// Returns the number of bytes, if the whole copy is a single run of bytes.
    pub(crate) fn run(&self) -> Option<usize> {
        (self.way == Way::Runs && self.outer.is_empty() && self.rows.size == 1)
            .then_some(self.cols.size * self.size)
    }

    /// Runs the copy on the threads of `cx`, from `from` bytes after the start of operand `operand` to `to` bytes after the start of result
    /// `result`.
    ///
    /// # Safety
    /// Every element that the copy reads or writes lies in the operand and in the result, which do not overlap, and no two elements of the
    /// destination are the same.
    pub(crate) unsafe fn share(
        &self,
        cx: &LaunchContext<'_>,
        operand: usize,
        result: usize,
        from: isize,
        to: isize,
    ) {
        let body = |cx: &LaunchContext<'_>, range: Range<usize>, _: *mut u8| {
            let (start, end) = (cx.input_ptr(operand), cx.output_ptr(result));
            // SAFETY: the caller vouches for the elements.
            unsafe { self.range(range, start.wrapping_offset(from), end.wrapping_offset(to)) };
        };
        // SAFETY: each unit writes bytes that no other unit writes.
        unsafe { threads::for_ranges(cx, 0, self.picoseconds / 1_000, self.units, 1, body) };
    }

    /// Runs some units on this thread.
    ///
    /// # Safety
    /// As for [`share`](StridedCopy::share), for the elements of these units.
    pub(crate) unsafe fn range(&self, range: Range<usize>, from: *const u8, to: *mut u8) {
        // SAFETY: the caller vouches for the elements, whatever their type is.
        unsafe {
            match self.size {
                1 => self.typed::<u8, 64>(range, from, to),
                2 => self.typed::<u16, 32>(range, from, to),
                4 => self.typed::<u32, 16>(range, from, to),
                8 => self.typed::<u64, 8>(range, from, to),
                _ => self.typed::<u128, 8>(range, from, to),
            }
        }
    }

    unsafe fn typed<T: Copy + Default, const N: usize>(
        &self,
        range: Range<usize>,
        from: *const u8,
        to: *mut u8,
    ) {
        for unit in range {
            let (rest, col) = (unit / self.tiles[1], unit % self.tiles[1] * self.tile[1]);
            let (rest, row) = (rest / self.tiles[0], rest % self.tiles[0] * self.tile[0]);
            let rows = self.tile[0].min(self.rows.size - row);
            let cols = self.tile[1].min(self.cols.size - col);
            let outer = offsets(&self.outer, rest);
            let [from, to] = [(from, 0), (to.cast_const(), 1)].map(|(start, side)| {
                let inner = row as isize * self.rows.steps[side] + col as isize * self.cols.steps[side];
                start.wrapping_offset(outer[side] + inner)
            });
            let to = to.cast_mut();
            // SAFETY: the caller vouches for the unit's elements.
            unsafe {
                match self.way {
                    Way::Runs => self.runs::<T>(rows, cols, from, to),
                    Way::Transposed if rows == N && cols == N => self.square::<T, N>(from, to),
                    Way::Transposed | Way::Strided => self.strided::<T>(rows, cols, from, to),
                }
            }
        }
    }

    unsafe fn runs<T: Copy>(&self, rows: usize, cols: usize, from: *const u8, to: *mut u8) {
        for row in 0..rows as isize {
            let (from, to) =
                (from.wrapping_offset(row * self.rows.from()), to.wrapping_offset(row * self.rows.to()));
            // SAFETY: the caller's promise.
            unsafe { std::ptr::copy_nonoverlapping(from, to, cols * size_of::<T>()) };
        }
    }

    /// Transposes a full tile in registers, so that every cache line of both sides is accessed once.
    unsafe fn square<T: Copy + Default, const N: usize>(&self, from: *const u8, to: *mut u8) {
        let mut block = [[T::default(); N]; N];
        for (col, line) in block.iter_mut().enumerate() {
            let from = from.wrapping_offset(col as isize * self.cols.from()).cast::<[T; N]>();
            // SAFETY: the rows of a column are contiguous in the source; the caller's promise.
            *line = unsafe { from.read_unaligned() };
        }
        for row in 0..N {
            let line = block.map(|column| column[row]);
            let to = to.wrapping_offset(row as isize * self.rows.to()).cast::<[T; N]>();
            // SAFETY: the columns of a row are contiguous in the destination; the caller's promise.
            unsafe { to.write_unaligned(line) };
        }
    }

    unsafe fn strided<T: Copy>(&self, rows: usize, cols: usize, from: *const u8, to: *mut u8) {
        for row in 0..rows as isize {
            let (from, to) =
                (from.wrapping_offset(row * self.rows.from()), to.wrapping_offset(row * self.rows.to()));
            // SAFETY: the caller's promise.
            unsafe {
                if self.cols.from() == 0 {
                    let x = from.cast::<T>().read_unaligned();
                    if self.cols.to() == self.size as isize {
                        (0..cols).for_each(|col| to.cast::<T>().wrapping_add(col).write_unaligned(x));
                    } else {
                        let at = |col: usize| to.wrapping_offset(col as isize * self.cols.to());
                        (0..cols).for_each(|col| at(col).cast::<T>().write_unaligned(x));
                    }
                } else {
                    for col in 0..cols as isize {
                        let x = from.wrapping_offset(col * self.cols.from()).cast::<T>().read_unaligned();
                        to.wrapping_offset(col * self.cols.to()).cast::<T>().write_unaligned(x);
                    }
                }
            }
        }
    }
}

/// Returns the side of a transposed tile in elements; [`StridedCopy::range`] tells the compiler the same numbers.
fn block(size: usize) -> usize {
    if size == 16 { 8 } else { 64 / size }
}

/// Returns the dimensions in the order of the destination, merged.
pub(crate) fn by_destination(axes: &[CopyAxis]) -> Vec<CopyAxis> {
    let mut axes = axes.to_vec();
    axes.sort_by_key(|axis| std::cmp::Reverse(axis.to().unsigned_abs()));
    merged(axes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dimensions_merge_in_the_order_of_the_destination() {
        let axes = [CopyAxis::new(4, 4, 4), CopyAxis::new(2, 48, 48), CopyAxis::new(3, 16, 16)];
        assert_eq!(by_destination(&axes), [CopyAxis::new(24, 4, 4)]);
        assert_eq!(StridedCopy::new(4, &[CopyAxis::new(6, 16, 16), CopyAxis::new(4, 4, 4)]).run(), Some(96));
        assert_eq!(StridedCopy::new(4, &[CopyAxis::new(6, 16, 16), CopyAxis::new(0, 4, 4)]).units(), 0);
    }

    #[test]
    fn the_way_follows_from_the_strides() {
        let way = |axes: &[CopyAxis]| StridedCopy::new(4, axes).way;
        assert_eq!(way(&[CopyAxis::new(5, 4, 28), CopyAxis::new(7, 20, 4)]), Way::Transposed);
        assert_eq!(way(&[CopyAxis::new(5, 400, 16), CopyAxis::new(4, 4, 4)]), Way::Runs);
        assert_eq!(way(&[CopyAxis::new(5, 0, 16), CopyAxis::new(4, 8, 4)]), Way::Strided);
        assert_eq!(way(&[CopyAxis::new(5, 4, 16), CopyAxis::new(4, 0, 4)]), Way::Strided);
    }
}
