//! Where loops are, and statements put in their place.

use super::{Done, Scheduled};
use crate::kernel::{Axis, Block, BufferId, Cell, Definition, Level, Stmt};
use crate::range::Ranges;
use crate::text::for_each_stmt;
use rlx_ir::Symbol;

/// The axes that a statement counts; of an ordered loop the one.
pub(super) fn axes(stmt: &Stmt) -> &[Axis] {
    match stmt {
        Stmt::Par { axes, .. } | Stmt::Reduce { axes, .. } => axes,
        Stmt::For { axis, .. } => std::slice::from_ref(axis),
        Stmt::Let { .. }
        | Stmt::Name { .. }
        | Stmt::Array(_)
        | Stmt::Store { .. }
        | Stmt::While { .. }
        | Stmt::If { .. } => &[],
    }
}

/// The blocks of a statement that may have loops in them.
pub(super) fn blocks(stmt: &mut Stmt) -> Vec<&mut Block> {
    match stmt {
        Stmt::Let { .. } | Stmt::Name { .. } | Stmt::Array(_) | Stmt::Store { .. } => Vec::new(),
        Stmt::Par { body, .. } | Stmt::For { body, .. } | Stmt::Reduce { body, .. } => vec![body],
        Stmt::While { condition, body, .. } => vec![condition, body],
        Stmt::If { then, otherwise, .. } => vec![then, otherwise],
    }
}

/// The body of a loop over axes.
pub(super) fn body(stmt: &Stmt) -> Option<&Block> {
    match stmt {
        Stmt::Par { body, .. } | Stmt::For { body, .. } | Stmt::Reduce { body, .. } => Some(body),
        _ => None,
    }
}

/// Calls `visit` with each cell that statements load or store, those inside others included.
pub(super) fn for_each_cell(block: &mut [Stmt], visit: &mut dyn FnMut(&mut Cell)) {
    for stmt in block {
        match stmt {
            Stmt::Let { value: Definition::Load { cell, .. }, .. } | Stmt::Store { cell, .. } => visit(cell),
            other => blocks(other).into_iter().for_each(|block| for_each_cell(block, visit)),
        }
    }
}

/// Calls `visit` with each cell of an input that statements load, those inside others included.
pub(super) fn for_each_load(block: &mut [Stmt], input: BufferId, visit: &mut dyn FnMut(&mut Cell)) {
    for_each_cell(block, &mut |cell| {
        if cell.buffer == input {
            visit(cell);
        }
    });
}

/// The place of an axis among those of a statement.
pub(super) fn place(stmt: &Stmt, axis: &Symbol) -> Option<usize> {
    axes(stmt).iter().position(|a| a.symbol == *axis)
}

/// What is put in the place of a loop, given the place of the axis in it.
type Change<'a> = dyn FnMut(Stmt, usize) -> Done<Block> + 'a;

fn change_in(block: &mut Block, axis: &Symbol, change: &mut Change<'_>) -> Option<Done> {
    for at in 0..block.len() {
        if let Some(place) = place(&block[at], axis) {
            let stmt = block.remove(at);
            return Some(change(stmt, place).map(|new| {
                block.splice(at..at, new);
            }));
        }
        let mut inner = blocks(&mut block[at]).into_iter();
        if let Some(done) = inner.find_map(|block| change_in(block, axis, change)) {
            return Some(done);
        }
    }
    None
}

impl Scheduled {
    /// Puts what `change` makes of the loop of an axis in its place. It is given the loop, and the place of the axis among its axes.
    pub fn change(
        &mut self,
        axis: &Symbol,
        mut change: impl FnMut(&mut Scheduled, Stmt, usize) -> Done<Block>,
    ) -> Done {
        let mut body = std::mem::take(&mut self.kernel.body);
        let done = change_in(&mut body, axis, &mut |stmt, place| change(self, stmt, place));
        self.kernel.body = body;
        done.unwrap_or_else(|| Err(format!("no loop has an axis `{axis}`")))
    }

    /// What symbols of the kernel can be.
    pub fn ranges(&self) -> Ranges {
        let mut ranges = Ranges::default();
        for_each_stmt(&self.kernel.body, &mut |stmt| {
            axes(stmt).iter().for_each(|axis| ranges.count(&axis.symbol, &axis.extent));
            if let Stmt::Name { symbol, extent, .. } = stmt {
                ranges.count(symbol, extent);
            }
        });
        ranges
    }
}

/// Refuses an axis with a mark, which would be lost.
pub(super) fn unmarked(axis: &Axis) -> Done {
    match axis.level {
        Level::None => Ok(()),
        level => {
            let (symbol, word) = (&axis.symbol, level.word());
            Err(format!("`{symbol}` is bound to `{word}`; bind axes after they have their final form"))
        }
    }
}
