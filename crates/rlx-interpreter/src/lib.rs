//! A backend for tests that lowers each node to kernels and interprets them element by element.
//!
//! Everything that runs on a device can test lowering in this way: the conformance table, random graphs, whole
//! models. The backend is the device [`Interpreter`](rlx_driver::Device::Interpreter), with the feature
//! `interpreter`, which is off by default.
//!
//! [`InterpreterBackend`] claims the primitives that [`rlx_codegen::lower()`] lowers, every group whose body it
//! lowers, and control flow. Custom ops are code of the process, so they run with their `eval`. An op whose
//! expansion can only be written for known sizes is expanded once they are known. Control flow stays in the
//! planned [`Program`](rlx_compile::Program), whose nested programs run on memory of their own.
//!
//! `cargo run -p rlx-interpreter --example minilm -- FOLDER TEXT` compares a real model with the CPU backend.

mod backend;
mod control;
mod host;
mod program;

pub use backend::InterpreterBackend;
