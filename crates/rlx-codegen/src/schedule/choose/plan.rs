//! A kernel with the steps that a rule has taken so far.

use super::runs::Runs;
use crate::kernel::{Block, Kernel, Stmt};
use crate::schedule::{Partition, Schedule, Step, Tail, apply};
use rlx_ir::Symbol;

/// Steps, and the kernel that results from them.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub kernel: Kernel,
    pub steps: Vec<Step>,
}

/// A parallel loop that an interchange has created.
pub(super) struct Nested {
    pub axes: Vec<Symbol>,
    /// The axis of the enclosing ordered loop.
    pub around: Option<Symbol>,
}

impl Plan {
    pub fn new(kernel: &Kernel) -> Plan {
        Plan { kernel: kernel.clone(), steps: Vec::new() }
    }

    /// Applies a step. Returns `None` if it is refused.
    pub fn step(&mut self, step: Step) -> Option<()> {
        self.kernel = apply(&self.kernel, &Schedule(vec![step.clone()])).ok()?;
        self.steps.push(step);
        Some(())
    }

    /// Splits an axis, unless it is known to be no longer than a part. The axis of parts is added to `outer`, and the
    /// other one is returned.
    pub fn part(&mut self, axis: &Symbol, runs: Runs, by: u32, outer: &mut Vec<Symbol>) -> Option<Symbol> {
        if matches!(runs, Runs::Exactly(extent) if extent <= by) {
            return Some(axis.clone());
        }
        let into = self.names();
        self.step(Step::Split { axis: axis.clone(), by, tail: Tail::Peel, into: into.clone() })?;
        let [parts, inside] = into;
        outer.push(parts);
        Some(inside)
    }

    /// Reduces by lanes. Returns the axis of the lanes, and that of the indices in one lane.
    pub fn lanes(&mut self, axis: &Symbol, by: u32) -> Option<[Symbol; 2]> {
        let into = self.names();
        self.step(Step::Lanes(Partition { axis: axis.clone(), by, into: into.clone() }))?;
        let [round, lane] = into;
        Some([lane, round])
    }

    /// Returns two names that no step has used yet.
    pub fn names(&self) -> [Symbol; 2] {
        let number = self.steps.len();
        ["outer", "inner"].map(|stem| Symbol::new(&format!("{stem}{number}")))
    }

    /// Returns the loops over these axes that an interchange has created. Their names are those of the axes with a number.
    pub fn copies(&self, axes: &[Symbol]) -> Vec<Nested> {
        let mut found = Vec::new();
        copies_in(&self.kernel.body, axes, None, &mut found);
        found
    }
}

fn copies_in(block: &Block, axes: &[Symbol], around: Option<&Symbol>, found: &mut Vec<Nested>) {
    let is_copy = |copy: &Symbol, of: &Symbol| {
        let number = copy.name().strip_prefix(of.name()).and_then(|rest| rest.strip_prefix('_'));
        number.is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
    };
    for stmt in block {
        match stmt {
            Stmt::Par { axes: own, body } => {
                let symbols: Vec<Symbol> = own.iter().map(|axis| axis.symbol.clone()).collect();
                match symbols.len() == axes.len() && symbols.iter().zip(axes).all(|(c, of)| is_copy(c, of)) {
                    true => found.push(Nested { axes: symbols, around: around.cloned() }),
                    false => copies_in(body, axes, around, found),
                }
            }
            Stmt::For { axis, body, .. } => copies_in(body, axes, Some(&axis.symbol), found),
            _ => {}
        }
    }
}
