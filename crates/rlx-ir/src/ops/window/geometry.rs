//! The positions of a moving window: sizes and positions along each axis, for window reductions and convolution.

use crate::dim::Dim;
use crate::eval::for_each_index;
use crate::op::{OpError, WindowSpec};
use crate::shape::{Shape, row_major_strides};

/// The attributes of a moving window, one entry per axis.
#[derive(Clone, Copy)]
pub(crate) struct Geometry<'a> {
    /// Steps of the window.
    pub(crate) strides: &'a [usize],
    /// Base dilation: the distance between neighboring elements of the base; 1 means no gaps.
    pub(crate) base_dilation: &'a [usize],
    /// Window dilation: the distance between neighboring elements of the window.
    pub(crate) window_dilation: &'a [usize],
    /// Padding before the base; a negative number removes elements.
    pub(crate) low: &'a [i64],
    /// Padding after the base; a negative number removes elements.
    pub(crate) high: &'a [i64],
}

impl Geometry<'_> {
    /// Fails unless there is one entry per axis, of which there are `rank`, and strides and dilations are positive.
    pub(crate) fn check(&self, rank: usize) -> Result<(), OpError> {
        let lengths = [self.strides, self.base_dilation, self.window_dilation].map(<[usize]>::len);
        if lengths != [rank; 3] || [self.low, self.high].map(<[i64]>::len) != [rank; 2] {
            return Err(OpError::attribute(format!(
                "strides, dilations, low and high must each have {rank} items, one per axis of the window"
            )));
        }
        let lists =
            [("stride", self.strides), ("base", self.base_dilation), ("window", self.window_dilation)];
        for (name, list) in lists {
            if let Some(axis) = list.iter().position(|&n| n == 0) {
                let what = if name == "stride" { name.into() } else { format!("{name} dilation") };
                return Err(OpError::attribute(format!(
                    "the {what} of axis {axis} is 0; it must be at least 1"
                )));
            }
        }
        Ok(())
    }

    /// The number of positions along `axis` of a window of this size in a base of this size: 0 if it does not fit.
    pub(crate) fn places(&self, axis: usize, base: &Dim, window: &Dim) -> Result<Dim, OpError> {
        let (low, high) = (self.low[axis], self.high[axis]);
        let (stride, base_by, window_by) =
            (self.strides[axis], self.base_dilation[axis], self.window_dilation[axis]);
        let too_large = || OpError::shape(format!("the window along axis {axis} has a size that overflows"));
        if let (Some(base), Some(window)) = (base.as_static(), window.as_static()) {
            let extent = |n: usize, by: usize| {
                (n.saturating_sub(1) as i128).saturating_mul(by as i128).saturating_add(i128::from(n > 0))
            };
            let padded = extent(base, base_by).saturating_add(i128::from(low) + i128::from(high));
            let slack = padded.saturating_sub(extent(window, window_by));
            let places = if slack < 0 { 0 } else { slack / stride as i128 + 1 };
            return usize::try_from(places).map(Dim::Static).map_err(|_| too_large());
        }
        let padding = low.checked_add(high).ok_or_else(too_large)?;
        let slack = (dilated(base, base_by).offset(padding)) - dilated(window, window_by);
        let places = slack.floor_div(&Dim::Static(stride)).offset(1);
        // A symbolic base may be empty. The bound is left out if it cannot matter, so that the result of a window that keeps the
        // size is the same symbol.
        let shortest = window.as_static().filter(|_| base_by == 1).and_then(|n| {
            let reach = n.saturating_sub(1).checked_mul(window_by)?.checked_add(usize::from(n > 0))?;
            padding.checked_sub(i64::try_from(reach).ok()?)?.checked_add(i64::try_from(stride).ok()?)
        });
        Ok(if shortest.is_some_and(|n| n >= 0) { places } else { places.larger(&Dim::Static(0)) })
    }

    /// The element of a base of size `base` at `tap` of the window at `place`, unless that is padding or a gap.
    fn source(&self, axis: usize, base: usize, place: usize, tap: usize) -> Option<usize> {
        let times = |n: usize, by: usize| (n as i128).saturating_mul(by as i128);
        let offset = times(place, self.strides[axis])
            .saturating_add(times(tap, self.window_dilation[axis]))
            .saturating_sub(i128::from(self.low[axis]));
        let dilation = self.base_dilation[axis] as i128;
        if dilation == 1 {
            return usize::try_from(offset).ok().filter(|&at| at < base);
        }
        let seen = (0..base as i128 * dilation).contains(&offset) && offset % dilation == 0;
        seen.then(|| (offset / dilation) as usize)
    }

    /// Calls `f` for each element in the window at `place`, in row-major order of the taps, with an offset into the base and one
    /// into the window, computed from these strides. Stores nothing in between, because windows may be as long as the base.
    pub(crate) fn each_tap<E>(
        &self,
        place: &[usize],
        base: (&[usize], &[usize]),
        window: (&[usize], &[usize]),
        f: &mut impl FnMut(usize, usize) -> Result<(), E>,
    ) -> Result<(), E> {
        self.each_tap_from(0, (0, 0), place, base, window, f)
    }

    /// [`each_tap`](Self::each_tap) from `axis` on, where the taps of the axes before give these offsets.
    fn each_tap_from<E>(
        &self,
        axis: usize,
        (at, tap_at): (usize, usize),
        place: &[usize],
        base: (&[usize], &[usize]),
        window: (&[usize], &[usize]),
        f: &mut impl FnMut(usize, usize) -> Result<(), E>,
    ) -> Result<(), E> {
        if axis == place.len() {
            return f(at, tap_at);
        }
        for tap in 0..window.0[axis] {
            if let Some(source) = self.source(axis, base.0[axis], place[axis], tap) {
                let offsets = (at + source * base.1[axis], tap_at + tap * window.1[axis]);
                self.each_tap_from(axis + 1, offsets, place, base, window, f)?;
            }
        }
        Ok(())
    }

    /// For each position of the window over a whole base, in row-major order, calls `f` with the index of the position and the
    /// linear position of each element in the window, one after the other.
    pub(crate) fn for_each_seen<E>(
        &self,
        base: &[usize],
        window: &[usize],
        places: &[usize],
        mut f: impl FnMut(usize, usize) -> Result<(), E>,
    ) -> Result<(), E> {
        let strides = row_major_strides(base);
        let nowhere = vec![0; window.len()];
        let (mut number, mut result) = (0, Ok(()));
        for_each_index(places, |place| {
            if result.is_ok() {
                let base = (base, strides.as_slice());
                let mut seen = |at: usize, _: usize| f(number, at);
                result = self.each_tap(place, base, (window, &nowhere), &mut seen);
            }
            number += 1;
        });
        result
    }
}

impl WindowSpec {
    /// How the window moves.
    pub(crate) fn geometry(&self) -> Geometry<'_> {
        Geometry {
            strides: &self.strides,
            base_dilation: &self.base_dilation,
            window_dilation: &self.window_dilation,
            low: &self.low,
            high: &self.high,
        }
    }

    /// The numbers of positions of the window over x along each axis, which are the dimensions of a reduction over it. Fails if
    /// the window does not have an entry per axis of x, or an entry is out of range.
    pub fn places(&self, x: &Shape) -> Result<Vec<Dim>, OpError> {
        let (geometry, window) = (self.geometry(), &self.window);
        geometry.check(x.rank())?;
        if window.len() != x.rank() {
            return Err(OpError::attribute(format!(
                "window must have {} items, one per axis of x {x}, got {window:?}",
                x.rank()
            )));
        }
        if let Some(axis) = window.iter().position(|&n| n == 0) {
            return Err(OpError::attribute(format!("the window along axis {axis} is empty")));
        }
        (0..x.rank()).map(|axis| geometry.places(axis, x.dim(axis), &Dim::Static(window[axis]))).collect()
    }
}

/// The extent of `n` elements at distance `by` from each other.
fn dilated(n: &Dim, by: usize) -> Dim {
    match n {
        _ if by == 1 => n.clone(),
        Dim::Static(0) => Dim::Static(0),
        // INVARIANT of the bound: an empty tensor stays empty, although its formula is negative.
        _ => (&(n * by) - (by - 1)).larger(&Dim::Static(0)),
    }
}
