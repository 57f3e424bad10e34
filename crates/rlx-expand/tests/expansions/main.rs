//! Expansions compared with the evaluator's own ops: on the conformance table, on difficult matrices, and on parameters of many
//! orders of magnitude.

mod conformance;
mod contract;
mod expanded;
mod linalg;
mod special;
