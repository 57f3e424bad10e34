//! Rows: reductions along what is read in order, which are computed in the lanes of vectors.

use super::Machine;
use super::plan::{Nested, Plan};
use crate::kernel::{Axis, Definition, Kernel, Level, Stmt};
use crate::schedule::Step;
use crate::schedule::uses::has_any;
use crate::text::for_each_stmt;
use rlx_ir::Symbol;

/// The reductions of a kernel by lanes, where they are long enough and read in order.
pub(super) fn rows(kernel: &Kernel, machine: &Machine) -> Option<Plan> {
    let mut plan = Plan::new(kernel);
    for (axis, extent) in reductions(kernel) {
        let mut lanes: Vec<u32> = [4, 2, 1].into_iter().map(|vectors| vectors * machine.lanes).collect();
        lanes.retain(|by| extent >= 2 * by);
        // Rather fewer lanes than a rest.
        let Some(&by) = lanes.iter().find(|by| extent.is_multiple_of(**by)).or(lanes.first()) else {
            continue;
        };
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

/// Axes of reductions over one axis, whose bodies are scalars alone and read along it, with their extents.
fn reductions(kernel: &Kernel) -> Vec<(Symbol, u32)> {
    let mut found = Vec::new();
    for_each_stmt(&kernel.body, &mut |stmt| {
        let Stmt::Reduce { axes, body, .. } = stmt else { return };
        let [axis] = &axes[..] else { return };
        let extent = axis.extent.as_static().and_then(|extent| u32::try_from(extent).ok());
        if let (Some(extent), true) = (extent, body.iter().all(|stmt| is_in_order(stmt, axis))) {
            found.push((axis.symbol.clone(), extent));
        }
    });
    found
}

/// Whether a statement is a scalar that reads neighbours one after the other, if it reads anything.
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
