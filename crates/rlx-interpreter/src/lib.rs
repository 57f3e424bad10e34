//! A backend for tests that lowers each node to kernels and interprets them element by element.
//!
//! Anything that runs on a device tests lowering this way: the conformance table, random graphs, whole models.
//! It is the device [`Interpreter`](rlx_driver::Device::Interpreter) of the feature `interpreter`, which is off
//! by default.
//!
//! [`InterpreterBackend`] claims the primitives that [`rlx_codegen::lower()`] lowers, every group whose body it
//! lowers, and control flow. Custom ops, which are code of the process, are evaluated. An expansion that can
//! only be written for known sizes is expanded once they are known. Control flow stays in the planned
//! [`Program`](rlx_compile::Program), whose nested programs run on memory of their own.
//!
//! `cargo run -p rlx-interpreter --example minilm -- FOLDER TEXT` compares a real model with the CPU backend.

mod backend;
mod control;
mod executable;
mod program;

pub use backend::InterpreterBackend;
