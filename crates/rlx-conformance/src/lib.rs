//! The conformance suite: cases for every op, checked against the evaluator and outside goldens, and random graphs.
//!
//! - [`cases`]: the table, a file per family; a row becomes a case for each element type that the op accepts.
//! - [`golden`]: what JAX, NumPy, SciPy and mpmath compute for each op; the evaluator is checked against them.
//! - [`Target`]: anything that runs graphs; [`run`] compares each with the evaluator and prints the matrix.
//! - [`Reimported`]: StableHLO as a target, written and read back.
//! - [`bound`]: how far a correct implementation may be from the evaluator, derived from the graph.
//! - [`random`]: random valid graphs with their inputs.
//! - [`programs`]: StableHLO programs that check themselves.
//! - [`transforms`]: derivatives and vectorization of every case.
//!
//! The suite does not know any targets: the caller of [`run`] passes them.

pub mod bound;
pub mod case;
pub mod cases;
pub mod compare;
pub mod data;
pub mod golden;
mod matrix;
pub mod programs;
pub mod random;
mod reimported;
mod report;
pub mod stream;
mod subnormal;
mod target;
pub mod transforms;

pub use case::{Case, Row};
pub use matrix::{Args, judge, run, smaller_shares};
pub use reimported::Reimported;
pub use report::{Counts, Note, Outcome, Report};
pub use target::{Evaluator, Target, TargetError};
