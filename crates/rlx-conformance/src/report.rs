//! The result of a run: counts by op, target and element type, and what failed or was skipped. Owns how reports are
//! printed.

use crate::bound::Allowance;
use rlx_ir::DType;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The number of cases with each outcome.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    /// Cases that agreed.
    pub passed: usize,
    /// Cases that differed or did not run.
    pub failed: usize,
    /// Cases that could be judged but are not, which is debt.
    pub skipped: usize,
    /// Cases in which there is nothing to judge.
    pub not_applicable: usize,
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
        self.not_applicable += other.not_applicable;
    }
}

impl Counts {
    fn cell(self) -> String {
        match self {
            Counts { passed: 0, failed: 0, skipped: 0, .. } => "–".into(),
            Counts { passed, failed: 0, skipped: 0, .. } => passed.to_string(),
            Counts { passed, failed: 0, skipped, .. } => format!("{passed} ({skipped} skipped)"),
            Counts { passed, failed, .. } => format!("**{failed} of {} failed**", passed + failed),
        }
    }
}

/// The outcome of one case on one target.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// The case agreed.
    Passed,
    /// The case agreed within the target's allowances. Lists the rows that it needed.
    Allowed(Vec<Allowance>),
    /// The case differed or did not run. Says how.
    Failed(String),
    /// The case should be judged but is not, which is debt. Says why.
    Skipped(String),
    /// There is nothing to judge. Says why.
    NotApplicable(String),
}

/// One line about a case that did not pass.
#[derive(Clone, Debug)]
pub struct Note {
    /// The target.
    pub target: String,
    /// The op.
    pub op: String,
    /// The case.
    pub case: String,
    /// What happened.
    pub message: String,
}

/// The result of a run.
#[derive(Clone, Debug, Default)]
pub struct Report {
    cells: BTreeMap<(String, String, DType), Counts>,
    /// The ops in the order in which they occurred.
    ops: Vec<String>,
    targets: Vec<String>,
    failures: Vec<Note>,
    skips: Vec<Note>,
    not_applicable: Vec<Note>,
    /// For each target and row of its allowances, the number of cases that needed it.
    allowed: BTreeMap<(String, String), usize>,
    oracles: BTreeMap<&'static str, usize>,
}

impl Report {
    /// Counts a case.
    pub fn record(&mut self, target: &str, op: &str, dtype: DType, case: &str, outcome: Outcome) {
        if !self.ops.iter().any(|o| o == op) {
            self.ops.push(op.into());
        }
        if !self.targets.iter().any(|t| t == target) {
            self.targets.push(target.into());
        }
        let counts = self.cells.entry((op.into(), target.into(), dtype)).or_default();
        let note = |message| Note { target: target.into(), op: op.into(), case: case.into(), message };
        match outcome {
            Outcome::Passed => counts.passed += 1,
            Outcome::Allowed(rows) => {
                counts.passed += 1;
                for row in rows {
                    *self.allowed.entry((target.into(), row.to_string())).or_default() += 1;
                }
            }
            Outcome::Failed(message) => {
                counts.failed += 1;
                self.failures.push(note(message));
            }
            Outcome::Skipped(message) => {
                counts.skipped += 1;
                self.skips.push(note(message));
            }
            Outcome::NotApplicable(message) => {
                counts.not_applicable += 1;
                self.not_applicable.push(note(message));
            }
        }
    }

    /// Counts a golden by the program that computed it.
    pub fn record_oracle(&mut self, oracle: &'static str) {
        *self.oracles.entry(oracle).or_default() += 1;
    }

    /// Returns the sums over everything.
    pub fn total(&self) -> Counts {
        self.cells.values().fold(Counts::default(), |mut sum, c| {
            sum += *c;
            sum
        })
    }

    /// Returns the ops in the order in which they occurred.
    pub fn ops(&self) -> impl Iterator<Item = &str> {
        self.ops.iter().map(String::as_str)
    }

    /// Returns the counts of an op on a target in an element type.
    pub fn counts(&self, op: &str, target: &str, dtype: DType) -> Counts {
        self.cells.get(&(op.into(), target.into(), dtype)).copied().unwrap_or_default()
    }

    /// Returns the failures.
    pub fn failures(&self) -> &[Note] {
        &self.failures
    }

    /// Returns the skipped cases.
    pub fn skips(&self) -> &[Note] {
        &self.skips
    }

    /// Returns the cases in which there was nothing to judge.
    pub fn not_applicable(&self) -> &[Note] {
        &self.not_applicable
    }

    /// Returns the number of skipped cases by target and reason.
    pub fn debt(&self) -> BTreeMap<(&str, &str), usize> {
        let mut debt = BTreeMap::new();
        for skip in &self.skips {
            *debt.entry((skip.target.as_str(), skip.message.as_str())).or_default() += 1;
        }
        debt
    }

    /// Returns the debt as a table for a page, or nothing if no case was skipped.
    pub(crate) fn debt_table(&self) -> String {
        let rows: Vec<String> = self
            .debt()
            .into_iter()
            .map(|((target, reason), count)| format!("| {target} | {count} | {reason} |\n"))
            .collect();
        if rows.is_empty() {
            return String::new();
        }
        let head = "## Skipped\n\nCases that could be judged but are not. These numbers may not grow (`xtask/debt.txt`).\n\n\
                    | target | cases | reason |\n|---|---|---|\n";
        format!("{head}{}\n", rows.concat())
    }

    /// Returns the number of goldens that each oracle computed.
    pub fn oracles(&self) -> &BTreeMap<&'static str, usize> {
        &self.oracles
    }

    /// Returns the sums over the cases of a target. [`Report::total`] also includes the evaluator's, which the goldens judge.
    pub fn of_target(&self, target: &str) -> Counts {
        let of_target = self.cells.iter().filter(|((_, name, _), _)| name == target);
        of_target.fold(Counts::default(), |mut sum, (_, counts)| {
            sum += *counts;
            sum
        })
    }

    /// Returns `N passed, N failed, N skipped, N not applicable`.
    pub fn summary(&self) -> String {
        let Counts { passed, failed, skipped, not_applicable } = self.total();
        format!("{passed} passed, {failed} failed, {skipped} skipped, {not_applicable} not applicable")
    }

    /// Returns the counts of an op on a target over all element types.
    fn of_op(&self, op: &str, target: &str) -> Counts {
        DType::ALL.into_iter().fold(Counts::default(), |mut sum, dtype| {
            sum += self.counts(op, target, dtype);
            sum
        })
    }

    /// Returns the matrix as Markdown: a row per op and a column per target, followed by a table per target with a column per element type.
    pub fn markdown(&self) -> String {
        let mut out = format!(
            "## Ops by target\n\n| op | {} |\n|---|{}\n",
            self.targets.join(" | "),
            "---|".repeat(self.targets.len())
        );
        for op in &self.ops {
            let cells: Vec<String> = self.targets.iter().map(|t| self.of_op(op, t).cell()).collect();
            out += &format!("| {op} | {} |\n", cells.join(" | "));
        }
        out.push('\n');
        for target in &self.targets {
            let dtypes: BTreeSet<DType> =
                self.cells.keys().filter(|(_, t, _)| t == target).map(|(_, _, d)| *d).collect();
            let names: Vec<&str> = dtypes.iter().map(|d| d.name()).collect();
            out += &format!(
                "## {target}\n\n| op | {} |\n|---|{}\n",
                names.join(" | "),
                "---|".repeat(names.len())
            );
            for op in &self.ops {
                let cells: Vec<String> = dtypes.iter().map(|&d| self.counts(op, target, d).cell()).collect();
                out += &format!("| {op} | {} |\n", cells.join(" | "));
            }
            out.push('\n');
        }
        if !self.allowed.is_empty() {
            out += "## Allowances\n\nCases that passed only because the target is allowed less accuracy.\n\n| target | cases | allowance |\n|---|---|---|\n";
            for ((target, row), count) in &self.allowed {
                out += &format!("| {target} | {count} | {row} |\n");
            }
            out.push('\n');
        }
        out + &self.debt_table() + &self.summary() + "\n"
    }
}

impl fmt::Display for Report {
    /// Writes one line per op and target, then failures and the reasons of skips. The last line is the summary.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for target in &self.targets {
            writeln!(f, "{target}:")?;
            for op in &self.ops {
                let mut sum = Counts::default();
                let mut dtypes = Vec::new();
                for dtype in DType::ALL {
                    let counts = self.counts(op, target, dtype);
                    sum += counts;
                    if counts.passed > 0 {
                        dtypes.push(dtype.name());
                    }
                }
                if sum != Counts::default() {
                    let Counts { passed, failed, skipped, .. } = sum;
                    writeln!(f, "  {op:24} {passed:5} {failed:5} {skipped:5}  {}", dtypes.join(" "))?;
                }
            }
        }
        for Note { target, case, message, .. } in &self.failures {
            writeln!(f, "failed on {target}: {case}: {message}")?;
        }
        for ((target, reason), count) in self.debt() {
            writeln!(f, "skipped on {target}: {count} case(s): {reason}")?;
        }
        for ((target, row), count) in &self.allowed {
            writeln!(f, "allowed on {target}: {count} case(s): {row}")?;
        }
        if !self.oracles.is_empty() {
            let parts: Vec<String> = self.oracles.iter().map(|(name, n)| format!("{n} by {name}")).collect();
            writeln!(f, "goldens: {}", parts.join(", "))?;
        }
        writeln!(f, "{}", self.summary())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_counts_everything() {
        let mut report = Report::default();
        report.record("cpu", "exp", DType::F32, "a", Outcome::Passed);
        report.record("cpu", "exp", DType::F64, "b", Outcome::Failed("differs".into()));
        report.record("cpu", "log", DType::F32, "c", Outcome::Skipped("no kernel".into()));
        report.record("cpu", "not", DType::F32, "d", Outcome::NotApplicable("of floats".into()));
        assert_eq!(
            report.to_string().lines().last(),
            Some("1 passed, 1 failed, 1 skipped, 1 not applicable")
        );
        let markdown = report.markdown();
        assert!(markdown.contains("| op | f64 | f32 |"), "{markdown}");
        assert!(markdown.contains("| exp | **1 of 1 failed** | 1 |"), "{markdown}");
    }
}
