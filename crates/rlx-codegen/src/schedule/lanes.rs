//! `lanes`: a reduction of every so many indices, side by side, whose states are merged.
//!
//! *Obligation*: the combiner is a commutative monoid, because lanes are no runs of indices: `parts` makes those. Known to be one is a single
//! function of two scalars, of those that commute. Lanes are of one length, so the extent is known to be a multiple of their number.
//! Integers give the same to the bit; floats are summed in another order.

use super::rename::Renaming;
use super::reorder::commutes;
use super::split::divides;
use super::{Done, Partition, Scheduled};
use crate::kernel::{Axis, Stmt};
use rlx_ir::Dim;

impl Scheduled {
    pub fn lanes(&mut self, Partition { axis, by, into: [round, lane] }: &Partition) -> Done {
        self.name(&[round.clone(), lane.clone()])?;
        self.change(axis, |s, mut stmt, _| {
            let Stmt::Reduce { axes, combiner, body, .. } = &mut stmt else {
                return Err(format!("`{axis}` is no axis of a reduction"));
            };
            let [whole] = &mut axes[..] else {
                return Err(format!("the reduction has other axes than `{axis}`; fuse them before"));
            };
            if !commutes(combiner) {
                return Err("the combiner is not known to commute".into());
            }
            if *by == 0 {
                return Err("there is at least one lane".into());
            }
            if !divides(&s.kernel.facts, &whole.extent, *by) {
                return Err(format!(
                    "{} is not known to be a multiple of {by}; state the fact",
                    whole.extent
                ));
            }
            let lanes = Dim::Static(*by as usize);
            *whole = Axis::new(round.clone(), whole.extent.floor_div(&lanes));
            let index = &(&Dim::Dynamic(round.clone()) * &lanes) + &Dim::Dynamic(lane.clone());
            s.substitute(&Renaming::symbol(axis, index), body);
            let parted = s.partial(Axis::new(lane.clone(), lanes), stmt)?;
            Ok(s.side_by_side(parted))
        })
    }
}
