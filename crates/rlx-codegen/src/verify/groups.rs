//! Verifies groups of lanes: where barriers and loops over lanes may be.
//!
//! A loop with axes that are marked as lanes or subgroups spreads its iterations over the group that reaches it. The
//! code around such loops in a group's iteration is *uniform*: every lane of the group runs it with the same scalars,
//! because scalars defined in a loop are not visible after it. A barrier is therefore reached by all lanes or by none,
//! if it is not inside a loop of lanes, and not inside a loop whose iterations are unordered.

use super::Verifier;
use crate::kernel::{Axis, Buffer, Level, Place, Space};

/// What runs a statement.
#[derive(Clone, Copy, Default)]
pub(super) struct Control {
    /// The level of the enclosing loop that is spread over lanes or subgroups, if there is one.
    worker: Option<Level>,
    /// Whether it is inside a loop of groups.
    grouped: bool,
    /// Whether it is inside a parallel loop or a reduction that is inside that of the groups.
    loose: bool,
}

impl Verifier<'_> {
    /// Enters a parallel loop or a reduction. Returns what ran the statements around it.
    pub(super) fn enter(&mut self, axes: &[Axis]) -> Control {
        let around = self.control;
        let marked = |level: Level| axes.iter().any(|axis| axis.level == level);
        let worker = [Level::Lane, Level::Subgroup].into_iter().find(|&level| marked(level));
        let groups = marked(Level::Group);
        if let (Some(outer), Some(word)) = (around.worker, worker.or(groups.then_some(Level::Group))) {
            let (outer, word) = (outer.word(), word.word());
            self.report(format!(
                "a loop of `{word}` is inside one of `{outer}`, whose iterations are parts of one group"
            ));
        }
        if groups && around.grouped {
            self.report("a loop of groups is inside another one");
        }
        if marked(Level::Lane) && marked(Level::Subgroup) {
            self.report("a loop can be spread over lanes or subgroups, but not over both");
        }
        self.control =
            Control { worker: worker.or(around.worker), grouped: around.grouped || groups, loose: !groups };
        around
    }

    /// Reports a statement that not all lanes of a group reach, or not in one order.
    pub(super) fn uniform(&mut self, what: &str) {
        let Control { worker, loose, .. } = self.control;
        if let Some(level) = worker {
            let word = level.word();
            self.report(format!(
                "{what} is inside a loop of `{word}`, where not all lanes of the group arrive together"
            ));
        } else if loose {
            self.report(format!(
                "{what} is inside a parallel loop within a group, whose iterations have no order"
            ));
        }
    }

    /// Checks that memory that lanes share is not made by one of them.
    pub(super) fn shared(&mut self, array: &Buffer) {
        let within = match (array.place, self.control.worker) {
            (Place::Local(Space::Group), Some(level)) => level,
            (Place::Local(Space::Subgroup), Some(level @ Level::Lane)) => level,
            _ => return,
        };
        let Place::Local(space) = array.place else { return };
        let (name, space, word) = (&array.name, space.word(), within.word());
        self.report(format!(
            "`{name}` belongs to a `{space}`, but is made inside a loop of `{word}`; make it outside"
        ));
    }

    /// Reports a statement that only whole subgroups can run, if a single lane runs it.
    pub(super) fn by_subgroup(&mut self, what: &str) {
        if self.control.worker == Some(Level::Lane) {
            self.report(format!(
                "{what} is inside a loop of `lane`, but the lanes of a subgroup run it together"
            ));
        }
    }
}
