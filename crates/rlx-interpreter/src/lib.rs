//! The interpreter of the kernel language as a backend: each node of a program is lowered to kernels, which are run element by
//! element and watched. So whatever runs on a device tests lowering: the conformance table, random graphs, whole models.
//!
//! - [`InterpreterBackend`]: [`Device::Interpreter`](rlx_driver::Device::Interpreter) of the runtime. It claims the primitives that
//!   [`rlx_codegen::lower()`] lowers, every group whose body it lowers, and control flow; custom ops, which are code of the process, are evaluated.
//!
//! It is slow, and for tests alone. Control flow stays in the planned [`Program`](rlx_compile::Program), whose nested programs run
//! on memory of their own.

mod backend;
mod control;
mod executable;
mod program;

pub use backend::InterpreterBackend;
