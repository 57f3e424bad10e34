//! Reductions, running reductions and sorts.

use crate::array::MlxArray;
use crate::check::Check;
use crate::codes::Combine;
use crate::ffi::Ints;
use crate::ops::{Made, Ops};

impl Ops<'_> {
    /// Reduces along axes and removes them.
    pub fn reduce(&self, how: Combine, a: &MlxArray, axes: &[usize]) -> Made {
        self.reduced(how, a, axes, false)
    }

    /// Reduces along axes and keeps them with size 1.
    pub fn reduce_keeping(&self, how: Combine, a: &MlxArray, axes: &[usize]) -> Made {
        self.reduced(how, a, axes, true)
    }

    fn reduced(&self, how: Combine, a: &MlxArray, axes: &[usize], keep: bool) -> Made {
        let check = Check::of("reduce", &[a]);
        let (axes, keep) = (check.axes(axes, a.dims().len())?, i32::from(keep));
        // SAFETY: the handle lives, as does the slice.
        self.call(|t, s, out| unsafe { (t.reduce)(how.code(), a.raw(), Ints::of(&axes), keep, s, out) })
    }

    /// Computes the running reduction along an axis.
    pub fn cumulative(
        &self,
        how: Combine,
        a: &MlxArray,
        axis: usize,
        reverse: bool,
        inclusive: bool,
    ) -> Made {
        let axis = Check::of("cumulative", &[a]).axis(axis, a.dims().len())?;
        let (reverse, inclusive) = (i32::from(reverse), i32::from(inclusive));
        // SAFETY: the handle lives.
        self.call(|t, s, out| unsafe {
            (t.cumulative)(how.code(), a.raw(), axis, reverse, inclusive, s, out)
        })
    }

    /// Computes softmax, in at least f32 if `precise` is set.
    pub fn softmax(&self, a: &MlxArray, axis: usize, precise: bool) -> Made {
        let axis = Check::of("softmax", &[a]).axis(axis, a.dims().len())?;
        let precise = i32::from(precise);
        // SAFETY: the handle lives.
        self.call(|t, s, out| unsafe { (t.softmax)(a.raw(), axis, precise, s, out) })
    }

    /// Sorts elements in ascending order, with NaN last.
    pub fn sort(&self, a: &MlxArray, axis: usize) -> Made {
        let axis = Check::of("sort", &[a]).axis(axis, a.dims().len())?;
        // SAFETY: the handle lives.
        self.call(|t, s, out| unsafe { (t.sort)(a.raw(), axis, s, out) })
    }

    /// Returns the indices that sort the elements. Equal elements keep their order.
    pub fn argsort(&self, a: &MlxArray, axis: usize) -> Made {
        let axis = Check::of("argsort", &[a]).axis(axis, a.dims().len())?;
        // SAFETY: the handle lives.
        self.call(|t, s, out| unsafe { (t.argsort)(a.raw(), axis, s, out) })
    }
}
