//! Runs lowered graphs: what a backend is, and one instance of a program for all backends.
//!
//! A [`Backend`] says what it can run ([`Claims`](rlx_compile::Claims)) and prepares a lowered graph. What it prepares is an
//! [`Instance`] of an [`Engine`], which owns everything that is alike on all devices:
//!
//! | what | where |
//! |---|---|
//! | programs by the sizes that they were bound to, shared with clones | [`Instance`] |
//! | parameters, shared with clones and between sizes, and what was packed from them | [`ParamStore`], [`CachedParams`] |
//! | the checks of a run: numbers, bytes, alignment, parameters that are not set | [`Layout`] |
//! | where values are: host memory, a buffer on a device, a state buffer | [`Buffer`], [`Run`] |
//! | where outputs go, and their copies on the host | [`Layout`], [`Run::leave`] |
//! | states that a run takes, and what one that fails leaves | [`Executable::run`] |
//!
//! An engine is what is left: it prepares a program for sizes, uploads a value, launches a run, and packs parameters if it has a form of
//! its own for them. Engines whose values cross to the device as bytes are a [`HostProgram`] behind [`HostEngine`].

pub mod backend;
pub mod buffer;
mod direct;
mod engine;
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

pub use backend::{Availability, Backend, MemoryUse};
pub use buffer::Buffer;
pub use direct::{DirectError, DirectExecutable};
pub use engine::{At, Engine, Memory, Pack, Run};
pub use executable::{Arguments, Executable, Value};
pub use host_program::{HostEngine, HostProgram, HostWorker, PreparedProgram};
pub use instance::Instance;
pub use layout::Layout;
pub use lower::{Compiled, compile, lower};
pub use operands::Operand;
pub use params::{CachedParam, CachedParams, ParamStore};
pub use queue::{HostQueue, Queue};
