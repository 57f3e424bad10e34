//! Imports sorts.

use super::bodies;
use super::context::{ImportContext, Outcome, Problem, Rule, Val, many};
use rlx_ir::{Op, Shape, SubGraph};

/// Returns the rule that imports the operation `name`, if it belongs to this family.
pub(super) fn find(name: &str) -> Option<Rule> {
    (name == "stablehlo.sort").then_some(sort as Rule)
}

fn sort(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let xs = cx.tensors()?;
    let Some(&first) = xs.first() else { return Err(Problem::error("takes at least one tensor")) };
    let fields = cx.fields();
    let dimension = fields.int("dimension")?.unwrap_or(-1);
    let axis = axis(dimension, cx.rank(first))?;
    let stable = fields.flag("is_stable")?;
    let pairs = xs.iter().flat_map(|&x| vec![Shape::scalar(cx.dtype(x)); 2]).collect();
    let comparator = cx.scalar_body(0, pairs)?;
    let op = match bodies::order(&comparator) {
        Some((order, num_keys)) => Op::Sort { axis, order, num_keys, stable },
        None => Op::SortGraph { axis, stable, comparator: SubGraph::new(comparator) },
    };
    many(cx.add_all(op, &xs)?)
}

/// Converts an axis that may be negative, which counts from the last axis.
pub(super) fn axis(axis: i64, rank: usize) -> Outcome<usize> {
    let from = if axis < 0 { i64::try_from(rank).unwrap_or(i64::MAX).saturating_add(axis) } else { axis };
    usize::try_from(from)
        .ok()
        .filter(|&a| a < rank)
        .ok_or_else(|| Problem::error(format!("axis {axis} is out of range for rank {rank}")))
}
