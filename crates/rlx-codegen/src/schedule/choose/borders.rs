//! Schedules windows that extend past borders. Positions in the middle get a loop without guards, and so does each
//! position at a border, which only sums over what the window reads there.

use super::plan::Plan;
use crate::kernel::{Axis, Block, Definition, Kernel, Stmt};
use crate::range::Ranges;
use crate::schedule::Step;
use crate::schedule::uses::has_any;
use crate::visit::for_each_stmt;
use rlx_ir::{Dim, Symbol};
use std::collections::HashSet;

/// The maximum number of loops that a kernel may become.
const LOOPS: u32 = 9;

/// Gives the borders of a kernel separate loops. If there are none or too many, the kernel stays as it is.
pub(super) fn borders(kernel: &Kernel) -> Plan {
    divided(kernel).unwrap_or_else(|| Plan::new(kernel))
}

fn divided(kernel: &Kernel) -> Option<Plan> {
    let [Stmt::Par { axes, body }] = &kernel.body[..] else { return None };
    let found = axes.iter().filter_map(|axis| border(axis, body));
    let loops = found.fold(1u32, |loops, [first, last]| {
        loops.saturating_mul(first.saturating_add(last).saturating_add(1))
    });
    if !(2..=LOOPS).contains(&loops) {
        return None;
    }
    let mut plan = Plan::new(kernel);
    while let Some((axis, [first, last])) = next(&plan.kernel) {
        let [into, _] = plan.names();
        plan.step(Step::Divide { axis, first, last, into })?;
    }
    let mut sums: Vec<Symbol> = Vec::new();
    for_each_stmt(&plan.kernel.body, &mut |stmt| {
        if let Stmt::Reduce { axes, .. } = stmt {
            sums.extend(axes.iter().map(|axis| axis.symbol.clone()));
        }
    });
    for axis in sums {
        // A sum without a border stays whole.
        let _ = plan.step(Step::Clip { axis });
    }
    Some(plan)
}

/// Returns the axes of loops other than the longest one. These are the loops of borders, for which tiles would not be worth their text.
pub(super) fn at_borders(kernel: &Kernel) -> HashSet<Symbol> {
    let loops = kernel.body.iter().filter_map(|stmt| match stmt {
        Stmt::Par { axes, .. } => Some(axes),
        _ => None,
    });
    let places = |axes: &&Vec<Axis>| {
        axes.iter().fold(1usize, |n, axis| n.saturating_mul(axis.extent.as_static().unwrap_or(usize::MAX)))
    };
    let longest = loops.clone().max_by_key(places);
    let others = loops.filter(|axes| Some(*axes) != longest);
    others.flatten().map(|axis| axis.symbol.clone()).collect()
}

/// Returns an axis with borders.
fn next(kernel: &Kernel) -> Option<(Symbol, [u32; 2])> {
    kernel.body.iter().find_map(|stmt| {
        let Stmt::Par { axes, body } = stmt else { return None };
        axes.iter().find_map(|axis| Some((axis.symbol.clone(), border(axis, body)?)))
    })
}

/// Returns how many of the first and of the last indices of an axis have guards that may not hold, because of the index of a sum.
fn border(axis: &Axis, body: &Block) -> Option<[u32; 2]> {
    let extent = i64::try_from(axis.extent.as_static()?).ok()?;
    let (mut ranges, mut conditions) = (Ranges::default(), Vec::new());
    for_each_stmt(body, &mut |stmt| match stmt {
        Stmt::Reduce { axes, .. } => axes.iter().for_each(|axis| ranges.count(&axis.symbol, &axis.extent)),
        Stmt::Let { value: Definition::Load { guard, .. }, .. } => conditions.extend(guard.0.iter().cloned()),
        _ => {}
    });
    let (mut first, mut last) = (0, 0);
    for condition in conditions.iter().filter(|condition| has_any(condition, [&axis.symbol])) {
        let holds = |index: i64| {
            let at = |symbol: &Symbol| match *symbol == axis.symbol {
                true => Dim::Static(index as usize),
                false => Dim::Dynamic(symbol.clone()),
            };
            ranges.never_negative(&condition.substitute(&at))
        };
        // A guard that does not hold in the middle either is not a border.
        let middle = extent / 2;
        if !holds(middle) {
            return None;
        }
        first = first.max((0..middle).rev().find(|&index| !holds(index)).map_or(0, |index| index + 1));
        last = last.max((middle..extent).find(|&index| !holds(index)).map_or(0, |index| extent - index));
    }
    let borders = [u32::try_from(first).ok()?, u32::try_from(last).ok()?];
    (borders != [0, 0]).then_some(borders)
}
