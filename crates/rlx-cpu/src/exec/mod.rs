//! Running programs: working memory, parameters, and the loop over steps. Knows kernels only as [`OpKernel`]s.

mod executable;
mod kernel;
mod packing;
mod params;
mod prepack;
mod program;

pub use executable::CpuExecutable;
pub(crate) use kernel::{LaunchContext, OpKernel, RunError, Span};
pub(crate) use packing::{Inside, PackedList, Packer};
pub use packing::{Packed, Packing};
pub(crate) use program::{CpuProgram, Host, Outside};
