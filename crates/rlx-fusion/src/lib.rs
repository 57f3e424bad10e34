//! Fusion: groups nodes that one kernel can compute into `fusion` nodes, guided by a backend's [`Claims`].
//!
//! The passes run in the order norm, contraction, reduction, elementwise, so that specialized kernels come first. A pass grows a
//! group from its root toward its operands (`cluster`), shows its body to the backend ([`Claims::accepts`]), and makes the node
//! if the backend accepts it (`group`).
//!
//! **FUSE-1**: a `fusion` is a composite with the group as its body, so a transform or backend that does not know it can inline
//! it. It has several results only if every reader outside the group comes after the group's last member. The fused node then
//! takes that member's place: everything that it reads comes earlier, and everything that reads it comes later. So nodes need no
//! new order, and no two groups can wait for each other.
//!
//! **FUSE-2**: for each of its own indices (an element or a row), a group reads each member at one index or not at all. A value
//! that is read at several indices (by two slices, through a broadcast, as a table) stays outside, unless computing it costs less
//! than a load. So no group computes an expensive value twice, and only the readers of a value decide whether it joins.

pub mod claims;
mod cluster;
mod contraction;
mod elementwise;
mod group;
mod members;
mod norm;
mod reduction;
mod rows;

pub use claims::{Claim, Claims, ClaimsAll, ClaimsNone, Rewrites, needs_static_sizes};
pub use contraction::fuse_contractions;
pub use elementwise::fuse_elementwise;
pub use group::used_only_by;
pub use members::{is_elementwise, is_free};
pub use norm::fuse_norms;
pub use reduction::fuse_reductions;

use rlx_ir::{FusionKind, Graph};

/// The version of the crate. Programs on disk record it, to tell which compiler made them.
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
