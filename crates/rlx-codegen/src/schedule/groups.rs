//! Where loops are in a group and what they share with the rest of it, for steps that spread work over lanes.

use super::{Done, Scheduled};
use crate::kernel::{Block, BufferId, Kernel, Level, Place, Space, Stmt};
use crate::tile::Tile;
use crate::visit::{each_cell, for_each_stmt};
use rlx_ir::Symbol;
use std::collections::HashSet;

/// What runs a statement.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Around {
    /// Whether a part of a group runs it.
    pub worker: bool,
    /// Whether a group runs it.
    pub grouped: bool,
    /// Whether it is run by an iteration of a parallel loop inside a group, or of a reduction.
    pub loose: bool,
}

impl Around {
    /// Returns what runs the statements inside a statement.
    fn inside(self, stmt: &Stmt) -> Around {
        let (Stmt::Par { axes, .. } | Stmt::Reduce { axes, .. }) = stmt else { return self };
        let groups = axes.iter().any(|axis| axis.level == Level::Group);
        Around {
            worker: self.worker || axes.iter().any(|axis| axis.level.is_worker()),
            grouped: self.grouped || groups,
            loose: !groups,
        }
    }

    /// Refuses a place where a barrier would not be allowed.
    pub fn uniform(self, axis: &Symbol) -> Done {
        match self {
            Around { worker: true, .. } => {
                Err(format!("`{axis}` is run by single lanes, which cannot meet at barriers"))
            }
            Around { loose: true, .. } => Err(format!(
                "`{axis}` is inside a parallel loop whose iterations are unordered; bind that to `group` first"
            )),
            _ => Ok(()),
        }
    }
}

fn find<'k>(block: &'k [Stmt], axis: &Symbol, around: Around) -> Option<(Around, &'k Stmt)> {
    block.iter().find_map(|stmt| {
        if stmt.counted().any(|counted| counted.symbol == *axis) {
            return Some((around, stmt));
        }
        let inner = around.inside(stmt);
        stmt.blocks().find_map(|block| find(block, axis, inner))
    })
}

/// The buffers made outside a statement that it accesses.
#[derive(Default)]
pub(super) struct Touched {
    reads: HashSet<BufferId>,
    writes: HashSet<BufferId>,
}

impl Touched {
    pub fn by(stmt: &Stmt) -> Touched {
        let mut touched = Touched::default();
        let mut made = HashSet::new();
        each_cell(&mut stmt.clone(), &mut |cell, writes| {
            let set = if writes { &mut touched.writes } else { &mut touched.reads };
            set.insert(cell.buffer);
        });
        for_each_stmt(std::slice::from_ref(stmt), &mut |stmt| {
            if let Stmt::Array(array) = stmt {
                made.insert(*array);
            }
        });
        touched.reads.retain(|buffer| !made.contains(buffer));
        touched.writes.retain(|buffer| !made.contains(buffer));
        touched
    }

    pub fn writes(&self, buffer: BufferId) -> bool {
        self.writes.contains(&buffer)
    }

    /// Returns the buffers that it writes.
    pub fn written(&self) -> impl Iterator<Item = BufferId> {
        self.writes.iter().copied()
    }

    fn all(&self) -> impl Iterator<Item = BufferId> {
        self.reads.union(&self.writes).copied()
    }
}

/// Returns whether a statement, or anything inside it, has a property.
pub(super) fn has(stmt: &Stmt, mut is: impl FnMut(&Stmt) -> bool) -> bool {
    let mut found = false;
    for_each_stmt(std::slice::from_ref(stmt), &mut |stmt| found |= is(stmt));
    found
}

/// Returns whether all lanes of a group have to arrive at a statement.
pub(super) fn meets(stmt: &Stmt) -> bool {
    let waits = |tile: &Tile| matches!(tile, Tile::Copy { slot: Some(_), .. } | Tile::Wait { .. });
    matches!(stmt, Stmt::Barrier) || matches!(stmt, Stmt::Tile(tile) if waits(tile))
}

/// Returns whether a loop is spread over lanes or subgroups.
pub(super) fn is_spread(stmt: &Stmt) -> bool {
    stmt.counted().any(|axis| axis.level.is_worker())
}

impl Scheduled {
    /// Returns the loop of an axis, and what runs it.
    pub fn found(&self, axis: &Symbol) -> Done<(Around, &Stmt)> {
        let found = find(&self.kernel.body, axis, Around::default());
        found.ok_or_else(|| format!("no loop has an axis `{axis}`"))
    }

    /// Returns whether lanes see what others wrote to a buffer: the memory of a group, or memory of the whole machine that is also read.
    fn is_shared(&self, buffer: BufferId) -> bool {
        matches!(self.kernel.buffers[buffer.index()].place, Place::InOut | Place::Local(Space::Group))
    }

    /// Returns whether a statement needs barriers around it if its iterations are spread over a group.
    pub fn needs_barriers(&self, touched: &Touched) -> bool {
        touched.all().any(|buffer| self.is_shared(buffer))
    }

    /// Refuses to spread a loop over lanes if it writes registers that others read, or reads registers that others wrote.
    pub fn keeps_registers(&self, touched: &Touched) -> Done {
        let mut of_workers = HashSet::new();
        for_each_stmt(&self.kernel.body, &mut |stmt| {
            if is_spread(stmt) {
                of_workers.extend(Touched::by(stmt).writes);
            }
        });
        let held = |buffer: &BufferId| {
            let place = self.kernel.buffers[buffer.index()].place;
            matches!(place, Place::Local(Space::Lane | Space::Subgroup))
        };
        let mut moved = touched.all().filter(held);
        match moved.find(|buffer| touched.writes(*buffer) || of_workers.contains(buffer)) {
            None => Ok(()),
            Some(array) => {
                let name = &self.kernel.buffers[array.index()].name;
                Err(format!(
                    "`{name}` is held by lanes, and others may have written it; place it in `group` first"
                ))
            }
        }
    }
}

/// Returns a statement between barriers.
pub(super) fn between_barriers(stmt: Stmt) -> Block {
    vec![Stmt::Barrier, stmt, Stmt::Barrier]
}

/// Drops barriers that directly follow another one.
pub(super) fn merge_barriers(kernel: &mut Kernel) {
    fn merge(block: &mut Block) {
        block.dedup_by(|a, b| matches!((a, b), (Stmt::Barrier, Stmt::Barrier)));
        block.iter_mut().flat_map(Stmt::blocks_mut).for_each(merge);
    }
    merge(&mut kernel.body);
}
