//! Elements of every type on slices, and elementwise functions of the op table on tiles of them.
//!
//! [`compute_type`] says which machine type stands for an element while kernels compute. [`stored`] and
//! [`numbers`] read and write elements in memory, by lines and one at a time; they round once. [`monoid`]
//! defines the named reductions by their identity and by how two totals combine: reductions, windows and
//! running reductions only say how elements become totals. A [`tile`] is a run of neighboring elements. Its
//! instructions are compiled for each instruction set, [`steps`] says which of them compute an op, and
//! [`compiled`] makes loops in machine code from runs of arithmetic.
//!
//! Nothing here knows graphs, programs or threads.

pub mod compiled;
pub mod compute_type;
pub mod monoid;
pub mod numbers;
pub mod steps;
pub mod stored;
pub mod tile;

use rlx_simd::{isa, simd, vector};
