//! Runs programs: working memory, parameters, packed weights, and the loop over steps.
//!
//! Knows kernels only as [`OpKernel`]s. What a run is given was checked by the instance, and the launch context
//! (`LaunchContext`) borrows it so that safe code in kernels cannot hold two references to the same bytes.

mod engine;
mod kernel;
mod packing;
mod params;
mod prepack;
mod program;

pub(crate) use engine::CpuEngine;
pub(crate) use kernel::{LaunchContext, OpKernel, RunError, Span};
pub(crate) use packing::{Inside, PackedList, Packer};
pub use packing::{Packed, Packing};
pub(crate) use program::{CpuProgram, Host, Outside};
