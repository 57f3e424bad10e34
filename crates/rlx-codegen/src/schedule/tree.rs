//! `tree`: reduces over the lanes of a group, and merges their states as a tree through memory of the group.
//!
//! *Obligation*: the combiner is a monoid, as for `parts`. Neighbors are merged in order, so it need not commute if
//! each lane has a run of indices. If it is known to commute, lanes take turns, so that neighboring lanes read
//! neighboring elements.

use super::commute::commutes;
use super::groups::{Touched, has, is_spread, meets};
use super::initial::Levels;
use super::rename::{Renaming, free_name};
use super::text::{StepField, after_arrow};
use super::{Done, Scheduled};
use crate::kernel::{
    Axis, Block, BufferId, Cell, Combiner, Definition, Guard, Level, Place, ScalarId, Space, Stmt,
};
use rlx_ir::text::Parser;
use rlx_ir::{Dim, ParseError, Symbol};

/// A reduction over lanes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tree {
    /// The first axis of the reduction.
    pub axis: Symbol,
    /// The number of lanes.
    pub lanes: u32,
    /// The axes of lanes, and of the indices of a lane.
    pub into: [Symbol; 2],
}

impl StepField for Tree {
    type Arg<'a> = &'a Tree;

    fn arg(&self) -> &Tree {
        self
    }

    fn text(&self) -> String {
        format!("{} {} -> {}", self.axis.text(), self.lanes, self.into.text())
    }

    fn parse(p: &mut Parser<'_>) -> Result<Tree, ParseError> {
        Ok(Tree { axis: StepField::parse(p)?, lanes: StepField::parse(p)?, into: after_arrow(p)? })
    }
}

/// More lanes than any machine has in a group.
const MOST: u32 = 1024;

impl Scheduled {
    pub fn tree(&mut self, Tree { axis, lanes, into: [lane, inside] }: &Tree) -> Done {
        if *lanes == 0 || *lanes > MOST {
            return Err(format!("a group has 1 to {MOST} lanes, not {lanes}"));
        }
        self.name(&[lane.clone(), inside.clone()])?;
        let (around, stmt) = self.found(axis)?;
        let registers = self.keeps_registers(&Touched::by(stmt));
        self.change(axis, |s, stmt, place| {
            let Stmt::Reduce { mut axes, combiner, mut body, elements, results } = stmt else {
                return Err(format!("`{axis}` is not an axis of a reduction"));
            };
            if place != 0 {
                return Err(format!("`{axis}` is not its reduction's first axis; only that can be spread"));
            }
            around.uniform(axis)?;
            registers.clone()?;
            if body.iter().any(|stmt| has(stmt, |stmt| meets(stmt) || is_spread(stmt))) {
                return Err(format!("the reduction over `{axis}` is already partly spread over lanes"));
            }
            let whole = axes[0].extent.clone();
            let (number, at) = (Dim::Static(*lanes as usize), Dim::Dynamic(lane.clone()));
            let turns = axes.len() == 1 && commutes(&s.kernel, &combiner);
            let (first, step, extent) = match turns {
                true => (at.clone(), number.clone(), rounded_up(&(&whole - &at), &number)),
                false => {
                    let run = rounded_up(&whole, &number);
                    let first = &at * &run;
                    let left = (&whole - &first).larger(&Dim::Static(0));
                    let extent = &(&run + &left) - &run.larger(&left);
                    (first, Dim::Static(1), extent)
                }
            };
            let index = &first + &(&Dim::Dynamic(inside.clone()) * &step);
            s.substitute(&Renaming::symbol(axis, index), &mut body);
            axes[0] = Axis::new(inside.clone(), extent);
            let is_once = combiner.once;
            let Levels { before: mut block, one: combiner, all } = s.levels(&combiner, &elements)?;
            let merge = combiner.clone();
            let states = s.alike(&combiner.identity);
            let one = Stmt::Reduce { axes, combiner, body, elements, results: states.clone() };
            let arrays: Vec<BufferId> = states
                .iter()
                .map(|&state| {
                    let (name, dtype) = (free_name(&s.kernel, "states"), s.kernel.dtype(state));
                    s.kernel.buffer(name, dtype, vec![number.clone()], Place::Local(Space::Group))
                })
                .collect();
            block.extend(arrays.iter().map(|&array| Stmt::Array(array)));
            block.push(Stmt::Barrier);
            let body = std::iter::once(one).chain(stores(&arrays, &at, &states)).collect();
            block.push(spread(lane.clone(), number, body));
            let mut apart = 1;
            while apart < *lanes as usize {
                block.push(Stmt::Barrier);
                block.push(s.merged_pairs(lane, &arrays, &merge, (apart, *lanes as usize)));
                apart *= 2;
            }
            block.push(Stmt::Barrier);
            let merged = if is_once { s.alike(&states) } else { results.clone() };
            for (&array, &scalar) in arrays.iter().zip(&merged) {
                block.push(load(array, Dim::Static(0), scalar));
            }
            block.push(Stmt::Barrier);
            if is_once {
                block.extend(s.joined(all.step, &all.identity, &merged, &results));
            }
            Ok(block)
        })
    }

    /// Returns a loop over lanes, each of which merges its state with that of the lane `apart` further on.
    fn merged_pairs(
        &mut self,
        lane: &Symbol,
        arrays: &[BufferId],
        combiner: &Combiner,
        (apart, lanes): (usize, usize),
    ) -> Stmt {
        let symbol = self.fresh.like(lane);
        let first = &Dim::Dynamic(symbol.clone()) * &Dim::Static(2 * apart);
        let merge = self.fresh.function(&mut self.kernel, &combiner.merge);
        let second = first.offset(apart as i64);
        let cells = arrays.iter().map(|&array| (array, first.clone()));
        let cells = cells.chain(arrays.iter().map(|&array| (array, second.clone())));
        let mut body: Block =
            merge.params.iter().zip(cells).map(|(&param, (array, at))| load(array, at, param)).collect();
        body.extend(merge.body);
        body.extend(stores(arrays, &first, &merge.results));
        // Those whose neighbor exists.
        let pairs = (lanes - apart).div_ceil(2 * apart);
        spread(symbol, Dim::Static(pairs), body)
    }
}

fn rounded_up(of: &Dim, by: &Dim) -> Dim {
    (of + by).offset(-1).floor_div(by)
}

fn spread(lane: Symbol, lanes: Dim, body: Block) -> Stmt {
    Stmt::Par { axes: vec![Axis { symbol: lane, extent: lanes, level: Level::Lane }], body }
}

fn load(buffer: BufferId, at: Dim, scalar: ScalarId) -> Stmt {
    let cell = Cell { buffer, at: vec![at] };
    Stmt::Let { scalar, value: Definition::Load { cell, guard: Guard::default(), fill: None } }
}

fn stores<'a>(
    arrays: &'a [BufferId],
    at: &'a Dim,
    scalars: &'a [ScalarId],
) -> impl Iterator<Item = Stmt> + use<'a> {
    arrays.iter().zip(scalars).map(move |(&buffer, &scalar)| Stmt::Store {
        cell: Cell { buffer, at: vec![at.clone()] },
        guard: Guard::default(),
        scalar,
    })
}
