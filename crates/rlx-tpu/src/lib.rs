//! TPUs, and any other device with a PJRT plugin, as a backend.
//!
//! PJRT is the interface between frameworks and the devices of XLA: a plugin is a shared library that compiles StableHLO
//! and runs it. RLX loads one at run time, so that this crate builds everywhere and needs no vendor's files.
//!
//! - [`pjrt`]: plugins, clients, programs and arrays, for any plugin.
//! - [`TpuBackend`]: [`Device::Tpu`](rlx_driver::Device::Tpu) of the runtime, by the plugin that `RLX_PJRT_PLUGIN` names
//!   or by `libtpu.so` where the system looks for libraries.

#![deny(unsafe_code)]

#[allow(unsafe_code)]
mod api;
mod backend;
mod cost;
mod exec;
#[allow(unsafe_code)]
pub mod ffi;
mod locate;
mod options;
mod queue;

/// Plugins, clients, programs and arrays: the PJRT API without pointers.
pub mod pjrt {
    pub use crate::api::{
        Client, Code, CompiledProgram, DeviceInfo, Estimate, LoadedProgram, MemoryStats, PjrtBuffer,
        PjrtError, Plugin, Topology, Value,
    };
}

pub use backend::TpuBackend;
pub use exec::{TpuExecutable, stablehlo};
pub use locate::{PluginChoice, compile_for_topology};
pub use queue::PjrtQueue;
