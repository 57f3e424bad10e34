//! `unroll`: writes the body of a loop once per index.
//!
//! *Obligation*: every index runs once, in order, and what a loop carries goes from copy to copy. A reduction becomes
//! its steps from the identity, in the order of the interpreter.

use super::rename::Renaming;
use super::{Done, Scheduled};
use crate::kernel::{Block, Carried, Combiner, ScalarId, Stmt};
use crate::visit::for_each_stmt;
use rlx_ir::{Dim, Symbol};

/// The maximum number of statements that unrolling may write.
const LIMIT: usize = 4096;

impl Scheduled {
    pub fn unroll(&mut self, axis: &Symbol) -> Done {
        self.change(axis, |s, stmt, place| {
            let unrolled = &stmt.axes()[place];
            super::find::unmarked(unrolled)?;
            let extent = &unrolled.extent;
            let Some(extent) = extent.as_static() else {
                return Err(format!("`{axis}` runs {extent} times, which is not static; split it first"));
            };
            if extent == 0 {
                return Err(format!("`{axis}` never runs, so no body would be left"));
            }
            let mut statements = 0usize;
            for_each_stmt(std::slice::from_ref(&stmt), &mut |_| statements += 1);
            if statements.saturating_mul(extent) > LIMIT {
                return Err(format!(
                    "{extent} copies of {statements} statements exceed the limit of {LIMIT}"
                ));
            }
            match stmt {
                Stmt::Par { mut axes, body } => {
                    axes.remove(place);
                    let copies = (0..extent).flat_map(|index| s.indexed(&body, axis, index, &[]).0);
                    let body: Block = copies.collect();
                    Ok(if axes.is_empty() { body } else { vec![Stmt::Par { axes, body }] })
                }
                Stmt::For { reverse, carried, body, .. } => {
                    Ok(s.unroll_ordered(axis, extent, reverse, &carried, &body))
                }
                Stmt::Reduce { axes, combiner, body, elements, results } => {
                    if axes.len() > 1 {
                        return Err(format!("the reduction has other axes than `{axis}`; fuse them first"));
                    }
                    let body = (&body[..], &elements[..]);
                    Ok(s.unroll_reduction(axis, extent, &combiner, body, &results))
                }
                other => Ok(vec![other]),
            }
        })
    }

    /// Returns a copy of a body at an index, with the renaming of its scalars. `given` pairs each scalar that a loop
    /// hands in with its value.
    fn indexed(
        &mut self,
        body: &[Stmt],
        axis: &Symbol,
        index: usize,
        given: &[(ScalarId, ScalarId)],
    ) -> (Block, Renaming) {
        let mut renaming = Renaming::symbol(axis, Dim::Static(index));
        renaming.scalars.extend(given.iter().copied());
        (self.fresh.copy(&mut self.kernel, body, &mut renaming), renaming)
    }

    fn unroll_ordered(
        &mut self,
        axis: &Symbol,
        extent: usize,
        reverse: bool,
        carried: &[Carried],
        body: &[Stmt],
    ) -> Block {
        let mut state: Vec<ScalarId> = carried.iter().map(|c| c.first).collect();
        let mut all = Block::new();
        for step in 0..extent {
            let index = if reverse { extent - 1 - step } else { step };
            let given: Vec<_> = carried.iter().map(|c| c.inside).zip(state).collect();
            let (copy, renaming) = self.indexed(body, axis, index, &given);
            all.extend(copy);
            state = carried.iter().map(|c| c.next).collect();
            state.iter_mut().for_each(|s| renaming.scalar(s));
        }
        self.replaced.scalars.extend(carried.iter().map(|c| c.last).zip(state));
        all
    }

    fn unroll_reduction(
        &mut self,
        axis: &Symbol,
        extent: usize,
        combiner: &Combiner,
        (body, elements): (&[Stmt], &[ScalarId]),
        results: &[ScalarId],
    ) -> Block {
        let mut state = combiner.identity.clone();
        let mut all = Block::new();
        for index in 0..extent {
            let (copy, renaming) = self.indexed(body, axis, index, &[]);
            all.extend(copy);
            let mut element = elements.to_vec();
            element.iter_mut().for_each(|s| renaming.scalar(s));
            let step = &combiner.step;
            let mut renaming = Renaming::default();
            renaming.scalars.extend(step.params.iter().copied().zip(state.into_iter().chain(element)));
            all.extend(self.fresh.copy(&mut self.kernel, &step.body, &mut renaming));
            state = step.results.clone();
            state.iter_mut().for_each(|s| renaming.scalar(s));
        }
        self.replaced.scalars.extend(results.iter().copied().zip(state));
        all
    }
}
