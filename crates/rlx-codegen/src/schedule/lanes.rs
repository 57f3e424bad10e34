//! `lanes`: reduces every n-th index in parallel, and merges the states.
//!
//! *Obligation*: the combiner is a commutative monoid, because lanes are not runs of indices, unlike `parts`. It is
//! known to commute if its merge gives the same result in either order (`commute.rs`). Lanes have equal lengths; the
//! remaining indices are reduced separately, and merged last. Integer results are identical to the bit; floats are
//! summed in another order.

use super::commute::commutes;
use super::rename::Renaming;
use super::split::{Split, divides};
use super::{Done, Partition, Scheduled, Tail};
use crate::kernel::{Axis, Block, Combiner, ScalarId, Stmt};
use rlx_ir::Dim;

impl Scheduled {
    pub fn lanes(&mut self, Partition { axis, by, into: [round, lane] }: &Partition) -> Done {
        self.name(&[round.clone(), lane.clone()])?;
        self.change(axis, |s, mut stmt, _| {
            let Stmt::Reduce { axes, combiner, .. } = &stmt else {
                return Err(format!("`{axis}` is not an axis of a reduction"));
            };
            let [whole] = &axes[..] else {
                return Err(format!("the reduction has other axes than `{axis}`; fuse them first"));
            };
            if !commutes(&s.kernel, combiner) {
                return Err("the combiner is not known to commute".into());
            }
            if *by == 0 {
                return Err("at least one lane is needed".into());
            }
            let (extent, combiner) = (whole.extent.clone(), combiner.clone());
            let lanes = Dim::Static(*by as usize);
            let index = &(&Dim::Dynamic(round.clone()) * &lanes) + &Dim::Dynamic(lane.clone());
            let split = Split {
                by: lanes.clone(),
                index: index.clone(),
                extent: extent.clone(),
                tail: Tail::Peel,
                into: [round.clone(), lane.clone()],
            };
            let rest = (!divides(&s.kernel.facts, &extent, *by)).then(|| s.peeled(&stmt, axis, &split));
            if let Stmt::Reduce { axes, body, .. } = &mut stmt {
                *axes = vec![Axis::new(round.clone(), extent.floor_div(&lanes))];
                s.substitute(&Renaming::symbol(axis, index), body);
            }
            let mut parted = s.partial(Axis::new(lane.clone(), lanes), stmt)?;
            let Some(rest) = rest else { return Ok(s.side_by_side(parted)) };
            let results = parted.results.clone();
            parted.results = results.iter().map(|&r| s.kernel.scalar(s.kernel.dtype(r))).collect();
            let full = parted.results.clone();
            let mut block = s.side_by_side(parted);
            block.extend(s.merged_with(&combiner, &full, rest, &results));
            Ok(block)
        })
    }

    /// Merges a reduction with the state of earlier elements. `results` were the results of the reduction.
    fn merged_with(
        &mut self,
        combiner: &Combiner,
        before: &[ScalarId],
        reduction: Stmt,
        results: &[ScalarId],
    ) -> Block {
        let states = match &reduction {
            Stmt::Reduce { results, .. } => results.clone(),
            _ => Vec::new(),
        };
        let merge = self.fresh.function(&mut self.kernel, &combiner.merge);
        let mut given = Renaming::default();
        given.scalars.extend(merge.params.iter().copied().zip(before.iter().copied().chain(states)));
        let (mut body, mut joined) = (merge.body, merge.results);
        given.block(&mut body);
        joined.iter_mut().for_each(|scalar| given.scalar(scalar));
        self.replaced.scalars.extend(results.iter().copied().zip(joined));
        std::iter::once(reduction).chain(body).collect()
    }
}
