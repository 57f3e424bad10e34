//! Runs random graphs on MLX: 300, or 2,000 with `RLX_MLX_SHARE=1`. `cargo xtask conformance --random N --device mlx` runs any number.

mod present;

use rlx_conformance::random::Variant;
use rlx_conformance::random::campaign;
use rlx_mlx::MlxOptions;

#[test]
fn random_graphs_agree_with_the_evaluator() {
    let Some(backend) = present::backend("random_graphs_agree_with_the_evaluator") else { return };
    let variant = |mode: rlx_mlx::MlxMode| {
        Variant::new(mode.to_string(), move |options, _| options.backend.set(MlxOptions::new().mode(mode)))
    };
    let count = if present::share() == Some(1) { 2000 } else { 300 };
    let allowances = present::allowances();
    let exactness = campaign::Exactness { allowances: &allowances, flushes_subnormals: true };
    let tally = campaign::run(&*backend, &present::MODES.map(variant), exactness, 0, count);
    assert!(tally.faults.is_empty(), "{tally}");
    // More than half of the graphs have a type that MLX lacks.
    assert!(tally.symbolic > 10 && tally.graphs - tally.unsupported > 100, "{tally}");
}
