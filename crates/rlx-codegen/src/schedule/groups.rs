//! Where loops are in a group and what they share with the rest of it, for steps that spread work over lanes.

use super::find::{axes, blocks, each_cell, place};
use super::{Done, Scheduled};
use crate::kernel::{Block, BufferId, Kernel, Level, Place, Space, Stmt};
use crate::text::for_each_stmt;
use crate::tile::Tile;
use rlx_ir::Symbol;
use std::collections::HashSet;

/// What runs a statement.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Around {
    /// A part of a group.
    pub worker: bool,
    /// A group.
    pub grouped: bool,
    /// An iteration of a parallel loop inside a group, or of a reduction.
    pub loose: bool,
}

impl Around {
    /// Inside a statement.
    fn inside(self, stmt: &Stmt) -> Around {
        let (Stmt::Par { axes, .. } | Stmt::Reduce { axes, .. }) = stmt else { return self };
        let groups = axes.iter().any(|axis| axis.level == Level::Group);
        Around {
            worker: self.worker || axes.iter().any(|axis| axis.level.is_worker()),
            grouped: self.grouped || groups,
            loose: !groups,
        }
    }

    /// Refuses a place where a barrier could not stand.
    pub fn uniform(self, axis: &Symbol) -> Done {
        match self {
            Around { worker: true, .. } => {
                Err(format!("`{axis}` is run by single lanes, which do not meet at barriers"))
            }
            Around { loose: true, .. } => Err(format!(
                "`{axis}` stands in a parallel loop whose iterations nobody orders; bind that to `group` before"
            )),
            _ => Ok(()),
        }
    }
}

fn find<'k>(block: &'k [Stmt], axis: &Symbol, around: Around) -> Option<(Around, &'k Stmt)> {
    block.iter().find_map(|stmt| {
        let counts = |tile: &Tile| tile.axes().iter().any(|counted| counted.symbol == *axis);
        if place(stmt, axis).is_some() || matches!(stmt, Stmt::Tile(tile) if counts(tile)) {
            return Some((around, stmt));
        }
        let inner = around.inside(stmt);
        match stmt {
            Stmt::Par { body, .. } | Stmt::For { body, .. } | Stmt::Reduce { body, .. } => {
                find(body, axis, inner)
            }
            Stmt::While { condition, body, .. } => {
                find(condition, axis, inner).or_else(|| find(body, axis, inner))
            }
            Stmt::If { then, otherwise, .. } => {
                find(then, axis, inner).or_else(|| find(otherwise, axis, inner))
            }
            Stmt::Let { .. }
            | Stmt::Name { .. }
            | Stmt::Array(_)
            | Stmt::Store { .. }
            | Stmt::Barrier
            | Stmt::Tile(_) => None,
        }
    })
}

/// What a statement touches that is made around it.
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

    /// What it writes.
    pub fn written(&self) -> impl Iterator<Item = BufferId> {
        self.writes.iter().copied()
    }

    fn all(&self) -> impl Iterator<Item = BufferId> {
        self.reads.union(&self.writes).copied()
    }
}

/// Whether anything in a statement, and itself, is of this kind.
pub(super) fn has(stmt: &Stmt, mut is: impl FnMut(&Stmt) -> bool) -> bool {
    let mut found = false;
    for_each_stmt(std::slice::from_ref(stmt), &mut |stmt| found |= is(stmt));
    found
}

/// Whether a statement is one that all lanes of a group arrive at.
pub(super) fn meets(stmt: &Stmt) -> bool {
    let waits = |tile: &Tile| matches!(tile, Tile::Copy { slot: Some(_), .. } | Tile::Wait { .. });
    matches!(stmt, Stmt::Barrier) || matches!(stmt, Stmt::Tile(tile) if waits(tile))
}

/// Whether a loop is spread over lanes or subgroups.
pub(super) fn is_spread(stmt: &Stmt) -> bool {
    let tile_axes = match stmt {
        Stmt::Tile(tile) => tile.axes(),
        _ => Vec::new(),
    };
    axes(stmt).iter().chain(tile_axes).any(|axis| axis.level.is_worker())
}

impl Scheduled {
    /// The loop of an axis, and what runs it.
    pub fn found(&self, axis: &Symbol) -> Done<(Around, &Stmt)> {
        let found = find(&self.kernel.body, axis, Around::default());
        found.ok_or_else(|| format!("no loop has an axis `{axis}`"))
    }

    /// Whether a buffer is memory of which lanes see what others wrote: that of a group, or of the whole machine, which is also read.
    fn is_shared(&self, buffer: BufferId) -> bool {
        matches!(self.kernel.buffers[buffer.index()].place, Place::InOut | Place::Local(Space::Group))
    }

    /// Whether a statement needs barriers around it where its iterations are spread over a group.
    pub fn needs_barriers(&self, touched: &Touched) -> bool {
        touched.all().any(|buffer| self.is_shared(buffer))
    }

    /// Refuses to spread a loop over lanes that writes registers which others read, or reads those that others wrote.
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
                    "`{name}` is held by lanes, and others may have written it; place it in `group` before"
                ))
            }
        }
    }
}

/// A statement between barriers.
pub(super) fn between_barriers(stmt: Stmt) -> Block {
    vec![Stmt::Barrier, stmt, Stmt::Barrier]
}

/// Drops barriers right behind others.
pub(super) fn merge_barriers(kernel: &mut Kernel) {
    fn merge(block: &mut Block) {
        block.dedup_by(|a, b| matches!((a, b), (Stmt::Barrier, Stmt::Barrier)));
        block.iter_mut().flat_map(blocks).for_each(merge);
    }
    merge(&mut kernel.body);
}
