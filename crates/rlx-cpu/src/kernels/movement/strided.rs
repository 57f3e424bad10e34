//! The strided copy under every op that only moves elements: planned once for dimensions, strides and an element size,
//! run on any pair of pointers. Knows nothing of ops or element types.

use crate::exec::LaunchContext;
use crate::kernels::elementwise::{BYTE_PICOSECONDS, threads};
use std::ops::Range;

/// Bytes that one unit of a plain copy moves.
const UNIT_BYTES: usize = 32 << 10;
/// Picoseconds to move an element by itself.
const ELEMENT_PICOSECONDS: u64 = 800;

/// One dimension of a copy: its size and the bytes between neighbours, in the source and in the destination.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Axis {
    pub(crate) size: usize,
    pub(crate) from: isize,
    pub(crate) to: isize,
}

/// How the elements of a unit are moved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    /// Columns lie next to each other on both sides.
    Runs,
    /// Columns lie next to each other in the destination, rows in the source.
    Transposed,
    /// Element by element.
    Strided,
}

/// A copy ready to run. It consists of units, tiles of the two dimensions that are moved together; units write disjoint
/// bytes, if no two elements of the destination are one.
#[derive(Clone, Debug)]
pub(crate) struct StridedCopy {
    way: Way,
    /// Bytes of an element.
    size: usize,
    /// The other dimensions, outermost first.
    outer: Vec<Axis>,
    rows: Axis,
    cols: Axis,
    /// Rows and columns of a unit, and how many such tiles there are of each.
    tile: [usize; 2],
    tiles: [usize; 2],
    units: usize,
    picoseconds: u64,
}

impl StridedCopy {
    /// A copy of elements of `size` bytes (1, 2, 4, 8 or 16) over these dimensions.
    pub(crate) fn new(size: usize, axes: &[Axis]) -> StridedCopy {
        let empty = axes.iter().any(|a| a.size == 0);
        let total = if empty { 0 } else { axes.iter().map(|a| a.size).product::<usize>() };
        let mut axes = merged(axes);
        let one = Axis { size: 1, from: 0, to: 0 };
        let near = size as isize;
        let cols = axes.pop().unwrap_or(Axis { size: 1, from: near, to: near });
        let is_run = cols.from == near && cols.to == near;
        let across = axes.iter().rposition(|a| a.from == near && a.size > 1);
        let (way, rows) = match across {
            _ if is_run => (Way::Runs, axes.pop().unwrap_or(one)),
            Some(across) if cols.to == near && cols.from != 0 => (Way::Transposed, axes.remove(across)),
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
        let units =
            if empty { 0 } else { axes.iter().map(|a| a.size).product::<usize>() * tiles[0] * tiles[1] };
        let picoseconds = match way {
            Way::Runs => (total * size) as u64 * 2 * BYTE_PICOSECONDS,
            _ => total as u64 * ELEMENT_PICOSECONDS,
        };
        StridedCopy { way, size, outer: axes, rows, cols, tile, tiles, units, picoseconds }
    }

    /// A copy of consecutive bytes.
    pub(crate) fn plain(bytes: usize) -> StridedCopy {
        StridedCopy::new(1, &[Axis { size: bytes, from: 1, to: 1 }])
    }

    /// Number of units.
    pub(crate) fn units(&self) -> usize {
        self.units
    }

    /// An estimate for one thread.
    pub(crate) fn picoseconds(&self) -> u64 {
        self.picoseconds
    }

    /// The number of bytes, if the whole copy is one run of them.
    pub(crate) fn run(&self) -> Option<usize> {
        (self.way == Way::Runs && self.outer.is_empty() && self.rows.size == 1)
            .then_some(self.cols.size * self.size)
    }

    /// Runs the copy on the threads of `cx`, from `from` bytes past the start of operand `operand` to `to` bytes past that of result
    /// `result`.
    ///
    /// # Safety
    /// Every element that the copy reads or writes lies in the operand and in the result. They overlap nowhere, and no
    /// two elements of the destination are one.
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
        // SAFETY: a unit writes bytes that no other writes.
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
            let (mut rest, row) = (rest / self.tiles[0], rest % self.tiles[0] * self.tile[0]);
            let rows = self.tile[0].min(self.rows.size - row);
            let cols = self.tile[1].min(self.cols.size - col);
            let mut from =
                from.wrapping_offset(row as isize * self.rows.from + col as isize * self.cols.from);
            let mut to = to.wrapping_offset(row as isize * self.rows.to + col as isize * self.cols.to);
            for axis in self.outer.iter().rev() {
                let i = (rest % axis.size) as isize;
                rest /= axis.size;
                from = from.wrapping_offset(i * axis.from);
                to = to.wrapping_offset(i * axis.to);
            }
            // SAFETY: the unit's elements are the caller's promise.
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
                (from.wrapping_offset(row * self.rows.from), to.wrapping_offset(row * self.rows.to));
            // SAFETY: the caller's promise.
            unsafe { std::ptr::copy_nonoverlapping(from, to, cols * size_of::<T>()) };
        }
    }

    /// A full transposed tile by way of registers: every cache line of both sides is touched once.
    unsafe fn square<T: Copy + Default, const N: usize>(&self, from: *const u8, to: *mut u8) {
        let mut block = [[T::default(); N]; N];
        for (col, line) in block.iter_mut().enumerate() {
            let from = from.wrapping_offset(col as isize * self.cols.from).cast::<[T; N]>();
            // SAFETY: the rows of a column are neighbours in the source; the caller's promise.
            *line = unsafe { from.read_unaligned() };
        }
        for row in 0..N {
            let line = block.map(|column| column[row]);
            let to = to.wrapping_offset(row as isize * self.rows.to).cast::<[T; N]>();
            // SAFETY: the columns of a row are neighbours in the destination; the caller's promise.
            unsafe { to.write_unaligned(line) };
        }
    }

    unsafe fn strided<T: Copy>(&self, rows: usize, cols: usize, from: *const u8, to: *mut u8) {
        for row in 0..rows as isize {
            let (from, to) =
                (from.wrapping_offset(row * self.rows.from), to.wrapping_offset(row * self.rows.to));
            // SAFETY: the caller's promise.
            unsafe {
                if self.cols.from == 0 {
                    let x = from.cast::<T>().read_unaligned();
                    if self.cols.to == self.size as isize {
                        (0..cols).for_each(|col| to.cast::<T>().wrapping_add(col).write_unaligned(x));
                    } else {
                        let at = |col: usize| to.wrapping_offset(col as isize * self.cols.to);
                        (0..cols).for_each(|col| at(col).cast::<T>().write_unaligned(x));
                    }
                } else {
                    for col in 0..cols as isize {
                        let x = from.wrapping_offset(col * self.cols.from).cast::<T>().read_unaligned();
                        to.wrapping_offset(col * self.cols.to).cast::<T>().write_unaligned(x);
                    }
                }
            }
        }
    }
}

/// Elements along the side of a transposed tile; [`StridedCopy::range`] says the same to the compiler.
fn block(size: usize) -> usize {
    if size == 16 { 8 } else { 64 / size }
}

/// The dimensions without those of size 1, in the order of the destination, merged where both sides walk through two as
/// through one.
pub(crate) fn merged(axes: &[Axis]) -> Vec<Axis> {
    let mut axes: Vec<Axis> = axes.iter().copied().filter(|a| a.size != 1).collect();
    axes.sort_by_key(|a| std::cmp::Reverse(a.to.unsigned_abs()));
    let mut list: Vec<Axis> = Vec::with_capacity(axes.len());
    for axis in axes {
        let steps = axis.size as isize;
        match list.last_mut() {
            Some(last) if last.from == axis.from * steps && last.to == axis.to * steps => {
                *last = Axis { size: last.size * axis.size, ..axis };
            }
            _ => list.push(axis),
        }
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(size: usize, from: isize, to: isize) -> Axis {
        Axis { size, from, to }
    }

    #[test]
    fn dimensions_merge_where_both_sides_allow() {
        assert_eq!(
            merged(&[axis(2, 48, 48), axis(1, 7, 9), axis(3, 16, 16), axis(4, 4, 4)]),
            [axis(24, 4, 4)]
        );
        assert_eq!(
            merged(&[axis(2, 96, 48), axis(3, 16, 16), axis(4, 4, 4)]),
            [axis(2, 96, 48), axis(12, 4, 4)]
        );
        assert_eq!(StridedCopy::new(4, &[axis(6, 16, 16), axis(4, 4, 4)]).run(), Some(96));
        assert_eq!(StridedCopy::new(4, &[axis(6, 16, 16), axis(0, 4, 4)]).units(), 0);
    }

    #[test]
    fn the_way_follows_from_the_strides() {
        let way = |axes: &[Axis]| StridedCopy::new(4, axes).way;
        assert_eq!(way(&[axis(5, 4, 28), axis(7, 20, 4)]), Way::Transposed);
        assert_eq!(way(&[axis(5, 400, 16), axis(4, 4, 4)]), Way::Runs);
        assert_eq!(way(&[axis(5, 0, 16), axis(4, 8, 4)]), Way::Strided);
        assert_eq!(way(&[axis(5, 4, 16), axis(4, 0, 4)]), Way::Strided);
    }
}
