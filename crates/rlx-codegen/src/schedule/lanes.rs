//! `lanes`: reduces every n-th index in parallel, and merges the states.
//!
//! *Obligation*: the combiner is a commutative monoid, because lanes are not runs of indices, unlike `parts`. It is
//! known to commute if its merge gives the same result in either order (`commute.rs`). Lanes have equal lengths; the
//! remaining indices are reduced separately, and merged last. Integer results are identical to the bit; floats are
//! summed in another order.

use super::commute::commutes;
use super::initial::Levels;
use super::parts::Parted;
use super::rename::Renaming;
use super::split::{Split, divides};
use super::{Done, Partition, Scheduled, Tail};
use crate::kernel::{Axis, Stmt};
use rlx_ir::Dim;

impl Scheduled {
    pub fn lanes(&mut self, Partition { axis, by, into: [round, lane] }: &Partition) -> Done {
        self.name(&[round.clone(), lane.clone()])?;
        self.change(axis, |s, stmt, _| {
            let Stmt::Reduce { axes, combiner, body, elements, results } = stmt else {
                return Err(format!("`{axis}` is not an axis of a reduction"));
            };
            let [whole] = &axes[..] else {
                return Err(format!("the reduction has other axes than `{axis}`; fuse them first"));
            };
            if !commutes(&s.kernel, &combiner) {
                return Err("the combiner is not known to commute".into());
            }
            if *by == 0 {
                return Err("at least one lane is needed".into());
            }
            let extent = whole.extent.clone();
            let lanes = Dim::Static(*by as usize);
            let index = &(&Dim::Dynamic(round.clone()) * &lanes) + &Dim::Dynamic(lane.clone());
            let split = Split {
                by: lanes.clone(),
                index: index.clone(),
                extent: extent.clone(),
                tail: Tail::Peel,
                into: [round.clone(), lane.clone()],
            };
            let Levels { before, one, all: merge } = s.levels(&combiner, &elements)?;
            let states = s.alike(&one.identity);
            let mut stmt = Stmt::Reduce { axes, combiner: one, body, elements, results: states.clone() };
            let rest = (!divides(&s.kernel.facts, &extent, *by)).then(|| s.peeled(&stmt, axis, &split));
            if let Stmt::Reduce { axes, body, .. } = &mut stmt {
                *axes = vec![Axis::new(round.clone(), extent.floor_div(&lanes))];
                s.substitute(&Renaming::symbol(axis, index), body);
            }
            let parts = Axis::new(lane.clone(), lanes);
            let Some(rest) = rest else {
                return Ok(s.side_by_side(Parted { before, parts, one: stmt, states, merge, results }));
            };
            let (full, step) = (s.alike(&results), s.fresh.function(&mut s.kernel, &merge.step));
            let rest_states = match &rest {
                Stmt::Reduce { results, .. } => results.clone(),
                _ => Vec::new(),
            };
            let parted = Parted { before, parts, one: stmt, states, merge, results: full.clone() };
            let mut block = s.side_by_side(parted);
            block.push(rest);
            block.extend(s.joined(step, &full, &rest_states, &results));
            Ok(block)
        })
    }
}
