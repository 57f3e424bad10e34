//! Checks what MLX does not check, with one function per kind of fault (FFI-1). Arguments that pass do not make MLX crash, read or write
//! outside of an array, divide by zero or loop forever.

use crate::array::{MlxArray, num_bytes};
use crate::codes::ElementType;
use crate::error::MlxError;
use std::fmt::Display;

/// A call whose arguments are checked. Errors name it and its arrays.
#[derive(Clone, Copy)]
pub(crate) struct Check<'a> {
    op: &'static str,
    arrays: [Option<&'a MlxArray>; NAMED],
    /// The number of further arrays.
    more: usize,
}

/// Maximum number of arrays that an error names.
const NAMED: usize = 4;

impl<'a> Check<'a> {
    pub(crate) fn of(op: &'static str, arrays: &[&'a MlxArray]) -> Check<'a> {
        let named = std::array::from_fn(|i| arrays.get(i).copied());
        Check { op, arrays: named, more: arrays.len().saturating_sub(NAMED) }
    }

    pub(crate) fn error(self, why: impl Display) -> MlxError {
        let mut arrays: Vec<String> =
            self.arrays.iter().flatten().map(|array| format!("{array:?}")).collect();
        if self.more > 0 {
            arrays.push(format!("{} more", self.more));
        }
        let of = if arrays.is_empty() { "" } else { " of " };
        MlxError::Argument(format!("{}{of}{}: {why}", self.op, arrays.join(", ")))
    }

    /// Returns an error unless `holds`.
    pub(crate) fn that(self, holds: bool, why: impl FnOnce() -> String) -> Result<(), MlxError> {
        if holds { Ok(()) } else { Err(self.error(why())) }
    }

    /// Checks an axis of an array of rank `rank`.
    pub(crate) fn axis(self, axis: usize, rank: usize) -> Result<i32, MlxError> {
        let number = i32::try_from(axis).ok().filter(|_| axis < rank);
        number.ok_or_else(|| self.error(format!("axis {axis} is out of range for rank {rank}")))
    }

    /// Checks distinct axes of an array of rank `rank`.
    pub(crate) fn axes(self, axes: &[usize], rank: usize) -> Result<Vec<i32>, MlxError> {
        let twice = axes.iter().enumerate().find(|(i, axis)| axes[..*i].contains(axis));
        if let Some((_, axis)) = twice {
            return Err(self.error(format!("axis {axis} appears twice in {axes:?}; give each axis once")));
        }
        axes.iter().map(|&axis| self.axis(axis, rank)).collect()
    }

    /// Checks that a list has one number for each of something.
    pub(crate) fn count(self, name: &str, got: usize, each: &str, expected: usize) -> Result<(), MlxError> {
        self.that(got == expected, || format!("{got} {name} for {expected} {each}; give one for each"))
    }

    /// Checks numbers that MLX divides by or uses as steps: none may be 0.
    pub(crate) fn positive(self, name: &str, numbers: &[usize]) -> Result<(), MlxError> {
        self.that(!numbers.contains(&0), || format!("{name} {numbers:?} contain 0; each must be at least 1"))
    }

    /// Checks that indices are integers: with a NaN, MLX would read outside of the array.
    pub(crate) fn integers(self, indices: &MlxArray) -> Result<(), MlxError> {
        let element = indices.element_type();
        self.that(element.integer().is_some(), || {
            format!("indices are {element:?}; give integers (`astype` converts, `inside` clamps them)")
        })
    }

    /// Checks that an array has elements.
    pub(crate) fn not_empty(self, a: &MlxArray) -> Result<(), MlxError> {
        self.that(!a.is_empty(), || format!("{a:?} must not be empty"))
    }

    /// Returns the size of an axis, which must not be empty, for taking elements along it.
    pub(crate) fn size(self, a: &MlxArray, axis: usize) -> Result<usize, MlxError> {
        self.axis(axis, a.dims().len())?;
        let size = a.dims()[axis];
        self.that(size > 0, || format!("{a:?} has no elements along axis {axis} to take"))?;
        Ok(size)
    }

    /// Checks that a window of these sizes fits in `a`.
    pub(crate) fn window(self, part: &[usize], a: &MlxArray) -> Result<(), MlxError> {
        let dims = a.dims();
        let fits = part.len() == dims.len() && part.iter().zip(&dims).all(|(p, d)| p <= d);
        self.that(fits, || {
            format!("a window {part:?} does not fit into {a:?}; give one size per axis, at most its length")
        })
    }

    /// Checks that MLX supports a dimension.
    pub(crate) fn dimension(self, size: Option<usize>) -> Result<usize, MlxError> {
        size.filter(|&size| i32::try_from(size).is_ok()).ok_or_else(|| {
            self.error("a dimension of the result needs more than 31 bits, which MLX does not support")
        })
    }

    /// Returns the bytes of an intermediate array that MLX makes.
    pub(crate) fn bytes(self, dims: &[usize], element: ElementType) -> Result<usize, MlxError> {
        num_bytes(dims, element)
    }
}
