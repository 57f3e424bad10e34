//! Counts the results of self-checking programs by op. Owns how the counts are printed.

use super::TestProgram;
use crate::report::Counts;
use std::collections::BTreeMap;
use std::fmt;

/// The outcome of one program on one target.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// All checks passed.
    Passed,
    /// A check failed, or the program did not run.
    Failed(String),
    /// A check failed, but its expected value is further from the exact result than the check allows, and ours is not.
    Unjudged(String),
    /// The program uses something that RLX does not have, such as an element type.
    Unsupported(String),
}

/// The number of programs with each outcome.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// By op, then by target.
    counts: BTreeMap<String, BTreeMap<String, Counts>>,
    targets: Vec<String>,
    /// The target, the program and what happened.
    failed: Vec<[String; 3]>,
    unjudged: Vec<[String; 3]>,
    unsupported: Vec<[String; 3]>,
}

impl Tally {
    /// Counts a program.
    pub fn record(&mut self, target: &str, program: &TestProgram, verdict: Verdict) {
        if !self.targets.iter().any(|t| t == target) {
            self.targets.push(target.into());
        }
        let counts = self.counts.entry(program.op().into()).or_default().entry(target.into()).or_default();
        let note = |why| [target.to_string(), program.name.clone(), why];
        match verdict {
            Verdict::Passed => counts.passed += 1,
            Verdict::Failed(why) => {
                counts.failed += 1;
                self.failed.push(note(why));
            }
            Verdict::Unjudged(why) => {
                counts.skipped += 1;
                self.unjudged.push(note(why));
            }
            Verdict::Unsupported(why) => {
                counts.skipped += 1;
                self.unsupported.push(note(why));
            }
        }
    }

    /// Sorts the lists by target and name.
    pub(super) fn sort(&mut self) {
        self.failed.sort();
        self.unjudged.sort();
        self.unsupported.sort();
    }

    /// Returns the sums over everything.
    pub fn total(&self) -> Counts {
        self.counts.values().flat_map(BTreeMap::values).fold(Counts::default(), |mut sum, c| {
            sum += *c;
            sum
        })
    }
}

impl fmt::Display for Tally {
    /// Writes a line per op with the numbers of programs that passed, failed and were skipped on each target; the
    /// failures; the programs that were skipped because they are unsupported or expect a value that is too inexact; and
    /// `N passed, N failed, N skipped` over programs and targets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:40}", "passed failed skipped")?;
        self.targets.iter().try_for_each(|target| write!(f, " {target:>20}"))?;
        writeln!(f)?;
        for (op, by_target) in &self.counts {
            write!(f, "{op:40}")?;
            for target in &self.targets {
                let Counts { passed, failed, skipped, .. } =
                    by_target.get(target).copied().unwrap_or_default();
                write!(f, " {passed:8} {failed:5} {skipped:5}")?;
            }
            writeln!(f)?;
        }
        for [target, program, why] in &self.failed {
            writeln!(f, "failed on {target}: {program}: {why}")?;
        }
        for [target, program, why] in &self.unjudged {
            writeln!(
                f,
                "skipped on {target}: {program}: the expected value is inexact, the result is not: {why}"
            )?;
        }
        for [target, program, why] in &self.unsupported {
            writeln!(f, "unsupported on {target}: {program}: {why}")?;
        }
        let Counts { passed, failed, skipped, .. } = self.total();
        writeln!(f, "{passed} passed, {failed} failed, {skipped} skipped")
    }
}
