//! The RLX compiler: `Graph → precision → legalise → simplify → patterns → fuse → schedule → Lowered`, once for all sizes; then, for
//! each binding of its symbols, `bind → plan memory → Program`.
//!
//! Each pass is a function over a graph. No pass knows a backend: it is given the backend's [`Claims`].

pub mod alias;
mod arguments;
pub mod backend;
mod bodies;
mod budget;
pub mod buffer;
pub mod cost;
mod device_outputs;
mod direct;
pub mod dispatch;
pub mod emit;
mod host_program;
mod intern;
pub mod legalize;
pub mod lowered;
pub mod memory;
pub mod options;
mod param;
mod passes;
pub mod patterns;
mod per_binding;
pub mod pipeline;
mod placement;
pub mod precision;
pub mod profile;
pub mod program;
pub mod queue;
pub mod schedule;
pub mod simplify;
mod structure;

pub use alias::Alias;
pub use backend::{Arguments, Availability, Backend, BackendError, Cost, Executable, MemoryUse, Value};
pub use budget::Budget;
pub use buffer::Buffer;
pub use cost::Rates;
pub use device_outputs::{DeviceOutput, DeviceOutputs, OutputPlaces};
pub use direct::{DirectError, DirectExecutable};
pub use dispatch::{
    Decision, DispatchEntry, DispatchReport, FusedGroup, KernelDispatchPolicy, format_dispatch_report,
};
pub use emit::{EmitError, EmittedFile, Emitter, ParamValues, Piece, TextEmitter, emit};
pub use host_program::{HostExecutable, HostProgram};
pub use legalize::{LegalizeError, is_legal, legalize};
pub use lowered::{BindError, Bound, BoundCache, Lowered};
pub use options::{BackendOptions, CompileOptions};
pub use param::{Param, ParamBytes};
pub use per_binding::{PerBinding, prepare};
pub use pipeline::{CompileError, Compiled, compile};
pub use precision::{Precision, PrecisionPolicy};
pub use program::{Program, Step, Storage};
pub use queue::{HostQueue, Queue};
pub use rlx_fusion::claims::{Claims, ClaimsAll, ClaimsNone};
pub use rlx_fusion::is_free;

/// The versions of the crates that decide what a graph is lowered to, by which programs on disk tell compilers apart.
pub const VERSIONS: [&str; 4] =
    [rlx_ir::VERSION, rlx_fusion::VERSION, rlx_expand::VERSION, env!("CARGO_PKG_VERSION")];
