//! Elements of every type on slices, and the elementwise functions of the op table on tiles of them.
//!
//! [`compute_type`] says which machine type stands for an element while kernels compute; [`stored`] and [`numbers`] read and write
//! elements as they lie in memory, by lines and one by one; [`monoid`] is what reductions combine totals by. A [`tile`] is a run of neighbours: its instructions are functions that are
//! compiled for each instruction set, [`steps`] says which of them compute an op, and [`compiled`] makes loops in machine code of runs
//! of arithmetic. Nothing here knows graphs, programs or threads.

pub mod compiled;
pub mod compute_type;
pub mod monoid;
pub mod numbers;
pub mod steps;
pub mod stored;
pub mod tile;

use rlx_simd::{isa, simd, vector};
