//! How the parts of a reduction are reduced, and how their states are merged.
//!
//! An initial value counts once: the merge begins with it. Parts begin with the state of no elements if the text of the
//! combiner shows it (`monoid.rs`). Otherwise they begin with their first element, and their states have one more
//! scalar, which says whether there was one.

use super::rename::Renaming;
use super::{Done, Scheduled};
use crate::build::{either_of, select_of};
use crate::kernel::{Block, Combiner, Definition, Function, ScalarId, Stmt};
use crate::monoid::identity_of;
use rlx_ir::{DType, Scalar};

/// The two levels of a reduction in parts.
pub(super) struct Levels {
    /// The constants that `one` needs.
    pub before: Block,
    /// How the elements of a part are combined.
    pub one: Combiner,
    /// How the states of parts, in their order, are combined to the results of the whole reduction.
    pub all: Combiner,
}

impl Scheduled {
    /// Returns the levels of a reduction of these elements.
    pub fn levels(&mut self, combiner: &Combiner, elements: &[ScalarId]) -> Done<Levels> {
        let [step, merge] = [(); 2].map(|()| self.fresh.function(&mut self.kernel, &combiner.merge));
        let all = Combiner { identity: combiner.identity.clone(), once: combiner.once, step, merge };
        if !combiner.once {
            return Ok(Levels { before: Block::new(), one: combiner.clone(), all });
        }
        if let Some(identity) = identity_of(&combiner.merge, |scalar| self.kernel.dtype(scalar)) {
            let mut before = Block::new();
            let known = combiner.identity.iter().zip(identity);
            let known = known.map(|(&first, value)| {
                let dtype = self.kernel.dtype(first);
                self.defined(&mut before, dtype, Definition::Constant(value))
            });
            let identity = known.collect();
            return Ok(Levels { before, one: Combiner { identity, once: false, ..combiner.clone() }, all });
        }
        self.begin_with_elements(combiner, elements, all)
    }

    /// Returns the levels if parts begin with their first element, which must be a state.
    fn begin_with_elements(
        &mut self,
        combiner: &Combiner,
        elements: &[ScalarId],
        all: Combiner,
    ) -> Done<Levels> {
        let dtypes = |scalars: &[ScalarId]| -> Vec<DType> {
            scalars.iter().map(|&scalar| self.kernel.dtype(scalar)).collect()
        };
        if dtypes(elements) != dtypes(&combiner.identity) {
            return Err("the reduction has an initial value, and its elements are not states".into());
        }
        let mut before = Block::new();
        let none = self.defined(&mut before, DType::Bool, Definition::Constant(Scalar::Int(0)));
        let identity = [&combiner.identity[..], &[none]].concat();
        let step = self.begun_step(&combiner.step);
        let merge = self.begun_merge(&combiner.merge);
        let step_of_all = self.merge_of_begun(all.step);
        let one = Combiner { identity, once: false, step, merge };
        Ok(Levels { before, one, all: Combiner { step: step_of_all, ..all } })
    }

    /// Returns a step whose state says, in its last scalar, whether there was an element.
    fn begun_step(&mut self, step: &Function) -> Function {
        let Function { params, mut body, results } = self.fresh.function(&mut self.kernel, step);
        let (states, elements) = params.split_at(results.len());
        let begun = self.kernel.scalar(DType::Bool);
        let mut next = self.selected(&mut body, begun, &results, elements);
        next.push(self.defined(&mut body, DType::Bool, Definition::Constant(Scalar::Int(1))));
        Function { params: [states, &[begun], elements].concat(), body, results: next }
    }

    /// Returns a merge of two such states.
    fn begun_merge(&mut self, merge: &Function) -> Function {
        let Function { params, mut body, results } = self.fresh.function(&mut self.kernel, merge);
        let (ours, theirs) = params.split_at(results.len());
        let [first, second] = [(); 2].map(|()| self.kernel.scalar(DType::Bool));
        let behind = self.selected(&mut body, first, &results, theirs);
        let mut next = self.selected(&mut body, second, &behind, ours);
        next.push(self.defined(&mut body, DType::Bool, either_of(first, second)));
        Function { params: [ours, &[first], theirs, &[second]].concat(), body, results: next }
    }

    /// Returns a merge of a state without that scalar and one with it.
    fn merge_of_begun(&mut self, merge: Function) -> Function {
        let Function { params, mut body, results } = merge;
        let begun = self.kernel.scalar(DType::Bool);
        let next = self.selected(&mut body, begun, &results, &params[..results.len()]);
        Function { params: [&params[..], &[begun]].concat(), body, results: next }
    }

    /// Returns the first scalars if a boolean holds, otherwise the others.
    fn selected(
        &mut self,
        block: &mut Block,
        holds: ScalarId,
        first: &[ScalarId],
        others: &[ScalarId],
    ) -> Vec<ScalarId> {
        let each = first.iter().zip(others).map(|(&first, &other)| {
            let dtype = self.kernel.dtype(first);
            self.defined(block, dtype, select_of(holds, first, other))
        });
        each.collect()
    }

    fn defined(&mut self, block: &mut Block, dtype: DType, value: Definition) -> ScalarId {
        let scalar = self.kernel.scalar(dtype);
        block.push(Stmt::Let { scalar, value });
        scalar
    }

    /// Returns new scalars of the types of these.
    pub fn alike(&mut self, scalars: &[ScalarId]) -> Vec<ScalarId> {
        scalars.iter().map(|&scalar| self.kernel.scalar(self.kernel.dtype(scalar))).collect()
    }

    /// Adds an element to a state by a step that no other statement contains. The new state replaces `results`.
    pub fn joined(
        &mut self,
        step: Function,
        state: &[ScalarId],
        element: &[ScalarId],
        results: &[ScalarId],
    ) -> Block {
        let Function { params, mut body, results: mut joined } = step;
        let mut given = Renaming::default();
        given.scalars.extend(params.into_iter().zip(state.iter().chain(element).copied()));
        given.block(&mut body);
        joined.iter_mut().for_each(|scalar| given.scalar(scalar));
        self.replaced.scalars.extend(results.iter().copied().zip(joined));
        body
    }
}
