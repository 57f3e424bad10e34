//! Float vectors, and elementary functions of them, for the instruction set that is found at run time.
//!
//! [`isa`] detects the instruction set, [`simd`] has the vectors of each, [`vector`] the functions of them,
//! [`sums`] adds parts without losing rounding errors, and [`norm`] works on whole rows. Code for an
//! instruction set is reached only through [`Cpu::dispatch`](isa::Cpu::dispatch).
//!
//! Nothing here knows threads, matrices or graphs.

pub mod isa;
pub mod norm;
pub mod simd;
pub mod sums;
pub mod vector;
