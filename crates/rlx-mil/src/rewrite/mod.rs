//! Rewrites graphs into forms that programs support: fewer axes, real numbers, sorts by key, and tables in the computed type. The
//! originals are values with too many axes, complex numbers, sorts by a comparator graph, and lookup tables with a type other than the one
//! that is computed with.

mod comparators;
mod complex;
mod ranks;
mod tables;

pub use complex::in_real_numbers;
pub use tables::with_converted_tables;

use crate::emit::Dialect;
use rlx_ir::{Graph, Op, OpError, Shape};

/// Returns a primitive that programs of a dialect do not support on these operands as a graph of ops that they do support, with one input
/// per operand. Returns `None` if there is no rewrite that only programs need.
///
/// # Errors
/// Returns why the op cannot be written with as few axes as programs support.
pub fn rewritten(
    op: &Op,
    operands: &[Shape],
    results: &[Shape],
    dialect: Dialect,
) -> Option<Result<Graph, OpError>> {
    ranks::merged(op, operands, results).or_else(|| comparators::by_keys(op, operands, dialect))
}
