//! Rewrites graphs into forms that programs have. It rewrites values of too many axes, complex numbers, sorts
//! by a comparator graph, and tables in another type than the one that is computed with.

mod comparators;
mod complex;
mod ranks;
mod tables;

pub use complex::in_real_numbers;
pub use tables::with_converted_tables;

use crate::emit::Dialect;
use rlx_ir::{Graph, Op, OpError, Shape};

/// A primitive that programs of a dialect have not on these operands, in ops that they have, with an input per operand; `None` where it is written in no way that they
/// alone need.
///
/// # Errors
/// Why the op cannot be written with as few axes as programs have.
pub fn rewritten(
    op: &Op,
    operands: &[Shape],
    results: &[Shape],
    dialect: Dialect,
) -> Option<Result<Graph, OpError>> {
    ranks::merged(op, operands, results).or_else(|| comparators::by_keys(op, operands, dialect))
}
