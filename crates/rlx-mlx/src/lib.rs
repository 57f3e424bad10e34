//! MLX, Apple's array framework, as a backend: Apple GPUs on a Mac, MLX's CPU and CUDA builds on Linux.
//!
//! A lowered graph becomes steps that make MLX arrays (`emit/`, a line per op in its table); a run makes them
//! in order, and MLX computes the outputs. An op without a line is decomposed or expanded first. Claims and
//! passes are on symbols, so a new size costs only making its steps.
//!
//! A step makes arrays and computes nothing. The exceptions are control flow, runs of rows (`ragged_dot`) and
//! ops on the host, which need values. A plan with such a step is not `straight` and never becomes part of a
//! compiled function. Of a branch, only the side that is taken is made. Attention over a cache reads only the
//! valid keys, whose number is computed first, and appends to a cache at a known position. A compiled
//! function, which serves all lengths, uses masks instead.
//!
//! Values are dropped after their last use, and states are passed to the run as their only owner, so that MLX
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

pub use backend::MlxBackend;
pub use claims::MlxClaims;
pub use coarse::{COARSE_FUNCTIONS, CoarseFunction};
pub use direct::MlxExecutable;
pub use engine::{MlxEngine, MlxWorker};
pub use launch::{MlxMode, UnknownMode};
pub use options::MlxOptions;
pub use queue::MlxQueue;
pub use rlx_exec::DirectError;
