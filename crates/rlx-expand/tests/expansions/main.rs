//! Expansions against the evaluator's own ops: on the conformance table, on matrices that are hard, and on parameters of many
//! orders of magnitude.

mod conformance;
mod contract;
mod expanded;
mod linalg;
mod special;
