//! Functions that only move elements.

use crate::array::{MlxArray, sizes};
use crate::check::Check;
use crate::codes::{ElementType, Unary};
use crate::error::MlxError;
use crate::ffi::Ints;
use crate::ops::{Made, Ops, pointers};

/// The range of a slice: from `starts` up to but excluding `stops`, in steps of `strides`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Slices {
    /// The first index of each axis.
    pub starts: Vec<usize>,
    /// The index after the last one of each axis.
    pub stops: Vec<usize>,
    /// The steps along each axis.
    pub strides: Vec<usize>,
}

impl Slices {
    /// Adds an axis.
    pub fn push(&mut self, start: usize, stop: usize, stride: usize) {
        self.starts.push(start);
        self.stops.push(stop);
        self.strides.push(stride);
    }

    /// Returns starts, ends and steps as MLX represents them: one of each per axis, with ends clamped and steps of at least 1.
    fn inside(&self, check: Check<'_>, a: &MlxArray) -> Result<[Vec<i32>; 3], MlxError> {
        let dims = a.dims();
        for (name, list) in [("starts", &self.starts), ("ends", &self.stops), ("steps", &self.strides)] {
            check.count(name, list.len(), "axes", dims.len())?;
        }
        check.positive("steps", &self.strides)?;
        let starts: Vec<usize> =
            self.starts.iter().zip(&dims).map(|(&start, &size)| start.min(size)).collect();
        let stops = self.stops.iter().zip(&dims).zip(&starts);
        let stops: Vec<usize> = stops.map(|((&stop, &size), &start)| stop.min(size).max(start)).collect();
        let strides = self.strides.iter().zip(&dims).map(|(&stride, &size)| stride.min(size.max(1)));
        let strides: Vec<usize> = strides.collect();
        Ok([sizes(&starts)?, sizes(&stops)?, sizes(&strides)?])
    }
}

impl Ops<'_> {
    /// Returns the numbers from `start` up to but excluding `stop`.
    pub fn arange(&self, start: i64, stop: i64, element: ElementType) -> Made {
        let check = Check::of("arange", &[]);
        check.dimension(stop.saturating_sub(start).max(0).try_into().ok())?;
        // SAFETY: numbers are passed, and their distance is a valid dimension.
        self.call(|t, s, out| unsafe { (t.arange)(start, stop, element.code(), s, out) })
    }

    /// Returns an array filled with one value.
    pub fn full(&self, dims: &[usize], value: &MlxArray) -> Made {
        let dims = sizes(dims)?;
        // SAFETY: the handle lives, as does the slice.
        self.call(|t, s, out| unsafe { (t.full)(Ints::of(&dims), value.raw(), s, out) })
    }

    /// Returns the same elements with other dimensions.
    pub fn reshape(&self, a: &MlxArray, dims: &[usize]) -> Made {
        let dims = sizes(dims)?;
        // SAFETY: the handle lives, as does the slice.
        self.call(|t, s, out| unsafe { (t.reshape)(a.raw(), Ints::of(&dims), s, out) })
    }

    /// Permutes axes.
    pub fn transpose(&self, a: &MlxArray, axes: &[usize]) -> Made {
        let (check, rank) = (Check::of("transpose", &[a]), a.dims().len());
        check.count("axes", axes.len(), "axes of the array", rank)?;
        let axes = check.axes(axes, rank)?;
        // SAFETY: the handle lives, as does the slice.
        self.call(|t, s, out| unsafe { (t.transpose)(a.raw(), Ints::of(&axes), s, out) })
    }

    /// Repeats an array along axes of size 1 and new leading axes.
    pub fn broadcast_to(&self, a: &MlxArray, dims: &[usize]) -> Made {
        let dims = sizes(dims)?;
        // SAFETY: the handle lives, as does the slice.
        self.call(|t, s, out| unsafe { (t.broadcast_to)(a.raw(), Ints::of(&dims), s, out) })
    }

    /// Returns a copy of the elements of the row-major array at `offset + Σ index · stride`. Fails if one would be outside. It is a copy
    /// because MLX's reductions write outside of their results if elements of a view are in several windows.
    pub fn as_strided(&self, a: &MlxArray, dims: &[usize], strides: &[i64], offset: usize) -> Made {
        let reach = dims.iter().zip(strides).try_fold(
            (i64::try_from(offset).unwrap_or(i64::MAX), i64::try_from(offset).unwrap_or(i64::MAX)),
            |(low, high), (&d, &stride)| {
                let far = i64::try_from(d.max(1) - 1).ok()?.checked_mul(stride)?;
                Some((low.checked_add(far.min(0))?, high.checked_add(far.max(0))?))
            },
        );
        let is_empty = dims.contains(&0);
        let inside = reach.is_some_and(|(low, high)| low >= 0 && high < a.len() as i64);
        if dims.len() != strides.len() || !(is_empty || inside) {
            return Err(Check::of("as_strided", &[a])
                .error(format!("a view {dims:?} with strides {strides:?} from {offset} exceeds the array")));
        }
        let dims = sizes(dims)?;
        // SAFETY: the handle lives, the slices have the same length, and every element is inside.
        let view = self.call(|t, s, out| unsafe {
            (t.as_strided)(a.raw(), Ints::of(&dims), strides.as_ptr(), offset, s, out)
        })?;
        self.unary(Unary::Contiguous, &view)
    }

    /// Takes a part of each axis.
    pub fn slice(&self, a: &MlxArray, slices: &Slices) -> Made {
        let [starts, stops, strides] = slices.inside(Check::of("slice", &[a]), a)?;
        // SAFETY: the handle lives, as do the slices; ends are inside, and no step is 0.
        self.call(|t, s, out| unsafe {
            (t.slice)(a.raw(), Ints::of(&starts), Ints::of(&stops), Ints::of(&strides), s, out)
        })
    }

    /// Returns `a` with a part replaced by `update`.
    pub fn slice_update(&self, a: &MlxArray, update: &MlxArray, slices: &Slices) -> Made {
        let [starts, stops, strides] = slices.inside(Check::of("slice_update", &[a, update]), a)?;
        // SAFETY: the handles live, as do the slices; ends are inside, no step is 0, and MLX checks shapes.
        self.call(|t, s, out| unsafe {
            let (starts, stops, strides) = (Ints::of(&starts), Ints::of(&stops), Ints::of(&strides));
            (t.slice_update)(a.raw(), update.raw(), starts, stops, strides, s, out)
        })
    }

    /// Pads `a` with `value`.
    pub fn pad(&self, a: &MlxArray, low: &[usize], high: &[usize], value: &MlxArray) -> Made {
        let (check, dims) = (Check::of("pad", &[a]), a.dims());
        check.count("sizes before", low.len(), "axes", dims.len())?;
        check.count("sizes after", high.len(), "axes", dims.len())?;
        for ((&low, &high), &size) in low.iter().zip(high).zip(&dims) {
            check.dimension(size.checked_add(low).and_then(|size| size.checked_add(high)))?;
        }
        check.that(value.len() == 1, || format!("the value is {value:?}; it must be one element"))?;
        let (low, high) = (sizes(low)?, sizes(high)?);
        // SAFETY: the handles live, as do the slices.
        self.call(|t, s, out| unsafe {
            (t.pad)(a.raw(), Ints::of(&low), Ints::of(&high), value.raw(), s, out)
        })
    }

    /// Concatenates arrays along an axis.
    pub fn concatenate(&self, arrays: &[&MlxArray], axis: usize) -> Made {
        let check = Check::of("concatenate", arrays);
        let first = arrays.first().ok_or_else(|| check.error("there are no arrays; give at least one"))?;
        let number = check.axis(axis, first.dims().len())?;
        let size = |array: &&MlxArray| array.dims().get(axis).copied();
        let size = arrays.iter().try_fold(0usize, |n, array| n.checked_add(size(array).unwrap_or(0)));
        check.dimension(size)?;
        let (list, axis) = (pointers(arrays), number);
        // SAFETY: the handles live.
        self.call(|t, s, out| unsafe { (t.concatenate)(list.as_ptr(), list.len(), axis, s, out) })
    }

    /// Reverses the elements along axes.
    pub fn reverse(&self, a: &MlxArray, axes: &[usize]) -> Made {
        let dims = sizes(&a.dims())?;
        Check::of("reverse", &[a]).axes(axes, dims.len())?;
        let reversed = |axis: usize| axes.contains(&axis);
        let starts: Vec<i32> =
            dims.iter().enumerate().map(|(i, &d)| if reversed(i) { d - 1 } else { 0 }).collect();
        let stops: Vec<i32> =
            dims.iter().enumerate().map(|(i, &d)| if reversed(i) { -d - 1 } else { d }).collect();
        let steps: Vec<i32> = (0..dims.len()).map(|i| if reversed(i) { -1 } else { 1 }).collect();
        // SAFETY: the handle lives, as do the slices; MLX clamps ends.
        self.call(|t, s, out| unsafe {
            (t.slice)(a.raw(), Ints::of(&starts), Ints::of(&stops), Ints::of(&steps), s, out)
        })
    }
}
