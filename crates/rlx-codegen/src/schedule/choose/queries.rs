//! Schedules queries: rows that iterate over the same elements in order, as in attention, with one row per vector lane.
//!
//! Elements that all rows read are read once, and those that each row reads for itself are copied in advance, for all
//! lanes.

use super::Machine;
use super::plan::Plan;
use super::runs::Runs;
use crate::kernel::{Axis, Block, BufferId, Cell, Definition, Kernel, Place, Stmt};
use crate::schedule::uses::has_any;
use crate::schedule::{Step, rename};
use crate::visit::for_each_stmt;
use rlx_ir::{Dim, Symbol};

/// A parallel loop around an ordered one that reduces something for each of its elements.
struct Queries {
    axes: Vec<Axis>,
    /// The axis that becomes lanes, and its number of iterations.
    lanes: (Symbol, Runs),
    /// The ordered loop.
    elements: Symbol,
    /// Inputs that differ only between lanes.
    own: Vec<BufferId>,
}

/// The maximum number of elements that are copied for all lanes together.
const OWN: usize = 4096;

/// Returns the number of elements of an array.
fn elements(kernel: &Kernel, array: &str) -> usize {
    let array = kernel.buffers.iter().find(|buffer| buffer.name == array);
    let extents = array.map(|array| Dim::product(array.extents.iter().cloned()));
    extents.and_then(|extents| extents.as_static()).unwrap_or(usize::MAX)
}

/// Returns a kernel with rows as lanes.
pub(super) fn queries(kernel: &Kernel, machine: &Machine) -> Option<Plan> {
    let mut plan = Plan::new(kernel);
    while let Some(queries) = plan.kernel.body.iter().find_map(|stmt| Queries::of(&plan.kernel, stmt)) {
        queries.by_lanes(&mut plan, machine)?;
    }
    (!plan.steps.is_empty()).then_some(plan)
}

/// Returns the cells that a block loads without a guard.
fn loads(block: &Block) -> Vec<&Cell> {
    let mut loads = Vec::new();
    for_each_stmt(block, &mut |stmt| {
        if let Stmt::Let { value: Definition::Load { cell, guard, .. }, .. } = stmt
            && guard.is_empty()
        {
            loads.push(cell);
        }
    });
    loads
}

/// Returns the ordered loop of a block that reduces something for each of its elements, or such a loop nested inside an
/// ordered loop, because elements may come in runs.
fn ordered(block: &Block) -> Option<(&Symbol, &Block)> {
    let (axis, body) = block.iter().find_map(|stmt| match stmt {
        Stmt::For { axis, body, .. } => Some((axis, body)),
        _ => None,
    })?;
    let reduces = body.iter().any(|stmt| matches!(stmt, Stmt::Reduce { .. }));
    if reduces { Some((&axis.symbol, body)) } else { ordered(body) }
}

fn varies(cell: &Cell, axis: &Symbol) -> bool {
    cell.at.iter().any(|at| has_any(at, [axis]))
}

impl Queries {
    fn of(kernel: &Kernel, stmt: &Stmt) -> Option<Queries> {
        let Stmt::Par { axes, body } = stmt else { return None };
        let (elements, inside) = ordered(body)?;
        let loads = loads(inside);
        let reads_own = |axis: &Axis| loads.iter().filter(|cell| varies(cell, &axis.symbol)).count();
        let many = axes.iter().filter(|axis| Runs::of(kernel, axis).is_some());
        let lanes = many.filter(|axis| reads_own(axis) < loads.len()).min_by_key(|axis| reads_own(axis))?;
        let is_own = |cell: &&&Cell| {
            let is_input = kernel.buffers[cell.buffer.index()].place == Place::In;
            is_input && varies(cell, &lanes.symbol) && !varies(cell, elements)
        };
        let mut own: Vec<BufferId> = loads.iter().filter(is_own).map(|cell| cell.buffer).collect();
        own.dedup();
        let lanes = (lanes.symbol.clone(), Runs::of(kernel, lanes)?);
        Some(Queries { axes: axes.clone(), lanes, elements: elements.clone(), own })
    }

    fn by_lanes(&self, plan: &mut Plan, machine: &Machine) -> Option<()> {
        let (axis, runs) = &self.lanes;
        // Two vectors, so that one is added to while the other waits.
        let by = if runs.most() >= 2 * machine.lanes { 2 * machine.lanes } else { machine.lanes };
        let by = runs.lanes(by);
        let others = self.axes.iter().map(|other| &other.symbol).filter(|other| *other != axis);
        let mut order: Vec<Symbol> = others.cloned().collect();
        let inner = plan.part(axis, *runs, by, &mut order)?;
        order.push(inner.clone());
        plan.step(Step::Reorder { axes: order })?;
        for buffer in &self.own {
            let input = plan.kernel.buffers[buffer.index()].name.clone();
            let into = rename::free_name(&plan.kernel, "own");
            let mut staged = plan.clone();
            let step = Step::Stage { input, axis: self.elements.clone(), lanes: None, into: into.clone() };
            // If a row reads too many elements for itself, they stay where they are.
            if staged.step(step).is_some() && elements(&staged.kernel, &into) <= OWN / by as usize {
                *plan = staged;
            }
        }
        plan.step(Step::Interchange { axes: vec![inner] })?;
        if machine.fused {
            let _ = plan.step(Step::Contract { axis: self.elements.clone() });
        }
        Some(())
    }
}
