//! Fusion: groups nodes that one kernel can compute into `fusion` nodes, guided by a backend's [`Claims`].
//!
//! A `fusion` is a composite: its body is the group, so any transform or backend that does not know it can inline it.
//! The passes run in the order norm, contraction, reduction, elementwise: what a specialised kernel can take is taken
//! first.

pub mod claims;
mod cluster;
mod contraction;
mod elementwise;
mod group;
mod members;
mod norm;
mod reduction;
mod rows;

pub use claims::{Claims, ClaimsAll, ClaimsNone, needs_static_sizes};
pub use contraction::fuse_contractions;
pub use elementwise::fuse_elementwise;
pub use group::used_only_by;
pub use members::{is_elementwise, is_free};
pub use norm::fuse_norms;
pub use reduction::fuse_reductions;

use rlx_ir::{FusionKind, Graph};

/// The version of the crate, by which programs on disk tell compilers apart.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Runs every fusion pass whose kind the backend claims.
pub fn fuse(mut graph: Graph, claims: &dyn Claims) -> Graph {
    type Pass = fn(&Graph, &dyn Claims) -> Option<Graph>;
    const PASSES: [(FusionKind, Pass); 4] = [
        (FusionKind::Norm, fuse_norms),
        (FusionKind::Contraction, fuse_contractions),
        (FusionKind::Reduction, fuse_reductions),
        (FusionKind::Elementwise, fuse_elementwise),
    ];
    for (kind, pass) in PASSES {
        if claims.fuses(kind) {
            graph = pass(&graph, claims).unwrap_or(graph);
        }
    }
    graph.remove_dead();
    graph
}
