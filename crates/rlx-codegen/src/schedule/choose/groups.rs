//! Schedules rows for groups of lanes: each group has a row, which its lanes reduce and then write.
//!
//! Each lane reduces some of the elements, and their states are merged as a tree. A row that several passes read is
//! kept in memory of the group.

use super::plan::Plan;
use crate::kernel::{Axis, Block, Kernel, Level, Place, Space, Stmt};
use crate::lower::Gpu;
use crate::schedule::split::divides;
use crate::schedule::{Step, Tail, Tree};
use rlx_ir::{Dim, Symbol};

/// The value that is assumed for an unknown size.
const UNKNOWN: usize = 1024;
/// The approximate cost of a barrier for all lanes of a group, in operations.
const BARRIER: usize = 16;

/// Returns a kernel with one group per row, if its rows are long enough.
pub(crate) fn by_groups(kernel: &Kernel, machine: &Gpu) -> Option<Kernel> {
    let [Stmt::Par { axes, body }] = &kernel.body[..] else { return None };
    let is_known = |stmt: &Stmt| match stmt {
        Stmt::Let { .. } | Stmt::Array(_) | Stmt::Store { .. } => true,
        Stmt::Par { body, .. } | Stmt::Reduce { body, .. } => {
            body.iter().all(|stmt| matches!(stmt, Stmt::Let { .. } | Stmt::Store { .. }))
        }
        _ => false,
    };
    let is_open = axes.iter().all(|axis| axis.level == Level::None) && body.iter().all(is_known);
    let long = reductions(body).any(|axis| size(&axis.extent) >= 2 * machine.subgroup as usize);
    if !(is_open && long) {
        return None;
    }
    let lanes = (0..).map(|doubled| machine.subgroup << doubled).take_while(|&lanes| lanes <= machine.lanes);
    let lanes = lanes.min_by_key(|&lanes| cost(axes, body, lanes as usize, machine))?;
    let mut plan = Plan::new(kernel);
    by_lanes(&mut plan, axes, body, lanes)?;
    let of_group = |buffer: &&crate::kernel::Buffer| buffer.place == Place::Local(Space::Group);
    let bytes = plan.kernel.buffers.iter().filter(of_group).map(|buffer| {
        let elements = Dim::product(buffer.extents.iter().cloned()).as_static();
        elements.unwrap_or(usize::MAX).saturating_mul(buffer.dtype.size())
    });
    (bytes.fold(0, usize::saturating_add) <= machine.group_bytes as usize).then_some(plan.kernel)
}

fn size(extent: &Dim) -> usize {
    extent.as_static().unwrap_or(UNKNOWN)
}

/// Returns the first axis of each reduction in a block.
fn reductions(body: &Block) -> impl Iterator<Item = &Axis> {
    body.iter().filter_map(|stmt| match stmt {
        Stmt::Reduce { axes, .. } => axes.first(),
        _ => None,
    })
}

/// Estimates how long the kernel takes with this number of lanes per group.
fn cost(groups: &[Axis], body: &Block, lanes: usize, machine: &Gpu) -> usize {
    let levels = lanes.next_power_of_two().ilog2() as usize;
    let of = |stmt: &Stmt| match stmt {
        Stmt::Reduce { axes, combiner, body, .. } => {
            let each = body.len() + combiner.step.body.len();
            let others: usize = axes[1..].iter().map(|axis| size(&axis.extent)).product();
            size(&axes[0].extent).div_ceil(lanes) * others * each
                + levels * (combiner.merge.body.len() + BARRIER)
        }
        Stmt::Par { axes, body } => {
            let others: usize = axes[..axes.len() - 1].iter().map(|axis| size(&axis.extent)).product();
            axes.last().map_or(0, |axis| size(&axis.extent).div_ceil(lanes)) * others * body.len()
        }
        _ => 1,
    };
    let groups = groups.iter().fold(1, |n: usize, axis| n.saturating_mul(size(&axis.extent)));
    let at_once = (machine.units * machine.lanes) as usize;
    let waves = groups.saturating_mul(lanes).div_ceil(at_once).max(1);
    body.iter().map(of).sum::<usize>().saturating_mul(waves)
}

fn by_lanes(plan: &mut Plan, groups: &[Axis], body: &Block, lanes: u32) -> Option<()> {
    for stmt in body {
        if let Stmt::Array(array) = stmt {
            let array = plan.kernel.buffers[array.index()].name.clone();
            plan.step(Step::Place { array, space: Space::Group })?;
        }
    }
    for axis in groups {
        plan.step(Step::Bind { axis: axis.symbol.clone(), level: Level::Group })?;
    }
    for stmt in body {
        match stmt {
            Stmt::Reduce { axes, .. } => {
                let (axis, into) = (axes.first()?.symbol.clone(), plan.names());
                plan.step(Step::Tree(Tree { axis, lanes, into }))?;
            }
            Stmt::Par { axes, .. } => {
                let lane = run(plan, axes.last()?, lanes)?;
                plan.step(Step::Bind { axis: lane, level: Level::Lane })?;
            }
            _ => {}
        }
    }
    Some(())
}

/// Splits an axis into runs and returns the axis of lanes in a run. If the axis is not longer than a run, it is returned unchanged.
fn run(plan: &mut Plan, axis: &Axis, lanes: u32) -> Option<Symbol> {
    if axis.extent.as_static().is_some_and(|extent| extent <= lanes as usize) {
        return Some(axis.symbol.clone());
    }
    let tail = if divides(&plan.kernel.facts, &axis.extent, lanes) { Tail::Exact } else { Tail::Guard };
    let into = plan.names();
    plan.step(Step::Split { axis: axis.symbol.clone(), by: lanes, tail, into: into.clone() })?;
    let [_, lane] = into;
    Some(lane)
}
