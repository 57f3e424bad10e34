//! The evaluator agrees with the goldens, and with the error bounds that other targets have to meet.

use rlx_conformance::{Args, Evaluator, run};

#[test]
fn the_evaluator_agrees_with_the_goldens_and_with_the_bounds() {
    let report = run(&Args::default(), &[&Named]);
    assert!(report.failures().is_empty(), "{report}");
    assert!(report.total().passed > 20_000 && report.skips().is_empty(), "{report}");
}

/// The evaluator as a backend: its results must be inside the bounds that are derived for backends.
struct Named;

impl rlx_conformance::Target for Named {
    fn name(&self) -> &str {
        "evaluator as a backend"
    }

    fn run(
        &self,
        graph: &rlx_ir::Graph,
        inputs: &[(&str, &rlx_ir::Literal)],
    ) -> Result<Vec<rlx_ir::Literal>, rlx_conformance::TargetError> {
        Evaluator.run(graph, inputs)
    }
}
