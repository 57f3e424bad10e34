//! Branches and loops: their graphs are prepared once, and run in the node's scratch memory on pointers, so that
//! operands, results and carried values move only where they must.

mod branch;
mod looping;

use super::{Site, missing, nested::Body};
use crate::exec::OpKernel;
use rlx_compile::BackendError;
use rlx_ir::Op;

/// Whether the family runs the op.
pub(crate) fn claims(op: &Op) -> bool {
    matches!(op, Op::If { .. } | Op::Case { .. } | Op::While { .. } | Op::Scan { .. })
}

/// The kernel of a branch or loop.
pub(crate) fn prepare(site: &Site<'_>) -> Result<Box<dyn OpKernel>, BackendError> {
    match site.node.op() {
        Op::If { then_branch, else_branch } => branch::of_two(site, then_branch, else_branch),
        Op::Case { branches } => branch::of_many(site, branches),
        Op::While { cond, body } => looping::while_loop(site, cond, body),
        Op::Scan { body, length, num_consts, num_carry, reverse } => {
            // INVARIANT: a backend is given bound graphs alone.
            let length = length.as_static().unwrap_or(0);
            looping::scan(site, body, (*num_consts, *num_carry), length, *reverse)
        }
        _ => missing(site),
    }
}
