//! The sizes and the movement of a window, as one value that the ops with moving windows share.

use super::structure::{restricted, structure};
use crate::dim::Dim;

structure! {
    /// A window and how it moves over tensors, with one entry per axis.
    #[derive(Clone, PartialEq, Eq, Hash, Debug)]
    flat WindowSpec {
        /// Sizes of the window, one per axis, at least 1.
        window: Vec<usize>,
        /// Steps between positions, at least 1.
        strides: Vec<usize>,
        /// Base dilation: the distance between elements of x; at least 1.
        base_dilation: Vec<usize>,
        /// Window dilation: the distance between elements of a window; at least 1.
        window_dilation: Vec<usize>,
        /// Padding before each axis; a negative number removes elements.
        low: Vec<i64>,
        /// Padding after each axis; a negative number removes elements.
        high: Vec<i64>,
    }
}

/// An axis along which a window contains all elements from one end up to its position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RunningAxis {
    /// The axis.
    pub axis: usize,
    /// Whether the window leaves out the element at its own position.
    pub exclusive: bool,
    /// Whether it contains the elements up to the last one, instead of those from the first.
    pub reverse: bool,
}

impl WindowSpec {
    /// Returns a window of these sizes that moves by 1, without dilation and padding.
    pub fn plain(window: &[usize]) -> WindowSpec {
        let rank = window.len();
        WindowSpec {
            window: window.to_vec(),
            strides: vec![1; rank],
            base_dilation: vec![1; rank],
            window_dilation: vec![1; rank],
            low: vec![0; rank],
            high: vec![0; rank],
        }
    }

    /// Returns the window with a leading axis, along which it has size 1 and moves by 1.
    pub fn batched(&self) -> WindowSpec {
        let with = |first: usize, rest: &[usize]| [&[first], rest].concat();
        let padding = |rest: &[i64]| [&[0], rest].concat();
        WindowSpec {
            window: with(1, &self.window),
            strides: with(1, &self.strides),
            base_dilation: with(1, &self.base_dilation),
            window_dilation: with(1, &self.window_dilation),
            low: padding(&self.low),
            high: padding(&self.high),
        }
    }

    /// Returns the window along the axes from `axis` on.
    pub fn trailing(&self, axis: usize) -> WindowSpec {
        WindowSpec {
            window: self.window[axis..].to_vec(),
            strides: self.strides[axis..].to_vec(),
            base_dilation: self.base_dilation[axis..].to_vec(),
            window_dilation: self.window_dilation[axis..].to_vec(),
            low: self.low[axis..].to_vec(),
            high: self.high[axis..].to_vec(),
        }
    }

    /// Returns the number of elements of a window.
    pub fn taps(&self) -> usize {
        self.window.iter().product()
    }

    /// Returns whether there is padding, or elements are removed.
    pub fn is_padded(&self) -> bool {
        self.low.iter().chain(&self.high).any(|&n| n != 0)
    }

    /// Returns whether windows contain elements of x and nothing else: no padding, and no gaps between elements of x.
    pub fn is_bare(&self) -> bool {
        !self.is_padded() && self.base_dilation.iter().all(|&n| n == 1)
    }

    /// Returns whether there are gaps between elements of x or of the window.
    pub fn is_dilated(&self) -> bool {
        self.base_dilation.iter().chain(&self.window_dilation).any(|&n| n != 1)
    }

    /// Returns the axis along which each window over a tensor of these dimensions contains all elements from one end up to its
    /// position, if the window does not move along the others.
    pub fn running(&self, dims: &[Dim]) -> Option<RunningAxis> {
        if self.is_dilated() || self.strides.iter().any(|&n| n != 1) {
            return None;
        }
        let moves = |&a: &usize| self.window[a] != 1 || self.low[a] != 0 || self.high[a] != 0;
        let mut moved = (0..self.window.len()).filter(moves);
        let axis = moved.next().filter(|_| moved.next().is_none())?;
        if dims[axis].as_static().is_none_or(|n| n > self.window[axis]) {
            return None;
        }
        let size = i64::try_from(self.window[axis]).ok()?;
        let (exclusive, reverse) = match (self.low[axis], self.high[axis]) {
            (low, 0) if low == size - 1 => (false, false),
            (0, high) if high == size - 1 => (false, true),
            (low, -1) if low == size => (true, false),
            (-1, high) if high == size => (true, true),
            _ => return None,
        };
        Some(RunningAxis { axis, exclusive, reverse })
    }
}

restricted! {
    /// A [`WindowSpec`] without dilations.
    #[derive(Clone, PartialEq, Eq, Hash, Debug)]
    UndilatedWindow(WindowSpec) { window, strides, low, high }
}

impl UndilatedWindow {
    /// Returns a window of these sizes, with these steps and padding.
    pub fn new(window: Vec<usize>, strides: Vec<usize>, low: Vec<i64>, high: Vec<i64>) -> UndilatedWindow {
        let ones = vec![1; window.len()];
        UndilatedWindow(WindowSpec {
            window,
            strides,
            base_dilation: ones.clone(),
            window_dilation: ones,
            low,
            high,
        })
    }

    /// Returns the window with a leading axis, along which it has size 1 and moves by 1.
    pub fn batched(&self) -> UndilatedWindow {
        UndilatedWindow(self.0.batched())
    }

    /// Returns a window that is not dilated.
    pub fn from_spec(spec: WindowSpec) -> Option<UndilatedWindow> {
        (!spec.is_dilated()).then_some(UndilatedWindow(spec))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::{Op, OpKind, ReduceOp};

    #[test]
    fn windows_without_dilations_do_not_print_them() {
        let spec = WindowSpec { low: vec![-1], ..WindowSpec::plain(&[2]) };
        let op = Op::ReduceWindow { kind: ReduceOp::Max, spec: spec.clone() };
        let text = "{kind = max, window = [2], strides = [1], base_dilation = [1], window_dilation = [1], low = [-1], high = [0]}";
        assert_eq!(op.attributes_text(), text);
        assert_eq!(Op::from_text("reduce_window", text).expect("reads what was written"), op);
        let names: Vec<&str> =
            OpKind::SelectAndScatter.attributes().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["select", "scatter", "window", "strides", "low", "high"]);
        let dilated = WindowSpec { base_dilation: vec![2], ..spec.clone() };
        assert_eq!(UndilatedWindow::from_spec(dilated), None);
        assert_eq!(UndilatedWindow::from_spec(spec.clone()).as_deref(), Some(&spec));
    }

    #[test]
    fn running_windows_contain_all_elements_from_one_end() {
        let of = |low: i64, high: i64, n: usize| {
            WindowSpec { low: vec![0, low], high: vec![0, high], ..WindowSpec::plain(&[1, 4]) }
                .running(&[Dim::Static(3), Dim::Static(n)])
                .map(|found| (found.axis, found.exclusive, found.reverse))
        };
        assert_eq!(of(3, 0, 4), Some((1, false, false)));
        assert_eq!(of(0, 3, 2), Some((1, false, true)));
        assert_eq!(of(4, -1, 4), Some((1, true, false)));
        assert_eq!(of(-1, 4, 4), Some((1, true, true)));
        assert_eq!(of(3, 0, 5), None);
        assert_eq!(of(2, 1, 4), None);
    }
}
