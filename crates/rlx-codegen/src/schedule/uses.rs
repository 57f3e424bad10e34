//! Finds what statements and expressions read.

use crate::kernel::{Carried, Definition, Function, ScalarId, Stmt};
use crate::tile::Tile;
use crate::visit::for_each_stmt;
use rlx_ir::{Dim, Symbol, Symbols};
use std::collections::HashMap;

/// Calls `visit` with each scalar that a statement reads, but not with those of nested statements.
fn for_each_use(stmt: &Stmt, visit: &mut dyn FnMut(ScalarId)) {
    let mut all = |scalars: &[ScalarId]| scalars.iter().copied().for_each(&mut *visit);
    let ends = |carried: &[Carried]| carried.iter().flat_map(|c| [c.first, c.next]).collect::<Vec<_>>();
    match stmt {
        Stmt::Let { value, .. } => match value {
            Definition::Constant(_) | Definition::Index(_) | Definition::Holds(_) => {}
            Definition::Load { fill, .. } => all(fill.as_slice()),
            Definition::Apply { args, .. } => all(args),
            Definition::Fma(args) => all(args),
            Definition::Bitcast(x) => all(&[*x]),
        },
        Stmt::Name { scalar, .. } | Stmt::Store { scalar, .. } => all(&[*scalar]),
        Stmt::Array(_) | Stmt::Barrier | Stmt::Par { .. } => {}
        Stmt::Tile(tile) => {
            if let Tile::Copy { fill, .. } = &**tile {
                all(fill.as_slice());
            }
        }
        Stmt::For { carried, .. } => all(&ends(carried)),
        Stmt::While { carried, again, .. } => {
            all(&ends(carried));
            all(&[*again]);
        }
        Stmt::If { condition, joined, .. } => {
            all(&[*condition]);
            joined.iter().for_each(|j| all(&[j.then, j.otherwise]));
        }
        Stmt::Reduce { combiner, elements, .. } => {
            all(&combiner.identity);
            all(elements);
            let given = |function: &Function| function.results.clone();
            all(&given(&combiner.step));
            all(&given(&combiner.merge));
        }
    }
}

/// Returns how often statements, including nested ones, read each scalar.
pub(super) fn uses(block: &[Stmt]) -> HashMap<ScalarId, usize> {
    let mut uses = HashMap::new();
    for_each_stmt(block, &mut |stmt| for_each_use(stmt, &mut |scalar| *uses.entry(scalar).or_default() += 1));
    uses
}

/// Returns whether an expression contains one of these symbols.
pub(super) fn has_any<'s>(dim: &Dim, symbols: impl IntoIterator<Item = &'s Symbol>) -> bool {
    let mut inside = Symbols::default();
    dim.symbols(&mut inside);
    symbols.into_iter().any(|symbol| inside.contains(symbol))
}
