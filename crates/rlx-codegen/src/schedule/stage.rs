//! `stage`: what a loop reads of an input, copied into a local array before it.
//!
//! *Obligation*: reads were written, and are not stale. Nothing writes an input. Along each axis of it the region is where the loop's
//! own axes move an index, if all reads move from the same place and by a known number; else it is the whole axis. What lies outside of
//! the input is 0 in the array, and is never read.

use super::find::for_each_load;
use super::parts::symbols;
use super::rename::defined_symbols;
use super::{Done, Scheduled};
use crate::kernel::{Axis, Block, BufferId, Cell, Definition, Guard, Place, Stmt};
use crate::range::Ranges;
use rlx_ir::{Dim, Scalar, Symbol};
use std::collections::HashSet;

/// Where a region begins along an axis, and how long it is.
struct Region {
    first: Dim,
    extent: Dim,
}

impl Scheduled {
    pub fn stage(&mut self, input: &str, axis: &Symbol, into: &str) -> Done {
        let Some(source) = self.kernel.buffers.iter().position(|b| b.name == input && b.place == Place::In)
        else {
            return Err(format!("`{input}` is no input of the kernel"));
        };
        if self.kernel.buffers.iter().any(|b| b.name == into) {
            return Err(format!("the name `{into}` is taken; give the array another one"));
        }
        let source = BufferId::new(source as u32);
        let mut ranges = self.ranges();
        self.change(axis, |s, mut stmt, _| {
            let mut reads: Vec<Vec<Dim>> = Vec::new();
            for_each_load(std::slice::from_mut(&mut stmt), source, &mut |cell| reads.push(cell.at.clone()));
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
            let array = s.kernel.buffer(into, dtype, sizes, Place::Local);
            let copy = s.copy_region(source, array, &regions, &mut ranges);
            for_each_load(std::slice::from_mut(&mut stmt), source, &mut |cell| {
                cell.buffer = array;
                cell.at.iter_mut().zip(&regions).for_each(|(at, region)| *at = &*at - &region.first);
            });
            Ok(vec![Stmt::Array(array), copy, stmt])
        })
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
        let buffer = &self.kernel.buffers[source.index()];
        let mut guard = Guard::default();
        for ((index, extent), region) in from.iter().zip(&buffer.extents).zip(regions) {
            if region.extent != *extent || region.first != Dim::Static(0) {
                guard = guard.and(Guard::inside(index, extent));
            }
        }
        guard.0.retain(|condition| !ranges.never_negative(condition));
        let dtype = buffer.dtype;
        let mut body = Block::new();
        let fill = (!guard.is_empty()).then(|| {
            let zero = self.kernel.scalar(dtype);
            let value = Definition::Constant(Scalar::Int(0).convert(dtype));
            body.push(Stmt::Let { scalar: zero, value });
            zero
        });
        let scalar = self.kernel.scalar(dtype);
        let value = Definition::Load { cell: Cell { buffer: source, at: from }, guard, fill };
        body.push(Stmt::Let { scalar, value });
        let cell = Cell { buffer: array, at: to };
        body.push(Stmt::Store { cell, guard: Guard::default(), scalar });
        Stmt::Par { axes, body }
    }
}

/// The region of indices that are one expression of symbols outside, the same for all, plus one of symbols inside, from 0 to a number.
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
