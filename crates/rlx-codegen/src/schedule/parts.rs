//! `parts`: reduces runs of indices in parallel, and merges their states in order.
//!
//! *Obligation*: the combiner is a monoid: `merge` is associative, and the identity is the state of no elements. An
//! initial value counts once, before the first element (`initial.rs`). Parts are runs of the first axis and are merged
//! in order, so the combiner need not commute. Integer results are identical to the bit; floats are summed in another
//! order.

use super::initial::Levels;
use super::rename::{Renaming, free_name};
use super::text::{StepField, after_arrow};
use super::{Done, Scheduled};
use crate::kernel::{Axis, Block, BufferId, Cell, Combiner, Definition, Guard, Place, ScalarId, Space, Stmt};
use crate::range::Ranges;
use rlx_ir::text::Parser;
use rlx_ir::{Dim, ParseError, Symbol};
use std::fmt::{self, Display, Formatter};

/// The parts of a reduction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Partition {
    /// The first axis of the reduction. For `chains` it may be any axis.
    pub axis: Symbol,
    /// The number of indices in a part.
    pub by: u32,
    /// The axes of parts, and of indices in a part.
    pub into: [Symbol; 2],
}

impl Display for Partition {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} -> {}", self.axis.text(), self.by, self.into.text())
    }
}

impl StepField for Partition {
    type Arg<'a> = &'a Partition;

    fn arg(&self) -> &Partition {
        self
    }

    fn text(&self) -> String {
        self.to_string()
    }

    fn parse(p: &mut Parser<'_>) -> Result<Partition, ParseError> {
        Ok(Partition { axis: StepField::parse(p)?, by: StepField::parse(p)?, into: after_arrow(p)? })
    }
}

/// A reduction whose first axis is split: the number of parts, and the reduction of one of them.
pub(super) struct Parted {
    /// The constants of both reductions.
    pub before: Block,
    pub parts: Axis,
    pub one: Stmt,
    /// The states of a part.
    pub states: Vec<ScalarId>,
    /// The combiner that merges states.
    pub merge: Combiner,
    /// The results of all parts together.
    pub results: Vec<ScalarId>,
}

impl Scheduled {
    pub fn parts(&mut self, partition: &Partition) -> Done {
        self.name(&partition.into)?;
        let ranges = self.ranges();
        self.change(&partition.axis, |s, stmt, place| {
            let parted = s.parted(stmt, place, partition, &ranges)?;
            Ok(s.side_by_side(parted))
        })
    }

    /// Reduces parts in parallel, and merges their states.
    pub fn side_by_side(&mut self, parted: Parted) -> Block {
        let (mut block, mut body) = (parted.before, vec![parted.one]);
        let part = Dim::Dynamic(parted.parts.symbol.clone());
        let arrays: Vec<BufferId> = (parted.states.iter())
            .map(|&state| {
                let (name, dtype) = (free_name(&self.kernel, "parts"), self.kernel.dtype(state));
                self.kernel.buffer(name, dtype, vec![parted.parts.extent.clone()], Place::Local(Space::Lane))
            })
            .collect();
        for (&buffer, &scalar) in arrays.iter().zip(&parted.states) {
            block.push(Stmt::Array(buffer));
            let cell = Cell { buffer, at: vec![part.clone()] };
            body.push(Stmt::Store { cell, guard: Guard::default(), scalar });
        }
        block.push(Stmt::Par { axes: vec![parted.parts.clone()], body });
        let axis = Axis::new(self.fresh.like(&parted.parts.symbol), parted.parts.extent);
        let cells = arrays.into_iter().map(|buffer| (buffer, Vec::new())).collect();
        block.push(self.merged(axis, cells, parted.merge, parted.results));
        block
    }

    /// Splits a reduction by its first axis.
    pub fn parted(
        &mut self,
        stmt: Stmt,
        place: usize,
        partition: &Partition,
        ranges: &Ranges,
    ) -> Done<Parted> {
        let axis = &partition.axis;
        let Stmt::Reduce { mut axes, combiner, mut body, elements, results } = stmt else {
            return Err(format!("`{axis}` is not an axis of a reduction"));
        };
        if place != 0 {
            return Err(format!(
                "`{axis}` is not the first axis of its reduction; only runs of the first axis can be parts"
            ));
        }
        if partition.by == 0 {
            return Err("a part needs at least one index".into());
        }
        let (parts, inside, index) = run(partition, &axes[0].extent, ranges);
        axes[0] = inside;
        self.substitute(&Renaming::symbol(axis, index), &mut body);
        self.partial(parts, Stmt::Reduce { axes, combiner, body, elements, results })
    }

    /// Makes a reduction return the state of a part, and returns what merges those states to its previous results.
    pub fn partial(&mut self, parts: Axis, reduction: Stmt) -> Done<Parted> {
        let Stmt::Reduce { axes, combiner, body, elements, results } = reduction else {
            return Err("only reductions can be divided into parts".into());
        };
        let Levels { before, one: combiner, all: merge } = self.levels(&combiner, &elements)?;
        let states = self.alike(&combiner.identity);
        let one = Stmt::Reduce { axes, combiner, body, elements, results: states.clone() };
        Ok(Parted { before, parts, one, states, merge, results })
    }

    /// Returns the reduction of states in memory, each at the given indices and that of its part.
    pub fn merged(
        &mut self,
        axis: Axis,
        cells: Vec<(BufferId, Vec<Dim>)>,
        combiner: Combiner,
        results: Vec<ScalarId>,
    ) -> Stmt {
        let (mut body, mut elements) = (Block::new(), Vec::new());
        for (buffer, mut at) in cells {
            at.push(Dim::Dynamic(axis.symbol.clone()));
            let scalar = self.kernel.scalar(self.kernel.buffers[buffer.index()].dtype);
            let value = Definition::Load { cell: Cell { buffer, at }, guard: Guard::default(), fill: None };
            body.push(Stmt::Let { scalar, value });
            elements.push(scalar);
        }
        Stmt::Reduce { axes: vec![axis], combiner, body, elements, results }
    }
}

/// Returns the axis that counts runs of an axis with this extent.
pub(super) fn runs_of(partition: &Partition, extent: &Dim) -> Axis {
    let by = Dim::Static(partition.by as usize);
    Axis::new(partition.into[0].clone(), (extent + &by).offset(-1).floor_div(&by))
}

/// Returns the axis that counts runs, the axis of the indices in one, and the index expressed by both.
pub(super) fn run(partition: &Partition, extent: &Dim, ranges: &Ranges) -> (Axis, Axis, Dim) {
    let (parts, by) = (runs_of(partition, extent), Dim::Static(partition.by as usize));
    let [part, inside] = &partition.into;
    let before = &Dim::Dynamic(part.clone()) * &by;
    let length = shorter(&by, &(extent - &before), &parts, ranges);
    (parts, Axis::new(inside.clone(), length), &before + &Dim::Dynamic(inside.clone()))
}

/// Returns the smaller of the length of a part and the remaining length.
fn shorter(by: &Dim, left: &Dim, parts: &Axis, ranges: &Ranges) -> Dim {
    let mut ranges = ranges.clone();
    ranges.count(&parts.symbol, &parts.extent);
    if ranges.never_negative(&(left - by)) {
        return by.clone();
    }
    &(by + left) - &by.larger(left)
}

/// Returns the symbols of an expression.
pub(super) fn symbols(dim: &Dim) -> Vec<Symbol> {
    let mut symbols = rlx_ir::Symbols::default();
    dim.symbols(&mut symbols);
    symbols.into_vec()
}
