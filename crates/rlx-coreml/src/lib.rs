//! CoreML for RLX: graphs as packages for Apple's devices, on any host.
//!
//! - [`CoremlClaims`]: what ML Programs say natively; the legaliser writes the rest in simpler ops.
//! - [`ModelBuilder`]: lowered graphs as functions of a model.
//! - [`ImportedModel`]: functions of packages as graphs.

mod claims;
mod import;
mod model;

pub use claims::CoremlClaims;
pub use import::{ImportError, ImportedGraph, ImportedModel};
pub use model::{ModelBuilder, ModelError};
pub use rlx_mil::emit::Opset;
