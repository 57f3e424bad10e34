//! Operands that are read through a function: elements of other types, patches of an image, axes in any order.
//! They are arranged on the way into packed blocks and never lie in memory as matrices.

use std::ops::Range;

use super::Element;

/// A matrix, for each product of the batch, whose elements a function gives.
pub trait Rows<E: Element>: Sync {
    /// Writes a part of matrix `batch` to `target`, its rows `step` elements apart. It may be called from any thread,
    /// and more than once for one element.
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

/// The left-hand side of a product, by address.
#[derive(Clone, Copy)]
pub enum LhsAt<'a, E: Element> {
    /// Elements, at the steps that the shape gives.
    Strided(*const E),
    /// What a function reads; the shape's steps mean nothing.
    Rows(&'a dyn Rows<E>),
}
