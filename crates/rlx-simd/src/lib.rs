//! Vectors of floats and elementary functions on them, for the instruction set found at run time.
//!
//! [`isa`] detects the instruction set, [`simd`] has its vectors, [`vector`] has functions of vectors, [`sums`] adds parts without losing
//! rounding errors, and [`norm`] works on whole rows. Code for an instruction set is reached only through
//! [`Cpu::dispatch`](isa::Cpu::dispatch).
//!
//! This crate knows nothing of threads, matrices or graphs.

pub mod isa;
pub mod norm;
pub mod simd;
pub mod sums;
pub mod vector;
