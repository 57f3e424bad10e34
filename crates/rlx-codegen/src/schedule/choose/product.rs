//! Schedules products: reductions in a parallel loop, where one axis reads contiguous elements and another reads the
//! same elements again.
//!
//! `par i, j { reduce k { x[i,k] · w[k,j] } … }` becomes tiles of rows and vectors that stay in registers while the
//! loop over `k` runs around them. Rows are unrolled, so that each has its own registers; columns stay a loop, which a
//! compiler vectorizes. An operand that is known before the program runs is packed into panels of [`PANEL`] columns,
//! whatever its layout. If columns would not fill panels, it is transposed so that they are its last axis.

use super::borders::{at_borders, borders};
use super::chains::{RUN, chains};
use super::plan::{Nested, Plan};
use super::runs::Runs;
use super::{Known, Machine};
use crate::kernel::{Axis, Block, Cell, Definition, Kernel, Level, Place, Stmt};
use crate::schedule::Step;
use crate::schedule::uses::has_any;
use rlx_ir::{Dim, Symbol};
use std::collections::HashSet;

/// The number of columns per panel of a packed operand. It is the same for every machine, because all of them read one file.
const PANEL: u32 = 32;
/// The minimum number of rows that have to read an operand that is packed while the program runs.
const REREAD: u32 = 8;
/// The maximum number of rows of a tile.
const ROWS: u32 = 16;

/// A loop that is a product.
struct ProductLoop {
    axes: Vec<Axis>,
    /// The axis of columns, which vectors run along.
    columns: (Axis, Runs),
    /// The axis of rows, if there is one.
    rows: Option<(Axis, Runs)>,
    packed: Vec<Packed>,
}

/// An input to pack, with its axis that counts columns, in blocks of `by`.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Packed {
    input: String,
    axis: u32,
    by: u32,
}

/// The rows and columns of a tile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Tile {
    pub rows: u32,
    pub columns: u32,
}

/// Returns the tile that takes the least time for this number of rows, based on the cost of each index of the reduction on the machine.
pub(super) fn tile(machine: &Machine, rows: u32, columns: u32) -> Tile {
    let vectors = [1, 2, 4].into_iter().filter(|vectors| vectors * machine.lanes <= columns.min(PANEL));
    let tiles = vectors.flat_map(|vectors| (1..=ROWS.min(rows.max(1))).map(move |rows| (rows, vectors)));
    // In addition to the sums, a tile needs a vector of columns and, for each row, a number in all lanes. With a single
    // vector, one row at a time is enough.
    let fits = |&(rows, vectors): &(u32, u32)| {
        rows * vectors + if vectors == 1 { 2 } else { rows + 1 } <= machine.registers
    };
    let cost = |&(tall, vectors): &(u32, u32)| {
        // In quarters of a cycle: two multiply-adds at a time, each of which takes four cycles; two loads at a time; and the loop itself.
        let one = (2 * tall * vectors).max(2 * (tall + vectors)).max(16) + 4;
        u64::from(rows.div_ceil(tall)) * u64::from(one) * u64::from(PANEL / (vectors * machine.lanes))
    };
    let best = tiles.filter(fits).min_by_key(cost);
    best.map_or(Tile { rows: 1, columns: columns.clamp(1, machine.lanes) }, |(rows, vectors)| Tile {
        rows,
        columns: vectors * machine.lanes,
    })
}

/// Returns a kernel as tiles.
pub(super) fn product(kernel: &Kernel, machine: &Machine, known: &Known<'_>) -> Option<Plan> {
    let (mut plan, mut packed): (Plan, Vec<Packed>) = (borders(kernel), Vec::new());
    let mut tiled = false;
    // The rows and columns that are left over after full tiles are a smaller product.
    let left = if plan.steps.is_empty() { HashSet::new() } else { at_borders(&plan.kernel) };
    chains(&mut plan, |_, _| RUN);
    while let Some(product) = ProductLoop::first(&plan.kernel, known, &left) {
        for one in &product.packed {
            if packed.iter().all(|known| known.input != one.input) {
                packed.push(one.clone());
            }
        }
        product.tiled(&mut plan, machine)?;
        tiled = true;
    }
    plan.steps.extend(packed.into_iter().map(|Packed { input, axis, by }| Step::Pack { input, axis, by }));
    tiled.then_some(plan)
}

/// Returns the body of the reduction directly in a block, if there is exactly one and no other loop. For nested
/// reductions it returns that of the innermost.
fn only_reduction(block: &Block) -> Option<&Block> {
    let mut found = None;
    for stmt in block {
        match stmt {
            Stmt::Reduce { body, .. } if found.is_none() => found = Some(body),
            Stmt::Let { .. } | Stmt::Store { .. } => {}
            _ => return None,
        }
    }
    found.and_then(|body| match body.iter().any(|stmt| matches!(stmt, Stmt::Reduce { .. })) {
        true => only_reduction(body),
        false => Some(body).filter(|body| body.iter().all(|stmt| matches!(stmt, Stmt::Let { .. }))),
    })
}

fn varies(cell: &Cell, axis: &Axis) -> bool {
    cell.at.iter().any(|at| has_any(at, [&axis.symbol]))
}

/// Returns the axis of a cell whose index increases by one with another axis, if it is the only axis that depends on it.
fn walked(cell: &Cell, axis: &Axis) -> Option<usize> {
    let mut with = cell.at.iter().enumerate().filter(|(_, at)| has_any(at, [&axis.symbol]));
    let (place, at) = with.next()?;
    let rest = at - &Dim::Dynamic(axis.symbol.clone());
    (with.next().is_none() && !has_any(&rest, [&axis.symbol])).then_some(place)
}

impl ProductLoop {
    /// Returns the first of a kernel's outermost loops that is a product.
    fn first(kernel: &Kernel, known: &Known<'_>, left: &HashSet<Symbol>) -> Option<ProductLoop> {
        kernel.body.iter().find_map(|stmt| match stmt {
            Stmt::Par { axes, .. } if axes.iter().any(|axis| left.contains(&axis.symbol)) => None,
            Stmt::Par { axes, body } => ProductLoop::of(kernel, axes, only_reduction(body)?, known),
            _ => None,
        })
    }

    fn of(kernel: &Kernel, axes: &[Axis], inside: &Block, known: &Known<'_>) -> Option<ProductLoop> {
        let mut loads = Vec::new();
        for stmt in inside {
            if let Stmt::Let { value: Definition::Load { cell, guard, .. }, .. } = stmt {
                loads.push((cell, guard));
            }
        }
        let many = |axis: &Axis| Runs::of(kernel, axis);
        // Packing is worthwhile if it is done before the program runs, or if many rows read the packed operand.
        let pays = |cell: &Cell| {
            let is_input = kernel.buffers[cell.buffer.index()].place == Place::In;
            let by_many =
                |axis: &Axis| many(axis).is_some_and(|rows| rows.most() >= REREAD) && !varies(cell, axis);
            is_input && (known(cell.buffer) || axes.iter().any(by_many))
        };
        let in_order = |axis: &Axis, cell: &Cell| {
            walked(cell, axis).is_some_and(|at| at + 1 == cell.at.len() || pays(cell))
        };
        let is_column = |axis: &&Axis| {
            many(axis).is_some()
                && loads.iter().any(|(cell, _)| varies(cell, axis))
                && loads
                    .iter()
                    .all(|(cell, guard)| !varies(cell, axis) || guard.is_empty() && in_order(axis, cell))
        };
        let columns = axes.iter().rev().find(is_column)?;
        let is_row = |axis: &&Axis| {
            many(axis).is_some()
                && axis.symbol != columns.symbol
                && loads.iter().all(|(cell, _)| !(varies(cell, columns) && varies(cell, axis)))
        };
        let rows = axes.iter().filter(is_row).max_by_key(|axis| many(axis).map(Runs::most));
        let pack = |(cell, _): &(&Cell, _)| {
            let axis = walked(cell, columns)?;
            let buffer = &kernel.buffers[cell.buffer.index()];
            // Columns with an offset would be in two panels.
            let is_first = cell.at[axis] == Dim::Dynamic(columns.symbol.clone());
            let by = match buffer.extents[axis].as_static() {
                Some(width) if is_first && width.is_multiple_of(PANEL as usize) => PANEL,
                Some(width) => u32::try_from(width).ok()?,
                None if is_first => PANEL,
                None => return None,
            };
            let once = loads.iter().filter(|(other, _)| other.buffer == cell.buffer).count() == 1;
            let is_whole = buffer.extents[axis] == Dim::Static(by as usize);
            let is_better = axis + 1 < cell.at.len() || known(cell.buffer) && !is_whole;
            (once && is_better).then(|| Packed { input: buffer.name.clone(), axis: axis as u32, by })
        };
        let packed = loads.iter().filter_map(pack).collect();
        let with_runs = |axis: &Axis| Some((axis.clone(), many(axis)?));
        let (columns, rows) = (with_runs(columns)?, rows.and_then(with_runs));
        Some(ProductLoop { axes: axes.to_vec(), columns, rows, packed })
    }

    fn tiled(&self, plan: &mut Plan, machine: &Machine) -> Option<()> {
        let (columns, width) = &self.columns;
        let panel = width.lanes(PANEL);
        let height = self.rows.as_ref().map_or(1, |(_, runs)| runs.most());
        let best = tile(machine, height, width.most().min(panel));
        let (mut outer, mut inner) = (Vec::new(), Vec::new());
        let column = plan.part(&columns.symbol, *width, panel, &mut outer)?;
        let others = self.axes.iter().map(|axis| &axis.symbol);
        let is_used = |symbol: &&Symbol| {
            **symbol != columns.symbol && self.rows.as_ref().is_none_or(|(rows, _)| rows.symbol != **symbol)
        };
        outer.extend(others.filter(is_used).cloned());
        if let Some((axis, runs)) = &self.rows {
            inner.push(plan.part(&axis.symbol, *runs, runs.part(best.rows), &mut outer)?);
        }
        let in_panel = Runs::Exactly(width.most().min(panel));
        inner.push(plan.part(&column, in_panel, best.columns, &mut outer)?);
        plan.step(Step::Reorder { axes: [&outer[..], &inner].concat() })?;
        plan.step(Step::Interchange { axes: inner.clone() })?;
        for Nested { axes, around } in plan.copies(&inner) {
            registers(plan, machine, &axes, around)?;
        }
        Some(())
    }
}

/// Unrolls the rows of a tile, each into a separate loop over columns, or into a single one inside the loop of the reduction.
fn registers(plan: &mut Plan, machine: &Machine, axes: &[Symbol], around: Option<Symbol>) -> Option<()> {
    let columns = axes.last()?.clone();
    if let ([rows, columns], Some(_)) = (axes, &around) {
        plan.step(Step::Reorder { axes: vec![columns.clone(), rows.clone()] })?;
        plan.step(Step::Unroll { axis: rows.clone() })?;
    } else if let [rows, _] = axes {
        plan.step(Step::Nest { axis: rows.clone() })?;
        return plan.step(Step::Unroll { axis: rows.clone() });
    }
    if let Some(around) = around.filter(|_| machine.fused) {
        // Loops that are not sums of products stay as they are.
        let _ = plan.step(Step::Contract { axis: around });
    }
    plan.step(Step::Bind { axis: columns, level: Level::Vector })
}
