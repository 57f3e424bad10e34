//! Simplification: constant folding, names for graphs that have one, algebra, common subexpressions, dead code, to a
//! fixed point.

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

/// Rounds after which a graph is taken as simple enough; each pass shrinks the graph, so few are needed.
const MAX_ROUNDS: usize = 8;

/// Runs all simplifications until none applies.
pub fn simplify(mut graph: Graph) -> Graph {
    graph.remove_dead();
    for _ in 0..MAX_ROUNDS {
        let mut changed = false;
        for pass in [fold_constants, name_bodies, simplify_algebra, merge_common_subexpressions] {
            if let Some(simpler) = pass(&graph) {
                graph = simpler;
                graph.remove_dead();
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    graph
}
