//! Runs programs: working memory, parameters, packed weights, and the device that runs their actions.
//!
//! This module knows kernels only as [`OpKernel`]s. The instance has checked the arguments of a run. The launch context
//! (`LaunchContext`) lends them to kernels in such a way that safe code cannot hold two conflicting references to the same bytes.

mod engine;
mod kernel;
mod packing;
mod params;
mod prepack;
mod program;

pub(crate) use engine::CpuEngine;
pub(crate) use kernel::{LaunchContext, OpKernel, RunError, Span};
pub use packing::{Packed, Packing};
pub(crate) use packing::{PackedList, Packer};
pub(crate) use program::{CpuProgram, Host, Outside};
