//! Index spaces of elementwise programs, with dimensions merged as far as the operands allow. This module knows nothing of what is
//! computed.

use crate::kernels::space::{Axis, merged, offsets};

/// The dimensions of an index space with the strides of each operand on them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Space {
    /// Sizes, outermost first; at least one, none of them 1 unless it is the only one.
    pub(crate) dims: Vec<usize>,
    /// For each operand, one stride per dimension, in elements.
    pub(crate) strides: Vec<Vec<usize>>,
}

impl Space {
    /// Merges neighboring dimensions that every operand traverses as if they were one. The dimensions before and after each of `splits` are
    /// not merged.
    pub(crate) fn new(dims: &[usize], strides: &[Vec<usize>], splits: &[usize]) -> Space {
        let axis = |a: usize| Axis {
            size: dims[a],
            steps: strides.iter().map(|s| s[a] as isize).collect::<Vec<_>>(),
        };
        let mut bounds = vec![0, dims.len()];
        bounds.extend(splits);
        bounds.sort_unstable();
        let mut axes: Vec<_> =
            bounds.windows(2).flat_map(|part| merged((part[0]..part[1]).map(&axis))).collect();
        if axes.is_empty() {
            axes.push(Axis { size: 1, steps: vec![0; strides.len()] });
        }
        let along = |operand: usize| axes.iter().map(|axis| axis.steps[operand] as usize).collect();
        Space {
            dims: axes.iter().map(|axis| axis.size).collect(),
            strides: (0..strides.len()).map(along).collect(),
        }
    }

    /// Number of indices.
    pub(crate) fn total(&self) -> usize {
        self.dims.iter().product()
    }

    /// The size of the innermost dimension.
    pub(crate) fn row(&self) -> usize {
        self.dims.last().copied().unwrap_or(1)
    }

    /// Returns how an operand's elements are laid out.
    pub(crate) fn layout(&self, operand: usize) -> AccessPattern {
        let strides = &self.strides[operand];
        let (&inner, outer) = strides.split_last().unwrap_or((&0, &[]));
        if strides.iter().all(|&s| s == 0) {
            return AccessPattern::Uniform;
        }
        let mut expected = 1;
        let dense = strides.iter().zip(&self.dims).rev().all(|(&stride, &size)| {
            let fits = stride == expected;
            expected *= size;
            fits
        });
        match () {
            () if dense => AccessPattern::Dense,
            () if outer.iter().all(|&s| s == 0) => AccessPattern::Repeated { inner },
            () => {
                let axes = self.dims.iter().zip(outer);
                let outer = axes.map(|(&size, &stride)| Axis { size, steps: [stride as isize] }).collect();
                AccessPattern::Strided { inner, outer }
            }
        }
    }
}

/// Where the elements of an operand are for consecutive indices.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum AccessPattern {
    /// One after the other.
    Dense,
    /// The same element for every index.
    Uniform,
    /// The same row for every row, with elements `inner` apart.
    Repeated { inner: usize },
    /// Elements are `inner` apart within a row; the outer dimensions say where rows begin.
    Strided { inner: usize, outer: Vec<Axis<[isize; 1]>> },
}

/// Returns the offset of row number `row` of a strided operand.
#[inline]
pub(crate) fn row_offset(outer: &[Axis<[isize; 1]>], row: usize) -> usize {
    offsets(outer, row)[0] as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dimensions_merge_as_far_as_every_operand_allows() {
        let dense = vec![12, 4, 1];
        let bias = vec![0, 0, 1];
        let space = Space::new(&[2, 3, 4], std::slice::from_ref(&dense), &[]);
        assert_eq!(space.dims, [24]);
        assert_eq!(space.layout(0), AccessPattern::Dense);
        let space = Space::new(&[2, 3, 4], &[dense.clone(), bias], &[]);
        assert_eq!(space.dims, [6, 4]);
        assert_eq!(space.layout(0), AccessPattern::Dense);
        assert_eq!(space.layout(1), AccessPattern::Repeated { inner: 1 });
        let space = Space::new(&[2, 3, 4], &[dense], &[1]);
        assert_eq!(space.dims, [2, 12]);
        assert_eq!(space.layout(0), AccessPattern::Dense);
    }

    #[test]
    fn sizes_of_one_and_scalars_vanish() {
        let space = Space::new(&[1, 1], &[vec![5, 7]], &[]);
        assert_eq!((space.dims.as_slice(), space.layout(0)), (&[1][..], AccessPattern::Uniform));
        let space = Space::new(&[1, 6, 1], &[vec![9, 0, 0]], &[]);
        assert_eq!((space.dims.as_slice(), space.layout(0)), (&[6][..], AccessPattern::Uniform));
    }

    #[test]
    fn rows_of_strided_operands_are_found() {
        // A transposed 4 × 2 × 3 operand.
        let space = Space::new(&[2, 3, 4], &[vec![3, 1, 6]], &[]);
        let AccessPattern::Strided { inner, outer } = space.layout(0) else { panic!("not strided") };
        assert_eq!(inner, 6);
        for row in 0..6 {
            assert_eq!(row_offset(&outer, row), row / 3 * 3 + row % 3);
        }
    }
}
