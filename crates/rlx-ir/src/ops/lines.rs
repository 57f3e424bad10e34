//! The lines of a tensor along an axis, for ops that work on each line separately.

/// A line of a tensor along an axis.
#[derive(Clone, Copy)]
pub(crate) struct Line {
    start: usize,
    stride: usize,
    /// Number of elements.
    pub(crate) len: usize,
}

impl Line {
    /// The linear position of its element `i`.
    pub(crate) fn at(self, i: usize) -> usize {
        self.start + i * self.stride
    }
}

/// All lines along `axis`, in row-major order of the other axes.
pub(crate) fn lines(dims: &[usize], axis: usize) -> impl Iterator<Item = Line> {
    let outer: usize = dims[..axis].iter().product();
    let stride: usize = dims[axis + 1..].iter().product();
    let len = dims[axis];
    (0..outer).flat_map(move |o| (0..stride).map(move |i| Line { start: o * len * stride + i, stride, len }))
}
