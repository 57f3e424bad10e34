//! Schedules reductions with few results in parts, so that there are enough lanes.

use super::compile::Begin;
use rlx_codegen::kernel::{Axis, Stmt};
use rlx_codegen::lower::{Launch, Launches};
use rlx_codegen::schedule::{Partition, Schedule, Step, apply_to_launch};
use rlx_ir::Symbol;

/// Reductions with fewer results than this are computed in parts if each result has at least this many elements; the approximate number of
/// parts, and the minimum number of elements in a part.
const FEW: usize = 64;
const MANY_ELEMENTS: usize = 4096;
const PARTS: usize = 1024;
const PART_ELEMENTS: usize = 32;
/// From this many elements per result on, there are at least as many parts as elements in a part, so that rounding errors grow with the
/// square root of the number of elements.
const LONG: usize = 1 << 16;

/// Splits a reduction that has few results, or very many elements per result, into two launches: one computes parts, the other combines
/// them. A part begins with its first element, so that the initial value is used only once. The number of parts depends only on sizes.
pub(super) fn in_parts(launches: Launches) -> (Launches, Begin) {
    let parted = partition(&launches)
        .and_then(|partition| apply_to_launch(&launches, 0, &Schedule(vec![Step::Launches(partition)])).ok());
    match parted {
        Some(parted) => (parted, Begin::FirstElement),
        None => (launches, Begin::Identity),
    }
}

fn partition(launches: &Launches) -> Option<Partition> {
    let [Launch { kernel, .. }] = &launches.launches[..] else { return None };
    let [Stmt::Par { axes, body }] = &kernel.body[..] else { return None };
    let reduced = body.iter().find_map(|stmt| match stmt {
        Stmt::Reduce { axes, .. } => Some(axes),
        _ => None,
    })?;
    let count = |axes: &[Axis]| axes.iter().map(|axis| axis.extent.as_static()).product::<Option<usize>>();
    let (results, (first, rest)) = (count(axes)?, reduced.split_first()?);
    let (length, inner) = (first.extent.as_static()?, count(rest)?);
    let elements = length.saturating_mul(inner);
    let is_long = elements >= LONG;
    if results == 0 || elements < MANY_ELEMENTS || results >= FEW && !is_long {
        return None;
    }
    let parts = (PARTS / results).max(if is_long { elements.isqrt() } else { 1 });
    let least = length.div_ceil(parts).max(PART_ELEMENTS.div_ceil(inner));
    // Prefers parts of equal length.
    let by = (least..2 * least).find(|by| length.is_multiple_of(*by)).unwrap_or(least);
    let into = ["part", "within"].map(Symbol::new);
    (by < length).then_some(Partition { axis: first.symbol.clone(), by: by.try_into().ok()?, into })
}
