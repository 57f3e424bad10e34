//! `place`: says which lanes hold a local array.
//!
//! *Obligation*: reads were written, and are not stale. An array is put into the memory of a group before loops over it are spread over
//! lanes; so each of them stands between barriers. It goes back to lanes, or subgroups, where every loop that touches it gives each
//! element to the same one of them: an index along one of its axes is, for each lane's axis, the lane times a number plus less than that.

use super::find::{axes, blocks, each_cell};
use super::groups::is_spread;
use super::parts::symbols;
use super::{Done, Scheduled};
use crate::kernel::{Axis, Block, BufferId, Cell, Level, Place, Space, Stmt};
use crate::range::Ranges;
use crate::text::for_each_stmt;
use rlx_ir::{Dim, Symbol};

/// By which axis of an array, in runs of which length, each of the lanes' axes has elements, and how many lanes it counts.
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

    /// Refuses an array that a part of a group makes, or that was spread over its lanes.
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
            (_, true) => {
                Err(format!("loops over `{name}` are spread over lanes already; place it before they are"))
            }
            _ => Ok(()),
        }
    }

    /// Refuses an array whose elements are not each of the same lane, or subgroup, everywhere.
    pub(super) fn held_by(&self, array: BufferId, level: Level) -> Done {
        let buffer = &self.kernel.buffers[array.index()];
        let refusal = |why: &str| Err(format!("`{}` does not stay in registers: {why}", buffer.name));
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
            let workers: Vec<&Axis> = match stmt {
                Stmt::Tile(tile) => tile.axes().into_iter().filter(|axis| axis.level.is_worker()).collect(),
                _ => axes(stmt).iter().filter(|axis| axis.level.is_worker()).collect(),
            };
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
            true => refusal("what all lanes do touches it too"),
            false => Ok(()),
        }
    }
}

/// Calls `visit` with each access that stands in no loop of lanes or subgroups, so that all lanes make it.
fn for_each_outside(block: &mut Block, visit: &mut dyn FnMut(&Cell)) {
    for stmt in block.iter_mut().filter(|stmt| !is_spread(stmt)) {
        if matches!(stmt, Stmt::Let { .. } | Stmt::Store { .. } | Stmt::Tile(_)) {
            each_cell(stmt, &mut |cell, _| visit(cell));
        }
        blocks(stmt).into_iter().for_each(|inner| for_each_outside(inner, visit));
    }
}

/// Which lane an element is of, by its indices.
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
