//! CoreML for RLX: graphs as packages for Apple's devices, on any host.
//!
//! - [`CoremlClaims`]: what ML Programs say natively; the legaliser writes the rest in simpler ops.
//! - [`AneBackend`]: CoreML as a device; what programs cannot say runs on the host ([`register_coreml_kernel`]).
//! - [`Conversion`]: a graph and its values to a package.
//! - [`lowered`]: graphs in what programs have.
//! - [`lint`]: where CoreML would run the operations of a model.
//! - [`ModelBuilder`]: lowered graphs as functions of a model.
//! - [`OpenDim`]: dimensions whose size the run decides.
//! - [`ImportedModel`]: functions of packages as graphs.

mod backend;
mod beyond;
mod border;
mod claims;
mod convert;
mod decode;
mod describe;
mod direct;
mod engine;
mod executable;
mod host_twin;
mod import;
mod kernels;
mod lint;
mod loading;
mod lowering;
mod model;
mod open;
mod packed;
mod sizes;
mod states;
mod strided;
mod weights;

pub use backend::{AneBackend, CoremlOptions};
pub use claims::CoremlClaims;
pub use convert::{Conversion, ConversionError, Converted, GraphFunction, Prepared};
pub use decode::{DecodeError, decode};
pub use describe::describe;
pub use direct::CoremlExecutable;
pub use engine::{
    ChipInfo, ComputeUnits, Engine, EngineError, GivenArray, InterpretedEngine, LoadOptions, LoadedModel,
    ModelState, PlannedOperation, UnknownUnits, WantedArray, ane_available, chip_info, system_engine,
};
pub use executable::CoremlProgram;
pub use import::{ImportError, ImportedGraph, ImportedModel};
pub use kernels::{CoremlKernel, register_coreml_kernel};
pub use lint::{Finding, FunctionLint, Unit, lint};
pub use lowering::lowered;
pub use model::{ModelBuilder, ModelError};
pub use open::{OpenDim, OpenSizes};
pub use rlx_compile::DirectError;
pub use rlx_mil::emit::{Dialect, Feature, Opset, StatePair};
pub use rlx_mil::message::Model;
pub use rlx_mil::package::Package;
pub use sizes::ModelSizes;
pub use weights::{WeightCompression, WeightFormat, WeightOptions};
