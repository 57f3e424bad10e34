//! A share of the conformance table on MLX, the evaluator as judge. `cargo xtask conformance --device mlx` runs the whole.

mod present;

use present::OnMlx;
use rlx_conformance::cases::all;
use rlx_conformance::stream::{Stream, fnv1a};
use rlx_conformance::{Outcome, judge};
use rlx_mlx::MlxMode;

/// One case in so many.
const SHARE: u64 = 6;

fn share(mode: MlxMode, number: u64) {
    let Some(session) = present::session("a_share_of_the_table_agrees_with_the_evaluator", mode) else {
        return;
    };
    let target = OnMlx::new(session);
    let (mut passed, mut problems) = (0, Vec::new());
    for case in all() {
        if !fnv1a(number, case.name.as_bytes()).is_multiple_of(SHARE) {
            continue;
        }
        match judge(&target, &case, 0) {
            Outcome::Passed | Outcome::Allowed(_) => passed += 1,
            Outcome::Failed(problem) => problems.push(format!("{}: {problem}", case.name)),
            _ => (),
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(passed > 1000, "{passed} cases");
}

#[test]
fn a_share_of_the_table_agrees_lazily() {
    share(MlxMode::Lazy, Stream::new(1).bits());
}

#[test]
fn a_share_of_the_table_agrees_compiled() {
    share(MlxMode::Compiled, Stream::new(2).bits());
}
