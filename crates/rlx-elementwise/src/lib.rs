//! Elements of every type on slices, and elementwise functions of the op table on tiles of them.
//!
//! [`compute_type`] determines the machine type in which kernels compute with an element. [`stored`] and [`numbers`] read and write
//! elements in memory, by lines and one at a time, and round once. [`monoid`] defines the named reductions by their identity and by how two
//! totals combine; reductions, windows and running reductions only determine how elements become totals. A [`tile`] is a run of neighboring
//! elements, and its instructions are compiled for each instruction set. [`steps`] determines which of them compute an op, and [`compiled`]
//! makes loops in machine code from runs of arithmetic.
//!
//! This crate knows nothing of graphs, programs or threads.

pub mod compiled;
pub mod compute_type;
pub mod monoid;
pub mod numbers;
pub mod steps;
pub mod stored;
pub mod tile;

use rlx_simd::{isa, simd, vector};
