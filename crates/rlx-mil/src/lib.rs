//! CoreML's ML Programs, in and out of files and of RLX graphs.
//!
//! - [`message`]: the protobuf messages of a model.
//! - [`blob`]: files of weights.
//! - [`package`]: `.mlpackage` folders.
//! - [`emit`]: graphs to programs.
//! - [`recognise()`]: operations of programs in what graphs say in several ops.
//! - [`rewrite`]: what programs have no form for in what they have.
//! - [`import`]: programs to graphs.

pub mod blob;
pub mod emit;
pub mod import;
#[allow(missing_docs)]
pub mod message;
pub mod package;
mod recognise;
pub mod rewrite;
mod types;

pub use recognise::recognise;
