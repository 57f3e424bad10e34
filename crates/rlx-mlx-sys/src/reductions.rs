//! Reductions, running reductions and sorts.

use crate::array::MlxArray;
use crate::check::Check;
use crate::codes::Combine;
use crate::ffi::Ints;
use crate::ops::{Made, Ops};

impl Ops<'_> {
    /// A reduction along axes, which disappear.
    pub fn reduce(&self, how: Combine, a: &MlxArray, axes: &[usize]) -> Made {
        self.reduced(how, a, axes, false)
    }

    /// A reduction along axes, which stay with size 1.
    pub fn reduce_keeping(&self, how: Combine, a: &MlxArray, axes: &[usize]) -> Made {
        self.reduced(how, a, axes, true)
    }

    fn reduced(&self, how: Combine, a: &MlxArray, axes: &[usize], keep: bool) -> Made {
        let check = Check::of("reduce", &[a]);
        let (axes, keep) = (check.axes(axes, a.dims().len())?, i32::from(keep));
        // SAFETY: the handle lives, as does the slice.
        self.call(|t, s, out| unsafe { (t.reduce)(how.code(), a.raw(), Ints::of(&axes), keep, s, out) })
    }

    /// The reductions of all elements so far.
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

    /// Softmax, computed in f32 at least where `precise`.
    pub fn softmax(&self, a: &MlxArray, axis: usize, precise: bool) -> Made {
        let axis = Check::of("softmax", &[a]).axis(axis, a.dims().len())?;
        let precise = i32::from(precise);
        // SAFETY: the handle lives.
        self.call(|t, s, out| unsafe { (t.softmax)(a.raw(), axis, precise, s, out) })
    }

    /// Elements in ascending order, NaN last.
    pub fn sort(&self, a: &MlxArray, axis: usize) -> Made {
        let axis = Check::of("sort", &[a]).axis(axis, a.dims().len())?;
        // SAFETY: the handle lives.
        self.call(|t, s, out| unsafe { (t.sort)(a.raw(), axis, s, out) })
    }

    /// The indices that sort, equal elements in their order.
    pub fn argsort(&self, a: &MlxArray, axis: usize) -> Made {
        let axis = Check::of("argsort", &[a]).axis(axis, a.dims().len())?;
        // SAFETY: the handle lives.
        self.call(|t, s, out| unsafe { (t.argsort)(a.raw(), axis, s, out) })
    }
}
