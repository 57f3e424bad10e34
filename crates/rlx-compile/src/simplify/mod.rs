//! Simplification to a fixed point: constant folding, named ops for graphs, algebra, common subexpressions,
//! dead code.

mod algebra;
mod contraction;
mod cse;
mod fold;
mod named;

pub use algebra::simplify_algebra;
pub use cse::merge_common_subexpressions;
pub use fold::fold_constants;
pub(crate) use fold::splat_of;
pub use named::name_bodies;

use rlx_ir::Graph;

/// Maximum number of rounds. Each pass shrinks the graph, so few are needed.
const MAX_ROUNDS: usize = 8;

/// A pass, and whether it finds nothing more in its own result.
type Simplification = (fn(&Graph) -> Option<Graph>, bool);

/// The passes, in order.
const PASSES: [Simplification; 4] = [
    (fold_constants, true),
    (name_bodies, false),
    (simplify_algebra, false),
    (merge_common_subexpressions, true),
];

/// Runs all simplifications until none applies.
pub fn simplify(mut graph: Graph) -> Graph {
    graph.remove_dead();
    // The number of consecutive passes that have found nothing to do.
    let mut idle = 0;
    for (pass, settles) in PASSES.into_iter().cycle().take(MAX_ROUNDS * PASSES.len()) {
        if idle == PASSES.len() {
            break;
        }
        idle = match pass(&graph) {
            Some(simpler) => {
                graph = simpler;
                graph.remove_dead();
                usize::from(settles)
            }
            None => idle + 1,
        };
    }
    graph
}
