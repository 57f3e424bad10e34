//! Runs a share of the conformance table on MLX, with the evaluator as the judge. With `RLX_MLX_SHARE=1` it runs the whole table, like
//! `cargo xtask conformance --device mlx`.

mod present;

use present::OnMlx;
use rlx_compile::Claims;
use rlx_conformance::cases::all;
use rlx_conformance::stream::{Stream, fnv1a};
use rlx_conformance::{Outcome, judge};
use rlx_ir::{AttentionOptions, DType, Shape};
use rlx_mlx::{MlxClaims, MlxMode};

/// The default share if `RLX_MLX_SHARE` is not set: one case in this many.
const SHARE: u64 = 6;

fn share(mode: MlxMode, number: u64) {
    let Some(session) = present::session("a_share_of_the_table_agrees_with_the_evaluator", mode) else {
        return;
    };
    let target = OnMlx::new(session);
    let (mut passed, mut problems) = (0, Vec::new());
    let share = present::share().unwrap_or(SHARE);
    for case in all() {
        if !fnv1a(number, case.name.as_bytes()).is_multiple_of(share) {
            continue;
        }
        match judge(&target, &case, 0) {
            Outcome::Passed | Outcome::Allowed(_) => passed += 1,
            Outcome::Failed(problem) => problems.push(format!("{}: {problem}", case.name)),
            _ => (),
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(passed > 12_000 / share, "{passed} cases");
}

#[test]
fn a_share_of_the_table_agrees_lazily() {
    share(MlxMode::Lazy, Stream::new(1).bits());
}

#[test]
fn a_share_of_the_table_agrees_compiled() {
    share(MlxMode::Compiled, Stream::new(2).bits());
}

/// Scores and weights of narrow floats are f32, so MLX's operation in f32 computes the same attention.
#[test]
fn attention_of_narrow_floats_is_claimed() {
    let op = AttentionOptions::default().op();
    let narrow = [DType::F16, DType::BF16];
    for (q, k) in narrow.into_iter().flat_map(|d| [(d, d), (DType::F32, d), (d, DType::F32)]) {
        let [q, k] = [q, k].map(|dtype| Shape::new(&[1, 2, 3, 8], dtype));
        assert!(
            MlxClaims.runs(&op, &[q.clone(), k.clone(), k.clone()], std::slice::from_ref(&q)),
            "{q}, {k}"
        );
    }
    let wide = Shape::new(&[1, 2, 3, 8], DType::F64);
    assert!(!MlxClaims.runs(&op, &[wide.clone(), wide.clone(), wide.clone()], &[wide]));
}
