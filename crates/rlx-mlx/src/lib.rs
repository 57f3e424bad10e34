//! MLX, Apple's array framework, as a backend: Apple GPUs on a Mac, MLX's CPU and CUDA builds on Linux.
//!
//! A lowered graph becomes a list of steps that make MLX arrays (`emit/`, with a line per op in its table). A run executes the
//! steps in order, and MLX computes the outputs. An op without a line is decomposed or expanded first. Claims and
//! passes work on symbols, so a new size only costs making its steps.
//!
//! A step makes arrays and computes nothing. The exceptions are control flow, runs of rows (`ragged_dot`) and
//! ops on the host, because they need values. A plan with such a step is not `straight` and never becomes part of a
//! compiled function. Of a branch, only the selected side is made. Attention over a cache computes the number of valid
//! keys first, reads only those, and appends to a cache at a known position. A compiled
//! function serves all lengths, so it uses masks instead.
//!
//! Values are dropped after their last use, and the run becomes the only owner of states, so that MLX
//! can overwrite them.

#![deny(unsafe_code)]

mod backend;
mod claims;
mod coarse;
mod direct;
mod emit;
mod engine;
mod launch;
mod options;
mod packing;
mod params;
mod parts;
mod plan;
mod queue;
pub mod variables;

pub use backend::MlxBackend;
pub use claims::MlxClaims;
pub use coarse::{COARSE_FUNCTIONS, CoarseFunction};
pub use direct::MlxExecutable;
pub use engine::{MlxEngine, MlxWorker};
pub use launch::{MlxMode, UnknownMode};
pub use options::MlxOptions;
pub use queue::MlxQueue;
pub use rlx_exec::DirectError;
