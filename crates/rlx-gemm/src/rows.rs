//! Operands that are read through a function: elements of other types, patches of an image, axes in any order. They are arranged on their
//! way into packed blocks and never exist in memory as matrices.

use std::ops::Range;

use super::Element;

/// A matrix for each product of the batch, whose elements a function provides.
pub trait Rows<E: Element>: Sync {
    /// Writes a part of matrix `batch` to `target`, with rows `step` elements apart. May be called from any thread, and more than once for
    /// the same element.
    ///
    /// # Safety
    /// The part lies in the matrix, and `target` is valid for writes of it.
    unsafe fn read(
        &self,
        batch: usize,
        rows: Range<usize>,
        columns: Range<usize>,
        target: *mut E,
        step: usize,
    );
}

/// The left-hand side of a product, as pointers.
#[derive(Clone, Copy)]
pub enum LhsAt<'a, E: Element> {
    /// Elements at the steps that the shape gives.
    Strided(*const E),
    /// Rows that a function provides; the shape's steps are not used.
    Rows(&'a dyn Rows<E>),
}
