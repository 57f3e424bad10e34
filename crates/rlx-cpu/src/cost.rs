//! What one core does in a second, roughly.

use rlx_compile::Cost;
use rlx_compile::cost::{Rates, roofline};
use rlx_ir::Graph;

/// A plain AVX2 machine.
const CORE: Rates = Rates { flops: 5e10, bytes: 1e10 };

/// Seconds that one run of the graph takes on one core.
pub(crate) fn estimate(graph: &Graph) -> Cost {
    roofline(graph, CORE)
}
