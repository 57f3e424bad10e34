//! Running programs: working memory, parameters, and the loop over steps. Knows kernels only as [`OpKernel`]s.

mod arena;
mod check;
mod executable;
mod kernel;
mod params;
mod program;

pub use executable::CpuExecutable;
pub(crate) use kernel::{Cx, OpKernel, Packed, RunError, Span};

pub(crate) use program::{CpuProgram, Outside};
