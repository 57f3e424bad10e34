//! `place`: says which lanes hold a local array.
//!
//! *Obligation*: reads see what was written, and nothing stale. An array is put into the memory of a group before loops
//! over it are spread over lanes, so that each of them is between barriers. It can go back to lanes or subgroups if
//! every loop that accesses it gives each element to the same one: along one of the array's axes, and for each axis of
//! lanes, an index is the lane times a number plus less than that number.

use super::groups::is_spread;
use super::parts::symbols;
use super::{Done, Scheduled};
use crate::kernel::{Axis, Block, BufferId, Cell, Level, Place, Space, Stmt};
use crate::range::Ranges;
use crate::visit::{each_cell, for_each_stmt};
use rlx_ir::{Dim, Symbol};

/// For each of the lanes' axes: the axis of the array that it divides, the length of the runs, and the number of lanes.
type Owners = Vec<(usize, usize, Dim)>;

impl Scheduled {
    pub fn place(&mut self, array: &str, space: Space) -> Done {
        let is_array = |b: &crate::kernel::Buffer| b.name == array && !b.place.is_param();
        let Some(number) = self.kernel.buffers.iter().position(is_array) else {
            return Err(format!("the kernel makes no array `{array}`"));
        };
        let buffer = BufferId::new(number as u32);
        match space {
            Space::Group => self.made_around_workers(buffer)?,
            Space::Lane => self.held_by(buffer, Level::Lane)?,
            Space::Subgroup => {
                self.made_around_workers(buffer)?;
                self.held_by(buffer, Level::Subgroup)?;
            }
        }
        let buffer = &mut self.kernel.buffers[number];
        buffer.place = Place::Local(space);
        // Registers have no banks.
        buffer.swizzle = buffer.swizzle.filter(|_| space == Space::Group);
        Ok(())
    }

    /// Refuses an array that a part of a group makes, or whose loops are already spread over lanes.
    fn made_around_workers(&self, array: BufferId) -> Done {
        let name = &self.kernel.buffers[array.index()].name;
        let (mut inside, mut touched) = (false, false);
        for_each_stmt(&self.kernel.body, &mut |stmt| {
            if is_spread(stmt) {
                let made = |s: &Stmt| *s == Stmt::Array(array);
                inside |= super::groups::has(stmt, made);
                each_cell(&mut stmt.clone(), &mut |cell, _| touched |= cell.buffer == array);
            }
        });
        match (inside, touched) {
            (true, _) => Err(format!("`{name}` is made in a loop of lanes, each of which has its own")),
            (_, true) => Err(format!("loops over `{name}` are already spread over lanes; place it first")),
            _ => Ok(()),
        }
    }

    /// Refuses an array unless each element belongs to the same lane, or subgroup, everywhere.
    pub(super) fn held_by(&self, array: BufferId, level: Level) -> Done {
        let buffer = &self.kernel.buffers[array.index()];
        let refusal = |why: &str| Err(format!("`{}` cannot stay in registers: {why}", buffer.name));
        if buffer.place == Place::Local(Space::Lane) && level == Level::Lane {
            return Ok(());
        }
        let ranges = self.ranges();
        let mut owners: Option<Owners> = None;
        let mut problem = None;
        for_each_stmt(&self.kernel.body, &mut |stmt| {
            if !is_spread(stmt) {
                return;
            }
            let workers: Vec<&Axis> = stmt.counted().filter(|axis| axis.level.is_worker()).collect();
            each_cell(&mut stmt.clone(), &mut |cell, _| {
                if cell.buffer != array {
                    return;
                }
                let found = match workers.iter().all(|axis| axis.level == level) {
                    true => owners_of(cell, &workers, &ranges),
                    false => None,
                };
                match (&owners, found) {
                    (_, None) => problem = Some("a loop does not give each element to one of them"),
                    (Some(before), Some(now)) if *before != now => {
                        problem = Some("loops give an element to different ones");
                    }
                    (_, Some(now)) => owners = Some(now),
                }
            });
        });
        if let Some(why) = problem {
            return refusal(why);
        }
        let mut outside = false;
        for_each_outside(&mut self.kernel.body.clone(), &mut |cell| outside |= cell.buffer == array);
        match outside && owners.is_some() {
            true => refusal("all lanes together access it too"),
            false => Ok(()),
        }
    }
}

/// Calls `visit` with each access outside loops of lanes or subgroups, which all lanes make.
fn for_each_outside(block: &mut Block, visit: &mut dyn FnMut(&Cell)) {
    for stmt in block.iter_mut().filter(|stmt| !is_spread(stmt)) {
        if matches!(stmt, Stmt::Let { .. } | Stmt::Store { .. } | Stmt::Tile(_)) {
            each_cell(stmt, &mut |cell, _| visit(cell));
        }
        stmt.blocks_mut().for_each(|inner| for_each_outside(inner, visit));
    }
}

/// Returns which lane an element belongs to, by its indices.
fn owners_of(cell: &Cell, workers: &[&Axis], ranges: &Ranges) -> Option<Owners> {
    let owner = |worker: &&Axis| {
        let of = cell.at.iter().position(|index| symbols(index).contains(&worker.symbol))?;
        let index = &cell.at[of];
        let with = |value: usize| {
            let by =
                |s: &Symbol| if *s == worker.symbol { Dim::Static(value) } else { Dim::Dynamic(s.clone()) };
            index.substitute(&by)
        };
        let rest = with(0);
        let run = (&with(1) - &rest).as_static().filter(|run| *run > 0)?;
        let is_linear = *index == &rest + &(&Dim::Dynamic(worker.symbol.clone()) * &Dim::Static(run));
        let range = ranges.of(&rest);
        let fits = range.low? >= 0 && range.high? < i64::try_from(run).ok()?;
        (is_linear && fits).then(|| (of, run, worker.extent.clone()))
    };
    // A loop of one iteration has one owner.
    workers.iter().filter(|worker| worker.extent != Dim::Static(1)).map(owner).collect()
}
