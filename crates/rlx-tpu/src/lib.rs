//! TPUs, and any other device with a PJRT plugin, as a backend.
//!
//! PJRT is the interface between frameworks and the devices of XLA. A plugin is a shared library that compiles
//! StableHLO and runs it. RLX loads one at run time, so this crate builds everywhere, without files from a vendor.
//!
//! - [`pjrt`]: plugins, clients, programs and arrays, for any plugin.
//! - [`TpuBackend`]: [`Device::Tpu`](rlx_driver::Device::Tpu) of the runtime, with the plugin that
//!   `RLX_PJRT_PLUGIN` names, or with `libtpu.so` from the system's library path.
//!
//! The backend claims the ops that StableHLO can express, and the legalizer writes the rest in simpler ops.
//! XLA, in the plugin, does the work of the passes of a kernel backend. The backend asks for static sizes for
//! every node, because its executables cannot have symbols.

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
pub mod variables;

/// Plugins, clients, programs and arrays: the PJRT API without pointers.
pub mod pjrt {
    pub use crate::api::{
        Client, Code, CompiledProgram, DeviceInfo, Estimate, LoadedProgram, MemoryStats, PjrtBuffer,
        PjrtError, Plugin, Topology, Value,
    };
}

pub use backend::TpuBackend;
pub use exec::{TpuEngine, TpuWorker, Uploaded, stablehlo};
pub use locate::{PluginChoice, compile_for_topology};
pub use queue::PjrtQueue;
