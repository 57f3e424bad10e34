//! Vectors of floats for the instruction set that the machine turns out to have.
//!
//! [`isa`] says which that is, [`simd`] has the vectors of each, [`vector`] the functions of them, [`sums`] how sums of parts
//! lose nothing, and [`norm`] whole rows. Nothing here knows threads, matrices or graphs.
//!
//! Code for an instruction set is reached only through [`Cpu::dispatch`](isa::Cpu::dispatch), which proves that the machine has it.

pub mod isa;
pub mod norm;
pub mod simd;
pub mod sums;
pub mod vector;
