//! Runs StableHLO programs that check themselves, such as StableHLO's own test data, on targets. Owns running many of
//! them; [`Tally`] owns the counts.

mod tally;

pub use tally::{Tally, Verdict};

use crate::bound::{Freedom, Reference};
use crate::target::{Target, TargetError, refused_type};
use rlx_ir::{Graph, Literal, Op};
use rlx_stablehlo::{Check, Comparison, Imported, import};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A program and its name.
#[derive(Clone, Debug)]
pub struct TestProgram {
    /// The name of its file, without the extension.
    pub name: String,
    /// The text.
    pub text: String,
}

impl TestProgram {
    /// Returns the op that the program is named after: `add` for `add_float32_20_20_float32_20_20`. StableHLO's test
    /// data are named after the op, followed by types and sizes.
    pub fn op(&self) -> &str {
        const TYPES: [&str; 7] = ["float", "bfloat", "int", "uint", "bool", "complex", "any"];
        let names_a_type = |word: &str| TYPES.iter().any(|t| word.strip_prefix(t).is_some_and(is_width));
        let mut length = 0;
        for word in self.name.split('_') {
            if names_a_type(word) && length > 0 {
                break;
            }
            length += word.len() + 1;
        }
        &self.name[..length.saturating_sub(1).min(self.name.len())]
    }
}

fn is_width(rest: &str) -> bool {
    rest.chars().all(|c| c.is_ascii_digit())
}

/// Runs every program on every target, on `threads` threads.
pub fn run(programs: &[TestProgram], targets: &[&(dyn Target + Sync)], threads: usize) -> Tally {
    let (next, tally) = (AtomicUsize::new(0), Mutex::new(Tally::default()));
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            scope.spawn(|| {
                while let Some(program) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let verdicts = judge(program, targets);
                    let mut tally = tally.lock().unwrap_or_else(|broken| broken.into_inner());
                    for (target, verdict) in verdicts {
                        tally.record(&target, program, verdict);
                    }
                }
            });
        }
    });
    let mut tally = tally.into_inner().unwrap_or_else(|broken| broken.into_inner());
    tally.sort();
    tally
}

/// Returns the outcome of a program on each target.
fn judge(program: &TestProgram, targets: &[&(dyn Target + Sync)]) -> Vec<(String, Verdict)> {
    let everywhere =
        |verdict: Verdict| targets.iter().map(|t| (t.name().to_string(), verdict.clone())).collect();
    let imported = match caught(|| import(&program.text)) {
        Err(panic) => return everywhere(Verdict::Failed(panic)),
        Ok(Err(problems)) if problems.all_unsupported() => {
            return everywhere(Verdict::Unsupported(problems.to_string()));
        }
        Ok(Err(problems)) => return everywhere(Verdict::Failed(problems.to_string())),
        Ok(Ok(imported)) => imported,
    };
    let inputs = imported.graph.inputs().count() + imported.graph.params().count();
    if inputs > 0 || imported.checks.is_empty() {
        let problem = format!("it takes {inputs} input(s) and makes {} check(s)", imported.checks.len());
        return everywhere(Verdict::Failed(problem));
    }
    let on = |target: &&(dyn Target + Sync)| {
        let verdict = caught(|| checked(*target, &imported)).unwrap_or_else(Verdict::Failed);
        (target.name().to_string(), verdict)
    };
    targets.iter().map(on).collect()
}

/// Turns a panic into the failure of one program, so that the run continues.
fn caught<T>(f: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(f)).map_err(|_| "it panicked".to_string())
}

fn checked(target: &dyn Target, program: &Imported) -> Verdict {
    let (graph, values) = constants_as_inputs(&program.graph);
    if let Some(why) = refused_type(target, &graph) {
        return Verdict::Unsupported(why);
    }
    let inputs: Vec<(&str, &Literal)> = values.iter().map(|(name, value)| (name.as_str(), value)).collect();
    let outputs = match target.run(&graph, &inputs) {
        Ok(outputs) => outputs,
        Err(TargetError::Unsupported(why)) => return Verdict::Unsupported(why),
        Err(TargetError::Failed(why)) => return Verdict::Failed(why),
    };
    for (number, check) in program.checks.iter().enumerate() {
        let (Some(got), Some(want)) = (outputs.get(check.got), outputs.get(check.expected)) else {
            return Verdict::Failed(format!("check {number} has no output"));
        };
        if let Err(difference) = check.how.compare(got, want) {
            let what = format!("check {number}, {:?}: {difference}", check.how);
            let off = expectation_is_off(&graph, &inputs, check, got, want);
            return if off { Verdict::Unjudged(what) } else { Verdict::Failed(what) };
        }
    }
    Verdict::Passed
}

/// Returns whether the value that a program expects is further from the exact result than its check allows, while `got`
/// is not. The check then says nothing about `got`. A value that another implementation computed has its rounding
/// errors, which cancellation can amplify.
fn expectation_is_off(
    graph: &Graph,
    inputs: &[(&str, &Literal)],
    check: &Check,
    got: &Literal,
    want: &Literal,
) -> bool {
    if check.how == Comparison::Equal {
        return false;
    }
    let Ok(reference) = Reference::new(graph, inputs, Freedom::None, &|_| false) else { return false };
    let exact = reference.rounded_once();
    let exact = exact.get(check.got);
    exact
        .is_some_and(|exact| check.how.compare(want, exact).is_err() && check.how.compare(got, exact).is_ok())
}

/// Turns the constants of a graph into inputs with values. Otherwise a compiler would compute the whole program from
/// constants before it runs, and nothing would run on the target.
fn constants_as_inputs(graph: &Graph) -> (Graph, Vec<(String, Literal)>) {
    let mut open = Graph::new(graph.name());
    let mut values = Vec::new();
    for node in graph.nodes() {
        if let Op::Constant { value } = node.op() {
            let name = format!("constant {}", values.len());
            open.input(name.clone(), node.shape().clone());
            values.push((name, value.clone()));
        } else {
            open.push_copy(node, node.inputs().into());
        }
    }
    open.set_outputs(graph.outputs().to_vec());
    (open, values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_named_for_an_op() {
        let op = |name: &str| TestProgram { name: name.into(), text: String::new() }.op().to_string();
        assert_eq!(op("add_float32_20_20_float32_20_20"), "add");
        assert_eq!(op("add_any_int64_2_int64_2"), "add");
        assert_eq!(op("reduce_window_add_bfloat16_4_6"), "reduce_window_add");
        assert_eq!(op("acosh_complex128_20_20_chlo"), "acosh");
        assert_eq!(op("scatter"), "scatter");
    }
}
