//! `chains`: reduces runs of indices one after another, and merges their states in order. The rounding errors of a long
//! sum then grow with the length of a run and the number of runs, not with the number of terms.
//!
//! *Obligation*: the combiner is a monoid: `merge` is associative, and the identity is the state of no elements. An
//! initial value counts once, before the first element (`initial.rs`). Elements keep their order, so the combiner need
//! not commute. Integer results are identical to the bit; floats are summed in other groups.

use super::initial::Levels;
use super::parts::run;
use super::rename::Renaming;
use super::{Done, Partition, Scheduled};
use crate::kernel::Stmt;

impl Scheduled {
    pub fn chains(&mut self, partition: &Partition) -> Done {
        self.name(&partition.into)?;
        let ranges = self.ranges();
        let axis = &partition.axis;
        self.change(axis, |s, stmt, place| {
            let Stmt::Reduce { axes: mut outer, combiner, mut body, elements, results } = stmt else {
                return Err(format!("`{axis}` is not an axis of a reduction"));
            };
            if partition.by == 0 {
                return Err("a run needs at least one index".into());
            }
            let mut inner = outer.split_off(place);
            let (runs, inside, index) = run(partition, &inner[0].extent, &ranges);
            inner[0] = inside;
            outer.push(runs);
            s.substitute(&Renaming::symbol(axis, index), &mut body);
            let Levels { before: mut block, one, all } = s.levels(&combiner, &elements)?;
            let states = s.alike(&one.identity);
            let one = Stmt::Reduce { axes: inner, combiner: one, body, elements, results: states.clone() };
            block.push(Stmt::Reduce {
                axes: outer,
                combiner: all,
                body: vec![one],
                elements: states,
                results,
            });
            Ok(block)
        })
    }
}
