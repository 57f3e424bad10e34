//! `bind` and `vector`: mark parallel axes with what runs them.
//!
//! *Obligation*: that of parallel loops, which the interpreter checks: no iteration accesses what another one writes. A
//! loop that is spread over lanes or subgroups, and accesses memory that the group shares, is between barriers, and
//! does not write registers that others read. Groups share no array. An axis that is bound to a vector is the last one
//! of its loop, so that its iterations are neighbors.

use super::groups::{Touched, between_barriers, has, is_spread, meets, merge_barriers};
use super::{Done, Scheduled};
use crate::kernel::{Axis, Level, Place, Space, Stmt};
use crate::tile::Tile;
use rlx_ir::Symbol;

impl Scheduled {
    pub fn bind(&mut self, axis: &Symbol, level: Level) -> Done {
        let (around, stmt) = self.found(axis)?;
        let touched = Touched::by(stmt);
        let registers = match level.is_worker() || is_spread(stmt) {
            true => self.keeps_registers(&touched),
            false => Ok(()),
        };
        self.change(axis, |s, mut stmt, place| {
            let Stmt::Par { axes, body } = &stmt else {
                return Err(format!("`{axis}` is not an axis of a parallel loop; only those can be bound"));
            };
            if level == Level::Vector && place + 1 != axes.len() {
                return Err(format!("`{axis}` is not the last axis of its loop; reorder them first"));
            }
            let others = [&axes[..place], &axes[place + 1..]].concat();
            registers.clone()?;
            let is_group = |axis: &Axis| axis.level == Level::Group;
            let inner_groups = body.iter().any(|inner| has(inner, |s| s.axes().iter().any(is_group)));
            let inner_workers = body.iter().any(|inner| has(inner, is_spread));
            let meet = body.iter().any(|inner| has(inner, meets));
            match level {
                Level::Lane | Level::Subgroup => {
                    let word = level.word();
                    if around.worker || inner_workers || inner_groups {
                        return Err(format!("lanes and subgroups are parts of one group; `{axis}` has other ones around or inside it"));
                    }
                    if others.iter().any(|other| other.level.is_worker() && other.level != level) {
                        return Err(format!("the loop of `{axis}` is not spread over `{word}`, but another axis of it is already bound"));
                    }
                    if meet {
                        return Err(format!("all lanes of a group synchronize inside the loop of `{axis}`"));
                    }
                    if body.iter().any(|inner| has(inner, |inner| s.is_of_more(inner, level))) {
                        return Err(format!("the loop of `{axis}` contains something that more than a `{word}` runs or holds"));
                    }
                    if s.needs_barriers(&touched) {
                        around.uniform(axis)?;
                    }
                }
                Level::Group => {
                    if around.worker || around.grouped || inner_groups {
                        return Err(format!("groups cannot be inside groups or parts of one, as `{axis}` would be"));
                    }
                    let local = |buffer: &crate::kernel::BufferId| !s.kernel.buffers[buffer.index()].place.is_param();
                    if let Some(array) = touched.written().find(local) {
                        let name = &s.kernel.buffers[array.index()].name;
                        return Err(format!("`{name}` is made outside the loop of `{axis}`, but groups share no array"));
                    }
                }
                Level::None | Level::Thread | Level::Vector | Level::Unit => {}
            }
            if meet && level != Level::Group && !others.iter().any(is_group) {
                return Err(format!("all lanes of a group synchronize inside the loop of `{axis}`, which is bound to groups"));
            }
            if let Stmt::Par { axes, .. } = &mut stmt {
                axes[place].level = level;
            }
            Ok(if is_spread(&stmt) && s.needs_barriers(&touched) { between_barriers(stmt) } else { vec![stmt] })
        })?;
        merge_barriers(&mut self.kernel);
        Ok(())
    }

    /// Returns whether a statement makes or runs something that belongs to a whole subgroup or group, although only a part of that runs it.
    fn is_of_more(&self, stmt: &Stmt, level: Level) -> bool {
        match stmt {
            Stmt::Array(array) => match self.kernel.buffers[array.index()].place {
                Place::Local(Space::Group) => true,
                Place::Local(Space::Subgroup) => level == Level::Lane,
                _ => false,
            },
            Stmt::Tile(tile) => matches!(**tile, Tile::Instr { .. }) && level == Level::Lane,
            _ => false,
        }
    }
}
