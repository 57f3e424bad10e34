//! What is emitted is read back and computes what the evaluator does: a share of the conformance table; the example `round_trip` runs all of it.

#[path = "../examples/round_trip.rs"]
#[allow(dead_code)]
mod example;

use example::RoundTrip;
use rlx_conformance::{Outcome, cases, judge};
use rlx_coreml::Opset;

/// One of so many cases is run.
const SHARE: usize = 12;

#[test]
fn what_is_emitted_and_read_back_is_what_the_evaluator_says() {
    let mut passed = 0;
    let mut failures = Vec::new();
    for (opset, first) in [(Opset::Ios15, 0), (Opset::Ios18, SHARE / 2)] {
        let target = RoundTrip::new(opset);
        for case in cases::all().iter().skip(first).step_by(SHARE) {
            match judge(&target, case, 0) {
                Outcome::Passed => passed += 1,
                Outcome::Failed(problem) => failures.push(format!("{}: {problem}", case.name)),
                _ => {}
            }
        }
    }
    assert!(failures.is_empty(), "{} failure(s):\n{}", failures.len(), failures.join("\n"));
    // A share that declines everything would show nothing.
    assert!(passed > 1000, "{passed} cases passed");
}
