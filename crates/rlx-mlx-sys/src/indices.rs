//! Gathers, scatters and slices at computed indices. MLX does not check that an index is in bounds, and adds the size to negative ones, so
//! here all indices must be integers and are clamped in the graph, whatever their values. This costs two small operations on the indices
//! and no synchronization. The ops of the IR define their results in the same way, so callers do not clamp indices again.

use crate::array::{MlxArray, sizes};
use crate::check::Check;
use crate::codes::{Binary, Combine, ElementType};
use crate::error::MlxError;
use crate::ffi::Ints;
use crate::ops::{Made, Ops, pointers};

impl Ops<'_> {
    /// Clamps starts along `axes` to at most the size of the axis minus that of the part, and at least 0.
    fn clamped(
        &self,
        check: Check<'_>,
        starts: &MlxArray,
        a: &MlxArray,
        axes: &[usize],
        part: &[usize],
    ) -> Result<(MlxArray, Vec<i32>), MlxError> {
        let dims = a.dims();
        check.integers(starts)?;
        check.window(part, a)?;
        let numbers = check.axes(axes, dims.len())?;
        check.that(starts.dims() == [axes.len()], || {
            format!("starts are {starts:?} along {axes:?}; they must be one-dimensional, with one per axis")
        })?;
        let room: Vec<usize> = axes.iter().map(|&axis| dims[axis] - part[axis]).collect();
        let most: Vec<u8> = sizes(&room)?.into_iter().flat_map(i32::to_le_bytes).collect();
        let most = MlxArray::from_bytes(self.mlx(), &most, &[axes.len()], ElementType::I32)?;
        // Whatever their type was, afterwards they are i32 and not negative.
        let largest = usize::try_from(i32::MAX).unwrap_or(usize::MAX);
        let starts = self.inside(starts, largest)?;
        Ok((self.raw_binary(Binary::Minimum, &starts, &most)?, numbers))
    }

    /// Takes a slice of these sizes. Its starts along `axes` are computed (integers, one per axis, clamped); along other axes, it begins at
    /// 0.
    pub fn slice_at(&self, a: &MlxArray, starts: &MlxArray, axes: &[usize], part: &[usize]) -> Made {
        let (starts, axes) = self.clamped(Check::of("slice_at", &[a, starts]), starts, a, axes, part)?;
        let part = sizes(part)?;
        // SAFETY: the handles live, as do the slices; starts are inside.
        self.call(|t, s, out| unsafe {
            (t.slice_at)(a.raw(), starts.raw(), Ints::of(&axes), Ints::of(&part), s, out)
        })
    }

    /// Returns `a` with `update` written at computed starts along `axes` (integers, one per axis, clamped); along other axes, it begins at
    /// 0.
    pub fn slice_update_at(
        &self,
        a: &MlxArray,
        update: &MlxArray,
        starts: &MlxArray,
        axes: &[usize],
    ) -> Made {
        let check = Check::of("slice_update_at", &[a, update, starts]);
        let (starts, axes) = self.clamped(check, starts, a, axes, &update.dims())?;
        // SAFETY: the handles live, as does the slice; starts are inside.
        self.call(|t, s, out| unsafe {
            (t.slice_update_at)(a.raw(), update.raw(), starts.raw(), Ints::of(&axes), s, out)
        })
    }

    /// Clamps indices for an axis of this size, and converts them to i32.
    ///
    /// # Errors
    /// Fails if the indices are not integers.
    pub fn inside(&self, indices: &MlxArray, size: usize) -> Made {
        Check::of("inside", &[indices]).integers(indices)?;
        let unsigned = indices.element_type().integer().is_some_and(|(_, signed)| !signed);
        let last = i64::try_from(size.max(1) - 1).unwrap_or(i64::MAX);
        // For narrow types, the bound is limited to the maximum of the type.
        let (bits, signed) = indices.element_type().integer().unwrap_or((64, true));
        let largest = if bits == 64 { i64::MAX } else { (1i64 << (bits - u32::from(signed))) - 1 };
        let last = self.scalar(&last.min(largest).to_le_bytes(), ElementType::I64)?;
        let last = self.astype(&last, indices.element_type())?;
        let least = self.raw_binary(Binary::Minimum, indices, &last)?;
        let inside = if unsigned {
            least
        } else {
            self.raw_binary(Binary::Maximum, &least, &self.number_like(0, indices)?)?
        };
        // Dimensions fit in 31 bits.
        if inside.element_type() == ElementType::I32 {
            Ok(inside)
        } else {
            self.astype(&inside, ElementType::I32)
        }
    }

    /// Clamps indices, each along one axis of `a`, so that a window of `part` is inside.
    fn places(
        &self,
        check: Check<'_>,
        a: &MlxArray,
        indices: &[&MlxArray],
        axes: &[usize],
        part: &[usize],
    ) -> Result<(Vec<MlxArray>, Vec<i32>), MlxError> {
        check.window(part, a)?;
        check.count("arrays of indices", indices.len(), "axes", axes.len())?;
        let numbers = check.axes(axes, part.len())?;
        let place = |(index, &axis): (&&MlxArray, &usize)| {
            check.integers(index)?;
            self.inside(index, check.size(a, axis)? - part[axis] + 1)
        };
        let places: Vec<MlxArray> = indices.iter().zip(axes).map(place).collect::<Result<_, _>>()?;
        Ok((places, numbers))
    }

    /// Takes slices of `a` along an axis, in the shape of the indices.
    pub fn take(&self, a: &MlxArray, indices: &MlxArray, axis: usize) -> Made {
        let check = Check::of("take", &[a, indices]);
        check.integers(indices)?;
        let indices = self.inside(indices, check.size(a, axis)?)?;
        let axis = check.axis(axis, a.dims().len())?;
        // SAFETY: the handles live, and the indices are inside.
        self.call(|t, s, out| unsafe { (t.take)(a.raw(), indices.raw(), axis, s, out) })
    }

    /// Takes elements of `a`, each by an index along one axis.
    pub fn take_along_axis(&self, a: &MlxArray, indices: &MlxArray, axis: usize) -> Made {
        let check = Check::of("take_along_axis", &[a, indices]);
        check.integers(indices)?;
        let indices = self.inside(indices, check.size(a, axis)?)?;
        let axis = check.axis(axis, a.dims().len())?;
        // SAFETY: the handles live, and the indices are inside.
        self.call(|t, s, out| unsafe { (t.take_along_axis)(a.raw(), indices.raw(), axis, s, out) })
    }

    /// Gathers windows of size `part` from `a` at `indices`, one array for each of `axes`, clamped. The result is [indices …, part …].
    pub fn gather(&self, a: &MlxArray, indices: &[&MlxArray], axes: &[usize], part: &[usize]) -> Made {
        let arrays: Vec<&MlxArray> = std::iter::once(a).chain(indices.iter().copied()).collect();
        let (places, axes) = self.places(Check::of("gather", &arrays), a, indices, axes, part)?;
        let list = pointers(&places.iter().collect::<Vec<_>>());
        let part = sizes(part)?;
        // SAFETY: the handles live, as do the slices, and every window is inside.
        self.call(|t, s, out| unsafe {
            (t.gather)(a.raw(), list.as_ptr(), list.len(), Ints::of(&axes), Ints::of(&part), s, out)
        })
    }

    /// Combines windows `updates` ([indices …, window …]) into `a` at `indices`, one array for each of `axes`, clamped.
    pub fn scatter(
        &self,
        how: Combine,
        a: &MlxArray,
        indices: &[&MlxArray],
        updates: &MlxArray,
        axes: &[usize],
    ) -> Made {
        let arrays: Vec<&MlxArray> = [a, updates].into_iter().chain(indices.iter().copied()).collect();
        let (check, of_updates) = (Check::of("scatter", &arrays), updates.dims());
        let lead = of_updates.len().checked_sub(a.dims().len());
        let lead = lead.ok_or_else(|| {
            check.error(
                "updates have fewer axes than the array; give those of the indices, then of the window",
            )
        })?;
        let (places, axes) = self.places(check, a, indices, axes, &of_updates[lead..])?;
        if updates.is_empty() {
            return Ok(a.clone());
        }
        let list = pointers(&places.iter().collect::<Vec<_>>());
        // SAFETY: the handles live, as does the slice, and every window is inside.
        self.call(|t, s, out| unsafe {
            let axes = Ints::of(&axes);
            (t.scatter)(how.code(), a.raw(), list.as_ptr(), list.len(), updates.raw(), axes, s, out)
        })
    }
}
