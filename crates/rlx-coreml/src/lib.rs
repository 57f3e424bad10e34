//! CoreML: graphs as packages for Apple's devices, written on any host, and CoreML as a device.
//!
//! - [`CoremlClaims`]: the ops that ML Programs express natively; the legalizer decomposes all others.
//! - [`AneBackend`]: CoreML as a backend. It runs graphs that programs can express; a session pairs it with the CPU, which runs the rest.
//! - [`CoremlExecutable`]: runs a graph without a session; the evaluator and [kernels](register_coreml_kernel) run the rest.
//! - [`Conversion`]: converts a graph and its values to a package.
//! - [`lowered`]: lowers graphs to the ops of programs.
//! - [`lint`]: predicts where CoreML would run the operations of a model.
//! - [`ModelBuilder`]: builds a model with lowered graphs as functions.
//! - [`OpenDim`]: a dimension with a size that the run decides.
//! - [`ImportedModel`]: imports functions of packages as graphs.
//!
//! # The device
//!
//! Everything above Apple's interfaces also works with the interpreter, and is tested that way (`tests/device.rs`,
//! `rlx-train/tests/coreml.rs`). `engine/apple.rs` is type-checked on every host
//! (`cargo check -p rlx-coreml --target aarch64-apple-darwin`, and `…-ios`); only testing its calls needs a Mac.
//!
//! A package contains its weights, so setting a parameter makes a new package; a value that training changes is state, which is an input
//! and an output. State of f16 belongs to the model (`MLState`), with one object for all states of a model. If the caller is the only
//! owner of its buffers, a run uses them in place; otherwise it copies them to new ones. A model for many sizes is first written at
//! several sizes that are primes; these are then merged, as in packages with open sizes. Programs of single sizes run through it, so that
//! checks, memory and binding are those of [`Instance`](rlx_exec::Instance). Models that CoreML has compiled are cached under a
//! hash of the model and the parameters.

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
pub mod variables;
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
pub use rlx_exec::DirectError;
pub use rlx_mil::emit::{Dialect, Feature, Opset, StatePair};
pub use rlx_mil::message::Model;
pub use rlx_mil::package::Package;
pub use sizes::ModelSizes;
pub use weights::{WeightCompression, WeightFormat, WeightOptions};
