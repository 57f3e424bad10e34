//! Index spaces: sizes of axes, and for each of several tensors the step along each axis. Code that iterates over strided elements is
//! planned with them. This module knows neither ops nor element types; steps may be in elements or in bytes.

/// One axis of an index space.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Axis<S> {
    pub(crate) size: usize,
    /// One step for each tensor.
    pub(crate) steps: S,
}

/// Returns the axes, outermost first, without those of size 1. Neighboring axes are merged if every tensor traverses them as one.
pub(crate) fn merged<S: AsRef<[isize]>>(axes: impl IntoIterator<Item = Axis<S>>) -> Vec<Axis<S>> {
    let mut merged: Vec<Axis<S>> = Vec::new();
    for axis in axes.into_iter().filter(|axis| axis.size != 1) {
        // The steps of an empty space are arbitrary.
        let through = |(outer, inner): (&isize, &isize)| *outer == inner.wrapping_mul(axis.size as isize);
        match merged.last_mut() {
            Some(last) if last.steps.as_ref().iter().zip(axis.steps.as_ref()).all(through) => {
                *last = Axis { size: last.size * axis.size, ..axis };
            }
            _ => merged.push(axis),
        }
    }
    merged
}

/// Returns the number of indices; 0 if any size is 0, whatever the others are.
pub(crate) fn count<S>(axes: &[Axis<S>]) -> usize {
    if axes.iter().any(|axis| axis.size == 0) { 0 } else { axes.iter().map(|axis| axis.size).product() }
}

/// Returns the offset of an index in each tensor. The index is counted in row-major order.
#[inline(always)]
pub(crate) fn offsets<const N: usize>(axes: &[Axis<[isize; N]>], index: usize) -> [isize; N] {
    let mut offsets = [0; N];
    match axes {
        [] => {}
        // The common case needs no division.
        [axis] => walk(&mut offsets, axis, index),
        _ => walk_all(&mut offsets, axes, index),
    }
    offsets
}

/// Adds `steps` steps along an axis. The compiler unrolls a loop over indices, but not zipped iterators.
#[inline(always)]
#[allow(clippy::needless_range_loop)]
fn walk<const N: usize>(offsets: &mut [isize; N], axis: &Axis<[isize; N]>, steps: usize) {
    for tensor in 0..N {
        offsets[tensor] += steps as isize * axis.steps[tensor];
    }
}

fn walk_all<const N: usize>(offsets: &mut [isize; N], axes: &[Axis<[isize; N]>], mut index: usize) {
    for axis in axes.iter().rev() {
        walk(offsets, axis, index % axis.size);
        index /= axis.size;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis<const N: usize>(size: usize, steps: [isize; N]) -> Axis<[isize; N]> {
        Axis { size, steps }
    }

    #[test]
    fn axes_merge_where_every_tensor_allows() {
        let dense = [axis(2, [48, 48]), axis(1, [7, 9]), axis(3, [16, 16]), axis(4, [4, 4])];
        assert_eq!(merged(dense), [axis(24, [4, 4])]);
        let apart = [axis(2, [96, 48]), axis(3, [16, 16]), axis(4, [4, 4])];
        assert_eq!(merged(apart), [axis(2, [96, 48]), axis(12, [4, 4])]);
        assert_eq!(merged([axis(1, [5, 7])]), []);
    }

    #[test]
    fn offsets_are_those_of_row_major_indices() {
        // A transposed tensor of 4 × 2 × 3 elements, and the dense one of 2 × 3 × 4.
        let axes = [axis(2, [3, 12]), axis(3, [1, 4]), axis(4, [6, 1])];
        for index in 0..count(&axes) {
            let (i, j, k) = (index / 12, index / 4 % 3, index % 4);
            assert_eq!(offsets(&axes, index), [3 * i + j + 6 * k, index].map(|at| at as isize));
        }
        assert_eq!(offsets::<2>(&[], 0), [0, 0]);
        assert_eq!((count(&axes), count(&[axis(usize::MAX, [1]), axis(3, [1]), axis(0, [1])])), (24, 0));
    }
}
