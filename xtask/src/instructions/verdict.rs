//! Compares counts with the expected ones: which are out of bounds, and the table of all counts.

use super::counts::Counts;
use crate::Outcome;
use std::fmt;

/// Maximum difference in percent between a count and the expected one. Counts repeat exactly; the bound allows for
/// differences in how code around a kernel is compiled.
pub(super) const BOUND: f64 = 2.0;

/// The result of comparing one count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Finding {
    Within,
    More,
    Fewer,
    /// There is no expected count yet.
    New,
    /// A count was expected, but the benchmark is missing.
    Gone,
}

/// A benchmark on an instruction set.
#[derive(Debug)]
struct Row {
    name: String,
    isa: String,
    expected: Option<u64>,
    counted: Option<u64>,
    finding: Finding,
}

impl Row {
    fn new(name: &str, isa: &str, expected: Option<u64>, counted: Option<u64>) -> Row {
        let finding = match (expected, counted) {
            (Some(expected), Some(counted)) => match change(expected, counted) {
                c if c > BOUND => Finding::More,
                c if c < -BOUND => Finding::Fewer,
                _ => Finding::Within,
            },
            (None, _) => Finding::New,
            (_, None) => Finding::Gone,
        };
        Row { name: name.into(), isa: isa.into(), expected, counted, finding }
    }
}

/// The difference between `counted` and `expected`, in percent.
fn change(expected: u64, counted: u64) -> f64 {
    // Counts are below 2^53 in any run that finishes within a lifetime.
    100.0 * (counted as f64 - expected as f64) / (expected as f64).max(1.0)
}

/// All benchmarks that ran or should have run, sorted by name.
#[derive(Debug)]
pub(super) struct Verdict {
    rows: Vec<Row>,
    /// The expected counts of families that were not run.
    untouched: Counts,
}

impl Verdict {
    /// Compares the families that `ran`.
    pub fn new(expected: &Counts, counted: &Counts, ran: impl Fn(&str) -> bool) -> Verdict {
        let family = |name: &str| ran(name.split('/').next().unwrap_or(name));
        let mut rows = Vec::new();
        for (name, isas) in expected.iter().filter(|(name, _)| family(name)) {
            for (isa, &count) in isas {
                rows.push(Row::new(name, isa, Some(count), lookup(counted, name, isa)));
            }
        }
        for (name, isas) in counted {
            for (isa, &count) in isas {
                if lookup(expected, name, isa).is_none() {
                    rows.push(Row::new(name, isa, None, Some(count)));
                }
            }
        }
        rows.sort_by(|a, b| (&a.name, &a.isa).cmp(&(&b.name, &b.isa)));
        let untouched = expected.iter().filter(|(name, _)| !family(name));
        Verdict { rows, untouched: untouched.map(|(name, isas)| (name.clone(), isas.clone())).collect() }
    }

    /// The counts to expect from now on.
    pub fn updated(&self) -> Counts {
        let mut counts = self.untouched.clone();
        for row in &self.rows {
            if let Some(count) = row.counted {
                counts.entry(row.name.clone()).or_default().insert(row.isa.clone(), count);
            }
        }
        counts
    }

    /// An error if a count is not as expected. It says what to do.
    pub fn outcome(&self) -> Outcome {
        let of = |finding| self.rows.iter().filter(|r| r.finding == finding).count();
        let others = of(Finding::Fewer) + of(Finding::New) + of(Finding::Gone);
        let update = "`cargo xtask bench-instructions --update` stores the new counts";
        match (of(Finding::More), others) {
            (0, 0) if self.rows.is_empty() => Err("no benchmark ran".into()),
            (0, 0) => Ok(()),
            (0, n) => Err(format!("{n} count(s) are lower, new or missing; if that is intended, {update}")),
            (n, _) => Err(format!(
                "{n} count(s) are more than {BOUND} % above the expected ones: fix the kernel or, if it is worth it, {update}"
            )),
        }
    }
}

fn lookup(counts: &Counts, name: &str, isa: &str) -> Option<u64> {
    counts.get(name)?.get(isa).copied()
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = |count: Option<u64>| count.map_or_else(|| "-".into(), |n| n.to_string());
        writeln!(f, "{:<26} {:<9} {:>12} {:>12} {:>9}", "instructions", "", "expected", "counted", "change")?;
        for row in &self.rows {
            let change = match (row.expected, row.counted) {
                (Some(expected), Some(counted)) => format!("{:+.2} %", change(expected, counted)),
                _ => "-".into(),
            };
            let remark = match row.finding {
                Finding::Within => "",
                Finding::More => "  REGRESSION",
                Finding::Fewer => "  FEWER",
                Finding::New => "  NEW",
                Finding::Gone => "  GONE",
            };
            writeln!(
                f,
                "{:<26} {:<9} {:>12} {:>12} {:>9}{remark}",
                row.name,
                row.isa,
                number(row.expected),
                number(row.counted),
                change
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn counts(rows: &[(&str, u64)]) -> Counts {
        rows.iter().map(|&(name, n)| (name.into(), BTreeMap::from([("avx2".into(), n)]))).collect()
    }

    fn compared(expected: &[(&str, u64)], counted: &[(&str, u64)]) -> Verdict {
        Verdict::new(&counts(expected), &counts(counted), |_| true)
    }

    #[test]
    fn a_count_within_the_bound_passes_on_both_sides() {
        for n in [980, 1000, 1020] {
            assert_eq!(compared(&[("rows/softmax", 1000)], &[("rows/softmax", n)]).outcome(), Ok(()));
        }
    }

    #[test]
    fn more_is_a_regression_and_fewer_asks_for_an_update() {
        let more = compared(&[("rows/softmax", 1000)], &[("rows/softmax", 1021)]);
        assert!(more.outcome().unwrap_err().starts_with("1 count(s) are more"));
        assert!(more.to_string().contains("+2.10 %  REGRESSION"), "{more}");
        let fewer = compared(&[("rows/softmax", 1000)], &[("rows/softmax", 979)]);
        assert!(fewer.outcome().unwrap_err().contains("--update"));
        assert!(fewer.to_string().contains("FEWER"), "{fewer}");
    }

    #[test]
    fn new_and_gone_benchmarks_fail_until_they_are_written_down() {
        let verdict = compared(&[("rows/softmax", 5)], &[("rows/sum", 7)]);
        assert!(verdict.outcome().is_err());
        assert!(verdict.to_string().contains("GONE") && verdict.to_string().contains("NEW"), "{verdict}");
        assert_eq!(verdict.updated(), counts(&[("rows/sum", 7)]));
        assert!(compared(&[], &[]).outcome().is_err());
    }

    #[test]
    fn families_that_did_not_run_keep_what_is_expected_of_them() {
        let expected = counts(&[("product/row", 3), ("rows/softmax", 1000)]);
        let counted = counts(&[("rows/softmax", 1001)]);
        let verdict = Verdict::new(&expected, &counted, |family| family == "rows");
        assert_eq!(verdict.outcome(), Ok(()));
        assert_eq!(verdict.updated(), counts(&[("product/row", 3), ("rows/softmax", 1001)]));
    }
}
