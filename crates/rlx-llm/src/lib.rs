//! Language models that generate text, from a checkpoint to tokens.
//!
//! A family (`families`) turns the settings of a checkpoint into a [`spec`]; one graph (`graph`) serves all of them; a
//! [`LanguageModel`] runs it over its cache, and a [`Generator`](generate::Generator) writes with it.

mod adapter;
mod blueprint;
mod checkpoint;
mod error;
pub mod export;
pub mod families;
mod finite;
pub mod generate;
pub mod graph;
mod importance;
mod memory;
mod model;
mod parameters;
mod progress;
mod prompt_cache;
mod row_order;
pub mod spec;
mod steps;

pub use adapter::{AdapterError, AdapterMisfit, AdapterSource};
pub use blueprint::Blueprint;
pub use error::{LlmError, Misfit};
pub use graph::CacheType;
pub use importance::ImportanceRun;
pub use model::{LanguageModel, ModelOptions};
pub use progress::{LoadObserver, LoadStep};
pub use steps::{ModelSteps, StepGraph};
