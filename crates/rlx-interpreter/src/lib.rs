//! A backend for tests that lowers each node to kernels and interprets them element by element.
//!
//! Everything that runs on a device can test lowering in this way: the conformance table, random graphs, whole
//! models. The backend is the device [`Interpreter`](rlx_driver::Device::Interpreter), with the feature
//! `interpreter`, which is off by default.
//!
//! [`InterpreterBackend`] claims the primitives that [`rlx_codegen::lower()`] lowers, groups with bodies that it
//! lowers, and control flow. The code of custom ops is in the process, so they run with their `eval`. If the expansion of an
//! op can only be written for known sizes, the op is expanded once these are known. Branches and loops are
//! actions of the planned [`Program`](rlx_compile::Program), which [`rlx_exec::walk`] runs.
//!
//! `cargo run -p rlx-interpreter --example minilm -- FOLDER TEXT` compares a real model with the CPU backend.

mod backend;
mod host;
mod program;

pub use backend::InterpreterBackend;
