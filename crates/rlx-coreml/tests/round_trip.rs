//! Emitted programs that are read back compute what the evaluator does, for a share of the conformance table; the example `round_trip` runs
//! all of it.

#[path = "../examples/round_trip.rs"]
#[allow(dead_code)]
mod example;

use example::RoundTrip;
use rlx_conformance::{Outcome, cases, judge};
use rlx_coreml::Opset;

/// One in this many cases is run.
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
    // If all cases were declined, the test would show nothing.
    assert!(passed > 1000, "{passed} cases passed");
}
