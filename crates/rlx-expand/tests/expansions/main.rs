//! Expansions against the evaluator's own ops: on the conformance table, and on matrices that are hard.

mod conformance;
mod contract;
mod expanded;
mod linalg;
