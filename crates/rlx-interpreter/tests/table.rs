//! Runs cases of the conformance table on the interpreter: for each op, the first two in each element type, and one with symbols as
//! sizes. `cargo xtask conformance --device interpreter` runs the whole table.

use rlx_codegen::Interpreter;
use rlx_conformance::{Case, Outcome, Target, TargetError, cases, judge};
use rlx_interpreter::InterpreterBackend;
use rlx_ir::{DType, Graph, Literal};
use rlx_session::{CompileError, CompileOptions, Device, RuntimeError, Session, register_backend};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Ops that do not run on the interpreter.
const NOT_LOWERED: &[&str] = &[];

struct Kernels(Interpreter);

impl Target for Kernels {
    fn name(&self) -> &str {
        "interpreter"
    }

    fn run(&self, graph: &Graph, inputs: &[(&str, &Literal)]) -> Result<Vec<Literal>, TargetError> {
        let failed = |e: RuntimeError| match e {
            RuntimeError::Compile(CompileError::Legalize(e)) => TargetError::Unsupported(e.to_string()),
            e => TargetError::Failed(e.to_string()),
        };
        let options = CompileOptions::new().with_backend(self.0.clone());
        let session = Session::new(Device::Interpreter).with_options(options);
        session
            .try_compile(graph.clone())
            .and_then(|mut compiled| compiled.run_literals(inputs))
            .map_err(failed)
    }
}

/// Judges this many cases of each op in each element type. Returns the failures, and the ops of which all cases were skipped.
fn run(interpreter: Interpreter, each: usize) -> (Vec<String>, BTreeSet<String>, usize) {
    register_backend(Arc::new(InterpreterBackend));
    let target = Kernels(interpreter);
    let mut seen: BTreeMap<(String, DType), usize> = BTreeMap::new();
    let mut wanted = |case: &Case| {
        let name = case.op.mnemonic();
        let count = seen.entry((name.to_string(), case.dtype)).or_default();
        *count += 1;
        *count <= each
    };
    let (mut failed, mut passed, mut skipped) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
    let mut count = 0;
    for case in cases::all().iter().filter(|case| wanted(case)) {
        count += 1;
        let name = case.op.mnemonic().to_string();
        match judge(&target, case, 0) {
            Outcome::Passed => drop(passed.insert(name)),
            Outcome::Skipped(_) => drop(skipped.insert(name)),
            outcome => failed.push(format!("{}: {outcome:?}", case.name)),
        }
    }
    (failed, skipped.difference(&passed).cloned().collect(), count)
}

#[test]
fn what_is_lowered_agrees_with_the_evaluator() {
    let (failed, skipped, count) = run(Interpreter::default(), 2);
    assert!(count > 3000, "{count} cases");
    assert!(failed.is_empty(), "{} of {count} failed:\n{}", failed.len(), failed.join("\n"));
    assert_eq!(skipped.iter().map(String::as_str).collect::<Vec<_>>(), NOT_LOWERED);
}

/// States of parts that begin with the identity are merged into the state of the whole.
#[test]
fn reductions_in_parts_agree_with_the_evaluator() {
    let (failed, _, count) = run(Interpreter { elements_per_part: Some(2), ..Interpreter::default() }, 1);
    assert!(failed.is_empty(), "{} of {count} failed:\n{}", failed.len(), failed.join("\n"));
}
