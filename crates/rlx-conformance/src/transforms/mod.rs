//! Checks the transforms of every case of the table: tangents, cotangents, vectorization and second derivatives.
//!
//! Tangents are compared with differences of values, cotangents with tangents, mapped graphs with loops, and second
//! derivatives with differences of gradients. Every case of the table is checked; none is chosen by hand.

mod batching;
mod compiled;
mod differences;
mod forward;
mod page;
mod point;
mod reasons;
mod second;
mod subject;
mod transposition;

pub use page::{matrix, page};

use crate::case::{Case, Row};
use crate::cases::FAMILIES;
use crate::report::{Outcome, Report};
use crate::target::Target;
use point::is_inexact;
use rlx_ir::DType;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use subject::Subject;

/// What to check.
#[derive(Clone, Debug, Default)]
pub struct Args {
    /// Only ops with these names, or all if empty.
    pub ops: Vec<String>,
    /// Only families with these names, or all if empty.
    pub families: Vec<String>,
    /// Only rows of these element types, or all if empty.
    pub dtypes: Vec<DType>,
    /// Only cases whose operands have at most this many elements in total.
    pub most_elements: Option<usize>,
}

impl Args {
    fn wants(&self, case: &Case) -> bool {
        let elements = || case.operands().iter().filter_map(|s| s.num_elements()).sum::<usize>();
        (self.families.is_empty() || self.families.iter().any(|f| f == case.family))
            && (self.dtypes.is_empty() || self.dtypes.contains(&case.dtype))
            && (self.ops.is_empty()
                || self.ops.iter().any(|o| o == case.op.mnemonic() || o == case.kind().name()))
            && self.most_elements.is_none_or(|most| elements() <= most)
    }
}

/// The checks, as named in reports.
pub const CHECKS: [&str; 5] = ["jvp", "vjp", "vmap", "second order", "compiled"];

/// A case that has just been checked.
#[derive(Clone, Debug)]
pub struct Progress<'a> {
    /// The number of cases that are done.
    pub done: usize,
    /// The total number of cases.
    pub of: usize,
    /// The name of the case.
    pub case: &'a str,
    /// How long it took.
    pub took: Duration,
    /// The checks that failed, with their messages.
    pub failures: Vec<(&'static str, &'a str)>,
}

/// Runs the checks of all selected cases, on as many threads as there are processors. A sample of the transformed
/// graphs is also compiled for `target`. `watch` is called with each case as soon as it is done.
pub fn run(
    args: &Args,
    target: Option<&(dyn Target + Sync)>,
    watch: &(dyn Fn(&Progress<'_>) + Sync),
) -> Report {
    let rows: Vec<(&'static str, Row)> =
        FAMILIES.iter().flat_map(|f| f.rows().into_iter().map(|row| (f.name, row))).collect();
    let work: Vec<(&Row, Case)> = rows
        .iter()
        .flat_map(|(family, row)| row.expand(family).into_iter().map(move |case| (row, case)))
        .filter(|(_, case)| args.wants(case))
        .collect();
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, Checked)>> = Mutex::new(Vec::new());
    let worker = || {
        loop {
            let n = next.fetch_add(1, Ordering::Relaxed);
            let Some((row, case)) = work.get(n) else { return };
            let start = Instant::now();
            let outcomes = check(row, case, target);
            let failed = |(check, outcome): &'_ (&'static str, Outcome)| match outcome {
                Outcome::Failed(message) => Some((*check, message.clone())),
                _ => None,
            };
            let failures: Vec<_> = outcomes.iter().filter_map(failed).collect();
            let mut done = done.lock().unwrap_or_else(|e| e.into_inner());
            done.push((n, outcomes));
            watch(&Progress {
                done: done.len(),
                of: work.len(),
                case: &case.name,
                took: start.elapsed(),
                failures: failures.iter().map(|(check, message)| (*check, message.as_str())).collect(),
            });
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(worker))));
    let mut done = done.into_inner().unwrap_or_else(|e| e.into_inner());
    done.sort_by_key(|(n, _)| *n);
    let inexact: BTreeSet<&str> =
        work.iter().map(|w| &w.1).filter(|c| has_derivative(c)).map(|c| c.op.mnemonic()).collect();
    let mut report = Report::default();
    for (n, outcomes) in done {
        let case = &work[n].1;
        // If an op has cases of floats, those of integers are only there to be mapped.
        let only_mapped = !has_derivative(case) && inexact.contains(case.op.mnemonic());
        for (check, outcome) in outcomes.into_iter().filter(|c| c.0 == "vmap" || !only_mapped) {
            report.record(check, case.op.mnemonic(), case.dtype, &case.name, outcome);
        }
    }
    report
}

/// The outcome of each check that was made.
type Checked = Vec<(&'static str, Outcome)>;

/// Returns whether operands and results have types for which there may be a derivative.
fn has_derivative(case: &Case) -> bool {
    let operands = case.operands();
    let results = case.op.infer(&operands).unwrap_or_default();
    operands.iter().any(|s| is_inexact(s.dtype())) && results.iter().any(|s| is_inexact(s.dtype()))
}

/// Returns the outcomes of [`CHECKS`] for a case.
fn check(row: &Row, case: &Case, target: Option<&(dyn Target + Sync)>) -> Checked {
    let subject = guarded(|| Ok(Subject::new(row, case)));
    let differentiated = |f: &dyn Fn(&Subject<'_>) -> Outcome| match &subject {
        Ok(Ok(subject)) => guarded(|| Ok(f(subject))).unwrap_or_else(Outcome::Failed),
        Ok(Err(outcome)) => outcome.clone(),
        Err(message) => Outcome::Failed(message.clone()),
    };
    let mut outcomes = vec![
        ("jvp", differentiated(&forward::check)),
        ("vjp", differentiated(&transposition::check)),
        ("vmap", guarded(|| Ok(batching::check(case))).unwrap_or_else(Outcome::Failed)),
        ("second order", differentiated(&second::check)),
    ];
    if let Some(target) = target.filter(|_| compiled::sampled(case)) {
        outcomes.push(("compiled", differentiated(&|subject| compiled::check(subject, target))));
    }
    outcomes
}

/// Returns the result of `f`. A panic in a rule becomes a failure of the case, so that the run continues.
fn guarded<T>(f: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(f)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|s| s.to_string()));
        Err(format!("panicked: {}", text.unwrap_or_default()))
    })
}
