//! `stage`: copies what a loop reads of an input into a local array before the loop.
//!
//! *Obligation*: reads see what was written, and nothing stale. Nothing writes an input. Along each axis of the input,
//! the region is the range in which the loop's own axes move an index, if all reads move from the same start and by a
//! known number; otherwise it is the whole axis. Elements outside the input are 0 in the array, and are never read. An
//! array for a group is filled by its lanes, between barriers.

use super::find::for_each_of;
use super::groups::merge_barriers;
use super::parts::symbols;
use super::{Done, Scheduled};
use crate::kernel::{Axis, Block, BufferId, Cell, Definition, Guard, Level, Place, ScalarId, Space, Stmt};
use crate::range::Ranges;
use crate::tile::Tile;
use crate::visit::defined_symbols;
use rlx_ir::{Dim, Scalar, Symbol};
use std::collections::HashSet;

/// Where a region begins along an axis, and its length.
struct Region {
    first: Dim,
    extent: Dim,
}

impl Scheduled {
    pub fn stage(&mut self, input: &str, axis: &Symbol, lanes: Option<u32>, into: &str) -> Done {
        let Some(source) = self.kernel.buffers.iter().position(|b| b.name == input && b.place == Place::In)
        else {
            return Err(format!("`{input}` is not an input of the kernel"));
        };
        if self.kernel.buffers.iter().any(|b| b.name == into) {
            return Err(format!("the name `{into}` is taken; give the array another name"));
        }
        let source = BufferId::new(source as u32);
        super::find::by_elements(&self.kernel.body, source, input)?;
        let mut ranges = self.ranges();
        let (around, _) = self.found(axis)?;
        self.change(axis, |s, mut stmt, _| {
            let mut reads: Vec<Vec<Dim>> = Vec::new();
            for_each_of(std::slice::from_mut(&mut stmt), source, &mut |cell| reads.push(cell.at.clone()));
            if reads.is_empty() {
                return Err(format!("the loop of `{axis}` reads nothing of `{input}`"));
            }
            let inner: HashSet<Symbol> = defined_symbols(std::slice::from_ref(&stmt)).into_iter().collect();
            let extents = s.kernel.buffers[source.index()].extents.clone();
            let regions: Vec<Region> = (0..extents.len())
                .map(|axis| {
                    let reads = reads.iter().map(|at| &at[axis]);
                    moved(reads, &inner, &ranges)
                        .unwrap_or_else(|| Region { first: Dim::Static(0), extent: extents[axis].clone() })
                })
                .collect();
            let dtype = s.kernel.buffers[source.index()].dtype;
            let sizes = regions.iter().map(|region| region.extent.clone()).collect();
            let space = if lanes.is_some() { Space::Group } else { Space::Lane };
            let array = s.kernel.buffer(into, dtype, sizes, Place::Local(space));
            let mut block = vec![Stmt::Array(array)];
            match lanes {
                None => block.push(s.copy_region(source, array, &regions, &mut ranges)),
                Some(0) => return Err("a group needs at least one lane".into()),
                Some(lanes) => {
                    around.uniform(axis)?;
                    block.extend(s.copy_by_lanes(source, array, &regions, (lanes, &mut ranges)));
                    block.push(Stmt::Barrier);
                }
            }
            for_each_of(std::slice::from_mut(&mut stmt), source, &mut |cell| {
                cell.buffer = array;
                cell.at.iter_mut().zip(&regions).for_each(|(at, region)| *at = &*at - &region.first);
            });
            block.push(stmt);
            block.extend(lanes.map(|_| Stmt::Barrier));
            Ok(block)
        })?;
        merge_barriers(&mut self.kernel);
        Ok(())
    }

    /// Fills the array in parallel by lanes, one element after another.
    fn copy_by_lanes(
        &mut self,
        source: BufferId,
        array: BufferId,
        regions: &[Region],
        (lanes, ranges): (u32, &mut Ranges),
    ) -> Block {
        let [lane, turn] = ["lane", "turn"].map(|name| self.fresh.like(&Symbol::new(name)));
        let (by, all) = (Dim::Static(lanes as usize), Dim::product(regions.iter().map(|r| r.extent.clone())));
        let turns = (&all + &by).offset(-1).floor_div(&by);
        let axes =
            vec![Axis { symbol: lane, extent: by.clone(), level: Level::Lane }, Axis::new(turn, turns)];
        axes.iter().for_each(|axis| ranges.count(&axis.symbol, &axis.extent));
        let [lane, turn] = [0, 1].map(|place: usize| Dim::Dynamic(axes[place].symbol.clone()));
        let element = &(&turn * &by) + &lane;
        let mut within = Guard(vec![(&all - &element).offset(-1)]);
        within.0.retain(|condition| !ranges.never_negative(condition));
        let mut rest = element.clone();
        let mut to = Vec::new();
        for region in regions.iter().rev() {
            let quotient = rest.floor_div(&region.extent);
            to.insert(0, &rest - &(&quotient * &region.extent));
            rest = quotient;
        }
        // There is no element after the last.
        if let (Some(first), [_, others @ ..]) = (to.first_mut(), regions) {
            let behind = Dim::product(others.iter().map(|r| r.extent.clone()));
            *first = element.floor_div(&behind);
        }
        let (guard, block, fill) = self.outside(source, &to, regions, ranges);
        let from = regions.iter().zip(&to).map(|(region, at)| &region.first + at).collect();
        let (to, from) = (Cell { buffer: array, at: to }, Cell { buffer: source, at: from });
        let copy = Tile::Copy { axes, within, to, from, guard, fill, slot: None };
        [block, vec![Stmt::Tile(Box::new(copy))]].concat()
    }

    /// Returns the condition under which a region is inside the input, and the value elsewhere: 0, which the block defines.
    fn outside(
        &mut self,
        source: BufferId,
        at: &[Dim],
        regions: &[Region],
        ranges: &Ranges,
    ) -> (Guard, Block, Option<ScalarId>) {
        let buffer = &self.kernel.buffers[source.index()];
        let mut guard = Guard::default();
        for ((region, at), extent) in regions.iter().zip(at).zip(&buffer.extents) {
            if region.extent != *extent || region.first != Dim::Static(0) {
                guard = guard.and(Guard::inside(&(&region.first + at), extent));
            }
        }
        guard.0.retain(|condition| !ranges.never_negative(condition));
        let (dtype, mut block) = (buffer.dtype, Block::new());
        let fill = (!guard.is_empty()).then(|| {
            let zero = self.kernel.scalar(dtype);
            let value = Definition::Constant(Scalar::Int(0).convert(dtype));
            block.push(Stmt::Let { scalar: zero, value });
            zero
        });
        (guard, block, fill)
    }

    /// Fills the array.
    fn copy_region(
        &mut self,
        source: BufferId,
        array: BufferId,
        regions: &[Region],
        ranges: &mut Ranges,
    ) -> Stmt {
        let name = Symbol::new("copy");
        let axes: Vec<Axis> =
            regions.iter().map(|region| Axis::new(self.fresh.like(&name), region.extent.clone())).collect();
        axes.iter().for_each(|axis| ranges.count(&axis.symbol, &axis.extent));
        let to: Vec<Dim> = axes.iter().map(|axis| Dim::Dynamic(axis.symbol.clone())).collect();
        let from: Vec<Dim> = regions.iter().zip(&to).map(|(region, at)| &region.first + at).collect();
        let (guard, mut body, fill) = self.outside(source, &to, regions, ranges);
        let scalar = self.kernel.scalar(self.kernel.buffers[source.index()].dtype);
        let value = Definition::Load { cell: Cell { buffer: source, at: from }, guard, fill };
        body.push(Stmt::Let { scalar, value });
        let cell = Cell { buffer: array, at: to };
        body.push(Stmt::Store { cell, guard: Guard::default(), scalar });
        Stmt::Par { axes, body }
    }
}

/// Returns the region of indices that are the sum of an expression of outer symbols, the same for all, and one of inner
/// symbols, which ranges from 0 to a number.
fn moved<'a>(
    reads: impl Iterator<Item = &'a Dim>,
    inner: &HashSet<Symbol>,
    ranges: &Ranges,
) -> Option<Region> {
    let mut region: Option<(Dim, usize)> = None;
    for index in reads {
        let zero = |s: &Symbol| if inner.contains(s) { Dim::Static(0) } else { Dim::Dynamic(s.clone()) };
        let first = index.substitute(&zero);
        let offset = index - &first;
        let range = ranges.of(&offset);
        let inside = range.low? >= 0 && symbols(&offset).iter().all(|s| inner.contains(s));
        let extent = usize::try_from(range.high?).ok()?.checked_add(1)?;
        let longest = region.as_ref().map_or(0, |region| region.1);
        if !inside || region.is_some_and(|region| region.0 != first) {
            return None;
        }
        region = Some((first, extent.max(longest)));
    }
    region.map(|(first, extent)| Region { first, extent: Dim::Static(extent) })
}
