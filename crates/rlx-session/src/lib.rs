//! Sessions, compiled graphs and the registry of backends.
//!
//! ```
//! use rlx_ir::{DType, Graph, Shape};
//! use rlx_session::{Device, Session};
//!
//! let mut g = Graph::new("mixture");
//! let shares = g.input("shares", Shape::new(&[1, 2], DType::F32));
//! let colors = g.param("colors", Shape::new(&[2, 3], DType::F32));
//! let mixed = g.matmul(shares, colors, Shape::new(&[1, 3], DType::F32));
//! g.set_outputs(vec![mixed]);
//!
//! let mut compiled = Session::new(Device::Cpu).try_compile(g)?;
//! compiled.try_set_param("colors", &[255., 0., 64., 0., 128., 0.])?;
//! assert_eq!(compiled.try_run(&[("shares", &[0.25, 0.75])])?, [[63.75, 96., 16.]]);
//! # Ok::<(), rlx_session::RuntimeError>(())
//! ```

mod bind;
mod calibration;
mod compiled;
pub mod embedded;
mod emit;
mod error;
mod inputs;
mod program_cache;
mod registry;
mod report;
mod session;
mod shared;
mod signature;
mod state;
mod stored;
pub mod variables;

pub use calibration::{Calibration, NotKept, calibrate, calibrated_rates};
pub use compiled::{CompiledGraph, Slot};
pub use emit::emit_to;
pub use error::RuntimeError;
pub use program_cache::programs_dir;
pub use registry::{
    available_devices, backend_for, device_count, device_memory, device_status, is_available,
    pick_best_device, register_backend,
};
pub use report::{
    dispatch_report_for_device, legalize_graph_for_device, legalize_graph_for_device_with_options,
    supports_graph,
};
pub use rlx_compile::{
    BackendOptions, CompileError, CompileOptions, Decision, DispatchReport, KernelDispatchPolicy, Pass,
    Precision, PrecisionPolicy, PrintIr, PrintWhen, Rates, format_dispatch_report,
};
pub use rlx_compile::{Claims, EmitError, EmittedFile, Emitter, Lowered, Piece, TextEmitter};
pub use rlx_compile::{Param, ParamBytes, ParamValues};
#[cfg(feature = "cpu")]
pub use rlx_cpu::{CpuOptions, isa::Isa};
pub use rlx_driver::{Device, DeviceId, DevicePair, Env, Topic, set_report_sink};
pub use rlx_exec::{Availability, Backend};
pub use rlx_exec::{Buffer, profile};
pub use rlx_exec::{HostQueue, MemoryUse, Queue};
pub use rlx_ir::Tick;
pub use session::Session;
pub use shared::SharedGraph;
pub use signature::feeding_output;
pub use stored::StoredTensor;

/// The result of a fallible operation of the runtime.
pub type Result<T> = std::result::Result<T, RuntimeError>;
