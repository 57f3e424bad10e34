//! Graph-to-graph transforms of RLX programs: derivatives in forward and reverse mode, and vectorisation. Results are graphs
//! like any other: they run on every backend, and are transformed again.
//!
//! Forward mode is a rule per op. Reverse mode is forward mode with its linear part transposed, so that only linear ops have
//! transpose rules. Composites go through their decomposition, except where a rule of their own pays.

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
