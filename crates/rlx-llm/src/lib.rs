//! Language models that generate text, from a checkpoint to tokens.
//!
//! A family (`families`) turns the settings of a checkpoint into a [`spec`], which knows no files. One graph
//! (`graph`) serves all families: it asks for its parameters as it is built, and the checkpoint answers where
//! each is, so there is no second list of parameters. A [`LanguageModel`] runs the graph over its cache, and a
//! [`Generator`](generate::Generator) writes text with it.
//!
//! Parameters are the bytes of the mapped file wherever nothing about them changes. Runs of any length, and
//! sequences next to each other, give the same bits where blocks are multiplied in packed form (`rlx-packed`);
//! elsewhere they agree up to the order of sums.
//!
//! `scripts/judge_gguf.py` and `scripts/judge_llm.py` compare whole models with llama.cpp and `transformers`.

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
