//! Schedules rows: runs reductions over elements that are read in order in vector lanes.

use super::Machine;
use super::chains::{RUN, chains};
use super::plan::{Nested, Plan};
use super::runs::Runs;
use crate::kernel::{Axis, Definition, Kernel, Level, Stmt};
use crate::schedule::Step;
use crate::schedule::uses::has_any;
use crate::visit::for_each_stmt;
use rlx_ir::Symbol;

/// The minimum number of rounds of lanes in the maximum size for which they are worthwhile.
const USUAL: u32 = 16;

/// Reduces by lanes where reductions are long enough and read in order.
pub(super) fn rows(kernel: &Kernel, machine: &Machine) -> Option<Plan> {
    let mut plan = Plan::new(kernel);
    // Each lane then has as many terms as a run.
    let in_lanes = RUN * u64::from(4 * machine.lanes);
    let is_row = |axes: &[Axis], body: &[Stmt]| matches!(axes, [axis] if body.iter().all(|stmt| is_in_order(stmt, axis)));
    chains(&mut plan, |axes, body| if is_row(axes, body) { in_lanes } else { RUN });
    for (axis, runs) in reductions(&plan.kernel) {
        let mut lanes: Vec<u32> = [4, 2, 1].into_iter().map(|vectors| vectors * machine.lanes).collect();
        let by = match runs {
            Runs::Exactly(extent) => {
                lanes.retain(|by| extent >= 2 * by);
                // Fewer lanes are better than a remainder.
                lanes.iter().find(|by| extent.is_multiple_of(**by)).or(lanes.first())
            }
            // Most sizes are smaller than the maximum.
            Runs::UpTo(most) => lanes.iter().find(|by| most >= USUAL * **by),
        };
        let Some(&by) = by else { continue };
        let mut with = plan.clone();
        if by_lanes(&mut with, machine, &axis, by).is_some() {
            plan = with;
        }
    }
    (!plan.steps.is_empty()).then_some(plan)
}

fn by_lanes(plan: &mut Plan, machine: &Machine, axis: &Symbol, by: u32) -> Option<()> {
    let [lane, _] = plan.lanes(axis, by)?;
    plan.step(Step::Interchange { axes: vec![lane.clone()] })?;
    for Nested { axes, around } in plan.copies(&[lane]) {
        if let Some(around) = around.filter(|_| machine.fused) {
            // Loops that are not sums of products stay as they are.
            let _ = plan.step(Step::Contract { axis: around });
        }
        plan.step(Step::Bind { axis: axes.last()?.clone(), level: Level::Vector })?;
    }
    Some(())
}

/// Returns the axes of reductions over a single axis whose bodies consist of scalars and read along it, with their numbers of iterations.
fn reductions(kernel: &Kernel) -> Vec<(Symbol, Runs)> {
    let mut found = Vec::new();
    for_each_stmt(&kernel.body, &mut |stmt| {
        let Stmt::Reduce { axes, body, .. } = stmt else { return };
        let [axis] = &axes[..] else { return };
        let runs = Runs::of(kernel, axis);
        if let (Some(runs), true) = (runs, body.iter().all(|stmt| is_in_order(stmt, axis))) {
            found.push((axis.symbol.clone(), runs));
        }
    });
    found
}

/// Returns whether a statement is a scalar that reads, if anything, adjacent elements in order.
fn is_in_order(stmt: &Stmt, axis: &Axis) -> bool {
    match stmt {
        Stmt::Let { value: Definition::Load { cell, guard, .. }, .. } => {
            let others = &cell.at[..cell.at.len().saturating_sub(1)];
            guard.is_empty() && !others.iter().any(|at| has_any(at, [&axis.symbol]))
        }
        Stmt::Let { .. } => true,
        _ => false,
    }
}
