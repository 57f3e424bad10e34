//! Operations of programs that replace several ops of a graph: they are found, and the program that is read back gives the graph's results.

#[path = "../examples/round_trip.rs"]
#[allow(dead_code)]
mod example;

use example::RoundTrip;
use example::graphs::{Example, all};
use rlx_coreml::Opset;

/// Returns what is wrong with the program of an example in an opset.
fn problem(example: &Example, opset: Opset) -> Option<String> {
    let target = RoundTrip::new(opset);
    match target.example(example) {
        // Older systems have no operation for it or for its steps.
        Err(problem) if opset < example.since && problem.starts_with("Unsupported") => return None,
        Err(problem) => return Some(problem),
        Ok(()) => {}
    }
    let kinds = target.kinds();
    if opset >= example.since {
        if !kinds.contains(example.kind) {
            return Some(format!("it is not among {kinds:?}"));
        }
        if kinds.contains(example.gone) {
            return Some(format!("{} is left in {kinds:?}", example.gone));
        }
    }
    None
}

#[test]
fn every_example_is_its_operation_and_gives_what_its_graph_gives() {
    let mut problems = Vec::new();
    for example in all() {
        for opset in Opset::ALL {
            if let Some(problem) = problem(&example, opset) {
                problems.push(format!("{} for {}: {problem}", example.kind, opset.name()));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
