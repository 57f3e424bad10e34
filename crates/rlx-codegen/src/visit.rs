//! What statements contain: the axes that they count, their blocks, and what they define and access. Code that walks
//! through kernels uses this, so that the kinds of statements are listed once.

use crate::kernel::{Axis, Block, Cell, Definition, ScalarId, Stmt};
use rlx_ir::Symbol;

/// The blocks of a statement, shared or to be changed.
macro_rules! blocks_of {
    ($stmt:expr) => {
        match $stmt {
            Stmt::Par { body, .. } | Stmt::For { body, .. } | Stmt::Reduce { body, .. } => [Some(body), None],
            Stmt::While { condition, body, .. } => [Some(condition), Some(body)],
            Stmt::If { then, otherwise, .. } => [Some(then), Some(otherwise)],
            Stmt::Let { .. }
            | Stmt::Name { .. }
            | Stmt::Array(_)
            | Stmt::Store { .. }
            | Stmt::Barrier
            | Stmt::Tile(_) => [None, None],
        }
    };
}

impl Stmt {
    /// Returns the axes of a loop. An ordered loop has one, and other statements have none.
    pub(crate) fn axes(&self) -> &[Axis] {
        match self {
            Stmt::Par { axes, .. } | Stmt::Reduce { axes, .. } => axes,
            Stmt::For { axis, .. } => std::slice::from_ref(axis),
            Stmt::Let { .. }
            | Stmt::Name { .. }
            | Stmt::Array(_)
            | Stmt::Store { .. }
            | Stmt::Barrier
            | Stmt::Tile(_)
            | Stmt::While { .. }
            | Stmt::If { .. } => &[],
        }
    }

    /// Returns the axes that the statement counts: those of a loop or of a tile.
    pub(crate) fn counted(&self) -> impl Iterator<Item = &Axis> {
        let of_tile = match self {
            Stmt::Tile(tile) => tile.axes(),
            _ => Vec::new(),
        };
        self.axes().iter().chain(of_tile)
    }

    /// Returns the blocks in the order of the text, without those of combiners, which have no loops.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = &Block> {
        blocks_of!(self).into_iter().flatten()
    }

    /// Returns the blocks, to be changed.
    pub(crate) fn blocks_mut(&mut self) -> impl Iterator<Item = &mut Block> {
        blocks_of!(self).into_iter().flatten()
    }
}

/// Calls `visit` with each statement of a block, including nested ones and those of combiners, in the order of the text.
pub(crate) fn for_each_stmt<'k>(block: &'k [Stmt], visit: &mut dyn FnMut(&'k Stmt)) {
    for stmt in block {
        visit(stmt);
        for inner in stmt.blocks() {
            for_each_stmt(inner, visit);
        }
        if let Stmt::Reduce { combiner, .. } = stmt {
            for_each_stmt(&combiner.step.body, visit);
            for_each_stmt(&combiner.merge.body, visit);
        }
    }
}

/// Calls `visit` with each access of a statement, including nested ones, and whether it writes. For a tile, the access
/// is where the tile begins.
pub(crate) fn each_cell(stmt: &mut Stmt, visit: &mut dyn FnMut(&mut Cell, bool)) {
    match stmt {
        Stmt::Let { value: Definition::Load { cell, .. }, .. } => visit(cell, false),
        Stmt::Store { cell, .. } => visit(cell, true),
        Stmt::Tile(tile) => {
            let writes: Vec<bool> = (0..tile.cells().len()).map(|number| tile.writes(number)).collect();
            tile.cells_mut().into_iter().zip(writes).for_each(|(cell, writes)| visit(cell, writes));
        }
        _ => {}
    }
    stmt.blocks_mut().flatten().for_each(|stmt| each_cell(stmt, visit));
}

/// Calls `visit` with each scalar that a statement defines, but not with those of nested statements.
pub(crate) fn for_each_definition(stmt: &Stmt, visit: &mut dyn FnMut(ScalarId)) {
    match stmt {
        Stmt::Let { scalar, .. } => visit(*scalar),
        Stmt::Name { .. }
        | Stmt::Array(_)
        | Stmt::Store { .. }
        | Stmt::Barrier
        | Stmt::Tile(_)
        | Stmt::Par { .. } => {}
        Stmt::For { carried, .. } | Stmt::While { carried, .. } => carried.iter().for_each(|c| {
            visit(c.inside);
            visit(c.last);
        }),
        Stmt::If { joined, .. } => joined.iter().for_each(|j| visit(j.result)),
        Stmt::Reduce { combiner, results, .. } => {
            let params = combiner.step.params.iter().chain(&combiner.merge.params);
            params.chain(results).for_each(|&s| visit(s));
        }
    }
}

/// Returns the symbols that statements define.
pub(crate) fn defined_symbols(block: &[Stmt]) -> Vec<Symbol> {
    let mut symbols = Vec::new();
    for_each_stmt(block, &mut |stmt| {
        if let Stmt::Name { symbol, .. } = stmt {
            symbols.push(symbol.clone());
        }
        symbols.extend(stmt.counted().map(|axis| axis.symbol.clone()));
    });
    symbols
}
