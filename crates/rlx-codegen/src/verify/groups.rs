//! Verifies groups of lanes: where barriers and loops over lanes may be.
//!
//! A loop whose axes are marked with lanes or subgroups spreads its iterations over the group that comes to it. What stands around such
//! loops in a group's iteration is *uniform*: every lane of the group runs it, with the same scalars, as no scalar of a loop is known
//! behind it. So a barrier is one that all lanes reach or none, if it stands in no loop of lanes, and in no loop whose iterations nobody
//! orders.

use super::Verifier;
use crate::kernel::{Axis, Buffer, Level, Place, Space};

/// What runs a statement.
#[derive(Clone, Copy, Default)]
pub(super) struct Control {
    /// The loop around it that is spread over lanes or subgroups, if any is.
    worker: Option<Level>,
    /// Whether it stands in a loop of groups.
    grouped: bool,
    /// Whether it stands in a parallel loop, or a reduction, inside that of the groups.
    loose: bool,
}

impl Verifier<'_> {
    /// Goes into a parallel loop or a reduction; what ran statements around it.
    pub(super) fn enter(&mut self, axes: &[Axis]) -> Control {
        let around = self.control;
        let marked = |level: Level| axes.iter().any(|axis| axis.level == level);
        let worker = [Level::Lane, Level::Subgroup].into_iter().find(|&level| marked(level));
        let groups = marked(Level::Group);
        if let (Some(outer), Some(word)) = (around.worker, worker.or(groups.then_some(Level::Group))) {
            let (outer, word) = (outer.word(), word.word());
            self.report(format!(
                "a loop of `{word}` stands in one of `{outer}`, whose iterations are parts of one group"
            ));
        }
        if groups && around.grouped {
            self.report("a loop of groups stands in another one");
        }
        if marked(Level::Lane) && marked(Level::Subgroup) {
            self.report("a loop is spread over lanes or over subgroups, not over both");
        }
        self.control =
            Control { worker: worker.or(around.worker), grouped: around.grouped || groups, loose: !groups };
        around
    }

    /// Reports what stands where not all lanes of a group arrive, or not in one order.
    pub(super) fn uniform(&mut self, what: &str) {
        let Control { worker, loose, .. } = self.control;
        if let Some(level) = worker {
            let word = level.word();
            self.report(format!(
                "{what} stands in a loop of `{word}`, where not all lanes of the group arrive at once"
            ));
        } else if loose {
            self.report(format!(
                "{what} stands in a parallel loop inside a group, whose iterations have no order"
            ));
        }
    }

    /// Checks that what lanes share is not made by one of them.
    pub(super) fn shared(&mut self, array: &Buffer) {
        let within = match (array.place, self.control.worker) {
            (Place::Local(Space::Group), Some(level)) => level,
            (Place::Local(Space::Subgroup), Some(level @ Level::Lane)) => level,
            _ => return,
        };
        let Place::Local(space) = array.place else { return };
        let (name, space, word) = (&array.name, space.word(), within.word());
        self.report(format!(
            "`{name}` is of a `{space}`, and is made in a loop of `{word}`; make it around the loop"
        ));
    }

    /// Reports what only whole subgroups run where a lane stands alone.
    pub(super) fn by_subgroup(&mut self, what: &str) {
        if self.control.worker == Some(Level::Lane) {
            self.report(format!(
                "{what} stands in a loop of `lane`, and the lanes of a subgroup run it together"
            ));
        }
    }
}
