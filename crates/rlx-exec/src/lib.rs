//! Runs lowered graphs: defines backends, and the program instances that all backends share.
//!
//! A [`Backend`] declares what it can run ([`Claims`](rlx_compile::Claims)) and prepares lowered graphs. It returns an [`Instance`]
//! around its [`Engine`]. The instance owns everything that is the same on all devices:
//!
//! | what | where |
//! |---|---|
//! | programs by the sizes that they are bound to, shared with clones | [`Instance`] |
//! | parameters and their packed forms, shared with clones and between sizes | [`ParamStore`], [`CachedParams`] |
//! | checks before a run: counts, lengths in bytes, alignment, parameters that are not set | [`ProgramLayout`] |
//! | where values are: host memory, a buffer on a device, a state buffer | [`Buffer`], [`ProgramRun`] |
//! | where outputs go, and their copies on the host | [`ProgramLayout`], [`ProgramRun::leave`] |
//! | states that a run consumes, and their contents after a failed run | [`Executable::run`] |
//!
//! The engine does the rest: it prepares a program for given sizes, uploads values, launches runs, and packs parameters if it reads them
//! in its own form. If it runs the planned programs of `rlx_compile`, [`walk`] runs their actions on its [`Device`], so that branches and loops
//! work as soon as kernels do. If values cross to the device as bytes, implement [`HostProgram`] and run it with [`HostEngine`].

pub mod backend;
pub mod buffer;
pub mod custom;
mod direct;
mod engine;
mod evaluator;
mod executable;
mod host_program;
mod instance;
mod layout;
mod lower;
mod operands;
mod outputs;
mod params;
pub mod profile;
pub mod queue;
mod walk;

pub use backend::{Availability, Backend, GraphLimits, MemoryUse};
pub use buffer::Buffer;
pub use direct::{DirectError, DirectExecutable};
pub use engine::{At, Engine, EngineMemory, Pack, ProgramRun};
pub use evaluator::EvaluatorBackend;
pub use executable::{Arguments, Executable, Value};
pub use host_program::{HostEngine, HostProgram, HostWorker, PreparedProgram};
pub use instance::Instance;
pub use layout::ProgramLayout;
pub use lower::{Compiled, compile, lower};
pub use operands::Operand;
pub use params::{CachedParam, CachedParams, ParamStore};
pub use queue::{HostQueue, Queue};
pub use walk::{Device, walk};
