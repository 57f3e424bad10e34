//! Replaces the matrix unit on machines without one; it takes no product.

use rlx_simd::simd::Simd;

use super::Element;
use super::execute::RunTask;
use super::plan::Blocking;
use super::shape::GemmShape;

/// There are no blocks for the unit.
pub(super) const FEWEST_ROWS_OF_BLOCK: usize = 0;
/// The unit's speed, which is not used because no product is for the unit.
pub(super) const MULTIPLY_ADDS: f64 = 1.0;

/// Returns false: no product is for the unit.
pub(super) fn takes<E: Element>(_shape: &GemmShape, _bf16: bool) -> bool {
    false
}

/// Returns 0: a row takes no memory.
pub(super) fn bytes_per_row(_k: usize) -> usize {
    0
}

/// Returns 0: a thread needs no memory.
pub(super) fn bytes_per_thread(_blocking: &Blocking, _shape: &GemmShape) -> usize {
    0
}

/// Never called: no task is for the unit.
pub(super) fn run<S: Simd, E: Element>(_token: S, _task: &RunTask<'_, E>) {
    debug_assert!(false, "a product was planned for a matrix unit that does not exist");
}
