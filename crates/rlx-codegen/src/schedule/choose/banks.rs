//! Chooses the order of a tile in group memory that causes the fewest bank conflicts.
//!
//! Conflicts are counted for one subgroup, whose lanes all access the tile at the same time. Instructions access tiles
//! by their layouts.

use crate::kernel::{Axis, Block, Cell, Definition, Kernel, Level, Place, Space, Stmt};
use crate::schedule::Step;
use crate::swizzle::{Banks, Swizzle};
use crate::tile::Tile;
use crate::tile::instr::InstrRow;
use rlx_ir::{Bindings, Dim, Symbol, Symbols};

/// The value that is assumed for an unknown size.
const UNKNOWN: u64 = 16;
/// The maximum number of bits. More bits would not distinguish more banks.
const BITS: u32 = 5;

/// The memory of a group.
const GROUP: Place = Place::Local(Space::Group);

/// An access to an array.
struct Site {
    array: usize,
    /// How often each lane executes it.
    times: u64,
    /// The positions of the elements that the lanes of a subgroup access at the same time, for some of the executions.
    places: Vec<Vec<usize>>,
}

/// The loops around a statement in a group.
#[derive(Clone, Default)]
struct Around<'k> {
    lanes: Vec<&'k Axis>,
    others: Vec<&'k Axis>,
}

/// Returns the best orders of tiles for a machine with these banks and subgroups of `subgroup` lanes.
pub(crate) fn swizzles(kernel: &Kernel, banks: Banks, subgroup: u32) -> Vec<Step> {
    let mut sites = Sites { kernel, subgroup: subgroup as usize, found: Vec::new() };
    sites.block(&kernel.body, &Around::default());
    let arrays = kernel.buffers.iter().enumerate();
    let steps = arrays.filter_map(|(number, buffer)| {
        let elements = Dim::product(buffer.extents.iter().cloned()).as_static()?;
        let size = buffer.dtype.size();
        let sites: Vec<&Site> = sites.found.iter().filter(|site| site.array == number).collect();
        let conflicts = |order: Option<Swizzle>| {
            let bytes = |&place: &usize| (order.map_or(place, |order| order.place(place)) * size) as u64;
            let at_once = |places: &Vec<usize>| {
                banks.conflicts(&places.iter().map(bytes).collect::<Vec<u64>>(), size as u64)
            };
            let of = |site: &&Site| {
                site.times * site.places.iter().map(at_once).sum::<u64>() / site.places.len().max(1) as u64
            };
            sites.iter().map(of).sum::<u64>()
        };
        let plain = conflicts(None);
        let best = candidates(elements).map(|order| (conflicts(Some(order)), order)).min()?;
        (best.0 < plain).then(|| Step::Swizzle { array: buffer.name.clone(), order: best.1 })
    });
    steps.collect()
}

/// Returns the possible orders for this number of elements.
fn candidates(elements: usize) -> impl Iterator<Item = Swizzle> {
    let high = elements.checked_ilog2().unwrap_or(0);
    let all = (1..=BITS).flat_map(move |bits| {
        (0..=BITS).flat_map(move |to| (to + bits..high).map(move |from| Swizzle { bits, from, to }))
    });
    all.filter(move |order| order.problem(Some(elements)).is_none())
}

struct Sites<'k> {
    kernel: &'k Kernel,
    subgroup: usize,
    found: Vec<Site>,
}

impl<'k> Sites<'k> {
    fn block(&mut self, block: &'k Block, around: &Around<'k>) {
        for stmt in block {
            match stmt {
                Stmt::Let { value: Definition::Load { cell, .. }, .. } | Stmt::Store { cell, .. } => {
                    self.cell(cell, around);
                }
                Stmt::Tile(tile) => self.tile(tile, around),
                Stmt::Par { body, .. } | Stmt::For { body, .. } | Stmt::Reduce { body, .. } => {
                    self.block(body, &inside(around, stmt.axes()));
                }
                Stmt::While { .. } | Stmt::If { .. } => {
                    stmt.blocks().for_each(|inner| self.block(inner, around));
                }
                Stmt::Let { .. } | Stmt::Name { .. } | Stmt::Array(_) | Stmt::Barrier => {}
            }
        }
    }

    fn tile(&mut self, tile: &'k Tile, around: &Around<'k>) {
        let inner = inside(around, tile.axes());
        match tile {
            Tile::Copy { .. } | Tile::Dot { .. } => {
                tile.cells().iter().for_each(|cell| self.cell(cell, &inner))
            }
            Tile::Instr { row, operands } => {
                let Some(row) = InstrRow::of(row) else { return };
                let in_group = |cell: &Cell| self.kernel.buffers[cell.buffer.index()].place == GROUP;
                let operands = operands.iter().zip(&row.layouts).filter(|(cell, _)| in_group(cell));
                for (cell, layout) in operands.collect::<Vec<_>>() {
                    let Ok(element) = layout.element() else { continue };
                    let at_register = |register: u32| -> Option<Vec<usize>> {
                        let lanes = (0..row.lanes).map(|lane| {
                            let numbers = [("l", lane), ("r", register)];
                            let known = numbers.map(|(name, number)| (Symbol::new(name), number as usize));
                            let bindings: Bindings = known.into_iter().collect();
                            self.placed(cell, &element, &bindings)
                        });
                        lanes.collect()
                    };
                    let places: Vec<Vec<usize>> = (0..layout.registers).filter_map(at_register).collect();
                    self.found.push(Site {
                        array: cell.buffer.index(),
                        times: times(&inner) * u64::from(layout.registers),
                        places,
                    });
                }
            }
            Tile::Wait { .. } => {}
        }
    }

    fn cell(&mut self, cell: &Cell, around: &Around<'k>) {
        let array = cell.buffer.index();
        if self.kernel.buffers[array].place != GROUP || around.lanes.is_empty() {
            return;
        }
        let moved = std::iter::once(None).chain(around.others.iter().copied().map(Some));
        let places = moved.map(|moved| self.touched(cell, &around.lanes, moved)).collect();
        self.found.push(Site { array, times: times(around), places });
    }

    /// Returns the positions that the lanes of the first subgroup access if one of the other axes is at 1 and the rest are at 0.
    fn touched(&self, cell: &Cell, lanes: &[&Axis], moved: Option<&Axis>) -> Vec<usize> {
        let of_lane = |lane: usize| {
            let (mut rest, mut bindings) = (lane, Bindings::new());
            for axis in lanes.iter().rev() {
                let extent = axis.extent.as_static().filter(|&extent| extent > 0)?;
                bindings.insert(axis.symbol.clone(), rest % extent);
                rest /= extent;
            }
            bindings.extend(moved.map(|axis| (axis.symbol.clone(), 1)));
            (rest == 0).then(|| self.placed(cell, &[], &bindings)).flatten()
        };
        (0..self.subgroup).filter_map(of_lane).collect()
    }

    /// Returns the position of an element, or of the one that is `behind` further along the last axes, with all other
    /// symbols at 0. Returns `None` if it does not exist.
    fn placed(&self, cell: &Cell, behind: &[Dim], bindings: &Bindings) -> Option<usize> {
        let extents = &self.kernel.buffers[cell.buffer.index()].extents;
        let value = |dim: &Dim| {
            let (mut symbols, mut all) = (Symbols::default(), bindings.clone());
            dim.symbols(&mut symbols);
            symbols.into_vec().into_iter().for_each(|symbol| {
                all.entry(symbol).or_insert(0);
            });
            dim.eval(&all).ok()
        };
        let first = cell.at.len().checked_sub(behind.len())?;
        let mut place = 0;
        for (number, (at, extent)) in cell.at.iter().zip(extents).enumerate() {
            let behind = number.checked_sub(first).and_then(|number| behind.get(number));
            let index = value(at)? + behind.map_or(Some(0), value)?;
            let extent = extent.as_static()?;
            place = (index < extent).then(|| place * extent + index)?;
        }
        Some(place)
    }
}

fn inside<'k>(around: &Around<'k>, axes: impl IntoIterator<Item = &'k Axis>) -> Around<'k> {
    let mut inner = around.clone();
    for axis in axes {
        match axis.level {
            Level::Lane => inner.lanes.push(axis),
            Level::Group => {}
            _ => inner.others.push(axis),
        }
    }
    inner
}

/// Returns how often code inside these loops runs.
fn times(around: &Around<'_>) -> u64 {
    let runs = around.others.iter().map(|axis| axis.extent.as_static().map_or(UNKNOWN, |n| n as u64));
    runs.fold(1, u64::saturating_mul)
}
