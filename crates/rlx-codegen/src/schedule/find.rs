//! Finds loops in a kernel, and replaces statements.

use super::{Done, Scheduled};
use crate::kernel::{Axis, Block, BufferId, Cell, Level, Stmt};
use crate::range::Ranges;
use crate::tile::Tile;
use crate::visit::{each_cell, for_each_stmt};
use rlx_ir::Symbol;

/// Returns the body of a loop over axes.
pub(super) fn body(stmt: &Stmt) -> Option<&Block> {
    match stmt {
        Stmt::Par { body, .. } | Stmt::For { body, .. } | Stmt::Reduce { body, .. } => Some(body),
        _ => None,
    }
}

/// Calls `visit` with each cell that statements access, including nested ones.
pub(super) fn for_each_cell(block: &mut [Stmt], visit: &mut dyn FnMut(&mut Cell)) {
    block.iter_mut().for_each(|stmt| each_cell(stmt, &mut |cell, _| visit(cell)));
}

/// Calls `visit` with each cell of a parameter that statements access, including nested ones.
pub(super) fn for_each_of(block: &mut [Stmt], param: BufferId, visit: &mut dyn FnMut(&mut Cell)) {
    for_each_cell(block, &mut |cell| {
        if cell.buffer == param {
            visit(cell);
        }
    });
}

/// Refuses a buffer from which an instruction reads a tile, because the start of the tile does not show what is read.
pub(super) fn by_elements(block: &[Stmt], buffer: BufferId, name: &str) -> Done {
    let mut by_tiles = false;
    for_each_stmt(block, &mut |stmt| {
        let Stmt::Tile(tile) = stmt else { return };
        let touches = tile.cells().iter().any(|cell| cell.buffer == buffer);
        by_tiles |= touches && matches!(**tile, Tile::Instr { .. });
    });
    match by_tiles {
        true => Err(format!("an instruction reads tiles of `{name}`; do this before `tensorise`")),
        false => Ok(()),
    }
}

/// Returns the position of an axis among those of a statement.
pub(crate) fn place(stmt: &Stmt, axis: &Symbol) -> Option<usize> {
    stmt.axes().iter().position(|a| a.symbol == *axis)
}

/// Returns what replaces a loop, given the position of the axis in it.
type Change<'a> = dyn FnMut(Stmt, usize) -> Done<Block> + 'a;

/// Returns the position of an axis in a statement, if it is the one that is searched for.
type Sought<'a> = dyn Fn(&Stmt) -> Option<usize> + 'a;

fn change_in(block: &mut Block, sought: &Sought<'_>, change: &mut Change<'_>) -> Option<Done> {
    for at in 0..block.len() {
        if let Some(place) = sought(&block[at]) {
            let stmt = block.remove(at);
            return Some(change(stmt, place).map(|new| {
                block.splice(at..at, new);
            }));
        }
        let done = block[at].blocks_mut().find_map(|inner| change_in(inner, sought, change));
        if done.is_some() {
            return done;
        }
    }
    None
}

impl Scheduled {
    /// Replaces the loop of an axis by what `change` makes of it. `change` receives the loop and the position of the axis among its axes.
    pub fn change(
        &mut self,
        axis: &Symbol,
        change: impl FnMut(&mut Scheduled, Stmt, usize) -> Done<Block>,
    ) -> Done {
        let missing = || format!("no loop has an axis `{axis}`");
        self.change_where(&|stmt| place(stmt, axis), missing, change)
    }

    /// Does the same for the first statement that matches. While it is being changed, the kernel has no body.
    pub fn change_where(
        &mut self,
        sought: &Sought<'_>,
        missing: impl Fn() -> String,
        mut change: impl FnMut(&mut Scheduled, Stmt, usize) -> Done<Block>,
    ) -> Done {
        let mut body = std::mem::take(&mut self.kernel.body);
        let done = change_in(&mut body, sought, &mut |stmt, place| change(self, stmt, place));
        self.kernel.body = body;
        done.unwrap_or_else(|| Err(missing()))
    }

    /// Returns the ranges of the kernel's symbols.
    pub fn ranges(&self) -> Ranges {
        let mut ranges = Ranges::of_facts(&self.kernel.facts);
        for_each_stmt(&self.kernel.body, &mut |stmt| {
            stmt.counted().for_each(|axis| ranges.count(&axis.symbol, &axis.extent));
            if let Stmt::Name { symbol, extent, .. } = stmt {
                ranges.count(symbol, extent);
            }
        });
        ranges
    }
}

/// Refuses an axis with a mark, which would be lost.
pub(crate) fn unmarked(axis: &Axis) -> Done {
    match axis.level {
        Level::None => Ok(()),
        level => {
            let (symbol, word) = (&axis.symbol, level.word());
            Err(format!("`{symbol}` is bound to `{word}`; bind axes after they have their final form"))
        }
    }
}
