//! Every case of the table through the kernel language: lowered, and run by its interpreter.

use rlx_codegen::judge::{JudgeError, interpret};
use rlx_conformance::{Outcome, Target, TargetError, cases, judge};
use rlx_ir::{Graph, Literal};
use std::collections::BTreeMap;

struct Kernels;

impl Target for Kernels {
    fn name(&self) -> &str {
        "interpreter"
    }

    fn run(&self, graph: &Graph, inputs: &[(&str, &Literal)]) -> Result<Vec<Literal>, TargetError> {
        let literals: Vec<&Literal> = inputs.iter().map(|(_, literal)| *literal).collect();
        match interpret(graph, &literals) {
            Ok(results) => Ok(results.outputs),
            Err(JudgeError::Lower(e)) => Err(TargetError::Unsupported(e.to_string())),
            Err(e) => Err(TargetError::Failed(e.to_string())),
        }
    }
}

#[test]
fn what_is_lowered_does_what_the_evaluator_does() {
    let (mut passed, mut failed) = (0, Vec::new());
    let mut skipped: BTreeMap<String, usize> = BTreeMap::new();
    let wanted = std::env::var("RLX_FAMILIES").unwrap_or_default();
    let families =
        cases::FAMILIES.iter().filter(|f| wanted.is_empty() || wanted.split(',').any(|w| w == f.name));
    for case in families.flat_map(|f| f.cases()) {
        match judge(&Kernels, &case, 0) {
            Outcome::Skipped(reason) => *skipped.entry(reason).or_default() += 1,
            Outcome::Failed(problem) => failed.push(format!("{}: {problem}", case.name)),
            _ => passed += 1,
        }
    }
    for (reason, count) in &skipped {
        println!("skipped {count}: {reason}");
    }
    println!("{passed} passed, {} failed", failed.len());
    assert!(failed.is_empty(), "{}", failed[..failed.len().min(60)].join("\n"));
}
