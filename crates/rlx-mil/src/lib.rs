//! CoreML's ML Programs: read from and written to files, and converted from and to graphs.
//!
//! CoreML runs *ML Programs*: functions of typed operations in a protobuf, with weights in a separate file. Both are in a folder, the
//! package. Reading and writing them needs nothing from Apple.
//!
//! - [`message`]: the protobuf messages of a model.
//! - [`blob`]: weights files. A file is planned first, so that a program can refer to offsets in a file that is not written yet, and then
//!   written in one pass, with each distinct content once.
//! - [`package`]: `.mlpackage` folders, which appear complete or not at all.
//! - [`emit`]: writes graphs as programs.
//! - [`recognize()`]: finds operations of programs that graphs express in several ops. A recognized operation is a custom op whose meaning
//!   is defined by the importer, so there is only one definition of it.
//! - [`rewrite`]: rewrites graphs into forms that programs have.
//! - [`import`]: imports programs as graphs.
//!
//! A value that repeats along axes is stored once, in a shape that broadcasts as in NumPy: operations that broadcast use it directly, and
//! others get it tiled. Known constants are expressions of parameters (a conversion, parts in another order, a sum). Weights are converted
//! in pieces when they are written; those that need no conversion are copied directly from the mapped file.
//!
//! Emitted programs are checked in three ways: imported and evaluated, they give the evaluator's values for every case of the conformance
//! table (`cargo run -p rlx-coreml --example round_trip`); coremltools loads, types and computes them (`scripts/judge_coreml.py`); and
//! whole models give the results of `rlx` (`scripts/judge_coreml_models.py`).

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
