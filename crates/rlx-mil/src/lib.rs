//! CoreML's ML Programs: read from and written to files, and converted from and to graphs.
//!
//! CoreML runs *ML Programs*: functions of typed operations in a protobuf, and weights in a file next to it,
//! both in a folder, the package. Reading and writing them needs nothing from Apple.
//!
//! - [`message`]: the protobuf messages of a model.
//! - [`blob`]: files of weights. They are planned first, so that a program can name places in a file that is
//!   not written yet, then written in one go, each content once.
//! - [`package`]: `.mlpackage` folders, which appear whole or not at all.
//! - [`emit`]: graphs to programs.
//! - [`recognize()`]: operations of programs that graphs express in several ops. A recognized operation is a
//!   custom op whose meaning is what the importer reads, so there is one definition of it.
//! - [`rewrite`]: rewrites graphs into forms that programs have.
//! - [`import`]: programs to graphs.
//!
//! A value that repeats along axes is held once, under the sizes that NumPy's broadcasting gives it: operations
//! that broadcast take it as it is, others get it tiled. Known constants are expressions of parameters (a
//! conversion, parts in another order, a sum). Weights are converted in pieces as they are written; those that
//! need no conversion go straight from the mapped file.
//!
//! What is emitted is checked in three ways: read back and evaluated, it gives the evaluator's value for every
//! case of the conformance table (`cargo run -p rlx-coreml --example round_trip`); coremltools loads, types and
//! computes it (`scripts/judge_coreml.py`); and whole models give what `rlx` gives
//! (`scripts/judge_coreml_models.py`).

pub mod blob;
pub mod emit;
pub mod import;
#[allow(missing_docs)]
pub mod message;
pub mod package;
mod recognize;
pub mod rewrite;
mod types;

pub use recognize::recognize;
