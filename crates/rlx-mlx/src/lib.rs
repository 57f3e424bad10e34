//! MLX, Apple's array framework, as a backend: GPUs of Apple's on a Mac, MLX's CPU and CUDA builds on Linux.
//!
//! A lowered graph becomes steps that make arrays of MLX (`emit/`, a line per op in its table); a run makes them in order and has MLX compute
//! the outputs. What MLX has no form of is decomposed or expanded before it comes here. Control flow runs on the host: only what a value
//! decides for is made.

#![deny(unsafe_code)]

mod backend;
mod claims;
mod coarse;
mod direct;
mod emit;
mod executable;
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
pub use executable::MlxProgram;
pub use launch::{MlxMode, UnknownMode};
pub use options::MlxOptions;
pub use queue::MlxQueue;
pub use rlx_compile::DirectError;
