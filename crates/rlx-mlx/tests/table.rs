//! A share of the conformance table on MLX, the evaluator as judge. `cargo xtask conformance --device mlx` runs the whole.

mod present;

use rlx_compile::Claims;
use rlx_conformance::bound::Allowance;
use rlx_conformance::cases::all;
use rlx_conformance::stream::{Stream, fnv1a};
use rlx_conformance::{Outcome, Target, TargetError, judge};
use rlx_ir::{DType, Graph, Literal};
use rlx_mlx::{MlxClaims, MlxMode};
use rlx_session::{CompileError, RuntimeError, Session};

/// One case in so many.
const SHARE: u64 = 6;

/// MLX in a mode.
struct OnMlx(Session, Vec<Allowance>);

impl Target for OnMlx {
    fn name(&self) -> &str {
        "mlx"
    }

    fn flushes_subnormals(&self) -> bool {
        true
    }

    fn refused_type(&self, dtype: DType) -> Option<String> {
        MlxClaims.refused_type(dtype)
    }

    fn allowances(&self) -> &[Allowance] {
        &self.1
    }

    fn run(&self, graph: &Graph, inputs: &[(&str, &Literal)]) -> Result<Vec<Literal>, TargetError> {
        let failed = |e: RuntimeError| match e {
            RuntimeError::Compile(CompileError::Legalize(e)) => TargetError::Unsupported(e.to_string()),
            e => TargetError::Failed(e.to_string()),
        };
        let mut compiled = self.0.try_compile(graph.clone()).map_err(failed)?;
        compiled.run_literals(inputs).map_err(failed)
    }
}

fn share(mode: MlxMode, number: u64) {
    let Some(session) = present::session("a_share_of_the_table_agrees_with_the_evaluator", mode) else {
        return;
    };
    let target = OnMlx(session, present::allowances());
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
