//! Random graphs on MLX. `cargo xtask conformance --random N --device mlx` runs as many as one likes.

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
    let tally = campaign::run(&*backend, &present::MODES.map(variant), 0, 150);
    assert!(tally.faults.is_empty(), "{tally}");
    assert!(tally.graphs == 150 && tally.symbolic > 10 && tally.unsupported < 30, "{tally}");
}
