//! Lowers ops that are not computed element by element; each has separate launches.

mod cumulative;
mod merge;
mod random;
mod scatter;
mod select_and_scatter;
mod sort;

use super::frame::Frame;
use super::rule::Rule;
use super::stored::Reads;
use super::{Argument, LowerError};
use rlx_ir::{Node, Op};

/// Returns whether the op is one of these.
pub(super) fn is_whole(op: &Op) -> bool {
    Rule::of(op.kind()) == Some(Rule::Whole)
}

/// Returns how often such an op reads each element of an operand. `operands` is the number of operands.
pub(super) fn reads(op: &Op, operand: usize, operands: usize) -> Reads {
    let once = match op {
        Op::Cumulative { .. } => true,
        // Each update goes to one position, while an index vector is read for all of its updates.
        Op::Scatter { .. } => operand != 1,
        Op::ScatterGraph { .. } => operand != operands / 2,
        // Each element of the source goes to one position.
        Op::SelectAndScatter { .. } => operand == 1,
        _ => false,
    };
    if once { Reads::Once } else { Reads::Often }
}

/// Adds the launches of such an op. `results` says where each result is stored, if anything reads it.
pub(super) fn lower(
    frame: &mut Frame<'_>,
    node: &Node,
    results: &[Option<Argument>],
) -> Result<(), LowerError> {
    match node.op() {
        Op::Cumulative { .. } => cumulative::lower(frame, node, results),
        Op::Scatter { .. } => scatter::scatter(frame, node, results),
        Op::ScatterGraph { .. } => scatter::scatter_graph(frame, node, results),
        Op::SelectAndScatter { .. } => select_and_scatter::lower(frame, node, results),
        Op::Sort { .. } | Op::SortGraph { .. } => sort::sort(frame, node, results),
        Op::TopK { .. } => sort::top_k(frame, node, results),
        Op::RngBits { .. } => random::rng_bits(frame, node, results),
        op => Err(LowerError::NotLowered { op: op.mnemonic(), why: "it is computed element by element" }),
    }
}
