//! Runs random graphs on the interpreter. `cargo xtask conformance --random N --device interpreter` runs any number of them.

use rlx_codegen::Interpreter;
use rlx_conformance::random::Variant;
use rlx_conformance::random::campaign;
use rlx_interpreter::InterpreterBackend;

#[test]
fn random_graphs_agree_with_the_evaluator() {
    let parts = Variant::new("reductions in parts of 3", |options, _| {
        options.backend.set(Interpreter { elements_per_part: Some(3), ..Interpreter::default() });
    });
    let tally = campaign::run(&InterpreterBackend, &[parts], campaign::Exactness::default(), 0, 150);
    assert!(tally.faults.is_empty(), "{tally}");
    assert!(tally.graphs == 150 && tally.symbolic > 10, "{tally}");
    let fused = |kind: &str| tally.fusions.get(kind).copied().unwrap_or_default();
    let (elementwise, reduction) = (fused("elementwise"), fused("reduction"));
    assert!(elementwise.several.min(elementwise.moving) > 10, "few groups of each sort: {tally}");
    assert!(reduction.several.min(reduction.moving) > 10, "few groups of each sort: {tally}");
}
