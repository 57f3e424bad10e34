//! Checks what MLX does not check, one function per kind of fault (FFI-1). Arguments that pass neither crash
//! MLX nor make it read or write outside of an array, divide by zero or never end.

use crate::array::{MlxArray, num_bytes};
use crate::codes::ElementType;
use crate::error::MlxError;
use std::fmt::Display;

/// A call whose arguments are checked, for the errors to name it and its arrays.
#[derive(Clone, Copy)]
pub(crate) struct Check<'a> {
    op: &'static str,
    arrays: [Option<&'a MlxArray>; NAMED],
    /// How many there are beyond those.
    more: usize,
}

/// How many arrays an error names.
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

    /// An error unless `holds`.
    pub(crate) fn that(self, holds: bool, why: impl FnOnce() -> String) -> Result<(), MlxError> {
        if holds { Ok(()) } else { Err(self.error(why())) }
    }

    /// One of `rank` axes.
    pub(crate) fn axis(self, axis: usize, rank: usize) -> Result<i32, MlxError> {
        let number = i32::try_from(axis).ok().filter(|_| axis < rank);
        number.ok_or_else(|| self.error(format!("there is no axis {axis} of {rank}; give one below {rank}")))
    }

    /// Different ones of `rank` axes.
    pub(crate) fn axes(self, axes: &[usize], rank: usize) -> Result<Vec<i32>, MlxError> {
        let twice = axes.iter().enumerate().find(|(i, axis)| axes[..*i].contains(axis));
        if let Some((_, axis)) = twice {
            return Err(self.error(format!("axis {axis} is in {axes:?} twice; give each axis once")));
        }
        axes.iter().map(|&axis| self.axis(axis, rank)).collect()
    }

    /// A list with one number for each of something.
    pub(crate) fn count(self, name: &str, got: usize, each: &str, expected: usize) -> Result<(), MlxError> {
        self.that(got == expected, || format!("{got} {name} for {expected} {each}; give one for each"))
    }

    /// Numbers that MLX divides by or steps by: none is 0.
    pub(crate) fn positive(self, name: &str, numbers: &[usize]) -> Result<(), MlxError> {
        self.that(!numbers.contains(&0), || format!("{name} {numbers:?} have a 0; each has to be at least 1"))
    }

    /// Indices are integers: a NaN is at no place, and MLX would read there.
    pub(crate) fn integers(self, indices: &MlxArray) -> Result<(), MlxError> {
        let element = indices.element_type();
        self.that(element.integer().is_some(), || {
            format!("indices are {element:?}; give integers (`astype` converts, `inside` moves them inside)")
        })
    }

    /// An array with elements.
    pub(crate) fn not_empty(self, a: &MlxArray) -> Result<(), MlxError> {
        self.that(!a.is_empty(), || format!("{a:?} has no elements, and this needs some"))
    }

    /// The size of an axis with elements, to take some of them.
    pub(crate) fn size(self, a: &MlxArray, axis: usize) -> Result<usize, MlxError> {
        self.axis(axis, a.dims().len())?;
        let size = a.dims()[axis];
        self.that(size > 0, || format!("{a:?} has no elements along axis {axis} to take"))?;
        Ok(size)
    }

    /// A window of these sizes is one of `a`.
    pub(crate) fn window(self, part: &[usize], a: &MlxArray) -> Result<(), MlxError> {
        let dims = a.dims();
        let fits = part.len() == dims.len() && part.iter().zip(&dims).all(|(p, d)| p <= d);
        self.that(fits, || {
            format!("a window {part:?} does not fit into {a:?}; give a size for each axis, at most its own")
        })
    }

    /// A dimension that MLX can have.
    pub(crate) fn dimension(self, size: Option<usize>) -> Result<usize, MlxError> {
        size.filter(|&size| i32::try_from(size).is_ok()).ok_or_else(|| {
            self.error("a dimension of the result has more than 31 bits, and MLX has none of those")
        })
    }

    /// The bytes of an array that MLX makes on the way.
    pub(crate) fn bytes(self, dims: &[usize], element: ElementType) -> Result<usize, MlxError> {
        num_bytes(dims, element)
    }
}
