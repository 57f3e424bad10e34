//! The stand-in for the matrix unit on machines without one: it takes no product.

use rlx_simd::simd::Simd;

use super::Element;
use super::execute::RunTask;
use super::plan::Blocking;
use super::shape::GemmShape;

/// No block is for the unit.
pub(super) const FEWEST_ROWS_OF_BLOCK: usize = 0;
/// It multiplies nothing.
pub(super) const MULTIPLY_ADDS: f64 = 1.0;

/// No product is for the unit.
pub(super) fn takes<E: Element>(_shape: &GemmShape, _bf16: bool) -> bool {
    false
}

/// A row takes no room.
pub(super) fn bytes_per_row(_k: usize) -> usize {
    0
}

/// A thread needs no room.
pub(super) fn bytes_per_thread(_blocking: &Blocking, _shape: &GemmShape) -> usize {
    0
}

/// No task is for the unit.
pub(super) fn run<S: Simd, E: Element>(_token: S, _task: &RunTask<'_, E>) {
    debug_assert!(false, "a product was planned for a unit that is not there");
}
