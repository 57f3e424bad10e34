//! Graph-to-graph transforms: derivatives in forward and reverse mode, and vectorization.
//!
//! Results are ordinary graphs: they run on every backend, and can be transformed again.
//!
//! Forward mode replays a graph on values and tangents, with one rule per op. Reverse mode is forward mode, linearized and
//! transposed: it visits the nodes that depend on tangents backward and applies the transpose of each op, and just computes all
//! other nodes. So only linear ops have transpose rules. In `Mode::Linearize`, each node is either known or linear in its linear
//! operands, and residuals are explicit operands. That is why a linearized graph can be split and transposed at any depth.
//! Vectorization replays a graph on values, some of which have a leading batch axis.
//!
//! **AD-2**: composites are transformed through their decomposition, but their tangents go through the op itself if the op table
//! marks it as linear. A composite with rules of its own (softmax, norms, attention, losses) stays whole, and tests compare its
//! rules with the decomposition.

mod backward;
mod batching;
mod derivative;
mod error;
mod forward;
pub mod func;
mod jacobian;
mod options;
mod rules;
mod split;
mod trace;
mod vmap;
mod wrappers;
mod wrt;

pub use derivative::{
    Linearized, grad, grad_with, hvp, hvp_with, jvp, jvp_with, linearize, linearize_with, pullback,
    pullback_with, value_and_grad, value_and_grad_with, vjp, vjp_with,
};
pub use error::Error;
pub use jacobian::{hessian, hessian_with, jacfwd, jacfwd_with, jacrev, jacrev_with};
pub use options::{Options, ScanMemory, WhileMemory};
pub use vmap::{VmapAxes, vmap, vmap_with};
pub use wrappers::{checkpoint, custom_jvp, custom_vjp};
pub use wrt::Wrt;
