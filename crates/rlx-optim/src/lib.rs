//! Optimizers, learning-rate schedules and gradient transformations as graphs. The new parameter and the new state are expressions of the
//! old ones, the gradient, the step number and the learning rate, so an update can be fused into a training step on every backend, run
//! alone, or be transformed.
//!
//! ```
//! use rlx_ir::{DType, Shape};
//! use rlx_optim::{Optimizer, Param, update_graph};
//!
//! let w = Param::new("w", Shape::new(&[4, 2], DType::F32));
//! let graph = update_graph(&Optimizer::adamw(), &[w])?;
//! // w, its gradient, its two moments, and the two scalars that all parameters share.
//! assert_eq!(graph.inputs().count(), 6);
//! assert_eq!(graph.outputs().len(), 3);
//! # Ok::<(), rlx_optim::Error>(())
//! ```

mod clip;
mod error;
mod graph;
mod hutchinson;
mod optimizer;
mod param;
mod rules;
mod schedule;
mod setting;
mod slot;
mod state;
mod update;

pub use clip::{accumulate, average, clip_by_global_norm, clip_by_value, global_norm};
pub use error::Error;
pub use graph::update_graph;
pub use hutchinson::hutchinson;
pub use optimizer::Optimizer;
pub use param::{Mask, MatrixLayout, Param};
pub use schedule::{Phases, Schedule, Steps};
pub use slot::{Initial, Slot};
pub use state::{State, StateError};
pub use update::{Operands, Updated};
