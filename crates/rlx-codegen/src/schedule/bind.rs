//! `bind` and `vector`: marks on parallel axes.
//!
//! *Obligation*: none beyond that of parallel loops, which the interpreter checks: no iteration touches what another one writes. The
//! mark changes no result. An axis that is bound to a vector is the last one of its loop, so that its iterations are neighbours.

use super::{Done, Scheduled};
use crate::kernel::{Level, Stmt};
use rlx_ir::Symbol;

impl Scheduled {
    pub fn bind(&mut self, axis: &Symbol, level: Level) -> Done {
        self.change(axis, |_, mut stmt, place| {
            let Stmt::Par { axes, .. } = &mut stmt else {
                return Err(format!("`{axis}` is no axis of a parallel loop; only those are bound"));
            };
            if level == Level::Vector && place + 1 != axes.len() {
                return Err(format!("`{axis}` is not the last axis of its loop; reorder them before"));
            }
            axes[place].level = level;
            Ok(vec![stmt])
        })
    }
}
