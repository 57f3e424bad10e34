//! Schedules rows: reductions along what is read in order, in the lanes of vectors.

use super::Machine;
use super::chains::{RUN, chains};
use super::plan::{Nested, Plan};
use super::runs::Runs;
use crate::kernel::{Axis, Definition, Kernel, Level, Stmt};
use crate::schedule::Step;
use crate::schedule::uses::has_any;
use crate::text::for_each_stmt;
use rlx_ir::Symbol;

/// How many rounds of lanes fit the largest size that is worth them.
const USUAL: u32 = 16;

/// The reductions of a kernel by lanes, where they are long enough and read in order.
pub(super) fn rows(kernel: &Kernel, machine: &Machine) -> Option<Plan> {
    let mut plan = Plan::new(kernel);
    // As many terms as a run has are then in each lane.
    let in_lanes = RUN * u64::from(4 * machine.lanes);
    let is_row = |axes: &[Axis], body: &[Stmt]| matches!(axes, [axis] if body.iter().all(|stmt| is_in_order(stmt, axis)));
    chains(&mut plan, |axes, body| if is_row(axes, body) { in_lanes } else { RUN });
    for (axis, runs) in reductions(&plan.kernel) {
        let mut lanes: Vec<u32> = [4, 2, 1].into_iter().map(|vectors| vectors * machine.lanes).collect();
        let by = match runs {
            Runs::Exactly(extent) => {
                lanes.retain(|by| extent >= 2 * by);
                // Rather fewer lanes than a rest.
                lanes.iter().find(|by| extent.is_multiple_of(**by)).or(lanes.first())
            }
            // Most sizes are less than the largest.
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
            // What is no sum of products stays as it is.
            let _ = plan.step(Step::Contract { axis: around });
        }
        plan.step(Step::Bind { axis: axes.last()?.clone(), level: Level::Vector })?;
    }
    Some(())
}

/// Axes of reductions over one axis, whose bodies are scalars alone and read along it, with how often they run.
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

/// Whether a statement is a scalar that reads neighbors one after the other, if it reads anything.
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
